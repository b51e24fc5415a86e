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
