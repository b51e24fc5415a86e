/* SPDX-License-Identifier: MIT */
/*
 * Which of several inputs goes first: the one whose next record is the oldest. Each input keeps its own
 * order, so one that brings records late holds nobody back by them, and is not sorted.
 */
#ifndef ENGINE_ALIGN_H
#define ENGINE_ALIGN_H

#include <stdbool.h>
#include <stdint.h>

/*
 * What is at the front of an input.
 *
 * ALIGN_EMPTY    nothing, and nothing is known to come: it holds nobody back
 * ALIGN_AWAITED  nothing yet, but something comes: the others wait for it
 * ALIGN_FREE     something without a time: it goes at once
 * ALIGN_TIMED    a record of this timestamp
 */
enum align_front { ALIGN_EMPTY, ALIGN_AWAITED, ALIGN_FREE, ALIGN_TIMED };

struct align_head {
    enum align_front front;
    int64_t timestamp;
};

/* Instead of the number of an input: nobody has anything; somebody is waited for. */
#define ALIGN_NOTHING UINT32_MAX
#define ALIGN_WAIT    (UINT32_MAX - 1)

/* The input that goes first; of equal ones the first. */
uint32_t align_first(const struct align_head *heads, uint32_t count);
/* The newest timestamp of that input that may go before any other input's turn comes. */
int64_t align_until(const struct align_head *heads, uint32_t count, uint32_t first);

#endif
