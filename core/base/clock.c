/* SPDX-License-Identifier: MIT */
/*
 * The machine's two clocks. Virtual time for tests is the business of whoever lends a clock out.
 */
#include "base/clock.h"

#include <time.h>

int64_t clock_wall_ms(void)
{
    struct timespec now;
    clock_gettime(CLOCK_REALTIME, &now);
    return (int64_t)now.tv_sec * 1000 + now.tv_nsec / 1000000;
}

int64_t clock_monotonic_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

void clock_condition_init(pthread_cond_t *condition)
{
    pthread_condattr_t attributes;
    pthread_condattr_init(&attributes);
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC);
    pthread_cond_init(condition, &attributes);
    pthread_condattr_destroy(&attributes);
}

struct timespec clock_deadline(int64_t timeout_ms)
{
    int64_t ns = clock_monotonic_ns() + timeout_ms * 1000000;
    return (struct timespec){ .tv_sec = ns / 1000000000, .tv_nsec = ns % 1000000000 };
}

void clock_rest(int64_t time_ms)
{
    struct timespec time = { .tv_sec = time_ms / 1000, .tv_nsec = time_ms % 1000 * 1000000 };
    nanosleep(&time, NULL);
}
