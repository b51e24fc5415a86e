/* SPDX-License-Identifier: MIT */
/* Records as messages of the topic: keys, payloads, headers, partitions. */
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/topic_put.h"
#include "log/headers.h"
#include "value/value.h"

/*
 * Keys or values to payloads. Where no file says how, bytes go out as they are: so `cat --json` of an
 * undeclared topic can be put back.
 */
static weir_status encode(struct put *put, const struct put_batch *batch, struct codec *codec,
                          const weir_value *const *values, weir_buffer *bytes, weir_slice *payloads,
                          struct error *error)
{
    static const weir_value null = { .tag = WEIR_NULL };
    const weir_value *encoded[BATCH_LINES];
    for (uint32_t i = 0; i < batch->count; i++) {
        bool is_plain = values[i]->tag == WEIR_BYTES && !put->use->is_declared;
        encoded[i] = is_plain ? &null : values[i];
    }
    weir_status st =
        codec_encode(codec, &put->arena, encoded, batch->count, bytes, payloads, error);
    for (uint32_t i = 0; st == WEIR_OK && i < batch->count; i++) {
        if (encoded[i] != values[i]) {
            payloads[i] = (weir_slice){ (const uint8_t *)values[i]->as.text, values[i]->len };
        }
    }
    return st == WEIR_OK ? put_check_lanes(put, batch, codec, error) : st;
}

static weir_status compute_keys(struct put *put, struct put_batch *batch, struct error *error)
{
    weir_entry entries[BATCH_LINES];
    weir_value keys[BATCH_LINES];
    weir_origin origin = { put->use->name, (uint32_t)strlen(put->use->name), -1 };
    weir_batch view = { .struct_size = sizeof view,
                        .count = batch->count,
                        .entries = entries,
                        .origins = &origin,
                        .origin_count = 1 };
    for (uint32_t i = 0; i < batch->count; i++) {
        entries[i] = (weir_entry){ .record = &batch->records[i], .ordinal = i };
    }
    struct call *call = &put->key.call;
    call_begin(call, put->key.instance, &put->arena, &view);
    int64_t st = expr_evaluate(&call->context, put->key_expression, entries, batch->count, keys);
    call_end(call);
    if (st < 0) {
        return error_set(error, (weir_status)st, WEIR_CLASS_RESOURCE, "could not compute the keys");
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        if (keys[i].tag == WEIR_TAG_ERROR) {
            const struct expr_fault *fault = expr_fault(&keys[i]);
            return put_line_fault(put, batch->numbers[i], fault->message, fault->hint, error);
        }
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->records[i].key = keys[i];
    }
    return WEIR_OK;
}

static weir_status encode_batch(struct put *put, struct put_batch *batch, struct error *error)
{
    const weir_value *values[BATCH_LINES];
    weir_status st = put->key_expression != NULL ? compute_keys(put, batch, error) : WEIR_OK;
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->keys[i] = (weir_slice){ NULL, LOG_ABSENT };
        if (!value_canonical(&put->arena, &batch->records[i].key, &values[i])) {
            return error_no_memory(error);
        }
    }
    if (st == WEIR_OK && (put->key_expression != NULL || put->is_record)) {
        st = encode(put, batch, &put->key, values, &put->key_bytes, batch->keys, error);
    }
    if (st != WEIR_OK || !put->is_record) {
        return st;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        values[i] = &batch->records[i].value;
    }
    return encode(put, batch, &put->value, values, &put->value_bytes, batch->values, error);
}

/* As the engine places a source's records: by the key, without one by a running number. */
static uint32_t choose_partition(const struct put *put, const struct put_batch *batch, uint32_t i)
{
    uint32_t partitions = put->use->log_topic->partitions;
    if (batch->partitions[i] >= 0) {
        return (uint32_t)batch->partitions[i];
    }
    struct partitioner_message message = { batch->keys[i], put->appended, put->appended };
    return partitioner_choose(put->use->topic->partitioner, &message, partitions);
}

/* Before any of them is on its way; a broker says of a whole batch that it could not validate it. */
static weir_status check_keys(const struct put *put, const struct put_batch *batch,
                              struct error *error)
{
    char fault[400];
    for (uint32_t i = 0; put->needs_key && i < batch->count; i++) {
        if (batch->keys[i].size == LOG_ABSENT) {
            snprintf(fault, sizeof fault,
                     "the topic '%s' is compacted and takes no message without a key",
                     put->use->name);
            return put_line_fault(put, batch->numbers[i], fault,
                                  "--key EXPR computes one from the value", error);
        }
    }
    return WEIR_OK;
}

static weir_status append_batch(struct put *put, const struct put_batch *batch, struct error *error)
{
    int64_t now = clock_wall_ms();
    for (uint32_t i = 0; i < batch->count; i++) {
        const weir_record *record = &batch->records[i];
        bool has_time = record->timestamp != WEIR_NO_TIMESTAMP;
        struct log_message message = { .timestamp = has_time ? record->timestamp : now,
                                       .key = batch->keys[i],
                                       .value = batch->values[i],
                                       .headers = log_headers_make(&put->arena, record),
                                       .header_count = record->header_count };
        if (message.headers == NULL) {
            return error_no_memory(error);
        }
        weir_status st =
            log_append(put->use->log_topic, choose_partition(put, batch, i), &message, 1, error);
        if (st != WEIR_OK) {
            return st;
        }
        put->appended++;
    }
    return WEIR_OK;
}

weir_status put_append(struct put *put, struct put_batch *batch, struct error *error)
{
    weir_status st = encode_batch(put, batch, error);
    st = st == WEIR_OK ? check_keys(put, batch, error) : st;
    return st == WEIR_OK ? append_batch(put, batch, error) : st;
}
