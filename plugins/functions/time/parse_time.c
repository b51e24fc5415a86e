/* SPDX-License-Identifier: MIT */
/*
 * parse_time: text to milliseconds since 1970 UTC. All of the text must fit; digits of the second
 * behind the third are cut.
 */
#include "civil.h"
#include "time_format.h"
#include "time_functions.h"

#include <strings.h>

/* Where the reading stands. fault: what was expected there, NULL while all is well. */
struct reader {
    const char *at;
    const char *end;
    const char *fault;
};

/* What was read; a part that is not in the format keeps the value of 1970-01-01T00:00:00Z. */
struct parsed {
    int64_t year;
    int month;
    int day;
    int day_of_year; /* 0: not given */
    int hour;
    int minute;
    int second;
    int millis;
    int zone_minutes;
};

static bool expect(struct reader *reader, bool is_right, const char *fault)
{
    if (!is_right && reader->fault == NULL) {
        reader->fault = fault;
    }
    return reader->fault == NULL;
}

static bool has_digit(const struct reader *reader)
{
    return reader->at < reader->end && *reader->at >= '0' && *reader->at <= '9';
}

/* A number of `least` to `most` digits within a range. */
static int read_number(struct reader *reader, int least, int most, int low, int high,
                       const char *fault)
{
    struct reader start = *reader;
    int number = 0;
    int count = 0;
    while (count < most && has_digit(reader)) {
        number = number * 10 + (*reader->at++ - '0');
        count++;
    }
    if (!expect(reader, count >= least && number >= low && number <= high, fault)) {
        reader->at = start.at;
        return low;
    }
    return number;
}

static void read_literal(struct reader *reader, char c)
{
    static const char fault[] = "another character of the format is expected";
    if (expect(reader, reader->at < reader->end && *reader->at == c, fault)) {
        reader->at++;
    }
}

/* Digits of the second, at least one, as milliseconds. */
static int read_fraction(struct reader *reader)
{
    int millis = 0;
    int count = 0;
    for (; has_digit(reader); reader->at++, count++) {
        millis += count == 0   ? (*reader->at - '0') * 100
                  : count == 1 ? (*reader->at - '0') * 10
                  : count == 2 ? *reader->at - '0'
                               : 0;
    }
    expect(reader, count > 0, "digits of the second are expected");
    return millis;
}

/* The longest zone that stands here: "+02:00" before "+0200" before "Z". */
static int read_zone(struct reader *reader)
{
    static const size_t lengths[] = { 6, 5, 3, 1 };
    int minutes = 0;
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        if ((size_t)(reader->end - reader->at) >= lengths[i] &&
            civil_zone(reader->at, lengths[i], &minutes)) {
            reader->at += lengths[i];
            return minutes;
        }
    }
    expect(reader, false, "a zone such as Z or +02:00 is expected");
    return 0;
}

/* Index of the name that stands here, whatever its case. */
static int read_name(struct reader *reader, const char *const *names, int count, const char *fault)
{
    for (int i = 0; reader->end - reader->at >= 3 && i < count; i++) {
        if (strncasecmp(reader->at, names[i], 3) == 0) {
            reader->at += 3;
            return i;
        }
    }
    expect(reader, false, fault);
    return 0;
}

static void read_year(struct reader *reader, struct parsed *p)
{
    p->year = read_number(reader, 4, 4, 0, 9999, "a year of four digits is expected");
}

static void read_month(struct reader *reader, int least, struct parsed *p)
{
    p->month = read_number(reader, least, 2, 1, 12, "a month from 01 to 12 is expected");
}

static void read_day(struct reader *reader, int least, struct parsed *p)
{
    p->day = read_number(reader, least, 2, 1, 31, "a day from 01 to 31 is expected");
}

static void read_hour(struct reader *reader, int least, struct parsed *p)
{
    p->hour = read_number(reader, least, 2, 0, 23, "an hour from 00 to 23 is expected");
}

static void read_minute(struct reader *reader, int least, struct parsed *p)
{
    p->minute = read_number(reader, least, 2, 0, 59, "a minute from 00 to 59 is expected");
}

static void read_second(struct reader *reader, int least, struct parsed *p)
{
    p->second = read_number(reader, least, 2, 0, 59, "a second from 00 to 59 is expected");
}

static void read_letter(struct reader *reader, char letter, struct parsed *p)
{
    switch (letter) {
    case 'Y':
        read_year(reader, p);
        break;
    case 'm':
        read_month(reader, 1, p);
        break;
    case 'd':
        read_day(reader, 1, p);
        break;
    case 'H':
        read_hour(reader, 1, p);
        break;
    case 'M':
        read_minute(reader, 1, p);
        break;
    case 'S':
        read_second(reader, 1, p);
        break;
    case 'f':
        p->millis = read_fraction(reader);
        break;
    case 'z':
        p->zone_minutes = read_zone(reader);
        break;
    case 'j':
        p->day_of_year = read_number(reader, 1, 3, 1, 366, "a day of the year is expected");
        break;
    case 'a': /* the date decides; the name is read over */
        read_name(reader, civil_weekday_names, 7, "a weekday such as Mon is expected");
        break;
    case 'b':
        p->month = read_name(reader, civil_month_names, 12, "a month such as Jan is expected") + 1;
        break;
    default:
        read_literal(reader, '%');
        break;
    }
}

static void read_format(struct reader *reader, const weir_value *format, struct parsed *p)
{
    for (uint32_t i = 0; reader->fault == NULL && i < format->len; i++) {
        if (format->as.text[i] == '%') {
            read_letter(reader, format->as.text[++i], p);
        } else {
            read_literal(reader, format->as.text[i]);
        }
    }
}

static void read_rfc3339(struct reader *reader, struct parsed *p)
{
    read_year(reader, p);
    read_literal(reader, '-');
    read_month(reader, 2, p);
    read_literal(reader, '-');
    read_day(reader, 2, p);
    if (reader->fault != NULL || reader->at == reader->end) {
        return;
    }
    char separator = *reader->at;
    bool is_time = separator == 'T' || separator == 't' || separator == ' ';
    if (!expect(reader, is_time, "T and a time of day are expected")) {
        return;
    }
    reader->at++;
    read_hour(reader, 2, p);
    read_literal(reader, ':');
    read_minute(reader, 2, p);
    read_literal(reader, ':');
    read_second(reader, 2, p);
    if (reader->fault == NULL && reader->at < reader->end && *reader->at == '.') {
        reader->at++;
        p->millis = read_fraction(reader);
    }
    if (reader->fault == NULL && reader->at < reader->end) {
        p->zone_minutes = read_zone(reader);
    }
}

/* Together, once everything is read. False: there is no such day. */
static bool to_ms(const struct parsed *p, int64_t *ret)
{
    int64_t days;
    if (p->day_of_year > 0) {
        days = civil_days(p->year, 1, 1) + p->day_of_year - 1;
        if (days >= civil_days(p->year + 1, 1, 1)) {
            return false;
        }
    } else {
        if (p->day > civil_month_days(p->year, p->month)) {
            return false;
        }
        days = civil_days(p->year, p->month, p->day);
    }
    *ret = days * CIVIL_DAY_MS + p->hour * CIVIL_HOUR_MS +
           (p->minute - p->zone_minutes) * CIVIL_MINUTE_MS + p->second * INT64_C(1000) + p->millis;
    return true;
}

static weir_status parse_time_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    struct reader reader = { v->as.text, v->as.text + v->len, NULL };
    struct parsed parsed = { .year = 1970, .month = 1, .day = 1 };
    if (call->arg_count > 1) {
        weir_status st = time_format_check(call, lane, "parse_time", lane_arg(call, 1, lane));
        if (st != WEIR_OK) {
            return st;
        }
        read_format(&reader, lane_arg(call, 1, lane), &parsed);
    } else {
        read_rfc3339(&reader, &parsed);
    }
    expect(&reader, reader.at == reader.end, "the end is expected");
    if (reader.fault != NULL) {
        return lane_fail(call, lane, "parse_time: %s is no such time: at byte %td %s",
                         lane_excerpt(v).text, reader.at - v->as.text, reader.fault);
    }
    int64_t ms = 0;
    if (!to_ms(&parsed, &ms)) {
        return lane_fail(call, lane, "parse_time: %s names a day that does not exist",
                         lane_excerpt(v).text);
    }
    *ret = weir_int(ms);
    return WEIR_OK;
}

static weir_status evaluate_parse_time(weir_call *call)
{
    return lanes_evaluate(call, parse_time_lane);
}

static weir_status prepare_parse_time(const weir_host *host, const weir_value *const *literals,
                                      uint32_t count, void **ret_state, weir_error_info *fault)
{
    (void)ret_state;
    return time_format_prepare(host, literals, count, 1, fault);
}

const weir_factory parse_time_function = {
    FUNCTION("parse_time", "Milliseconds since 1970 UTC from a text",
             "Without a format the text is a date, or a date and time, in the form of RFC 3339. "
             "Formats: `%Y %m %d %H %M %S`, `%f` digits of the second, `%z` a zone such as `Z` or "
             "`+02:00`, `%j` day of the year, `%a` and `%b` English names of three letters, `%%`. "
             "Without a zone in the text it is UTC. Parts that the format leaves out are those of "
             "1970-01-01T00:00:00."),
    .vtable = FUNCTION_TABLE(.signature = "(text[, text]) int",
                             .example = "parse_time(\"03/02/2001 04:05\", \"%d/%m/%Y %H:%M\")",
                             .example_result = "981173100000", .prepare = prepare_parse_time,
                             .evaluate = evaluate_parse_time),
};
