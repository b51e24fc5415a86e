/* SPDX-License-Identifier: MIT */
/*
 * The inside of a log on Kafka: one producer, one member of a group, and a reader for everything that is
 * read outside of a group. Each is made when it is first needed.
 *
 * Threads: the producer may be used from any. Partitions of the member are read by the workers, each
 * partition by one at a time; whatever changes the assignment is called by the thread that supervises,
 * while no worker reads (librdkafka loses messages otherwise). Callbacks only note what they are told.
 */
#ifndef LOG_KAFKA_KAFKA_LOG_H
#define LOG_KAFKA_KAFKA_LOG_H

#include <pthread.h>
#include <stdatomic.h>

#include <librdkafka/rdkafka.h>

#include "kafka/conf.h"
#include "log/kafka/client/trouble.h"
#include "log/kafka/outside/claim.h"
#include "log/kafka/outside/outside.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/refusals.h"
#include "log/log_ops.h"

struct kafka_topic;
struct kafka_partition;
struct kafka_member;
struct kafka_browser;
struct kafka_sending;

/*
 * What is known of the end of the transaction under way.
 *
 * KAFKA_END_SENDING   positions are on their way into it
 * KAFKA_END_ASKED     the library was told to commit it, and has not said what became of that
 * KAFKA_END_IN_DOUBT  it has given up, and the broker may have done it all the same
 */
enum kafka_end { KAFKA_END_OPEN, KAFKA_END_SENDING, KAFKA_END_ASKED, KAFKA_END_IN_DOUBT };

struct kafka_log {
    struct log face;
    const struct kafka_settings *settings;
    struct kafka_settings defaults; /* where nobody has given any */
    const char *brokers;
    enum log_mode mode;
    rd_kafka_queue_t *purges; /* answers to requests to remove messages */
    bool is_purge_denied;     /* which has been told */
    int64_t purged_ms;        /* when the last one was sent, by the wall clock */
    uint64_t fetch_bytes;     /* that may be fetched ahead, of all partitions together */
    bool has_budget;          /* which the file has given */
    struct arena arena;       /* of the brokers' names */
    bool is_abandoned;        /* a thread of the library did not come back */
    struct kafka_trouble trouble;

    rd_kafka_t *admin;    /* asks and creates */
    rd_kafka_t *producer; /* NULL: nothing was produced yet */
    bool is_transactional;
    bool is_in_transaction;
    struct kafka_sending *sending; /* NULL: nothing is on its way */
    bool are_positions_sent;       /* into the transaction */
    enum kafka_end end;
    atomic_bool is_broken; /* the producer is of no use any more */
    atomic_bool is_doomed; /* the epoch under way can never be committed */
    atomic_uint losses;    /* of partitions, that the run does not know of yet */
    const char *transaction_name;
    uint32_t fences; /* how often another producer has taken the name */
    int slot_fd;     /* holds the number in that name; -1: none */
    struct kafka_deliveries deliveries;
    struct kafka_refusals refusals;
    int64_t looked_ns;           /* when the poller has looked after the brokers last */
    atomic_int_fast64_t away_ns; /* since when none has answered; 0: they do */

    pthread_mutex_t lock; /* of the table */
    struct kafka_topic *topics;

    struct kafka_member *member; /* NULL: it has joined no group */
    _Atomic(const struct kafka_partition *)
        behind;                   /* was read lately, has more to read; NULL: none */
    atomic_bool has_gaps;         /* a partition is_in_gap */
    struct kafka_outside outside; /* before it has joined one */
    struct kafka_claim claim;     /* where it works outside of any */
    pthread_mutex_t browsing;
    struct kafka_browser *browser;

    pthread_mutex_t waking;
    log_wake *wake;
    void *wake_self;
    log_patience *goes_on;
    void *goes_on_self;
};

static inline struct kafka_log *kafka_of(struct log *face)
{
    return (struct kafka_log *)(void *)face;
}

/* False: whoever waits for the broker is to give up. */
static inline bool kafka_goes_on(const struct kafka_log *log)
{
    return log->goes_on == NULL || log->goes_on(log->goes_on_self);
}

/* Milliseconds of an answer that is waited for. */
static inline int kafka_timeout(const struct kafka_log *log)
{
    return (int)log->settings->request_timeout_ms;
}

/* There is something to read in a partition. Any thread. */
void kafka_wake(struct kafka_log *log, const struct kafka_partition *part);

#endif
