/* SPDX-License-Identifier: MIT */
/* Powers of ten that float64 holds exactly. */
#ifndef VALUE_POWERS_H
#define VALUE_POWERS_H

enum { MOST_POWER = 22 };

extern const double powers_of_ten[MOST_POWER + 1];

#endif
