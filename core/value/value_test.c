/* SPDX-License-Identifier: MIT */
/* Kinds, truth, reading numbers, copies. */
#include "value/value.h"

#include "base/memory.h"
#include "unit.h"
#include "value/sample.h"

#define COUNT(array) (int)(sizeof(array) / sizeof(array)[0])

START_TEST(every_tag_has_its_kind)
{
    const struct {
        weir_value v;
        uint32_t kind;
        const char *name;
    } cases[] = {
        { weir_null(), KIND_NULL, "null" },
        { weir_bool(1), KIND_BOOL, "bool" },
        { weir_int(1), KIND_INT, "int" },
        { weir_float(1), KIND_FLOAT, "float" },
        { sample_text("a"), KIND_TEXT, "text" },
        { sample_bytes("a"), KIND_BYTES, "bytes" },
        { weir_list_value(NULL, 0), KIND_LIST, "list" },
        { weir_map_value(NULL, 0), KIND_MAP, "map" },
        { sample_time(0, 3), KIND_TIMESTAMP, "timestamp" },
        { sample_number("99999999999999999999"), KIND_INT, "int" },
        { sample_number("-0"), KIND_INT, "int" },
        { sample_number("1.10"), KIND_FLOAT, "float" },
        { sample_number("1e5"), KIND_FLOAT, "float" },
        { { .tag = 77 }, 0, "unknown" },
        { { .tag = WEIR_TAG_MISSING }, 0, "unknown" },
        { { .tag = WEIR_TAG_ERROR }, 0, "unknown" },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        ck_assert_uint_eq(value_kind(&cases[i].v), cases[i].kind);
        ck_assert_str_eq(value_kind_name(&cases[i].v), cases[i].name);
        ck_assert((cases[i].kind & KIND_ANY) == cases[i].kind);
    }
}
END_TEST

START_TEST(false_are_null_false_zero_and_empty)
{
    const weir_value nothing[] = {
        weir_null(),
        weir_bool(0),
        weir_int(0),
        weir_float(0),
        weir_float(-0.0),
        sample_text(""),
        sample_bytes(""),
        weir_list_value(NULL, 0),
        weir_map_value(NULL, 0),
        sample_number("-0"),
        sample_number("0.00"),
        sample_number("0e9"),
        sample_number("1e-999"),
    };
    const weir_value something[] = {
        weir_bool(1),
        weir_int(-1),
        weir_float(0.1),
        weir_float(__builtin_nan("")),
        weir_float(__builtin_inf()),
        sample_text("0"),
        sample_bytes("0"),
        LIST(weir_null()),
        MAP(sample_member("", weir_null())),
        sample_number("0.10"),
        sample_number("1e999"),
        sample_number("99999999999999999999"),
        sample_time(0, 0),
        { .tag = 77 },
    };
    for (int i = 0; i < COUNT(nothing); i++) {
        ck_assert_msg(!value_is_truthy(&nothing[i]), "%d", i);
    }
    for (int i = 0; i < COUNT(something); i++) {
        ck_assert_msg(value_is_truthy(&something[i]), "%d", i);
    }
}
END_TEST

START_TEST(numbers_are_read_by_value)
{
    const struct {
        weir_value v;
        weir_value expected;
    } cases[] = {
        { weir_int(-5), weir_int(-5) },
        { weir_float(2.5), weir_float(2.5) },
        { weir_bool(1), weir_int(1) },
        { weir_bool(0), weir_int(0) },
        { sample_number("-0"), weir_int(0) },
        { sample_number("9223372036854775807"), weir_int(INT64_MAX) },
        { sample_number("-9223372036854775808"), weir_int(INT64_MIN) },
        { sample_number("1.10"), weir_float(1.1) },
        { sample_number("1e2"), weir_float(100) },
        { sample_number("0.1000000000000000055511151231257827"), weir_float(0.1) },
        { sample_number("1e-999"), weir_float(0) },
    };
    for (int i = 0; i < COUNT(cases); i++) {
        weir_value number;
        ck_assert(value_number(&cases[i].v, &number));
        ck_assert_uint_eq(number.tag, cases[i].expected.tag);
        ck_assert_uint_eq(number.as.bits, cases[i].expected.as.bits);
    }
}
END_TEST

START_TEST(numbers_beyond_64_bits_stay_text)
{
    static const char *const texts[] = { "9223372036854775808", "-9223372036854775809",
                                         "99999999999999999999", "1e400", "-1.5e999" };
    for (int i = 0; i < COUNT(texts); i++) {
        weir_value v = sample_number(texts[i]);
        weir_value number;
        ck_assert(value_number(&v, &number));
        ck_assert_uint_eq(number.tag, WEIR_NUMBER);
        ck_assert_ptr_eq(number.as.text, texts[i]);
    }
}
END_TEST

START_TEST(what_is_no_number_is_not_read)
{
    const weir_value values[] = {
        weir_null(),       sample_text("1"), sample_bytes("1"),          sample_time(1, 0),
        LIST(weir_int(1)), { .tag = 77 },    { .tag = WEIR_TAG_MISSING }
    };
    for (int i = 0; i < COUNT(values); i++) {
        weir_value number = weir_int(77);
        ck_assert(!value_number(&values[i], &number));
        ck_assert_int_eq(number.as.i64, 77);
    }
}
END_TEST

/* ---- copies ------------------------------------------------------------------------------------ */

static struct arena arena;

static void start(void)
{
    arena_init(&arena, 0);
}

static void finish(void)
{
    memory_fail_from(0);
    arena_deinit(&arena);
}

START_TEST(a_copy_shares_no_memory)
{
    char text[] = "abc";
    char key[] = "key";
    weir_value items[] = { sample_text(text), sample_bytes(text), sample_number("1.10") };
    weir_member members[] = { sample_member(key, weir_list_value(items, 3)),
                              sample_member("n", weir_null()) };
    members[0].symbol = 7;
    weir_value map = weir_map_value(members, 2);
    weir_value copy;
    ck_assert(value_copy(&arena, &map, &copy));
    ck_assert(value_is_same(&map, &copy));
    ck_assert_uint_eq(copy.as.members[0].symbol, 7);
    memset(text, 'x', 3);
    memset(key, 'x', 3);
    items[2] = weir_null();
    members[1].value = weir_int(1);
    const weir_value *copied = copy.as.members[0].value.as.items;
    ck_assert_int_eq(memcmp(copy.as.members[0].key, "key", 3), 0);
    ck_assert_int_eq(memcmp(copied[0].as.text, "abc", 3), 0);
    ck_assert_int_eq(memcmp(copied[1].as.text, "abc", 3), 0);
    ck_assert_int_eq(memcmp(copied[2].as.text, "1.10", 4), 0);
    ck_assert_uint_eq(copy.as.members[1].value.tag, WEIR_NULL);
}
END_TEST

START_TEST(a_copy_keeps_plain_and_drops_the_source)
{
    weir_value text = sample_text("abc");
    text.flags = WEIR_VALUE_PLAIN | WEIR_VALUE_SOURCE;
    weir_value list = LIST(text);
    list.flags = WEIR_VALUE_SOURCE;
    weir_value copy;
    ck_assert(value_copy(&arena, &list, &copy));
    ck_assert_uint_eq(copy.flags, 0);
    ck_assert_uint_eq(copy.as.items[0].flags, WEIR_VALUE_PLAIN);
}
END_TEST

START_TEST(scalars_and_unknown_tags_are_copied_as_they_are)
{
    const weir_value values[] = { weir_null(),
                                  weir_int(5),
                                  weir_float(__builtin_nan("")),
                                  sample_time(9, 6),
                                  { 77, 3, 5, 9, { 123 } } };
    for (int i = 0; i < COUNT(values); i++) {
        weir_value copy;
        ck_assert(value_copy(&arena, &values[i], &copy));
        ck_assert_int_eq(memcmp(&copy, &values[i], sizeof copy), 0);
    }
}
END_TEST

START_TEST(empty_values_are_copied)
{
    const weir_value values[] = { sample_text(""), weir_text_value(NULL, 0),
                                  weir_list_value(NULL, 0), weir_map_value(NULL, 0) };
    for (int i = 0; i < COUNT(values); i++) {
        weir_value copy;
        ck_assert(value_copy(&arena, &values[i], &copy));
        ck_assert_uint_eq(copy.tag, values[i].tag);
        ck_assert_uint_eq(copy.len, 0);
    }
}
END_TEST

START_TEST(copies_go_as_deep_as_the_limit)
{
    static weir_value items[VALUE_DEPTH_LIMIT + 1];
    weir_value deep = sample_nest(weir_int(1), VALUE_DEPTH_LIMIT, items);
    weir_value copy;
    ck_assert(value_copy(&arena, &deep, &copy));
    ck_assert(value_equal(&deep, &copy));
    deep = sample_nest(weir_int(1), VALUE_DEPTH_LIMIT + 1, items);
    ck_assert(!value_copy(&arena, &deep, &copy));
}
END_TEST

START_TEST(no_memory_for_a_copy_leaves_the_result)
{
    weir_value map = MAP(sample_member("a", LIST(sample_text("b"))));
    weir_value copy = weir_int(77);
    memory_fail_from(1);
    ck_assert(!value_copy(&arena, &map, &copy));
    ck_assert_int_eq(copy.as.i64, 77);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("value");
    TCase *tests = tcase_create("value");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, every_tag_has_its_kind);
    tcase_add_test(tests, false_are_null_false_zero_and_empty);
    tcase_add_test(tests, numbers_are_read_by_value);
    tcase_add_test(tests, numbers_beyond_64_bits_stay_text);
    tcase_add_test(tests, what_is_no_number_is_not_read);
    tcase_add_test(tests, a_copy_shares_no_memory);
    tcase_add_test(tests, a_copy_keeps_plain_and_drops_the_source);
    tcase_add_test(tests, scalars_and_unknown_tags_are_copied_as_they_are);
    tcase_add_test(tests, empty_values_are_copied);
    tcase_add_test(tests, copies_go_as_deep_as_the_limit);
    tcase_add_test(tests, no_memory_for_a_copy_leaves_the_result);
    suite_add_tcase(suite, tests);
    return suite;
}
