/* SPDX-License-Identifier: MIT */
/* What a unit test includes; it defines suite(). */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>

#undef fail /* an old macro of Check; plugins' tables have a slot of that name */

Suite *suite(void);

#endif
