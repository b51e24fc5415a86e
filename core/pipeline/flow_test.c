/* SPDX-License-Identifier: MIT */
/*
 * Types on their way through a file, with operators that say what they make of them and with ones that
 * do not.
 */
#include "base/buffer.h"
#include "pipeline/pipeline_fixture.h"

/* ---- operators ----------------------------------------------------------------------------------- */

struct put_config {
    weir_option_map fields;
};
static const weir_option put_element = { .name = "expression",
                                         .type = WEIR_OPTION_EXPRESSION,
                                         .summary = "What to write" };
static const weir_option put_options[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .key_type = WEIR_OPTION_TARGET,
      .element = &put_element,
      .offset = offsetof(struct put_config, fields),
      .summary = "Where to" },
    WEIR_OPTIONS_END,
};

static const weir_type *put_types(const void *data, const weir_types *types, const weir_type *in)
{
    const struct put_config *config = data;
    for (uint64_t i = 0; i < config->fields.count; i++) {
        const weir_option_pair *pair = &config->fields.items[i];
        in = types->with(types, in, pair->key.target, types->of(types, in, pair->value.expression));
    }
    return in;
}

static const weir_type *where_types(const void *data, const weir_types *types, const weir_type *in)
{
    const struct where_config *config = data;
    return types->where(types, in, config->where);
}

static const weir_type *each_types(const void *data, const weir_types *types, const weir_type *in)
{
    const struct where_config *config = data;
    return types->items(types, types->of(types, in, config->where));
}

static const weir_type *list_types(const void *data, const weir_types *types, const weir_type *in)
{
    const struct where_config *config = data;
    return types->items(types, types->want(types, in, config->where, "list"));
}

static const weir_type *fixed_types(const void *data, const weir_types *types, const weir_type *in)
{
    (void)data, (void)in;
    return types->named(types, "{size: int, unit: text?}");
}

/* What no host should trip over. */
static const weir_type *odd_types(const void *data, const weir_types *types, const weir_type *in)
{
    (void)data, (void)in;
    (void)types->of(types, in, NULL);
    (void)types->where(types, in, NULL);
    (void)types->want(types, in, NULL, "list");
    (void)types->with(types, in, NULL, in);
    (void)types->named(types, "no such type");
    return NULL;
}

#define OPERATOR(NAME, OPTIONS, CONFIG, TYPES)                                                     \
 {                                                                                                 \
  .struct_size = sizeof(weir_factory), .kind = WEIR_KIND_OPERATOR, .name = NAME,                   \
  .summary = "For types", .options = OPTIONS, .config_size = CONFIG, .vtable = &operator_vtable,   \
  .types = TYPES                                                                                   \
 }
static const weir_factory put = OPERATOR("put", put_options, sizeof(struct put_config), put_types);
static const weir_factory where =
    OPERATOR("where", where_options, sizeof(struct where_config), where_types);
static const weir_factory each =
    OPERATOR("each", where_options, sizeof(struct where_config), each_types);
static const weir_factory lists =
    OPERATOR("lists", where_options, sizeof(struct where_config), list_types);
static const weir_factory fixed = OPERATOR("fixed", NULL, 0, fixed_types);
static const weir_factory odd = OPERATOR("odd", NULL, 0, odd_types);
static const weir_factory silent = OPERATOR("silent", put_options, sizeof(struct put_config), NULL);
static const weir_factory keyed_sink = { .struct_size = sizeof keyed_sink,
                                         .kind = WEIR_KIND_SINK,
                                         .name = "keyed",
                                         .summary = "Has an expression",
                                         .options = where_options,
                                         .config_size = sizeof(struct where_config),
                                         .vtable = &sink_vtable };
static const weir_factory *const typed_factories[] = { &put, &where,  &lists,      &each, &fixed,
                                                       &odd, &silent, &keyed_sink, NULL };
static const weir_plugin_entry typed_entry = FIXTURE_ENTRY("org.example.typed", typed_factories);

static void set_up(void)
{
    struct error error = { 0 };
    fixture_set_up();
    ck_assert_msg(registry_add(&fixture.registry, &typed_entry, "typed.so", &error) == WEIR_OK,
                  "%s", error.message);
}

/* ---- files --------------------------------------------------------------------------------------- */

/* Lines 1 to 6; streams begin at line 7. */
#define HEAD                                                                                       \
 "pipeline: p\n"                                                                                   \
 "topics:\n"                                                                                       \
 "  t: {fields: {id: int, name: text, note: text?, l: [{k: int}], m: {x: float}}}\n"               \
 "  s: {fields: {id: text, name: text, extra: int}}\n"                                             \
 "  u:\n"                                                                                          \
 "streams:\n"
#define END ", to: print}\n"

static const struct {
    const char *streams;
    uint32_t line;
    uint32_t column;
    const char *part;
} faults[] = {
    { "  a: {from: {topic: t}, steps: [where: nmae == '']" END, 7, 40,
      "field 'nmae' is not declared in topic 't'; did you mean 'name'?" },
    { "  a: {from: {topic: t}, steps: [where: name > 5]" END, 7, 40,
      "cannot compare text > int: 'name' is text in topic 't'" },
    /* what steps make */
    { "  a: {from: {topic: t}, steps: [put: {n: id + 1}, where: n == '' or n + 'x']" END, 7, 69,
      "cannot compute int + text: 'n' is int, made by streams.a.steps[0] (put)" },
    { "  a: {from: {topic: t}, steps: [put: {n: id, o: n + 'x'}]" END, 7, 49,
      "cannot compute int + text: 'n' is int, made by streams.a.steps[0] (put)" },
    { "  a: {from: {topic: t}, steps: [put: {p: {q: {r: nmae}}}]" END, 7, 50, "field 'nmae'" },
    { "  a: {from: {topic: t}, steps: [put: {p: {q: 1}}, where: p.r == 1]" END, 7, 60,
      "field 'p.r' is not in the map that is written there" },
    { "  a: {from: {topic: t}, steps: [fixed, where: sze > 1]" END, 7, 47,
      "field 'sze' is not made by streams.a.steps[0] (fixed); did you mean 'size'?" },
    { "  a: {from: {topic: t}, steps: [each: l, where: kk == 1]" END, 7, 49,
      "field 'kk' is not declared in topic 't'; did you mean 'k'?" },
    { "  a: {from: {topic: u}, steps: [put: {n: 1}, where: free + n + 'x']" END, 7, 53,
      "cannot compute" },
    /* streams */
    { "  b: {from: a, steps: [where: nn == 1]" END
      "  a: {from: {topic: t}, steps: [put: {n: 1}]" END,
      7, 31, "field 'nn' is not declared in topic 't'; did you mean 'n'?" },
    { "  a: {from: {topic: t}}\n  b: {from: {topic: s}}\n"
      "  c: {from: [a, b], steps: [where: nmae == 1]" END,
      9, 36, "field 'nmae' is known to none of the sides that meet here; did you mean 'name'?" },
    { "  a: {from: {topic: t}}\n  b: {from: {topic: s}}\n"
      "  c: {from: [a, b], steps: [where: id == 1 and name > 1]" END,
      9, 48, "cannot compare text > int" },
    /* other expressions */
    { "  a: {from: {topic: t}, to: {topic: u, key: nmae}}\n", 7, 45, "field 'nmae'" },
    { "  a: {from: {topic: t}, to: {keyed: nmae}}\n", 7, 37, "field 'nmae'" },
    { "  a: {from: {topic: t}, steps: [filter: nmae == 1]" END, 7, 41, "field 'nmae'" },
    /* what a step wants */
    { "  a: {from: {topic: t}, steps: [lists: name]" END, 7, 40,
      "operator 'lists' takes list, not text: 'name' is text in topic 't'" },
    { "  a: {from: {topic: t}, steps: [lists: id + 1]" END, 7, 40,
      "operator 'lists' takes list, not int" },
    { "  a: {from: {topic: t}, steps: [lists: l, where: k + 'x']" END, 7, 50,
      "cannot compute int + text" },
    { "  a: {from: {topic: t}, steps: [silent: {x: 1, y: nmae}]" END, 7, 51, "field 'nmae'" },
};

START_TEST(what_cannot_fit_has_a_place)
{
    char *text = arena_printf(&fixture.arena, HEAD "%s", faults[_i].streams);
    fixture_load(text);
    size_t errors = 0;
    for (size_t i = 0; i < fixture.diagnostics.count; i++) {
        if (fixture.diagnostics.list[i].severity == SEVERITY_ERROR) {
            fixture_expect(i, SEVERITY_ERROR, faults[_i].line, faults[_i].column, faults[_i].part);
            errors++;
        }
    }
    ck_assert_uint_eq(errors, 1);
}
END_TEST

static const char *const right[] = {
    "  a: {from: {topic: t}, steps: [where: note is not null, put: {n: upper(note)}]" END,
    "  a: {from: {topic: t}, steps: [where: has(note), put: {n: upper(note)}]" END,
    "  a: {from: {topic: t}, steps: [put: {note: name}, put: {n: upper(note)}]" END,
    "  a: {from: {topic: t}, steps: [pass, where: anything > 5]" END,
    "  a: {from: {topic: u}, steps: [lists: anything, where: free > 5]" END,
    "  a: {from: {topic: t}, steps: [lists: 'if id > 1 then l else name']" END,
    "  a: {from: {topic: t}, steps: [lists: l, where: k > 5]" END,
    "  a: {from: {topic: t}, steps: [odd, where: anything > 5]" END,
    "  a: {from: {topic: t}, steps: [filter: id, where: anything > 5]" END,
    "  a: {from: {topic: t}, steps: [put: {$value: raw.x ?? 1}]" END,
    "  a: {from: {topic: u}, steps: [where: anything > 5, put: {x: other}]" END,
    "  a: {from: {file: x}, steps: [where: anything > 5]" END,
    "  a: {from: {topic: t}}\n  b: {from: {topic: u}}\n"
    "  c: {from: [a, b], steps: [where: anything > 1 and id > 1]" END,
};

/* Unused topics and streams are warnings of others. */
START_TEST(what_may_fit_passes)
{
    fixture_load(arena_printf(&fixture.arena, HEAD "%s", right[_i]));
    for (size_t i = 0; i < fixture.diagnostics.count; i++) {
        const char *message = fixture.diagnostics.list[i].message;
        bool is_raw = strstr(right[_i], "raw.x") != NULL && strstr(message, "'raw.x'") == NULL;
        ck_assert_msg(strstr(message, "used") != NULL || strstr(message, "reads") != NULL || is_raw,
                      "%s", message);
    }
}
END_TEST

START_TEST(a_plain_read_of_an_optional_field_is_a_warning)
{
    fixture_load(HEAD "  a: {from: {topic: t}, steps: [put: {n: upper(note)}]" END
                      "  b: {from: {topic: s}" END "  c: {from: {topic: u}" END);
    ck_assert_uint_eq(fixture.diagnostics.error_count, 0);
    fixture_expect(fixture.diagnostics.count - 1, SEVERITY_WARNING, 7, 48,
                   "'note' may be missing or null in topic 't'; write 'note ?? ...'");
}
END_TEST

START_TEST(a_wrong_step_hides_no_fault_and_makes_none)
{
    fixture_load(HEAD "  a: {from: {topic: t}, steps: [where: nmae, nothing, where: free > 1]" END);
    ck_assert_uint_eq(fixture.diagnostics.error_count, 2);
    fixture_expect(0, SEVERITY_ERROR, 7, 40, "field 'nmae'");
}
END_TEST

START_TEST(an_event_time_must_be_a_time)
{
    fixture_load("pipeline: p\ntopics: {t: {event_time: ts, fields: {ts: [int]}}}\nstreams:\n"
                 "  a: {from: {topic: t}" END);
    fixture_expect(
        0, SEVERITY_ERROR, 2, 26,
        "'event_time' takes int, text or timestamp, not list: 'ts' is list in topic 't'");
    ck_assert_uint_eq(fixture.diagnostics.error_count, 1);
}
END_TEST

START_TEST(an_event_time_is_judged_by_its_topic)
{
    fixture_load("pipeline: p\ntopics: {t: {event_time: st, fields: {ts: int}}}\nstreams:\n"
                 "  a: {from: {topic: t}" END);
    fixture_expect(0, SEVERITY_ERROR, 2, 26, "field 'st' is not declared in topic 't'");
    ck_assert_uint_eq(fixture.diagnostics.error_count, 1);
}
END_TEST

/* The loop itself is reported; nothing is known on it. */
START_TEST(a_loop_of_streams_ends)
{
    fixture_load(HEAD "  a: {from: b, steps: [where: free > 1]}\n"
                      "  b: {from: [a, c], steps: [put: {x: 1}]}\n"
                      "  c: {from: c, steps: [put: {x: 1 + y}]" END);
    for (size_t i = 0; i < fixture.diagnostics.count; i++) {
        ck_assert_ptr_null(strstr(fixture.diagnostics.list[i].message, "field"));
    }
}
END_TEST

/* Each stream reads the one behind it in the file: as deep as there are streams. */
START_TEST(long_chains_are_followed)
{
    enum { STREAMS = 5000 };
    weir_buffer text;
    buffer_init(&text, 1 << 20);
    buffer_printf(&text, "%s", HEAD);
    for (int i = 0; i < STREAMS; i++) {
        buffer_printf(&text, "  s%d: {from: s%d}\n", i, i + 1);
    }
    buffer_printf(&text, "  s%d: {from: {topic: t}}\n  z: {from: s0, steps: [where: nmae]" END,
                  STREAMS);
    fixture_load(buffer_c_string(&text));
    buffer_deinit(&text);
    ck_assert_uint_eq(fixture.diagnostics.error_count, 1);
}
END_TEST

static const struct {
    const char *fields;
    uint32_t column;
    const char *part;
} types[] = {
    { "[int]", 22, "'fields' is a map of names to types" },
    { "int", 22, "'fields' is a map of names to types" },
    { "{a: itn}", 26, "unknown type 'itn'; did you mean 'int'?" },
    { "{a: }", 25, "the type is missing here" },
    { "{a: [int, text]}", 26, "the type of a list names the type of its items" },
    { "{a: []}", 26, "the type of a list names the type of its items" },
    { "{a: {b: [txt]}}", 31, "unknown type 'txt'; did you mean 'text'?" },
    { "{a: '[itn]?'}", 28, "unknown type 'itn'" },
    { "{a: int, b: integer}", 34, "unknown type 'integer'" },
};

START_TEST(a_wrong_type_has_a_place)
{
    fixture_expect_only(arena_printf(&fixture.arena,
                                     "pipeline: p\ntopics: {t: {fields: %s}}\nstreams:\n"
                                     "  a: {from: {topic: t}, steps: [where: a]" END,
                                     types[_i].fields),
                        SEVERITY_ERROR, 2, types[_i].column, types[_i].part);
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("flow");
    tcase_add_checked_fixture(cases, set_up, fixture_tear_down);
    tcase_add_loop_test(cases, what_cannot_fit_has_a_place, 0, sizeof faults / sizeof faults[0]);
    tcase_add_loop_test(cases, what_may_fit_passes, 0, sizeof right / sizeof right[0]);
    tcase_add_test(cases, a_plain_read_of_an_optional_field_is_a_warning);
    tcase_add_test(cases, a_wrong_step_hides_no_fault_and_makes_none);
    tcase_add_test(cases, an_event_time_is_judged_by_its_topic);
    tcase_add_test(cases, an_event_time_must_be_a_time);
    tcase_add_test(cases, a_loop_of_streams_ends);
    tcase_add_test(cases, long_chains_are_followed);
    tcase_add_loop_test(cases, a_wrong_type_has_a_place, 0, sizeof types / sizeof types[0]);
    Suite *made = suite_create("flow");
    suite_add_tcase(made, cases);
    return made;
}
