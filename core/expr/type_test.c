/* SPDX-License-Identifier: MIT */
/* Types: their text, and what joining, writing and narrowing make of them. */
#include "expr/expr_fixture.h"
#include "expr/type_fixture.h"

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

START_TEST(a_type_is_read_from_its_text)
{
    static const char *const texts[][2] = {
        { "any", "any" },
        { " int ", "int" },
        { "number", "int or float" },
        { "text?", "text?" },
        { "[text]", "[text]" },
        { "[ [int?] ]?", "[[int?]]?" },
        { "list", "list" },
        { "map", "map" },
        { "{}", "{}" },
        { "{a: bool, b_2: bytes?}", "{a: bool, b_2: bytes?}" },
        { "{'a b': timestamp, \"c\": {d: float}}", "{a b: timestamp, c: {d: float}}" },
        { "{a: int, a: text}", "{a: text}" },
        { "{t\xc3\xa9: int}", "{t\xc3\xa9: int}" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        CHECK_TYPE(type_named(texts[i][0]), texts[i][1]);
    }
}
END_TEST

START_TEST(what_is_no_type_has_a_place)
{
    static const struct {
        const char *text;
        size_t from;
        size_t to;
        const char *part;
    } cases[] = {
        { "itn", 0, 3, "unknown type 'itn'; did you mean 'int'?" },
        { "varchar", 0, 7, "unknown type 'varchar'; the types are any bool int" },
        { "", 0, 0, "a type is expected here" },
        { "?", 0, 1, "a type is expected here" },
        { "int??", 4, 5, "nothing is expected behind the type" },
        { "[int", 4, 4, "']' is expected" },
        { "[int, text]", 4, 5, "one type for all its items" },
        { "[]", 1, 2, "a type is expected here" },
        { "{a int}", 3, 4, "':' and a type are expected" },
        { "{a: int b: int}", 8, 9, "',' or '}' is expected" },
        { "{: int}", 1, 2, "the name of a field" },
        { "{'a: int}", 9, 9, "the name of a field" },
        { "{a: [intt]}", 5, 9, "did you mean 'int'?" },
        { "{a: ", 4, 4, "a type is expected here" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct type_fault fault;
        const char *text = cases[i].text;
        ck_assert_msg(type_parse(&types.room, text, strlen(text), NULL, "", &fault) == NULL, "%s",
                      text);
        ck_assert_msg(strstr(fault.message, cases[i].part) != NULL, "%s: %s", text, fault.message);
        ck_assert_msg(fault.from == cases[i].from && fault.to == cases[i].to, "%s: %zu-%zu", text,
                      fault.from, fault.to);
    }
}
END_TEST

START_TEST(a_type_is_not_nested_without_end)
{
    char text[1000];
    struct type_fault fault;
    memset(text, '[', sizeof text);
    ck_assert_ptr_null(type_parse(&types.room, text, sizeof text, NULL, "", &fault));
    ck_assert_str_eq(fault.message, "this type is nested too deep");
    const weir_type *type = type_named("int");
    for (int i = 0; i < 1000; i++) {
        type = type_list(&types.room, type);
        ck_assert_uint_le(type->depth, TYPE_MAX_DEPTH);
    }
}
END_TEST

START_TEST(one_of_two_types_is_what_both_allow)
{
    static const char *const cases[][3] = {
        { "int", "int", "int" },
        { "int", "text", "int or text" },
        { "int?", "int", "int?" },
        { "any", "int", "any" },
        { "[int]", "[text]", "[int or text]" },
        { "[int]", "list", "list" },
        { "[int]", "[int]?", "[int]?" },
        { "{a: int, b: int}", "{b: text, c: int}", "{a: int?, b: int or text, c: int?}" },
        { "{a: int}", "map", "map" },
        { "{a: {b: int}}", "{a: {b: int, c: int}}", "{a: {b: int, c: int?}}" },
        { "{a: int}", "{a: int}?", "{a: int}?" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const weir_type *a = type_named(cases[i][0]);
        const weir_type *b = type_named(cases[i][1]);
        CHECK_TYPE(type_join(&types.room, a, b), cases[i][2]);
    }
}
END_TEST

/* Two graphs of shared types whose trees would be astronomically large. */
START_TEST(joining_ends)
{
    const weir_type *sides[2] = { type_named("int"), type_named("text") };
    for (int i = 0; i < 60; i++) {
        for (int side = 0; side < 2; side++) {
            const struct type_member members[] = { { "a", 1, sides[side] },
                                                   { "b", 1, sides[side] } };
            sides[side] = type_map(&types.room, members, 2, NULL, "");
        }
    }
    (void)type_join(&types.room, sides[0], sides[1]);
    CHECK_TYPE(type_join(&types.room, type_named("int"), type_named("text")), "any");
}
END_TEST

START_TEST(writing_changes_the_place_alone)
{
    static const char *const cases[][4] = {
        { "{a: int, b: int}", "a", "text", "{a: text, b: int}" },
        { "{a: int}", "b", "text?", "{a: int, b: text?}" },
        { "{a: int}", "$value", "text", "text" },
        { "any", "b", "text", "{b: text, ...}" },
        { "{a: int}", "m.x", "text", "{a: int, m: {x: text}}" },
        { "{m: {x: int, y: int}}", "m.x", "text", "{m: {x: text, y: int}}" },
        { "{m: {x: int, y: int}?}", "m.x", "text", "{m: {x: text, y: int?}}" },
        { "{m: any}", "m.x", "text", "{m: {x: text, ...}}" },
        { "{l: [int]}", "l[0]", "text", "{l: [int or text]}" },
        { "{l: list}", "l[-1].x", "text", "{l: [any]}" },
        { "{}", "$value[\"a b\"]", "int", "{a b: int}" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        weir_target *target =
            target_compile(&fixture.env, cases[i][1], strlen(cases[i][1]), &fixture_reporter);
        ck_assert_ptr_nonnull(target);
        const weir_type *value = type_named(cases[i][0]);
        CHECK_TYPE(type_with(&types.room, value, target, type_named(cases[i][2])), cases[i][3]);
        CHECK_TYPE(value, type_text(type_named(cases[i][0])));
    }
}
END_TEST

START_TEST(without_budget_or_memory_all_is_any)
{
    weir_target *target = target_compile(&fixture.env, "b", 1, &fixture_reporter);
    const weir_type *value = type_named("{a: int}");
    const struct type_path path = { (const char *const[]){ "a" }, (const uint32_t[]){ 1 }, 1 };
    const weir_type *optional = type_named("{a: int?}");
    for (uint32_t budget = 0; budget < 8; budget++) {
        types.room.budget = budget;
        const weir_type *made = type_with(&types.room, value, target, value);
        ck_assert(made == &type_any || strcmp(type_text(made), "{a: int, b: {a: int}}") == 0);
        types.room.budget = budget;
        made = type_narrow(&types.room, optional, &path, true);
        ck_assert(made == optional || strcmp(type_text(made), "{a: int}") == 0 ||
                  strcmp(type_text(made), "{a: any}") == 0);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("type");
    TCase *tests = tcase_create("type");
    tcase_add_checked_fixture(tests, set_up, tear_down);
    tcase_add_test(tests, a_type_is_read_from_its_text);
    tcase_add_test(tests, what_is_no_type_has_a_place);
    tcase_add_test(tests, a_type_is_not_nested_without_end);
    tcase_add_test(tests, one_of_two_types_is_what_both_allow);
    tcase_add_test(tests, joining_ends);
    tcase_add_test(tests, writing_changes_the_place_alone);
    tcase_add_test(tests, without_budget_or_memory_all_is_any);
    suite_add_tcase(made, tests);
    return made;
}
