/* SPDX-License-Identifier: MIT */
/*
 * The table of topics: what the brokers have told of them, and what this process knows of their partitions.
 * A topic stays in it until the log is closed, since handles point to it.
 */
#ifndef LOG_KAFKA_TOPICS_H
#define LOG_KAFKA_TOPICS_H

#include <stdatomic.h>

#include <librdkafka/rdkafka.h>

#include "log/log.h"

struct kafka_log;

/*
 * What is known of a partition of which nothing comes; group/stall.c.
 *
 * offset     of the message that comes next
 * moved_ns   when it was first seen to be that one; 0: nobody has looked
 * behind_ns  since when there is more, or nobody can tell; 0: there is not
 * asked_ns   when the broker was asked last
 * why        it stands still, as far as it is known
 * end, high  behind the last message that may be read, and the last one, as far as it was told
 * leader     the broker that was asked; -1: there is none
 * code       of its answer
 * is_told    as standing still; is_over: and goes on, which is not told yet
 */
enum kafka_stall {
    KAFKA_FLOWS,
    KAFKA_NO_LEADER,
    KAFKA_UNANSWERED,
    KAFKA_HELD_BACK,
    KAFKA_UNREAD,
    KAFKA_UNTAKEN /* what the broker has given waits in the queue */
};
struct kafka_still {
    int64_t offset;
    int64_t moved_ns;
    int64_t behind_ns;
    int64_t asked_ns;
    enum kafka_stall why;
    int64_t end;
    int64_t high;
    int32_t leader;
    rd_kafka_resp_err_t code;
    bool is_told;
    bool is_over;
};

/*
 * A partition as the member reads it.
 *
 * queue        its messages, past the member's own queue; NULL: it was never this process's
 * next         offset of the next message that the queue gives, where it is_assigned
 * seen         the same, for who is not the reader
 * committed    where the group goes on after a crash
 * purged       before it messages were removed
 * mean_bytes   of the messages that were read last
 * outstanding  messages that this process has produced to it and whose outcome is not known
 * produced     behind the last message that this process has delivered to it
 * is_assigned  it is this process's own
 * is_at_end    the broker has said that nothing is behind `next`
 * trouble      why it could not be read when the broker answered last, which is told; NO_ERROR: it could
 * is_in_gap    it has said that it has no message at `next`: nothing is taken until the partition is moved
 * still        what the thread that supervises has seen of it
 */
struct kafka_partition {
    struct kafka_topic *topic;
    rd_kafka_queue_t *queue;
    int64_t next;
    atomic_int_fast64_t seen;
    int64_t committed;
    int64_t purged;
    uint64_t mean_bytes;
    atomic_uint_fast64_t outstanding;
    atomic_int_fast64_t produced;
    uint32_t number;
    bool is_assigned;
    bool is_at_end;
    atomic_int trouble;
    atomic_bool is_in_gap;
    struct kafka_still still;
};

/*
 * later        the next one in the table
 * handle       for producing; NULL: nothing was produced yet
 * limit        most bytes of a message that the broker takes; 0: not asked yet
 * before_ms    how old a message may be, after_ms: how far ahead of the clock; 0: not asked yet, or as it likes
 * replication  of its partition 0
 * parts        by number
 */
struct kafka_topic {
    struct log_topic face;
    struct kafka_topic *later;
    rd_kafka_topic_t *handle;
    atomic_uint_fast64_t limit;
    atomic_int_fast64_t before_ms;
    atomic_int_fast64_t after_ms;
    uint32_t replication;
    struct kafka_partition *parts;
    bool is_dropped;
};

static inline struct kafka_topic *kafka_topic_of(struct log_topic *face)
{
    return (struct kafka_topic *)(void *)face;
}

/* Asks the brokers for all topics. */
weir_status kafka_topics_load(struct kafka_log *log, struct error *error);
void kafka_topics_deinit(struct kafka_log *log);
/*
 * Whether nobody lets this user see whether there is such a topic. A client that is no consumer may make the
 * topic by asking, on brokers that make topics for everybody.
 */
weir_status kafka_topic_is_hidden(struct kafka_log *log, rd_kafka_t *client, const char *name,
                                  bool *ret_is_hidden, struct error *error);
/* What an answer of the brokers tells of a topic; lives as long as it. NULL: they do not tell of it. */
const struct rd_kafka_metadata_topic *kafka_topic_in(const struct rd_kafka_metadata *metadata,
                                                     const char *name);
/* As far as they were loaded; NULL: there is none. Any thread. */
struct kafka_topic *kafka_topic_find(struct kafka_log *log, const char *name);

/* As in log.h. */
struct log_topic *kafka_log_find(struct log *log, const char *name);
weir_status kafka_log_topics(struct log *log, struct arena *arena, struct log_topic ***ret_topics,
                             size_t *ret_count, struct error *error);

#endif
