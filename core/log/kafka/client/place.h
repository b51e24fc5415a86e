/* SPDX-License-Identifier: MIT */
/*
 * Where in a partition. The library writes "the beginning", "the end" and "nobody knows" as negative offsets, and
 * whoever computes with one of them gets a number that looks right. So they are a type of their own on their way
 * to the library and from it, and an offset is taken out only where it is one.
 */
#ifndef LOG_KAFKA_PLACE_H
#define LOG_KAFKA_PLACE_H

#include <stdbool.h>

#include <librdkafka/rdkafka.h>

enum kafka_place_kind { KAFKA_NOWHERE, KAFKA_AT_OFFSET, KAFKA_AT_BEGINNING, KAFKA_AT_END };

struct kafka_place {
    enum kafka_place_kind kind;
    int64_t offset; /* KAFKA_AT_OFFSET */
};

#define KAFKA_BEGINNING ((struct kafka_place){ .kind = KAFKA_AT_BEGINNING })
#define KAFKA_END       ((struct kafka_place){ .kind = KAFKA_AT_END })

static inline struct kafka_place kafka_place(int64_t offset)
{
    return (struct kafka_place){ KAFKA_AT_OFFSET, offset };
}

/* True: *ret_offset is set. */
static inline bool kafka_place_offset(struct kafka_place place, int64_t *ret_offset)
{
    if (place.kind == KAFKA_AT_OFFSET) {
        *ret_offset = place.offset;
    }
    return place.kind == KAFKA_AT_OFFSET;
}

bool kafka_place_equals(struct kafka_place a, struct kafka_place b);
/* As the library writes it, and back. */
int64_t kafka_place_write(struct kafka_place place);
struct kafka_place kafka_place_read(int64_t written);

/* Adds a partition to a list; returns its entry. */
rd_kafka_topic_partition_t *kafka_place_add(rd_kafka_topic_partition_list_t *list,
                                            const char *topic, uint32_t partition,
                                            struct kafka_place place);

#endif
