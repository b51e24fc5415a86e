/* SPDX-License-Identifier: MIT */
/* Expressions judged for records of a known type: results, conditions, faults. */
#include "expr/expr_fixture.h"
#include "expr/type_fixture.h"

static const char row[] = "{id: int, delay: float, site: text, note: text?, tags: [text], "
                          "counts: [int], pos: {lat: float, alt: int?}, way: {km: int}?, "
                          "day: timestamp, raw: any, more: any?, rest: map}";

static void set_up(void)
{
    fixture_set_up();
    types_set_up();
}

static void tear_down(void)
{
    types_tear_down();
    fixture_tear_down();
}

static void report(void *self, const void *origin, bool is_warning, size_t from, size_t to,
                   const char *message)
{
    ck_assert_ptr_eq(origin, &fixture);
    fixture_report(self, is_warning, from, to, message);
}

/* Messages go to the fixture, those of compiling left out. */
static const weir_type *judge(const char *type, const char *text, const weir_type **ret_where)
{
    weir_expression *expression = fixture_compile(text);
    ck_assert_msg(expression != NULL, "%s: %s", text, fixture.messages);
    expr_set_origin(expression, &fixture);
    fixture.messages[0] = '\0';
    const struct expr_judge judge = { .env = &fixture.env, .room = &types.room, .report = report };
    return expr_judge(&judge, expression, type_named(type), ret_where);
}

START_TEST(results_have_types)
{
    static const char *const cases[][2] = {
        { "id", "int" },
        { "id + delay", "float" },
        { "id / 2", "float" },
        { "$value.site + 'x'", "text" },
        { "pos", "{lat: float, alt: int?}" },
        { "pos['lat']", "float" },
        { "(pos).lat", "float" },
        { "tags[0]", "text" },
        { "tags[0:1]", "[text]" },
        { "site[0]", "text" },
        { "raw.x.y", "any" },
        { "rest.x", "any" },
        { "rest[site]", "any" },
        { "note ?? 1", "int or text" },
        { "note ?? null", "text+null" },
        { "way.km ?? 0", "int" },
        { "[id, delay]", "[int or float]" },
        { "[]", "[any]" },
        { "{a: id, 'b c': [site], a: 1}", "{a: int, b c: [text]}" },
        { "if id > 1 then id else site", "int or text" },
        { "id and site", "int or text" },
        { "map(counts, $it * 2)", "[int]" },
        { "map(tags, {t: $it, i: $index, id: id})", "[{t: text, i: int, id: int}]" },
        { "filter(tags, $it > 'a')", "[text]" },
        { "try(id // 0, 'x')", "int or text" },
        { "upper(site)", "text" },
        { "$key", "any" },
        { "$value", "{id: int, delay: float, site: text, note: text?, tags: [text], counts: [int], "
                    "pos: {lat: float, alt: int?}, way: {km: int}?, day: timestamp, raw: any, "
                    "more: any?, rest: map}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const weir_type *type = judge(row, cases[i][0], NULL);
        ck_assert_msg(strstr(fixture.messages, "declared") == NULL, "%s: %s", cases[i][0],
                      fixture.messages);
        ck_assert_msg(strcmp(type_text(type), cases[i][1]) == 0, "%s is %s, not %s", cases[i][0],
                      type_text(type), cases[i][1]);
    }
}
END_TEST

struct message_case {
    const char *text;
    const char *messages;
};

static void check_messages(const struct message_case *cases, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        judge(row, cases[i].text, NULL);
        ck_assert_msg(strcmp(fixture.messages, cases[i].messages) == 0,
                      "%s\n  says    %s\n  and not %s", cases[i].text, fixture.messages,
                      cases[i].messages);
    }
}
#define CHECK_MESSAGES(cases) check_messages(cases, sizeof(cases) / sizeof(cases)[0])

#define IN_TOPIC     " in topic 'flights'"
#define NOT_DECLARED "is not declared" IN_TOPIC

START_TEST(fields_that_are_not_declared_are_reported)
{
    static const struct message_case cases[] = {
        { "dealy > 1", "0-5 field 'dealy' " NOT_DECLARED "; did you mean 'delay'?" },
        { "1 + $value.dealy", "11-16 field 'dealy' " NOT_DECLARED "; did you mean 'delay'?" },
        { "$value['dealy']", "6-15 field 'dealy' " NOT_DECLARED "; did you mean 'delay'?" },
        { "dealy ?? 1", "0-5 field 'dealy' " NOT_DECLARED "; did you mean 'delay'?" },
        { "has(dealy)", "4-9 field 'dealy' " NOT_DECLARED "; did you mean 'delay'?" },
        { "somewhere", "0-9 field 'somewhere' " NOT_DECLARED },
        { "pos.lon", "4-7 field 'pos.lon' " NOT_DECLARED "; the fields are lat, alt" },
        { "pos.la", "4-6 field 'pos.la' " NOT_DECLARED "; did you mean 'lat'?" },
        { "{a: id}.bcd", "8-11 field '{a: id}.bcd' is not in the map that is written there; the "
                         "fields are a" },
        { "map(tags, dealy)", "10-15 field 'dealy' " NOT_DECLARED "; did you mean 'delay'?" },
        { "dealy + 'x'", "0-5 field 'dealy' " NOT_DECLARED "; did you mean 'delay'?" },
        { "raw.dealy", "" },
        { "rest.dealy", "" },
        { "{a: 1}[site]", "" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(kinds_that_cannot_fit_say_who_declares_them)
{
    static const struct message_case cases[] = {
        { "site > 15", "0-9 cannot compare text > int: 'site' is text" IN_TOPIC },
        { "15 < site", "0-9 cannot compare int < text: 'site' is text" IN_TOPIC },
        { "site + 1", "0-8 cannot compute text + int: 'site' is text" IN_TOPIC "; write text(1)" },
        { "1 + site + 2",
          "0-8 cannot compute int + text: 'site' is text" IN_TOPIC "; write text(1)" },
        { "-site", "0-5 cannot compute -text: 'site' is text" IN_TOPIC },
        { "upper(id)",
          "6-8 function 'upper' takes text as argument 1, not int: 'id' is int" IN_TOPIC
          "; write text(id)" },
        { "pos.lat.x", "8-9 float has no field 'x': 'pos.lat' is float" IN_TOPIC },
        { "tags[site]",
          "4-10 cannot index list with text: 'tags' is list" IN_TOPIC ", 'site' is text" IN_TOPIC },
        { "id[0:1]", "2-7 cannot take a slice of int: 'id' is int" IN_TOPIC
                     "; text, bytes and lists have slices" },
        { "map(site, 1)", "4-8 map() takes a list, not text: 'site' is text" IN_TOPIC },
        { "map(tags, $it - 1)", "10-17 cannot compute text - int" },
        { "(note ?? '') - 1", "0-16 cannot compute text - int" },
        { "day + 1", "0-7 cannot compute timestamp + int: 'day' is timestamp" IN_TOPIC },
        { "day < day and id > delay", "" },
        { "raw + 1 > 2", "" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

#define MAY_MISS(name)                                                                             \
 "warning: '" name "' may be missing or null" IN_TOPIC "; write '" name                            \
 " ?? ...', or filter on '" name " is not null' first"

START_TEST(a_plain_read_of_what_may_be_missing_is_a_warning)
{
    static const struct message_case cases[] = {
        { "note", "0-4 " MAY_MISS("note") },
        { "upper(note)", "6-10 " MAY_MISS("note") },
        { "note == null", "0-4 " MAY_MISS("note") },
        { "way.km", "0-3 " MAY_MISS("way") },
        { "pos.alt + 1", "0-7 " MAY_MISS("pos.alt") },
        { "more", "0-4 " MAY_MISS("more") },
        { "1 ?? note", "0-1 warning: '1' is never null or missing; what stands behind ?? is never "
                       "used\n5-9 " MAY_MISS("note") },
        { "note ?? ''", "" },
        { "way.km ?? 0", "" },
        { "(way).km ?? 0", "" },
        { "note is null", "" },
        { "has(note, pos.alt)", "" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(a_condition_makes_what_it_guards_safe)
{
    static const struct message_case cases[] = {
        { "note is not null and upper(note) == 'X'", "" },
        { "has(note) and upper(note) == 'X'", "" },
        { "note is null or upper(note) == 'X'", "" },
        { "not (note is null) and upper(note) == 'X'", "" },
        { "if note is not null then upper(note) else ''", "" },
        { "if note is null then '' else upper(note)", "" },
        { "if has(way.km) then way.km + 1 else 0", "" },
        { "id > 1 and (way.km is not null and way.km > 1)", "" },
        { "note is not null or upper(note) == 'X'", "26-30 " MAY_MISS("note") },
        { "if note is null then upper(note) else ''", "27-31 " MAY_MISS("note") },
        { "(note is not null and true) == (note > 'a')", "32-36 " MAY_MISS("note") },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(a_fallback_that_is_never_used_is_a_warning)
{
    static const struct message_case cases[] = {
        { "id ?? 1", "0-2 warning: 'id' is never null or missing; what stands behind ?? is never "
                     "used" },
        { "pos.lat ?? 1.0",
          "0-7 warning: 'pos.lat' is never null or missing; what stands behind ?? "
          "is never used" },
        { "tags[0] ?? ''", "" },
        { "raw ?? 1", "" },
        { "$value ?? {}", "" },
        { "note is not null and (note ?? '') == ''",
          "22-26 warning: 'note' is never null or missing; what stands behind ?? is never used" },
    };
    CHECK_MESSAGES(cases);
}
END_TEST

START_TEST(a_condition_tells_of_the_values_that_pass)
{
    static const char *const cases[][2] = {
        { "a is not null", "{a: text, b: {c: int?}?}" },
        { "a != null", "{a: text, b: {c: int?}?}" },
        { "a", "{a: text, b: {c: int?}?}" },
        { "has(a)", "{a: text+null, b: {c: int?}?}" },
        { "b.c is not null", "{a: text?, b: {c: int}}" },
        { "a is not null and b is not null", "{a: text, b: {c: int?}}" },
        { "not (a is null or b is null)", "{a: text, b: {c: int?}}" },
        { "a is null", "{a: text?, b: {c: int?}?}" },
        { "a is not null or b is not null", "{a: text?, b: {c: int?}?}" },
        { "length(a ?? '') > 1", "{a: text?, b: {c: int?}?}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const weir_type *where = NULL;
        judge("{a: text?, b: {c: int?}?}", cases[i][0], &where);
        ck_assert_msg(strcmp(type_text(where), cases[i][1]) == 0, "%s: %s", cases[i][0],
                      type_text(where));
    }
}
END_TEST

/* Faults of a map or list that YAML has built come with the part they stand in. */
START_TEST(parts_are_judged_each_by_itself)
{
    static const char *const texts[] = { "id", "dealy" };
    static const char *const keys[] = { "a", "b" };
    static const size_t lens[] = { 1, 1 };
    const struct expr_judge judge = { .env = &fixture.env, .room = &types.room, .report = report };
    weir_expression *parts[2];
    for (int i = 0; i < 2; i++) {
        parts[i] = fixture_compile(texts[i]);
        expr_set_origin(parts[i], &fixture);
    }
    weir_expression *map = expr_compile_map(&fixture.env, keys, lens, parts, 2);
    CHECK_TYPE(expr_judge(&judge, map, type_named(row), NULL), "{a: int, b: any}");
    ck_assert_str_eq(fixture.messages, "0-5 field 'dealy' " NOT_DECLARED "; did you mean 'delay'?");
    weir_expression *list = expr_compile_list(&fixture.env, parts, 1);
    CHECK_TYPE(expr_judge(&judge, list, type_named(row), NULL), "[int]");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("checker_type");
    TCase *tests = tcase_create("checker_type");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, results_have_types);
    tcase_add_test(tests, fields_that_are_not_declared_are_reported);
    tcase_add_test(tests, kinds_that_cannot_fit_say_who_declares_them);
    tcase_add_test(tests, a_plain_read_of_what_may_be_missing_is_a_warning);
    tcase_add_test(tests, a_condition_makes_what_it_guards_safe);
    tcase_add_test(tests, a_fallback_that_is_never_used_is_a_warning);
    tcase_add_test(tests, a_condition_tells_of_the_values_that_pass);
    tcase_add_test(tests, parts_are_judged_each_by_itself);
    suite_add_tcase(made, tests);
    return made;
}
