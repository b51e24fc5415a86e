/* SPDX-License-Identifier: MIT */
#include "log/kafka/consume/consume.h"

#include "base/logger.h"
#include "log/kafka/client/client.h"
#include "log/kafka/consume/browse.h"
#include "log/kafka/consume/fetch.h"
#include "log/kafka/consume/message.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/produce.h"
#include "log/kafka/topics/topics.h"

/* Messages that a batch has borrowed from the library. In the batch's arena. */
struct borrowed {
    rd_kafka_message_t **messages;
    size_t count;
};

static void give_back(void *self)
{
    struct borrowed *borrowed = self;
    for (size_t i = 0; i < borrowed->count; i++) {
        rd_kafka_message_destroy(borrowed->messages[i]);
    }
}

/* The broker has none at the offset that was to come next; older libraries pass its answer on. */
static bool is_gone(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET ||
           code == RD_KAFKA_RESP_ERR_OFFSET_OUT_OF_RANGE;
}

/* The broker could not answer, and the library asks again; what it passes over itself never comes here. */
static bool may_pass(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_REQUEST_TIMED_OUT || code == RD_KAFKA_RESP_ERR_UNKNOWN ||
           code == RD_KAFKA_RESP_ERR_NETWORK_EXCEPTION ||
           code == RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE ||
           code == RD_KAFKA_RESP_ERR_UNKNOWN_LEADER_EPOCH;
}

/* Once, until a message comes. */
static void tell_passing(struct kafka_partition *part, const rd_kafka_message_t *message)
{
    if (atomic_exchange(&part->trouble, (int)message->err) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        logger_write(LOGGER_WARNING, "kafka",
                     "could not read topic '%s' partition %u at offset %lld: %s; tried again",
                     part->topic->face.name, part->number, (long long)part->next,
                     rd_kafka_message_errstr(message));
    }
}

/* What the queue says beside messages. */
static weir_status take_event(struct kafka_partition *part, const rd_kafka_message_t *message,
                              struct error *error)
{
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        part->next = message->offset;
        part->is_at_end = true;
        return WEIR_OK;
    }
    if (is_gone(message->err)) {
        part->is_at_end = false;
        atomic_store(&part->is_in_gap, true);
        atomic_store(&kafka_of(part->topic->face.log)->has_gaps, true);
        return WEIR_OK;
    }
    if (may_pass(message->err)) {
        tell_passing(part, message);
        return WEIR_OK;
    }
    (void)kafka_error(error, message->err, "read topic '%s'", part->topic->face.name);
    return error_set(error, error->status, error->error_class,
                     "could not read topic '%s' partition %u at offset %lld: %s",
                     part->topic->face.name, part->number, (long long)part->next,
                     rd_kafka_message_errstr(message));
}

/*
 * A partition that comes back may still have messages in its queue from the time before: the library drops
 * them only when its own thread has begun to fetch anew.
 */
static bool is_stale(const struct kafka_partition *part, const rd_kafka_message_t *message)
{
    bool has_place = message->err == RD_KAFKA_RESP_ERR_NO_ERROR ||
                     message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF;
    return has_place && message->offset < part->next;
}

/*
 * Messages stay in `borrowed`, events go. Behind a gap nothing counts: from its discovery until the partition is
 * moved its position stays, so that the one who moves it never takes it back over what was read meanwhile.
 */
static weir_status sort_out(struct kafka_partition *part, rd_kafka_message_t **taken, size_t count,
                            struct borrowed *borrowed, struct arena *arena, struct log_batch *batch,
                            struct error *error)
{
    weir_status st = WEIR_OK;
    for (size_t i = 0; i < count; i++) {
        rd_kafka_message_t *message = taken[i];
        if (is_stale(part, message) || atomic_load(&part->is_in_gap)) {
            rd_kafka_message_destroy(message);
            continue;
        }
        if (message->err == RD_KAFKA_RESP_ERR_NO_ERROR) {
            part->next = message->offset + 1;
            part->is_at_end = false;
            borrowed->messages[borrowed->count++] = message;
            if (!kafka_message_read(message, arena, &batch->messages[batch->count++])) {
                st = error_no_memory(error);
            }
            continue;
        }
        if (st == WEIR_OK) {
            st = take_event(part, message, error);
        }
        rd_kafka_message_destroy(message);
    }
    return st;
}

/* What this process has produced to the very partition, and what is not here yet; and what is doomed is
 * read again. */
static bool is_more_coming(const struct kafka_partition *part)
{
    struct kafka_log *log = kafka_of(part->topic->face.log);
    if (log->producer != NULL) {
        (void)rd_kafka_poll(log->producer, 0);
    }
    return atomic_load(&log->is_doomed) || atomic_load(&part->outstanding) > 0 ||
           part->next < atomic_load(&part->produced);
}

static weir_status consume(struct kafka_partition *part, uint32_t max_count, struct arena *arena,
                           struct log_batch *batch, size_t *ret_taken, struct error *error)
{
    struct borrowed *borrowed = arena_zeroed(arena, sizeof *borrowed);
    rd_kafka_message_t **taken = arena_alloc(arena, max_count * sizeof(rd_kafka_message_t *));
    batch->messages = arena_alloc(arena, max_count * sizeof *batch->messages);
    if (borrowed == NULL || taken == NULL || batch->messages == NULL) {
        return error_no_memory(error);
    }
    ssize_t count = rd_kafka_consume_batch_queue(part->queue, 0, taken, max_count);
    if (count < 0) {
        return kafka_error(error, rd_kafka_last_error(), "read topic '%s' partition %u",
                           part->topic->face.name, part->number);
    }
    *ret_taken = (size_t)count;
    borrowed->messages = taken; /* those that stay move to its front */
    weir_status st = sort_out(part, taken, (size_t)count, borrowed, arena, batch, error);
    if (borrowed->count > 0) {
        batch->lease = (struct log_lease){ give_back, borrowed };
    }
    if (st != WEIR_OK && batch->lease.release != NULL) {
        give_back(borrowed);
        batch->lease = (struct log_lease){ NULL, NULL };
    }
    batch->next = part->next;
    if (batch->count > 0) {
        atomic_store_explicit(&part->trouble, RD_KAFKA_RESP_ERR_NO_ERROR, memory_order_relaxed);
    }
    atomic_store_explicit(&part->seen, part->next, memory_order_relaxed);
    batch->is_at_end = part->is_at_end && !is_more_coming(part);
    return st;
}

/* How many messages make about so many bytes, by the size of those before. */
static uint32_t count_for(const struct kafka_partition *part, uint32_t max_count,
                          uint64_t max_bytes)
{
    uint64_t count = part->mean_bytes == 0 ? max_count : max_bytes / part->mean_bytes + 1;
    return count < max_count ? (uint32_t)count : max_count;
}

static void note_size(struct kafka_partition *part, const struct log_batch *batch)
{
    uint64_t bytes = 0;
    for (uint32_t i = 0; i < batch->count; i++) {
        uint64_t size = batch->messages[i].value.size;
        bytes += size == LOG_ABSENT ? 0 : size;
    }
    if (batch->count > 0) {
        part->mean_bytes = bytes / batch->count;
    }
}

weir_status kafka_log_read(struct log_topic *face, uint32_t partition, int64_t offset,
                           uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                           struct log_batch *ret_batch, struct error *error)
{
    struct kafka_topic *topic = kafka_topic_of(face);
    struct kafka_partition *part = &topic->parts[partition];
    if (!part->is_assigned) {
        return kafka_browse(kafka_of(face->log), topic, partition, kafka_place(offset), max_count,
                            max_bytes, arena, ret_batch, error);
    }
    *ret_batch = (struct log_batch){ .next = part->next };
    uint32_t wanted = count_for(part, max_count, max_bytes);
    size_t taken = 0;
    weir_status st;
    do { /* while there is something, and nothing of it counts: nobody would be told of the rest */
        st = consume(part, wanted, arena, ret_batch, &taken, error);
    } while (st == WEIR_OK && taken > 0 && ret_batch->count == 0);
    note_size(part, ret_batch);
    if (ret_batch->count == wanted) {
        kafka_fetch_note(part);
    }
    return st;
}
