/* SPDX-License-Identifier: MIT */
/* The serializer `json`: what it reads, keeps, writes and refuses. */
#include "support/testing/payload_fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;

static void open_with(const char *body)
{
    ck_assert_msg(fixture_init(&f, "serializer_json", body), "%s", f.complaint);
}

static void setup(void)
{
    open_with(NULL);
}

static void teardown(void)
{
    fixture_deinit(&f);
}

static weir_value decode_well(const char *payload)
{
    weir_value v;
    const char *answer = fixture_decode_one(&f, payload, strlen(payload), &v);
    ck_assert_msg(answer[0] == '\0', "%s: %s", payload, answer);
    return v;
}

/* Encodes values; the bytes, "<absent>" where there are none, with "|" between the payloads. */
static const char *encode(const weir_value *values, uint32_t count)
{
    static char told[4096];
    const weir_serializer_vtable *vtable = f.vtable;
    const weir_value *pointers[8];
    uint64_t ends[8];
    uint64_t begin = 0;
    weir_buffer out;
    for (uint32_t i = 0; i < count; i++) {
        pointers[i] = &values[i];
    }
    buffer_init(&out, 1 << 20);
    fixture_begin(&f, NULL);
    weir_status st = vtable->encode(f.instance->self, &f.call.context, pointers, count, &out, ends);
    const char *answer = fixture_end(&f, st);
    told[0] = '\0';
    for (uint32_t i = 0; i < count; i++) {
        size_t at = strlen(told);
        bool is_absent = ends[i] == WEIR_ABSENT;
        int size = is_absent ? 8 : (int)(ends[i] - begin);
        snprintf(told + at, sizeof told - at, "%s%.*s", i == 0 ? "" : "|", size,
                 is_absent ? "<absent>" : (const char *)out.data + begin);
        begin = is_absent ? begin : ends[i];
    }
    ck_assert_uint_eq(begin, out.size);
    snprintf(told + strlen(told), sizeof told - strlen(told), "%s%s", answer[0] != '\0' ? "\n" : "",
             answer);
    buffer_deinit(&out);
    return told;
}

static const char *const kept[] = {
    "null",
    "true",
    " [ 1 , 2.50 ] ",
    "{\"a\":1.10,\"b\":[{}, [],\t\"x\\u00e9\\/\"],\"c\":{\"d\" : -0}}",
    "\"\\u00e9\\/\"",
    "12345678901234567890123",
    "1E400",
    "{\"a\":{\"a\":{\"a\":[[[{\"a\":null}]]]}},\"\\u0061b\":false}",
    "[true, false,null ,{\"k\" :true} ,{\"k\": null}, [ ] , { } ]",
};

START_TEST(keeps_every_byte_of_what_is_not_touched)
{
    weir_value v = decode_well(kept[_i]);
    const char *begin = kept[_i] + strspn(kept[_i], " ");
    size_t len = strlen(begin);
    while (begin[len - 1] == ' ') {
        len--;
    }
    const char *written = encode(&v, 1);
    if (v.tag == WEIR_NULL) {
        ck_assert_str_eq(written, "<absent>");
    } else {
        ck_assert_uint_eq(strlen(written), len);
        ck_assert_mem_eq(written, begin, len);
    }
}
END_TEST

/* The same without any source: members and items are what they ought to be. */
static void forget_source(weir_value *v)
{
    v->flags = 0;
    for (uint32_t i = 0; i < v->len && v->tag == WEIR_LIST; i++) {
        forget_source((weir_value *)(uintptr_t)&v->as.items[i]);
    }
    for (uint32_t i = 0; i < v->len && v->tag == WEIR_MAP; i++) {
        forget_source((weir_value *)(uintptr_t)&v->as.members[i].value);
    }
}

static const struct {
    const char *payload;
    const char *compact;
} rebuilt[] = {
    { " { \"a\" : [ 1 , -2.50 , \"\\u0041\\n\" ] , \"b\" : { } } ",
      "{\"a\":[1,-2.50,\"A\\n\"],\"b\":{}}" },
    { "{\"a\":1,\"b\":2,\"a\":3}", "{\"a\":3,\"b\":2}" },
    { "{\"a\":1,\"\\u0061\":[4]}", "{\"a\":[4]}" },
    { "{\"1\":1,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":9,\"1\":0,\"9\":{}}",
      "{\"1\":0,\"2\":2,\"3\":3,\"4\":4,\"5\":5,\"6\":6,\"7\":7,\"8\":8,\"9\":{}}" },
    { "{\"a key that is longer than sixteen bytes\":1,\"a key that is longer than sixteen b\":2}",
      "{\"a key that is longer than sixteen bytes\":1,\"a key that is longer than sixteen b\":2}" },
    { "[\"\",\"\xC3\xA9\",\"\\ud83d\\ude00\"]", "[\"\",\"\xC3\xA9\",\"\xF0\x9F\x98\x80\"]" },
};

START_TEST(reads_what_stands_there)
{
    for (int round = 0; round < 3; round++) { /* the second time the keys are expected */
        weir_value v = decode_well(rebuilt[_i].payload);
        forget_source(&v);
        ck_assert_str_eq(encode(&v, 1), rebuilt[_i].compact);
    }
}
END_TEST

START_TEST(drops_the_source_around_an_equal_key_only)
{
    weir_value v = decode_well("[ {\"a\":1, \"a\":2}, {\"b\": 3} ]");
    ck_assert_str_eq(encode(&v, 1), "[{\"a\":2},{\"b\": 3}]");
}
END_TEST

START_TEST(reads_numbers_of_known_fields_and_keeps_others_as_text)
{
    symbols_deinit(&f.symbols);
    symbols_init(&f.symbols);
    uint32_t symbol = symbols_intern(&f.symbols, "known", 5);
    symbols_seal(&f.symbols);
    weir_value v = decode_well("{\"known\":1,\"other\":2,\"esc\\n\":3,\"\\u006bnown2\":4}");
    const weir_member *m = v.as.members;
    ck_assert_uint_eq(m[0].symbol, symbol);
    ck_assert_uint_eq(m[0].value.tag, WEIR_INT);
    ck_assert_uint_eq(m[1].symbol, WEIR_SYMBOL_PLAIN);
    ck_assert_uint_eq(m[1].value.tag, WEIR_NUMBER);
    ck_assert_uint_eq(m[2].symbol, WEIR_SYMBOL_NONE);
    ck_assert_uint_eq(m[3].symbol, WEIR_SYMBOL_NONE);
    v = decode_well("{\"\\u006bnown\":1.5}");
    ck_assert_uint_eq(v.as.members[0].symbol, symbol);
    ck_assert_uint_eq(v.as.members[0].value.tag, WEIR_FLOAT);
}
END_TEST

/* Objects of many forms at one place: whatever has been remembered, the members are right. */
START_TEST(is_not_confused_by_changing_keys)
{
    uint32_t seed = 7;
    for (int i = 0; i < 6000; i++) {
        char payload[512] = "{";
        bool seen[26] = { false };
        uint32_t count = 0;
        for (int k = 0; k < 12; k++) {
            seed = seed * 1664525 + 1013904223;
            uint32_t letter = (seed >> 24) % (i % 3 == 0 ? 26 : 4);
            size_t at = strlen(payload);
            snprintf(payload + at, sizeof payload - at, "%s\"%c\":%d", k == 0 ? "" : ",",
                     'a' + (char)letter, k);
            count += !seen[letter];
            seen[letter] = true;
        }
        size_t end = strlen(payload);
        snprintf(payload + end, sizeof payload - end, "}");
        weir_value v = decode_well(payload);
        ck_assert_uint_eq(v.len, count);
        for (uint32_t m = 0; m < v.len; m++) {
            char last[16];
            snprintf(last, sizeof last, "\"%c\":", v.as.members[m].key[0]);
            const char *at = NULL;
            for (const char *p = payload; (p = strstr(p, last)) != NULL; p++) {
                at = p;
            }
            ck_assert_mem_eq(v.as.members[m].value.as.text, at + 4, v.as.members[m].value.len);
        }
        fixture_retire(&f);
    }
}
END_TEST

static const struct {
    const char *payload;
    const char *message;
} bad[] = {
    { "", "byte 0: the payload is empty" },
    { " ", "byte 0: " },
    { "[1,]", "byte 2: trailing comma" },
    { "{\"a\":1", "byte 6: unexpected end" },
    { "\xEF\xBB\xBF{}", "byte 0: a byte order mark" },
    { "\"\xFF\"", "byte 1: invalid UTF-8" },
    { "\"\\ud800\"", "low surrogate" },
    { "[1] x", "byte 4: unexpected content" },
    { "NaN", "byte 0: " },
    { "01", "byte 0: number with leading zero" },
    { "{a:1}", "byte 1: " },
    { "[1 /* c */]", "byte 3: " },
    { "\"a\nb\"", "byte 2: " },
};

START_TEST(names_the_byte_of_a_fault)
{
    weir_value v;
    const char *answer = fixture_decode_one(&f, bad[_i].payload, strlen(bad[_i].payload), &v);
    ck_assert_msg(strstr(answer, "! 0: cannot read the payload as JSON: byte ") == answer, "%s",
                  answer);
    ck_assert_msg(strstr(answer, bad[_i].message) != NULL, "%s", answer);
}
END_TEST

START_TEST(fails_single_payloads_and_reads_the_others)
{
    const weir_serializer_vtable *vtable = f.vtable;
    weir_slice payloads[] = { { (const uint8_t *)"1", 1 },
                              { (const uint8_t *)"x", 1 },
                              { NULL, WEIR_ABSENT },
                              { (const uint8_t *)"true", 4 } };
    weir_value out[4];
    fixture_begin(&f, NULL);
    weir_status st = vtable->decode(f.instance->self, &f.call.context, payloads, 4, out);
    const char *answer = fixture_end(&f, st);
    ck_assert_int_eq(st, WEIR_OK);
    ck_assert_msg(strstr(answer, "! 1: ") == answer && strchr(answer, '\n')[1] == '\0', "%s",
                  answer);
    ck_assert_uint_eq(out[0].tag, WEIR_NUMBER);
    ck_assert_uint_eq(out[2].tag, WEIR_NULL);
    ck_assert_uint_eq(out[3].tag, WEIR_BOOL);
}
END_TEST

static const char *nested(uint32_t depth)
{
    static char text[4096];
    memset(text, '[', depth);
    memset(text + depth, ']', depth);
    text[2 * depth] = '\0';
    return text;
}

START_TEST(bounds_the_depth)
{
    static const struct {
        const char *body;
        uint32_t depth;
    } limits[] = { { NULL, 254 }, { "{max_depth: 1}", 1 }, { "{max_depth: 1000}", 1000 } };
    teardown();
    open_with(limits[_i].body);
    weir_value v = decode_well(nested(limits[_i].depth));
    ck_assert_str_eq(encode(&v, 1), nested(limits[_i].depth));
    const char *answer =
        fixture_decode_one(&f, nested(limits[_i].depth + 1), 2 * limits[_i].depth + 2, &v);
    ck_assert_msg(strstr(answer, "nested deeper than ") != NULL, "%s", answer);
}
END_TEST

START_TEST(refuses_to_write_deeper_than_it_reads)
{
    teardown();
    open_with("{max_depth: 2}");
    weir_value inner = weir_list_value(NULL, 0);
    weir_value middle = weir_list_value(&inner, 1);
    weir_value outer = weir_list_value(&middle, 1);
    ck_assert_str_eq(encode(&middle, 1), "[[]]");
    const char *written = encode(&outer, 1);
    ck_assert_msg(strstr(written, "<absent>\n! 0: cannot write") == written, "%s", written);
}
END_TEST

START_TEST(writes_null_as_a_tombstone_or_as_text)
{
    weir_value values[] = { weir_int(1), weir_null(), weir_text_value("x", 1) };
    ck_assert_str_eq(encode(values, 3), "1|<absent>|\"x\"");
    teardown();
    open_with("{null: text}");
    ck_assert_str_eq(encode(values, 3), "1|null|\"x\"");
}
END_TEST

START_TEST(writes_nan_as_null_or_fails)
{
    weir_value values[] = { weir_float(__builtin_nan("")), weir_int(2) };
    ck_assert_str_eq(encode(values, 2), "null|2");
    teardown();
    open_with("{nan: error}");
    const char *written = encode(values, 2);
    ck_assert_msg(strstr(written, "<absent>|2\n! 0: cannot write the value as JSON: ") == written,
                  "%s", written);
}
END_TEST

START_TEST(leaves_no_bytes_of_what_cannot_be_written)
{
    weir_value items[] = { weir_int(1), weir_bytes_value("x", 1) };
    weir_value values[] = { weir_list_value(items, 2), weir_bool(1) };
    const char *written = encode(values, 2);
    ck_assert_msg(strstr(written, "<absent>|true\n! 0: ") == written, "%s", written);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("json");
    TCase *tests = tcase_create("json");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_loop_test(tests, keeps_every_byte_of_what_is_not_touched, 0,
                        sizeof kept / sizeof kept[0]);
    tcase_add_loop_test(tests, reads_what_stands_there, 0, sizeof rebuilt / sizeof rebuilt[0]);
    tcase_add_test(tests, drops_the_source_around_an_equal_key_only);
    tcase_add_test(tests, reads_numbers_of_known_fields_and_keeps_others_as_text);
    tcase_add_test(tests, is_not_confused_by_changing_keys);
    tcase_add_loop_test(tests, names_the_byte_of_a_fault, 0, sizeof bad / sizeof bad[0]);
    tcase_add_test(tests, fails_single_payloads_and_reads_the_others);
    tcase_add_loop_test(tests, bounds_the_depth, 0, 3);
    tcase_add_test(tests, refuses_to_write_deeper_than_it_reads);
    tcase_add_test(tests, writes_null_as_a_tombstone_or_as_text);
    tcase_add_test(tests, writes_nan_as_null_or_fails);
    tcase_add_test(tests, leaves_no_bytes_of_what_cannot_be_written);
    suite_add_tcase(made, tests);
    return made;
}
