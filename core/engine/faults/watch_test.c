/* SPDX-License-Identifier: MIT */
#include <stdlib.h>
#include <unistd.h>

#include "base/logger.h"
#include "engine/faults/watch.h"
#include "unit.h"

enum { SECOND = 1000000000 };

static struct arena arena;
static struct watch watch;
static struct call_watch thread;
static int64_t now;
static int saved_error;

/* Lines of the log go to a file, to be counted. */
static void start(void)
{
    arena_init(&arena, 0);
    ck_assert(watch_init(&watch, &arena, 1));
    thread = (struct call_watch){ .call = NULL };
    watch_add(&watch, &thread);
    now = SECOND;
    char path[] = "/tmp/watch_testXXXXXX";
    int file = mkstemp(path);
    unlink(path);
    saved_error = dup(STDERR_FILENO);
    dup2(file, STDERR_FILENO);
    close(file);
    logger_configure(LOGGER_INFO, false, false);
}

static void finish(void)
{
    dup2(saved_error, STDERR_FILENO);
    close(saved_error);
    arena_deinit(&arena);
}

static int line_count(void)
{
    char text[4096];
    ssize_t size = pread(STDERR_FILENO, text, sizeof text, 0);
    int lines = 0;
    for (ssize_t i = 0; i < size; i++) {
        lines += text[i] == '\n';
    }
    return lines;
}

static void look_after(int seconds)
{
    now += (int64_t)seconds * SECOND;
    watch_look(&watch, now);
}

static void call(const char *label)
{
    atomic_fetch_add(&thread.number, 1);
    atomic_store(&thread.label, label);
}

START_TEST(a_call_that_does_not_end_is_told_at_growing_distances)
{
    static const int told_at[] = { 5, 10, 20, 40 };
    start();
    call("here");
    look_after(1);
    int told = 0;
    for (int second = 1; second < 50; second++) {
        look_after(1);
        told += told < 4 && second == told_at[told];
        ck_assert_int_eq(line_count(), told);
    }
    ck_assert_int_eq(watch_time(&watch, &thread, now) / SECOND, 49);
    call(NULL);
    look_after(1);
    ck_assert_int_eq(line_count(), told + 1); /* it is back */
    ck_assert_int_eq(watch_time(&watch, &thread, now), 0);
    finish();
}
END_TEST

START_TEST(many_calls_of_one_plugin_are_no_long_one)
{
    start();
    for (int second = 0; second < 50; second++) {
        call("here");
        look_after(1);
    }
    call(NULL);
    look_after(50);
    look_after(50);
    ck_assert_int_eq(line_count(), 0);
    finish();
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("watch");
    TCase *tc = tcase_create("watch");
    tcase_add_test(tc, a_call_that_does_not_end_is_told_at_growing_distances);
    tcase_add_test(tc, many_calls_of_one_plugin_are_no_long_one);
    suite_add_tcase(s, tc);
    return s;
}
