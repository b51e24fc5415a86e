/* SPDX-License-Identifier: MIT */
#include "unit.h"

#include <string.h>

#include "support/code_point.h"

START_TEST(every_code_point_comes_back)
{
    for (uint32_t point = 0; point < 0x110000; point++) {
        char room[4];
        size_t size = code_point_write(point, room);
        size_t valid = point >= 0xD800 && point < 0xE000 ? 0 : size; /* surrogates are none */
        if (code_point_size(room[0]) != size || code_point_read(room) != point ||
            code_point_valid_prefix(room, size) != valid) {
            ck_abort_msg("U+%04X", point);
        }
    }
}
END_TEST

START_TEST(positions_count_code_points)
{
    static const char text[] = "aé€😀b"; /* 1, 2, 3, 4, 1 bytes */
    static const size_t offsets[] = { 0, 1, 3, 6, 10, 11, 11 };
    size_t len = sizeof text - 1;
    ck_assert_uint_eq(code_point_count(text, len), 5);
    for (size_t n = 0; n < sizeof offsets / sizeof offsets[0]; n++) {
        ck_assert_uint_eq(code_point_offset(text, len, n), offsets[n]);
    }
    ck_assert_uint_eq(code_point_count("", 0), 0);
    ck_assert_uint_eq(code_point_offset("", 0, 3), 0);
}
END_TEST

START_TEST(what_is_not_utf8_ends_the_valid_prefix)
{
    static const struct {
        const char *bytes;
        size_t valid;
    } cases[] = {
        { "", 0 },
        { "plain text of more than eight bytes", 35 },
        { "12345678\xff", 8 },
        { "1234567\xff"
          "9",
          7 },
        { "\x80", 0 },                 /* a continuation first */
        { "a\xc3", 1 },                /* cut short */
        { "a\xe2\x82", 1 },            /* cut short */
        { "a\xf0\x9f\x98", 1 },        /* cut short */
        { "\xc0\x80", 0 },             /* overlong */
        { "\xc1\xbf", 0 },             /* overlong */
        { "\xe0\x9f\xbf", 0 },         /* overlong */
        { "\xf0\x8f\xbf\xbf", 0 },     /* overlong */
        { "\xed\xa0\x80", 0 },         /* a surrogate */
        { "\xf4\x90\x80\x80", 0 },     /* beyond U+10FFFF */
        { "\xf5\x80\x80\x80", 0 },     /* no such first byte */
        { "\xe2\x28\xa1", 0 },         /* no continuation */
        { "\xe2\x82\x28", 0 },         /* no continuation */
        { "\xf0\x9f\x98\x28", 0 },     /* no continuation */
        { "ok \xed\x9f\xbf!", 7 },     /* the last one before the surrogates */
        { "ok \xf4\x8f\xbf\xbf!", 8 }, /* U+10FFFF */
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        size_t valid = code_point_valid_prefix(cases[i].bytes, strlen(cases[i].bytes));
        ck_assert_msg(valid == cases[i].valid, "case %zu: %zu bytes", i, valid);
    }
    ck_assert_uint_eq(code_point_valid_prefix("a\0b", 3), 3);
}
END_TEST

START_TEST(white_space_is_that_of_unicode)
{
    static const uint32_t spaces[] = { 0x09,   0x0A,   0x0B,   0x0C,   0x0D,   0x20,   0x85,
                                       0xA0,   0x1680, 0x2000, 0x2001, 0x2002, 0x2003, 0x2004,
                                       0x2005, 0x2006, 0x2007, 0x2008, 0x2009, 0x200A, 0x2028,
                                       0x2029, 0x202F, 0x205F, 0x3000 };
    size_t next = 0;
    for (uint32_t point = 0; point < 0x110000; point++) {
        bool is_space = next < sizeof spaces / sizeof spaces[0] && spaces[next] == point;
        if (code_point_is_space(point) != is_space) {
            ck_abort_msg("U+%04X", point);
        }
        next += is_space;
    }
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("code_point");
    TCase *all = tcase_create("all");
    tcase_set_timeout(all, 30);
    tcase_add_test(all, every_code_point_comes_back);
    tcase_add_test(all, positions_count_code_points);
    tcase_add_test(all, what_is_not_utf8_ends_the_valid_prefix);
    tcase_add_test(all, white_space_is_that_of_unicode);
    suite_add_tcase(s, all);
    return s;
}
