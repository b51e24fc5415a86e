/* SPDX-License-Identifier: MIT */
/*
 * The host's side of a call into a plugin. The frame owns the output and failure arrays, which grow
 * by doubling and stay for the next call: a steady flow of records asks the heap for nothing. Texts
 * of failures are copied into the arena of the call before the reporting function returns.
 */
#include "plugin/call.h"

#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "expr/expr.h"

enum { FIRST_CAPACITY = 64 };

static const char no_memory_text[] = "out of memory";

static _Thread_local struct call_watch *thread_watch;

void call_watch_use(struct call_watch *watch)
{
    thread_watch = watch;
}

const char *call_watch_label(void)
{
    return thread_watch == NULL ? NULL
                                : atomic_load_explicit(&thread_watch->label, memory_order_relaxed);
}

void call_watch_slot(const char *name)
{
    if (thread_watch != NULL) {
        atomic_store_explicit(&thread_watch->call, name, memory_order_relaxed);
    }
}

static void note_call(const char *label)
{
    if (thread_watch != NULL) {
        uint64_t number = atomic_load_explicit(&thread_watch->number, memory_order_relaxed);
        atomic_store_explicit(&thread_watch->number, number + 1, memory_order_relaxed);
        atomic_store_explicit(&thread_watch->label, label, memory_order_relaxed);
        if (label == NULL) {
            call_watch_slot(NULL);
        }
    }
}

static struct call *frame_of(weir_context *ctx)
{
    return (struct call *)ctx;
}

/* The arena bumps its own pointer from here on; adopt_bump hands it back to the context. */
static void return_bump(struct call *call)
{
    call->arena->next = call->context.arena_next;
}

static void adopt_bump(struct call *call)
{
    call->context.arena_next = call->arena->next;
    call->context.arena_end = call->arena->end;
}

static void *api_alloc(weir_context *ctx, uint64_t size)
{
    if (size > PTRDIFF_MAX) {
        return NULL;
    }
    struct call *call = frame_of(ctx);
    return_bump(call);
    void *memory = arena_alloc(call->arena, (size_t)size);
    adopt_bump(call);
    return memory;
}

/* NULL: no memory. */
static const char *keep_bytes(struct call *call, const void *bytes, size_t size)
{
    return_bump(call);
    const char *copy = arena_copy(call->arena, bytes, size);
    adopt_bump(call);
    return copy;
}

static weir_slice keep_input(struct call *call, weir_slice input)
{
    if (input.data != NULL) {
        input.data = (const uint8_t *)keep_bytes(call, input.data, (size_t)input.size);
    }
    return input;
}

/* The instance that is called; NULL: none. The frame's host is that of the instance. */
static const struct instance *instance_of(const struct call *call)
{
    const weir_host *host = call->context.host;
    return host == NULL ? NULL : ((const struct lent_host *)(const void *)host)->instance;
}

static const char *without_secrets(const struct call *call, const char *text,
                                   char room[SECRETS_ROOM])
{
    const struct instance *instance = instance_of(call);
    return instance == NULL || text == NULL ? text : instance_message(instance, text, room);
}

static const char *keep_text(struct call *call, const char *text)
{
    const char *copy = keep_bytes(call, text, strlen(text));
    return copy != NULL ? copy : no_memory_text;
}

/* Capacity that holds `needed` elements: the next power of two. 0: more than 32 bits can count. */
static uint32_t capacity_for(uint32_t capacity, uint64_t needed)
{
    uint64_t wanted = capacity < FIRST_CAPACITY ? FIRST_CAPACITY : capacity;
    while (wanted < needed) {
        wanted *= 2;
    }
    return wanted <= UINT32_MAX ? (uint32_t)wanted : 0;
}

static weir_status api_grow(weir_context *ctx, weir_output *output, uint32_t more)
{
    (void)ctx;
    uint64_t needed = (uint64_t)output->count + more;
    if (needed <= output->capacity) {
        return WEIR_OK;
    }
    uint32_t capacity = capacity_for(output->capacity, needed);
    if (capacity == 0) {
        return WEIR_E_LIMIT;
    }
    weir_entry *entries = memory_resize(output->entries, capacity * sizeof *entries);
    if (entries == NULL) {
        return WEIR_E_NOMEM;
    }
    output->entries = entries;
    output->capacity = capacity;
    return WEIR_OK;
}

static bool has_failed(const struct call *call, uint32_t index)
{
    if (call->failure_count == 0 || index > call->highest_failed) {
        return false;
    }
    for (uint32_t i = call->failure_count; i-- > 0;) {
        if (call->failures[i].index == index) {
            return true;
        }
    }
    return false;
}

static bool reserve_failure(struct call *call)
{
    if (call->failure_count < call->failure_capacity) {
        return true;
    }
    uint32_t capacity = capacity_for(call->failure_capacity, (uint64_t)call->failure_count + 1);
    struct call_failure *failures =
        capacity == 0 ? NULL : memory_resize(call->failures, capacity * sizeof *failures);
    if (failures == NULL) {
        return false;
    }
    call->failures = failures;
    call->failure_capacity = capacity;
    return true;
}

static void drop_outputs_of_cursor(struct call *call)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        weir_output *output = &call->outputs[i];
        if (output->count > output->mark) {
            output->count = output->mark;
        }
    }
}

static void fail_whole(struct call *call, weir_status status, uint32_t error_class,
                       const char *message)
{
    if (call->whole.status == WEIR_OK) {
        error_set(&call->whole, status, error_class, "%s", message);
    }
}

/*
 * Drops what the record under the cursor has emitted if it is the one at `index`. True where this
 * is the first report of a record that the call has.
 */
static bool accept_failure(struct call *call, uint64_t index)
{
    const weir_batch *batch = call->context.batch;
    if (index >= call->record_limit) {
        fail_whole(call, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                   "the plugin failed a record that is not in its batch");
        return false;
    }
    if (batch != NULL && index == call->context.cursor) {
        drop_outputs_of_cursor(call);
    }
    return !has_failed(call, (uint32_t)index);
}

static void add_failure(struct call *call, const struct call_failure *failure)
{
    if (!reserve_failure(call)) {
        fail_whole(call, WEIR_E_NOMEM, WEIR_CLASS_RESOURCE, no_memory_text);
        return;
    }
    if (call->failure_count == 0 || failure->index > call->highest_failed) {
        call->highest_failed = failure->index;
    }
    call->failures[call->failure_count++] = *failure;
}

/* What the reporter gave, with every gap filled; its texts are still the reporter's. */
static struct call_failure details_of(const weir_error_info *info)
{
    struct call_failure details = { .error_class = info->error_class,
                                    .status = info->status < 0 ? info->status : WEIR_E_INTERNAL,
                                    .is_retriable = (info->flags & WEIR_ERROR_RETRIABLE) != 0,
                                    .retry_after_ms =
                                        info->retry_after_ms > 0 ? info->retry_after_ms : 0 };
    if (WEIR_HAS_FIELD(info, weir_error_info, message)) {
        details.message = info->message;
    }
    if (WEIR_HAS_FIELD(info, weir_error_info, hint)) {
        details.hint = info->hint;
    }
    if (WEIR_HAS_FIELD(info, weir_error_info, input)) {
        details.input = info->input;
    }
    if (WEIR_HAS_FIELD(info, weir_error_info, input_size)) {
        details.input_size = info->input_size;
    }
    if (details.message == NULL || details.message[0] == '\0') {
        details.message = "the plugin reported a fault without a message";
    }
    return details;
}

static void fail_call(struct call *call, const weir_error_info *info,
                      const struct call_failure *details)
{
    if (call->whole.status != WEIR_OK) {
        return;
    }
    error_set(&call->whole, details->status, details->error_class, "%s", details->message);
    call->whole.is_retriable = (info->flags & WEIR_ERROR_RETRIABLE) != 0;
    if (details->hint != NULL) {
        error_hint(&call->whole, "%s", details->hint);
    }
    call->retry_after_ms = info->retry_after_ms > 0 ? info->retry_after_ms : 0;
}

static void api_fail(weir_context *ctx, const weir_error_info *info)
{
    struct call *call = frame_of(ctx);
    if (!WEIR_HAS_FIELD(info, weir_error_info, retry_after_ms)) {
        fail_whole(call, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                   "the plugin reported a fault in a struct that is too short");
        return;
    }
    struct call_failure failure = details_of(info);
    char message[SECRETS_ROOM];
    char hint[SECRETS_ROOM];
    failure.message = without_secrets(call, failure.message, message);
    failure.hint = without_secrets(call, failure.hint, hint);
    if (info->record_index < 0) {
        fail_call(call, info, &failure);
        return;
    }
    if (accept_failure(call, (uint64_t)info->record_index)) {
        failure.index = (uint32_t)info->record_index;
        failure.message = keep_text(call, failure.message);
        failure.hint = failure.hint != NULL ? keep_text(call, failure.hint) : NULL;
        failure.input = keep_input(call, failure.input);
        add_failure(call, &failure);
    }
}

/* The texts of an expression's fault live in the memory of the batch already. */
static void api_fail_value_of_input(weir_context *ctx, uint32_t record_index,
                                    const weir_value *failed, weir_slice input)
{
    struct call *call = frame_of(ctx);
    if (failed->tag != WEIR_TAG_ERROR || failed->as.bits == 0) {
        fail_whole(call, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                   "the plugin reported a value that holds no error");
        return;
    }
    if (accept_failure(call, record_index)) {
        const struct expr_fault *fault = expr_fault(failed);
        struct call_failure failure = { .index = record_index,
                                        .error_class = WEIR_CLASS_DATA,
                                        .status = WEIR_E_DATA,
                                        .message = fault->message,
                                        .hint = fault->hint,
                                        .input = keep_input(call, input) };
        add_failure(call, &failure);
    }
}

static void api_fail_value(weir_context *ctx, uint32_t record_index, const weir_value *failed)
{
    api_fail_value_of_input(ctx, record_index, failed, (weir_slice){ NULL, 0 });
}

static void api_delivered(weir_context *ctx, uint32_t first, uint32_t count)
{
    struct call *call = frame_of(ctx);
    uint64_t limit = call->context.batch != NULL ? call->context.batch->count : 0;
    if ((uint64_t)first + count > limit) {
        fail_whole(call, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                   "the plugin delivered a record that is not in its batch");
        return;
    }
    if (call->delivered == NULL && count > 0) {
        return_bump(call);
        call->delivered = arena_zeroed(call->arena, (size_t)limit);
        adopt_bump(call);
    }
    if (call->delivered != NULL) {
        memset(call->delivered + first, 1, count);
    } else if (count > 0) {
        fail_whole(call, WEIR_E_NOMEM, WEIR_CLASS_RESOURCE, no_memory_text);
    }
}

const weir_call_api call_api = { .struct_size = sizeof call_api,
                                 .alloc = api_alloc,
                                 .grow = api_grow,
                                 .fail = api_fail,
                                 .fail_value = api_fail_value,
                                 .delivered = api_delivered,
                                 .fail_value_of_input = api_fail_value_of_input };

bool call_init(struct call *call, uint32_t output_count)
{
    memset(call, 0, sizeof *call);
    if (output_count > 0) {
        call->outputs = memory_zeroed(output_count, sizeof *call->outputs);
        if (call->outputs == NULL) {
            return false;
        }
    }
    call->output_count = output_count;
    return true;
}

void call_deinit(struct call *call)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        memory_free(call->outputs[i].entries);
    }
    memory_free(call->outputs);
    memory_free(call->failures);
    memset(call, 0, sizeof *call);
}

void call_prepare(struct call *call, const struct instance *instance, struct arena *arena,
                  const weir_batch *batch)
{
    for (uint32_t i = 0; i < call->output_count; i++) {
        call->outputs[i].count = 0;
        call->outputs[i].mark = 0;
    }
    call->arena = arena;
    call->failure_count = 0;
    call->highest_failed = 0;
    call->retry_after_ms = 0;
    call->delivered = NULL;
    call->whole.status = WEIR_OK;
    call->record_limit = batch != NULL ? batch->count : UINT64_C(1) + UINT32_MAX;
    call->context = (weir_context){ .struct_size = sizeof call->context,
                                    .output_count = call->output_count,
                                    .api = &call_api,
                                    .host = instance != NULL ? &instance->host : NULL,
                                    .batch = batch,
                                    .outputs = call->outputs };
    adopt_bump(call);
}

void call_begin(struct call *call, const struct instance *instance, struct arena *arena,
                const weir_batch *batch)
{
    note_call(instance != NULL ? instance->label : NULL);
    call_prepare(call, instance, arena, batch);
    call->started_ns = stopwatch_start(call->stopwatch);
}

void call_end(struct call *call)
{
    stopwatch_stop(call->stopwatch, call->started_ns);
    note_call(NULL);
    return_bump(call);
}

static int by_index(const void *a, const void *b)
{
    uint32_t left = ((const struct call_failure *)a)->index;
    uint32_t right = ((const struct call_failure *)b)->index;
    return (left > right) - (left < right);
}

void call_sort_failures(struct call *call)
{
    if (call->failure_count > 1) {
        qsort(call->failures, call->failure_count, sizeof *call->failures, by_index);
    }
}
