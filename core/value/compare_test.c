/* SPDX-License-Identifier: MIT */
/* Equality, order and hashes, all three over the same pairs. */
#include <stdio.h>

#include "base/memory.h"
#include "unit.h"
#include "value/sample.h"
#include "value/value.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

static enum value_order turned(enum value_order order)
{
    return order == ORDER_LESS ? ORDER_GREATER : order == ORDER_GREATER ? ORDER_LESS : order;
}

/* Everything that must hold of a pair, both ways round. */
static void check(int line, weir_value a, weir_value b, bool is_equal, bool is_same,
                  enum value_order order)
{
    ck_assert_msg(value_equal(&a, &b) == is_equal, "line %d: ==", line);
    ck_assert_msg(value_equal(&b, &a) == is_equal, "line %d: == turned", line);
    ck_assert_msg(value_is_same(&a, &b) == is_same, "line %d: is", line);
    ck_assert_msg(value_is_same(&b, &a) == is_same, "line %d: is turned", line);
    ck_assert_msg(value_compare(&a, &b) == order, "line %d: <", line);
    ck_assert_msg(value_compare(&b, &a) == turned(order), "line %d: < turned", line);
    ck_assert_msg(!is_equal || value_hash(&a) == value_hash(&b), "line %d: hash", line);
}

#define SAME(a, b)           check(__LINE__, a, b, true, true, ORDER_EQUAL)
#define EQUAL(a, b)          check(__LINE__, a, b, true, false, ORDER_EQUAL)
#define LESS(a, b)           check(__LINE__, a, b, false, false, ORDER_LESS)
#define UNORDERED(a, b)      check(__LINE__, a, b, false, false, ORDER_UNORDERED)
#define DIFFERENT(a, b)      check(__LINE__, a, b, false, false, ORDER_NONE)
#define SAME_NO_ORDER(a, b)  check(__LINE__, a, b, true, true, ORDER_NONE)
#define EQUAL_NO_ORDER(a, b) check(__LINE__, a, b, true, false, ORDER_NONE)

#define I(i) weir_int(i)
#define F(f) weir_float(f)
#define N(n) sample_number(n)
#define T(t) sample_text(t)

START_TEST(ints_floats_and_bools_meet_by_value)
{
    SAME(I(1), I(1));
    SAME(F(1), F(1));
    EQUAL(I(1), F(1));
    EQUAL(I(1), weir_bool(1));
    EQUAL(F(0), weir_bool(0));
    SAME(F(0), F(-0.0));
    EQUAL(I(0), F(-0.0));
    LESS(I(1), I(2));
    LESS(F(-1.5), I(-1));
    LESS(I(1), F(1.5));
    LESS(F(0.5), weir_bool(1));
    LESS(weir_bool(0), weir_bool(1));
    LESS(I(INT64_MIN), I(INT64_MAX));
}
END_TEST

START_TEST(ints_are_never_rounded_to_meet_floats)
{
    LESS(F(9007199254740992.0), I(9007199254740993));
    EQUAL(F(9007199254740992.0), I(9007199254740992));
    LESS(I(INT64_MAX), F(0x1p63));
    EQUAL(I(INT64_MIN), F(-0x1p63));
    LESS(F(-0x1.0000000000001p63), I(INT64_MIN));
    LESS(I(-9007199254740993), F(-9007199254740992.0));
    LESS(I(INT64_MAX), F(__builtin_inf()));
    LESS(F(-__builtin_inf()), I(INT64_MIN));
}
END_TEST

START_TEST(nan_is_equal_to_nothing_and_has_no_order)
{
    UNORDERED(F(__builtin_nan("")), F(__builtin_nan("")));
    UNORDERED(F(__builtin_nan("")), I(1));
    UNORDERED(F(__builtin_nan("")), N("99999999999999999999"));
    UNORDERED(F(__builtin_nan("")), N("1.10"));
    UNORDERED(F(__builtin_nan("")), weir_bool(1));
    DIFFERENT(F(__builtin_nan("")), weir_null());
}
END_TEST

START_TEST(number_texts_count_by_value)
{
    SAME(N("1.10"), F(1.1));
    SAME(N("1.10"), N("1.1000"));
    SAME(N("-0"), I(0));
    EQUAL(N("1e2"), I(100));
    EQUAL(N("1.0e0"), weir_bool(1));
    SAME(N("99999999999999999999"), N("99999999999999999999"));
    LESS(N("99999999999999999998"), N("99999999999999999999"));
    LESS(N("99999999999999999999"), N("100000000000000000000"));
    LESS(N("-99999999999999999999"), N("-99999999999999999998"));
    LESS(N("-100000000000000000000"), N("-99999999999999999999"));
    LESS(N("-99999999999999999999"), N("99999999999999999999"));
    LESS(I(INT64_MAX), N("9223372036854775808"));
    LESS(N("-9223372036854775809"), I(INT64_MIN));
    EQUAL(N("18446744073709551616"), F(0x1p64));
    EQUAL(N("18446744073709551617"), F(0x1p64)); /* through float64 */
    LESS(N("18446744073709551616"), F(0x1.0000000000001p64));
    SAME(N("1e400"), F(__builtin_inf()));
    SAME(N("1e400"), N("2e400"));
    SAME(N("-1e400"), F(-__builtin_inf()));
    LESS(N("99999999999999999999"), N("1e400"));
    LESS(F(1e308), N("1e400"));
}
END_TEST

START_TEST(texts_and_bytes_go_by_bytes_and_length)
{
    SAME(T("abc"), T("abc"));
    SAME(T(""), weir_text_value(NULL, 0));
    LESS(T("ab"), T("abc"));
    LESS(T(""), T("a"));
    LESS(T("Z"), T("a"));
    LESS(T("z"), T("\xc3\xa9"));
    LESS(T("\xef\xbf\xbd"), T("\xf0\x9f\x98\x80"));
    LESS(sample_bytes("a"), sample_bytes("b"));
    LESS(sample_bytes("a"), sample_bytes("\xff"));
    SAME(sample_bytes("a"), sample_bytes("a"));
    DIFFERENT(T("a"), sample_bytes("a"));
}
END_TEST

START_TEST(other_kinds_have_no_order)
{
    SAME_NO_ORDER(weir_null(), weir_null());
    DIFFERENT(weir_null(), I(0));
    DIFFERENT(weir_null(), weir_bool(0));
    DIFFERENT(T("1"), I(1));
    DIFFERENT(weir_list_value(NULL, 0), weir_map_value(NULL, 0));
    DIFFERENT(weir_list_value(NULL, 0), weir_null());
    DIFFERENT(sample_time(1, 0), I(1));
    weir_value unknown = { 77, 0, 0, 0, { 5 } };
    weir_value other = { 77, 0, 0, 0, { 6 } };
    SAME_NO_ORDER(unknown, unknown);
    DIFFERENT(unknown, other);
}
END_TEST

START_TEST(timestamps_go_by_instant)
{
    SAME(sample_time(1, 0), sample_time(1000, 3));
    SAME(sample_time(-1, 0), sample_time(-1000000000, 9));
    SAME(sample_time(INT64_MIN, 9), sample_time(INT64_MIN, 9));
    LESS(sample_time(1, 0), sample_time(1001, 3));
    LESS(sample_time(-1, 9), sample_time(0, 0));
    LESS(sample_time(999999, 6), sample_time(1, 0));
    LESS(sample_time(INT64_MAX, 9), sample_time(INT64_MAX, 0));
}
END_TEST

START_TEST(lists_go_by_their_first_difference)
{
    SAME(LIST(I(1), T("a")), LIST(I(1), T("a")));
    EQUAL(LIST(I(1)), LIST(F(1)));
    LESS(LIST(I(1), T("a")), LIST(I(2), I(0)));
    LESS(LIST(I(1)), LIST(I(1), weir_null()));
    LESS(weir_list_value(NULL, 0), LIST(weir_null()));
    LESS(LIST(LIST(I(1))), LIST(LIST(I(2))));
    LESS(LIST(weir_null(), I(1)), LIST(weir_null(), I(2)));
    DIFFERENT(LIST(I(1), T("a")), LIST(I(1), I(2)));
    UNORDERED(LIST(F(__builtin_nan(""))), LIST(F(__builtin_nan(""))));
    UNORDERED(LIST(I(1), F(__builtin_nan(""))), LIST(I(1), I(1)));
    SAME(weir_list_value(NULL, 0), weir_list_value(NULL, 0));
}
END_TEST

START_TEST(maps_are_equal_in_any_order_of_members)
{
    weir_value ab = MAP(sample_member("a", I(1)), sample_member("b", I(2)));
    weir_value ba = MAP(sample_member("b", I(2)), sample_member("a", I(1)));
    weir_value ab_float = MAP(sample_member("a", F(1)), sample_member("b", I(2)));
    weir_value ac = MAP(sample_member("a", I(1)), sample_member("c", I(2)));
    weir_value a = MAP(sample_member("a", I(1)));
    weir_value swapped = MAP(sample_member("a", I(2)), sample_member("b", I(1)));
    SAME_NO_ORDER(ab, ba);
    EQUAL_NO_ORDER(ba, ab_float);
    DIFFERENT(ab, ac);
    DIFFERENT(ab, a);
    DIFFERENT(ab, swapped);
    SAME_NO_ORDER(LIST(ab).as.items[0], ba);
    SAME_NO_ORDER(weir_map_value(NULL, 0), weir_map_value(NULL, 0));
}
END_TEST

START_TEST(interned_and_other_keys_are_compared_by_their_bytes)
{
    weir_member members[] = { sample_member("a", I(1)) };
    weir_member interned[] = { sample_member("a", I(1)) };
    interned[0].symbol = WEIR_SYMBOL_FIRST + 5;
    SAME_NO_ORDER(weir_map_value(members, 1), weir_map_value(interned, 1));
}
END_TEST

enum { MANY = 20000 };

static void fill_large(weir_member *members, char (*keys)[16], bool is_backward)
{
    for (int i = 0; i < MANY; i++) {
        int number = is_backward ? MANY - 1 - i : i;
        snprintf(keys[i], sizeof keys[i], "key %d", number);
        members[i] = sample_member(keys[i], I(number));
    }
}

START_TEST(large_maps_in_another_order_are_compared_quickly)
{
    static weir_member forward[MANY];
    static weir_member backward[MANY];
    static char keys[2][MANY][16];
    fill_large(forward, keys[0], false);
    fill_large(backward, keys[1], true);
    weir_value a = weir_map_value(forward, MANY);
    weir_value b = weir_map_value(backward, MANY);
    SAME_NO_ORDER(a, b);
    backward[7].value = I(-1);
    DIFFERENT(a, b);
    backward[7] = sample_member("other", forward[MANY - 8].value);
    DIFFERENT(a, b);
}
END_TEST

START_TEST(large_maps_are_compared_without_memory_too)
{
    static weir_member forward[MANY];
    static weir_member backward[MANY];
    static char keys[2][MANY][16];
    enum { SOME = 400 };
    fill_large(forward, keys[0], false);
    fill_large(backward, keys[1], true);
    weir_value a = weir_map_value(forward, SOME);
    weir_value b = weir_map_value(backward + MANY - SOME, SOME);
    memory_fail_from(1);
    ck_assert(value_equal(&a, &b));
    backward[MANY - 1].value = I(-1);
    ck_assert(!value_equal(&a, &b));
    memory_fail_from(0);
}
END_TEST

START_TEST(values_as_deep_as_the_limit_are_compared_and_deeper_ones_are_not)
{
    static weir_value left[VALUE_DEPTH_LIMIT + 1];
    static weir_value right[VALUE_DEPTH_LIMIT + 1];
    weir_value a = sample_nest(I(1), VALUE_DEPTH_LIMIT, left);
    weir_value b = sample_nest(I(2), VALUE_DEPTH_LIMIT, right);
    LESS(a, b);
    right[0] = F(1);
    EQUAL(a, b);
    a = sample_nest(I(1), VALUE_DEPTH_LIMIT + 1, left);
    b = sample_nest(I(1), VALUE_DEPTH_LIMIT + 1, right);
    DIFFERENT(a, b);
    ck_assert_uint_eq(value_hash(&a), value_hash(&b));
}
END_TEST

START_TEST(hashes_tell_different_values_apart)
{
    const weir_value values[] = {
        weir_null(),
        I(0),
        I(1),
        I(-1),
        F(0.5),
        I(INT64_MAX),
        I(INT64_MAX - 1),
        I(9007199254740993),
        F(9007199254740992.0),
        N("99999999999999999999"),
        F(__builtin_inf()),
        T(""),
        T("0"),
        sample_bytes(""),
        sample_bytes("0"),
        weir_list_value(NULL, 0),
        LIST(I(1), I(2)),
        LIST(I(2), I(1)),
        LIST(LIST(I(1)), I(2)),
        LIST(I(1), LIST(I(2))),
        weir_map_value(NULL, 0),
        MAP(sample_member("a", I(1)), sample_member("b", I(2))),
        MAP(sample_member("a", I(2)), sample_member("b", I(1))),
        MAP(sample_member("a", I(1))),
        sample_time(0, 0),
        sample_time(1, 0),
        sample_time(1, 3),
    };
    for (int i = 0; i < COUNT(values); i++) {
        for (int j = 0; j < i; j++) {
            ck_assert_msg(value_hash(&values[i]) != value_hash(&values[j]), "%d and %d", i, j);
        }
    }
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("compare");
    TCase *tests = tcase_create("compare");
    tcase_add_test(tests, ints_floats_and_bools_meet_by_value);
    tcase_add_test(tests, ints_are_never_rounded_to_meet_floats);
    tcase_add_test(tests, nan_is_equal_to_nothing_and_has_no_order);
    tcase_add_test(tests, number_texts_count_by_value);
    tcase_add_test(tests, texts_and_bytes_go_by_bytes_and_length);
    tcase_add_test(tests, other_kinds_have_no_order);
    tcase_add_test(tests, timestamps_go_by_instant);
    tcase_add_test(tests, lists_go_by_their_first_difference);
    tcase_add_test(tests, maps_are_equal_in_any_order_of_members);
    tcase_add_test(tests, interned_and_other_keys_are_compared_by_their_bytes);
    tcase_add_test(tests, large_maps_in_another_order_are_compared_quickly);
    tcase_add_test(tests, large_maps_are_compared_without_memory_too);
    tcase_add_test(tests, values_as_deep_as_the_limit_are_compared_and_deeper_ones_are_not);
    tcase_add_test(tests, hashes_tell_different_values_apart);
    suite_add_tcase(suite, tests);
    return suite;
}
