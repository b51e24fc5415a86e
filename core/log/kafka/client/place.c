/* SPDX-License-Identifier: MIT */
#include "log/kafka/client/place.h"

bool kafka_place_equals(struct kafka_place a, struct kafka_place b)
{
    return a.kind == b.kind && (a.kind != KAFKA_AT_OFFSET || a.offset == b.offset);
}

int64_t kafka_place_write(struct kafka_place place)
{
    switch (place.kind) {
    case KAFKA_AT_OFFSET:
        return place.offset;
    case KAFKA_AT_BEGINNING:
        return RD_KAFKA_OFFSET_BEGINNING;
    case KAFKA_AT_END:
        return RD_KAFKA_OFFSET_END;
    case KAFKA_NOWHERE:
        break;
    }
    return RD_KAFKA_OFFSET_INVALID;
}

/* What is stored elsewhere and what counts from the end are not asked for, and so never come. */
struct kafka_place kafka_place_read(int64_t written)
{
    switch (written) {
    case RD_KAFKA_OFFSET_BEGINNING:
        return KAFKA_BEGINNING;
    case RD_KAFKA_OFFSET_END:
        return KAFKA_END;
    default:
        return written >= 0 ? kafka_place(written) : (struct kafka_place){ .kind = KAFKA_NOWHERE };
    }
}

rd_kafka_topic_partition_t *kafka_place_add(rd_kafka_topic_partition_list_t *list,
                                            const char *topic, uint32_t partition,
                                            struct kafka_place place)
{
    rd_kafka_topic_partition_t *entry =
        rd_kafka_topic_partition_list_add(list, topic, (int32_t)partition);
    entry->offset = kafka_place_write(place);
    return entry;
}
