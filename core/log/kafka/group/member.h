/* SPDX-License-Identifier: MIT */
/*
 * Being a member of the group: a thread that polls, so that the membership lives however long a batch
 * takes, and that notes what it is told of the assignment. It is carried out by the thread that supervises
 * the run (assignment.h).
 */
#ifndef LOG_KAFKA_MEMBER_H
#define LOG_KAFKA_MEMBER_H

#include <pthread.h>
#include <stdatomic.h>

#include <librdkafka/rdkafka.h>

#include "log/kafka/group/delay.h"
#include "log/kafka/group/progress.h"
#include "log/kafka/group/standing.h"
#include "log/log.h"

struct kafka_log;

/*
 * What the library has told of the assignment and was not carried out yet, the oldest first.
 *
 * list  partitions that come or go
 */
struct kafka_notice {
    struct kafka_notice *later;
    enum log_change_kind kind;
    rd_kafka_topic_partition_list_t *list;
};

/*
 * This process as a member of the group.
 *
 * progress       facts; the owner of its topic's partition leads: it runs the sources
 * is_written     the facts of the epoch under way are with the producer
 * partitions     of all topics that the group reads
 * poller         the thread that keeps the membership alive and takes notices; nothing else
 * commits        answers to commits of offsets
 * commit         the number of the last that was sent; is_committing: its answer is waited for
 * absent_ns      since when a topic is gone whose positions are to be committed; 0: none is
 * delay          of what came and cannot be begun yet; is_delay_told: as a stall
 * stuck          why the run must not go on, where it is told LOG_STUCK
 * standing       what the poller is told of the membership itself
 * rest_until_ns  until then nobody is asked why nothing comes
 */
struct kafka_member {
    struct kafka_log *log;
    rd_kafka_t *consumer;
    char *group;
    struct progress progress;
    bool is_written;
    bool leads;
    bool is_together;
    uint64_t partitions;
    pthread_t poller;
    bool has_poller;
    atomic_bool is_leaving;
    pthread_mutex_t lock; /* of the notices */
    struct kafka_notice *notices;
    rd_kafka_queue_t *commits;
    uintptr_t commit;
    bool is_committing;
    int64_t absent_ns;
    struct kafka_delay delay;
    bool is_delay_told;
    struct error stuck;
    struct kafka_standing standing;
    int64_t rest_until_ns;
};

/* Into log->member, where it stands after a fault too, for kafka_log_leave. */
weir_status kafka_member_create(struct kafka_log *log, const struct log_membership *membership,
                                struct error *error);
/* Returns within the time. False: the library did not, and the member must be left alone. */
bool kafka_member_destroy(struct kafka_member *member, int64_t timeout_ms);
/* The oldest notice that is not carried out; NULL: there is none. */
const struct kafka_notice *kafka_member_notice(struct kafka_member *member);
/* The oldest notice is of partitions that came, and a later one says that all is lost. */
bool kafka_member_is_late(struct kafka_member *member);
/* Some notice is of partitions that others wait for, or have. */
bool kafka_member_is_urged(struct kafka_member *member);
/* Carried out: forgets it. */
void kafka_member_pop(struct kafka_member *member);

#endif
