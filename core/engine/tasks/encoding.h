/* SPDX-License-Identifier: MIT */
/* Records to messages: both serializers, headers, partition, and what the log would refuse. */
#ifndef ENGINE_ENCODING_H
#define ENGINE_ENCODING_H

#include "engine/tasks/writer.h"

/*
 * One batch on its way from entries to messages; everything is made in the arena.
 *
 * values      of the key, then of the value
 * messages    those that are left, each with its partition
 * terms       what the topic takes
 * nth         of the messages of one record of the input, where make_messages is
 */
struct encoding {
    struct writer *writer;
    struct arena *arena;
    const struct writer_batch *batch;
    uint32_t count;
    const weir_value **values;
    uint64_t *key_ends;
    uint64_t *value_ends;
    bool *is_dropped;
    struct log_message *messages;
    uint32_t *partitions;
    uint32_t message_count;
    struct log_terms terms;
    uint64_t nth;
};

/* From writer, arena, batch and count, which is not 0. False after a fatal fault. */
bool encoding_run(struct encoding *e);

#endif
