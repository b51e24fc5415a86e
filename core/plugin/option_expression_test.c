/* SPDX-License-Identifier: MIT */
/* Expressions, targets and projections in a document, compiled by the real compiler. */

#include "base/memory.h"
#include "plugin/option_fixture.h"
#include "plugin/option_reader.h"

static const weir_option expression_element = { .type = WEIR_OPTION_EXPRESSION };

static const weir_option filter_table[] = {
    { .name = "where",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .summary = "The condition" },
    { .name = "limit", .type = WEIR_OPTION_INT, .offset = 8, .summary = "x" },
    WEIR_OPTIONS_END,
};

static const weir_option set_table[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .key_type = WEIR_OPTION_TARGET,
      .element = &expression_element,
      .summary = "The fields" },
    WEIR_OPTIONS_END,
};

static const weir_option select_table[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATHS,
      .key_type = WEIR_OPTION_TARGET,
      .element = &expression_element,
      .summary = "The fields" },
    WEIR_OPTIONS_END,
};

struct filter_config {
    const weir_expression *where;
    int64_t limit;
};

static const struct place nowhere;

static bool fill_filter(const struct node *body, struct filter_config *config)
{
    memset(config, 0, sizeof *config);
    return options_fill(&scope, "operator 'filter'", nowhere, filter_table, body, config);
}

static bool fill_map(const weir_option *table, const struct node *body, weir_option_map *map)
{
    memset(map, 0, sizeof *map);
    return options_fill(&scope, "operator", nowhere, table, body, map);
}

static const weir_value *constant_of(const char *text)
{
    const weir_expression *expression = option_read_expression(&scope, plain(text));
    ck_assert_ptr_nonnull(expression);
    return expr_constant(expression);
}

static const char *target_text(const weir_option_map *map, size_t i)
{
    return map->items[i].key.target->text.data;
}

/* ---- scalars ---------------------------------------------------------------------------------- */

START_TEST(compiles_the_text_whatever_yaml_thinks_of_it)
{
    ck_assert_uint_eq(constant_of("5")->tag, WEIR_INT);
    ck_assert_uint_eq(constant_of("true")->tag, WEIR_BOOL);
    ck_assert_uint_eq(constant_of("null")->tag, WEIR_NULL);
    ck_assert_uint_eq(constant_of("'5'")->tag, WEIR_TEXT);
    ck_assert_int_eq(constant_of("2 + 3 * 4")->as.i64, 14);
    expect_silence();
}
END_TEST

START_TEST(points_into_the_expression)
{
    set_source("filter: delay > > 15");
    ck_assert_ptr_null(option_read_expression(&scope, plain("delay > > 15")));
    ck_assert_uint_ge(diagnostics.count, 1);
    ck_assert_uint_eq(diagnostics.list[0].place.offset, strlen("filter: delay > "));
}
END_TEST

START_TEST(points_into_a_quoted_scalar_with_escapes)
{
    /* "\u0061 > > 1": six bytes of the file are one of the text. */
    static const uint32_t offsets[] = { 9, 15, 16, 17, 18, 19, 20, 21 };
    set_source("filter: \"\\u0061 > > 1\"");
    struct node scalar = *quoted("a > > 1");
    scalar.offsets = offsets;
    ck_assert_ptr_null(option_read_expression(&scope, &scalar));
    ck_assert_uint_eq(diagnostics.list[0].place.offset, 18);
    ck_assert_uint_eq(diagnostics.list[0].place.length, 1);
}
END_TEST

static const struct {
    const char *text;
    const char *message;
} scalar_faults[] = {
    { "~", "there is no expression here; for the value null write null" },
    { "${HOST}", "an expression holds no ${...}; write env(\"HOST\")" },
    { "a + ${PRICE:-1}", "an expression holds no ${...}; write env(\"PRICE\", \"1\")" },
    { "${PRICE:-}", "an expression holds no ${...}; write env(\"PRICE\", \"\")" },
    { "${PRICE:-1", "an expression holds no ${...}; write env(\"PRICE\")" },
    { "${}", "an expression holds no ${...}; write env(\"VAR\")" },
    { "$${HOST}", "an expression holds no ${...}; write env(\"HOST\")" },
};

START_TEST(refuses_what_is_no_expression)
{
    ck_assert_ptr_null(option_read_expression(&scope, plain(scalar_faults[_i].text)));
    expect_only(scalar_faults[_i].message);
}
END_TEST

START_TEST(refuses_an_empty_value)
{
    ck_assert_ptr_null(option_read_expression(&scope, blank()));
    expect_only("there is no expression here; for the value null write null");
}
END_TEST

START_TEST(points_at_a_variable)
{
    set_source("filter: a > ${X} + 1");
    ck_assert_ptr_null(option_read_expression(&scope, plain("a > ${X} + 1")));
    ck_assert_uint_eq(diagnostics.list[0].place.offset, 12);
    ck_assert_uint_eq(diagnostics.list[0].place.length, 4);
}
END_TEST

START_TEST(warns_of_a_quoted_word)
{
    ck_assert_ptr_nonnull(option_read_expression(&scope, quoted("late")));
    expect_only("this is the field 'late': YAML takes the quotes away; for the text write "
                "\"'late'\", for the field leave them out");
    ck_assert_int_eq(diagnostics.list[0].severity, SEVERITY_WARNING);
}
END_TEST

static const char *const unsuspicious[] = { "true", "late > 1", "'late'", "a.b", "5" };

START_TEST(does_not_warn_of_other_quoted_expressions)
{
    ck_assert_ptr_nonnull(option_read_expression(&scope, quoted(unsuspicious[_i])));
    expect_silence();
}
END_TEST

/* ---- maps and lists --------------------------------------------------------------------------- */

START_TEST(builds_maps_and_lists_from_their_members)
{
    const struct node *node = map_of(2, "a b", plain("1 + 1"), "l",
                                     list_of(2, plain("null"), map_of(1, "x", plain("'y'"))));
    const weir_expression *expression = option_read_expression(&scope, node);
    expect_silence();
    const weir_value *value = expr_constant(expression);
    ck_assert_ptr_nonnull(value);
    ck_assert_uint_eq(value->tag, WEIR_MAP);
    ck_assert_uint_eq(value->len, 2);
    ck_assert_mem_eq(value->as.members[0].key, "a b", 3);
    ck_assert_int_eq(value->as.members[0].value.as.i64, 2);
    ck_assert_uint_eq(value->as.members[1].value.tag, WEIR_LIST);
    ck_assert_uint_eq(value->as.members[1].value.as.items[1].tag, WEIR_MAP);
}
END_TEST

START_TEST(reports_the_faults_of_all_members)
{
    const struct node *node = list_of(3, plain("1 +"), plain("a"), plain("${X}"));
    ck_assert_ptr_null(option_read_expression(&scope, node));
    ck_assert_uint_eq(diagnostics.count, 2);
}
END_TEST

START_TEST(bounds_the_depth_of_nested_members)
{
    const struct node *node = plain("1");
    for (int i = 0; i < 300; i++) {
        node = list_of(1, node);
    }
    ck_assert_ptr_null(option_read_expression(&scope, node));
    expect_only("this is nested too deep for an expression");
}
END_TEST

START_TEST(finds_a_slip_in_the_long_form)
{
    struct filter_config config;
    ck_assert(!fill_filter(map_of(2, "where", plain("a > 1"), "limti", plain("3")), &config));
    expect_only("operator 'filter' has no option 'limti'; did you mean 'limit'?");
}
END_TEST

START_TEST(tells_a_map_body_from_the_long_form)
{
    struct filter_config config;
    ck_assert(fill_filter(map_of(2, "where", plain("a > 1"), "limit", plain("3")), &config));
    ck_assert_str_eq(expr_text(config.where).data, "a > 1");
    ck_assert_int_eq(config.limit, 3);
    ck_assert(fill_filter(map_of(2, "a", plain("1"), "b", plain("2")), &config));
    ck_assert_uint_eq(expr_constant(config.where)->tag, WEIR_MAP);
    ck_assert_uint_eq(expr_constant(config.where)->len, 2);
    expect_silence();
    ck_assert(!fill_filter(map_of(0), &config));
    expect_only("operator 'filter' needs the option 'where' (expression): The condition");
}
END_TEST

/* ---- traps ------------------------------------------------------------------------------------ */

START_TEST(explains_a_call_that_a_flow_map_cuts)
{
    weir_option_map map;
    set_source("set: {q: quantile(t, 0.99), r: 1}");
    ck_assert(!fill_map(
        set_table, map_of(3, "q", plain("quantile(t"), "0.99)", blank(), "r", plain("1")), &map));
    expect_only("inside { } and [ ] of YAML an expression ends at ','; write it on a line of its "
                "own, or put the whole of it in quotes");
    ck_assert_uint_eq(diagnostics.list[0].place.offset, strlen("set: {q: quantile(t"));
    ck_assert_uint_eq(diagnostics.list[0].place.length, 1);
}
END_TEST

START_TEST(explains_a_call_that_a_flow_list_cuts)
{
    weir_option_map map;
    set_source("select: [min(a, b), c]");
    ck_assert(!fill_map(select_table, list_of(3, plain("min(a"), plain("b)"), plain("c")), &map));
    ck_assert_uint_eq(diagnostics.count, 1);
    ck_assert_uint_eq(diagnostics.list[0].place.offset, strlen("select: [min(a"));
}
END_TEST

START_TEST(explains_a_cut_inside_a_built_value)
{
    set_source("x: [min(a, b), 1 +]");
    ck_assert_ptr_null(
        option_read_expression(&scope, list_of(3, plain("min(a"), plain("b)"), plain("1 +"))));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_ptr_nonnull(strstr(message_at(0), "an expression ends at ','"));
}
END_TEST

START_TEST(explains_a_comment_inside_a_text)
{
    set_source("filter: a == \"no #1\"");
    ck_assert_ptr_null(option_read_expression(&scope, plain("a == \"no")));
    expect_only("from ' #' on this is a comment of YAML; put the whole expression in quotes");
    ck_assert_uint_eq(diagnostics.list[0].place.offset, strlen("filter: a == \"no "));
}
END_TEST

START_TEST(goes_on_behind_a_comment)
{
    weir_option_map map;
    set_source("x: f(a #1)\ny: 1 +\n");
    ck_assert(!fill_map(set_table, map_of(2, "x", plain("f(a"), "y", plain("1 +")), &map));
    ck_assert_uint_eq(diagnostics.count, 2);
}
END_TEST

static const struct {
    const char *source;
    const char *text;
} uncut[] = {
    { "x: min(a", "min(a" },        /* wrong, but YAML has not cut it */
    { "x: {y: '(', z: 1}", "'('" }, /* balanced: the bracket stands in a text */
    { "x: a # why", "a" },
    { "x: {y: f(a), z: 1}", "f(a)" },
};

START_TEST(does_not_blame_yaml_for_other_faults)
{
    set_source(uncut[_i].source);
    ck_assert_int_eq(option_report_cut(&scope, plain(uncut[_i].text)), CUT_NONE);
    expect_silence();
}
END_TEST

/* ---- targets and projections ------------------------------------------------------------------ */

START_TEST(reads_targets_as_keys)
{
    weir_option_map map;
    ck_assert(fill_map(
        set_table, map_of(3, "a.b", plain("x"), "$value", plain("y"), "l[0]", plain("z")), &map));
    ck_assert_uint_eq(map.count, 3);
    const weir_target *first = map.items[0].key.target;
    ck_assert_uint_eq(first->step_count, 2);
    ck_assert_mem_eq(first->steps[1].name, "b", 1);
    ck_assert_uint_eq(first->steps[1].symbol, symbols_lookup(&symbols, "b", 1));
    ck_assert_uint_eq(map.items[1].key.target->step_count, 0);
    ck_assert_ptr_null(map.items[2].key.target->steps[1].name);
    ck_assert_str_eq(expr_text(map.items[2].value.expression).data, "z");
}
END_TEST

START_TEST(reports_targets_and_values_alike)
{
    weir_option_map map;
    ck_assert(!fill_map(set_table, map_of(3, "${X}", plain("x"), "a + b", plain("y"), "c", blank()),
                        &map));
    ck_assert_uint_ge(diagnostics.count, 3);
    ck_assert_str_eq(message_at(0), "the name of a field holds no ${...}; write the name itself");
    ck_assert_str_eq(message_at(diagnostics.count - 1),
                     "there is no expression here; for the value null write null");
}
END_TEST

START_TEST(reads_a_projection_as_a_list)
{
    weir_option_map map;
    ck_assert(fill_map(select_table,
                       list_of(3, plain("a"), plain("m.x[\"y z\"]"),
                               map_of(2, "s", plain("a + 1"), "t.u", plain("b"))),
                       &map));
    expect_silence();
    ck_assert_uint_eq(map.count, 4);
    ck_assert_str_eq(target_text(&map, 0), "a");
    ck_assert_uint_eq(map.items[1].key.target->step_count, 1);
    ck_assert_mem_eq(map.items[1].key.target->steps[0].name, "y z", 3);
    ck_assert_str_eq(target_text(&map, 2), "s");
    ck_assert_str_eq(expr_text(map.items[2].value.expression).data, "a + 1");
    ck_assert_str_eq(target_text(&map, 3), "t.u");
}
END_TEST

START_TEST(reads_a_projection_of_one_path_or_of_none)
{
    weir_option_map map;
    ck_assert(fill_map(select_table, plain("a.b"), &map));
    ck_assert_uint_eq(map.count, 1);
    ck_assert_mem_eq(map.items[0].key.target->steps[0].name, "b", 1);
    ck_assert(fill_map(select_table, list_of(0), &map));
    ck_assert_uint_eq(map.count, 0);
    ck_assert_ptr_nonnull(map.items);
    ck_assert(fill_map(select_table, map_of(1, "n", plain("old")), &map));
    ck_assert_str_eq(target_text(&map, 0), "n");
    expect_silence();
}
END_TEST

START_TEST(asks_for_a_name_where_there_is_no_path)
{
    weir_option_map map;
    ck_assert(!fill_map(select_table, list_of(2, plain("a + 1"), plain("l[0]")), &map));
    ck_assert_str_eq(message_at(0), "only a path has a name of its own; write {name: a + 1}");
    ck_assert_str_eq(message_at(1), "only a path has a name of its own; write {name: l[0]}");
}
END_TEST

START_TEST(refuses_equal_targets_however_written)
{
    weir_option_map map;
    set_source("select: [a.b, {b: x}, {c[\"d\"]: y, c.d: z}]");
    ck_assert(!fill_map(select_table,
                        list_of(3, plain("a.b"), map_of(1, "b", plain("x")),
                                map_of(2, "c[\"d\"]", plain("y"), "c.d", plain("z"))),
                        &map));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_str_eq(message_at(0),
                     "the field 'b' is written twice; give one of them another name");
    ck_assert_str_eq(message_at(1),
                     "the field 'c.d' is written twice; give one of them another name");
    ck_assert_uint_eq(diagnostics.list[1].place.offset,
                      strlen("select: [a.b, {b: x}, {c[\"d\"]: y, "));
}
END_TEST

START_TEST(lets_set_write_a_field_twice)
{
    weir_option_map map;
    ck_assert(fill_map(set_table, map_of(2, "a.b", plain("1"), "a[\"b\"]", plain("2")), &map));
    ck_assert_uint_eq(map.count, 2);
}
END_TEST

START_TEST(survives_every_failing_allocation)
{
    const struct node *body =
        list_of(3, plain("a"), plain("m.x"),
                map_of(2, "s", map_of(1, "k", plain("a + 1")), "t.u", list_of(1, plain("b"))));
    bool has_finished = false;
    for (size_t k = 1; k < 2000 && !has_finished; k++) {
        struct arena own;
        struct symbols names;
        struct diagnostics list;
        weir_option_map map = { 0 };
        arena_init(&own, 64);
        symbols_init(&names);
        diagnostics_init(&list, &own);
        struct expr_env poor_env = { .symbols = &names, .arena = &own, .get_env = test_env };
        struct options_scope poor = { &own, &list, &poor_env, "/pipes", NULL };
        memory_fail_from(k);
        has_finished = options_fill(&poor, "x", nowhere, select_table, body, &map);
        memory_fail_from(0);
        ck_assert(has_finished || list.is_out_of_memory || list.error_count > 0);
        diagnostics_deinit(&list);
        symbols_deinit(&names);
        arena_deinit(&own);
    }
    ck_assert(has_finished);
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof table[0]))

Suite *suite(void)
{
    Suite *s = suite_create("option_expression");
    TCase *tc = tcase_create("expressions");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, compiles_the_text_whatever_yaml_thinks_of_it);
    tcase_add_test(tc, points_into_the_expression);
    tcase_add_test(tc, points_into_a_quoted_scalar_with_escapes);
    tcase_add_loop_test(tc, refuses_what_is_no_expression, 0, COUNT(scalar_faults));
    tcase_add_test(tc, refuses_an_empty_value);
    tcase_add_test(tc, points_at_a_variable);
    tcase_add_test(tc, warns_of_a_quoted_word);
    tcase_add_loop_test(tc, does_not_warn_of_other_quoted_expressions, 0, COUNT(unsuspicious));
    tcase_add_test(tc, builds_maps_and_lists_from_their_members);
    tcase_add_test(tc, reports_the_faults_of_all_members);
    tcase_add_test(tc, bounds_the_depth_of_nested_members);
    tcase_add_test(tc, finds_a_slip_in_the_long_form);
    tcase_add_test(tc, tells_a_map_body_from_the_long_form);
    tcase_add_test(tc, explains_a_call_that_a_flow_map_cuts);
    tcase_add_test(tc, explains_a_call_that_a_flow_list_cuts);
    tcase_add_test(tc, explains_a_cut_inside_a_built_value);
    tcase_add_test(tc, explains_a_comment_inside_a_text);
    tcase_add_test(tc, goes_on_behind_a_comment);
    tcase_add_loop_test(tc, does_not_blame_yaml_for_other_faults, 0, COUNT(uncut));
    tcase_add_test(tc, reads_targets_as_keys);
    tcase_add_test(tc, reports_targets_and_values_alike);
    tcase_add_test(tc, reads_a_projection_as_a_list);
    tcase_add_test(tc, reads_a_projection_of_one_path_or_of_none);
    tcase_add_test(tc, asks_for_a_name_where_there_is_no_path);
    tcase_add_test(tc, refuses_equal_targets_however_written);
    tcase_add_test(tc, lets_set_write_a_field_twice);
    tcase_add_test(tc, survives_every_failing_allocation);
    suite_add_tcase(s, tc);
    return s;
}
