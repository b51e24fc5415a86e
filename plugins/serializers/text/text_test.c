/* SPDX-License-Identifier: MIT */
/* The serializer `text`. */
#include "plugin/debug/debug_host.h"
#include "support/testing/payload_fixture.h"

#include "unit.h"

static struct fixture f;

static void setup(void)
{
    ck_assert(fixture_init(&f, "serializer_text", NULL));
}

static void teardown(void)
{
    fixture_deinit(&f);
}

START_TEST(reads_text_as_it_is)
{
    const char text[] = "h\xC3\xA9llo, \xF0\x9F\x98\x80 and eight more bytes";
    weir_slice payloads[] = { { (const uint8_t *)text, sizeof text - 1 },
                              { (const uint8_t *)"", 0 },
                              { NULL, 0 },
                              { NULL, WEIR_ABSENT } };
    weir_value out[4];
    ck_assert_str_eq(fixture_decode(&f, payloads, 4, out), "");
    ck_assert_uint_eq(out[0].tag, WEIR_TEXT);
    ck_assert_uint_eq(out[0].len, sizeof text - 1);
    ck_assert_mem_eq(out[0].as.text, text, sizeof text - 1);
    if (!debug_host_is_on()) {
        ck_assert_ptr_eq(out[0].as.text, text); /* not copied */
    }
    ck_assert_uint_eq(out[1].tag, WEIR_TEXT);
    ck_assert_uint_eq(out[1].len, 0);
    ck_assert_uint_eq(out[2].tag, WEIR_TEXT);
    ck_assert_uint_eq(out[3].tag, WEIR_NULL);
}
END_TEST

START_TEST(names_the_byte_that_is_no_text)
{
    weir_slice payloads[] = { { (const uint8_t *)"ab\xFF", 3 },
                              { (const uint8_t *)"12345678\xC0\x80", 10 },
                              { (const uint8_t *)"ok", 2 },
                              { (const uint8_t *)"\xED\xA0\x80", 3 } };
    weir_value out[4];
    ck_assert_str_eq(fixture_decode(&f, payloads, 4, out),
                     "! 0: the payload is no text: byte 2 is not UTF-8\n"
                     "! 1: the payload is no text: byte 8 is not UTF-8\n"
                     "! 3: the payload is no text: byte 0 is not UTF-8\n");
    ck_assert_uint_eq(out[2].len, 2);
}
END_TEST

START_TEST(writes_text_and_null_and_nothing_else)
{
    const weir_value values[] = { weir_text_value("ab", 2), weir_null(), weir_int(7),
                                  weir_text_value("", 0) };
    ck_assert_str_eq(fixture_encode(&f, values, 4),
                     "6162|none|none|\n! 2: the serializer 'text' takes text, not int\n");
    ck_assert_str_eq(f.call.failures[0].hint, "write text(...), or key: json");
}
END_TEST

START_TEST(writes_no_text_that_is_not_utf8)
{
    const weir_value values[] = { weir_text_value("caf\xe9", 4), weir_text_value("ab", 2) };
    ck_assert_str_eq(fixture_encode(&f, values, 2),
                     "none|6162\n! 0: the text is not valid UTF-8\n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("text");
    TCase *tests = tcase_create("text");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, reads_text_as_it_is);
    tcase_add_test(tests, names_the_byte_that_is_no_text);
    tcase_add_test(tests, writes_text_and_null_and_nothing_else);
    tcase_add_test(tests, writes_no_text_that_is_not_utf8);
    suite_add_tcase(made, tests);
    return made;
}
