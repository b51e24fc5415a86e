/* SPDX-License-Identifier: MIT */
#include "cli/spans.h"

#include <string.h>

#include "base/buffer.h"
#include "unit.h"

static struct spans spans;
static weir_buffer out;

static void start(void)
{
    spans = (struct spans){ .list = NULL };
    buffer_init(&out, 1 << 20);
}

static void finish(void)
{
    spans_deinit(&spans);
    buffer_deinit(&out);
}

static const char *text(void)
{
    buffer_clear(&out);
    ck_assert_int_eq(spans_write(&spans, &out), WEIR_OK);
    return buffer_c_string(&out);
}

static bool read_text(const char *from)
{
    spans_deinit(&spans);
    return spans_read(&spans, (weir_slice){ (const uint8_t *)from, strlen(from) });
}

START_TEST(neighbours_become_one_span)
{
    const int64_t offsets[] = { 7, 0, 2, 1, 9, 8, 0 };
    static const char *const texts[] = { "7-7",         "0-0,7-7", "0-0,2-2,7-7", "0-2,7-7",
                                         "0-2,7-7,9-9", "0-2,7-9", "0-2,7-9" };
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        ck_assert(spans_add(&spans, offsets[i]));
        ck_assert_str_eq(text(), texts[i]);
    }
    ck_assert(spans_has(&spans, 0) && spans_has(&spans, 2) && spans_has(&spans, 8));
    ck_assert(!spans_has(&spans, 3) && !spans_has(&spans, 6) && !spans_has(&spans, 10));
}
END_TEST

START_TEST(a_text_comes_back)
{
    ck_assert(read_text(""));
    ck_assert_str_eq(text(), "");
    ck_assert(read_text("0-4,7-7,9000000000-9223372036854775807"));
    ck_assert_str_eq(text(), "0-4,7-7,9000000000-9223372036854775807");
}
END_TEST

static const char *const wrong[] = { "x",       "1",       "1-",
                                     "-1",      "4-3",     "1-2,2-3",
                                     "1-2;4-5", "1-2,3-4", "9223372036854775808-1" };

START_TEST(other_texts_are_refused)
{
    ck_assert_msg(!read_text(wrong[_i]), "%s", wrong[_i]);
}
END_TEST

START_TEST(is_the_same_as_a_set)
{
    bool set[200] = { false };
    unsigned seed = 1;
    for (int i = 0; i < 150; i++) {
        seed = seed * 1103515245u + 12345u;
        unsigned offset = seed / 65536u % 200u;
        set[offset] = true;
        ck_assert(spans_add(&spans, offset));
    }
    for (int i = 0; i < 200; i++) {
        ck_assert_int_eq(spans_has(&spans, i), set[i]);
    }
}
END_TEST

Suite *suite(void)
{
    TCase *tcase = tcase_create("spans");
    tcase_add_checked_fixture(tcase, start, finish);
    tcase_add_test(tcase, neighbours_become_one_span);
    tcase_add_test(tcase, a_text_comes_back);
    tcase_add_loop_test(tcase, other_texts_are_refused, 0, sizeof wrong / sizeof wrong[0]);
    tcase_add_test(tcase, is_the_same_as_a_set);
    Suite *s = suite_create("spans");
    suite_add_tcase(s, tcase);
    return s;
}
