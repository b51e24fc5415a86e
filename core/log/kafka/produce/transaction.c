/* SPDX-License-Identifier: MIT */
#include "log/kafka/produce/transaction.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/hashmap.h"
#include "base/logger.h"
#include "log/kafka/client/client.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/producer.h"
#include "log/kafka/produce/sending.h"

enum { TURN_MS = 500, MOST_SLOTS = 1000, ABORT_MS = 5000 };

/* ---- names --------------------------------------------------------------------------------------- */

static size_t hash_names(const char *brokers, const char *group)
{
    return (size_t)hash_bytes(group, strlen(group), hash_bytes(brokers, strlen(brokers), 0));
}

/*
 * A process that starts again after a crash should bear the name of before, since then the broker ends the
 * transaction that it has left open at once, and readers do not wait for it. Two at a time must not share
 * one: each holds the lowest number of its machine that is free, as a socket in the abstract namespace,
 * which the kernel frees when the process ends however it ends. -1: it could not be told.
 */
static int hold_slot(struct kafka_log *log, const char *group)
{
    for (int slot = 0; slot < MOST_SLOTS; slot++) {
        struct sockaddr_un address = { .sun_family = AF_UNIX };
        int length = snprintf(address.sun_path + 1, sizeof address.sun_path - 1, "weir/%zx/%d",
                              hash_names(log->brokers, group), slot);
        socklen_t size = (socklen_t)(offsetof(struct sockaddr_un, sun_path) + 1 + (size_t)length);
        int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
        if (fd < 0) {
            return -1;
        }
        if (bind(fd, (struct sockaddr *)(void *)&address, size) == 0) {
            log->slot_fd = fd;
            return slot;
        }
        close(fd);
    }
    return -1;
}

/* The name of the group's static member, where the file gives it one. */
static const char *instance_of(const struct kafka_settings *settings)
{
    const struct kafka_property *instance = kafka_property_get(settings, "group.instance.id");
    return instance != NULL ? instance->value : NULL;
}

const char *kafka_transaction_name(struct kafka_log *log, const char *group)
{
    const char *instance = instance_of(log->settings);
    char host[256] = "";
    if (instance != NULL) {
        return arena_printf(&log->arena, "%s.%s", group, instance);
    }
    (void)gethostname(host, sizeof host - 1);
    int slot = hold_slot(log, group);
    if (slot < 0) {
        return arena_printf(&log->arena, "%s.%s.pid%d", group, host, (int)getpid());
    }
    return arena_printf(&log->arena, "%s.%s.%d", group, host, slot);
}

/*
 * Two processes of one name would take it from each other again and again, as on two machines that have the
 * same name. The broker tells them apart by the group, so the name need not stay.
 */
bool kafka_transaction_rename(struct kafka_log *log)
{
    const char *name = log->transaction_name;
    log->transaction_name = arena_printf(&log->arena, "%.*s~%llx.%d", (int)strcspn(name, "~"), name,
                                         (unsigned long long)clock_wall_ms(), (int)getpid());
    if (log->transaction_name == NULL) {
        return false;
    }
    logger_write(LOGGER_WARNING, "kafka",
                 "another process bears the name '%s' in its transactions, perhaps on a machine "
                 "that has the "
                 "name of this one; goes on as '%s'",
                 name, log->transaction_name);
    return true;
}

/* ---- what an error means --------------------------------------------------------------------------- */

/* Frees the fault. WEIR_AGAIN: the epoch is doomed. What is not allowed would not be the next time either. */
static weir_status judge(struct kafka_log *log, rd_kafka_error_t *fault, const char *what,
                         struct error *error)
{
    if (fault == NULL) {
        return WEIR_OK;
    }
    weir_status st = kafka_error(error, rd_kafka_error_code(fault), "%s", what);
    bool is_fatal = rd_kafka_error_is_fatal(fault) != 0;
    if (is_fatal) {
        atomic_store(&log->is_broken, true);
    }
    if (rd_kafka_error_is_retriable(fault)) {
        error->is_retriable = true;
    } else if (error->error_class != WEIR_CLASS_AUTH &&
               (is_fatal || rd_kafka_error_txn_requires_abort(fault))) {
        logger_write(LOGGER_WARNING, "kafka", "%s", error->message);
        st = WEIR_AGAIN;
    }
    rd_kafka_error_destroy(fault);
    return st;
}

/* ---- steps --------------------------------------------------------------------------------------- */

/* Outside of a group nobody judges how long the brokers may stay away. */
weir_status kafka_transactions_init(struct kafka_log *log, struct error *error)
{
    int64_t end_ns = log->claim.name == NULL
                         ? INT64_MAX
                         : clock_monotonic_ns() + kafka_timeout(log) * INT64_C(1000000);
    weir_status st;
    do {
        error->is_retriable = false;
        st = judge(log, rd_kafka_init_transactions(log->producer, TURN_MS), "begin transactions",
                   error);
    } while (st != WEIR_OK && error->is_retriable && kafka_goes_on(log) &&
             clock_monotonic_ns() < end_ns);
    return st == WEIR_AGAIN ? error->status : st;
}

weir_status kafka_transaction_begin(struct kafka_log *log, struct error *error)
{
    weir_status st = WEIR_OK;
    pthread_mutex_lock(&log->lock);
    if (log->is_transactional && !log->is_in_transaction) {
        st = judge(log, rd_kafka_begin_transaction(log->producer), "begin a transaction", error);
        log->is_in_transaction = st == WEIR_OK;
    }
    pthread_mutex_unlock(&log->lock);
    return st;
}

/* The library tells why it takes nothing more when it is asked to begin another one. */
weir_status kafka_transaction_refusal(struct kafka_log *log, struct error *error)
{
    weir_status st = judge(log, rd_kafka_begin_transaction(log->producer), "produce", error);
    return st != WEIR_OK && error->error_class == WEIR_CLASS_AUTH ? st : WEIR_AGAIN;
}

weir_status kafka_transaction_send(struct kafka_log *log, rd_kafka_consumer_group_metadata_t *group,
                                   const rd_kafka_topic_partition_list_t *positions,
                                   struct error *error)
{
    rd_kafka_error_t *fault = NULL;
    weir_status st = kafka_sending_turn(log, group, positions, &fault, error);
    log->end = log->sending != NULL ? KAFKA_END_SENDING : KAFKA_END_OPEN;
    if (st == WEIR_OK) {
        st = judge(log, fault, "send positions into the transaction", error);
        log->are_positions_sent = st == WEIR_OK;
    }
    return st;
}

weir_status kafka_transaction_commit(struct kafka_log *log, struct error *error)
{
    weir_status st = kafka_transaction_begin(log, error);
    if (st != WEIR_OK) {
        return st;
    }
    log->end = KAFKA_END_ASKED;
    st = judge(log, rd_kafka_commit_transaction(log->producer, TURN_MS), "commit the transaction",
               error);
    if (st == WEIR_OK) {
        log->is_in_transaction = false;
        log->are_positions_sent = false;
        log->end = KAFKA_END_OPEN;
    } else if (st == WEIR_AGAIN) {
        log->end = KAFKA_END_IN_DOUBT;
    }
    return st;
}

weir_status kafka_transaction_abort(struct kafka_log *log, struct error *error)
{
    weir_status st = WEIR_OK;
    if (log->is_in_transaction && !atomic_load(&log->is_broken)) {
        do {
            error->is_retriable = false;
            st = judge(log, rd_kafka_abort_transaction(log->producer, ABORT_MS),
                       "abort the transaction", error);
        } while (st != WEIR_OK && error->is_retriable && kafka_goes_on(log));
    }
    log->is_in_transaction = false;
    log->are_positions_sent = false;
    /* A producer that cannot even abort is of no use either. */
    return atomic_load(&log->is_broken) || st == WEIR_AGAIN ? kafka_producer_renew(log, error) : st;
}
