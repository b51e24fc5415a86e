/* SPDX-License-Identifier: MIT */
/* What a unit test includes; it defines suite(). */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>

#undef fail /* an old macro of Check; plugins' tables have a slot of that name */

/*
 * ck_assert_msg for what is asserted a hundred thousand times. Check notes the place of each of its own
 * assertions in a file, also of those that hold, and that is what a test of many then does all the time.
 */
#define require(condition, ...)                                                                    \
 do {                                                                                              \
  if (!(condition)) {                                                                              \
   ck_abort_msg(__VA_ARGS__);                                                                      \
  }                                                                                                \
 } while (0)

Suite *suite(void);

#endif
