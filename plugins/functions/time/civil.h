/* SPDX-License-Identifier: MIT */
/*
 * The calendar: days and dates in both directions, zones, the milliseconds behind an argument.
 */
#ifndef FUNCTIONS_CIVIL_H
#define FUNCTIONS_CIVIL_H

#include "support/lane.h"

#define CIVIL_DAY_MS    INT64_C(86400000)
#define CIVIL_HOUR_MS   INT64_C(3600000)
#define CIVIL_MINUTE_MS INT64_C(60000)

/* A moment as a calendar and a clock show it. weekday: 1 = Monday; day_of_year: from 1. */
struct civil {
    int64_t year;
    int month;
    int day;
    int hour;
    int minute;
    int second;
    int millis;
    int weekday;
    int day_of_year;
};

/* Days since 1970-01-01. month 1 to 12; the day may lie outside its month. */
int64_t civil_days(int64_t year, int month, int day);
int civil_month_days(int64_t year, int month);
/* ms: of the zone whose calendar is wanted, since 1970 there. */
struct civil civil_from_ms(int64_t ms);
int64_t civil_floor_div(int64_t value, int64_t unit);
int64_t civil_modulo(int64_t value, int64_t unit); /* 0 to unit - 1 */

/* Milliseconds (rounded down) of an int or a timestamp. */
weir_status civil_arg_ms(weir_call *call, uint32_t lane, const char *function, const weir_value *v,
                         int64_t *ret);

/* `UTC`, `Z`, `+02:00`, `-0330`: minutes east of UTC. False: none of these. */
bool civil_zone(const char *text, size_t len, int *ret_minutes);
/* The zone in argument `arg`, 0 where it is not given. */
weir_status civil_arg_zone(weir_call *call, uint32_t lane, const char *function, uint32_t arg,
                           int *ret_minutes);
/* For prepare: judges a literal zone in argument `arg`. */
weir_status civil_prepare_zone(const weir_host *host, const weir_value *const *literals,
                               uint32_t count, uint32_t arg, weir_error_info *fault);
/* ms + minutes; fails the lane where that is outside 64 bits. */
weir_status civil_shift(weir_call *call, uint32_t lane, const char *function, int64_t ms,
                        int minutes, int64_t *ret);

extern const char *const civil_weekday_names[7]; /* "Mon" first */
extern const char *const civil_month_names[12];

#endif
