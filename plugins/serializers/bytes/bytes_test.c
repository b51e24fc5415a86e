/* SPDX-License-Identifier: MIT */
/* The serializer `bytes`. */
#include "plugin/debug/debug_host.h"
#include "support/testing/fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;

static void setup(void)
{
    ck_assert(fixture_init(&f, "serializer_bytes", NULL));
}

static void teardown(void)
{
    fixture_deinit(&f);
}

/* The payload of a JSON value as hexadecimal digits, "none", or what was reported. */
static const char *encode(const weir_value *value)
{
    static char answer[256];
    const weir_serializer_vtable *vtable = f.vtable;
    const weir_value *values[] = { value };
    uint64_t end = 0;
    weir_buffer out;
    buffer_init(&out, 1024);
    fixture_begin(&f, NULL);
    weir_status st = vtable->encode(f.instance->self, &f.call.context, values, 1, &out, &end);
    snprintf(answer, sizeof answer, "%s", fixture_end(&f, st));
    if (answer[0] != '\0') {
        ck_assert_uint_eq(out.size, 0);
    } else if (end == WEIR_ABSENT) {
        snprintf(answer, sizeof answer, "none");
    } else {
        ck_assert_uint_eq(end, out.size);
        for (uint64_t i = 0; i < out.size; i++) {
            snprintf(answer + 2 * i, 3, "%02x", out.data[i]);
        }
    }
    buffer_deinit(&out);
    return answer;
}

static const char *encode_json(const char *json)
{
    uint32_t count;
    weir_value *value = fixture_values(&f, json, &count);
    ck_assert_uint_eq(count, 1);
    return encode(value);
}

static const char *decode(const char *bytes, uint64_t size, weir_value *ret)
{
    const weir_serializer_vtable *vtable = f.vtable;
    weir_slice payload = { (const uint8_t *)bytes, size };
    fixture_begin(&f, NULL);
    return fixture_end(&f, vtable->decode(f.instance->self, &f.call.context, &payload, 1, ret));
}

START_TEST(writes_bytes_and_null_and_nothing_else)
{
    const weir_value values[] = { weir_bytes_value("123", 3), weir_bytes_value("\xff\0", 2),
                                  weir_bytes_value("", 0), weir_null() };
    static const char *const expected[] = { "313233", "ff00", "", "none" };
    for (size_t i = 0; i < sizeof values / sizeof values[0]; i++) {
        ck_assert_str_eq(encode(&values[i]), expected[i]);
    }
    ck_assert_str_eq(encode_json("\"123\""), "! 0: the serializer 'bytes' takes bytes, not text\n");
    ck_assert_str_eq(f.call.failures[0].hint,
                     "write bytes(...) for text, or use another serializer");
    ck_assert_str_eq(encode_json("1"), "! 0: the serializer 'bytes' takes bytes, not int\n");
}
END_TEST

START_TEST(reads_what_is_there)
{
    static const char payload[] = "\xff\0z";
    weir_value value;
    ck_assert_str_eq(decode(payload, 3, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_BYTES);
    ck_assert_uint_eq(value.len, 3);
    ck_assert_mem_eq(value.as.text, payload, 3);
    if (!debug_host_is_on()) {
        ck_assert_ptr_eq(value.as.text, payload); /* not copied */
    }
    ck_assert_str_eq(decode(NULL, 0, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_BYTES);
    ck_assert_uint_eq(value.len, 0);
    ck_assert_str_eq(decode(NULL, WEIR_ABSENT, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_NULL);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("bytes");
    TCase *tests = tcase_create("bytes");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, writes_bytes_and_null_and_nothing_else);
    tcase_add_test(tests, reads_what_is_there);
    suite_add_tcase(made, tests);
    return made;
}
