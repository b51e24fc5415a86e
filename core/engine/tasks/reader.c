/* SPDX-License-Identifier: MIT */
#include "engine/tasks/reader.h"

#include <stdio.h>
#include <string.h>

#include <weir/serializer.h>

#include "value/event_time.h"

/* A message that could not be made a record. record: NULL where it was not decoded. */
struct reader_failure {
    const struct plugin_use *use;
    const weir_record *record;
    struct call_failure failure;
};

/* One batch on its way from messages to entries. */
struct decoding {
    struct reader *reader;
    struct arena *arena;
    const struct log_message *messages;
    uint32_t count;
    weir_slice *payloads;
    weir_value *keys;
    weir_value *values;
    struct reader_failure **failed; /* by message */
    bool has_failed;
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
    reader_forget(reader);
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
        return no_memory(d->reader);
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
        if (d->failed[i] != NULL) {
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

/* Sets the timestamps; what has none has failed. */
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
        uint32_t message = (uint32_t)(root_message(root, record->offset) - d->messages);
        if (!keep_failure(d, &reader->event_time, message, record, &failure)) {
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
    d->failed = arena_zeroed(d->arena, n * sizeof(struct reader_failure *));
    d->records = arena_alloc(d->arena, n * sizeof *d->records);
    d->entries = arena_alloc(d->arena, n * sizeof *d->entries);
    return d->payloads != NULL && d->keys != NULL && d->values != NULL && d->failed != NULL &&
           d->records != NULL && d->entries != NULL;
}

static bool decode_batch(struct decoding *d, struct root *root, struct run *ret_run)
{
    if (!decoding_init(d)) {
        return no_memory(d->reader);
    }
    if (!decode_keys(d) || !decode_values(d)) {
        return false;
    }
    if (!make_records(d, ret_run)) {
        return no_memory(d->reader);
    }
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = ret_run->count,
                         .entries = ret_run->entries,
                         .origins = &root->origin,
                         .origin_count = 1 };
    return d->reader->topic->event_time == NULL || set_event_times(d, root, &batch, ret_run);
}

/* ---- reading ahead ------------------------------------------------------------------------------- */

static bool read_log(struct reader *reader, struct root *root, uint32_t max_count,
                     uint64_t max_bytes, struct log_batch *ret_batch)
{
    struct error error = { .status = WEIR_OK };
    int64_t start_ns = stopwatch_start(reader->read_watch);
    weir_status st = log_read(reader->log_topic, reader->partition, reader->position, max_count,
                              max_bytes, &root->arena, ret_batch, &error);
    stopwatch_stop(reader->read_watch, start_ns);
    if (st != WEIR_OK) {
        run_faults_fatal(reader->faults, reader->topic->name, &error);
        return false;
    }
    reader->is_at_end = ret_batch->is_at_end;
    root->lease = ret_batch->lease;
    return true;
}

/* Into a root that the reader then holds, where there was something to read. */
static bool read_batch(struct reader *reader, struct root *root, uint32_t max_count,
                       uint64_t max_bytes)
{
    struct log_batch read = { .count = 0 };
    struct run run = { NULL, 0 };
    if (!read_log(reader, root, max_count, max_bytes, &read)) {
        return false;
    }
    if (read.count == 0) {
        reader->position = read.next;
        return true;
    }
    root->messages = read.messages;
    root->message_count = read.count;
    root->origin = (weir_origin){ reader->topic->name, (uint32_t)strlen(reader->topic->name),
                                  (int32_t)reader->partition };
    struct decoding d = {
        .reader = reader, .arena = &root->arena, .messages = read.messages, .count = read.count
    };
    if (!decode_batch(&d, root, &run)) {
        return false;
    }
    root_hold(root);
    reader->ahead = (struct reader_ahead){ .root = root,
                                           .entries = d.entries,
                                           .record_count = run.count,
                                           .failed = d.has_failed ? d.failed : NULL,
                                           .end = read.next };
    return true;
}

bool reader_fill(struct reader *reader, struct root_pool *roots, uint32_t max_count,
                 uint64_t max_bytes)
{
    if (reader->ahead.root != NULL) {
        return true;
    }
    struct root *root = root_acquire(roots);
    if (root == NULL) {
        return no_memory(reader);
    }
    bool is_right = read_batch(reader, root, max_count, max_bytes);
    root_release(root);
    return is_right;
}

bool reader_head(const struct reader *reader, bool *ret_is_timed, int64_t *ret_timestamp)
{
    const struct reader_ahead *ahead = &reader->ahead;
    if (ahead->root == NULL) {
        return false;
    }
    *ret_is_timed = ahead->record < ahead->record_count;
    *ret_timestamp = *ret_is_timed ? ahead->entries[ahead->record].record->timestamp : 0;
    return true;
}

/* ---- taking -------------------------------------------------------------------------------------- */

/* How many messages, and how many records in them, are taken. */
static uint32_t measure(const struct reader_ahead *ahead, uint32_t max_count, int64_t until,
                        uint32_t *ret_records)
{
    const struct root *root = ahead->root;
    uint32_t left = root->message_count - ahead->message;
    uint32_t record = ahead->record;
    uint32_t count = 0;
    if (left <= max_count && until == INT64_MAX) {
        *ret_records = ahead->record_count - record;
        return left;
    }
    for (; count < left && count < max_count; count++) {
        const weir_record *next =
            record < ahead->record_count ? ahead->entries[record].record : NULL;
        if (next != NULL && next->offset == root->messages[ahead->message + count].offset) {
            if (next->timestamp > until) {
                break;
            }
            record++;
        }
    }
    *ret_records = record - ahead->record;
    return count;
}

/* What has failed in the messages that are taken meets its on_error. */
static bool drop_failed(const struct reader *reader, uint32_t count)
{
    const struct reader_ahead *ahead = &reader->ahead;
    for (uint32_t i = 0; ahead->failed != NULL && i < count; i++) {
        const struct reader_failure *failure = ahead->failed[ahead->message + i];
        if (failure == NULL) {
            continue;
        }
        const struct log_message *message = &ahead->root->messages[ahead->message + i];
        struct failed_record failed = { .use = failure->use,
                                        .on_error = failure->use->on_error,
                                        .meter = reader->meter,
                                        .origin = &ahead->root->origin,
                                        .offset = message->offset,
                                        .message = message,
                                        .record = failure->record,
                                        .letters = reader->letters };
        if (!run_faults_record(reader->faults, &failed, &failure->failure)) {
            return false;
        }
    }
    return true;
}

/* Moves behind what is taken, and lets go of a batch that is at its end. */
static void move_on(struct reader *reader, uint32_t messages, uint32_t records)
{
    struct reader_ahead *ahead = &reader->ahead;
    const struct root *root = ahead->root;
    ahead->message += messages;
    ahead->record += records;
    bool is_over = ahead->message == root->message_count;
    reader->position = is_over ? ahead->end : root->messages[ahead->message].offset;
    if (is_over) {
        reader_forget(reader);
    }
}

bool reader_take(struct reader *reader, uint32_t max_count, int64_t until, uint32_t *ret_messages,
                 struct run *ret_run, struct root **ret_root)
{
    struct reader_ahead *ahead = &reader->ahead;
    uint32_t records;
    uint32_t messages = measure(ahead, max_count, until, &records);
    if (!drop_failed(reader, messages)) {
        return false;
    }
    weir_entry *entries = ahead->entries + ahead->record;
    for (uint32_t i = 0; ahead->record > 0 && i < records; i++) {
        entries[i].ordinal = i;
    }
    *ret_messages = messages;
    *ret_run = (struct run){ entries, records };
    *ret_root = ahead->root;
    root_hold(ahead->root);
    meter_add(&reader->meter->in, messages);
    meter_add(&reader->meter->out, records);
    move_on(reader, messages, records);
    return true;
}

void reader_forget(struct reader *reader)
{
    if (reader->ahead.root != NULL) {
        root_release(reader->ahead.root);
        reader->ahead = (struct reader_ahead){ .root = NULL };
    }
}

void reader_move(struct reader *reader, int64_t position, int64_t lost)
{
    if (reader->ahead.root != NULL) {
        reader->ahead.end = position;
    } else {
        reader->position = position;
    }
    reader->is_at_end = false;
    reader->lost += lost;
}
