/* SPDX-License-Identifier: MIT */
/*
 * year, month, day, hour, minute, second, weekday, day_of_year: one number of a date and a clock,
 * in UTC or in the zone of the second argument.
 */
#include "civil.h"
#include "time_functions.h"

static weir_status prepare_zone(const weir_host *host, const weir_value *const *literals,
                                uint32_t count, void **ret_state, weir_error_info *fault)
{
    (void)ret_state;
    return civil_prepare_zone(host, literals, count, 1, fault);
}

static weir_status civil_of_lane(weir_call *call, uint32_t lane, const char *function,
                                 struct civil *ret)
{
    int64_t ms = 0;
    int minutes = 0;
    weir_status st = civil_arg_ms(call, lane, function, lane_arg(call, 0, lane), &ms);
    if (st == WEIR_OK) {
        st = civil_arg_zone(call, lane, function, 1, &minutes);
    }
    if (st == WEIR_OK) {
        st = civil_shift(call, lane, function, ms, minutes, &ms);
    }
    if (st == WEIR_OK) {
        *ret = civil_from_ms(ms);
    }
    return st;
}

__attribute__((always_inline)) static inline weir_status evaluate_field(
    weir_call *call, const char *function, int64_t (*field)(const struct civil *))
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        struct civil civil;
        weir_status st = civil_of_lane(call, lane, function, &civil);
        if (st == WEIR_OK) {
            call->results[lane] = weir_int(field(&civil));
        } else if (st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

static int64_t year_field(const struct civil *civil)
{
    return civil->year;
}

static weir_status evaluate_year(weir_call *call)
{
    return evaluate_field(call, "year", year_field);
}

const weir_factory year_function = {
    FUNCTION("year", "The year of a time", "In UTC, or in a zone such as `\"+02:00\"`."),
    .vtable = FUNCTION_TABLE(.signature = "(time[, text]) int", .example = "year(981173106000)",
                             .example_result = "2001", .prepare = prepare_zone,
                             .evaluate = evaluate_year),
};

static int64_t month_field(const struct civil *civil)
{
    return civil->month;
}

static weir_status evaluate_month(weir_call *call)
{
    return evaluate_field(call, "month", month_field);
}

const weir_factory month_function = {
    FUNCTION("month", "The month of a time, 1 to 12", "In UTC, or in a zone such as `\"+02:00\"`."),
    .vtable =
        FUNCTION_TABLE(.signature = "(time[, text]) int", .example = "month(981173106000)",
                       .example_result = "2", .prepare = prepare_zone, .evaluate = evaluate_month),
};

static int64_t day_field(const struct civil *civil)
{
    return civil->day;
}

static weir_status evaluate_day(weir_call *call)
{
    return evaluate_field(call, "day", day_field);
}

const weir_factory day_function = {
    FUNCTION("day", "The day of the month, 1 to 31", "In UTC, or in a zone such as `\"+02:00\"`."),
    .vtable =
        FUNCTION_TABLE(.signature = "(time[, text]) int",
                       .example = "day(parse_time(\"2001-02-28T23:30:00Z\"), \"+01:00\")",
                       .example_result = "1", .prepare = prepare_zone, .evaluate = evaluate_day),
};

static int64_t hour_field(const struct civil *civil)
{
    return civil->hour;
}

static weir_status evaluate_hour(weir_call *call)
{
    return evaluate_field(call, "hour", hour_field);
}

const weir_factory hour_function = {
    FUNCTION("hour", "The hour of a time, 0 to 23", "In UTC, or in a zone such as `\"+02:00\"`."),
    .vtable = FUNCTION_TABLE(.signature = "(time[, text]) int",
                             .example = "hour(981173106000, \"-05:00\")", .example_result = "23",
                             .prepare = prepare_zone, .evaluate = evaluate_hour),
};

static int64_t minute_field(const struct civil *civil)
{
    return civil->minute;
}

static weir_status evaluate_minute(weir_call *call)
{
    return evaluate_field(call, "minute", minute_field);
}

const weir_factory minute_function = {
    FUNCTION("minute", "The minute of a time, 0 to 59",
             "In UTC, or in a zone such as `\"+05:30\"`."),
    .vtable =
        FUNCTION_TABLE(.signature = "(time[, text]) int", .example = "minute(981173106000)",
                       .example_result = "5", .prepare = prepare_zone, .evaluate = evaluate_minute),
};

static int64_t second_field(const struct civil *civil)
{
    return civil->second;
}

static weir_status evaluate_second(weir_call *call)
{
    return evaluate_field(call, "second", second_field);
}

const weir_factory second_function = {
    FUNCTION("second", "The second of a time, 0 to 59", "Fractions are cut."),
    .vtable =
        FUNCTION_TABLE(.signature = "(time[, text]) int", .example = "second(981173106999)",
                       .example_result = "6", .prepare = prepare_zone, .evaluate = evaluate_second),
};

static int64_t weekday_field(const struct civil *civil)
{
    return civil->weekday;
}

static weir_status evaluate_weekday(weir_call *call)
{
    return evaluate_field(call, "weekday", weekday_field);
}

const weir_factory weekday_function = {
    FUNCTION("weekday", "The day of the week, 1 = Monday to 7 = Sunday",
             "In UTC, or in a zone such as `\"+02:00\"`."),
    .vtable = FUNCTION_TABLE(.signature = "(time[, text]) int", .example = "weekday(0)",
                             .example_result = "4", .prepare = prepare_zone,
                             .evaluate = evaluate_weekday),
};

static int64_t day_of_year_field(const struct civil *civil)
{
    return civil->day_of_year;
}

static weir_status evaluate_day_of_year(weir_call *call)
{
    return evaluate_field(call, "day_of_year", day_of_year_field);
}

const weir_factory day_of_year_function = {
    FUNCTION("day_of_year", "The day of the year, 1 to 366",
             "In UTC, or in a zone such as `\"+02:00\"`."),
    .vtable = FUNCTION_TABLE(.signature = "(time[, text]) int",
                             .example = "day_of_year(parse_time(\"2024-12-31\"))",
                             .example_result = "366", .prepare = prepare_zone,
                             .evaluate = evaluate_day_of_year),
};
