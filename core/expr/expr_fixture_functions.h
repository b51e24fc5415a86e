/* SPDX-License-Identifier: MIT */
/*
 * Functions for tests only: as little as the vectors need, in the shape of a plugin's.
 */
#ifndef EXPR_EXPR_FIXTURE_FUNCTIONS_H
#define EXPR_EXPR_FIXTURE_FUNCTIONS_H

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/utf8.h"
#include "expr/expr.h"
#include "value/json.h"
#include "value/number.h"
#include "value/value.h"

typedef void fixture_function(weir_call *call, uint32_t lane, weir_value *out);

static inline weir_status fixture_each(weir_call *call, fixture_function *function)
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        function(call, lane, &call->results[lane]);
    }
    return WEIR_OK;
}

/* length(text|bytes|list|map) int */
static inline void fixture_length_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    const weir_value *v = &call->args[0][lane];
    *out = weir_int(v->tag == WEIR_TEXT ? (int64_t)utf8_length(v->as.text, v->len) : v->len);
}

static inline weir_status fixture_length(weir_call *call)
{
    return fixture_each(call, fixture_length_lane);
}

/* sum(list) num */
static inline void fixture_sum_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    const weir_value *list = &call->args[0][lane];
    double sum = 0;
    int64_t whole = 0;
    bool is_float = false;
    for (uint32_t i = 0; i < list->len; i++) {
        weir_value number;
        if (!value_number(&list->as.items[i], &number)) {
            weir_call_fail(call, lane, "item %u is %s, not a number", i,
                           value_kind_name(&list->as.items[i]));
            return;
        }
        is_float |= number.tag == WEIR_FLOAT;
        sum += number.tag == WEIR_FLOAT ? number.as.f64 : (double)number.as.i64;
        whole += number.tag == WEIR_FLOAT ? 0 : number.as.i64;
    }
    *out = is_float ? weir_float(sum) : weir_int(whole);
}

static inline weir_status fixture_sum(weir_call *call)
{
    return fixture_each(call, fixture_sum_lane);
}

/* round(num[, int]) num; trunc(num) int; abs(num) num */
static inline double fixture_double(const weir_value *v)
{
    return v->tag == WEIR_FLOAT ? v->as.f64 : (double)v->as.i64;
}

static inline void fixture_round_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    double x = fixture_double(&call->args[0][lane]);
    if (call->arg_count == 1) {
        *out = weir_int((int64_t)nearbyint(x));
        return;
    }
    char text[64];
    snprintf(text, sizeof text, "%.*f", (int)call->args[1][lane].as.i64, x);
    *out = weir_float(strtod(text, NULL));
}

static inline weir_status fixture_round(weir_call *call)
{
    return fixture_each(call, fixture_round_lane);
}

static inline void fixture_trunc_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    *out = weir_int((int64_t)fixture_double(&call->args[0][lane]));
}

static inline weir_status fixture_trunc(weir_call *call)
{
    return fixture_each(call, fixture_trunc_lane);
}

static inline void fixture_abs_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    const weir_value *v = &call->args[0][lane];
    *out = v->tag == WEIR_FLOAT ? weir_float(fabs(v->as.f64)) : weir_int(llabs(v->as.i64));
}

static inline weir_status fixture_abs(weir_call *call)
{
    return fixture_each(call, fixture_abs_lane);
}

/* int(any[, any]) int */
static inline void fixture_int_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    const weir_value *v = &call->args[0][lane];
    if (v->tag == WEIR_INT) {
        *out = *v;
        return;
    }
    if (v->tag != WEIR_TEXT) {
        weir_call_fail(call, lane, "int() cannot take %s", value_kind_name(v));
        return;
    }
    char text[32];
    char *end = NULL;
    snprintf(text, sizeof text, "%.*s", (int)v->len, v->as.text);
    long long number = strtoll(text, &end, 10);
    end += strspn(end, " ");
    if (*end == '\0' && end != text) {
        *out = weir_int(number);
    } else if (call->arg_count == 2) {
        *out = call->args[1][lane];
    } else {
        weir_call_fail(call, lane, "'%s' is no number", text);
    }
}

static inline weir_status fixture_int(weir_call *call)
{
    return fixture_each(call, fixture_int_lane);
}

/* min(any, any...) any */
static inline void fixture_min_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    *out = call->args[0][lane];
    for (uint32_t i = 1; i < call->arg_count; i++) {
        if (value_compare(&call->args[i][lane], out) == ORDER_LESS) {
            *out = call->args[i][lane];
        }
    }
}

static inline weir_status fixture_min(weir_call *call)
{
    return fixture_each(call, fixture_min_lane);
}

/* upper(text) text, ASCII only */
static inline void fixture_upper_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    const weir_value *v = &call->args[0][lane];
    char *copy = weir_alloc(call->ctx, v->len + 1u);
    if (copy == NULL) {
        weir_call_fail(call, lane, "out of memory");
        return;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        char c = v->as.text[i];
        copy[i] = c >= 'a' && c <= 'z' ? (char)(c - 32) : c;
    }
    *out = weir_text_value(copy, v->len);
}

static inline weir_status fixture_upper(weir_call *call)
{
    return fixture_each(call, fixture_upper_lane);
}

/* kind(any) text: the tag that arrives, which tells a number that is kept as text */
static inline void fixture_kind_lane(weir_call *call, uint32_t lane, weir_value *out)
{
    const weir_value *v = &call->args[0][lane];
    *out = v->tag == WEIR_NUMBER
               ? weir_text_value("number", 6)
               : weir_text_value(value_kind_name(v), (uint32_t)strlen(value_kind_name(v)));
}

static inline weir_status fixture_kind(weir_call *call)
{
    return fixture_each(call, fixture_kind_lane);
}

/* add(int, int[, int]) int: adds; the state counts the constants that prepare saw, times 1000 */
static inline weir_status fixture_prepare_add(const weir_host *host,
                                              const weir_value *const *literals, uint32_t count,
                                              void **ret_state, weir_error_info *fault)
{
    static int64_t states[4] = { 0, 1000, 2000, 3000 };
    uint32_t constants = 0;
    (void)host;
    for (uint32_t i = 0; i < count; i++) {
        constants += literals[i] != NULL;
        if (literals[i] != NULL && literals[i]->as.i64 == 13) {
            fault->message = "13 is not added";
            fault->hint = "add 12 and 1";
            fault->record_index = count > 2 ? (int64_t)i : -1;
            return WEIR_E_INVALID;
        }
    }
    *ret_state = &states[constants];
    return WEIR_OK;
}

static inline weir_status fixture_add(weir_call *call)
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        int64_t sum = *(const int64_t *)call->state;
        for (uint32_t i = 0; i < call->arg_count; i++) {
            sum += call->args[i][lane].as.i64;
        }
        call->results[lane] = weir_int(sum);
    }
    return WEIR_OK;
}

static int fixture_releases;

static inline void fixture_release_add(void *state)
{
    (void)state;
    fixture_releases++;
}

/* lanes(any) int: how many lanes came together; forget(any) any: gives nothing; broken() int */
static inline weir_status fixture_lanes(weir_call *call)
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        call->results[lane] = weir_int(call->count);
    }
    return WEIR_OK;
}

static inline weir_status fixture_forget(weir_call *call)
{
    (void)call;
    return WEIR_OK;
}

static inline weir_status fixture_broken(weir_call *call)
{
    (void)call;
    return WEIR_E_INTERNAL;
}

#define FIXTURE_FUNCTION(name, text)                                                               \
 static const weir_function_vtable fixture_##name##_vtable = {                                     \
     .struct_size = sizeof(weir_function_vtable), .signature = text, .evaluate = fixture_##name    \
 }

FIXTURE_FUNCTION(length, "(text|bytes|list|map) int");
FIXTURE_FUNCTION(sum, "(list) num");
FIXTURE_FUNCTION(round, "(num[, int]) num");
FIXTURE_FUNCTION(trunc, "(num) int");
FIXTURE_FUNCTION(abs, "(num) num");
FIXTURE_FUNCTION(int, "(any[, any]) int?");
FIXTURE_FUNCTION(min, "(any, any...) any");
FIXTURE_FUNCTION(upper, "(text) text");
FIXTURE_FUNCTION(kind, "(any) text");
FIXTURE_FUNCTION(lanes, "(any) int");
FIXTURE_FUNCTION(forget, "(any) any");
FIXTURE_FUNCTION(broken, "(any) int");
static const weir_function_vtable fixture_trunk_vtable = { .struct_size =
                                                               sizeof(weir_function_vtable),
                                                           .signature = "(number) int",
                                                           .evaluate = fixture_trunc };
static const weir_function_vtable fixture_add_vtable = { .struct_size =
                                                             sizeof(weir_function_vtable),
                                                         .signature = "(int, int[, int]) int",
                                                         .prepare = fixture_prepare_add,
                                                         .release = fixture_release_add,
                                                         .evaluate = fixture_add };

static const struct expr_function fixture_functions[] = {
    { "length", &fixture_length_vtable, NULL, NULL },
    { "sum", &fixture_sum_vtable, NULL, NULL },
    { "round", &fixture_round_vtable, NULL, NULL },
    { "trunc", &fixture_trunc_vtable, NULL, NULL },
    { "abs", &fixture_abs_vtable, NULL, NULL },
    { "int", &fixture_int_vtable, NULL, NULL },
    { "min", &fixture_min_vtable, NULL, NULL },
    { "upper", &fixture_upper_vtable, NULL, NULL },
    { "org.example.text_tools.upper", &fixture_upper_vtable, NULL, NULL },
    { "kind", &fixture_kind_vtable, NULL, NULL },
    { "add", &fixture_add_vtable, NULL, NULL },
    { "lanes", &fixture_lanes_vtable, NULL, NULL },
    { "forget", &fixture_forget_vtable, NULL, NULL },
    { "broken", &fixture_broken_vtable, NULL, NULL },
    { "misprinted", &fixture_trunk_vtable, NULL, NULL },
};
enum { FIXTURE_FUNCTION_COUNT = sizeof fixture_functions / sizeof fixture_functions[0] };

#endif
