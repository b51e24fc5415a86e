/* SPDX-License-Identifier: MIT */
/*
 * Inputs that are made up: records with times, what of them has been read, and whether more may come.
 */
#include <stdio.h>
#include <string.h>

#include "engine/tasks/align.h"
#include "unit.h"

enum { INPUTS = 3, RECORDS = 8 };

/*
 * times        ended by 0
 * is_awaited   more comes behind the last
 */
struct input {
    int64_t times[RECORDS];
    bool is_awaited;
    uint32_t next;
};

static struct align_head head_of(const struct input *input)
{
    int64_t time = input->times[input->next];
    if (time == 0) {
        return (struct align_head){ input->is_awaited ? ALIGN_AWAITED : ALIGN_EMPTY, 0 };
    }
    return (struct align_head){ ALIGN_TIMED, time };
}

/* What goes, in order, as the number of the input and the time; then '.' for the end, '?' for waiting. A
 * piece that goes at once stands in brackets. */
static void run(struct input *inputs, char *out, size_t room)
{
    size_t used = 0;
    for (;;) {
        struct align_head heads[INPUTS];
        for (uint32_t i = 0; i < INPUTS; i++) {
            heads[i] = head_of(&inputs[i]);
        }
        uint32_t first = align_first(heads, INPUTS);
        if (first == ALIGN_NOTHING || first == ALIGN_WAIT) {
            snprintf(out + used, room - used, "%c", first == ALIGN_WAIT ? '?' : '.');
            return;
        }
        struct input *input = &inputs[first];
        int64_t until = align_until(heads, INPUTS, first);
        ck_assert_int_le(input->times[input->next], until); /* it gets on */
        used += (size_t)snprintf(out + used, room - used, "[");
        while (input->times[input->next] != 0 && input->times[input->next] <= until) {
            used += (size_t)snprintf(out + used, room - used, " %c%lld", 'a' + (char)first,
                                     (long long)input->times[input->next++]);
        }
        used += (size_t)snprintf(out + used, room - used, " ]");
    }
}

#define ENDED(...)                                                                                 \
 {                                                                                                 \
  .times = { __VA_ARGS__ }                                                                         \
 }
#define AWAITED(...)                                                                               \
 {                                                                                                 \
  .times = { __VA_ARGS__ }, .is_awaited = true                                                     \
 }

static const struct {
    const char *title;
    struct input inputs[INPUTS];
    const char *wanted;
} cases[] = {
    { "nothing anywhere", { ENDED(0) }, "." },
    { "one input goes as a whole", { ENDED(10, 11, 5, 12) }, "[ a10 a11 a5 a12 ]." },
    { "the oldest goes first, then one that is drained is waited for",
      { AWAITED(10, 13), AWAITED(11, 12) },
      "[ a10 ][ b11 b12 ]?" },
    { "an input that is at its end holds nobody back",
      { ENDED(10, 13), ENDED(11, 12) },
      "[ a10 ][ b11 b12 ][ a13 ]." },
    { "one that is empty from the start neither", { ENDED(10, 13), ENDED(0) }, "[ a10 a13 ]." },
    { "one whose records come yet does", { ENDED(10, 13), AWAITED(0) }, "?" },
    { "where nobody has anything there is nothing to wait for", { AWAITED(0), AWAITED(0) }, "." },
    { "of equal ones the first goes first",
      { ENDED(10, 10, 12), ENDED(10, 12), ENDED(10) },
      "[ a10 a10 ][ b10 ][ c10 ][ a12 ][ b12 ]." },
    { "runs stay long where topics do not interleave",
      { ENDED(1, 2, 3, 10), ENDED(4, 5, 6, 11) },
      "[ a1 a2 a3 ][ b4 b5 b6 ][ a10 ][ b11 ]." },
    { "a late record comes late and holds nobody back",
      { ENDED(10, 30, 5, 31), ENDED(20, 25, 32) },
      "[ a10 ][ b20 b25 ][ a30 a5 a31 ][ b32 ]." },
    { "the earliest and the latest time are times",
      { ENDED(INT64_MAX), ENDED(INT64_MIN, INT64_MAX) },
      "[ b-9223372036854775808 ][ a9223372036854775807 ][ b9223372036854775807 ]." },
};

START_TEST(records_go_by_time)
{
    struct input inputs[INPUTS];
    char got[512];
    memcpy(inputs, cases[_i].inputs, sizeof inputs);
    run(inputs, got, sizeof got);
    ck_assert_msg(strcmp(got, cases[_i].wanted) == 0, "%s: %s, wanted %s", cases[_i].title, got,
                  cases[_i].wanted);
}
END_TEST

/* What could not be decoded has no time. */
START_TEST(what_has_no_time_goes_at_once)
{
    const struct align_head heads[] = {
        { ALIGN_TIMED, INT64_MIN }, { ALIGN_FREE, 0 }, { ALIGN_AWAITED, 0 }, { ALIGN_FREE, 0 }
    };
    ck_assert_uint_eq(align_first(heads, 4), 1);
    ck_assert_uint_eq(align_first(heads, 1), 0);
    ck_assert_uint_eq(align_first(heads + 2, 2), 1);
    const struct align_head awaited[] = { { ALIGN_TIMED, 1 }, { ALIGN_AWAITED, 0 } };
    ck_assert_uint_eq(align_first(awaited, 2), ALIGN_WAIT);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("align");
    TCase *tests = tcase_create("align");
    tcase_add_loop_test(tests, records_go_by_time, 0, sizeof cases / sizeof cases[0]);
    tcase_add_test(tests, what_has_no_time_goes_at_once);
    suite_add_tcase(made, tests);
    return made;
}
