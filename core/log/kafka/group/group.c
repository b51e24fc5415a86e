/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/group.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/logger.h"
#include "log/kafka/client/health.h"
#include "log/kafka/group/assignment.h"
#include "log/kafka/group/gap.h"
#include "log/kafka/group/member.h"
#include "log/kafka/group/position.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

weir_status kafka_log_join(struct log *face, const struct log_membership *membership,
                           struct error *error)
{
    return kafka_member_create(kafka_of(face), membership, error);
}

/* ---- the next change ----------------------------------------------------------------------------- */

/* Takes charge of what is kept with the entry's position. part NULL: that of the group. */
static weir_status take_progress(struct kafka_member *member,
                                 const rd_kafka_topic_partition_t *entry,
                                 const struct kafka_partition *part, struct error *error)
{
    struct arena arena;
    char id[PROGRESS_ID_ROOM];
    arena_init(&arena, 0);
    progress_id_read(entry, id);
    const char *name = part == NULL ? progress_scope_name(&arena, NULL, 0)
                                    : progress_scope_name(&arena, entry->topic, part->number);
    weir_status st =
        name == NULL ? error_no_memory(error) : progress_take(&member->progress, name, id, error);
    arena_deinit(&arena);
    return st;
}

/* There is no task for it, and no reader: a run has as many as there were partitions when it began. */
static weir_status refuse_new(struct kafka_log *log, const rd_kafka_topic_partition_t *entry,
                              struct error *error)
{
    const struct kafka_topic *topic = kafka_topic_find(log, entry->topic);
    error_set(error, WEIR_E_LIMIT, WEIR_CLASS_CONFIG,
              "topic '%s' has more partitions than when this run began, %" PRIu32, entry->topic,
              topic == NULL ? 0 : topic->face.partitions);
    error_hint(error, "start it again, and it reads all of them");
    error->asks_restart = true;
    return WEIR_E_LIMIT;
}

/* An entry of the notice as a share. */
static weir_status fill_share(struct kafka_member *member, enum log_change_kind kind,
                              const rd_kafka_topic_partition_t *entry, struct log_change *change,
                              struct error *error)
{
    struct kafka_partition *part = kafka_assignment_part(member->log, entry);
    if (kafka_assignment_is_group(member, entry)) {
        change->leads = kind == LOG_CAME;
        return kind == LOG_CAME ? take_progress(member, entry, NULL, error) : WEIR_OK;
    }
    if (part == NULL) {
        return kind == LOG_CAME ? refuse_new(member->log, entry, error) : WEIR_OK;
    }
    struct log_share *share = &change->shares[change->share_count++];
    *share = (struct log_share){ .topic = &part->topic->face, .partition = part->number };
    if (kind != LOG_CAME) {
        return WEIR_OK;
    }
    weir_status st = kafka_position_find(member->log, entry, share, error);
    return st == WEIR_OK ? take_progress(member, entry, part, error) : st;
}

static weir_status fill_shares(struct kafka_member *member, const struct kafka_notice *notice,
                               struct log_change *change, struct error *error)
{
    weir_status st = WEIR_OK;
    for (int i = 0; st == WEIR_OK && i < notice->list->cnt; i++) {
        st = fill_share(member, notice->kind, &notice->list->elems[i], change, error);
    }
    return st;
}

/*
 * A broker that has just begun may not know a topic yet, and progress that is not there may be there soon: a
 * process that was silent between a question and the next has an answer that is too old.
 */
static bool is_missing(const struct error *error)
{
    return error->status == WEIR_E_NOT_FOUND &&
           (error->error_class == WEIR_CLASS_DATA || error->error_class == WEIR_CLASS_NOT_FOUND);
}

/*
 * What the brokers could not answer is asked again; how long they may be away is judged by health.c. What is
 * missing is asked for as long as an answer is waited for.
 */
static weir_status put_off(struct kafka_member *member, struct log_change *ret_change,
                           const struct error *error)
{
    bool is_away = error->error_class == WEIR_CLASS_NETWORK;
    *ret_change =
        (struct log_change){ .kind = LOG_NO_CHANGE, .leads = member->leads, .is_coming = true };
    if (!is_away && !is_missing(error)) {
        return error->status;
    }
    return kafka_delay_put_off(&member->delay, clock_monotonic_ns(),
                               is_away ? 0 : kafka_timeout(member->log), error)
               ? WEIR_OK
               : error->status;
}

/*
 * A coordinator that is none any more, or has just become one, may answer with progress of before. What that
 * names the group may have finished and removed since.
 */
weir_status kafka_log_change_put_off(struct log *face, const struct error *why)
{
    struct kafka_member *member = kafka_of(face)->member;
    return kafka_delay_put_off(&member->delay, clock_monotonic_ns(), kafka_timeout(member->log),
                               why)
               ? WEIR_OK
               : why->status;
}

static weir_status tell_notice(struct kafka_member *member, const struct kafka_notice *notice,
                               struct log_change *change, struct error *error)
{
    bool has_come = notice->kind == LOG_CAME;
    if (kafka_member_is_late(member)) {
        return WEIR_OK; /* what came is gone again: nothing of it is begun */
    }
    if (has_come && kafka_delay_is_on(&member->delay, clock_monotonic_ns())) {
        *change = (struct log_change){ .leads = member->leads, .is_coming = true };
        return WEIR_OK;
    }
    weir_status st = has_come && notice->list->cnt > 0
                         ? kafka_position_ask(member, notice->list, error)
                         : WEIR_OK;
    st = st == WEIR_OK ? fill_shares(member, notice, change, error) : st;
    return st == WEIR_OK ? WEIR_OK : put_off(member, change, error);
}

weir_status kafka_log_next_change(struct log *face, struct arena *arena,
                                  struct log_change *ret_change, struct error *error)
{
    struct kafka_member *member = kafka_of(face)->member;
    *ret_change = (struct log_change){ .kind = LOG_NO_CHANGE };
    weir_status st = kafka_health_check(kafka_of(face), error);
    if (st == WEIR_OK && member != NULL) {
        st = kafka_standing_check(member, error);
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (member != NULL && atomic_load(&member->log->is_doomed)) {
        *ret_change = (struct log_change){ .kind = LOG_DOOMED, .leads = member->leads };
        return WEIR_OK;
    }
    const struct kafka_notice *notice = member == NULL ? NULL : kafka_member_notice(member);
    if (notice == NULL) {
        return member == NULL ? WEIR_OK : kafka_gap_next(member, arena, ret_change, error);
    }
    ret_change->kind = notice->kind;
    ret_change->leads = member->leads;
    ret_change->shares =
        arena_zeroed(arena, ((size_t)notice->list->cnt + 1) * sizeof *ret_change->shares);
    if (ret_change->shares == NULL) {
        return error_no_memory(error);
    }
    return tell_notice(member, notice, ret_change, error);
}

bool kafka_log_is_urged(struct log *face)
{
    struct kafka_member *member = kafka_of(face)->member;
    return member != NULL && kafka_member_is_urged(member);
}

/* ---- leaving ------------------------------------------------------------------------------------- */

void kafka_log_leave(struct log *face, int64_t timeout_ms)
{
    struct kafka_log *log = kafka_of(face);
    if (log->member == NULL || log->is_abandoned) {
        return;
    }
    kafka_assignment_close(log);
    if (!kafka_member_destroy(log->member, timeout_ms)) {
        logger_write(LOGGER_WARNING, "kafka",
                     "the group could not be left in time; the broker finds out by itself");
        log->is_abandoned = true; /* and the member stays for what still calls back */
        return;
    }
    log->member = NULL;
}
