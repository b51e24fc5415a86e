/* SPDX-License-Identifier: MIT */
/* Options of any value: the kinds that YAML gives to scalars, and nesting. */
#include <math.h>

#include "plugin/option_sample.h"

static const weir_option any_table[] = {
    { .name = "value", .type = WEIR_OPTION_ANY, .flags = WEIR_OPTION_BODY, .summary = "x" },
    WEIR_OPTIONS_END,
};

static const struct {
    const char *text;
    uint8_t tag;
    int64_t i64;
    double f64;
} scalars[] = {
    { "", WEIR_NULL, 0, 0 },
    { "~", WEIR_NULL, 0, 0 },
    { "null", WEIR_NULL, 0, 0 },
    { "NULL", WEIR_NULL, 0, 0 },
    { "nUll", WEIR_TEXT, 0, 0 },
    { "true", WEIR_BOOL, 1, 0 },
    { "False", WEIR_BOOL, 0, 0 },
    { "yes", WEIR_TEXT, 0, 0 },
    { "42", WEIR_INT, 42, 0 },
    { "-7", WEIR_INT, -7, 0 },
    { "+12", WEIR_INT, 12, 0 },
    { "0o17", WEIR_INT, 15, 0 },
    { "0xfF", WEIR_INT, 255, 0 },
    { "0x", WEIR_TEXT, 0, 0 },
    { "1.5", WEIR_FLOAT, 0, 1.5 },
    { ".5", WEIR_FLOAT, 0, 0.5 },
    { "1.", WEIR_FLOAT, 0, 1.0 },
    { "1e3x", WEIR_TEXT, 0, 0 },
    { "+1.5e2", WEIR_FLOAT, 0, 150 },
    { "1e", WEIR_TEXT, 0, 0 },
    { ".", WEIR_TEXT, 0, 0 },
    { "-", WEIR_TEXT, 0, 0 },
    { "e5", WEIR_TEXT, 0, 0 },
    { "1.10", WEIR_NUMBER, 0, 0 },
    { "-.inf", WEIR_FLOAT, 0, -(double)INFINITY },
    { "+.INF", WEIR_FLOAT, 0, (double)INFINITY },
    { "123456789012345678901", WEIR_NUMBER, 0, 0 },
    { "${TEN}", WEIR_INT, 10, 0 },
};

START_TEST(reads_plain_scalars_by_the_core_schema)
{
    weir_value value = { 0 };
    struct place place = { 0 };
    ck_assert(options_fill(&scope, "x", place, any_table, plain(scalars[_i].text), &value));
    ck_assert_uint_eq(value.tag, scalars[_i].tag);
    if (value.tag == WEIR_INT || value.tag == WEIR_BOOL) {
        ck_assert_int_eq(value.as.i64, scalars[_i].i64);
    } else if (value.tag == WEIR_FLOAT) {
        ck_assert(value.as.f64 == scalars[_i].f64);
    } else if (value.tag != WEIR_NULL) {
        ck_assert_uint_eq(value.len, strlen(scalars[_i].text));
        ck_assert_mem_eq(value.as.text, scalars[_i].text, value.len);
    }
}
END_TEST

START_TEST(reads_quoted_scalars_as_text)
{
    weir_value value = { 0 };
    struct place place = { 0 };
    ck_assert(options_fill(&scope, "x", place, any_table, quoted("42"), &value));
    ck_assert_uint_eq(value.tag, WEIR_TEXT);
    ck_assert(options_fill(&scope, "x", place, any_table, quoted(""), &value));
    ck_assert_uint_eq(value.tag, WEIR_TEXT);
    ck_assert(options_fill(&scope, "x", place, any_table, blank(), &value));
    ck_assert_uint_eq(value.tag, WEIR_NULL);
}
END_TEST

START_TEST(reads_nested_values)
{
    ck_assert(fill_one("extra", map_of(2, "a", list_of(2, plain("1"), plain("x")), "b", blank())));
    ck_assert_uint_eq(config.extra.tag, WEIR_MAP);
    ck_assert_uint_eq(config.extra.len, 2);
    const weir_member *a = &config.extra.as.members[0];
    ck_assert_mem_eq(a->key, "a", 1);
    ck_assert_uint_eq(a->symbol, symbols_lookup(&symbols, "a", 1));
    ck_assert_uint_ge(a->symbol, WEIR_SYMBOL_FIRST);
    ck_assert_uint_eq(a->value.tag, WEIR_LIST);
    ck_assert_int_eq(a->value.as.items[0].as.i64, 1);
    ck_assert_uint_eq(config.extra.as.members[1].value.tag, WEIR_NULL);
}
END_TEST

START_TEST(bounds_the_depth_of_nested_values)
{
    const struct node *node = plain("1");
    for (int i = 0; i < 300; i++) {
        node = list_of(1, node);
    }
    ck_assert(!fill_one("extra", node));
    expect_only("option 'extra' is nested deeper than 200 levels");
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof table[0]))

Suite *suite(void)
{
    Suite *s = suite_create("option_any");
    TCase *tc = tcase_create("option_any");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, reads_plain_scalars_by_the_core_schema, 0, COUNT(scalars));
    tcase_add_test(tc, reads_quoted_scalars_as_text);
    tcase_add_test(tc, reads_nested_values);
    tcase_add_test(tc, bounds_the_depth_of_nested_values);
    suite_add_tcase(s, tc);
    return s;
}
