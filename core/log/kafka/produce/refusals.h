/* SPDX-License-Identifier: MIT */
/*
 * Messages that the broker has refused for what they are. It refuses a batch and does not say for which of
 * its messages, and a transaction is lost with it; so the epoch is dropped and done again, and what was
 * refused together is sent in smaller parts each time, until one is refused alone. That one is known from
 * then on, and the record behind it meets its on_error before it is handed over.
 *
 * A message is known by a hash of its place and of what is in it: what is the same is refused again. The
 * library does not give its time back, so a suspect is known without, and by its time only when it was alone.
 */
#ifndef LOG_KAFKA_REFUSALS_H
#define LOG_KAFKA_REFUSALS_H

#include <pthread.h>
#include <stdatomic.h>

#include <librdkafka/rdkafka.h>

#include "log/log.h"

/*
 * hash  of a suspect without its time, of one that was refused alone with it
 * room  how many suspects may be sent together; 0: it was refused alone
 */
struct kafka_refusal {
    uint64_t hash;
    uint32_t room;
    rd_kafka_resp_err_t code;
};

/*
 * list        by hash, as far as it is settled; behind that what the epoch under way has brought
 * has_any     some are settled
 * together    suspects that were handed over together last
 * alone, alone_as_suspect
 *             the hashes of the only one of them; 0: there is none
 * tries       of the epoch, in a row and without anything new; it is given up at some time
 * is_passing  an answer of the broker that says nothing of the messages has spoiled the epoch
 * is_lost     the epoch cannot be finished for a reason that no message has
 * lost_ns     when one was settled that was
 * most_rest_ms  before a further attempt
 * last        of them, for people
 */
struct kafka_refusals {
    pthread_mutex_t lock;
    struct kafka_refusal *list;
    size_t count;
    size_t settled;
    size_t capacity;
    atomic_bool has_any;
    uint32_t together;
    uint64_t alone;
    uint64_t alone_as_suspect;
    uint32_t tries;
    bool is_passing;
    bool is_lost;
    int64_t lost_ns;
    int64_t most_rest_ms;
    struct error last;
};

void kafka_refusals_init(struct kafka_refusals *refusals);
void kafka_refusals_deinit(struct kafka_refusals *refusals);

/* A delivery report of one that the broker has refused for what it is. Any thread. */
void kafka_refusals_note(struct kafka_refusals *refusals, const rd_kafka_message_t *message);
/* ... or for a reason that may pass. */
void kafka_refusals_note_passing(struct kafka_refusals *refusals,
                                 const rd_kafka_message_t *message);
/* The epoch cannot be finished. What was said of a message tells more. Any thread. */
void kafka_refusals_note_loss(struct kafka_refusals *refusals, const struct error *why);
/*
 * The epoch was dropped. False: it was tried often enough; `error` says with what.
 *
 * ret_rest_ms  before it is done again, so that what passes has time to
 */
bool kafka_refusals_settle(struct kafka_refusals *refusals, int64_t *ret_rest_ms,
                           struct error *error);
/*
 * The epoch is committed: nothing of it comes again.
 *
 * has_moved  it held something, which is progress
 */
void kafka_refusals_clear(struct kafka_refusals *refusals, bool has_moved);

/*
 * A message that is to be handed over.
 *
 * hash    without its time
 * alone   with it
 * place   which one of those that go together; 0: it is no suspect
 */
struct kafka_suspect {
    uint64_t hash;
    uint64_t alone;
    uint32_t place;
};

/* True: what was handed over before must have an outcome first. Any thread. */
bool kafka_refusals_part(struct kafka_refusals *refusals, const struct log_topic *topic,
                         uint32_t partition, const struct log_message *message,
                         struct kafka_suspect *ret_suspect);
/* It is handed over now. */
void kafka_refusals_enter(struct kafka_refusals *refusals, const struct kafka_suspect *suspect);
/* Why a message was refused alone; NULL: it was not. Any thread. */
const char *kafka_refusals_find(struct kafka_refusals *refusals, const struct log_topic *topic,
                                uint32_t partition, const struct log_message *message);
/* "could not deliver a message of 12 bytes to topic 'out' partition 0: WHY" */
weir_status kafka_refusals_tell(const rd_kafka_message_t *message, rd_kafka_resp_err_t code,
                                struct error *error);

#endif
