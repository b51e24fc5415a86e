/* SPDX-License-Identifier: MIT */
/*
 * Opens and closes a log on Kafka, and knows which function stands behind each of log.h.
 */
#include "log/kafka/kafka_log.h"

#include "base/memory.h"
#include "kafka/address.h"
#include "log/kafka/client/client.h"
#include "log/kafka/commit/commit.h"
#include "log/kafka/commit/confirm.h"
#include "log/kafka/commit/rollback.h"
#include "log/kafka/consume/browse.h"
#include "log/kafka/consume/consume.h"
#include "log/kafka/group/assignment.h"
#include "log/kafka/group/group.h"
#include "log/kafka/group/stall.h"
#include "log/kafka/outside/claim.h"
#include "log/kafka/outside/lacks.h"
#include "log/kafka/outside/look.h"
#include "log/kafka/outside/outside.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/produce.h"
#include "log/kafka/produce/producer.h"
#include "log/kafka/produce/sending.h"
#include "log/kafka/topics/admin.h"
#include "log/kafka/topics/configs.h"
#include "log/kafka/topics/offsets.h"
#include "log/kafka/topics/purge.h"
#include "log/kafka/topics/readers.h"
#include "log/kafka/topics/topics.h"

enum { LEAVE_MS = 5000, FETCH_BYTES = 64 << 20 };

/* ---- waking readers ------------------------------------------------------------------------------ */

void kafka_wake(struct kafka_log *log, const struct kafka_partition *part)
{
    pthread_mutex_lock(&log->waking);
    if (log->wake != NULL) {
        log->wake(log->wake_self, &part->topic->face, part->number);
    }
    pthread_mutex_unlock(&log->waking);
}

static void on_append(struct log *face, log_wake *wake, void *self)
{
    struct kafka_log *log = kafka_of(face);
    pthread_mutex_lock(&log->waking);
    log->wake = wake;
    log->wake_self = self;
    pthread_mutex_unlock(&log->waking);
}

/* ---- what needs nothing here --------------------------------------------------------------------- */

/* What is appended is the library's, and no early commit would free it. */
static uint64_t pending_bytes(struct log *face)
{
    (void)face;
    return 0;
}

/* Retention and compaction are the brokers' work, but for topics of the pipeline's own. */
static weir_status tidy(struct log *face, int64_t now_ms, int64_t budget_ms, bool *ret_is_done,
                        struct error *error)
{
    (void)budget_ms;
    (void)error;
    kafka_purge(kafka_of(face), now_ms);
    *ret_is_done = true;
    return WEIR_OK;
}

static weir_status refresh(struct log *face, struct error *error)
{
    return kafka_topics_load(kafka_of(face), error);
}

/* ---- opening and closing ------------------------------------------------------------------------- */

static void close_log(struct log *face)
{
    struct kafka_log *log = kafka_of(face);
    kafka_log_leave(face, LEAVE_MS);
    if (log->is_abandoned || !kafka_sending_end(log)) {
        return; /* a thread of the library still works on it, until the process ends */
    }
    kafka_browser_destroy(log->browser);
    if (log->admin != NULL) {
        kafka_claim_end(log);
        kafka_producer_close(log);
        kafka_topics_deinit(log);
        if (log->purges != NULL) {
            rd_kafka_queue_destroy(log->purges);
        }
        rd_kafka_destroy(log->admin);
    }
    kafka_trouble_deinit(&log->trouble);
    kafka_outside_deinit(&log->outside);
    pthread_mutex_destroy(&log->deliveries.lock);
    kafka_refusals_deinit(&log->refusals);
    pthread_mutex_destroy(&log->lock);
    pthread_mutex_destroy(&log->browsing);
    pthread_mutex_destroy(&log->waking);
    arena_deinit(&log->arena);
    memory_free(log);
}

static const struct log_ops ops = {
    .is_shared = true,
    .close = close_log,
    .topic_find = kafka_log_find,
    .topic_create = kafka_log_create,
    .topic_empty = kafka_log_empty,
    .topic_drop = kafka_log_drop,
    .topic_options = kafka_log_topic_options,
    .topic_configure = kafka_log_configure,
    .default_partitions = kafka_log_default_partitions,
    .topic_try = kafka_log_try,
    .topic_differences = kafka_log_differences,
    .topic_shape = kafka_log_shape,
    .topics = kafka_log_topics,
    .partition_info = kafka_log_partition_info,
    .topic_terms = kafka_log_topic_terms,
    .refusal = kafka_log_refusal,
    .append = kafka_log_append,
    .read = kafka_log_read,
    .offset_at = kafka_log_offset_at,
    .pending_bytes = pending_bytes,
    .is_settled = kafka_log_is_settled,
    .commit = kafka_log_commit,
    .rollback = kafka_log_rollback,
    .fact_get = kafka_log_fact_get,
    .facts = kafka_log_facts,
    .claim = kafka_log_claim,
    .forget = kafka_log_forget,
    .readers = kafka_log_readers,
    .group_look = kafka_log_group_look,
    .lacks = kafka_log_lacks,
    .join = kafka_log_join,
    .next_change = kafka_log_next_change,
    .is_urged = kafka_log_is_urged,
    .change_done = kafka_log_change_done,
    .change_put_off = kafka_log_change_put_off,
    .confirm = kafka_log_confirm,
    .stalls = kafka_log_stalls,
    .leave = kafka_log_leave,
    .tidy = tidy,
    .trim = kafka_log_trim,
    .refresh = refresh,
    .on_append = on_append,
};

static struct kafka_log *create(const struct log_open_options *options)
{
    struct kafka_log *log = memory_zeroed(1, sizeof *log);
    if (log == NULL) {
        return NULL;
    }
    log->face.ops = &ops;
    kafka_settings_init(&log->defaults);
    log->settings = options->kafka != NULL ? options->kafka : &log->defaults;
    log->mode = options->mode;
    log->goes_on = options->goes_on;
    log->goes_on_self = options->self;
    log->has_budget = options->memory != NULL;
    log->fetch_bytes =
        options->memory == NULL
            ? FETCH_BYTES
            : options->memory->cache + options->memory->memtables + 2 * options->memory->chunks;
    log->slot_fd = -1;
    arena_init(&log->arena, 0);
    kafka_trouble_init(&log->trouble);
    kafka_outside_init(&log->outside);
    pthread_mutex_init(&log->deliveries.lock, NULL);
    kafka_refusals_init(&log->refusals);
    pthread_mutex_init(&log->lock, NULL);
    pthread_mutex_init(&log->browsing, NULL);
    pthread_mutex_init(&log->waking, NULL);
    return log;
}

weir_status kafka_open(const char *url, const struct log_open_options *options,
                       struct log **ret_log, struct error *error)
{
    struct kafka_log *log = create(options);
    if (log == NULL) {
        return error_no_memory(error);
    }
    log->brokers = kafka_brokers(url, &log->arena, NULL, NULL);
    weir_status st = log->brokers == NULL
                         ? error_no_memory(error) /* the address was judged before */
                         : kafka_client_admin(log, &log->admin, error);
    if (st == WEIR_OK) {
        st = kafka_topics_load(log, error);
    }
    if (st != WEIR_OK) {
        close_log(&log->face);
        return st;
    }
    *ret_log = &log->face;
    return WEIR_OK;
}
