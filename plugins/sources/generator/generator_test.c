/* SPDX-License-Identifier: MIT */
/* The source `generator`: what it makes, when, and how it goes on. */
#include "support/testing/source_fixture.h"

#include <string.h>

#include "unit.h"

static struct fixture f;
static struct kept_position position;
static weir_status last_status;

static void setup(void)
{
    position.size = 0;
}

static void teardown(void)
{
    fixture_deinit(&f);
}

static const char *open_source(const char *body, uint32_t flags)
{
    return fixture_open_source(&f, "source_generator", body, &position, flags);
}

static const char *poll_source(uint32_t max_records)
{
    return fixture_poll(&f, max_records, &last_status);
}

static void checkpoint(void)
{
    fixture_checkpoint(&f, &position);
}

START_TEST(makes_fields_of_its_numbers)
{
    ck_assert_str_eq(open_source("{count: 3, start: 2026-01-01, fields: {id: n * 10, at.ms: t, "
                                 "in_range: r >= 0 and r < 1}}",
                                 0),
                     "");
    ck_assert_str_eq(poll_source(2),
                     "{\"id\":0,\"at\":{\"ms\":1767225600000},\"in_range\":true}\n"
                     "{\"id\":10,\"at\":{\"ms\":1767225600001},\"in_range\":true}\n");
    ck_assert_int_eq(f.call.outputs[0].entries[1].record->timestamp, 1767225600001);
    ck_assert_str_eq(poll_source(2),
                     "{\"id\":20,\"at\":{\"ms\":1767225600002},\"in_range\":true}\n");
    ck_assert_str_eq(poll_source(2), "");
    ck_assert_int_eq(last_status, WEIR_END);
}
END_TEST

START_TEST(starts_in_1970_where_that_is_asked_for)
{
    ck_assert_str_eq(open_source("{count: 1, start: 1970-01-01, value: t}", 0), "");
    ck_assert_str_eq(poll_source(9), "0\n");
    ck_assert_str_eq(open_source("{count: 1, value: t}", 0), "");
    ck_assert_str_eq(poll_source(9), "1000000\n");
}
END_TEST

START_TEST(makes_the_value_as_a_whole)
{
    ck_assert_str_eq(open_source("{count: 2, value: '[n, {a: n + 1}]'}", 0), "");
    ck_assert_str_eq(poll_source(9), "[0,{\"a\":1}]\n[1,{\"a\":2}]\n");
}
END_TEST

START_TEST(fails_a_record_and_goes_on)
{
    ck_assert_str_eq(open_source("{count: 3, fields: {a: 6 // (n - 1)}}", 0), "");
    const char *answer = poll_source(9);
    ck_assert_msg(strstr(answer, "{\"a\":-6}\n{\"a\":6}\n! 1: ") == answer, "%s", answer);
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_END);
}
END_TEST

/* The random numbers of the first eight records, in polls of so many. */
static const char *random_numbers(const char *seed, uint32_t max_records)
{
    static char told[4096];
    char body[128];
    snprintf(body, sizeof body, "{count: 8, seed: %s, value: '[r, r2, r3, r4]'}", seed);
    position.size = 0;
    told[0] = '\0';
    ck_assert_str_eq(open_source(body, 0), "");
    do {
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s", poll_source(max_records));
    } while (last_status == WEIR_OK);
    return told;
}

START_TEST(is_the_same_for_one_seed_and_another_for_another)
{
    char first[4096];
    snprintf(first, sizeof first, "%s", random_numbers("1", 100));
    ck_assert_str_eq(random_numbers("1", 3), first);
    ck_assert_str_ne(random_numbers("2", 3), first);
    ck_assert_str_ne(random_numbers("-1", 3), first);
}
END_TEST

START_TEST(spreads_its_random_numbers_evenly)
{
    enum { RECORDS = 4000, BINS = 10 };
    uint32_t bins[4][BINS] = { 0 };
    ck_assert_str_eq(open_source("{value: '[r, r2, r3, r4]'}", 0), "");
    poll_source(RECORDS);
    for (uint32_t i = 0; i < RECORDS; i++) {
        const weir_value *list = &f.call.outputs[0].entries[i].record->value;
        for (uint32_t k = 0; k < 4; k++) {
            double number = list->as.items[k].as.f64;
            ck_assert(number >= 0 && number < 1);
            bins[k][(int)(number * BINS)]++;
        }
    }
    for (uint32_t k = 0; k < 4; k++) {
        for (uint32_t i = 0; i < BINS; i++) {
            ck_assert_uint_gt(bins[k][i], RECORDS / BINS * 8 / 10);
            ck_assert_uint_lt(bins[k][i], RECORDS / BINS * 12 / 10);
        }
    }
}
END_TEST

START_TEST(goes_on_at_its_position)
{
    const char *body = "{count: 5, rate: 1000, value: '[n, t]'}";
    f.now_ms = 0;
    ck_assert_str_eq(open_source(body, 0), "");
    ck_assert_str_eq(poll_source(9), "[0,1000000]\n");
    f.monotonic_ns += 2000000;
    ck_assert_str_eq(poll_source(9), "[1,1000001]\n[2,1000002]\n");
    checkpoint();
    ck_assert_str_eq(open_source(body, 0), "");
    ck_assert_str_eq(poll_source(9), "[3,1000003]\n");
    f.monotonic_ns += 1000000000;
    ck_assert_str_eq(poll_source(9), "[4,1000004]\n");
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_END);
}
END_TEST

START_TEST(keeps_to_its_rate)
{
    ck_assert_str_eq(open_source("{rate: 2, value: n}", 0), "");
    ck_assert_str_eq(poll_source(9), "0\n");
    ck_assert_str_eq(poll_source(9), "");
    ck_assert_int_eq(last_status, WEIR_AGAIN);
    f.monotonic_ns += 499000000;
    ck_assert_str_eq(poll_source(9), "");
    f.monotonic_ns += 2000000;
    ck_assert_str_eq(poll_source(9), "1\n");
    f.monotonic_ns += 2000000000;
    ck_assert_str_eq(poll_source(3), "2\n3\n4\n");
    ck_assert_str_eq(poll_source(3), "5\n");
    ck_assert_str_eq(poll_source(3), "");
}
END_TEST

START_TEST(refuses_what_cannot_be)
{
    struct fixture refused;
    ck_assert(!fixture_init(&refused, "source_generator", "{fields: {a: n}, value: n}"));
    ck_assert_str_eq(refused.complaint,
                     "'fields' and 'value' both say what the record is; remove one of them");
    fixture_deinit(&refused);
    ck_assert_str_eq(open_source("{value: n}", WEIR_SOURCE_UNTIL_END),
                     "!! the source 'generator' has no end to run until\n");
    position = (struct kept_position){ "nonsense", 8 };
    ck_assert_str_eq(open_source("{value: n}", 0),
                     "!! cannot read the stored position of the source 'generator'\n");
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("generator");
    TCase *tests = tcase_create("generator");
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, makes_fields_of_its_numbers);
    tcase_add_test(tests, starts_in_1970_where_that_is_asked_for);
    tcase_add_test(tests, makes_the_value_as_a_whole);
    tcase_add_test(tests, fails_a_record_and_goes_on);
    tcase_add_test(tests, is_the_same_for_one_seed_and_another_for_another);
    tcase_add_test(tests, spreads_its_random_numbers_evenly);
    tcase_add_test(tests, goes_on_at_its_position);
    tcase_add_test(tests, keeps_to_its_rate);
    tcase_add_test(tests, refuses_what_cannot_be);
    suite_add_tcase(made, tests);
    return made;
}
