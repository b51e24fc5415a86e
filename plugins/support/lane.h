/* SPDX-License-Identifier: MIT */
/*
 * What function plugins share: a loop over the lanes of a call, failing one lane with a sentence,
 * results in the memory of the batch, the 16 MiB that no result may exceed.
 *
 * A lane function computes one lane. It returns WEIR_OK with *ret set, WEIR_E_DATA after it has
 * failed the lane (lane_fail), or another negative status, which ends the whole call.
 */
#ifndef SUPPORT_LANE_H
#define SUPPORT_LANE_H

#include <stdbool.h>

#include <weir/function.h>
#include <weir/plugin.h>

#define LANE_RESULT_LIMIT ((uint64_t)16 * 1024 * 1024) /* bytes of one result */
#define LANE_ITEM_LIMIT   ((uint64_t)1000000)          /* items of one list that is made up */

typedef weir_status lane_function(weir_call *call, uint32_t lane, weir_value *ret);

/* Runs `compute` for every lane. Inlined, so that the compiler sees through the pointer. */
__attribute__((always_inline)) static inline weir_status lanes_evaluate(weir_call *call,
                                                                        lane_function *compute)
{
    for (uint32_t lane = 0; lane < call->count; lane++) {
        weir_value result = weir_null();
        weir_status st = compute(call, lane, &result);
        if (st == WEIR_OK) {
            call->results[lane] = result;
        } else if (st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

static inline const weir_value *lane_arg(const weir_call *call, uint32_t arg, uint32_t lane)
{
    return &call->args[arg][lane];
}

/* Fails the lane; always WEIR_E_DATA, so that a lane function can end with it. */
weir_status lane_fail(weir_call *call, uint32_t lane, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* A value for a message: quoted text cut short, a number, else the name of the kind. */
struct lane_excerpt {
    char text[72];
};
struct lane_excerpt lane_excerpt(const weir_value *v);

/*
 * The int or float (also of a bool) behind an argument: ret->tag is WEIR_INT or WEIR_FLOAT. Fails
 * the lane for a number beyond 64 bits and for what is no number.
 */
weir_status lane_number(weir_call *call, uint32_t lane, const char *function, const weir_value *v,
                        weir_value *ret);
/* The same as a double. */
weir_status lane_double(weir_call *call, uint32_t lane, const char *function, const weir_value *v,
                        double *ret);
/* An argument that must be an int. */
weir_status lane_int(weir_call *call, uint32_t lane, const char *function, const weir_value *v,
                     int64_t *ret);

/* Memory for a result of `size` bytes: fails the lane above the limit, WEIR_E_NOMEM. */
weir_status lane_room(weir_call *call, uint32_t lane, const char *function, uint64_t size,
                      char **ret);
/* Memory for `count` values or members. */
weir_status lane_items(weir_call *call, uint64_t count, weir_value **ret);
weir_status lane_members(weir_call *call, uint64_t count, weir_member **ret);
/* A text value that is a copy of these bytes. */
weir_status lane_copy_text(weir_call *call, uint32_t lane, const char *function, const char *bytes,
                           uint64_t size, weir_value *ret);

/* A buffer in the memory of the batch that grows up to the limit of a result. */
struct lane_buffer {
    weir_buffer base; /* first: grow finds the rest by its address */
    weir_context *ctx;
};
void lane_buffer_init(struct lane_buffer *buffer, weir_context *ctx);
/* Fails the lane where `st` says that the buffer's limit was reached; else returns `st`. */
weir_status lane_buffer_status(weir_call *call, uint32_t lane, const char *function,
                               weir_status st);
static inline weir_value lane_buffer_text(const struct lane_buffer *buffer)
{
    const char *text = buffer->base.size > 0 ? (const char *)buffer->base.data : "";
    return weir_text_value(text, (uint32_t)buffer->base.size);
}

/* A prepare that makes the host's weir.values/1 table the state of the function. */
weir_status lane_prepare_values(const weir_host *host, const weir_value *const *literals,
                                uint32_t count, void **ret_state, weir_error_info *fault);
static inline const weir_values_api *lane_values(const weir_call *call)
{
    return (const weir_values_api *)call->state;
}

/* For a prepare that judges a literal: fills `fault` and returns WEIR_E_INVALID. The message is kept
 * in the instance's memory. */
weir_status lane_prepare_fault(const weir_host *host, weir_error_info *fault, uint32_t arg,
                               const char *format, ...) __attribute__((format(printf, 4, 5)));
/* Zeroed memory of the instance, for a state. */
void *lane_prepare_memory(const weir_host *host, uint64_t size);

/* The head of a function's factory. The vtable is a compound literal in the same initialiser. */
#define FUNCTION(id, line, text)                                                                   \
 .struct_size = sizeof(weir_factory), .kind = WEIR_KIND_FUNCTION, .name = (id), .summary = (line), \
 .doc = (text)
#define FUNCTION_TABLE(...)                                                                        \
 &(const weir_function_vtable)                                                                     \
 {                                                                                                 \
  .struct_size = sizeof(weir_function_vtable), __VA_ARGS__                                         \
 }

#endif
