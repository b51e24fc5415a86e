/* SPDX-License-Identifier: MIT */
/* Escaping for JSON strings. */
#include "base/json_escape.h"

#include <stdio.h>
#include <string.h>

#include "unit.h"

static const struct {
    const char *text;
    size_t len;
    const char *escaped;
} cases[] = {
    { "", 0, "" },
    { "plain / text \x7f", 14, "plain / text \x7f" },
    { "\"\\", 2, "\\\"\\\\" },
    { "\b\t\n\f\r", 5, "\\b\\t\\n\\f\\r" },
    { "\0\x01\x1f", 3, "\\u0000\\u0001\\u001f" },
    { "h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80", 10, "h\xc3\xa9\xe2\x82\xac\xf0\x9f\x98\x80" },
    { "a\xff\xc3z", 4, "a\xef\xbf\xbd\xef\xbf\xbdz" },
};

START_TEST(only_what_must_be_is_escaped)
{
    char room[64] = { 0 };
    size_t size = json_escape(cases[_i].text, cases[_i].len, room);
    room[size] = '\0';
    ck_assert_str_eq(room, cases[_i].escaped);
    ck_assert_uint_eq(json_escape_size(cases[_i].text, cases[_i].len), size);
}
END_TEST

START_TEST(every_control_character_has_a_form)
{
    for (unsigned byte = 0; byte < 0x20; byte++) {
        char text = (char)byte;
        char room[6];
        char expected[8];
        size_t size = json_escape(&text, 1, room);
        snprintf(expected, sizeof expected, "\\u%04x", byte);
        if (size == 6) {
            ck_assert_int_eq(memcmp(room, expected, 6), 0);
        } else {
            ck_assert_uint_eq(size, 2);
            ck_assert_ptr_nonnull(strchr("btnfr", room[1]));
        }
    }
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("json_escape");
    TCase *tests = tcase_create("json_escape");
    tcase_add_loop_test(tests, only_what_must_be_is_escaped, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, every_control_character_has_a_form);
    suite_add_tcase(suite, tests);
    return suite;
}
