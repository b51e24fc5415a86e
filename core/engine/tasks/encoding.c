/* SPDX-License-Identifier: MIT */
#include "engine/tasks/encoding.h"

#include <inttypes.h>
#include <string.h>

#include <weir/serializer.h>

#include "log/headers.h"
#include "value/value.h"

static bool no_memory(const struct encoding *e)
{
    return run_faults_no_memory(e->writer->faults, e->writer->topic->value.label);
}

static bool make_room(struct encoding *e)
{
    size_t n = e->count;
    e->values = arena_alloc(e->arena, n * sizeof *e->values);
    e->key_ends = arena_alloc(e->arena, n * sizeof *e->key_ends);
    e->value_ends = arena_alloc(e->arena, n * sizeof *e->value_ends);
    e->is_dropped = arena_zeroed(e->arena, n);
    e->messages = arena_alloc(e->arena, n * sizeof *e->messages);
    e->partitions = arena_alloc(e->arena, n * sizeof *e->partitions);
    return e->values != NULL && e->key_ends != NULL && e->value_ends != NULL &&
           e->is_dropped != NULL && e->messages != NULL && e->partitions != NULL;
}

static const weir_entry *entry_at(const struct encoding *e, uint32_t index)
{
    return &e->batch->run.entries[index];
}

/* An end's own on_error goes first, then that of the serializer, then the file's. */
static enum on_error on_error_of(const struct plugin_use *end, const struct plugin_use *serializer)
{
    bool is_end = end->has_on_error || serializer == NULL || !serializer->has_on_error;
    return is_end ? end->on_error : serializer->on_error;
}

/* Drops a record that cannot be encoded. serializer: which has failed; NULL: neither. */
static bool drop(struct encoding *e, const struct plugin_use *serializer,
                 const struct call_failure *failure)
{
    if (e->is_dropped[failure->index]) {
        return true;
    }
    e->is_dropped[failure->index] = true;
    const weir_entry *entry = entry_at(e, failure->index);
    const struct writer_place *writer_place = &e->batch->places[entry->input];
    const struct root *root = e->batch->root;
    int64_t offset = root != NULL ? entry->record->offset : WEIR_NO_OFFSET;
    struct failed_record failed = { .use = writer_place->use,
                                    .on_error = on_error_of(writer_place->use, serializer),
                                    .meter = writer_place->meter,
                                    .origin = root != NULL ? &root->origin : NULL,
                                    .offset = offset,
                                    .message = root != NULL ? root_message(root, offset) : NULL,
                                    .record = entry->record,
                                    .letters = e->batch->letters };
    return run_faults_record(e->writer->faults, &failed, failure);
}

/* What a serializer says of its bytes is believed only where it lies within them. */
static bool check_ends(struct encoding *e, const struct instance *instance,
                       const weir_buffer *bytes, const uint64_t *ends)
{
    uint64_t start = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        if (ends[i] == WEIR_ABSENT) {
            continue;
        }
        if (ends[i] < start || ends[i] > bytes->size) {
            struct error error = { .status = WEIR_OK };
            error_set(&error, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                      "encode gave an end outside of its bytes; this is a defect of the plugin");
            run_faults_fatal(e->writer->faults, instance->label, &error);
            return false;
        }
        start = ends[i];
    }
    return true;
}

static bool encode(struct encoding *e, const struct plugin_use *use, struct instance *instance,
                   struct call *call, weir_buffer *bytes, uint64_t *ends)
{
    const weir_serializer_vtable *vtable = instance->spec->vtable;
    buffer_clear(bytes);
    call_watch_slot("encode");
    call_begin(call, instance, e->arena, NULL);
    call->record_limit = e->count;
    memset(ends, 0x7f,
           e->count * sizeof *ends); /* an end that nobody sets lies beyond everything */
    weir_status st =
        vtable->encode(instance->self, &call->context, e->values, e->count, bytes, ends);
    call_end(call);
    if (st != WEIR_OK || call->whole.status != WEIR_OK) {
        run_faults_call(e->writer->faults, instance->label, call, st, "encode");
        return false;
    }
    call_sort_failures(call);
    for (uint32_t i = 0; i < call->failure_count; i++) {
        ends[call->failures[i].index] = WEIR_ABSENT;
        if (!drop(e, use, &call->failures[i])) {
            return false;
        }
    }
    return check_ends(e, instance, bytes, ends);
}

static bool encode_both(struct encoding *e)
{
    struct writer *writer = e->writer;
    for (uint32_t i = 0; i < e->count; i++) {
        /* Its bytes decide the partition, so what is the same has the same bytes. */
        if (!value_canonical(e->arena, &entry_at(e, i)->record->key, &e->values[i])) {
            return no_memory(e);
        }
    }
    if (!encode(e, &writer->topic->key, writer->key, &writer->key_call, &writer->key_bytes,
                e->key_ends)) {
        return false;
    }
    for (uint32_t i = 0; i < e->count; i++) {
        e->values[i] = &entry_at(e, i)->record->value;
    }
    return encode(e, &writer->topic->value, writer->value, &writer->value_call,
                  &writer->value_bytes, e->value_ends);
}

/* The bytes of one lane; *start moves behind them. */
static weir_slice encoded_slice(const weir_buffer *bytes, uint64_t end, uint64_t *start)
{
    if (end == WEIR_ABSENT) {
        return (weir_slice){ NULL, LOG_ABSENT };
    }
    weir_slice slice = { bytes->data + *start, end - *start };
    *start = end;
    return slice;
}

static const char *header_fault(const weir_record *record)
{
    for (uint32_t i = 0; i < record->header_count; i++) {
        uint8_t tag = record->headers[i].value.tag;
        if (tag != WEIR_NULL && tag != WEIR_BYTES && tag != WEIR_TEXT) {
            return "a header is neither bytes, nor text, nor null";
        }
    }
    return NULL;
}

static const char *lacking_key(const struct encoding *e)
{
    const char *text =
        arena_printf(e->arena, "topic '%s' is compacted and takes no record without a key",
                     e->writer->topic->name);
    return text != NULL ? text : "the topic is compacted and takes no record without a key";
}

/* Counts the records in a row that one record of the input has brought forth. */
static void count_nth(struct encoding *e, uint32_t index)
{
    bool is_next =
        index > 0 && entry_at(e, index)->record->offset == entry_at(e, index - 1)->record->offset;
    e->nth = is_next ? e->nth + 1 : 0;
}

/*
 * All that decides is the same after a crash: the key, the place of the input's record, or for a source
 * the running number of the record.
 */
static uint32_t choose_partition(const struct encoding *e, uint32_t index, weir_slice key)
{
    const weir_origin *origin = e->batch->root != NULL ? &e->batch->root->origin : NULL;
    struct partitioner_message message = { .key = key };
    if (e->writer->log_topic->partitions == 1) {
        return 0;
    }
    if (origin == NULL) {
        message.turn = e->batch->first_number + index;
        message.identity = message.turn;
    } else {
        message.turn = (uint64_t)origin->partition;
        message.identity =
            partitioner_identity(origin->partition, entry_at(e, index)->record->offset, e->nth);
    }
    return partitioner_choose(e->writer->topic->partitioner, &message,
                              e->writer->log_topic->partitions);
}

static uint64_t size_of(const struct log_message *message)
{
    uint64_t size = message->key.size == LOG_ABSENT ? 0 : message->key.size;
    size += message->value.size == LOG_ABSENT ? 0 : message->value.size;
    for (uint32_t i = 0; i < message->header_count; i++) {
        weir_slice value = message->headers[i].value;
        size += message->headers[i].name_len + (value.size == LOG_ABSENT ? 0 : value.size);
    }
    return size;
}

static const char *too_large(const struct encoding *e, uint64_t size)
{
    const char *text = arena_printf(
        e->arena, "a message of %llu bytes is larger than topic '%s' takes (%llu)",
        (unsigned long long)size, e->writer->topic->name, (unsigned long long)e->terms.size);
    return text != NULL ? text : "a message is larger than the topic takes";
}

static const char *out_of_time(const struct encoding *e, int64_t timestamp)
{
    const char *text = arena_printf(
        e->arena, "the time %" PRId64 " of a message is %s than topic '%s' takes", timestamp,
        timestamp < e->terms.oldest ? "older" : "further ahead", e->writer->topic->name);
    return text != NULL ? text : "the time of a message is not one that the topic takes";
}

static const char *refused(const struct encoding *e, const char *why)
{
    const char *text =
        arena_printf(e->arena, "topic '%s' refuses the message: %s", e->writer->topic->name, why);
    return text != NULL ? text : "the topic refuses the message";
}

/* What the log would refuse is the record's fault, and meets its on_error. */
static bool check_terms(struct encoding *e, uint32_t index, const struct log_message *message,
                        uint32_t partition)
{
    const struct log_terms *terms = &e->terms;
    int64_t timestamp = message->timestamp;
    uint64_t size = size_of(message);
    struct call_failure failure = { .index = index,
                                    .error_class = WEIR_CLASS_DATA,
                                    .status = WEIR_E_DATA };
    if (size > terms->size) {
        failure.status = WEIR_E_LIMIT;
        failure.message = too_large(e, size);
    } else if (timestamp != 0 && (timestamp < terms->oldest || timestamp > terms->newest)) {
        failure.message = out_of_time(e, timestamp);
        failure.hint =
            "see 'message.timestamp.before.max.ms' and 'after.max.ms' of the topic; with "
            "'message.timestamp.type=LogAppendTime' it takes every time";
    } else if (terms->has_refusals) {
        const char *why = log_refusal(e->writer->log_topic, partition, message);
        failure.message = why != NULL ? refused(e, why) : NULL;
    }
    return failure.message == NULL || drop(e, NULL, &failure);
}

/* A record that the topic cannot take is dropped. False: the run ends. */
static bool check_record(struct encoding *e, uint32_t index, weir_slice key)
{
    struct call_failure failure = { .index = index,
                                    .error_class = WEIR_CLASS_DATA,
                                    .status = WEIR_E_DATA,
                                    .message = header_fault(entry_at(e, index)->record) };
    if (e->writer->needs_key && key.size == LOG_ABSENT && failure.message == NULL) {
        failure.message = lacking_key(e);
        failure.hint = "write 'key: EXPR' at the end or the source, or take 'compact' away";
    }
    return failure.message == NULL || drop(e, NULL, &failure);
}

/* False after a fatal fault. */
static bool add_message(struct encoding *e, uint32_t index, weir_slice key, weir_slice value)
{
    const weir_record *record = entry_at(e, index)->record;
    struct log_message *message = &e->messages[e->message_count];
    *message = (struct log_message){ .timestamp = record->timestamp,
                                     .key = key,
                                     .value = value,
                                     .headers = log_headers_make(e->arena, record),
                                     .header_count = record->header_count };
    if (message->headers == NULL) {
        return no_memory(e);
    }
    uint32_t partition = choose_partition(e, index, key);
    if (!check_terms(e, index, message, partition)) {
        return false;
    }
    if (!e->is_dropped[index]) {
        e->partitions[e->message_count++] = partition;
    }
    return true;
}

/* Lays out the messages that encoding has left. */
static bool make_messages(struct encoding *e)
{
    uint64_t key_start = 0;
    uint64_t value_start = 0;
    for (uint32_t i = 0; i < e->count; i++) {
        count_nth(e, i);
        weir_slice key = encoded_slice(&e->writer->key_bytes, e->key_ends[i], &key_start);
        weir_slice value = encoded_slice(&e->writer->value_bytes, e->value_ends[i], &value_start);
        if (!check_record(e, i, key)) {
            return false;
        }
        if (!e->is_dropped[i] && !add_message(e, i, key, value)) {
            return false;
        }
    }
    return true;
}

bool encoding_run(struct encoding *e)
{
    if (!make_room(e)) {
        return no_memory(e);
    }
    e->terms = log_topic_terms(e->writer->log_topic);
    return encode_both(e) && make_messages(e);
}
