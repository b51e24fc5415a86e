/* SPDX-License-Identifier: MIT */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <pthread.h>
#include <stdint.h>
#include <time.h>

int64_t clock_wall_ms(void);      /* ms since 1970 UTC */
int64_t clock_monotonic_ns(void); /* never goes back */

/* A condition whose timed waits are not moved by the wall clock, and a deadline for them. */
void clock_condition_init(pthread_cond_t *condition);
struct timespec clock_deadline(int64_t timeout_ms);
/* Waits for nothing but the time; a signal may end it early. */
void clock_rest(int64_t time_ms);

#endif
