/* SPDX-License-Identifier: MIT */
#include "civil.h"

#include <string.h>

const char *const civil_weekday_names[7] = { "Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun" };
const char *const civil_month_names[12] = { "Jan", "Feb", "Mar", "Apr", "May", "Jun",
                                            "Jul", "Aug", "Sep", "Oct", "Nov", "Dec" };

int64_t civil_floor_div(int64_t value, int64_t unit)
{
    return value / unit - (value % unit < 0);
}

int64_t civil_modulo(int64_t value, int64_t unit)
{
    int64_t rest = value % unit;
    return rest < 0 ? rest + unit : rest;
}

/*
 * Years are counted from March, so that the leap day is the last of its year; the calendar repeats
 * every 400 years, which have 146,097 days. 719,468 days lie between 0000-03-01 and 1970-01-01.
 */
int64_t civil_days(int64_t year, int month, int day)
{
    int64_t y = month <= 2 ? year - 1 : year;
    int64_t cycle = civil_floor_div(y, 400);
    int64_t year_of_cycle = y - cycle * 400;
    int64_t month_from_march = month > 2 ? month - 3 : month + 9;
    int64_t day_of_year = (153 * month_from_march + 2) / 5 + day - 1;
    int64_t day_of_cycle =
        year_of_cycle * 365 + year_of_cycle / 4 - year_of_cycle / 100 + day_of_year;
    return cycle * 146097 + day_of_cycle - 719468;
}

static bool is_leap(int64_t year)
{
    return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
}

int civil_month_days(int64_t year, int month)
{
    static const int days[12] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    return month == 2 && is_leap(year) ? 29 : days[month - 1];
}

/* The other way round, into year, month and day. */
static void date_from_days(int64_t days, struct civil *ret)
{
    int64_t shifted = days + 719468;
    int64_t cycle = civil_floor_div(shifted, 146097);
    int64_t day_of_cycle = shifted - cycle * 146097;
    int64_t year_of_cycle =
        (day_of_cycle - day_of_cycle / 1460 + day_of_cycle / 36524 - day_of_cycle / 146096) / 365;
    int64_t day_of_year =
        day_of_cycle - (365 * year_of_cycle + year_of_cycle / 4 - year_of_cycle / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    ret->day = (int)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    ret->month = (int)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    ret->year = year_of_cycle + cycle * 400 + (ret->month <= 2);
}

struct civil civil_from_ms(int64_t ms)
{
    struct civil civil;
    int64_t days = civil_floor_div(ms, CIVIL_DAY_MS);
    int rest = (int)civil_modulo(ms, CIVIL_DAY_MS);
    date_from_days(days, &civil);
    civil.hour = rest / (int)CIVIL_HOUR_MS;
    civil.minute = rest / (int)CIVIL_MINUTE_MS % 60;
    civil.second = rest / 1000 % 60;
    civil.millis = rest % 1000;
    /* 1970-01-01 was a Thursday */
    civil.weekday = (int)civil_modulo(days + 3, 7) + 1;
    civil.day_of_year = (int)(days - civil_days(civil.year, 1, 1)) + 1;
    return civil;
}

weir_status civil_arg_ms(weir_call *call, uint32_t lane, const char *function, const weir_value *v,
                         int64_t *ret)
{
    if (v->tag != WEIR_TIMESTAMP) {
        return lane_int(call, lane, function, v, ret);
    }
    int64_t since = v->as.i64;
    switch (v->aux) {
    case 0:
        if (__builtin_mul_overflow(since, 1000, ret)) {
            return lane_fail(call, lane,
                             "%s: the timestamp does not fit in milliseconds of 64 bits", function);
        }
        return WEIR_OK;
    case 3:
        *ret = since;
        return WEIR_OK;
    case 6:
        *ret = civil_floor_div(since, 1000);
        return WEIR_OK;
    default:
        *ret = civil_floor_div(since, 1000000);
        return WEIR_OK;
    }
}

static int two_digits(const char *text)
{
    bool are_digits = text[0] >= '0' && text[0] <= '9' && text[1] >= '0' && text[1] <= '9';
    return are_digits ? (text[0] - '0') * 10 + (text[1] - '0') : -1;
}

bool civil_zone(const char *text, size_t len, int *ret_minutes)
{
    if ((len == 3 && memcmp(text, "UTC", 3) == 0) ||
        (len == 1 && (text[0] == 'Z' || text[0] == 'z'))) {
        *ret_minutes = 0;
        return true;
    }
    bool has_colon = len == 6 && text[3] == ':';
    if (!(has_colon || len == 5) || (text[0] != '+' && text[0] != '-')) {
        return false;
    }
    int hours = two_digits(text + 1);
    int minutes = two_digits(text + (has_colon ? 4 : 3));
    if (hours < 0 || hours > 23 || minutes < 0 || minutes > 59) {
        return false;
    }
    *ret_minutes = (hours * 60 + minutes) * (text[0] == '-' ? -1 : 1);
    return true;
}

#define WRONG_ZONE "%s is no zone; write 'UTC' or a distance such as '+02:00'"

weir_status civil_arg_zone(weir_call *call, uint32_t lane, const char *function, uint32_t arg,
                           int *ret_minutes)
{
    *ret_minutes = 0;
    if (arg >= call->arg_count) {
        return WEIR_OK;
    }
    const weir_value *zone = lane_arg(call, arg, lane);
    if (!civil_zone(zone->as.text, zone->len, ret_minutes)) {
        return lane_fail(call, lane, "%s: " WRONG_ZONE, function, lane_excerpt(zone).text);
    }
    return WEIR_OK;
}

weir_status civil_prepare_zone(const weir_host *host, const weir_value *const *literals,
                               uint32_t count, uint32_t arg, weir_error_info *fault)
{
    int minutes;
    if (arg >= count || literals[arg] == NULL || literals[arg]->tag != WEIR_TEXT ||
        civil_zone(literals[arg]->as.text, literals[arg]->len, &minutes)) {
        return WEIR_OK;
    }
    return lane_prepare_fault(host, fault, arg, WRONG_ZONE, lane_excerpt(literals[arg]).text);
}

weir_status civil_shift(weir_call *call, uint32_t lane, const char *function, int64_t ms,
                        int minutes, int64_t *ret)
{
    if (__builtin_add_overflow(ms, minutes * CIVIL_MINUTE_MS, ret)) {
        return lane_fail(call, lane, "%s: %lld ms lie outside 64 bits in that zone", function,
                         (long long)ms);
    }
    return WEIR_OK;
}
