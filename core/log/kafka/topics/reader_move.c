/* SPDX-License-Identifier: MIT */
#include "log/kafka/topics/reader_move.h"

#include <stdio.h>

#include "log/kafka/client/group_position.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/readers.h"

static weir_status move(struct kafka_log *log, const char *group, const struct log_topic *topic,
                        uint32_t partition, int64_t offset, struct error *error)
{
    char doing[400];
    snprintf(doing, sizeof doing, "move group '%s' over what is removed", group);
    struct kafka_group_deed deed = { group, doing };
    rd_kafka_topic_partition_list_t *position;
    weir_status st = kafka_group_position(log, &deed, topic->name, partition, &position, error);
    if (st != WEIR_OK) {
        return st;
    }
    position->elems[0].offset = offset;
    st = kafka_group_position_set(log, &deed, position, error);
    rd_kafka_topic_partition_list_destroy(position);
    return st;
}

weir_status kafka_readers_move(struct log_topic *topic, uint32_t partition, int64_t offset,
                               struct error *error)
{
    struct arena arena;
    struct log_reader *readers = NULL;
    size_t count = 0;
    arena_init(&arena, 0);
    weir_status st = kafka_log_readers(topic, NULL, &arena, &readers, &count, error);
    for (size_t i = 0; st == WEIR_OK && i < count; i++) {
        if (readers[i].partition == partition && readers[i].position < offset) {
            st = move(kafka_of(topic->log), readers[i].group, topic, partition, offset, error);
        }
    }
    arena_deinit(&arena);
    return st;
}
