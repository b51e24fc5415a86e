/* SPDX-License-Identifier: MIT */
#ifndef VALUE_EVENT_TIME_H
#define VALUE_EVENT_TIME_H

#include <stdbool.h>

#include <weir/value.h>

/*
 * What an expression has given where an event time is wanted, in ms since 1970: an int, RFC 3339
 * text, a timestamp.
 * False: *ret_fault is a static sentence part.
 */
bool event_time_ms(const weir_value *v, int64_t *ret_ms, const char **ret_fault);

#endif
