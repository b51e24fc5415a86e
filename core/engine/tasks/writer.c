/* SPDX-License-Identifier: MIT */
#include "engine/tasks/writer.h"

#include "engine/tasks/encoding.h"

/* No message can be larger than this; a buffer that is asked for more is a defect or an attack. */
#define ENCODED_LIMIT (UINT64_C(1) << 30)

bool writer_init(struct writer *writer, const struct services *services, const struct topic *topic,
                 struct log_topic *log_topic, struct run_faults *faults, struct error *error)
{
    struct log_topic_options options;
    *writer = (struct writer){ .topic = topic, .log_topic = log_topic, .faults = faults };
    buffer_init(&writer->key_bytes, ENCODED_LIMIT);
    buffer_init(&writer->value_bytes, ENCODED_LIMIT);
    writer->kept_bytes = UINT64_MAX;
    writer->key = instance_create(services, topic->key.factory->spec, topic->key.config,
                                  topic->key.label, error);
    if (writer->key == NULL || log_topic_options(log_topic, &options, error) != WEIR_OK) {
        return false;
    }
    writer->needs_key = options.is_compacted;
    writer->value = instance_create(services, topic->value.factory->spec, topic->value.config,
                                    topic->value.label, error);
    if (writer->value == NULL) {
        return false;
    }
    if (!call_init(&writer->key_call, 0) || !call_init(&writer->value_call, 0)) {
        error_no_memory(error);
        return false;
    }
    return true;
}

void writer_deinit(struct writer *writer)
{
    call_deinit(&writer->key_call);
    call_deinit(&writer->value_call);
    instance_destroy(writer->key);
    instance_destroy(writer->value);
    buffer_deinit(&writer->key_bytes);
    buffer_deinit(&writer->value_bytes);
}

void writer_measure(struct writer *writer, struct stopwatch *encode, struct stopwatch *append)
{
    writer->key_call.stopwatch = encode;
    writer->value_call.stopwatch = encode;
    writer->append_watch = append;
}

static bool append(struct encoding *e, uint32_t partition, const struct log_message *messages,
                   uint32_t count)
{
    struct error error = { .status = WEIR_OK };
    if (count > 0 &&
        log_append(e->writer->log_topic, partition, messages, count, &error) != WEIR_OK) {
        run_faults_fatal(e->writer->faults, e->writer->topic->name, &error);
        return false;
    }
    return true;
}

/* Appends partition by partition; the order within each is that of the records. */
static bool append_sorted(struct encoding *e)
{
    uint32_t partitions = e->writer->log_topic->partitions;
    uint32_t *starts = arena_zeroed(e->arena, (partitions + 1u) * sizeof *starts);
    struct log_message *sorted = arena_alloc(e->arena, (e->message_count + 1u) * sizeof *sorted);
    if (starts == NULL || sorted == NULL) {
        return run_faults_no_memory(e->writer->faults, e->writer->topic->value.label);
    }
    for (uint32_t i = 0; i < e->message_count; i++) {
        starts[e->partitions[i] + 1]++;
    }
    for (uint32_t p = 0; p < partitions; p++) {
        starts[p + 1] += starts[p];
    }
    for (uint32_t i = 0; i < e->message_count; i++) {
        sorted[starts[e->partitions[i]]++] = e->messages[i];
    }
    /* Each start has moved to the end of its partition, which is the start of the next. */
    uint32_t from = 0;
    for (uint32_t p = 0; p < partitions; p++) {
        if (!append(e, p, sorted + from, starts[p] - from)) {
            return false;
        }
        from = starts[p];
    }
    return true;
}

/* A buffer that has become large is given back where many others have to live. */
static void trim(weir_buffer *buffer, uint64_t kept_bytes)
{
    if (buffer->capacity > kept_bytes) {
        buffer_deinit(buffer);
        buffer_init(buffer, ENCODED_LIMIT);
    }
}

bool writer_append(struct writer *writer, struct arena *arena, const struct writer_batch *batch,
                   uint32_t *ret_count)
{
    struct encoding e = {
        .writer = writer, .arena = arena, .batch = batch, .count = batch->run.count
    };
    *ret_count = 0;
    if (e.count == 0) {
        return true;
    }
    if (!encoding_run(&e)) {
        return false;
    }
    *ret_count = e.message_count;
    int64_t start_ns = stopwatch_start(writer->append_watch);
    bool is_appended = writer->log_topic->partitions == 1
                           ? append(&e, 0, e.messages, e.message_count)
                           : append_sorted(&e);
    stopwatch_stop(writer->append_watch, start_ns);
    trim(&writer->key_bytes, writer->kept_bytes);
    trim(&writer->value_bytes, writer->kept_bytes);
    return is_appended;
}
