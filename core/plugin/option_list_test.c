/* SPDX-License-Identifier: MIT */
/* Options that hold several values: lists, maps, structs. */
#include "plugin/option_sample.h"

START_TEST(refuses_a_map_where_a_list_stands)
{
    ck_assert(!fill_one("columns", map_of(1, "a", plain("x"))));
    expect_only("option 'columns' expects a list, found a map");
}
END_TEST

START_TEST(takes_a_scalar_as_a_list_of_one)
{
    ck_assert(fill_one("columns", plain("a")));
    ck_assert_uint_eq(config.columns.count, 1);
    ck_assert_str_eq(config.columns.items[0].text.data, "a");
}
END_TEST

START_TEST(tells_an_empty_list_from_none)
{
    ck_assert(fill_one("columns", list_of(0)));
    ck_assert_uint_eq(config.columns.count, 0);
    ck_assert_ptr_nonnull(config.columns.items);
    ck_assert(fill_one("labels", map_of(0)));
    ck_assert_uint_eq(config.labels.count, 0);
    ck_assert_ptr_nonnull(config.labels.items);
}
END_TEST

START_TEST(judges_each_item_and_their_number)
{
    ck_assert(!fill_one("bounds", list_of(3, plain("10"), plain("1"), list_of(0))));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_str_eq(message_at(0),
                     "each item of option 'bounds' must be between 0 and 9, found '10'");
    ck_assert_str_eq(message_at(1),
                     "each item of option 'bounds' expects a whole number, found a list");
    ck_assert(!fill_one("bounds", list_of(0)));
    ck_assert_str_eq(message_at(2), "option 'bounds' takes 1 to 2 items, found 0");
    ck_assert(!fill_one("bounds", list_of(3, plain("1"), plain("1"), plain("1"))));
    ck_assert_str_eq(message_at(3), "option 'bounds' takes 1 to 2 items, found 3");
}
END_TEST

START_TEST(judges_each_value_of_a_map)
{
    ck_assert(!fill_one("labels", map_of(2, "a", list_of(0), "b", blank())));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_str_eq(message_at(0), "each value of option 'labels' expects a text, found a list");
    ck_assert_str_eq(message_at(1),
                     "option 'labels' has an entry without a value; give it one or remove it");
}
END_TEST

START_TEST(judges_the_options_of_a_struct)
{
    ck_assert(!fill_one("retry", map_of(1, "pause", plain("never"))));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_ptr_nonnull(strstr(message_at(0), "option 'pause' expects a duration"));
    ck_assert_str_eq(message_at(1), "option 'retry' needs the option 'count' (int): How often");
    ck_assert(!fill_one("retry", map_of(2, "count", plain("1"), "pauze", plain("1s"))));
    ck_assert_str_eq(message_at(2), "option 'retry' has no option 'pauze'; did you mean 'pause'?");
}
END_TEST

static const weir_option map_table[] = {
    { .name = "fields",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_BODY | WEIR_OPTION_REQUIRED,
      .key_type = WEIR_OPTION_TEXT,
      .element = &text_element,
      .summary = "x" },
    WEIR_OPTIONS_END,
};

static const weir_option list_table[] = {
    { .name = "columns",
      .type = WEIR_OPTION_LIST,
      .flags = WEIR_OPTION_BODY,
      .element = &text_element,
      .summary = "x" },
    WEIR_OPTIONS_END,
};

START_TEST(takes_a_map_as_the_body_that_is_one)
{
    weir_option_map fields = { 0 };
    struct place place = { 0 };
    const struct node *body = map_of(1, "fields", plain("v"));
    ck_assert(options_fill(&scope, "x", place, map_table, body, &fields));
    ck_assert_uint_eq(fields.count, 1);
    ck_assert_str_eq(fields.items[0].key.text.data, "fields");
}
END_TEST

START_TEST(takes_a_list_as_the_body_and_a_map_as_the_long_form)
{
    weir_option_list columns = { 0 };
    struct place place = { 0 };
    ck_assert(
        options_fill(&scope, "x", place, list_table, list_of(2, plain("a"), plain("b")), &columns));
    ck_assert_uint_eq(columns.count, 2);
    const struct node *body = map_of(1, "columns", plain("c"));
    ck_assert(options_fill(&scope, "x", place, list_table, body, &columns));
    ck_assert_uint_eq(columns.count, 1);
    ck_assert_str_eq(columns.items[0].text.data, "c");
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("option_list");
    TCase *tc = tcase_create("option_list");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, refuses_a_map_where_a_list_stands);
    tcase_add_test(tc, takes_a_scalar_as_a_list_of_one);
    tcase_add_test(tc, tells_an_empty_list_from_none);
    tcase_add_test(tc, judges_each_item_and_their_number);
    tcase_add_test(tc, judges_each_value_of_a_map);
    tcase_add_test(tc, judges_the_options_of_a_struct);
    tcase_add_test(tc, takes_a_map_as_the_body_that_is_one);
    tcase_add_test(tc, takes_a_list_as_the_body_and_a_map_as_the_long_form);
    suite_add_tcase(s, tc);
    return s;
}
