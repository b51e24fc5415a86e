/* SPDX-License-Identifier: MIT */
/*
 * The inside of a log on Kafka: one producer, one member of a group, and a reader for everything that is
 * read outside of a group. Each is made when it is first needed.
 *
 * Threads: the producer may be used from any. Partitions of the member are read by the workers, each
 * partition by one at a time; whatever changes the assignment is called by the thread that supervises,
 * while no worker reads (librdkafka loses messages otherwise). Callbacks only note what they are told.
 */
#ifndef LOG_KAFKA_LOG_H
#define LOG_KAFKA_LOG_H

#include <pthread.h>
#include <stdatomic.h>

#include <librdkafka/rdkafka.h>

#include "kafka/conf.h"
#include "log/kafka/progress.h"
#include "log/kafka/trouble.h"
#include "log/log_ops.h"

struct kafka_log;
struct kafka_member;
struct kafka_browser;

/*
 * A partition as the member reads it.
 *
 * queue        its messages, past the member's own queue; NULL: it was never this process's
 * next         offset of the next message that the queue gives; -1: nothing is known
 * committed    where the group goes on after a crash
 * produced     behind the last message that this process has delivered to it
 * mean_bytes   of the messages that were read last
 * is_assigned  it is this process's own
 * is_at_end    the broker has said that nothing is behind `next`
 */
struct kafka_partition {
    struct kafka_topic *topic;
    rd_kafka_queue_t *queue;
    int64_t next;
    int64_t committed;
    int64_t purged; /* before it messages were removed */
    uint64_t mean_bytes;
    atomic_int_fast64_t produced;
    uint32_t number;
    bool is_assigned;
    bool is_at_end;
};

/*
 * handle  for producing; NULL: nothing was produced yet
 * limit   most bytes of a message that the broker takes; 0: not asked yet
 * replication  of its partition 0
 */
struct kafka_topic {
    struct log_topic face;
    struct kafka_topic *later; /* in the table */
    rd_kafka_topic_t *handle;
    atomic_uint_fast64_t limit;
    uint32_t replication;
    struct kafka_partition *parts; /* by number */
    bool is_dropped;
};

static inline struct kafka_topic *kafka_topic_of(struct log_topic *face)
{
    return (struct kafka_topic *)(void *)face;
}

/* What has become of messages that were handed to the producer. */
struct kafka_deliveries {
    atomic_uint_fast64_t handed;
    atomic_uint_fast64_t done; /* delivered, rejected or dropped */
    pthread_mutex_t lock;
    struct error fault; /* the first that was rejected; status WEIR_OK: none */
};

struct kafka_log {
    struct log face;
    const struct kafka_settings *settings;
    struct kafka_settings defaults; /* where nobody has given any */
    const char *brokers;
    enum log_mode mode;
    rd_kafka_queue_t *purges; /* answers to requests to remove messages */
    int64_t purged_ms;        /* when the last one was sent, by the wall clock */
    uint64_t fetch_bytes;     /* that may be fetched ahead, of all partitions together */
    struct arena arena;       /* of the brokers' names */
    bool is_abandoned;        /* a thread of the library did not come back */
    struct kafka_trouble trouble;

    rd_kafka_t *admin;    /* asks and creates */
    rd_kafka_t *producer; /* NULL: nothing was produced yet */
    bool is_transactional;
    bool is_in_transaction;
    bool are_positions_sent; /* into the transaction */
    bool is_broken;          /* the producer is of no use any more */
    atomic_bool is_doomed;   /* the epoch under way can never be committed */
    const char *transaction_name;
    int slot_fd; /* holds the number in that name; -1: none */
    struct kafka_deliveries deliveries;
    int64_t looked_ns;           /* when the poller has looked after the brokers last */
    atomic_int_fast64_t away_ns; /* since when none has answered; 0: they do */

    pthread_mutex_t lock; /* of the table */
    struct kafka_topic *topics;

    struct kafka_member *member;
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

/* ---- client.c ---------------------------------------------------------------------------------- */

/* A client from a configuration, which it takes over in any case; NULL: `error` says why. */
rd_kafka_t *kafka_client(struct kafka_log *log, rd_kafka_type_t type, rd_kafka_conf_t *conf,
                         struct error *error);
/*
 * "could not WHAT: REASON" with the reason and the class of a code. Returns the error's status.
 */
weir_status kafka_error(struct error *error, rd_kafka_resp_err_t code, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- admin.c ------------------------------------------------------------------------------------ */

/* The first offset of a partition, and the one behind its last. */
weir_status kafka_ask_range(struct kafka_log *log, const char *topic, int32_t partition,
                            int64_t *ret_low, int64_t *ret_high, struct error *error);

/* ---- health.c ----------------------------------------------------------------------------------- */

/* Looks whether the brokers answer, where one has been told to be away; by the member's poller. */
void kafka_health_look(struct kafka_log *log, rd_kafka_t *client);
/* WEIR_E_TIMEOUT, with asks_restart: they have been away for too long. Any thread. */
weir_status kafka_health_check(struct kafka_log *log, struct error *error);

/* ---- topics.c ---------------------------------------------------------------------------------- */

/* Asks the brokers for all topics. */
weir_status kafka_topics_load(struct kafka_log *log, struct error *error);
void kafka_topics_deinit(struct kafka_log *log);
/* Makes a topic as the plan says, or finds that another process was faster. */
weir_status kafka_topic_make(struct kafka_log *log, const char *name, uint32_t partitions,
                             const struct kafka_topic_plan *plan, struct kafka_topic **ret_topic,
                             struct error *error);
/* Another thread may not know of a topic that was just made: asks again. NULL: there is none. */
struct kafka_topic *kafka_topic_find(struct kafka_log *log, const char *name);

/* ---- the functions behind log.h ------------------------------------------------------------------ */

struct log_topic *kafka_log_find(struct log *log, const char *name);
weir_status kafka_log_create(struct log *log, const char *name, uint32_t partitions,
                             const struct log_models *models, struct log_topic **ret_topic,
                             struct error *error);
weir_status kafka_log_try(struct log *log, const char *name, uint32_t partitions,
                          const struct log_models *models, struct error *error);
weir_status kafka_log_group_look(struct log *log, const char *group, struct log_group *ret_group,
                                 struct error *error);
weir_status kafka_log_empty(struct log_topic *topic, struct error *error);
weir_status kafka_log_drop(struct log_topic *topic, struct error *error);
weir_status kafka_log_topic_options(struct log_topic *topic, struct log_topic_options *ret_options,
                                    struct error *error);
weir_status kafka_log_configure(struct log_topic *topic, const struct log_topic_options *options,
                                struct error *error);
weir_status kafka_log_topics(struct log *log, struct arena *arena, struct log_topic ***ret_topics,
                             size_t *ret_count, struct error *error);
weir_status kafka_log_partition_info(struct log_topic *topic, uint32_t partition,
                                     struct log_partition_info *ret_info, struct error *error);
weir_status kafka_log_offset_at(struct log_topic *topic, uint32_t partition, int64_t timestamp,
                                int64_t *ret_offset, struct error *error);
weir_status kafka_log_trim(struct log_topic *topic, uint32_t partition, int64_t before,
                           struct error *error);
weir_status kafka_log_readers(struct log_topic *topic, struct arena *arena,
                              struct log_reader **ret_readers, size_t *ret_count,
                              struct error *error);
uint64_t kafka_log_message_limit(struct log_topic *topic);
weir_status kafka_log_differences(struct log_topic *topic, struct arena *arena,
                                  const char **ret_text, struct error *error);
weir_status kafka_log_append(struct log_topic *topic, uint32_t partition,
                             const struct log_message *messages, uint32_t count,
                             struct error *error);
weir_status kafka_log_read(struct log_topic *topic, uint32_t partition, int64_t offset,
                           uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                           struct log_batch *ret_batch, struct error *error);
weir_status kafka_log_commit(struct log *log, const char *group, const struct log_epoch *epoch,
                             struct error *error);
weir_status kafka_log_rollback(struct log *log, struct error *error);
weir_status kafka_log_fact_get(struct log *log, const char *group, const char *key,
                               struct arena *arena, weir_slice *ret_value, struct error *error);
weir_status kafka_log_facts(struct log *log, const char *group, struct arena *arena,
                            struct log_fact **ret_facts, size_t *ret_count, struct error *error);
weir_status kafka_log_join(struct log *log, const struct log_membership *membership,
                           struct error *error);
weir_status kafka_log_next_change(struct log *log, struct arena *arena,
                                  struct log_change *ret_change, struct error *error);
weir_status kafka_log_change_done(struct log *log, const struct log_change *change,
                                  struct error *error);
weir_status kafka_log_confirm(struct log *log, struct error *error);
void kafka_log_leave(struct log *log, int64_t timeout_ms);

/* ---- reader_move.c ------------------------------------------------------------------------------- */

/* Groups that are before the offset go on at it. Refused where one of them has members. */
weir_status kafka_readers_move(struct log_topic *topic, uint32_t partition, int64_t offset,
                               struct error *error);

/* ---- produce.c ----------------------------------------------------------------------------------- */

/* Waits until everything that was handed over has an outcome, for so long. WEIR_E_TIMEOUT, retriable: not
 * yet. */
weir_status kafka_flush(struct kafka_log *log, int64_t timeout_ms, struct error *error);
/* Messages were handed over whose outcome is not known. */
bool kafka_has_outstanding(const struct kafka_log *log);
/* Delivery reports end here. */
void kafka_delivered(rd_kafka_t *rk, const rd_kafka_message_t *message, void *self);

/* ---- producer.c ---------------------------------------------------------------------------------- */

/* group: whose transactions it makes; NULL: none. */
weir_status kafka_producer_open(struct kafka_log *log, const char *group, struct error *error);
void kafka_producer_close(struct kafka_log *log);
/* Another one in place of one that the library has given up. Nobody produces. */
weir_status kafka_producer_renew(struct kafka_log *log, struct error *error);
size_t kafka_hash_names(const char *brokers, const char *group);

/* ---- transaction.c -------------------------------------------------------------------------------- */

/* The name of this process's transactions, in the log's arena. NULL: no memory. */
const char *kafka_transaction_name(struct kafka_log *log, const char *group);
/* Ends what a predecessor of the same name has left open. */
weir_status kafka_transactions_init(struct kafka_log *log, struct error *error);
/* The first in an epoch begins it; nothing where there are no transactions. WEIR_AGAIN: as log_commit. */
weir_status kafka_transaction_begin(struct kafka_log *log, struct error *error);
/* One turn of it; as log_commit. */
weir_status kafka_transaction_commit(struct kafka_log *log,
                                     const rd_kafka_topic_partition_list_t *positions,
                                     struct error *error);
weir_status kafka_transaction_abort(struct kafka_log *log, struct error *error);

/* ---- message.c ----------------------------------------------------------------------------------- */

/* A message of the library as one of the log; what it points to is the library's. False: no memory. */
bool kafka_message_read(rd_kafka_message_t *from, struct arena *arena, struct log_message *ret);

/* ---- member.c ------------------------------------------------------------------------------------ */

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
 * progress   facts; the owner of its topic's partition leads: it runs the sources
 * poller     the thread that keeps the membership alive and takes notices; nothing else
 * commits    answers to commits of offsets
 * behind     a partition that was read lately and has more to read; NULL: none
 */
struct kafka_member {
    struct kafka_log *log;
    rd_kafka_t *consumer;
    char *group;
    struct progress progress;
    bool is_written; /* the facts of the epoch under way are with the producer */
    bool leads;
    bool is_together;
    uint64_t partitions; /* of all topics that the group reads */
    pthread_t poller;
    bool has_poller;
    atomic_bool is_leaving;
    pthread_mutex_t lock;
    struct kafka_notice *notices;
    rd_kafka_queue_t *commits;
    bool is_committing; /* an answer is on its way */
    uint32_t tries;     /* to find the progress of what came */
    _Atomic(const struct kafka_partition *) behind;
};

weir_status kafka_member_create(struct kafka_log *log, const struct log_membership *membership,
                                struct error *error);
/* Returns within the time. False: the library did not, and the member must be left alone. */
bool kafka_member_destroy(struct kafka_member *member, int64_t timeout_ms);
/* The oldest notice that is not carried out; NULL: there is none. */
const struct kafka_notice *kafka_member_notice(struct kafka_member *member);
/* The oldest notice is of partitions that came, and a later one says that all is lost. */
bool kafka_member_is_late(struct kafka_member *member);
/* Carried out: forgets it. */
void kafka_member_pop(struct kafka_member *member);

/* Room for the defaults of fetching, and the texts in them. */
struct fetch_texts {
    struct kafka_default list[6];
    char kib[24];
    char messages[24];
    char fetch[24];
};

/* ---- purge.c -------------------------------------------------------------------------------------- */

/* It is a topic between parts of a pipeline, by its name. */
bool kafka_is_between(const char *topic);
/* From time to time: removes what is processed from such topics. By the thread that supervises. */
void kafka_purge(struct kafka_log *log, int64_t now_ms);

/* ---- fetch.c ------------------------------------------------------------------------------------- */

enum { FETCH_WAKE_MS = 10 };

/* How much is fetched ahead, for every consumer. */
const struct kafka_default *kafka_fetch_defaults(uint64_t budget, uint64_t partitions,
                                                 struct fetch_texts *texts);
/* A worker has taken as much of a partition as it wanted. */
void kafka_fetch_note(const struct kafka_partition *part);
/* For the poller: true where it is to be called again after FETCH_WAKE_MS. */
bool kafka_fetch_wake(struct kafka_member *member);

/* ---- browse.c ------------------------------------------------------------------------------------ */

/* Reads a partition outside of any group; everything is copied into the arena. */
weir_status kafka_browse(struct kafka_log *log, struct kafka_topic *topic, uint32_t partition,
                         int64_t offset, uint32_t max_count, uint64_t max_bytes,
                         struct arena *arena, struct log_batch *ret_batch, struct error *error);
void kafka_browser_destroy(struct kafka_browser *browser);

#endif
