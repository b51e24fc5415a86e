/* SPDX-License-Identifier: MIT */
#include "engine/faults/dead_letters.h"

#include <string.h>

#include <weir/serializer.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "value/letter.h"
#include "value/partitioner.h"

/* A letter that takes more is tried in a smaller form. */
#define ENCODED_LIMIT (UINT64_C(1) << 30)

const weir_origin dead_letters_origin = { "dead_letters", sizeof "dead_letters" - 1, 0 };

bool dead_letters_init(struct dead_letters *letters, const struct pipeline *pipeline,
                       struct log_topic *log_topic, struct run_faults *faults, struct error *error)
{
    *letters = (struct dead_letters){ .end = pipeline->dead_letters,
                                      .pipeline = pipeline,
                                      .faults = faults,
                                      .log_topic = log_topic,
                                      .kept_bytes = UINT64_MAX };
    pthread_mutex_init(&letters->lock, NULL);
    root_pool_init(&letters->pool);
    buffer_init(&letters->bytes, ENCODED_LIMIT);
    if (log_topic == NULL) {
        return true;
    }
    const struct plugin_use *use = &letters->end->topics[0]->value;
    letters->serializer =
        instance_create(&pipeline->services, use->factory->spec, use->config, use->label, error);
    if (letters->serializer == NULL) {
        return false;
    }
    if (!call_init(&letters->call, 0)) {
        error_no_memory(error);
        return false;
    }
    return true;
}

void dead_letters_deinit(struct dead_letters *letters)
{
    if (letters->pipeline == NULL) {
        return;
    }
    instance_destroy(letters->serializer);
    call_deinit(&letters->call);
    buffer_deinit(&letters->bytes);
    root_pool_deinit(&letters->pool);
    pthread_mutex_destroy(&letters->lock);
}

const char *dead_letters_log_name(const struct dead_letters *letters, const weir_origin *origin)
{
    const struct pipeline *pipeline = letters->pipeline;
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        if (pipeline->topics[i]->name == origin->topic) {
            return pipeline->topics[i]->log_name;
        }
    }
    return origin->topic;
}

/* ---- a topic ----------------------------------------------------------------------------------- */

/* Encodes one letter into letters->bytes. `error` says why not. */
static bool encode(struct dead_letters *letters, struct arena *arena, const weir_value *value,
                   struct error *error)
{
    struct instance *serializer = letters->serializer;
    const weir_serializer_vtable *vtable = serializer->spec->vtable;
    struct call *call = &letters->call;
    uint64_t end = 0;
    buffer_clear(&letters->bytes);
    call_begin(call, serializer, arena, NULL);
    call->record_limit = 1;
    weir_status st =
        vtable->encode(serializer->self, &call->context, &value, 1, &letters->bytes, &end);
    call_end(call);
    if (call->whole.status != WEIR_OK) {
        *error = call->whole;
    } else if (call->failure_count > 0) {
        const struct call_failure *failure = &call->failures[0];
        error_set(error, failure->status, failure->error_class, "%s", failure->message);
    } else if (st != WEIR_OK) {
        error_set(error, st < 0 ? st : WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                  "encode failed with status %d", (int)st);
    } else if (end == WEIR_ABSENT || end > letters->bytes.size) {
        error_set(error, WEIR_E_INTERNAL, WEIR_CLASS_BUG, "encode gave a letter no bytes");
    } else {
        letters->bytes.size = end;
    }
    return error->status == WEIR_OK;
}

/* As for any record of the topic: by the key, without one by the place of the input message. */
static uint32_t choose_partition(const struct dead_letters *letters, const struct kept_letter *kept)
{
    struct partitioner_message message = { .key = kept->key,
                                           .turn = (uint64_t)kept->partition,
                                           .identity = partitioner_identity(
                                               kept->partition, kept->offset, kept->number) };
    return partitioner_choose(letters->end->topics[0]->partitioner, &message,
                              letters->log_topic->partitions);
}

/* Appends one form of a letter. `error` says why it cannot. */
static bool append(struct dead_letters *letters, struct arena *arena,
                   const struct kept_letter *kept, enum letter_form form, struct error *error)
{
    weir_value value;
    if (!letter_reduce(arena, &kept->value, form, &value)) {
        error_no_memory(error);
        return false;
    }
    if (!encode(letters, arena, &value, error)) {
        return false;
    }
    struct log_message message = { .timestamp = kept->timestamp,
                                   .key = kept->key,
                                   .value = { letters->bytes.data, letters->bytes.size } };
    if (form == LETTER_CUT && kept->key.size != LOG_ABSENT && kept->key.size > LETTER_KEPT) {
        message.key = (weir_slice){ NULL, LOG_ABSENT };
    }
    return log_append(letters->log_topic, choose_partition(letters, kept), &message, 1, error) ==
           WEIR_OK;
}

static bool append_letter(struct dead_letters *letters, struct arena *arena,
                          const struct kept_letter *kept)
{
    struct error error = { .status = WEIR_OK };
    for (enum letter_form form = LETTER_WHOLE; form < LETTER_FORMS; form++) {
        error = (struct error){ .status = WEIR_OK };
        if (append(letters, arena, kept, form, &error)) {
            return true;
        }
    }
    run_faults_fatal(letters->faults, letters->end->plugin.label, &error);
    return false;
}

/* A buffer that has become large for one letter is given back. */
static void trim_bytes(struct dead_letters *letters)
{
    if (letters->bytes.capacity > letters->kept_bytes) {
        buffer_deinit(&letters->bytes);
        buffer_init(&letters->bytes, ENCODED_LIMIT);
    }
}

static bool append_all(struct dead_letters *letters, struct letter_box *box)
{
    bool is_appended = true;
    for (uint32_t i = 0; i < box->count && is_appended; i++) {
        is_appended = append_letter(letters, &box->root->arena, &box->kept[i]);
    }
    trim_bytes(letters);
    return is_appended;
}

/* ---- a sink ------------------------------------------------------------------------------------ */

/* For sinks a key is text where it can be. The seat that writes the letters numbers them. */
static weir_value key_value(weir_slice key)
{
    if (key.size == LOG_ABSENT) {
        return weir_null();
    }
    const char *text = (const char *)key.data;
    uint32_t len = (uint32_t)key.size;
    return utf8_valid_prefix(text, len) == len ? weir_text_value(text, len)
                                               : weir_bytes_value(text, len);
}

static bool hand_over(struct dead_letters *letters, struct letter_box *box)
{
    struct arena *arena = &box->root->arena;
    weir_record *records = arena_zeroed(arena, box->count * sizeof *records);
    weir_entry *entries = arena_zeroed(arena, box->count * sizeof *entries);
    if (records == NULL || entries == NULL) {
        return run_faults_no_memory(letters->faults, letters->end->plugin.label);
    }
    for (uint32_t i = 0; i < box->count; i++) {
        records[i] = (weir_record){ .timestamp = box->kept[i].timestamp,
                                    .key = key_value(box->kept[i].key),
                                    .value = box->kept[i].value };
        entries[i] = (weir_entry){ &records[i], LETTER_WHOLE, 0, 0 };
    }
    bool has_place = letters->lane->is_by_partition && box->origin.topic != NULL;
    box->root->origin = has_place ? box->origin : dead_letters_origin;
    return sink_lane_write_waiting(letters->lane, box->root, (struct run){ entries, box->count });
}

bool dead_letters_send(struct letter_box *box)
{
    struct dead_letters *letters = box->letters;
    if (box->count == 0) {
        return true;
    }
    letter_box_sort(box);
    pthread_mutex_lock(&letters->lock);
    bool is_sent = letters->lane != NULL ? hand_over(letters, box) : append_all(letters, box);
    pthread_mutex_unlock(&letters->lock);
    if (is_sent) {
        meter_add(&letters->meter.in, box->count);
    }
    letter_box_empty(box);
    return is_sent;
}
