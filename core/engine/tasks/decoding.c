/* SPDX-License-Identifier: MIT */
#include "engine/tasks/decoding.h"

#include <weir/serializer.h>

#include "log/headers.h"
#include "value/event_time.h"

static bool no_memory(const struct decoding *d)
{
    return run_faults_no_memory(d->reader->faults, d->reader->topic->value.label);
}

/* Keeps a failure until its message is taken. A message fails once, if both its key and its value do.
 * False: no memory. */
static bool keep_failure(struct decoding *d, const struct plugin_use *use, uint32_t message,
                         const weir_record *record, const struct call_failure *failure)
{
    if (d->failed[message] != NULL) {
        return true;
    }
    struct reader_failure *kept = arena_alloc(d->arena, sizeof *kept);
    if (kept == NULL) {
        return no_memory(d);
    }
    *kept = (struct reader_failure){ use, record, *failure };
    d->failed[message] = kept;
    d->has_failed = true;
    return true;
}

static bool keep_failures(struct decoding *d, const struct plugin_use *use, const struct call *call)
{
    for (uint32_t i = 0; i < call->failure_count; i++) {
        const struct call_failure *failure = &call->failures[i];
        if (!keep_failure(d, use, failure->index, NULL, failure)) {
            return false;
        }
    }
    return true;
}

static bool decode(struct decoding *d, const struct plugin_use *use, struct instance *instance,
                   struct call *call, weir_value *out)
{
    const weir_serializer_vtable *vtable = instance->spec->vtable;
    call_watch_slot("decode");
    call_begin(call, instance, d->arena, NULL);
    call->record_limit = d->count;
    weir_status st = vtable->decode(instance->self, &call->context, d->payloads, d->count, out);
    call_end(call);
    if (st != WEIR_OK || call->whole.status != WEIR_OK) {
        run_faults_call(d->reader->faults, use->label, call, st, "decode");
        return false;
    }
    return keep_failures(d, use, call);
}

static bool decode_keys(struct decoding *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        d->payloads[i] = d->messages[i].key;
    }
    struct reader *reader = d->reader;
    return decode(d, &reader->topic->key, reader->key, &reader->key_call, d->keys);
}

static bool decode_values(struct decoding *d)
{
    for (uint32_t i = 0; i < d->count; i++) {
        d->payloads[i] = d->messages[i].value;
    }
    struct reader *reader = d->reader;
    return decode(d, &reader->topic->value, reader->value, &reader->value_call, d->values);
}

/* Lays out the records that decoding has left. False: no memory. */
static bool make_records(struct decoding *d, struct run *ret_run)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->failed[i] != NULL) {
            continue;
        }
        const struct log_message *message = &d->messages[i];
        weir_record *record = &d->records[made];
        *record = (weir_record){ .timestamp = message->timestamp,
                                 .offset = message->offset,
                                 .key = d->keys[i],
                                 .value = d->values[i],
                                 .headers = log_headers_read(d->arena, message),
                                 .header_count = message->header_count };
        if (record->headers == NULL) {
            return false;
        }
        d->entries[made] = (weir_entry){ record, made, 0, 0 };
        made++;
    }
    *ret_run = (struct run){ d->entries, made };
    return true;
}

/* In the arena. NULL after a fatal fault. */
static weir_value *evaluate_times(struct decoding *d, const weir_batch *batch)
{
    struct reader *reader = d->reader;
    weir_value *times = arena_alloc(d->arena, (batch->count + 1u) * sizeof *times);
    if (times == NULL) {
        (void)no_memory(d);
        return NULL;
    }
    struct call *call = &reader->value_call;
    call_begin(call, reader->value, d->arena, batch);
    int64_t st = expr_evaluate(&call->context, reader->topic->event_time, batch->entries,
                               batch->count, times);
    call_end(call);
    if (st < 0) {
        run_faults_call(reader->faults, reader->event_time.label, call, (weir_status)st,
                        "event_time");
        return NULL;
    }
    return times;
}

/* False: the value is no time, `failure` says why. */
static bool read_time(const weir_value *time, int64_t *ret_ms, struct call_failure *failure)
{
    *failure = (struct call_failure){ .error_class = WEIR_CLASS_DATA, .status = WEIR_E_DATA };
    if (time->tag == WEIR_TAG_ERROR) {
        failure->message = expr_fault(time)->message;
        failure->hint = expr_fault(time)->hint;
        return false;
    }
    failure->hint = "event_time must give milliseconds since 1970, RFC 3339 text or a timestamp";
    return event_time_ms(time, ret_ms, &failure->message);
}

/* Sets the timestamps; what has none has failed. */
static bool set_event_times(struct decoding *d, const struct root *root, const weir_batch *batch,
                            struct run *run)
{
    const weir_value *times = evaluate_times(d, batch);
    uint32_t kept = 0;
    for (uint32_t i = 0; times != NULL && i < run->count; i++) {
        weir_record *record = &d->records[i];
        struct call_failure failure;
        int64_t ms = 0;
        if (read_time(&times[i], &ms, &failure)) {
            record->timestamp = ms;
            d->entries[kept] = (weir_entry){ record, kept, 0, 0 };
            kept++;
            continue;
        }
        uint32_t message = (uint32_t)(root_message(root, record->offset) - d->messages);
        if (!keep_failure(d, &d->reader->event_time, message, record, &failure)) {
            return false;
        }
    }
    run->count = kept;
    return times != NULL;
}

static bool make_room(struct decoding *d)
{
    size_t n = d->count;
    d->payloads = arena_alloc(d->arena, n * sizeof *d->payloads);
    /* What a serializer leaves unset is null. */
    d->keys = arena_zeroed(d->arena, n * sizeof *d->keys);
    d->values = arena_zeroed(d->arena, n * sizeof *d->values);
    d->failed = arena_zeroed(d->arena, n * sizeof(struct reader_failure *));
    d->records = arena_alloc(d->arena, n * sizeof *d->records);
    d->entries = arena_alloc(d->arena, n * sizeof *d->entries);
    return d->payloads != NULL && d->keys != NULL && d->values != NULL && d->failed != NULL &&
           d->records != NULL && d->entries != NULL;
}

bool decoding_run(struct decoding *d, struct root *root, struct run *ret_run)
{
    if (!make_room(d)) {
        return no_memory(d);
    }
    if (!decode_keys(d) || !decode_values(d)) {
        return false;
    }
    if (!make_records(d, ret_run)) {
        return no_memory(d);
    }
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = ret_run->count,
                         .entries = ret_run->entries,
                         .origins = &root->origin,
                         .origin_count = 1 };
    return d->reader->topic->event_time == NULL || set_event_times(d, root, &batch, ret_run);
}
