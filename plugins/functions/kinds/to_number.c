/* SPDX-License-Identifier: MIT */
/*
 * int, float: numbers from numbers and from text. A text that is no number gives the second argument
 * where there is one; a number that does not fit is an error either way.
 */
#include "kinds_functions.h"
#include "support/code_point.h"
#include "support/lane.h"

#include <locale.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

struct span {
    const char *text;
    size_t len;
};

static struct span trimmed(const weir_value *v)
{
    size_t from = 0;
    size_t to = v->len;
    while (from < to && code_point_is_space(code_point_read(v->as.text + from))) {
        from += code_point_size(v->as.text[from]);
    }
    while (to > from) {
        size_t last = to - 1;
        while (!code_point_begins(v->as.text[last])) {
            last--;
        }
        if (!code_point_is_space(code_point_read(v->as.text + last))) {
            break;
        }
        to = last;
    }
    return (struct span){ v->as.text + from, to - from };
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Length of the digits at the start. */
static size_t digits(const char *text, size_t len)
{
    size_t n = 0;
    while (n < len && is_digit(text[n])) {
        n++;
    }
    return n;
}

static weir_status no_number(weir_call *call, uint32_t lane, const char *function, const char *what,
                             weir_value *ret)
{
    if (call->arg_count > 1) {
        *ret = *lane_arg(call, 1, lane);
        return WEIR_OK;
    }
    return lane_fail(call, lane, "%s: %s is not %s; a second argument would stand in for it",
                     function, lane_excerpt(lane_arg(call, 0, lane)).text, what);
}

static weir_status does_not_fit(weir_call *call, uint32_t lane, const char *function,
                                const char *room)
{
    return lane_fail(call, lane, "%s: %s does not fit in %s", function,
                     lane_excerpt(lane_arg(call, 0, lane)).text, room);
}

static weir_status int_of_text(weir_call *call, uint32_t lane, weir_value *ret)
{
    struct span span = trimmed(lane_arg(call, 0, lane));
    bool is_negative = span.len > 0 && span.text[0] == '-';
    if (is_negative || (span.len > 0 && span.text[0] == '+')) {
        span.text++;
        span.len--;
    }
    if (span.len == 0 || digits(span.text, span.len) != span.len) {
        return no_number(call, lane, "int", "a whole number", ret);
    }
    int64_t sum = 0; /* negative throughout: that side reaches one further */
    for (size_t i = 0; i < span.len; i++) {
        if (__builtin_mul_overflow(sum, 10, &sum) ||
            __builtin_sub_overflow(sum, span.text[i] - '0', &sum)) {
            return does_not_fit(call, lane, "int", "64 bits");
        }
    }
    if (!is_negative && __builtin_sub_overflow(0, sum, &sum)) {
        return does_not_fit(call, lane, "int", "64 bits");
    }
    *ret = weir_int(sum);
    return WEIR_OK;
}

static weir_status to_int(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    if (v->tag == WEIR_TEXT) {
        return int_of_text(call, lane, ret);
    }
    weir_value number;
    weir_status st = lane_number(call, lane, "int", v, &number);
    if (st != WEIR_OK) {
        return st;
    }
    if (number.tag == WEIR_FLOAT) {
        double whole = trunc(number.as.f64);
        if (!(whole >= -0x1p63 && whole < 0x1p63)) { /* NaN too */
            return does_not_fit(call, lane, "int", "64 bits");
        }
        number = weir_int((int64_t)whole);
    }
    *ret = number;
    return WEIR_OK;
}

static weir_status evaluate_int(weir_call *call)
{
    return lanes_evaluate(call, to_int);
}

const weir_factory int_function = {
    FUNCTION(
        "int", "A whole number from a number or a text",
        "A float is cut toward zero, a bool is 1 or 0. A text may have a sign and blanks around "
        "its digits. `int(x, y)` gives `y` for a text that is no whole number; without it that "
        "is an error."),
    .vtable = FUNCTION_TABLE(.signature = "(num|text[, any]) any", .example = "int(\" -7 \")",
                             .example_result = "-7", .evaluate = evaluate_int),
};

/* JSON's form of a number, all of the span. */
static bool is_json_number(struct span span)
{
    const char *at = span.text;
    const char *end = span.text + span.len;
    at += at < end && *at == '-';
    size_t n = digits(at, (size_t)(end - at));
    if (n == 0 || (n > 1 && *at == '0')) {
        return false;
    }
    at += n;
    if (at < end && *at == '.') {
        at++;
        n = digits(at, (size_t)(end - at));
        if (n == 0) {
            return false;
        }
        at += n;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        at++;
        at += at < end && (*at == '-' || *at == '+');
        n = digits(at, (size_t)(end - at));
        if (n == 0) {
            return false;
        }
        at += n;
    }
    return at == end;
}

/* The nearest float64 of a JSON number, in whatever locale the process runs. */
static weir_status nearest_float(weir_call *call, struct span span, double *ret)
{
    char room[64];
    char *text = room;
    if (span.len >= sizeof room) {
        text = weir_alloc(call->ctx, span.len + 1);
        if (text == NULL) {
            return WEIR_E_NOMEM;
        }
    }
    memcpy(text, span.text, span.len);
    text[span.len] = '\0';
    /* "C" is a constant object of the C library: nothing is allocated, nothing to free */
    *ret = strtod_l(text, NULL, newlocale(LC_ALL_MASK, "C", (locale_t)0));
    return WEIR_OK;
}

static weir_status float_of_digits(weir_call *call, uint32_t lane, struct span span,
                                   weir_value *ret)
{
    double number;
    weir_status st = nearest_float(call, span, &number);
    if (st != WEIR_OK) {
        return st;
    }
    if (isinf(number)) {
        return does_not_fit(call, lane, "float", "a float");
    }
    *ret = weir_float(number);
    return WEIR_OK;
}

static weir_status to_float(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    if (v->tag == WEIR_NUMBER) {
        return float_of_digits(call, lane, (struct span){ v->as.text, v->len }, ret);
    }
    if (v->tag == WEIR_TEXT) {
        struct span span = trimmed(v);
        if (!is_json_number(span)) {
            return no_number(call, lane, "float", "a number", ret);
        }
        return float_of_digits(call, lane, span, ret);
    }
    double number;
    weir_status st = lane_double(call, lane, "float", v, &number);
    if (st == WEIR_OK) {
        *ret = weir_float(number);
    }
    return st;
}

static weir_status evaluate_float(weir_call *call)
{
    return lanes_evaluate(call, to_float);
}

const weir_factory float_function = {
    FUNCTION(
        "float", "A float from a number or a text",
        "An int of any length becomes the nearest float, a bool 1.0 or 0.0. A text must be a "
        "number as JSON "
        "writes it; blanks around it do no harm. `float(x, y)` gives `y` for a text that is no "
        "number; without it that is an error."),
    .vtable = FUNCTION_TABLE(.signature = "(any[, any]) any", .example = "float(\"2.5e3\")",
                             .example_result = "2500.0", .evaluate = evaluate_float),
};
