/* SPDX-License-Identifier: MIT */
#include "log/kafka/produce/sending.h"

#include <pthread.h>

#include "base/clock.h"
#include "base/memory.h"
#include "log/kafka/kafka_log.h"

/*
 * POSITIONS_MS  for all tries of the library, which waits half a second between two: where the time is over the
 *               transaction is lost, and a coordinator that has just begun needs more than one
 */
enum { TURN_MS = 500, POSITIONS_MS = 5000, END_MS = 1000 };

struct kafka_sending {
    rd_kafka_t *producer;
    rd_kafka_consumer_group_metadata_t *group;
    rd_kafka_topic_partition_list_t *positions;
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t came_back;
    bool is_back;
    rd_kafka_error_t *fault;
};

static void *send_main(void *argument)
{
    struct kafka_sending *sending = argument;
    rd_kafka_error_t *fault = rd_kafka_send_offsets_to_transaction(
        sending->producer, sending->positions, sending->group, POSITIONS_MS);
    pthread_mutex_lock(&sending->lock);
    sending->fault = fault;
    sending->is_back = true;
    pthread_cond_signal(&sending->came_back);
    pthread_mutex_unlock(&sending->lock);
    return NULL;
}

static void destroy_group(rd_kafka_consumer_group_metadata_t *group)
{
    if (group != NULL) {
        rd_kafka_consumer_group_metadata_destroy(group);
    }
}

static void destroy(struct kafka_sending *sending)
{
    destroy_group(sending->group);
    rd_kafka_topic_partition_list_destroy(sending->positions);
    pthread_cond_destroy(&sending->came_back);
    pthread_mutex_destroy(&sending->lock);
    memory_free(sending);
}

/* Takes the group over. */
static weir_status begin(struct kafka_log *log, rd_kafka_consumer_group_metadata_t *group,
                         const rd_kafka_topic_partition_list_t *positions, struct error *error)
{
    struct kafka_sending *sending = memory_zeroed(1, sizeof *sending);
    if (sending == NULL) {
        destroy_group(group);
        return error_no_memory(error);
    }
    sending->producer = log->producer;
    sending->group = group;
    sending->positions = rd_kafka_topic_partition_list_copy(positions);
    pthread_mutex_init(&sending->lock, NULL);
    clock_condition_init(&sending->came_back);
    if (pthread_create(&sending->thread, NULL, send_main, sending) != 0) {
        destroy(sending);
        return error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE,
                         "could not start a thread that sends positions to Kafka");
    }
    log->sending = sending;
    return WEIR_OK;
}

static bool wait(struct kafka_sending *sending, int64_t time_ms)
{
    struct timespec deadline = clock_deadline(time_ms);
    bool is_in_time = true;
    pthread_mutex_lock(&sending->lock);
    while (!sending->is_back && is_in_time) {
        is_in_time = pthread_cond_timedwait(&sending->came_back, &sending->lock, &deadline) == 0;
    }
    bool is_back = sending->is_back;
    pthread_mutex_unlock(&sending->lock);
    return is_back;
}

static rd_kafka_error_t *finish(struct kafka_log *log)
{
    struct kafka_sending *sending = log->sending;
    (void)pthread_join(sending->thread, NULL);
    rd_kafka_error_t *fault = sending->fault;
    log->sending = NULL;
    destroy(sending);
    return fault;
}

weir_status kafka_sending_turn(struct kafka_log *log, rd_kafka_consumer_group_metadata_t *group,
                               const rd_kafka_topic_partition_list_t *positions,
                               rd_kafka_error_t **ret_fault, struct error *error)
{
    weir_status st = log->sending == NULL ? begin(log, group, positions, error) : WEIR_OK;
    if (st != WEIR_OK) {
        return st;
    }
    if (!wait(log->sending, TURN_MS)) {
        error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                  "Kafka has not yet taken positions into the transaction");
        error->is_retriable = true;
        return WEIR_E_TIMEOUT;
    }
    *ret_fault = finish(log);
    return WEIR_OK;
}

bool kafka_sending_end(struct kafka_log *log)
{
    if (log->sending == NULL) {
        return true;
    }
    if (!wait(log->sending, END_MS)) {
        return false;
    }
    rd_kafka_error_destroy(finish(log));
    return true;
}
