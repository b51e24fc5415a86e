/* SPDX-License-Identifier: MIT */
/* The serializer `bytes`. */
#include "plugin/debug/debug_host.h"
#include "support/testing/payload_fixture.h"

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

START_TEST(writes_bytes_and_null_and_nothing_else)
{
    const weir_value values[] = { weir_bytes_value("123", 3), weir_bytes_value("\xff\0", 2),
                                  weir_bytes_value("", 0), weir_null() };
    ck_assert_str_eq(fixture_encode(&f, values, 4), "313233|ff00||none");
    ck_assert_str_eq(fixture_encode_json(&f, "\"123\""),
                     "none\n! 0: the serializer 'bytes' takes bytes, not text\n");
    ck_assert_str_eq(f.call.failures[0].hint,
                     "write bytes(...) for text, or use another serializer");
    ck_assert_str_eq(fixture_encode_json(&f, "1"),
                     "none\n! 0: the serializer 'bytes' takes bytes, not int\n");
}
END_TEST

START_TEST(reads_what_is_there)
{
    static const char payload[] = "\xff\0z";
    weir_value value;
    ck_assert_str_eq(fixture_decode_one(&f, payload, 3, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_BYTES);
    ck_assert_uint_eq(value.len, 3);
    ck_assert_mem_eq(value.as.text, payload, 3);
    if (!debug_host_is_on()) {
        ck_assert_ptr_eq(value.as.text, payload); /* not copied */
    }
    ck_assert_str_eq(fixture_decode_one(&f, NULL, 0, &value), "");
    ck_assert_uint_eq(value.tag, WEIR_BYTES);
    ck_assert_uint_eq(value.len, 0);
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
