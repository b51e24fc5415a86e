/* SPDX-License-Identifier: MIT */
/* The factories of this plugin, for the table in plugin.c. */
#ifndef FUNCTIONS_TIME_FUNCTIONS_H
#define FUNCTIONS_TIME_FUNCTIONS_H

#include <weir/plugin.h>

extern const weir_factory parse_time_function;
extern const weir_factory format_time_function;
extern const weir_factory millis_function;
extern const weir_factory to_timestamp_function;
extern const weir_factory year_function;
extern const weir_factory month_function;
extern const weir_factory day_function;
extern const weir_factory hour_function;
extern const weir_factory minute_function;
extern const weir_factory second_function;
extern const weir_factory weekday_function;
extern const weir_factory day_of_year_function;
extern const weir_factory start_of_function;

#endif
