/* SPDX-License-Identifier: MIT */
/*
 * year, month, day, hour, minute, second, weekday, day_of_year: one number of a date and a clock,
 * in UTC or in the zone of the second argument.
 */
#include "civil.h"

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

/* The function that is called as the field of `struct civil`: its evaluation and its factory. */
#define CLOCK_FIELD(id, line, text, call_text, call_result)                                        \
 static int64_t id##_field(const struct civil *civil)                                              \
 {                                                                                                 \
  return civil->id;                                                                                \
 }                                                                                                 \
 static weir_status evaluate_##id(weir_call *call)                                                 \
 {                                                                                                 \
  return evaluate_field(call, #id, id##_field);                                                    \
 }                                                                                                 \
 const weir_factory id##_function = {                                                              \
     FUNCTION(#id, line, text),                                                                    \
     .vtable = FUNCTION_TABLE(.signature = "(time[, text]) int", .example = (call_text),           \
                              .example_result = (call_result), .prepare = prepare_zone,            \
                              .evaluate = evaluate_##id),                                          \
 }

CLOCK_FIELD(year, "The year of a time", "In UTC, or in a zone such as `\"+02:00\"`.",
            "year(981173106000)", "2001");

CLOCK_FIELD(month, "The month of a time, 1 to 12", "In UTC, or in a zone such as `\"+02:00\"`.",
            "month(981173106000)", "2");

CLOCK_FIELD(day, "The day of the month, 1 to 31", "In UTC, or in a zone such as `\"+02:00\"`.",
            "day(parse_time(\"2001-02-28T23:30:00Z\"), \"+01:00\")", "1");

CLOCK_FIELD(hour, "The hour of a time, 0 to 23", "In UTC, or in a zone such as `\"+02:00\"`.",
            "hour(981173106000, \"-05:00\")", "23");

CLOCK_FIELD(minute, "The minute of a time, 0 to 59", "In UTC, or in a zone such as `\"+05:30\"`.",
            "minute(981173106000)", "5");

CLOCK_FIELD(second, "The second of a time, 0 to 59", "Fractions are cut.", "second(981173106999)",
            "6");

CLOCK_FIELD(weekday, "The day of the week, 1 = Monday to 7 = Sunday",
            "In UTC, or in a zone such as `\"+02:00\"`.", "weekday(0)", "4");

CLOCK_FIELD(day_of_year, "The day of the year, 1 to 366",
            "In UTC, or in a zone such as `\"+02:00\"`.", "day_of_year(parse_time(\"2024-12-31\"))",
            "366");
