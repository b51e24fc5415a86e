/* SPDX-License-Identifier: MIT */
/*
 * The options of a plugin as a whole, from a body into its struct: names, defaults, what is required.
 * One test file beside each reader has the values; expressions: option_expression_test.c.
 */
#include "plugin/options.h"

#include "base/memory.h"
#include "plugin/option_sample.h"

START_TEST(has_a_right_table)
{
    struct error error = { 0 };
    weir_status st = option_table_check(table, sizeof config, &error);
    ck_assert_msg(st == WEIR_OK, "%s", error.message);
}
END_TEST

START_TEST(fills_defaults_and_leaves_the_rest_zero)
{
    ck_assert(fill(plain("x")));
    expect_silence();
    ck_assert_str_eq(config.path.data, "/pipes/x");
    ck_assert_int_eq(config.poll_ms, 250);
    ck_assert_int_eq(config.format, 1);
    ck_assert_int_eq(config.max_line, 16 << 20);
    ck_assert_ptr_null(config.token.data);
    ck_assert_ptr_null(config.columns.items);
    ck_assert_ptr_null(config.labels.items);
    ck_assert_ptr_null(config.retry);
    ck_assert_int_eq(config.limit, 0);
    ck_assert_ptr_null(config.start_ms);
}
END_TEST

START_TEST(refuses_an_option_without_a_value)
{
    ck_assert(!fill_one("poll", blank()));
    expect_only("option 'poll' has no value; give a value or remove the line");
}
END_TEST

START_TEST(reports_every_fault_at_its_place)
{
    set_source("file: {pol: 1, follow: maybe, limit: 0}");
    ck_assert(!fill(map_of(3, "pol", plain("1"), "follow", plain("maybe"), "limit", plain("0"))));
    ck_assert_uint_eq(diagnostics.count, 4);
    ck_assert_str_eq(message_at(0), "source 'file' has no option 'pol'; did you mean 'poll'?");
    ck_assert_uint_eq(diagnostics.list[0].place.offset, 7);
    ck_assert_uint_eq(diagnostics.list[0].place.length, 3);
    ck_assert_uint_eq(diagnostics.list[1].place.offset, 23);
    ck_assert_uint_eq(diagnostics.list[1].place.length, 5);
    ck_assert_str_eq(message_at(2), "option 'limit' must be at least 1, found '0'");
    ck_assert_str_eq(message_at(3), "source 'file' needs the option 'path' (text): About it");
    ck_assert_uint_eq(diagnostics.list[3].place.length, 6);
}
END_TEST

START_TEST(lists_the_options_where_none_is_near)
{
    static const weir_option few[] = {
        { .name = "low", .type = WEIR_OPTION_INT, .summary = "x" },
        { .name = "high", .type = WEIR_OPTION_INT, .offset = 8, .summary = "x" },
        WEIR_OPTIONS_END,
    };
    int64_t fields[2];
    const struct node *body = map_of(1, "elephant", plain("1"));
    struct place place = { 0 };
    ck_assert(!options_fill(&scope, "operator 'clamp'", place, few, body, fields));
    expect_only("operator 'clamp' has no option 'elephant'; it has 'low', 'high'");
}
END_TEST

START_TEST(takes_nothing_without_a_table)
{
    struct place place = { 0 };
    ck_assert(options_fill(&scope, "operator 'noop'", place, NULL, NULL, NULL));
    ck_assert(options_fill(&scope, "operator 'noop'", place, NULL, map_of(0), NULL));
    expect_silence();
    ck_assert(
        !options_fill(&scope, "operator 'noop'", place, NULL, map_of(1, "a", plain("1")), NULL));
    ck_assert_str_eq(message_at(0), "operator 'noop' has no option 'a'; it has none");
    ck_assert(!options_fill(&scope, "operator 'noop'", place, NULL, plain("1"), NULL));
    ck_assert_str_eq(message_at(1),
                     "operator 'noop' takes no options, found a value; write its name alone");
}
END_TEST

START_TEST(asks_for_what_is_required_where_only_the_name_stands)
{
    ck_assert(!fill(NULL));
    expect_only("source 'file' needs the option 'path' (text): About it");
}
END_TEST

START_TEST(refuses_a_name_with_nothing_behind_it)
{
    ck_assert(!fill(blank()));
    expect_only("source 'file' has nothing behind its ':'; give a value");
}
END_TEST

START_TEST(warns_of_a_deprecated_option)
{
    ck_assert(fill_one("old", plain("x")));
    expect_only("option 'old' is deprecated: About it");
    ck_assert_int_eq(diagnostics.list[0].severity, SEVERITY_WARNING);
    ck_assert_str_eq(config.old.data, "x");
}
END_TEST

START_TEST(survives_every_failing_allocation)
{
    const struct node *body =
        map_of(8, "path", plain("${HOST}/${TEN}"), "magic", plain("hex:0011"), "token",
               plain("abc"), "columns", list_of(2, plain("a"), plain("b")), "labels",
               map_of(1, "k", plain("v")), "retry", map_of(1, "count", plain("4")), "extra",
               map_of(1, "k", plain("v")), "nope", plain("1"));
    size_t failed = 0;
    for (size_t k = 1; k < 500; k++) {
        struct arena own;
        struct diagnostics list;
        arena_init(&own, 64);
        diagnostics_init(&list, &own);
        struct options_scope poor = { &own, &list, &env, "/pipes", NULL };
        memset(&config, 0, sizeof config);
        memory_fail_from(k);
        bool is_right = options_fill(&poor, "x", (struct place){ 0 }, table, body, &config);
        memory_fail_from(0);
        ck_assert(!is_right); /* there is an unknown option */
        failed += list.is_out_of_memory;
        diagnostics_deinit(&list);
        arena_deinit(&own);
    }
    ck_assert_uint_gt(failed, 5);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("options");
    TCase *tc = tcase_create("options");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, has_a_right_table);
    tcase_add_test(tc, fills_defaults_and_leaves_the_rest_zero);
    tcase_add_test(tc, refuses_an_option_without_a_value);
    tcase_add_test(tc, reports_every_fault_at_its_place);
    tcase_add_test(tc, lists_the_options_where_none_is_near);
    tcase_add_test(tc, takes_nothing_without_a_table);
    tcase_add_test(tc, asks_for_what_is_required_where_only_the_name_stands);
    tcase_add_test(tc, refuses_a_name_with_nothing_behind_it);
    tcase_add_test(tc, warns_of_a_deprecated_option);
    tcase_add_test(tc, survives_every_failing_allocation);
    suite_add_tcase(s, tc);
    return s;
}
