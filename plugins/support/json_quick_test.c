/* SPDX-License-Identifier: MIT */
/*
 * What the quick reader takes and what it leaves to yyjson. Where it takes a payload, yyjson has
 * taken it too, and both have made the same of it.
 */
#include "unit.h"

#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "support/json_quick.h"
#include "value/json.h"

static struct arena batch;
static struct json_decoder decoder;

static void *alloc(weir_context *ctx, uint64_t size)
{
    (void)ctx;
    return arena_alloc(&batch, size);
}

static const weir_call_api api = { .struct_size = sizeof api, .alloc = alloc };
static weir_context ctx = { .struct_size = sizeof ctx, .api = &api };

static void set_up(void)
{
    arena_init(&batch, 0);
    json_decoder_init(&decoder, NULL, 4);
}

static void tear_down(void)
{
    json_decoder_deinit(&decoder);
    arena_deinit(&batch);
}

/* By yyjson, with the payload in decoder.copy as json_quick wants it. */
static weir_status read_by_yyjson(weir_slice payload, weir_value *ret)
{
    struct json_fault fault;
    decoder.rest = 1;
    weir_status st = json_decode(&decoder, &ctx, payload, ret, &fault);
    memcpy(decoder.copy, payload.data, payload.size);
    return st;
}

static void forget_sources(weir_value *v)
{
    v->flags = 0;
    for (uint32_t i = 0; i < v->len && v->tag == WEIR_LIST; i++) {
        forget_sources((weir_value *)(uintptr_t)&v->as.items[i]);
    }
    for (uint32_t i = 0; i < v->len && v->tag == WEIR_MAP; i++) {
        forget_sources((weir_value *)(uintptr_t)&v->as.members[i].value);
    }
}

static weir_buffer written(weir_value *v)
{
    weir_buffer out;
    buffer_init(&out, UINT32_MAX);
    ck_assert_int_eq(json_write(v, 0, 100, &out, NULL), WEIR_OK);
    return out;
}

/* As it came, and as it is without what is remembered of the text. */
static void check_same(weir_value *a, weir_value *b)
{
    for (int round = 0; round < 2; round++) {
        weir_buffer left = written(a);
        weir_buffer right = written(b);
        ck_assert_uint_eq(left.size, right.size);
        ck_assert_mem_eq(left.data, right.data, left.size);
        buffer_deinit(&left);
        buffer_deinit(&right);
        forget_sources(a);
        forget_sources(b);
    }
}

static weir_slice slice(const char *text)
{
    return (weir_slice){ (const uint8_t *)text, strlen(text) };
}

static const char *const taken[] = {
    "{}",
    "[]",
    " \t\r\n{ \"a\" : 1 , \"b\" : [ ] , \"c\" : { } } ",
    "{\"ts\":1700000000000,\"name\":\"sensor-0042\",\"t\":-12.50,\"ok\":true,\"no\":false,\"x\":"
    "null}",
    "[0,-0,0.5,-1e5,1E+7,2.5e-3,12345678901234567890,true,false,null]",
    "[\"\",\"1234567890123456\",\"12345678901234567 and more than two times sixteen bytes\"]",
    "{\"caf\xC3\xA9\":\"\xE2\x82\xAC \xF0\x9F\x98\x80 and a text that goes on\"}",
    "{\"a key that is longer than sixteen bytes\":1,\"a key that is longer than sixteen b\":2}",
    "{\"a\":1,\"b\":2,\"a\":3}",
    "[[{\"a\":{\"b\":1}}],[{\"a\":{\"b\":2}}]]",
    "[\"\x7F\"]",
};

START_TEST(takes_what_needs_no_unescaping)
{
    weir_slice payload = slice(taken[_i]);
    for (int round = 0; round < 3; round++) {
        weir_value expected = weir_null();
        weir_value found = weir_null();
        ck_assert_int_eq(read_by_yyjson(payload, &expected), WEIR_OK);
        ck_assert_int_eq(json_quick(&decoder, &ctx, payload, &found), WEIR_OK);
        ck_assert_uint_eq(found.flags, expected.flags);
        check_same(&expected, &found);
    }
}
END_TEST

static const char *const left[] = {
    /* JSON, for yyjson */
    "1",
    "\"text\"",
    "[\"a\\n\"]",
    "{\"\\u0061\":1}",
    "[[[[[1]]]]]",
    /* no JSON */
    "",
    " ",
    "{",
    "[",
    "[1",
    "[1,",
    "[1,]",
    "[,1]",
    "[1 2]",
    "{\"a\"}",
    "{\"a\":}",
    "{\"a\":1,}",
    "{\"a\" 1}",
    "{a:1}",
    "{\"a\":1]",
    "[1}",
    "[1]]",
    "{} {}",
    "[01]",
    "[-]",
    "[1.]",
    "[.5]",
    "[1e]",
    "[1e+]",
    "[+1]",
    "[truth]",
    "[nul]",
    "[NaN]",
    "[\"a]",
    "[\"a\tb\"]",
    "{\"a",
    "{\"a\nb\":1}",
    "[\"\x80\"]",
    "[\"\xC0\xAF\"]",
    "[\"\xED\xA0\x80\"]",
    "[\"\xF0\x9F\x98\"]",
    "\xEF\xBB\xBF[]",
    "[1]\v",
};

START_TEST(leaves_the_rest_to_yyjson)
{
    weir_slice payload = slice(left[_i]);
    weir_value ignored;
    /* Learned keys must not make it trust what only begins as they do. */
    ck_assert_int_eq(
        read_by_yyjson(slice("{\"a\":1,\"a key that is far longer than the text\":2}"), &ignored),
        WEIR_OK);
    memset(decoder.copy, 0, decoder.copy_room);
    memcpy(decoder.copy, payload.data, payload.size);
    ck_assert_int_eq(json_quick(&decoder, &ctx, payload, &ignored), WEIR_AGAIN);
}
END_TEST

START_TEST(is_asked_seldom_for_what_it_does_not_take)
{
    struct json_fault fault;
    weir_value ignored;
    uint32_t asked = 0;
    for (int i = 0; i < 1000; i++) {
        asked += decoder.rest == 0;
        json_decode(&decoder, &ctx, slice("[\"\\n\"]"), &ignored, &fault);
    }
    ck_assert_uint_lt(asked, 30);
    for (int i = 0; i < 100; i++) {
        json_decode(&decoder, &ctx, slice("[1]"), &ignored, &fault);
    }
    ck_assert_uint_eq(decoder.rest, 0);
    ck_assert_uint_eq(decoder.refused, 0);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("json_quick");
    TCase *all = tcase_create("all");
    tcase_add_checked_fixture(all, set_up, tear_down);
    tcase_add_loop_test(all, takes_what_needs_no_unescaping, 0, sizeof taken / sizeof taken[0]);
    tcase_add_loop_test(all, leaves_the_rest_to_yyjson, 0, sizeof left / sizeof left[0]);
    tcase_add_test(all, is_asked_seldom_for_what_it_does_not_take);
    suite_add_tcase(s, all);
    return s;
}
