/* SPDX-License-Identifier: MIT */
/*
 * What the host lends to a plugin.
 *
 * A `weir_host` belongs to one instance and lives as long as it. A `weir_context` belongs to one
 * call and carries what is needed per record: memory of the batch, the outputs, the cursor.
 * Everything beyond is a small table of functions got by its id (get_extension).
 *
 * What a call is given may be used until the call returns, on the thread of the call. Whoever is
 * refused memory ends its call with a fault. Host and config are never written to.
 */
#ifndef WEIR_HOST_H
#define WEIR_HOST_H

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "option.h"
#include "record.h"

WEIR_BEGIN_C

typedef struct weir_host weir_host;
typedef struct weir_context weir_context;

/*
 * host_version   of the program, for messages; never NULL
 * get_extension  the table of this id, or NULL where the host has none. Every table begins with
 *                `uint32_t struct_size`. Thread [any]
 */
struct weir_host {
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    const char *host_version;
    const void *(*get_extension)(const weir_host *host, const char *id);
};

/*
 * Entries that a call has emitted at one output.
 *
 * mark  `count` when the cursor came to its record: what lies beyond is dropped if that record fails
 */
typedef struct weir_output {
    weir_entry *entries;
    uint32_t count;
    uint32_t capacity;
    uint32_t mark;
    uint32_t reserved;
} weir_output;

/*
 * Functions that stand behind the inline ones below; plugins call those.
 *
 * alloc      memory that lives until the batch retires, aligned to 16; NULL when there is none
 * grow       room for at least `more` further entries at this output
 * fail       record_index of the batch of this call fails with these details; the host applies
 *            on_error and drops what the record has emitted here. -1: the call as a whole fails.
 *            A record is failed once, and nothing is emitted for it any more
 * fail_value the record at this index fails with the error that `failed` (tag WEIR_TAG_ERROR) holds
 * delivered  records first .. first + count - 1 of a sink's batch have arrived for good, whatever becomes
 *            of the call. From ABI 0.2 on; use weir_delivered
 * fail_value_of_input  like fail_value, with what a source could not make a record of. From ABI 0.3 on; use
 *            weir_reject_value
 * Thread     the thread of the call
 */
typedef struct weir_call_api {
    uint32_t struct_size;
    uint32_t reserved;
    void *(*alloc)(weir_context *ctx, uint64_t size);
    weir_status (*grow)(weir_context *ctx, weir_output *output, uint32_t more);
    void (*fail)(weir_context *ctx, const weir_error_info *info);
    void (*fail_value)(weir_context *ctx, uint32_t record_index, const weir_value *failed);
    void (*delivered)(weir_context *ctx, uint32_t first, uint32_t count);
    void (*fail_value_of_input)(weir_context *ctx, uint32_t record_index, const weir_value *failed,
                                weir_slice input);
} weir_call_api;

/*
 * arena_next, arena_end  free memory of the batch; use weir_alloc
 * batch                  the input of this call; NULL for sources and serializers
 * cursor                 index of the record being worked on
 * outputs                one per output port
 *
 * Of a context only the inline functions below write.
 */
struct weir_context {
    uint32_t struct_size;
    uint32_t output_count;
    const weir_call_api *api;
    const weir_host *host;
    uint8_t *arena_next;
    uint8_t *arena_end;
    const weir_batch *batch;
    weir_output *outputs;
    uint32_t cursor;
    uint32_t reserved;
};

/* ---- memory ---------------------------------------------------------------------------------- */

/* Memory of the batch, aligned to 16, uninitialised. NULL: out of memory. Cost: a bump. */
static inline void *weir_alloc(weir_context *ctx, uint64_t size)
{
#if !defined(__SANITIZE_ADDRESS__)
    uint64_t rounded = (size + 15u) & ~(uint64_t)15u;
    if (rounded >= size && rounded <= (uint64_t)(ctx->arena_end - ctx->arena_next)) {
        void *memory = ctx->arena_next;
        ctx->arena_next += rounded;
        return memory;
    }
#endif
    return ctx->api->alloc(ctx, size);
}

/* ---- emitting -------------------------------------------------------------------------------- */

/* Moves the cursor to a record of the batch: emissions, failures and log lines refer to it. */
static inline void weir_cursor_to(weir_context *ctx, uint32_t index)
{
    ctx->cursor = index;
    for (uint32_t i = 0; i < ctx->output_count; i++) {
        ctx->outputs[i].mark = ctx->outputs[i].count;
    }
}

/* clang-format off */
/* Runs the block once per entry of the batch, with the cursor on it. */
#define WEIR_EACH(ctx, in, entry)                                                                  \
    for (const weir_entry *entry = (in)->entries, *entry##_end = entry + (in)->count;              \
         entry < entry##_end && (weir_cursor_to((ctx), (uint32_t)(entry - (in)->entries)), 1);     \
         entry++)
/* clang-format on */

/* Emits an entry as it is: its record goes on, with its ordinal and origin. */
static inline weir_status weir_pass(weir_context *ctx, uint32_t output, const weir_entry *entry)
{
    weir_output *out = &ctx->outputs[output];
    if (out->count == out->capacity) {
        weir_status st = ctx->api->grow(ctx, out, 1);
        if (st != WEIR_OK) {
            return st;
        }
    }
    out->entries[out->count++] = *entry;
    return WEIR_OK;
}

/* Emits a record, made by this call in the memory of the batch, in the place of `entry`. */
static inline weir_status weir_emit(weir_context *ctx, uint32_t output, const weir_entry *entry,
                                    const weir_record *record)
{
    weir_entry made = *entry;
    made.record = record;
    return weir_pass(ctx, output, &made);
}

/* For sources: emits a record that no input stands behind. The cursor counts them. */
static inline weir_status weir_produce(weir_context *ctx, const weir_record *record)
{
    weir_entry made = { record, 0, 0, 0 };
    weir_status st = weir_pass(ctx, 0, &made);
    weir_cursor_to(ctx, ctx->cursor + 1);
    return st;
}

/* A copy of the entry's record with another value, in the memory of the batch. NULL: no memory. */
static inline weir_record *weir_record_with(weir_context *ctx, const weir_record *record,
                                            weir_value value)
{
    weir_record *made = (weir_record *)weir_alloc(ctx, sizeof *made);
    if (made != NULL) {
        *made = *record;
        made->value = value;
    }
    return made;
}

/* Emits the entry's record with another value: what most operators do. */
static inline weir_status weir_emit_value(weir_context *ctx, uint32_t output,
                                          const weir_entry *entry, weir_value value)
{
    const weir_record *made = weir_record_with(ctx, entry->record, value);
    return made == NULL ? WEIR_E_NOMEM : weir_emit(ctx, output, entry, made);
}

/* ---- failing --------------------------------------------------------------------------------- */

/* Fails the record at `index`: class data, or with index -1 the whole call, of the given class. */
static inline void weir_fail_class(weir_context *ctx, int64_t index, weir_status status,
                                   uint32_t error_class, const char *message, const char *hint)
{
    weir_error_info info = { sizeof info, status,  error_class, 0,           index,
                             0,           message, hint,        { NULL, 0 }, 0 };
    ctx->api->fail(ctx, &info);
}

/* Fails the whole call for what the system says in errno: "could not `what`: ...". Returns WEIR_E_IO. */
static inline weir_status weir_fail_errno(weir_context *ctx, const char *what)
{
    char message[256];
    snprintf(message, sizeof message, "could not %s: %s", what, strerror(errno));
    weir_fail_class(ctx, -1, WEIR_E_IO, WEIR_CLASS_RESOURCE, message, NULL);
    return WEIR_E_IO;
}

/* Fails the record under the cursor with a message in the manner of printf. */
__attribute__((format(printf, 2, 3))) static inline void weir_fail(weir_context *ctx,
                                                                   const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    weir_fail_class(ctx, ctx->cursor, WEIR_E_DATA, WEIR_CLASS_DATA, message, NULL);
}

/*
 * Fails the record at `index`, or with -1 the whole call, for a reason that may pass: the host calls
 * again, no sooner than after retry_after_ms (0: the host chooses). For sinks; see weir/sink.h.
 */
static inline void weir_fail_for_now(weir_context *ctx, int64_t index, weir_status status,
                                     uint32_t error_class, int64_t retry_after_ms,
                                     const char *message, const char *hint)
{
    weir_error_info info = { sizeof info,    status,  error_class, WEIR_ERROR_RETRIABLE, index,
                             retry_after_ms, message, hint,        { NULL, 0 },          0 };
    ctx->api->fail(ctx, &info);
}

/*
 * For sinks: records first .. first + count - 1 of the batch have arrived for good. Where the call fails
 * all the same, they are not written again. A host that does not know of it writes them again.
 */
static inline void weir_delivered(weir_context *ctx, uint32_t first, uint32_t count)
{
    if (WEIR_HAS_FIELD(ctx->api, weir_call_api, delivered)) {
        ctx->api->delivered(ctx, first, count);
    }
}

/* For sources: a record that cannot be read, in the manner of printf; the next one may follow. */
__attribute__((format(printf, 2, 3))) static inline void weir_reject(weir_context *ctx,
                                                                     const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    weir_fail_class(ctx, ctx->cursor, WEIR_E_DATA, WEIR_CLASS_DATA, message, NULL);
    weir_cursor_to(ctx, ctx->cursor + 1);
}

static inline void weir_reject_info(weir_context *ctx, weir_slice input, uint64_t input_size,
                                    const char *message)
{
    weir_error_info info = { sizeof info, WEIR_E_DATA, WEIR_CLASS_DATA, 0,         ctx->cursor, 0,
                             message,     NULL,        input,           input_size };
    ctx->api->fail(ctx, &info);
    weir_cursor_to(ctx, ctx->cursor + 1);
}

/* The same with the bytes that it could not read, which a dead letter then holds. */
__attribute__((format(printf, 4, 5))) static inline void weir_reject_input(weir_context *ctx,
                                                                           const void *input,
                                                                           uint64_t size,
                                                                           const char *format, ...)
{
    char message[512];
    weir_slice bytes = { (const uint8_t *)input, size };
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    weir_reject_info(ctx, bytes, 0, message);
}

/*
 * The same where there is too much of it: `input` is the beginning, of which a dead letter holds some. whole:
 * bytes that there are; UINT64_MAX: nobody knows.
 */
__attribute__((format(printf, 4, 5))) static inline void weir_reject_beginning(
    weir_context *ctx, weir_slice input, uint64_t whole, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    weir_reject_info(ctx, input, whole, message);
}

/* For sources: the record fails with the error of an expression (tag WEIR_TAG_ERROR). */
static inline void weir_reject_value(weir_context *ctx, const weir_value *failed, const void *input,
                                     uint64_t size)
{
    weir_slice bytes = { (const uint8_t *)input, size };
    if (WEIR_HAS_FIELD(ctx->api, weir_call_api, fail_value_of_input)) {
        ctx->api->fail_value_of_input(ctx, ctx->cursor, failed, bytes);
    } else {
        ctx->api->fail_value(ctx, ctx->cursor, failed);
    }
    weir_cursor_to(ctx, ctx->cursor + 1);
}

/* ---- extensions ------------------------------------------------------------------------------ */

/*
 * weir.memory/1: memory of the instance, freed by the host after destroy. Aligned to 16, zeroed.
 * NULL: none. Thread [control] [task] [lane]
 */
#define WEIR_MEMORY "weir.memory/1"
typedef struct weir_memory_api {
    uint32_t struct_size;
    uint32_t reserved;
    void *(*alloc)(const weir_host *host, uint64_t size);
} weir_memory_api;

/*
 * weir.symbols/1: numbers for field names. Names of options and expressions are interned by the
 * host. The set is sealed when the pipeline starts.
 *
 * intern  [control] the symbol of a name, new if need be; WEIR_SYMBOL_NONE: no memory, or sealed
 * lookup  [any] the symbol of a name, or WEIR_SYMBOL_NONE
 */
#define WEIR_SYMBOLS "weir.symbols/1"
typedef struct weir_symbols_api {
    uint32_t struct_size;
    uint32_t reserved;
    uint32_t (*intern)(const weir_host *host, const char *name, uint32_t len);
    uint32_t (*lookup)(const weir_host *host, const char *name, uint32_t len);
} weir_symbols_api;

/* How a value is written as JSON. */
enum {
    WEIR_JSON_NAN_ERROR = 1u,    /* NaN and infinities are an error; otherwise they become null */
    WEIR_JSON_BYTES_TAGGED = 2u, /* bytes as {"$bytes": "<base64>"}; otherwise they are an error */
    /* the form depends on the value alone: compact and with shortest escapes, whatever text it was
     * decoded from; numbers keep their digits */
    WEIR_JSON_ANEW = 4u
};

/*
 * weir.values/1: what everybody must do alike. Thread [any]; buffers and values are the caller's.
 *
 * equal       1 where `a == b` of the expression language holds, else 0
 * compare     *ret_order is -1, 0, 1; 2 where a NaN is in play. WEIR_E_DATA: kinds that have no
 *             order
 * hash        equal values of one kind have equal hashes; stable within a process
 * write_json  appends the value as JSON text: compact, members in order, shortest digits, source
 *             text where it is known and not refused by flags. max_depth: levels of nesting, 0 = 254. WEIR_E_DATA: bytes,
 *             NaN (by flags), text not in UTF-8, too deep; then *ret_fault, if not NULL, says why in a static text
 * number      reads int, float, bool and number alike. ret->tag is WEIR_INT or WEIR_FLOAT, or
 *             WEIR_NUMBER where an integer needs more than 64 bits or a float more than float64.
 *             WEIR_E_DATA: no number
 * event_time  ms since 1970 of what may stand for an event time: an int of that meaning, RFC 3339
 *             text, a timestamp. WEIR_E_DATA: none of these; then *ret_fault, if not NULL, says why
 *             in a static text
 */
#define WEIR_VALUES "weir.values/1"
typedef struct weir_values_api {
    uint32_t struct_size;
    uint32_t reserved;
    int32_t (*equal)(const weir_value *a, const weir_value *b);
    weir_status (*compare)(const weir_value *a, const weir_value *b, int32_t *ret_order);
    uint64_t (*hash)(const weir_value *v);
    weir_status (*write_json)(const weir_value *v, uint32_t flags, uint32_t max_depth,
                              weir_buffer *out, const char **ret_fault);
    weir_status (*number)(const weir_value *v, weir_value *ret);
    weir_status (*event_time)(const weir_value *v, int64_t *ret_ms, const char **ret_fault);
} weir_values_api;

/*
 * weir.expressions/1
 *
 * evaluate     computes the expression for `count` entries into out[0 .. count). Entries may be
 *              those of the batch or made by the plugin (with origins of the batch). A lane that
 *              fails has tag WEIR_TAG_ERROR: hand it to api->fail_value. The result lives as long
 *              as the batch. Returns the number of failed lanes, or a negative status where the
 *              call as a whole failed. Thread [task] [lane]
 * is_truthy    1 where a condition with this value passes. Thread [any]
 * text         the expression as it was written, for messages. Thread [any]
 */
#define WEIR_EXPRESSIONS "weir.expressions/1"
typedef struct weir_expressions_api {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t (*evaluate)(weir_context *ctx, const weir_expression *expression,
                        const weir_entry *entries, uint32_t count, weir_value *out);
    int32_t (*is_truthy)(const weir_value *v);
    weir_text (*text)(const weir_expression *expression);
} weir_expressions_api;

enum { WEIR_LOG_ERROR = 1, WEIR_LOG_WARNING = 2, WEIR_LOG_INFO = 3, WEIR_LOG_DEBUG = 4 };

/* weir.log/1: one line to the log, named after the step. Thread [any] */
#define WEIR_LOG "weir.log/1"
typedef struct weir_log_api {
    uint32_t struct_size;
    uint32_t reserved;
    void (*write)(const weir_host *host, uint32_t level, const char *message);
} weir_log_api;

/*
 * weir.metrics/1: a counter of this instance. The cell is the instance's own: add to it directly,
 * from its own calls only; the host reads it. NULL: no memory. Thread [control]
 */
#define WEIR_METRICS "weir.metrics/1"
typedef struct weir_metrics_api {
    uint32_t struct_size;
    uint32_t reserved;
    uint64_t *(*counter)(const weir_host *host, const char *name, const char *help);
} weir_metrics_api;

/* weir.clock/1: the host's clocks, virtual in tests. Thread [any] */
#define WEIR_CLOCK "weir.clock/1"
typedef struct weir_clock_api {
    uint32_t struct_size;
    uint32_t reserved;
    int64_t (*now_ms)(const weir_host *host);       /* ms since 1970 UTC */
    int64_t (*monotonic_ns)(const weir_host *host); /* never goes back; any origin */
} weir_clock_api;

WEIR_END_C

#endif
