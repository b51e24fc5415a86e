/* SPDX-License-Identifier: MIT */
/* UTF-8: every code point, every way to be wrong. */
#include "base/utf8.h"

#include <string.h>

#include "unit.h"

static bool is_code_point(uint32_t point)
{
    return point <= 0x10FFFF && (point < 0xD800 || point > 0xDFFF);
}

START_TEST(every_code_point_goes_there_and_back)
{
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        char room[4];
        uint32_t back = 0;
        size_t size = utf8_write(point, room);
        size_t expected = point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
        bool is_right = size == expected && utf8_read(room, size, &back) == size &&
                        back == (is_code_point(point) ? point : 0xFFFD) &&
                        utf8_valid_prefix(room, size) == size;
        if (!is_right) { /* an assertion that passes a million times is slow */
            ck_abort_msg("U+%04X", point);
        }
    }
    char room[4];
    ck_assert_uint_eq(utf8_write(0x110000, room), 3);
    ck_assert_int_eq(memcmp(room, "\xef\xbf\xbd", 3), 0);
}
END_TEST

static const struct {
    const char *text;
    size_t len;
    size_t valid;
} invalid[] = {
    { "\x80", 1, 0 },             /* a tail alone */
    { "\xc0\x80", 2, 0 },         /* overlong NUL */
    { "\xc1\xbf", 2, 0 },         /* overlong */
    { "\xe0\x9f\xbf", 3, 0 },     /* overlong */
    { "\xf0\x8f\xbf\xbf", 4, 0 }, /* overlong */
    { "\xed\xa0\x80", 3, 0 },     /* surrogate */
    { "\xed\xbf\xbf", 3, 0 },     /* surrogate */
    { "\xf4\x90\x80\x80", 4, 0 }, /* beyond U+10FFFF */
    { "\xf5\x80\x80\x80", 4, 0 },
    { "\xff", 1, 0 },
    { "\xc3", 1, 0 }, /* cut */
    { "\xe2\x82", 2, 0 },
    { "\xf0\x9f\x98", 3, 0 },
    { "\xc3(", 2, 0 }, /* tail missing */
    { "\xe2(\xac", 3, 0 },
    { "\xe2\x82(", 3, 0 },
    { "\xf0\x9f(\x80", 4, 0 },
    { "\xf0\x9f\x98(", 4, 0 },
    { "abcdefgh\x80", 9, 8 },
    { "abcdefghi\xc3\xa9\xff", 12, 11 },
    { "\xc3\xa9\xc3\xa9"
      "abcdefgh\xe2\x82",
      14, 12 },
};

START_TEST(the_first_bad_byte_is_found)
{
    ck_assert_uint_eq(utf8_valid_prefix(invalid[_i].text, invalid[_i].len), invalid[_i].valid);
    uint32_t point = 0;
    size_t left = invalid[_i].len - invalid[_i].valid;
    ck_assert_uint_eq(utf8_read(invalid[_i].text + invalid[_i].valid, left, &point), 1);
    ck_assert_uint_eq(point, 0xFFFD);
}
END_TEST

START_TEST(valid_text_of_every_length_and_alignment_is_valid)
{
    static const char text[] =
        "abcdefghijklmnop\xc3\xa9qrstuvwxyz\xe2\x82\xac\xf0\x9f\x98\x80 0123";
    size_t len = sizeof text - 1;
    for (size_t start = 0; start < 16; start++) {
        ck_assert_uint_eq(utf8_valid_prefix(text + start, len - start), len - start);
    }
    ck_assert_uint_eq(utf8_valid_prefix("", 0), 0);
}
END_TEST

START_TEST(lengths_and_offsets_count_code_points)
{
    static const char text[] = "h\xc3\xa9llo w\xe2\x82\xacrld \xf0\x9f\x98\x80!";
    size_t len = sizeof text - 1;
    ck_assert_uint_eq(utf8_length(text, len), 14);
    ck_assert_uint_eq(utf8_length(text, 0), 0);
    ck_assert_uint_eq(utf8_offset(text, len, 0), 0);
    ck_assert_uint_eq(utf8_offset(text, len, 1), 1);
    ck_assert_uint_eq(utf8_offset(text, len, 2), 3);
    ck_assert_uint_eq(utf8_offset(text, len, 13), len - 1);
    ck_assert_uint_eq(utf8_offset(text, len, 14), len);
    ck_assert_uint_eq(utf8_offset(text, len, 99), len);
    for (size_t n = 0; n <= 14; n++) {
        ck_assert_uint_eq(utf8_length(text, utf8_offset(text, len, n)), n);
    }
}
END_TEST

START_TEST(nothing_is_read_at_the_end)
{
    uint32_t point = 7;
    ck_assert_uint_eq(utf8_read("", 0, &point), 0);
    ck_assert_uint_eq(point, 7);
}
END_TEST

START_TEST(white_space_is_that_of_unicode)
{
    static const uint32_t spaces[] = { 9,      10,     11,     12,     13,     32,
                                       0x85,   0xA0,   0x1680, 0x2000, 0x2005, 0x200A,
                                       0x2028, 0x2029, 0x202F, 0x205F, 0x3000 };
    for (size_t i = 0; i < sizeof spaces / sizeof spaces[0]; i++) {
        ck_assert(utf8_is_space(spaces[i]));
    }
    size_t count = 0;
    for (uint32_t point = 0; point <= 0x10FFFF; point++) {
        count += utf8_is_space(point);
    }
    ck_assert_uint_eq(count, 25);
    ck_assert(!utf8_is_space(0x200B));
    ck_assert(!utf8_is_space(0xFEFF));
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("utf8");
    TCase *tests = tcase_create("utf8");
    tcase_add_test(tests, every_code_point_goes_there_and_back);
    tcase_add_loop_test(tests, the_first_bad_byte_is_found, 0, sizeof invalid / sizeof invalid[0]);
    tcase_add_test(tests, valid_text_of_every_length_and_alignment_is_valid);
    tcase_add_test(tests, lengths_and_offsets_count_code_points);
    tcase_add_test(tests, nothing_is_read_at_the_end);
    tcase_add_test(tests, white_space_is_that_of_unicode);
    suite_add_tcase(suite, tests);
    return suite;
}
