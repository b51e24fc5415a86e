/* SPDX-License-Identifier: MIT */
/* Appending, reading, committing and asking in several threads at once, over both logs. */
#include <pthread.h>
#include <stdatomic.h>

#include "log/log_fixture.h"

static const char *const urls[] = { "memory", "local:data" };
enum { LOGS = sizeof urls / sizeof urls[0], MESSAGES = 20000, STEP = 50 };

static char *folder;
static struct log *the_log;
static struct log_topic *topic;
static atomic_bool is_done;
static atomic_int wakes;
static atomic_int asked;

static void setup(void)
{
    folder = make_folder();
}

static void teardown(void)
{
    log_close(the_log);
    remove_folder(folder);
}

static void *append_all(void *arg)
{
    uint32_t partition = *(const uint32_t *)arg;
    for (int64_t n = 0; n < MESSAGES; n += STEP) {
        append_samples(topic, partition, n, STEP);
    }
    return NULL;
}

/* Reads what comes until all of it has come. */
static void *read_all(void *arg)
{
    uint32_t partition = *(const uint32_t *)arg;
    struct error error = { 0 };
    struct arena arena;
    int64_t offset = 0;
    arena_init(&arena, 0);
    while (offset < MESSAGES) {
        struct log_message *messages = NULL;
        uint32_t count = 0;
        weir_status st = read_messages(topic, partition, offset, 333, UINT64_MAX, &arena, &messages,
                                       &count, &error);
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        for (uint32_t i = 0; i < count; i++) {
            require(is_sample(&messages[i], offset + i), "message %" PRId64, offset + i);
        }
        offset += count;
        arena_reset(&arena);
    }
    arena_deinit(&arena);
    return NULL;
}

static void *commit_often(void *arg)
{
    (void)arg;
    while (!atomic_load(&is_done)) {
        commit(the_log, "n", "1");
    }
    return NULL;
}

static void *ask_often(void *arg)
{
    (void)arg;
    struct error error = { 0 };
    while (!atomic_load(&is_done)) {
        struct log_partition_info info;
        int64_t offset = 0;
        ck_assert_int_eq(log_partition_info(topic, 0, &info, &error), WEIR_OK);
        ck_assert_int_le(info.committed_end, info.end);
        weir_status st = log_offset_at(topic, 1, 1000 + MESSAGES / 2, &offset, &error);
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        ck_assert_int_le(offset, MESSAGES / 2);
        (void)log_pending_bytes(the_log);
        free(get_fact(the_log, "group", "n"));
        atomic_fetch_add(&asked, 1);
    }
    return NULL;
}

static void count_wake(void *self, const struct log_topic *from, uint32_t partition)
{
    (void)from;
    (void)partition;
    atomic_fetch_add((atomic_int *)self, 1);
}

START_TEST(threads_append_read_and_commit_at_once)
{
    static const uint32_t numbers[] = { 0, 1 };
    pthread_t threads[6];
    the_log = open_log(urls[_i], folder, LOG_WRITE);
    topic = create_topic(the_log, "t", 2);
    log_on_append(the_log, count_wake, &wakes);
    for (size_t i = 0; i < 2; i++) {
        union {
            const void *given;
            void *taken;
        } arg = { &numbers[i] };
        ck_assert_int_eq(pthread_create(&threads[i], NULL, append_all, arg.taken), 0);
        ck_assert_int_eq(pthread_create(&threads[2 + i], NULL, read_all, arg.taken), 0);
    }
    ck_assert_int_eq(pthread_create(&threads[4], NULL, commit_often, NULL), 0);
    ck_assert_int_eq(pthread_create(&threads[5], NULL, ask_often, NULL), 0);
    for (size_t i = 0; i < 4; i++) {
        pthread_join(threads[i], NULL);
    }
    atomic_store(&is_done, true);
    pthread_join(threads[4], NULL);
    pthread_join(threads[5], NULL);
    commit(the_log, NULL, NULL);
    ck_assert_int_eq(atomic_load(&wakes), 2 * MESSAGES);
    ck_assert_int_gt(atomic_load(&asked), 0);
    for (uint32_t p = 0; p < 2; p++) {
        check_samples(topic, p, 0, MESSAGES, 0, 1000);
    }
}
END_TEST

/* Emptying and dropping under a reader's feet: it sees less, never a fault. */
static void *read_on(void *arg)
{
    (void)arg;
    struct error error = { 0 };
    struct arena arena;
    arena_init(&arena, 0);
    while (!atomic_load(&is_done)) {
        struct log_message *messages = NULL;
        uint32_t count = 0;
        weir_status st =
            read_messages(topic, 0, 0, 1500, UINT64_MAX, &arena, &messages, &count, &error);
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        for (uint32_t i = 0; i < count; i++) {
            require(is_sample(&messages[i], messages[i].offset), "message %u", i);
        }
        arena_reset(&arena);
    }
    arena_deinit(&arena);
    return NULL;
}

START_TEST(a_topic_may_be_emptied_while_it_is_read)
{
    pthread_t reader;
    struct error error = { 0 };
    the_log = open_log(urls[_i], folder, LOG_WRITE);
    topic = create_topic(the_log, "t", 1);
    ck_assert_int_eq(pthread_create(&reader, NULL, read_on, NULL), 0);
    for (int64_t n = 0; n < 40; n++) {
        append_samples(topic, 0, n * 2000, 2000);
        if (n % 3 != 0) {
            commit(the_log, NULL, NULL);
        }
        if (n % 2 == 0) {
            ck_assert_int_eq(log_topic_empty(topic, &error), WEIR_OK);
        }
    }
    atomic_store(&is_done, true);
    pthread_join(reader, NULL);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("log_threads");
    TCase *tc = tcase_create("log_threads");
    tcase_set_timeout(tc, 100);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, threads_append_read_and_commit_at_once, 0, LOGS);
    tcase_add_loop_test(tc, a_topic_may_be_emptied_while_it_is_read, 0, LOGS);
    suite_add_tcase(s, tc);
    return s;
}
