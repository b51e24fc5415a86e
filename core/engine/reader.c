/* SPDX-License-Identifier: MIT */
#include "engine/reader.h"

#include <stdio.h>
#include <string.h>

#include <weir/serializer.h>

#include "value/event_time.h"

/* About as much as is worth decoding at a time; keeps a batch of large messages within the caches. */

/* One batch on its way from messages to entries. */
struct decoding {
    struct reader *reader;
    struct arena *arena;
    const weir_origin *origin;
    const struct log_message *messages;
    uint32_t count;
    weir_slice *payloads;
    weir_value *keys;
    weir_value *values;
    bool *is_dropped;
    weir_record *records;
    weir_entry *entries;
};

bool reader_init(struct reader *reader, const struct services *services, const struct topic *topic,
                 struct log_topic *log_topic, uint32_t partition, struct meter *meter,
                 struct run_faults *faults, struct letter_box *letters, struct error *error)
{
    *reader = (struct reader){ .topic = topic,
                               .log_topic = log_topic,
                               .partition = partition,
                               .meter = meter,
                               .faults = faults,
                               .letters = letters,
                               .event_time = topic->value };
    snprintf(reader->event_time_label, sizeof reader->event_time_label, "topics.%s.event_time",
             topic->name);
    reader->event_time.label = reader->event_time_label;
    reader->key = instance_create(services, topic->key.factory->spec, topic->key.config,
                                  topic->key.label, error);
    if (reader->key == NULL) {
        return false;
    }
    reader->value = instance_create(services, topic->value.factory->spec, topic->value.config,
                                    topic->value.label, error);
    if (reader->value == NULL) {
        return false;
    }
    if (!call_init(&reader->key_call, 0) || !call_init(&reader->value_call, 0)) {
        error_no_memory(error);
        return false;
    }
    return true;
}

void reader_deinit(struct reader *reader)
{
    call_deinit(&reader->key_call);
    call_deinit(&reader->value_call);
    instance_destroy(reader->key);
    instance_destroy(reader->value);
}

void reader_measure(struct reader *reader, struct stopwatch *read, struct stopwatch *decode)
{
    reader->read_watch = read;
    reader->key_call.stopwatch = decode;
    reader->value_call.stopwatch = decode;
}

static bool no_memory(struct reader *reader)
{
    struct error error = { .status = WEIR_OK };
    error_no_memory(&error);
    run_faults_fatal(reader->faults, reader->topic->value.label, &error);
    return false;
}

/* record NULL: it was not decoded. */
static bool drop(struct decoding *d, const struct plugin_use *use,
                 const struct log_message *message, const weir_record *record,
                 const struct call_failure *failure)
{
    struct reader *reader = d->reader;
    struct failed_record failed = { .use = use,
                                    .on_error = use->on_error,
                                    .meter = reader->meter,
                                    .origin = d->origin,
                                    .offset = message->offset,
                                    .message = message,
                                    .record = record,
                                    .letters = reader->letters };
    return run_faults_record(reader->faults, &failed, failure);
}

/* A message fails once, if both its key and its value do. */
static bool drop_message(struct decoding *d, const struct plugin_use *use,
                         const struct call_failure *failure)
{
    if (d->is_dropped[failure->index]) {
        return true;
    }
    d->is_dropped[failure->index] = true;
    return drop(d, use, &d->messages[failure->index], NULL, failure);
}

static bool drop_failed(struct decoding *d, const struct plugin_use *use, struct call *call)
{
    call_sort_failures(call);
    for (uint32_t i = 0; i < call->failure_count; i++) {
        if (!drop_message(d, use, &call->failures[i])) {
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
    return drop_failed(d, use, call);
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

static const weir_member *make_headers(struct arena *arena, const struct log_message *message)
{
    if (message->header_count == 0) {
        return NULL;
    }
    weir_member *members = arena_zeroed(arena, message->header_count * sizeof *members);
    for (uint32_t i = 0; members != NULL && i < message->header_count; i++) {
        const struct log_header *header = &message->headers[i];
        members[i].key = header->name;
        members[i].key_len = header->name_len;
        members[i].value = header->value.size == LOG_ABSENT
                               ? weir_null()
                               : weir_bytes_value(header->value.data, (uint32_t)header->value.size);
    }
    return members;
}

/* Lays out the records that decoding has left. False: no memory. */
static bool make_records(struct decoding *d, struct run *ret_run)
{
    uint32_t made = 0;
    for (uint32_t i = 0; i < d->count; i++) {
        if (d->is_dropped[i]) {
            continue;
        }
        const struct log_message *message = &d->messages[i];
        weir_record *record = &d->records[made];
        *record = (weir_record){ .timestamp = message->timestamp,
                                 .offset = message->offset,
                                 .key = d->keys[i],
                                 .value = d->values[i],
                                 .headers = make_headers(d->arena, message),
                                 .header_count = message->header_count };
        if (record->header_count > 0 && record->headers == NULL) {
            return false;
        }
        d->entries[made] = (weir_entry){ record, made, 0, 0 };
        made++;
    }
    *ret_run = (struct run){ d->entries, made };
    return true;
}

/* Sets the timestamps; drops what has none. */
static bool set_event_times(struct decoding *d, const struct root *root, const weir_batch *batch,
                            struct run *run)
{
    struct reader *reader = d->reader;
    weir_value *times = arena_alloc(d->arena, (run->count + 1u) * sizeof *times);
    if (times == NULL) {
        return no_memory(reader);
    }
    struct call *call = &reader->value_call;
    call_begin(call, reader->value, d->arena, batch);
    int64_t st =
        expr_evaluate(&call->context, reader->topic->event_time, run->entries, run->count, times);
    call_end(call);
    if (st < 0) {
        run_faults_call(reader->faults, reader->event_time.label, call, (weir_status)st,
                        "event_time");
        return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        weir_record *record = &d->records[i];
        struct call_failure failure = { .error_class = WEIR_CLASS_DATA, .status = WEIR_E_DATA };
        int64_t ms = 0;
        if (times[i].tag == WEIR_TAG_ERROR) {
            failure.message = expr_fault(&times[i])->message;
            failure.hint = expr_fault(&times[i])->hint;
        } else if (!event_time_ms(&times[i], &ms, &failure.message)) {
            failure.hint =
                "event_time must give milliseconds since 1970, RFC 3339 text or a timestamp";
        } else {
            record->timestamp = ms;
            d->entries[kept] = (weir_entry){ record, kept, 0, 0 };
            kept++;
            continue;
        }
        if (!drop(d, &reader->event_time, root_message(root, record->offset), record, &failure)) {
            return false;
        }
    }
    run->count = kept;
    return true;
}

static bool decoding_init(struct decoding *d)
{
    size_t n = d->count;
    d->payloads = arena_alloc(d->arena, n * sizeof *d->payloads);
    /* What a serializer leaves unset is null. */
    d->keys = arena_zeroed(d->arena, n * sizeof *d->keys);
    d->values = arena_zeroed(d->arena, n * sizeof *d->values);
    d->is_dropped = arena_zeroed(d->arena, n);
    d->records = arena_alloc(d->arena, n * sizeof *d->records);
    d->entries = arena_alloc(d->arena, n * sizeof *d->entries);
    return d->payloads != NULL && d->keys != NULL && d->values != NULL && d->is_dropped != NULL &&
           d->records != NULL && d->entries != NULL;
}

bool reader_read(struct reader *reader, struct root *root, uint32_t max_count, uint64_t max_bytes,
                 uint32_t *ret_messages, struct run *ret_run)
{
    struct decoding d = { .reader = reader, .arena = &root->arena };
    struct log_batch read = { .count = 0 };
    struct error error = { .status = WEIR_OK };
    *ret_messages = 0;
    *ret_run = (struct run){ NULL, 0 };
    int64_t start_ns = stopwatch_start(reader->read_watch);
    weir_status st = log_read(reader->log_topic, reader->partition, reader->position, max_count,
                              max_bytes, d.arena, &read, &error);
    stopwatch_stop(reader->read_watch, start_ns);
    if (st != WEIR_OK) {
        run_faults_fatal(reader->faults, reader->topic->name, &error);
        return false;
    }
    reader->position = read.next;
    reader->is_at_end = read.is_at_end;
    root->lease = read.lease;
    d.count = read.count;
    if (d.count == 0) {
        return true;
    }
    d.messages = read.messages;
    d.origin = &root->origin;
    root->messages = read.messages;
    root->message_count = d.count;
    root->origin = (weir_origin){ reader->topic->name, (uint32_t)strlen(reader->topic->name),
                                  (int32_t)reader->partition };
    if (!decoding_init(&d)) {
        return no_memory(reader);
    }
    if (!decode_keys(&d) || !decode_values(&d)) {
        return false;
    }
    if (!make_records(&d, ret_run)) {
        return no_memory(reader);
    }
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = ret_run->count,
                         .entries = ret_run->entries,
                         .origins = &root->origin,
                         .origin_count = 1 };
    if (reader->topic->event_time != NULL && !set_event_times(&d, root, &batch, ret_run)) {
        return false;
    }
    *ret_messages = d.count;
    meter_add(&reader->meter->in, d.count);
    meter_add(&reader->meter->out, ret_run->count);
    return true;
}
