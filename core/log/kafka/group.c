/* SPDX-License-Identifier: MIT */
/*
 * What the group gives to this process and takes from it: found out, told to the run as changes, carried
 * out when the run says so.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "base/logger.h"
#include "log/kafka/kafka_log.h"

enum { ASK_MS = 2000, MOST_TRIES = 100 };

weir_status kafka_log_join(struct log *face, const struct log_membership *membership,
                           struct error *error)
{
    return kafka_member_create(kafka_of(face), membership, error);
}

static struct kafka_partition *part_of(struct kafka_log *log,
                                       const rd_kafka_topic_partition_t *entry)
{
    struct kafka_topic *topic = kafka_topic_find(log, entry->topic);
    bool is_known = topic != NULL && (uint32_t)entry->partition < topic->face.partitions;
    return is_known ? &topic->parts[entry->partition] : NULL;
}

static bool is_of_positions(const struct kafka_member *member,
                            const rd_kafka_topic_partition_t *entry)
{
    return strcmp(entry->topic, member->progress.topic->face.name) == 0;
}

/* ---- where to begin ------------------------------------------------------------------------------ */

static weir_status begin_anew(const struct kafka_log *log, const rd_kafka_topic_partition_t *entry,
                              int64_t low, int64_t high, int64_t *ret_position, struct error *error)
{
    *ret_position = log->settings->auto_offset_reset == KAFKA_RESET_LATEST ? high : low;
    if (log->settings->auto_offset_reset != KAFKA_RESET_ERROR) {
        return WEIR_OK;
    }
    error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_CONFIG,
              "topic '%s' partition %" PRId32 ": the group has no position in it, and "
              "'auto_offset_reset' is 'error'",
              entry->topic, entry->partition);
    error_hint(error, "write 'auto_offset_reset: earliest' or 'latest' under 'kafka'");
    return WEIR_E_NOT_FOUND;
}

/* The broker has removed what was to be read next. */
static weir_status go_on_behind(const struct kafka_log *log,
                                const rd_kafka_topic_partition_t *entry, int64_t low, int64_t high,
                                int64_t *ret_position, struct error *error)
{
    bool is_earliest = log->settings->lost_offsets == KAFKA_LOST_EARLIEST;
    if (log->settings->lost_offsets == KAFKA_LOST_FAIL) {
        error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
                  "topic '%s' partition %" PRId32 ": this pipeline has read up to offset %" PRId64
                  ", but the broker keeps %" PRId64 " to %" PRId64 " only",
                  entry->topic, entry->partition, entry->offset, low, high);
        error_hint(error,
                   "write 'lost_offsets: earliest' or 'latest' under 'kafka' to go on there");
        return WEIR_E_DATA;
    }
    *ret_position = is_earliest ? low : high;
    logger_write(LOGGER_WARNING, entry->topic,
                 "partition %" PRId32 ": the broker has removed messages that were not read; goes "
                 "on at offset %" PRId64 " instead of %" PRId64,
                 entry->partition, *ret_position, entry->offset);
    return WEIR_OK;
}

static weir_status find_position(struct kafka_log *log, const rd_kafka_topic_partition_t *entry,
                                 struct log_share *share, struct error *error)
{
    int64_t low = 0;
    int64_t high = 0;
    if (entry->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return kafka_error(error, entry->err,
                           "ask for the position in topic '%s' partition %" PRId32, entry->topic,
                           entry->partition);
    }
    weir_status st = kafka_ask_range(log, entry->topic, entry->partition, &low, &high, error);
    share->has_position = entry->offset >= 0;
    share->position = entry->offset;
    if (st != WEIR_OK) {
        return st;
    }
    if (!share->has_position) {
        return begin_anew(log, entry, low, high, &share->position, error);
    }
    return share->position >= low && share->position <= high
               ? WEIR_OK
               : go_on_behind(log, entry, low, high, &share->position, error);
}

/* ---- the next change ----------------------------------------------------------------------------- */

/*
 * Of those that came also the positions, into the list. In short attempts: a request that was sent to a
 * coordinator that does not know its groups yet may be left without an answer.
 */
static weir_status ask_committed(struct kafka_member *member, rd_kafka_topic_partition_list_t *list,
                                 struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + kafka_timeout(member->log) * INT64_C(1000000);
    rd_kafka_resp_err_t code;
    do {
        code = rd_kafka_committed(member->consumer, list, ASK_MS);
    } while (code == RD_KAFKA_RESP_ERR__TIMED_OUT && kafka_goes_on(member->log) &&
             clock_monotonic_ns() < end_ns);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? WEIR_OK
               : kafka_error(error, code, "ask for the positions of the group '%s'", member->group);
}

/* The number in the metadata of a position; "": it names none. */
static void read_id(const rd_kafka_topic_partition_t *entry, char id[PROGRESS_ID_ROOM])
{
    const char *text = entry->metadata;
    size_t prefix = strlen(progress_mark);
    id[0] = '\0';
    if (text != NULL && entry->metadata_size > prefix && memcmp(text, progress_mark, prefix) == 0) {
        snprintf(id, PROGRESS_ID_ROOM, "%.*s", (int)(entry->metadata_size - prefix), text + prefix);
    }
}

/* Takes charge of what is kept with the entry's position. part NULL: that of the group. */
static weir_status take_progress(struct kafka_member *member,
                                 const rd_kafka_topic_partition_t *entry,
                                 const struct kafka_partition *part, struct error *error)
{
    struct arena arena;
    char id[PROGRESS_ID_ROOM];
    arena_init(&arena, 0);
    read_id(entry, id);
    const char *name = part == NULL ? progress_scope_name(&arena, NULL, 0)
                                    : progress_scope_name(&arena, entry->topic, part->number);
    weir_status st =
        name == NULL ? error_no_memory(error) : progress_take(&member->progress, name, id, error);
    arena_deinit(&arena);
    return st;
}

/* An entry of the notice as a share. */
static weir_status fill_share(struct kafka_member *member, enum log_change_kind kind,
                              const rd_kafka_topic_partition_t *entry, struct log_change *change,
                              struct error *error)
{
    struct kafka_partition *part = part_of(member->log, entry);
    if (is_of_positions(member, entry)) {
        change->leads = kind == LOG_CAME;
        return kind == LOG_CAME ? take_progress(member, entry, NULL, error) : WEIR_OK;
    }
    if (part == NULL) {
        return WEIR_OK;
    }
    struct log_share *share = &change->shares[change->share_count++];
    *share = (struct log_share){ .topic = &part->topic->face, .partition = part->number };
    if (kind != LOG_CAME) {
        return WEIR_OK;
    }
    weir_status st = find_position(member->log, entry, share, error);
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
 * What the brokers could not answer is asked again with the next call; how long they may be away is judged
 * by health.c. So is progress that is not there: a process that was silent between a question and the next
 * has an answer that is too old.
 */
static weir_status put_off(struct kafka_member *member, struct log_change *ret_change,
                           struct error *error)
{
    bool may_be_older = error->status == WEIR_E_NOT_FOUND &&
                        error->error_class == WEIR_CLASS_DATA && ++member->tries < MOST_TRIES;
    if (error->error_class != WEIR_CLASS_NETWORK && !may_be_older) {
        return error->status;
    }
    logger_write(member->tries > 1 ? LOGGER_DEBUG : LOGGER_INFO, "kafka", "%s; tried again",
                 error->message);
    *ret_change = (struct log_change){ .kind = LOG_NO_CHANGE };
    return WEIR_OK;
}

weir_status kafka_log_next_change(struct log *face, struct arena *arena,
                                  struct log_change *ret_change, struct error *error)
{
    struct kafka_member *member = kafka_of(face)->member;
    *ret_change = (struct log_change){ .kind = LOG_NO_CHANGE };
    weir_status st = kafka_health_check(kafka_of(face), error);
    if (st != WEIR_OK) {
        return st;
    }
    if (member != NULL && atomic_load(&member->log->is_doomed)) {
        *ret_change = (struct log_change){ .kind = LOG_DOOMED, .leads = member->leads };
        return WEIR_OK;
    }
    const struct kafka_notice *notice = member == NULL ? NULL : kafka_member_notice(member);
    if (notice == NULL) {
        return WEIR_OK;
    }
    ret_change->kind = notice->kind;
    ret_change->leads = member->leads;
    ret_change->shares =
        arena_zeroed(arena, ((size_t)notice->list->cnt + 1) * sizeof *ret_change->shares);
    if (ret_change->shares == NULL) {
        return error_no_memory(error);
    }
    if (kafka_member_is_late(member)) {
        return WEIR_OK; /* what came is gone again: nothing of it is begun */
    }
    if (notice->kind == LOG_CAME && notice->list->cnt > 0) {
        st = ask_committed(member, notice->list, error);
    }
    st = st == WEIR_OK ? fill_shares(member, notice, ret_change, error) : st;
    return st == WEIR_OK ? WEIR_OK : put_off(member, ret_change, error);
}

/* ---- carrying it out ----------------------------------------------------------------------------- */

/* Called by a thread of the library when a message comes to an empty queue. */
static void tell_arrival(rd_kafka_t *rk, void *opaque)
{
    const struct kafka_partition *part = opaque;
    (void)rk;
    kafka_wake(kafka_of(part->topic->face.log), part);
}

/*
 * Takes the partition's queue out of the member's own before anything can come into it: what is forwarded
 * by the application stays so when the library starts to fetch.
 */
static bool open_queue(const struct kafka_member *member, struct kafka_partition *part)
{
    if (part->queue == NULL) {
        part->queue = rd_kafka_queue_get_partition(member->consumer, part->topic->face.name,
                                                   (int32_t)part->number);
    }
    if (part->queue != NULL) {
        rd_kafka_queue_forward(part->queue, NULL);
        rd_kafka_queue_cb_event_enable(part->queue, tell_arrival, part);
    }
    return part->queue != NULL;
}

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

static weir_status take(struct kafka_member *member, const struct log_change *change,
                        rd_kafka_topic_partition_list_t *list, struct error *error)
{
    for (int i = 0; i < list->cnt; i++) {
        rd_kafka_topic_partition_t *entry = &list->elems[i];
        struct kafka_partition *part = part_of(member->log, entry);
        const struct log_share *share = part == NULL ? NULL : share_of(change, part);
        entry->offset = share == NULL ? RD_KAFKA_OFFSET_END : share->position;
        if (part != NULL && !open_queue(member, part)) {
            return error_no_memory(error);
        }
        if (share != NULL) {
            part->next = share->position;
            part->committed = share->position;
            part->is_at_end = false;
            part->is_assigned = true;
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
    bool is_group = is_of_positions(member, entry);
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
        struct kafka_partition *part = part_of(member->log, &list->elems[i]);
        if (part != NULL) {
            part->is_assigned = false;
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
    const struct kafka_notice *notice = kafka_member_notice(member);
    weir_status st = notice->kind == LOG_CAME ? take(member, change, notice->list, error)
                                              : give(member, notice->list, error);
    member->leads = change->leads;
    member->tries = 0;
    kafka_member_pop(member);
    return st;
}

/* ---- leaving ------------------------------------------------------------------------------------- */

static void close_queues(struct kafka_log *log)
{
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; i < topic->face.partitions; i++) {
            struct kafka_partition *part = &topic->parts[i];
            if (part->queue != NULL) {
                rd_kafka_queue_cb_event_enable(part->queue, NULL, NULL);
                rd_kafka_queue_destroy(part->queue);
                part->queue = NULL;
                part->is_assigned = false;
            }
        }
    }
}

void kafka_log_leave(struct log *face, int64_t timeout_ms)
{
    struct kafka_log *log = kafka_of(face);
    if (log->member == NULL) {
        return;
    }
    close_queues(log);
    if (!kafka_member_destroy(log->member, timeout_ms)) {
        logger_write(LOGGER_WARNING, "kafka",
                     "the group could not be left in time; the broker finds out by itself");
        log->is_abandoned = true;
    }
    log->member = NULL;
}
