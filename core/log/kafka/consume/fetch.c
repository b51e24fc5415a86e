/* SPDX-License-Identifier: MIT */
#include "log/kafka/consume/fetch.h"

#include <inttypes.h>
#include <stdio.h>

#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/offsets.h"
#include "log/kafka/topics/topics.h"

enum { VERSION_WITH_BACKOFF = 0x02020000, ASK_MS = 1000 };
enum { LEAST_KIB = 128, MOST_KIB = 8192, MIB = 1 << 20 };
/*
 * Answers within a share. None is cut to what there is room for, and texts are often twenty times as large when they
 * are unpacked; but many small ones cost speed, so that is heeded where somebody has asked for it. The library asks for
 * more by itself where not even one batch comes.
 */
enum { ANSWERS = 2, ANSWERS_OF_BUDGET = 8 };
enum { LEAST_MESSAGES = 100, MOST_MESSAGES = 20000 }; /* of a partition, of all of them */
enum { MESSAGE_BYTES = 1024 };                        /* of the budget for one that is small */

static bool has_backoff(void)
{
    return rd_kafka_version() >= VERSION_WITH_BACKOFF;
}

/* What a partition may hold of the budget. Kilobytes: the library counts so. */
static uint64_t share_kib(uint64_t budget, uint64_t partitions)
{
    uint64_t share = budget / (partitions > 0 ? partitions : 1) / 1024;
    return share < LEAST_KIB ? LEAST_KIB : share > MOST_KIB ? MOST_KIB : share;
}

static uint64_t share_messages(uint64_t budget, uint64_t partitions)
{
    uint64_t all = budget / MESSAGE_BYTES < MOST_MESSAGES ? budget / MESSAGE_BYTES : MOST_MESSAGES;
    uint64_t share = all / (partitions > 0 ? partitions : 1);
    return share < LEAST_MESSAGES ? LEAST_MESSAGES : share;
}

const struct kafka_default *kafka_fetch_defaults(const struct kafka_log *log, uint64_t partitions,
                                                 struct fetch_texts *texts)
{
    uint64_t budget = log->fetch_bytes;
    uint64_t kib = share_kib(budget, partitions);
    uint64_t fetch = kib * 1024 / (log->has_budget ? ANSWERS_OF_BUDGET : ANSWERS);
    size_t count = 0;
    snprintf(texts->kib, sizeof texts->kib, "%" PRIu64, kib);
    snprintf(texts->messages, sizeof texts->messages, "%" PRIu64,
             share_messages(budget, partitions));
    snprintf(texts->fetch, sizeof texts->fetch, "%" PRIu64, fetch < MIB ? fetch : MIB);
    if (has_backoff()) {
        texts->list[count++] = (struct kafka_default){ "fetch.queue.backoff.ms", "5" };
    }
    texts->list[count++] = (struct kafka_default){ "fetch.wait.max.ms", "100" };
    texts->list[count++] = (struct kafka_default){ "queued.min.messages", texts->messages };
    texts->list[count++] = (struct kafka_default){ "queued.max.messages.kbytes", texts->kib };
    texts->list[count++] = (struct kafka_default){ "fetch.message.max.bytes", texts->fetch };
    texts->list[count] = (struct kafka_default){ NULL, NULL };
    return texts->list;
}

void kafka_fetch_note(const struct kafka_partition *part)
{
    struct kafka_log *log = kafka_of(part->topic->face.log);
    atomic_store_explicit(&log->behind, part, memory_order_relaxed);
}

bool kafka_fetch_wake(struct kafka_log *log, rd_kafka_t *consumer)
{
    struct kafka_place end;
    const struct kafka_partition *part =
        has_backoff() ? NULL : atomic_exchange_explicit(&log->behind, NULL, memory_order_relaxed);
    if (part == NULL) {
        return false;
    }
    /* The answer is of no interest, nor whether there is one. */
    (void)kafka_place_ask(consumer, part->topic->face.name, (int32_t)part->number, KAFKA_END,
                          ASK_MS, &end);
    return true;
}
