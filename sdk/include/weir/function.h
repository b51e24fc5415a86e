/* SPDX-License-Identifier: MIT */
/*
 * Kind "weir.function/1": a scalar function for expressions. Pure: the result depends on the
 * arguments alone. Called with columns, one lane a record.
 */
#ifndef WEIR_FUNCTION_H
#define WEIR_FUNCTION_H

#include "host.h"

WEIR_BEGIN_C

#define WEIR_KIND_FUNCTION "weir.function/1"

/*
 * One call: `count` lanes.
 *
 * args     arg_count columns of `count` values each. Their kinds fit the signature; a number that
 *          int64 and float64 can hold comes as WEIR_INT or WEIR_FLOAT, never as WEIR_NUMBER
 * results  `count` values to fill. A failed lane is filled by weir_call_fail
 * state    what prepare made, or NULL
 * ctx      for weir_alloc and weir_call_fail only
 */
typedef struct weir_call {
    uint32_t struct_size;
    uint32_t count;
    uint32_t arg_count;
    uint32_t reserved;
    weir_context *ctx;
    const void *state;
    const weir_value *const *args;
    weir_value *results;
    void (*fail)(struct weir_call *call, uint32_t lane, const char *message);
} weir_call;

/*
 * signature  "(kinds) kind". Kinds are any bool int float num text bytes list map timestamp time;
 *            `a|b` one of several, `k?` also null, `[, k]` may be left out, `k...` any number of.
 *            num is int, float or bool; time is int (ms) or timestamp; any includes null.
 *            Example: "(text, int[, text]) text"
 * example, example_result
 *            an expression without fields and its value as JSON; shown in the docs and tested
 * prepare    [control] may be NULL. literals[i] is the value of an argument that is a constant, else
 *            NULL; *ret_state is handed to every call. Memory: weir.memory/1 of host. A negative
 *            status with a message in `fault` is an error of `weir check` at that argument
 * release    [control] may be NULL. Frees what prepare made outside the host's memory
 * evaluate   [task] several threads may call it at once with one state
 */
typedef struct weir_function_vtable {
    uint32_t struct_size;
    uint32_t reserved;
    const char *signature;
    const char *example;
    const char *example_result;
    weir_status (*prepare)(const weir_host *host, const weir_value *const *literals, uint32_t count,
                           void **ret_state, weir_error_info *fault);
    void (*release)(void *state);
    weir_status (*evaluate)(weir_call *call);
} weir_function_vtable;

/* Fails one lane with a message in the manner of printf. */
__attribute__((format(printf, 3, 4))) static inline void weir_call_fail(weir_call *call,
                                                                        uint32_t lane,
                                                                        const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    call->fail(call, lane, message);
}

WEIR_END_C

#endif
