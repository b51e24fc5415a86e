/* SPDX-License-Identifier: MIT */
/*
 * Functions of time: the proleptic Gregorian calendar, no leap seconds, zones as fixed distances
 * from UTC. An int is milliseconds since 1970 UTC.
 */
#include "time_functions.h"

static const weir_factory *const factories[] = {
    &parse_time_function, &format_time_function,
    &millis_function,     &to_timestamp_function,
    &year_function,       &month_function,
    &day_function,        &hour_function,
    &minute_function,     &second_function,
    &weekday_function,    &day_of_year_function,
    &start_of_function,   NULL,
};

WEIR_PLUGIN(.id = "org.weir.function.time", .name = "time", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL,
            .summary = "Functions of time: parse_time, format_time, hour, start_of, ...",
            .factories = factories);
