/* SPDX-License-Identifier: MIT */
/*
 * millis, to_timestamp, start_of: from moments to moments.
 */
#include "civil.h"
#include "time_functions.h"

#include <string.h>

static weir_status millis_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    int64_t ms;
    weir_status st = civil_arg_ms(call, lane, "millis", lane_arg(call, 0, lane), &ms);
    if (st == WEIR_OK) {
        *ret = weir_int(ms);
    }
    return st;
}

static weir_status evaluate_millis(weir_call *call)
{
    return lanes_evaluate(call, millis_lane);
}

const weir_factory millis_function = {
    FUNCTION("millis", "Milliseconds since 1970 UTC",
             "Of a timestamp, rounded down; an int stays as it is."),
    .vtable =
        FUNCTION_TABLE(.signature = "(time) int", .example = "millis(to_timestamp(1500, \"us\"))",
                       .example_result = "1", .evaluate = evaluate_millis),
};

static const char *const unit_names[] = { "s", "ms", "us", "ns" };

/* 0, 3, 6, 9; -1: no unit. */
static int unit_digits(const weir_value *unit)
{
    for (int i = 0; i < 4; i++) {
        if (weir_same_bytes(unit->as.text, unit->len, unit_names[i],
                            (uint32_t)strlen(unit_names[i]))) {
            return 3 * i;
        }
    }
    return -1;
}

#define WRONG_UNIT "%s is no unit; write 's', 'ms', 'us' or 'ns'"

static weir_status prepare_unit(const weir_host *host, const weir_value *const *literals,
                                uint32_t count, void **ret_state, weir_error_info *fault)
{
    (void)ret_state;
    if (count > 1 && literals[1] != NULL && literals[1]->tag == WEIR_TEXT &&
        unit_digits(literals[1]) < 0) {
        return lane_prepare_fault(host, fault, 1, WRONG_UNIT, lane_excerpt(literals[1]).text);
    }
    return WEIR_OK;
}

static weir_status to_timestamp_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    int64_t since;
    const weir_value *unit = lane_arg(call, 1, lane);
    weir_status st = lane_int(call, lane, "to_timestamp", lane_arg(call, 0, lane), &since);
    if (st != WEIR_OK) {
        return st;
    }
    int digits = unit_digits(unit);
    if (digits < 0) {
        return lane_fail(call, lane, "to_timestamp: " WRONG_UNIT, lane_excerpt(unit).text);
    }
    *ret = weir_int(since);
    ret->tag = WEIR_TIMESTAMP;
    ret->aux = (uint16_t)digits;
    return WEIR_OK;
}

static weir_status evaluate_to_timestamp(weir_call *call)
{
    return lanes_evaluate(call, to_timestamp_lane);
}

const weir_factory to_timestamp_function = {
    FUNCTION(
        "to_timestamp", "A timestamp from a count of units since 1970 UTC",
        "Units: `\"s\"`, `\"ms\"`, `\"us\"`, `\"ns\"`. The timestamp keeps that many digits of "
        "the second."),
    .vtable = FUNCTION_TABLE(.signature = "(int, text) timestamp",
                             .example = "to_timestamp(981173106, \"s\")",
                             .example_result = "\"2001-02-03T04:05:06Z\"", .prepare = prepare_unit,
                             .evaluate = evaluate_to_timestamp),
};

/* ---- start_of ------------------------------------------------------------------------------------ */

enum span { SPAN_MINUTE, SPAN_HOUR, SPAN_DAY, SPAN_WEEK, SPAN_MONTH, SPAN_YEAR, SPAN_NONE };

static enum span span_of(const weir_value *unit)
{
    static const char *const names[] = { "minute", "hour", "day", "week", "month", "year" };
    for (int i = 0; i < SPAN_NONE; i++) {
        if (weir_same_bytes(unit->as.text, unit->len, names[i], (uint32_t)strlen(names[i]))) {
            return (enum span)i;
        }
    }
    return SPAN_NONE;
}

#define WRONG_SPAN "%s is no unit; write 'minute', 'hour', 'day', 'week', 'month' or 'year'"

static weir_status prepare_start_of(const weir_host *host, const weir_value *const *literals,
                                    uint32_t count, void **ret_state, weir_error_info *fault)
{
    (void)ret_state;
    if (count > 1 && literals[1] != NULL && literals[1]->tag == WEIR_TEXT &&
        span_of(literals[1]) == SPAN_NONE) {
        return lane_prepare_fault(host, fault, 1, WRONG_SPAN, lane_excerpt(literals[1]).text);
    }
    return civil_prepare_zone(host, literals, count, 2, fault);
}

/* In the calendar of the zone; false where it lies before what 64 bits hold. */
static bool start_of_span(int64_t ms, enum span span, int64_t *ret)
{
    int64_t day = civil_floor_div(ms, CIVIL_DAY_MS);
    struct civil civil = civil_from_ms(ms);
    switch (span) {
    case SPAN_MINUTE:
        return !__builtin_mul_overflow(civil_floor_div(ms, CIVIL_MINUTE_MS), CIVIL_MINUTE_MS, ret);
    case SPAN_HOUR:
        return !__builtin_mul_overflow(civil_floor_div(ms, CIVIL_HOUR_MS), CIVIL_HOUR_MS, ret);
    case SPAN_WEEK:
        day -= civil.weekday - 1;
        break;
    case SPAN_MONTH:
        day -= civil.day - 1;
        break;
    case SPAN_YEAR:
        day -= civil.day_of_year - 1;
        break;
    default:
        break;
    }
    return !__builtin_mul_overflow(day, CIVIL_DAY_MS, ret);
}

static weir_status start_of_lane(weir_call *call, uint32_t lane, weir_value *ret)
{
    int64_t ms = 0;
    int minutes = 0;
    const weir_value *unit = lane_arg(call, 1, lane);
    weir_status st = civil_arg_ms(call, lane, "start_of", lane_arg(call, 0, lane), &ms);
    if (st == WEIR_OK) {
        st = civil_arg_zone(call, lane, "start_of", 2, &minutes);
    }
    if (st == WEIR_OK) {
        st = civil_shift(call, lane, "start_of", ms, minutes, &ms);
    }
    if (st != WEIR_OK) {
        return st;
    }
    enum span span = span_of(unit);
    if (span == SPAN_NONE) {
        return lane_fail(call, lane, "start_of: " WRONG_SPAN, lane_excerpt(unit).text);
    }
    int64_t start = 0;
    if (!start_of_span(ms, span, &start)) {
        return lane_fail(call, lane, "start_of: the start lies outside 64 bits");
    }
    st = civil_shift(call, lane, "start_of", start, -minutes, &start);
    if (st == WEIR_OK) {
        *ret = weir_int(start);
    }
    return st;
}

static weir_status evaluate_start_of(weir_call *call)
{
    return lanes_evaluate(call, start_of_lane);
}

const weir_factory start_of_function = {
    FUNCTION(
        "start_of", "The start of the minute, hour, day, week, month or year of a time",
        "`start_of(time, unit, zone)`, in milliseconds since 1970 UTC. A week starts on Monday. "
        "The zone says where midnight is; UTC if it is left out."),
    .vtable =
        FUNCTION_TABLE(.signature = "(time, text[, text]) int",
                       .example = "format_time(start_of(981173106000, \"month\"), \"%Y-%m-%d\")",
                       .example_result = "\"2001-02-01\"", .prepare = prepare_start_of,
                       .evaluate = evaluate_start_of),
};
