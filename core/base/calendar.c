/* SPDX-License-Identifier: MIT */
/*
 * Dates and times as text (units.h): proleptic Gregorian calendar, no leap seconds. Days are
 * counted in eras of 400 years that begin on the first of March, so that the leap day comes last.
 */
#include "base/units.h"

#include <string.h>

enum { DAYS_PER_ERA = 146097, DAYS_TO_1970 = 719468, SECONDS_PER_DAY = 86400 };

static int64_t floor_div(int64_t a, int64_t b)
{
    return a / b - (a % b < 0 ? 1 : 0);
}

/* What floor_div leaves; b > 0. Without a product, which could overflow. */
static int64_t floor_mod(int64_t a, int64_t b)
{
    int64_t rest = a % b;
    return rest < 0 ? rest + b : rest;
}

int64_t units_days_from_date(int64_t year, unsigned month, unsigned day)
{
    int64_t from_march = month <= 2 ? year - 1 : year;
    int64_t era = floor_div(from_march, 400);
    int64_t year_of_era = from_march - era * 400;
    int64_t day_of_year = (153 * (int64_t)((month + 9) % 12) + 2) / 5 + day - 1;
    int64_t day_of_era = year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year;
    return era * DAYS_PER_ERA + day_of_era - DAYS_TO_1970;
}

void units_date_from_days(int64_t days, int64_t *ret_year, unsigned *ret_month, unsigned *ret_day)
{
    int64_t shifted = days + DAYS_TO_1970;
    int64_t era = floor_div(shifted, DAYS_PER_ERA);
    int64_t day_of_era = shifted - era * DAYS_PER_ERA;
    int64_t year_of_era =
        (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146096) / 365;
    int64_t day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    int64_t month_from_march = (5 * day_of_year + 2) / 153;
    unsigned month =
        (unsigned)(month_from_march < 10 ? month_from_march + 3 : month_from_march - 9);
    *ret_day = (unsigned)(day_of_year - (153 * month_from_march + 2) / 5 + 1);
    *ret_month = month;
    *ret_year = year_of_era + era * 400 + (month <= 2 ? 1 : 0);
}

/* Exactly `width` digits, zeros in front. */
static char *put_digits(char *room, uint64_t number, unsigned width)
{
    for (unsigned i = width; i > 0; i--) {
        room[i - 1] = (char)('0' + number % 10);
        number /= 10;
    }
    return room + width;
}

static char *put_year(char *room, int64_t year)
{
    if (year >= 0 && year <= 9999) {
        return put_digits(room, (uint64_t)year, 4);
    }
    uint64_t magnitude = year < 0 ? 0 - (uint64_t)year : (uint64_t)year;
    unsigned width = 4;
    for (uint64_t left = magnitude / 10000; left > 0; left /= 10) {
        width++;
    }
    *room = year < 0 ? '-' : '+';
    return put_digits(room + 1, magnitude, width);
}

size_t units_format_time(int64_t since_epoch, unsigned digits, char *room)
{
    static const int64_t powers[] = { 1,      10,      100,      1000,      10000,
                                      100000, 1000000, 10000000, 100000000, 1000000000 };
    unsigned width = digits > 9 ? 9 : digits;
    int64_t seconds = floor_div(since_epoch, powers[width]);
    int64_t fraction = floor_mod(since_epoch, powers[width]);
    int64_t days = floor_div(seconds, SECONDS_PER_DAY);
    uint64_t of_day = (uint64_t)floor_mod(seconds, SECONDS_PER_DAY);
    int64_t year;
    unsigned month;
    unsigned day;
    units_date_from_days(days, &year, &month, &day);
    char *at = put_year(room, year);
    *at++ = '-';
    at = put_digits(at, month, 2);
    *at++ = '-';
    at = put_digits(at, day, 2);
    *at++ = 'T';
    at = put_digits(at, of_day / 3600, 2);
    *at++ = ':';
    at = put_digits(at, of_day / 60 % 60, 2);
    *at++ = ':';
    at = put_digits(at, of_day % 60, 2);
    if (width > 0) {
        *at++ = '.';
        at = put_digits(at, (uint64_t)fraction, width);
    }
    *at++ = 'Z';
    return (size_t)(at - room);
}

/* ---- reading ----------------------------------------------------------------------------------
 */

struct reader {
    const char *at;
    const char *end;
};

static bool take(struct reader *reader, char c)
{
    if (reader->at == reader->end || *reader->at != c) {
        return false;
    }
    reader->at++;
    return true;
}

static bool take_number(struct reader *reader, unsigned width, unsigned *ret)
{
    if ((size_t)(reader->end - reader->at) < width) {
        return false;
    }
    unsigned number = 0;
    for (unsigned i = 0; i < width; i++) {
        char c = reader->at[i];
        if (c < '0' || c > '9') {
            return false;
        }
        number = number * 10 + (unsigned)(c - '0');
    }
    reader->at += width;
    *ret = number;
    return true;
}

static unsigned days_in_month(unsigned year, unsigned month)
{
    static const unsigned days[] = { 31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31 };
    bool is_leap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0);
    return month == 2 && is_leap ? 29 : days[month - 1];
}

static const char general_cure[] = "write it like 2026-01-01 or 2026-01-01T06:00:00+02:00";

/* The readers below return what cures a fault, or NULL where there is none. */

static const char *read_date(struct reader *reader, int64_t *ret_days)
{
    unsigned year;
    unsigned month;
    unsigned day;
    if (!take_number(reader, 4, &year) || !take(reader, '-') || !take_number(reader, 2, &month) ||
        !take(reader, '-') || !take_number(reader, 2, &day)) {
        return general_cure;
    }
    if (month < 1 || month > 12 || day < 1 || day > days_in_month(year, month)) {
        return "there is no such day";
    }
    *ret_days = units_days_from_date(year, month, day);
    return NULL;
}

/* Digits behind the point: the first three count. */
static bool read_fraction(struct reader *reader, int64_t *ret_ms)
{
    if (!take(reader, '.')) {
        return true;
    }
    int64_t weight = 100;
    const char *start = reader->at;
    for (; reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9'; reader->at++) {
        *ret_ms += (*reader->at - '0') * weight;
        weight /= 10;
    }
    return reader->at > start;
}

static const char *read_clock(struct reader *reader, int64_t *ret_ms)
{
    unsigned hour;
    unsigned minute;
    unsigned second;
    int64_t ms = 0;
    if (!take_number(reader, 2, &hour) || !take(reader, ':') || !take_number(reader, 2, &minute) ||
        !take(reader, ':') || !take_number(reader, 2, &second) || !read_fraction(reader, &ms)) {
        return "write its time of day as in 2026-01-01T06:00:00";
    }
    if (hour > 23 || minute > 59 || second > 59) {
        return "there is no such time of day";
    }
    *ret_ms = (int64_t)(hour * 3600 + minute * 60 + second) * 1000 + ms;
    return NULL;
}

static const char *read_zone(struct reader *reader, int64_t *ret_ms)
{
    if (reader->at == reader->end || take(reader, 'Z') || take(reader, 'z')) {
        *ret_ms = 0;
        return NULL;
    }
    bool is_west = *reader->at == '-';
    unsigned hour;
    unsigned minute;
    if ((!take(reader, '+') && !take(reader, '-')) || !take_number(reader, 2, &hour) ||
        !take(reader, ':') || !take_number(reader, 2, &minute) || hour > 23 || minute > 59) {
        return "write its offset from UTC at the end, as Z or like +02:00";
    }
    int64_t ms = (int64_t)(hour * 60 + minute) * 60000;
    *ret_ms = is_west ? -ms : ms;
    return NULL;
}

static const char *read_time(struct reader *reader, int64_t *ret_ms)
{
    int64_t days;
    int64_t of_day = 0;
    int64_t zone = 0;
    const char *cure = read_date(reader, &days);
    if (cure == NULL && (take(reader, 'T') || take(reader, 't') || take(reader, ' '))) {
        cure = read_clock(reader, &of_day);
        if (cure == NULL) {
            cure = read_zone(reader, &zone);
        }
    }
    if (cure == NULL && reader->at < reader->end) {
        cure = general_cure;
    }
    if (cure == NULL) {
        *ret_ms = days * SECONDS_PER_DAY * 1000 + of_day - zone;
    }
    return cure;
}

bool units_time_ms(const char *text, size_t len, int64_t *ret_ms, const char **ret_cure)
{
    struct reader reader = { text, text + len };
    const char *cure = read_time(&reader, ret_ms);
    if (cure != NULL && ret_cure != NULL) {
        *ret_cure = cure;
    }
    return cure == NULL;
}
