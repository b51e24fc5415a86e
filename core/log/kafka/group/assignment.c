/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/assignment.h"

#include <string.h>

#include "base/clock.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/place.h"
#include "log/kafka/group/gap.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

struct kafka_partition *kafka_assignment_part(struct kafka_log *log,
                                              const rd_kafka_topic_partition_t *entry)
{
    struct kafka_topic *topic = kafka_topic_find(log, entry->topic);
    bool is_known = topic != NULL && (uint32_t)entry->partition < topic->face.partitions;
    return is_known ? &topic->parts[entry->partition] : NULL;
}

bool kafka_assignment_is_group(const struct kafka_member *member,
                               const rd_kafka_topic_partition_t *entry)
{
    return strcmp(entry->topic, member->progress.topic->face.name) == 0;
}

/* ---- queues -------------------------------------------------------------------------------------- */

/* Called by a thread of the library when a message comes to an empty queue. */
static void tell_arrival(rd_kafka_t *rk, void *opaque)
{
    const struct kafka_partition *part = opaque;
    (void)rk;
    kafka_wake(kafka_of(part->topic->face.log), part);
}

/* A topic that was deleted and made anew has other queues, and what comes into the old one is nothing. */
static void close_queue(struct kafka_partition *part)
{
    if (part->queue != NULL) {
        rd_kafka_queue_cb_event_enable(part->queue, NULL, NULL);
        rd_kafka_queue_destroy(part->queue);
        part->queue = NULL;
    }
}

/*
 * Takes the partition's queue out of the member's own before anything can come into it: what is forwarded
 * by the application stays so when the library starts to fetch.
 */
static bool open_queue(const struct kafka_member *member, struct kafka_partition *part)
{
    close_queue(part);
    part->queue = rd_kafka_queue_get_partition(member->consumer, part->topic->face.name,
                                               (int32_t)part->number);
    if (part->queue != NULL) {
        rd_kafka_queue_forward(part->queue, NULL);
        rd_kafka_queue_cb_event_enable(part->queue, tell_arrival, part);
    }
    return part->queue != NULL;
}

void kafka_assignment_close(struct kafka_log *log)
{
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; i < topic->face.partitions; i++) {
            close_queue(&topic->parts[i]);
            topic->parts[i].is_assigned = false;
        }
    }
}

/* ---- the library's own idea ---------------------------------------------------------------------- */

static bool is_cooperative(const struct kafka_member *member)
{
    return strcmp(rd_kafka_rebalance_protocol(member->consumer), "COOPERATIVE") == 0;
}

static weir_status check(struct kafka_member *member, rd_kafka_error_t *fault, struct error *error)
{
    if (fault == NULL) {
        return WEIR_OK;
    }
    weir_status st = kafka_error(error, rd_kafka_error_code(fault),
                                 "change the assignment in the group '%s'", member->group);
    rd_kafka_error_destroy(fault);
    return st;
}

static weir_status assign(struct kafka_member *member, rd_kafka_topic_partition_list_t *list,
                          struct error *error)
{
    if (is_cooperative(member)) {
        return check(member, rd_kafka_incremental_assign(member->consumer, list), error);
    }
    rd_kafka_resp_err_t code = rd_kafka_assign(member->consumer, list);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? WEIR_OK
               : kafka_error(error, code, "take the partitions of the group '%s'", member->group);
}

static weir_status unassign(struct kafka_member *member, rd_kafka_topic_partition_list_t *list,
                            struct error *error)
{
    if (is_cooperative(member)) {
        return check(member, rd_kafka_incremental_unassign(member->consumer, list), error);
    }
    (void)rd_kafka_assign(member->consumer, NULL);
    return WEIR_OK;
}

/* ---- carrying it out ----------------------------------------------------------------------------- */

static const struct log_share *share_of(const struct log_change *change,
                                        const struct kafka_partition *part)
{
    for (size_t i = 0; i < change->share_count; i++) {
        const struct log_share *share = &change->shares[i];
        if (share->topic == &part->topic->face && share->partition == part->number) {
            return share;
        }
    }
    return NULL;
}

/* Nothing of the positions' topic is read through the group. */
static void stop_positions(const struct kafka_member *member)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, member->progress.topic->face.name, 0);
    (void)rd_kafka_pause_partitions(member->consumer, list);
    rd_kafka_topic_partition_list_destroy(list);
}

/* All that is this process's own, from where each partition is read next. */
static rd_kafka_topic_partition_list_t *list_own(struct kafka_member *member)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(16);
    for (struct kafka_topic *topic = member->log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; i < topic->face.partitions; i++) {
            if (topic->parts[i].is_assigned) {
                kafka_place_add(list, topic->face.name, i, kafka_place(topic->parts[i].next));
            }
        }
    }
    if (member->leads) {
        kafka_place_add(list, member->progress.topic->face.name, 0, KAFKA_END);
    }
    return list;
}

/*
 * A partition whose offset the broker has not, the library does not fetch any more, and seeks in it fail.
 * Where partitions can be changed one by one it goes and comes; else all of them begin anew.
 */
weir_status kafka_assignment_restart(struct kafka_member *member,
                                     rd_kafka_topic_partition_list_t *list, struct error *error)
{
    if (is_cooperative(member)) {
        weir_status st = unassign(member, list, error);
        return st == WEIR_OK ? assign(member, list, error) : st;
    }
    rd_kafka_topic_partition_list_t *own = list_own(member);
    weir_status st = assign(member, own, error);
    rd_kafka_topic_partition_list_destroy(own);
    if (st == WEIR_OK && member->leads) {
        stop_positions(member);
    }
    return st;
}

static weir_status take(struct kafka_member *member, const struct log_change *change,
                        rd_kafka_topic_partition_list_t *list, struct error *error)
{
    for (int i = 0; i < list->cnt; i++) {
        rd_kafka_topic_partition_t *entry = &list->elems[i];
        struct kafka_partition *part = kafka_assignment_part(member->log, entry);
        const struct log_share *share = part == NULL ? NULL : share_of(change, part);
        entry->offset = kafka_place_write(share == NULL ? KAFKA_END : kafka_place(share->position));
        if (part != NULL && !open_queue(member, part)) {
            return error_no_memory(error);
        }
        if (share != NULL) {
            part->next = share->position;
            part->committed = share->position;
            part->is_at_end = false;
            part->is_assigned = true;
            part->still = (struct kafka_still){ 0 };
            atomic_store(&part->seen, part->next);
            atomic_store(&part->is_in_gap, false);
        }
    }
    weir_status st = assign(member, list, error);
    if (st == WEIR_OK && change->leads && !member->leads) {
        stop_positions(member);
    }
    return st;
}

static void give_progress(struct kafka_member *member, const rd_kafka_topic_partition_t *entry)
{
    struct arena arena;
    arena_init(&arena, 0);
    bool is_group = kafka_assignment_is_group(member, entry);
    const char *name =
        progress_scope_name(&arena, is_group ? NULL : entry->topic, (uint32_t)entry->partition);
    if (name != NULL) {
        progress_give(&member->progress, name);
    }
    arena_deinit(&arena);
}

static weir_status give(struct kafka_member *member, rd_kafka_topic_partition_list_t *list,
                        struct error *error)
{
    for (int i = 0; i < list->cnt; i++) {
        struct kafka_partition *part = kafka_assignment_part(member->log, &list->elems[i]);
        if (part != NULL) {
            part->is_assigned = false;
            close_queue(part);
        }
        give_progress(member, &list->elems[i]);
    }
    return unassign(member, list, error);
}

weir_status kafka_log_change_done(struct log *face, const struct log_change *change,
                                  struct error *error)
{
    struct kafka_member *member = kafka_of(face)->member;
    if (change->kind == LOG_DOOMED) {
        return WEIR_OK;
    }
    if (change->kind == LOG_MOVED || change->kind == LOG_STUCK) {
        return kafka_gap_done(member, change, error);
    }
    const struct kafka_notice *notice = kafka_member_notice(member);
    weir_status st = notice->kind == LOG_CAME ? take(member, change, notice->list, error)
                                              : give(member, notice->list, error);
    member->leads = change->leads;
    kafka_delay_end(&member->delay, clock_monotonic_ns(),
                    change->kind == LOG_CAME && change->share_count > 0);
    kafka_member_pop(member);
    return st;
}
