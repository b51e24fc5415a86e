/* SPDX-License-Identifier: MIT */
#include <string.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "unit.h"
#include "value/json.h"
#include "value/sample.h"
#include "value/value.h"

static struct arena arena;

static void start(void)
{
    arena_init(&arena, 1024);
}

static void finish(void)
{
    memory_fail_from(0);
    arena_deinit(&arena);
}

static const weir_value *canonical(const weir_value *v)
{
    const weir_value *ret = NULL;
    ck_assert(value_canonical(&arena, v, &ret));
    return ret;
}

static const char *json(const weir_value *v)
{
    weir_buffer out;
    buffer_init(&out, 4096);
    ck_assert_int_eq(json_write(v, 0, 0, &out, NULL), WEIR_OK);
    const char *text = arena_copy(&arena, buffer_c_string(&out), out.size + 1);
    buffer_deinit(&out);
    ck_assert_ptr_nonnull(text);
    return text;
}

/* A text or a container as a decoder makes it: the bytes that it came from stand before its items. */
struct decoded {
    weir_slice source;
    weir_value items[2];
};

static weir_value decoded_list(struct decoded *d, const char *source)
{
    d->source = (weir_slice){ (const uint8_t *)source, strlen(source) };
    weir_value list = weir_list_value(d->items, 2);
    list.flags = WEIR_VALUE_SOURCE;
    return list;
}

static weir_value decoded_text(char *room, const char *source, const char *text)
{
    weir_slice slice = { (const uint8_t *)source, strlen(source) };
    memcpy(room, &slice, sizeof slice);
    memcpy(room + sizeof slice, text, strlen(text) + 1);
    weir_value v = sample_text(room + sizeof slice);
    v.flags = WEIR_VALUE_SOURCE;
    return v;
}

START_TEST(numbers_have_their_shortest_form)
{
    static const struct {
        const char *text;
        const char *expected;
    } numbers[] = { { "1.10", "1.1" },   { "1e2", "100.0" },
                    { "-0", "0" },       { "-0.00", "0.0" },
                    { "1.0", "1.0" },    { "18446744073709551616", "18446744073709551616" },
                    { "1e400", "1e400" } };
    for (size_t i = 0; i < sizeof numbers / sizeof numbers[0]; i++) {
        weir_value v = sample_number(numbers[i].text);
        ck_assert_str_eq(json(canonical(&v)), numbers[i].expected);
    }
    weir_value zero = weir_float(-0.0);
    ck_assert_str_eq(json(canonical(&zero)), "0.0");
}
END_TEST

START_TEST(times_have_as_few_digits_as_suffice)
{
    const weir_value same[] = { sample_time(1, 0), sample_time(1000, 3), sample_time(1000000, 6),
                                sample_time(1000000000, 9) };
    for (size_t i = 0; i < sizeof same / sizeof same[0]; i++) {
        ck_assert_str_eq(json(canonical(&same[i])), "\"1970-01-01T00:00:01Z\"");
    }
    weir_value finer = sample_time(1500, 6);
    ck_assert_str_eq(json(canonical(&finer)), json(&finer));
}
END_TEST

START_TEST(texts_are_spelled_by_their_characters)
{
    _Alignas(weir_value) char room[64];
    weir_value v = decoded_text(room, "\"caf\\u00e9\"", "caf\xc3\xa9");
    ck_assert_str_eq(json(&v), "\"caf\\u00e9\"");
    ck_assert_str_eq(json(canonical(&v)), "\"caf\xc3\xa9\"");
}
END_TEST

START_TEST(lists_and_maps_are_written_anew_to_the_bottom)
{
    struct decoded inner = { .items = { sample_number("2.50"), weir_int(1) } };
    struct decoded outer = { .items = { decoded_list(&inner, "[2.50,  1]"), weir_null() } };
    weir_value list = decoded_list(&outer, "[ [2.50,  1], null ]");
    weir_value map = MAP(sample_member("b", list), sample_member("a", sample_number("1.0")));
    ck_assert_str_eq(json(&map), "{\"b\":[ [2.50,  1], null ],\"a\":1.0}");
    ck_assert_str_eq(json(canonical(&map)), "{\"b\":[[2.5,1],null],\"a\":1.0}");
}
END_TEST

START_TEST(what_needs_no_change_is_shared)
{
    const weir_value values[] = { weir_null(),      weir_int(5),       weir_bool(1),
                                  sample_text("a"), sample_bytes("b"), { 77, 3, 5, 9, { 123 } } };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        ck_assert_ptr_eq(canonical(&values[i]), &values[i]);
    }
}
END_TEST

START_TEST(no_memory_is_told)
{
    weir_value list = LIST(sample_number("1.10"));
    const weir_value *ret = NULL;
    memory_fail_from(1);
    ck_assert(!value_canonical(&arena, &list, &ret));
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("canonical");
    TCase *tests = tcase_create("canonical");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, numbers_have_their_shortest_form);
    tcase_add_test(tests, times_have_as_few_digits_as_suffice);
    tcase_add_test(tests, texts_are_spelled_by_their_characters);
    tcase_add_test(tests, lists_and_maps_are_written_anew_to_the_bottom);
    tcase_add_test(tests, what_needs_no_change_is_shared);
    tcase_add_test(tests, no_memory_is_told);
    suite_add_tcase(suite, tests);
    return suite;
}
