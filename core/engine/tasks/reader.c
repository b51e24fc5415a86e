/* SPDX-License-Identifier: MIT */
#include "engine/tasks/reader.h"

#include <stdio.h>
#include <string.h>

#include "engine/tasks/decoding.h"

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
    pauses_put(&reader->pauses, PAUSE_ABSENT, NULL, 0);
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
    if (!decoding_run(&d, root, &run)) {
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
        return run_faults_no_memory(reader->faults, reader->topic->value.label);
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
