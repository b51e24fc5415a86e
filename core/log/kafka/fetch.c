/* SPDX-License-Identifier: MIT */
/*
 * Keeps the library fetching. Where it has fetched enough ahead, a broker's thread sleeps for up to a
 * second, though the queue may be empty after some milliseconds. From 2.2 on a property says how long it
 * sleeps. Before, a request to that broker wakes it: so while workers have a backlog, the poller asks
 * about one of the partitions that they read.
 */
#include "log/kafka/kafka_log.h"

enum { VERSION_WITH_BACKOFF = 0x02020000, ASK_MS = 1000 };

static bool has_backoff(void)
{
    return rd_kafka_version() >= VERSION_WITH_BACKOFF;
}

const struct kafka_default *kafka_fetch_defaults(void)
{
    static const struct kafka_default defaults[] = {
        { "fetch.queue.backoff.ms", "5" },
        { "fetch.wait.max.ms", "100" },
        { "queued.min.messages", "20000" },
        { "queued.max.messages.kbytes", "8192" },
        { NULL, NULL },
    };
    return has_backoff() ? defaults : defaults + 1;
}

void kafka_fetch_note(const struct kafka_partition *part)
{
    struct kafka_member *member = kafka_of(part->topic->face.log)->member;
    atomic_store_explicit(&member->behind, part, memory_order_relaxed);
}

bool kafka_fetch_wake(struct kafka_member *member)
{
    int64_t low;
    int64_t high;
    const struct kafka_partition *part =
        has_backoff() ? NULL
                      : atomic_exchange_explicit(&member->behind, NULL, memory_order_relaxed);
    if (part == NULL) {
        return false;
    }
    /* The answer is of no interest, nor whether there is one. */
    (void)rd_kafka_query_watermark_offsets(member->consumer, part->topic->face.name,
                                           (int32_t)part->number, &low, &high, ASK_MS);
    return true;
}
