/* SPDX-License-Identifier: MIT */
#ifndef BASE_CLOCK_H
#define BASE_CLOCK_H

#include <stdint.h>

int64_t clock_wall_ms(void);      /* ms since 1970 UTC */
int64_t clock_monotonic_ns(void); /* never goes back */

#endif
