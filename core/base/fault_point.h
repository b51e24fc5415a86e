/* SPDX-License-Identifier: MIT */
/*
 * For tests: places by name at which the process dies as by kill -9, where the environment says so.
 * Compiled in with -DWEIR_FAULT_POINTS=ON only.
 */
#ifndef BASE_FAULT_POINT_H
#define BASE_FAULT_POINT_H

#ifdef WEIR_FAULT_POINTS
/* WEIR_TEST_KILL_AT=NAME:K kills the process when it comes to the place for the K-th time. Thread: any. */
void fault_point(const char *name);
#else
static inline void fault_point(const char *name)
{
    (void)name;
}
#endif

#endif
