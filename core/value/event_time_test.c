/* SPDX-License-Identifier: MIT */
/*
 * What counts as an event time, and to which millisecond it belongs.
 */
#include "value/event_time.h"

#include <string.h>

#include "unit.h"

static weir_value text(const char *s)
{
    return weir_text_value(s, (uint32_t)strlen(s));
}

static weir_value number(const char *s)
{
    weir_value v = text(s);
    v.tag = WEIR_NUMBER;
    return v;
}

static weir_value instant(int64_t count, uint16_t digits)
{
    weir_value v = weir_int(count);
    v.tag = WEIR_TIMESTAMP;
    v.aux = digits;
    return v;
}

START_TEST(times_become_milliseconds)
{
    const struct {
        weir_value v;
        int64_t ms;
    } cases[] = {
        { weir_int(0), 0 },
        { weir_int(-5), -5 },
        { number("12"), 12 },
        { text("1970-01-01T00:00:01.5Z"), 1500 },
        { text("1970-01-02"), 86400000 },
        { text("1970-01-01T02:00:00+02:00"), 0 },
        { instant(7, 0), 7000 },
        { instant(7, 3), 7 },
        { instant(1999, 6), 1 },
        { instant(-1, 6), -1 }, /* rounded down, also before 1970 */
        { instant(-1000000, 9), -1 },
        { instant(-1000001, 9), -2 },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ms = 77;
        const char *fault = NULL;
        ck_assert_msg(event_time_ms(&cases[i].v, &ms, &fault), "case %zu: %s", i, fault);
        ck_assert_msg(ms == cases[i].ms, "case %zu: %lld", i, (long long)ms);
    }
}
END_TEST

START_TEST(what_is_no_time_says_why)
{
    const struct {
        weir_value v;
        const char *fault;
    } cases[] = {
        { weir_null(), "is null" },
        { weir_bool(1), "neither an int" },
        { weir_float(1.0), "neither an int" },
        { weir_list_value(NULL, 0), "neither an int" },
        { text("yesterday"), "no RFC 3339 time" },
        { text(""), "no RFC 3339 time" },
        { number("9223372036854775808"), "does not fit in 64 bits" },
        { instant(INT64_MAX, 0), "does not fit in 64 bits" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        int64_t ms = 0;
        const char *fault = NULL;
        ck_assert_msg(!event_time_ms(&cases[i].v, &ms, &fault), "case %zu", i);
        ck_assert_ptr_nonnull(fault);
        ck_assert_msg(strstr(fault, cases[i].fault) != NULL, "case %zu: %s", i, fault);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("event_time");
    TCase *tests = tcase_create("event_time");
    tcase_add_test(tests, times_become_milliseconds);
    tcase_add_test(tests, what_is_no_time_says_why);
    suite_add_tcase(made, tests);
    return made;
}
