/* SPDX-License-Identifier: MIT */
#include "engine/limits.h"

#include "pipeline/memory_split.h"
#include "unit.h"

#define MIB (UINT64_C(1) << 20)

static struct end sink_end = { .kind = END_SINK };
static struct stream work = { .name = "work", .ends = &sink_end, .end_count = 1 };
static struct stream *streams[] = { &work };

static struct limits limits_of(int64_t memory, struct end *letters)
{
    struct pipeline pipeline = {
        .streams = streams, .stream_count = 1, .memory_bytes = memory, .dead_letters = letters
    };
    struct limits limits;
    limits_set(&limits, &pipeline, 2, 1, 4);
    return limits;
}

START_TEST(without_a_budget_nothing_is_held_back)
{
    struct limits limits = limits_of(0, NULL);
    ck_assert_uint_eq(limits.queue, UINT64_MAX);
    ck_assert_uint_eq(limits.free_roots, UINT64_MAX);
    ck_assert_uint_eq(limits.poll, 0);
}
END_TEST

/* All of a turn may become letters, and their sink has a queue as any other. */
START_TEST(dead_letters_have_a_share_of_the_budget)
{
    struct limits without = limits_of(64 << 20, NULL);
    struct limits with = limits_of(64 << 20, &sink_end);
    ck_assert_uint_eq(without.queue, 8 * MIB);
    ck_assert_uint_eq(with.queue, 4 * MIB);
    ck_assert_uint_eq(without.free_roots, 4 * MIB); /* of each of two workers */
    ck_assert_uint_eq(3 * with.free_roots, 8 * MIB - 8 * MIB % 3);
    ck_assert_uint_eq(without.read, 512 * 1024);
    ck_assert_uint_le(16 * with.read, with.free_roots);
    ck_assert_uint_eq(without.poll, 2 * with.poll);
}
END_TEST

START_TEST(a_topic_of_letters_has_no_queue)
{
    struct end topic_end = { .kind = END_TOPIC };
    ck_assert_uint_eq(limits_of(64 << 20, &topic_end).queue, 8 * MIB);
}
END_TEST

START_TEST(a_sink_of_letters_raises_the_least_that_works)
{
    struct pipeline pipeline = { .streams = streams, .stream_count = 1 };
    uint64_t least = memory_least(&pipeline);
    pipeline.dead_letters = &sink_end;
    ck_assert_uint_eq(memory_least(&pipeline), least + 4 * MIB);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("limits");
    TCase *tests = tcase_create("limits");
    tcase_add_test(tests, without_a_budget_nothing_is_held_back);
    tcase_add_test(tests, dead_letters_have_a_share_of_the_budget);
    tcase_add_test(tests, a_topic_of_letters_has_no_queue);
    tcase_add_test(tests, a_sink_of_letters_raises_the_least_that_works);
    suite_add_tcase(made, tests);
    return made;
}
