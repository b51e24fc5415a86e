/* SPDX-License-Identifier: MIT */
#include "log/kafka/produce/refusals.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/logger.h"
#include "base/memory.h"
#include "log/kafka/client/client.h"
#include "log/kafka/produce/message_hash.h"

/*
 * PARTS       that what was refused together is sent in
 * MOST_TRIES  of an epoch without progress
 * SOON_MS     an epoch that is lost so long after another one was lost by time, as where brokers are away, which
 *             has a limit of its own
 */
enum { PARTS = 16, MOST_TRIES = 20, FIRST_ROOM = 64, SOON_MS = 30000 };
enum { FIRST_REST_MS = 10, MOST_REST_MS = 1000 }; /* doubles */

void kafka_refusals_init(struct kafka_refusals *refusals)
{
    *refusals = (struct kafka_refusals){ .list = NULL, .most_rest_ms = MOST_REST_MS };
    pthread_mutex_init(&refusals->lock, NULL);
}

void kafka_refusals_deinit(struct kafka_refusals *refusals)
{
    pthread_mutex_destroy(&refusals->lock);
    memory_free(refusals->list);
}

/* ---- noting ---------------------------------------------------------------------------------------- */

weir_status kafka_refusals_tell(const rd_kafka_message_t *message, rd_kafka_resp_err_t code,
                                struct error *error)
{
    weir_status st =
        kafka_error(error, code, "deliver a message of %zu bytes to topic '%s' partition %d",
                    message->len, rd_kafka_topic_name(message->rkt), (int)message->partition);
    return kafka_error_if_gone(error, st);
}

/* Without memory the epoch is done again all the same, and given up if that does not help. */
static void add(struct kafka_refusals *refusals, const rd_kafka_message_t *message)
{
    if (refusals->count == refusals->capacity) {
        size_t capacity = refusals->capacity == 0 ? FIRST_ROOM : 2 * refusals->capacity;
        struct kafka_refusal *list = memory_resize(refusals->list, capacity * sizeof *list);
        if (list == NULL) {
            return;
        }
        refusals->list = list;
        refusals->capacity = capacity;
    }
    refusals->list[refusals->count++] =
        (struct kafka_refusal){ kafka_hash_report(message), 0, message->err };
}

void kafka_refusals_note(struct kafka_refusals *refusals, const rd_kafka_message_t *message)
{
    pthread_mutex_lock(&refusals->lock);
    (void)kafka_refusals_tell(message, message->err, &refusals->last);
    add(refusals, message);
    pthread_mutex_unlock(&refusals->lock);
}

void kafka_refusals_note_passing(struct kafka_refusals *refusals, const rd_kafka_message_t *message)
{
    pthread_mutex_lock(&refusals->lock);
    (void)kafka_refusals_tell(message, message->err, &refusals->last);
    refusals->is_passing = true;
    pthread_mutex_unlock(&refusals->lock);
}

void kafka_refusals_note_loss(struct kafka_refusals *refusals, const struct error *why)
{
    pthread_mutex_lock(&refusals->lock);
    bool is_told = refusals->count > refusals->settled || refusals->is_passing;
    if (!is_told && !refusals->is_lost) {
        refusals->last = *why;
    }
    refusals->is_lost = true;
    pthread_mutex_unlock(&refusals->lock);
}

/* ---- settling -------------------------------------------------------------------------------------- */

static int by_hash(const void *a, const void *b)
{
    uint64_t left = ((const struct kafka_refusal *)a)->hash;
    uint64_t right = ((const struct kafka_refusal *)b)->hash;
    return left < right ? -1 : left > right;
}

/* Of several entries for one message the one that allows least stays. */
static void merge(struct kafka_refusals *refusals)
{
    size_t kept = 0;
    if (refusals->count > 0) { /* without any there is no list */
        qsort(refusals->list, refusals->count, sizeof *refusals->list, by_hash);
    }
    for (size_t i = 0; i < refusals->count; i++) {
        struct kafka_refusal *entry = &refusals->list[i];
        if (kept > 0 && refusals->list[kept - 1].hash == entry->hash) {
            struct kafka_refusal *first = &refusals->list[kept - 1];
            *first = entry->room < first->room ? *entry : *first;
        } else {
            refusals->list[kept++] = *entry;
        }
    }
    refusals->count = kept;
    refusals->settled = kept;
}

static const struct kafka_refusal *find(const struct kafka_refusals *refusals, uint64_t hash)
{
    struct kafka_refusal wanted = { .hash = hash };
    return refusals->settled == 0 ? NULL
                                  : bsearch(&wanted, refusals->list, refusals->settled,
                                            sizeof *refusals->list, by_hash);
}

/* Of what was refused since the last settling. True: it is one that was alone, and it was not known. */
static bool set_rooms(struct kafka_refusals *refusals)
{
    size_t fresh = refusals->count - refusals->settled;
    size_t room = (fresh + PARTS - 1) / PARTS;
    struct kafka_refusal *first = refusals->list + refusals->settled;
    for (size_t i = 0; i < fresh; i++) {
        first[i].room = (uint32_t)room;
    }
    if (fresh != 1 || refusals->alone == 0 || first->hash != refusals->alone_as_suspect) {
        return false;
    }
    first->hash = refusals->alone;
    first->room = 0;
    return find(refusals, first->hash) == NULL;
}

static bool give_up(const struct kafka_refusals *refusals, struct error *error)
{
    *error = refusals->last;
    size_t length = strlen(error->message);
    snprintf(error->message + length, sizeof error->message - length,
             "; given up after %u attempts", refusals->tries);
    error->is_retriable = false;
    return false;
}

static int64_t rest_ms(const struct kafka_refusals *refusals)
{
    int64_t time_ms = FIRST_REST_MS;
    for (uint32_t i = 1; i < refusals->tries && time_ms < refusals->most_rest_ms; i++) {
        time_ms *= 2;
    }
    return time_ms < refusals->most_rest_ms ? time_ms : refusals->most_rest_ms;
}

/* What is refused gets smaller at once; the rest may pass with time. */
static int64_t count_refused(struct kafka_refusals *refusals)
{
    bool has_fresh = refusals->count > refusals->settled;
    logger_write(LOGGER_WARNING, "kafka", "%s", refusals->last.message);
    refusals->tries = set_rooms(refusals) ? 0 : refusals->tries + 1;
    return has_fresh ? 0 : rest_ms(refusals);
}

static int64_t count_lost(struct kafka_refusals *refusals)
{
    int64_t now_ns = clock_monotonic_ns();
    bool is_soon = now_ns - refusals->lost_ns < SOON_MS * INT64_C(1000000);
    refusals->tries = is_soon ? refusals->tries + 1 : 1;
    refusals->lost_ns = now_ns;
    refusals->last.asks_restart = refusals->last.error_class == WEIR_CLASS_NETWORK;
    return rest_ms(refusals);
}

bool kafka_refusals_settle(struct kafka_refusals *refusals, int64_t *ret_rest_ms,
                           struct error *error)
{
    bool is_right = true;
    *ret_rest_ms = 0;
    pthread_mutex_lock(&refusals->lock);
    bool is_refused = refusals->count > refusals->settled || refusals->is_passing;
    if (is_refused || refusals->is_lost) {
        *ret_rest_ms = is_refused ? count_refused(refusals) : count_lost(refusals);
        is_right = refusals->tries < MOST_TRIES || give_up(refusals, error);
    }
    refusals->is_passing = false;
    refusals->is_lost = false;
    refusals->together = 0;
    refusals->alone = 0;
    merge(refusals);
    atomic_store(&refusals->has_any, refusals->count > 0);
    pthread_mutex_unlock(&refusals->lock);
    return is_right;
}

void kafka_refusals_clear(struct kafka_refusals *refusals, bool has_moved)
{
    pthread_mutex_lock(&refusals->lock);
    refusals->count = 0;
    refusals->settled = 0;
    refusals->tries = has_moved ? 0 : refusals->tries;
    refusals->together = 0;
    refusals->alone = 0;
    atomic_store(&refusals->has_any, false);
    pthread_mutex_unlock(&refusals->lock);
}

/* ---- before a message is handed over ------------------------------------------------------------------ */

bool kafka_refusals_part(struct kafka_refusals *refusals, const struct log_topic *topic,
                         uint32_t partition, const struct log_message *message,
                         struct kafka_suspect *ret_suspect)
{
    uint64_t hash = kafka_hash_message(topic, partition, message);
    *ret_suspect =
        (struct kafka_suspect){ .hash = hash, .alone = kafka_hash_time(hash, message->timestamp) };
    pthread_mutex_lock(&refusals->lock);
    const struct kafka_refusal *found = find(refusals, hash);
    uint32_t before = refusals->together;
    bool goes_with = found == NULL ? before == 0 : before > 0 && before < found->room;
    ret_suspect->place = found == NULL ? 0 : goes_with ? before + 1 : 1;
    pthread_mutex_unlock(&refusals->lock);
    return !goes_with;
}

void kafka_refusals_enter(struct kafka_refusals *refusals, const struct kafka_suspect *suspect)
{
    pthread_mutex_lock(&refusals->lock);
    refusals->together = suspect->place;
    refusals->alone = suspect->place == 1 ? suspect->alone : 0;
    refusals->alone_as_suspect = suspect->hash;
    pthread_mutex_unlock(&refusals->lock);
}

const char *kafka_refusals_find(struct kafka_refusals *refusals, const struct log_topic *topic,
                                uint32_t partition, const struct log_message *message)
{
    uint64_t hash =
        kafka_hash_time(kafka_hash_message(topic, partition, message), message->timestamp);
    pthread_mutex_lock(&refusals->lock);
    const struct kafka_refusal *found = find(refusals, hash);
    bool is_refused = found != NULL && found->room == 0;
    rd_kafka_resp_err_t code = is_refused ? found->code : RD_KAFKA_RESP_ERR_NO_ERROR;
    pthread_mutex_unlock(&refusals->lock);
    return is_refused ? rd_kafka_err2str(code) : NULL;
}
