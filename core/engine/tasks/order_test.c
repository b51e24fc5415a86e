/* SPDX-License-Identifier: MIT */
/*
 * The order of merged records against a model that keeps each record's whole path and sorts by it.
 */
#include <stdlib.h>
#include <string.h>

#include "engine/tasks/order.h"
#include "unit.h"

/* Each run's own number, to see where an entry came from. */
static const uint16_t own_numbers[] = { 0, 1 };

enum { PATH_MAX_LENGTH = 24, RECORDS_MAX = 400, STREAMS_MAX = 24, BATCH = 6 };

/* Where a record has come along: pairs of (position at the branch point, branch). */
struct path {
    uint32_t steps[PATH_MAX_LENGTH];
    uint32_t length;
    uint32_t item; /* tells copies of one record apart */
};

/* A stream of the model beside that of the code under test. */
struct stream {
    weir_entry entries[RECORDS_MAX];
    struct path paths[RECORDS_MAX];
    uint32_t count;
};

struct model {
    struct stream *streams[STREAMS_MAX];
    uint32_t count;
    struct arena arena;
    struct order order;
    unsigned seed;
    uint32_t next_item;
};

static uint32_t pick(struct model *m, uint32_t below)
{
    return (uint32_t)rand_r(&m->seed) % below;
}

static int compare_paths(const struct path *a, const struct path *b)
{
    for (uint32_t i = 0; i < a->length && i < b->length; i++) {
        if (a->steps[i] != b->steps[i]) {
            return a->steps[i] < b->steps[i] ? -1 : 1;
        }
    }
    return 0;
}

static struct stream *add_stream(struct model *m)
{
    struct stream *stream = arena_zeroed(&m->arena, sizeof *stream);
    require(stream != NULL, "no memory");
    m->streams[m->count++] = stream;
    return stream;
}

static void start(struct model *m, unsigned seed)
{
    *m = (struct model){ .seed = seed };
    arena_init(&m->arena, 1 << 20);
    require(order_start(&m->order, &m->arena, 64, BATCH), "no memory");
    struct stream *input = add_stream(m);
    for (uint32_t i = 0; i < BATCH; i++) {
        input->entries[i] = (weir_entry){ NULL, i, 0, 0 };
        input->paths[i] = (struct path){ { i }, 1, m->next_item++ };
    }
    input->count = BATCH;
}

/* Each record 0 to 3 times, as a filter or a flat_map does; copies inherit the number. */
static void multiply(struct model *m, struct stream *s)
{
    struct stream *made = arena_zeroed(&m->arena, sizeof *made);
    for (uint32_t i = 0; i < s->count; i++) {
        for (uint32_t copies = pick(m, 3); copies > 0 && made->count < RECORDS_MAX / 8; copies--) {
            made->entries[made->count] = s->entries[i];
            made->paths[made->count] = s->paths[i];
            made->paths[made->count++].item = m->next_item++;
        }
    }
    *s = *made;
}

static void branch(struct model *m, uint32_t index)
{
    struct stream in = *m->streams[index];
    uint32_t width = 2 + pick(m, 2);
    struct run runs[3];
    if (in.count > 0 && in.paths[0].length + 2 > PATH_MAX_LENGTH) {
        return;
    }
    require(order_branch(&m->order, &m->arena, (struct run){ in.entries, in.count }, width, runs),
            "no memory");
    for (uint32_t b = 0; b < width; b++) {
        struct stream *out = b == 0 ? m->streams[index] : add_stream(m);
        out->count = in.count;
        for (uint32_t i = 0; i < in.count; i++) {
            out->entries[i] = runs[b].entries[i];
            out->paths[i] = in.paths[i];
            out->paths[i].steps[out->paths[i].length++] = i;
            out->paths[i].steps[out->paths[i].length++] = b;
        }
    }
}

/* A step with outputs: at each of them it emits a record 0 to 2 times, in a mixed order. */
static void split(struct model *m, uint32_t index)
{
    struct stream in = *m->streams[index];
    uint32_t width = 2 + pick(m, 2);
    struct run numbered;
    if ((in.count > 0 && in.paths[0].length + 2 > PATH_MAX_LENGTH) || in.count > RECORDS_MAX / 8) {
        return;
    }
    const struct run incoming = { in.entries, in.count };
    require(order_number(&m->order, &m->arena, incoming, width, &numbered), "no memory");
    struct stream *outs[3];
    for (uint32_t b = 0; b < width; b++) {
        outs[b] = b == 0 ? m->streams[index] : add_stream(m);
        outs[b]->count = 0;
    }
    for (uint32_t i = 0; i < in.count; i++) {
        for (uint32_t emissions = pick(m, 4); emissions > 0; emissions--) {
            uint32_t b = pick(m, width);
            struct path path = in.paths[i];
            path.steps[path.length++] = i;
            path.steps[path.length++] = b;
            path.item = m->next_item++;
            outs[b]->entries[outs[b]->count] = numbered.entries[i];
            outs[b]->paths[outs[b]->count++] = path;
        }
    }
    for (uint32_t b = 0; b < width; b++) {
        order_output(outs[b]->entries, outs[b]->count, b);
    }
}

/* Merges two streams in the model by insertion, which keeps the order within each. */
static void merge_model(const struct stream *a, const struct stream *b, struct path *ret_paths)
{
    uint32_t ia = 0;
    uint32_t ib = 0;
    while (ia < a->count || ib < b->count) {
        bool takes_b =
            ia == a->count || (ib < b->count && compare_paths(&b->paths[ib], &a->paths[ia]) < 0);
        ret_paths[ia + ib] = takes_b ? b->paths[ib] : a->paths[ia];
        ib += takes_b;
        ia += !takes_b;
    }
}

static void merge(struct model *m, uint32_t first, uint32_t second)
{
    struct stream *a = m->streams[first];
    const struct stream *b = m->streams[second];
    if (first == second || a->count + b->count > RECORDS_MAX) {
        return;
    }
    struct run runs[2] = { { b->entries, b->count }, { a->entries, a->count } };
    struct run merged;
    require(order_merge(&m->order, &m->arena, runs, 2, own_numbers, &merged), "no memory");
    struct path paths[RECORDS_MAX];
    merge_model(a, b, paths);
    require(merged.count == a->count + b->count, "%u entries of %u and %u", merged.count, a->count,
            b->count);

    /* The code under test moves entries only: find each one's path in the stream it came from. */
    uint32_t positions[2] = { 0, 0 };
    struct stream *result = arena_zeroed(&m->arena, sizeof *result);
    for (uint32_t i = 0; i < merged.count; i++) {
        uint32_t run = merged.entries[i].input;
        const struct stream *from = run == 0 ? b : a;
        require(from->paths[positions[run]].item == paths[i].item, "entry %u of %u", i,
                merged.count);
        positions[run]++;
        result->entries[i] = merged.entries[i];
        result->paths[i] = paths[i];
    }
    result->count = merged.count;
    *a = *result;
    m->streams[second] = m->streams[--m->count];
}

START_TEST(merged_records_stand_as_if_each_had_run_alone)
{
    for (unsigned seed = 1; seed <= 3000; seed++) {
        struct model m;
        start(&m, seed);
        for (int step = 0; step < 14; step++) {
            uint32_t index = pick(&m, m.count);
            switch (pick(&m, 4)) {
            case 0:
                multiply(&m, m.streams[index]);
                break;
            case 1:
                if (m.count + 3 < STREAMS_MAX) {
                    branch(&m, index);
                }
                break;
            case 2:
                if (m.count + 3 < STREAMS_MAX) {
                    split(&m, index);
                }
                break;
            default:
                merge(&m, index, pick(&m, m.count));
                break;
            }
        }
        while (m.count > 1) {
            uint32_t before = m.count;
            merge(&m, 0, m.count - 1);
            if (m.count == before) {
                break; /* too many records for the model's room */
            }
        }
        arena_deinit(&m.arena);
    }
}
END_TEST

START_TEST(branches_of_one_record_follow_each_other)
{
    struct arena arena;
    struct order order;
    struct run runs[2];
    struct run merged;
    weir_entry in[2] = { { NULL, 0, 0, 0 }, { NULL, 1, 0, 0 } };
    arena_init(&arena, 0);
    ck_assert(order_start(&order, &arena, 1, 2));
    ck_assert(order_branch(&order, &arena, (struct run){ in, 2 }, 2, runs));
    ck_assert(order_merge(&order, &arena, runs, 2, own_numbers, &merged));
    ck_assert_uint_eq(merged.count, 4);
    static const uint16_t wanted[4] = { 0, 1, 0, 1 };
    for (int i = 0; i < 4; i++) {
        ck_assert_uint_eq(merged.entries[i].input, wanted[i]);
    }
    arena_deinit(&arena);
}
END_TEST

/* Items of one record share its number; a step with outputs must still tell them apart. */
START_TEST(items_of_one_record_keep_their_order_over_two_outputs)
{
    struct arena arena;
    struct order order;
    struct run run;
    struct run merged;
    weir_entry in[3] = { { NULL, 0, 0, 0 }, { NULL, 0, 0, 0 }, { NULL, 0, 0, 0 } };
    arena_init(&arena, 0);
    ck_assert(order_start(&order, &arena, 1, 1));
    ck_assert(order_number(&order, &arena, (struct run){ in, 3 }, 2, &run));
    weir_entry first[2] = { run.entries[1], run.entries[1] };
    weir_entry second[3] = { run.entries[0], run.entries[1], run.entries[2] };
    order_output(first, 2, 0);
    order_output(second, 3, 1);
    struct run runs[2] = { { first, 2 }, { second, 3 } };
    ck_assert(order_merge(&order, &arena, runs, 2, own_numbers, &merged));
    ck_assert_uint_eq(merged.count, 5);
    static const uint16_t wanted[5] = { 1, 0, 0, 1, 1 };
    for (int i = 0; i < 5; i++) {
        ck_assert_uint_eq(merged.entries[i].input, wanted[i]);
    }
    arena_deinit(&arena);
}
END_TEST

START_TEST(an_empty_batch_passes_branch_and_merge)
{
    struct arena arena;
    struct order order;
    struct run runs[3];
    struct run merged;
    arena_init(&arena, 0);
    ck_assert(order_start(&order, &arena, 1, 0));
    ck_assert(order_branch(&order, &arena, (struct run){ NULL, 0 }, 3, runs));
    ck_assert(order_merge(&order, &arena, runs, 3, NULL, &merged));
    ck_assert_uint_eq(merged.count, 0);
    arena_deinit(&arena);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("order");
    TCase *tc = tcase_create("order");
    tcase_set_timeout(tc, 60);
    tcase_add_test(tc, merged_records_stand_as_if_each_had_run_alone);
    tcase_add_test(tc, branches_of_one_record_follow_each_other);
    tcase_add_test(tc, items_of_one_record_keep_their_order_over_two_outputs);
    tcase_add_test(tc, an_empty_batch_passes_branch_and_merge);
    suite_add_tcase(s, tc);
    return s;
}
