/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/gap.h"

#include <string.h>

#include "log/kafka/kafka_log.h"
#include "unit.h"

/* The broker keeps 10 to 20. */
static const struct {
    int lost_offsets;
    int64_t wanted;
    int64_t position; /* -1: refused */
    int64_t lost;
} cases[] = {
    { KAFKA_LOST_FAIL, 10, 10, 0 },     { KAFKA_LOST_FAIL, 15, 15, 0 },
    { KAFKA_LOST_FAIL, 20, 20, 0 },     { KAFKA_LOST_FAIL, 9, -1, 0 },
    { KAFKA_LOST_FAIL, 21, -1, 0 },     { KAFKA_LOST_EARLIEST, 9, 10, 1 },
    { KAFKA_LOST_EARLIEST, 0, 10, 10 }, { KAFKA_LOST_EARLIEST, 21, 10, 0 },
    { KAFKA_LOST_EARLIEST, 15, 15, 0 }, { KAFKA_LOST_LATEST, 9, 20, 11 },
    { KAFKA_LOST_LATEST, 21, 20, 0 },   { KAFKA_LOST_LATEST, 20, 20, 0 },
};

START_TEST(a_gap_is_passed_as_the_file_says)
{
    struct kafka_settings settings = { .lost_offsets = cases[_i].lost_offsets };
    struct kafka_log log = { .settings = &settings };
    struct kafka_gap gap = {
        .topic = "t", .partition = 3, .wanted = cases[_i].wanted, .low = 10, .high = 20
    };
    struct log_share share = { .lost = 99 };
    struct error error = { 0 };
    weir_status st = kafka_gap_pass(&log, &gap, &share, &error);
    if (cases[_i].position < 0) {
        char wanted[200];
        snprintf(wanted, sizeof wanted,
                 "topic 't' partition 3: this pipeline has read up to offset %d, but %s",
                 (int)cases[_i].wanted,
                 cases[_i].wanted > 20 ? "it ends at 20" : "the broker keeps 10 to 20 only");
        ck_assert_int_eq(st, WEIR_E_DATA);
        ck_assert_str_eq(error.message, wanted);
        ck_assert(strstr(error.hint, "'lost_offsets: earliest'") != NULL);
        return;
    }
    ck_assert_int_eq(st, WEIR_OK);
    ck_assert_int_eq(share.position, cases[_i].position);
    ck_assert_int_eq(share.lost, cases[_i].lost);
}
END_TEST

Suite *suite(void)
{
    TCase *tests = tcase_create("gap");
    tcase_add_loop_test(tests, a_gap_is_passed_as_the_file_says, 0, sizeof cases / sizeof cases[0]);
    Suite *made = suite_create("kafka gap");
    suite_add_tcase(made, tests);
    return made;
}
