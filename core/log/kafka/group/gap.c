/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/gap.h"

#include <inttypes.h>

#include "base/logger.h"
#include "log/kafka/client/place.h"
#include "log/kafka/group/assignment.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/offsets.h"
#include "log/kafka/topics/topics.h"

/* ---- what the file wants --------------------------------------------------------------------------- */

/* A topic that was made anew, or cut off, ends before what was to be read. */
static weir_status refuse(const struct kafka_gap *gap, struct error *error)
{
    if (gap->wanted > gap->high) {
        error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
                  "topic '%s' partition %" PRId32 ": this pipeline has read up to offset %" PRId64
                  ", but it ends at %" PRId64,
                  gap->topic, gap->partition, gap->wanted, gap->high);
        error_hint(error, "the topic was made anew, or has lost its end; write 'lost_offsets: "
                          "earliest' or 'latest' under 'kafka' to go on there");
        return WEIR_E_DATA;
    }
    error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
              "topic '%s' partition %" PRId32 ": this pipeline has read up to offset %" PRId64
              ", but the broker keeps %" PRId64 " to %" PRId64 " only",
              gap->topic, gap->partition, gap->wanted, gap->low, gap->high);
    error_hint(error, "write 'lost_offsets: earliest' or 'latest' under 'kafka' to go on there");
    return WEIR_E_DATA;
}

static void tell(const struct kafka_gap *gap, int64_t position)
{
    if (gap->wanted > gap->high) {
        logger_write(LOGGER_WARNING, gap->topic,
                     "partition %" PRId32 ": it ends at offset %" PRId64
                     ", before what was to be read next (%" PRId64 "); goes on at offset %" PRId64,
                     gap->partition, gap->high, gap->wanted, position);
        return;
    }
    int64_t skipped = position - gap->wanted;
    logger_write(LOGGER_WARNING, gap->topic,
                 "partition %" PRId32 ": the broker has removed messages that were not read; goes "
                 "on at offset %" PRId64 " instead of %" PRId64 ", %" PRId64 " offset%s skipped",
                 gap->partition, position, gap->wanted, skipped, skipped == 1 ? " is" : "s are");
}

static bool is_there(const struct kafka_gap *gap)
{
    return gap->wanted >= gap->low && gap->wanted <= gap->high;
}

weir_status kafka_gap_pass(const struct kafka_log *log, const struct kafka_gap *gap,
                           struct log_share *share, struct error *error)
{
    share->position = gap->wanted;
    share->lost = 0;
    if (is_there(gap)) {
        return WEIR_OK;
    }
    if (log->settings->lost_offsets == KAFKA_LOST_FAIL) {
        return refuse(gap, error);
    }
    share->position = log->settings->lost_offsets == KAFKA_LOST_EARLIEST ? gap->low : gap->high;
    share->lost = share->position > gap->wanted ? share->position - gap->wanted : 0;
    tell(gap, share->position);
    return WEIR_OK;
}

/* ---- in a partition that is being read --------------------------------------------------------------- */

/* Where it goes on. WEIR_E_DATA: nowhere. */
static weir_status look_at(struct kafka_log *log, const struct kafka_partition *part,
                           struct log_change *change, struct error *error)
{
    struct kafka_gap gap = { .topic = part->topic->face.name,
                             .partition = (int32_t)part->number,
                             .wanted = part->next };
    struct log_share *share = &change->shares[change->share_count];
    *share = (struct log_share){ .topic = &part->topic->face,
                                 .partition = part->number,
                                 .has_position = true };
    weir_status st =
        kafka_ask_range(log, gap.topic, gap.partition, KAFKA_ASK_MS, &gap.low, &gap.high, error);
    if (st == WEIR_OK) {
        st = kafka_gap_pass(log, &gap, share, error);
    }
    change->share_count += st == WEIR_OK;
    return st;
}

static bool is_in_gap(struct kafka_partition *part)
{
    return atomic_load(&part->is_in_gap) && part->is_assigned;
}

/* Partitions of this process, or those of them that are in a gap. */
static size_t count(const struct kafka_log *log, bool is_of_gaps)
{
    size_t sum = 0;
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; i < topic->face.partitions; i++) {
            sum += is_of_gaps ? is_in_gap(&topic->parts[i]) : topic->parts[i].is_assigned;
        }
    }
    return sum;
}

static weir_status look_at_all(struct kafka_log *log, struct log_change *change,
                               struct error *error)
{
    weir_status st = WEIR_OK;
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; st == WEIR_OK && i < topic->face.partitions; i++) {
            if (is_in_gap(&topic->parts[i])) {
                st = look_at(log, &topic->parts[i], change, error);
            }
        }
    }
    return st;
}

/* What the brokers could not answer is asked again with the next call. */
weir_status kafka_gap_next(struct kafka_member *member, struct arena *arena,
                           struct log_change *ret_change, struct error *error)
{
    struct kafka_log *log = member->log;
    if (!atomic_load(&log->has_gaps)) {
        return WEIR_OK;
    }
    struct log_change change = { .kind = LOG_MOVED, .leads = member->leads };
    change.shares = arena_zeroed(arena, (count(log, false) + 1) * sizeof *change.shares);
    if (change.shares == NULL) {
        return error_no_memory(error);
    }
    weir_status st = look_at_all(log, &change, error);
    if (st != WEIR_OK && error->error_class == WEIR_CLASS_NETWORK) {
        logger_write(LOGGER_DEBUG, "kafka", "%s; tried again", error->message);
        return WEIR_OK;
    }
    if (st == WEIR_E_DATA) {
        member->stuck = *error;
        change.kind = LOG_STUCK;
        st = WEIR_OK;
    }
    *ret_change = change;
    return st;
}

/* Nobody reads. */
weir_status kafka_gap_done(struct kafka_member *member, const struct log_change *change,
                           struct error *error)
{
    if (change->kind == LOG_STUCK) {
        *error = member->stuck;
        return error->status;
    }
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)change->share_count);
    for (size_t i = 0; i < change->share_count; i++) {
        const struct log_share *share = &change->shares[i];
        struct kafka_partition *part = &kafka_topic_of(share->topic)->parts[share->partition];
        kafka_place_add(list, share->topic->name, share->partition, kafka_place(share->position));
        part->next = share->position;
        part->is_at_end = false;
        atomic_store(&part->is_in_gap, false);
    }
    atomic_store(&member->log->has_gaps, count(member->log, true) > 0);
    weir_status st = kafka_assignment_restart(member, list, error);
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}
