/* SPDX-License-Identifier: MIT */
/*
 * Records to messages of a topic: both serializers, headers, partition; appended to the log.
 */
#ifndef ENGINE_WRITER_H
#define ENGINE_WRITER_H

#include "base/buffer.h"
#include "engine/faults/run_faults.h"
#include "engine/tasks/order.h"
#include "engine/tasks/root.h"
#include "log/log.h"

/* Whom a record's failure concerns. */
struct writer_place {
    const struct plugin_use *use;
    struct meter *meter;
};

/*
 * places        by the entry's input
 * root          of the batch that the records come from; NULL: a source
 * letters       of the thread
 * first_number  of a source: running number of the first record, which places those without key
 */
struct writer_batch {
    struct run run;
    const struct writer_place *places;
    const struct root *root;
    struct letter_box *letters;
    uint64_t first_number;
};

struct writer {
    const struct topic *topic;
    struct log_topic *log_topic;
    bool needs_key; /* the topic is compacted */
    struct instance *key;
    struct instance *value;
    struct call key_call;
    struct call value_call;
    weir_buffer key_bytes;
    weir_buffer value_bytes;
    uint64_t kept_bytes;            /* of each of the two, between batches */
    struct stopwatch *append_watch; /* of appending to the log; NULL: nobody measures */
    struct run_faults *faults;
};

bool writer_init(struct writer *writer, const struct services *services, const struct topic *topic,
                 struct log_topic *log_topic, struct run_faults *faults, struct error *error);
void writer_deinit(struct writer *writer);
/* encode: calls of the serializers; append: to the log. Either may be NULL. */
void writer_measure(struct writer *writer, struct stopwatch *encode, struct stopwatch *append);
/* Scratch memory comes from the arena. *ret_count: messages appended. False after a fatal fault. */
bool writer_append(struct writer *writer, struct arena *arena, const struct writer_batch *batch,
                   uint32_t *ret_count);

#endif
