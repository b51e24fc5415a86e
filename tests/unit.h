/* SPDX-License-Identifier: MIT */
/* What a unit test includes; it defines suite(). */
#ifndef TESTS_UNIT_H
#define TESTS_UNIT_H

#include <check.h>

Suite *suite(void);

#endif
