/* SPDX-License-Identifier: MIT */
#include "value/event_time.h"

#include "base/units.h"
#include "value/value.h"

/* Floor division: the millisecond that an instant lies in. */
static int64_t floor_divide(int64_t a, int64_t b)
{
    return a / b - (a % b != 0 && (a < 0) != (b < 0));
}

static bool timestamp_ms(const weir_value *v, int64_t *ret_ms, const char **ret_fault)
{
    *ret_fault = "the event time does not fit in 64 bits";
    switch (v->aux) {
    case 0:
        return !__builtin_mul_overflow(v->as.i64, 1000, ret_ms);
    case 3:
        *ret_ms = v->as.i64;
        return true;
    case 6:
        *ret_ms = floor_divide(v->as.i64, 1000);
        return true;
    default:
        *ret_ms = floor_divide(v->as.i64, 1000000);
        return true;
    }
}

bool event_time_ms(const weir_value *v, int64_t *ret_ms, const char **ret_fault)
{
    weir_value number;
    switch (value_kind(v)) {
    case KIND_TIMESTAMP:
        return timestamp_ms(v, ret_ms, ret_fault);
    case KIND_TEXT:
        if (units_time_ms(v->as.text, v->len, ret_ms, ret_fault)) {
            return true;
        }
        *ret_fault = "the event time is text that is no RFC 3339 time";
        return false;
    case KIND_INT:
        if (value_number(v, &number) && number.tag == WEIR_INT) {
            *ret_ms = number.as.i64;
            return true;
        }
        *ret_fault = "the event time does not fit in 64 bits";
        return false;
    case KIND_NULL:
        *ret_fault = "the event time is null";
        return false;
    default:
        *ret_fault = "the event time is neither an int, nor text, nor a timestamp";
        return false;
    }
}
