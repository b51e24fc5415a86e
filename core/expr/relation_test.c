/* SPDX-License-Identifier: MIT */
/* Comparisons, membership and sameness. */
#include "expr/expr_fixture.h"

START_TEST(numbers_compare_by_exact_value)
{
    static const struct expr_case cases[] = {
        { "1 == 1.0", "true", NULL },
        { "1 == true", "true", NULL },
        { "0.0 == false", "true", NULL },
        { "u == 9007199254740992.0", "false", "{\"u\":9007199254740993}" },
        { "u > 9007199254740992.0", "true", "{\"u\":9007199254740993}" },
        { "u == 9223372036854775808.0", "false", "{\"u\":9223372036854775807}" },
        { "u == 1e0", "true", "{\"u\":1}" },
        { "u == 1.1", "true", "{\"u\":1.10}" },
        { "u == 99999999999999999998", "C", NULL },
        { "u == v", "false", "{\"u\":99999999999999999999,\"v\":99999999999999999998}" },
        { "u > v", "true", "{\"u\":99999999999999999999,\"v\":99999999999999999998}" },
        { "u > 9223372036854775807", "true", "{\"u\":99999999999999999999}" },
        { "u == u", "true", "{\"u\":99999999999999999999}" },
        { "true < 2", "true", NULL },
        { "0.5 < true", "true", NULL },
        { "-0.0 == 0", "true", NULL },
        { "u < v", "true", "{\"u\":1,\"v\":1.5}" },
        { "u <= v", "false", "{\"u\":1.5,\"v\":1}" },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(nan_is_in_no_order_and_equals_nothing)
{
    static const char *const texts[] = { "w == w", "w < 1",    "w >= 1",     "w < w",
                                         "1 <= w", "w in [w]", "[w] == [w]", "w is w" };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        char text[64];
        snprintf(text, sizeof text, "map([f * 1e308 * 10 - f * 1e308 * 10], %s)[0]", texts[i]);
        for (char *at = strchr(text, 'w'); at != NULL; at = strchr(text, 'w')) {
            char rest[64];
            snprintf(rest, sizeof rest, "%s", at + 1);
            snprintf(at, sizeof text - (size_t)(at - text), "$it%s", rest);
        }
        fixture_check(&(struct expr_case){ text, "false", NULL });
    }
    fixture_check(&(struct expr_case){ "map([f * 1e308 * 10 - f * 1e308 * 10], $it != $it)[0]",
                                       "true", NULL });
}
END_TEST

START_TEST(texts_compare_by_code_point)
{
    static const struct expr_case cases[] = {
        { "t == 'h\xc3\xa9llo'", "true", NULL },
        { "t != 'h\xc3\xa9llo'", "false", NULL },
        { "t == 'hello'", "false", NULL },
        { "'a' < 'b'", "true", NULL },
        { "'a' < 'aa'", "true", NULL },
        { "'Z' < 'a'", "true", NULL },
        { "'z' < '\xc3\xa9'", "true", NULL },
        { "'\xef\xbf\xbd' < '\xf0\x9f\x98\x80'", "true", NULL },
        { "'' <= ''", "true", NULL },
        { "t > t", "false", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(lists_and_maps_compare_by_content)
{
    static const struct expr_case cases[] = {
        { "l == [1, 2, 3]", "true", NULL },
        { "l == [1.0, 2, 3]", "true", NULL },
        { "l is [1.0, 2, 3]", "false", NULL },
        { "l is [1, 2, 3]", "true", NULL },
        { "l == [1, 2]", "false", NULL },
        { "l < [1, 2, 4]", "true", NULL },
        { "l < [1, 2]", "false", NULL },
        { "[1, 2] < l", "true", NULL },
        { "[] < l", "true", NULL },
        { "[1, 'a'] < l", "x: cannot compare list < list", NULL },
        { "[1, [2]] < [1, [3]]", "true", NULL },
        { "{a: 1, b: [2]} == {b: [2.0], a: 1}", "true", NULL },
        { "{a: 1} == {a: 1, b: 2}", "false", NULL },
        { "{a: 1} is {a: 1.0}", "false", NULL },
        { "{a: 1} is {a: 1}", "true", NULL },
        { "m == {in: 1, x: {y: 7}}", "true", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(different_kinds_are_unequal_and_unordered)
{
    static const struct expr_case cases[] = {
        { "a == t", "false", NULL },
        { "a != t", "true", NULL },
        { "n == 0", "false", NULL },
        { "n == n", "true", NULL },
        { "n != null", "false", NULL },
        { "e == n", "false", NULL },
        { "a < t", "x: cannot compare int < text", NULL },
        { "n < 1",
          "x: cannot compare null < int; write 'n ?? ...' for a value in the place of null", NULL },
        { "1 >= n",
          "x: cannot compare int >= null; write 'n ?? ...' for a value in the place of "
          "null",
          NULL },
        { "m < m", "x: cannot compare map < map", NULL },
        { "a == zz", "x: field 'zz' is missing", NULL },
        { "zz == yy", "x: field 'zz' is missing", NULL },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(timestamps_compare_by_instant)
{
    static const struct expr_case cases[] = {
        { "u == v", "false", "{\"u\":{\"$time\":5},\"v\":{\"$time\":6}}" },
        { "u < v", "true", "{\"u\":{\"$time\":5},\"v\":{\"$time\":6}}" },
        { "u == v", "true", "{\"u\":{\"$time\":5},\"v\":{\"$time\":5}}" },
        { "u == 5", "false", "{\"u\":{\"$time\":5}}" },
        { "u < 5", "x: cannot compare timestamp < int", "{\"u\":{\"$time\":5}}" },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(membership_looks_into_every_container)
{
    static const struct expr_case cases[] = {
        { "2.0 in l", "true", NULL },
        { "'2' in l", "false", NULL },
        { "n in l", "false", NULL },
        { "n in [null]", "true", NULL },
        { "[1] in [[1.0], 2]", "true", NULL },
        { "t in ['a', 'h\xc3\xa9llo']", "true", NULL },
        { "t not in ['a', 'h\xc3\xa9llo']", "false", NULL },
        { "'in' in m", "true", NULL },
        { "n in m", "false", NULL },
        { "'' in t", "true", NULL },
        { "'\xc3\xa9l' in t", "true", NULL },
        { "'el' in t", "false", NULL },
        { "t in ''", "false", NULL },
        { "a in t", "x: cannot look for int in text", NULL },
        { "a not in t", "x: cannot look for int in text", NULL },
        { "t in a", "x: cannot look for text in int: that is no list, map, text or bytes", NULL },
        { "t in n",
          "x: cannot look for text in null: that is no list, map, text or bytes; write 'n "
          "?? ...' for a value in the place of null",
          NULL },
        { "3 in b", "true", "{\"b\":{\"$bytes\":\"a\\u0003\"}}" },
        { "4 in b", "false", "{\"b\":{\"$bytes\":\"a\\u0003\"}}" },
        { "b[1:] in b", "true", "{\"b\":{\"$bytes\":\"a\\u0003\"}}" },
        { "256 in b", "x: a byte is an int from 0 to 255, not 256", "{\"b\":{\"$bytes\":\"a\"}}" },
        { "-1 in b", "x: a byte is an int from 0 to 255, not -1", "{\"b\":{\"$bytes\":\"a\"}}" },
        { "true in b", "x: cannot look for bool in bytes", "{\"b\":{\"$bytes\":\"a\"}}" },
        { "'a' in b", "x: cannot look for text in bytes", "{\"b\":{\"$bytes\":\"a\"}}" },
    };
    CHECK_CASES(cases);
}
END_TEST

START_TEST(sameness_tells_kinds_apart)
{
    static const struct expr_case cases[] = {
        { "a is 5", "true", NULL },
        { "a is 5.0", "false", NULL },
        { "a is not 5.0", "true", NULL },
        { "a is true", "false", NULL },
        { "n is n", "true", NULL },
        { "t is t", "true", NULL },
        { "a is zz", "x: field 'zz' is missing", NULL },
        { "zz is a", "x: field 'zz' is missing", NULL },
        { "u is v", "true", "{\"u\":{\"$raw\":1.10},\"v\":1.1}" },
        { "u is v", "false", "{\"u\":{\"$raw\":1.10},\"v\":1}" },
        { "u is 1", "true", "{\"u\":{\"$raw\":1}}" },
    };
    CHECK_CASES(cases);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("relation");
    TCase *tcase = fixture_add_case(made);
    tcase_add_test(tcase, numbers_compare_by_exact_value);
    tcase_add_test(tcase, nan_is_in_no_order_and_equals_nothing);
    tcase_add_test(tcase, texts_compare_by_code_point);
    tcase_add_test(tcase, lists_and_maps_compare_by_content);
    tcase_add_test(tcase, different_kinds_are_unequal_and_unordered);
    tcase_add_test(tcase, timestamps_compare_by_instant);
    tcase_add_test(tcase, membership_looks_into_every_container);
    tcase_add_test(tcase, sameness_tells_kinds_apart);
    return made;
}
