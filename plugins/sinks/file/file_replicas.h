/* SPDX-License-Identifier: MIT */
/*
 * For tests of the sink `file` where partitions move between processes. Instances in one process stand for
 * those of several; `stored` is what the log has committed. Each step fails the test where it does.
 */
#ifndef FILE_FILE_REPLICAS_H
#define FILE_FILE_REPLICAS_H

#include "file_fixture.h"

enum { OLD, FIRST, SECOND, INSTANCES };

static const weir_origin own = { "t", 1, 0 };
static struct fixture made[INSTANCES];
static weir_buffer tokens[INSTANCES];
static const char *rolling; /* its option */

static inline void make_for(int one, const weir_origin *origin)
{
    make_one(&made[one], rolling);
    ck_assert_int_eq(sink_of(&made[one])->assign(made[one].instance->self, origin), WEIR_OK);
}

static inline void begin(int one)
{
    make_for(one, &own);
    ck_assert_str_eq(open_one(&made[one]), "");
}

static inline void write_to(int one, const char *records)
{
    ck_assert_str_eq(write_records_to(&made[one], records), "");
}

static inline void flush(int one, uint32_t flags)
{
    ck_assert_str_eq(flush_of(&made[one], &tokens[one], flags), "");
}

static inline void commit(int one)
{
    buffer_clear(&stored);
    ck_assert_int_eq(weir_buffer_append(&stored, tokens[one].data, tokens[one].size), WEIR_OK);
}

/* As the engine: there is nothing to publish where the token is empty. */
static inline void show(int one)
{
    if (tokens[one].size > 0) {
        ck_assert_str_eq(publish_of(&made[one], &tokens[one]), "");
    }
}

static inline void settle(int one, uint32_t flags)
{
    flush(one, flags);
    commit(one);
    show(one);
}

static inline void kill_one(int one)
{
    fixture_deinit(&made[one]);
}

/* Closed because its partition is lost, or at the end. */
static inline void end(int one)
{
    struct fixture *each = &made[one];
    fixture_begin(each, NULL);
    ck_assert_str_eq(
        fixture_end(each, sink_of(each)->close(each->instance->self, &each->call.context)), "");
    kill_one(one);
}

static inline void discard(int one)
{
    struct fixture *each = &made[one];
    fixture_begin(each, NULL);
    ck_assert_str_eq(
        fixture_end(each, sink_of(each)->discard(each->instance->self, &each->call.context)), "");
}

static inline void setup_all(void)
{
    setup();
    rolling = "";
    for (int i = 0; i < INSTANCES; i++) {
        buffer_init(&tokens[i], 1 << 20);
    }
}

static inline void teardown_all(void)
{
    for (int i = 0; i < INSTANCES; i++) {
        fixture_deinit(&made[i]);
        buffer_deinit(&tokens[i]);
    }
    teardown();
}

#endif
