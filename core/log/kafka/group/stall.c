/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/stall.h"

#include <inttypes.h>

#include "base/clock.h"
#include "log/kafka/client/place.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

/*
 * ANSWER_MS  of one question; BUDGET_MS: of all of one look, since whoever supervises has more to do
 * REST       times as long as it took to ask nothing is asked again
 * ASKS       questions within the patience: what is read while one is under way does not count
 */
enum { ANSWER_MS = 700, BUDGET_MS = 2000, REST = 5, ASKS = 3, MS_NS = 1000000 };

/* The partitions that are asked about in one look. */
struct inquiry {
    struct kafka_member *member;
    const struct log_look *look;
    struct kafka_partition **parts;
    size_t count;
    int64_t end_ns; /* by the clock, whatever that of the look is */
};

/* ---- looking --------------------------------------------------------------------------------------- */

/* The broker has given something, and the workers have not taken it. In a gap they must not. */
static bool is_at_hand(struct kafka_partition *part)
{
    return part->queue != NULL && !atomic_load(&part->is_in_gap) &&
           rd_kafka_queue_length(part->queue) > 0;
}

static void start_anew(struct kafka_still *still, int64_t next, int64_t now_ns)
{
    *still = (struct kafka_still){
        .offset = next, .moved_ns = now_ns, .is_told = still->is_told, .is_over = still->is_over
    };
}

/* There is nothing to ask the broker for. */
static void wait_for_workers(struct kafka_still *still, int64_t now_ns)
{
    if (still->why != KAFKA_UNTAKEN) {
        start_anew(still, still->offset, now_ns);
        still->why = KAFKA_UNTAKEN;
        still->behind_ns = now_ns;
    }
    still->moved_ns = now_ns;
}

static void look_at(struct kafka_member *member, struct kafka_partition *part, int64_t now_ns)
{
    struct kafka_still *still = &part->still;
    int64_t next = atomic_load_explicit(&part->seen, memory_order_relaxed);
    int64_t low = RD_KAFKA_OFFSET_INVALID;
    int64_t high = RD_KAFKA_OFFSET_INVALID;
    if (still->moved_ns == 0 || next != still->offset) {
        start_anew(still, next, now_ns);
        return;
    }
    if (is_at_hand(part)) {
        wait_for_workers(still, now_ns);
        return;
    }
    if (still->why == KAFKA_UNTAKEN) { /* that was no message */
        start_anew(still, next, now_ns);
    }
    /* As the last answer to a fetch has told it. */
    (void)rd_kafka_get_watermark_offsets(member->consumer, part->topic->face.name,
                                         (int32_t)part->number, &low, &high);
    still->high = next;
    (void)kafka_place_offset(kafka_place_read(high), &still->high);
    if (still->high > next && still->behind_ns == 0) {
        still->behind_ns = now_ns;
    }
}

/* ---- asking ---------------------------------------------------------------------------------------- */

static bool is_due(const struct kafka_still *still, const struct log_look *look)
{
    int64_t turn_ns = look->patience_ms * MS_NS / ASKS;
    return look->now_ns - still->moved_ns >= turn_ns &&
           (still->asked_ns == 0 || look->now_ns - still->asked_ns >= turn_ns);
}

static void judge(const struct inquiry *inquiry, struct kafka_partition *part, enum kafka_stall why,
                  rd_kafka_resp_err_t code)
{
    struct kafka_still *still = &part->still;
    int64_t now_ns = inquiry->look->now_ns;
    still->asked_ns = now_ns;
    still->why = why;
    still->code = code;
    if (why == KAFKA_FLOWS) {
        still->behind_ns = 0;
    } else if (still->behind_ns == 0) {
        still->behind_ns = now_ns;
    }
}

static void judge_answer(const struct inquiry *inquiry, struct kafka_partition *part,
                         rd_kafka_resp_err_t code, struct kafka_place end)
{
    struct kafka_still *still = &part->still;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR && !kafka_place_offset(end, &still->end)) {
        code = RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE;
    }
    judge(inquiry, part,
          code != RD_KAFKA_RESP_ERR_NO_ERROR ? KAFKA_UNANSWERED
          : still->end > still->offset       ? KAFKA_UNREAD
          : still->high > still->offset      ? KAFKA_HELD_BACK
                                             : KAFKA_FLOWS,
          code);
}

static bool has_time(const struct inquiry *inquiry)
{
    return clock_monotonic_ns() < inquiry->end_ns;
}

/* Twice, since it may go to the one broker that does not answer. */
static rd_kafka_resp_err_t get_metadata(const struct inquiry *inquiry,
                                        const struct rd_kafka_metadata **ret)
{
    rd_kafka_resp_err_t code =
        rd_kafka_metadata(inquiry->member->consumer, 0, NULL, ret, ANSWER_MS);
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? code
               : rd_kafka_metadata(inquiry->member->consumer, 0, NULL, ret, ANSWER_MS);
}

/* -1: nobody. */
static int32_t leader_of(const struct rd_kafka_metadata *metadata,
                         const struct kafka_partition *part)
{
    const struct rd_kafka_metadata_topic *topic = kafka_topic_in(metadata, part->topic->face.name);
    for (int p = 0; topic != NULL && p < topic->partition_cnt; p++) {
        if (topic->partitions[p].id == (int32_t)part->number) {
            return topic->partitions[p].leader;
        }
    }
    return -1;
}

static void find_leaders(const struct inquiry *inquiry)
{
    const struct rd_kafka_metadata *metadata = NULL;
    rd_kafka_resp_err_t code = get_metadata(inquiry, &metadata);
    for (size_t i = 0; i < inquiry->count; i++) {
        struct kafka_partition *part = inquiry->parts[i];
        bool is_known = code == RD_KAFKA_RESP_ERR_NO_ERROR;
        part->still.leader = is_known ? leader_of(metadata, part) : -1;
        if (part->still.leader < 0) {
            judge(inquiry, part, is_known ? KAFKA_NO_LEADER : KAFKA_UNANSWERED, code);
        }
    }
    if (metadata != NULL) {
        rd_kafka_metadata_destroy(metadata);
    }
}

/* The end of each that is led by the same broker as this one. One that does not answer spoils all that is asked with
 * it. */
static void ask_leader(const struct inquiry *inquiry, int32_t leader)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new((int)inquiry->count);
    for (size_t i = 0; i < inquiry->count; i++) {
        struct kafka_partition *part = inquiry->parts[i];
        if (part->still.leader == leader) {
            kafka_place_add(list, part->topic->face.name, part->number, KAFKA_END);
        }
    }
    rd_kafka_resp_err_t code =
        rd_kafka_offsets_for_times(inquiry->member->consumer, list, ANSWER_MS);
    for (size_t i = 0; i < inquiry->count; i++) {
        struct kafka_partition *part = inquiry->parts[i];
        const rd_kafka_topic_partition_t *answer =
            rd_kafka_topic_partition_list_find(list, part->topic->face.name, (int32_t)part->number);
        if (answer != NULL) {
            bool has_come = code == RD_KAFKA_RESP_ERR_NO_ERROR;
            judge_answer(inquiry, part, has_come ? answer->err : code,
                         kafka_place_read(answer->offset));
        }
    }
    rd_kafka_topic_partition_list_destroy(list);
}

static void ask(struct inquiry *inquiry)
{
    struct kafka_member *member = inquiry->member;
    int64_t now_ns = inquiry->look->now_ns;
    int64_t start_ns = clock_monotonic_ns();
    if (inquiry->count == 0 || now_ns < member->rest_until_ns) {
        return;
    }
    inquiry->end_ns = start_ns + BUDGET_MS * INT64_C(1000000);
    find_leaders(inquiry);
    for (size_t i = 0; i < inquiry->count && has_time(inquiry); i++) {
        if (inquiry->parts[i]->still.asked_ns != now_ns) {
            ask_leader(inquiry, inquiry->parts[i]->still.leader);
        }
    }
    member->rest_until_ns = now_ns + REST * (clock_monotonic_ns() - start_ns);
}

/* ---- telling --------------------------------------------------------------------------------------- */

static bool is_stalled(const struct kafka_still *still, const struct log_look *look)
{
    int64_t patience_ms = look->patience_ms;
    if (still->why == KAFKA_HELD_BACK && patience_ms < 2 * look->epoch_ms) {
        patience_ms = 2 * look->epoch_ms;
    }
    return still->why != KAFKA_FLOWS && look->now_ns - still->behind_ns >= patience_ms * MS_NS;
}

static const char *explain_unread(struct kafka_partition *part, struct arena *arena)
{
    rd_kafka_resp_err_t code = (rd_kafka_resp_err_t)atomic_load(&part->trouble);
    bool has_code = code != RD_KAFKA_RESP_ERR_NO_ERROR;
    if (atomic_load(&part->is_in_gap)) {
        return "what was to be read next is gone, and the brokers have not said yet where it goes "
               "on";
    }
    return arena_printf(arena,
                        "broker %" PRId32 " has messages up to offset %" PRId64
                        " and gives none of them%s%s",
                        part->still.leader, part->still.end - 1, has_code ? "; it says: " : "",
                        has_code ? rd_kafka_err2str(code) : "");
}

static const char *explain_transaction(struct kafka_partition *part, struct arena *arena)
{
    const struct kafka_still *still = &part->still;
    bool is_ours = atomic_load(&part->produced) > still->offset;
    return arena_printf(
        arena,
        "a transaction that is still open holds back what is there up to offset "
        "%" PRId64 "%s; it comes when its producer commits or aborts, at the latest "
        "after that one's 'transaction.timeout.ms'",
        still->high - 1, is_ours ? ", and this pipeline has written there too" : "");
}

static const char *explain(struct kafka_partition *part, struct arena *arena)
{
    const struct kafka_still *still = &part->still;
    switch (still->why) {
    case KAFKA_NO_LEADER:
        return "no broker leads the partition, so nobody can tell what is behind it; those that "
               "have it must come back";
    case KAFKA_UNANSWERED:
        return still->leader < 0
                   ? arena_printf(arena, "the brokers do not say who leads the partition: %s",
                                  rd_kafka_err2str(still->code))
                   : arena_printf(arena,
                                  "broker %" PRId32 " leads the partition and does not say where "
                                  "it ends: %s",
                                  still->leader, rd_kafka_err2str(still->code));
    case KAFKA_HELD_BACK:
        return explain_transaction(part, arena);
    case KAFKA_UNREAD:
        return explain_unread(part, arena);
    case KAFKA_UNTAKEN:
        return "its messages are here, and nobody reads them";
    case KAFKA_FLOWS:
        break;
    }
    return "";
}

/* What there is to tell of a partition, if anything. False: no memory. */
static bool tell(struct kafka_partition *part, const struct log_look *look, struct arena *arena,
                 struct log_stall *stalls, size_t *count)
{
    struct kafka_still *still = &part->still;
    bool stands = is_stalled(still, look);
    still->is_over = !stands && (still->is_told || still->is_over);
    still->is_told = stands;
    if (!stands && !still->is_over) {
        return true;
    }
    still->is_over = false;
    struct log_stall *stall = &stalls[(*count)++];
    *stall = (struct log_stall){ .topic = &part->topic->face,
                                 .partition = part->number,
                                 .offset = still->offset,
                                 .since_ns = still->behind_ns,
                                 .why = stands ? explain(part, arena) : NULL,
                                 .is_at_hand = stands && still->why == KAFKA_UNTAKEN };
    return !stands || stall->why != NULL;
}

/* What has come and cannot be begun: as long as one partition of it has no broker that answers, none is. */
static void tell_put_off(struct kafka_member *member, const struct log_look *look,
                         struct log_stall *stalls, size_t *count)
{
    bool stands = member->delay.since_ns != 0 &&
                  look->now_ns - member->delay.since_ns >= look->patience_ms * MS_NS;
    if (stands || member->is_delay_told) {
        stalls[(*count)++] = (struct log_stall){ .since_ns = member->delay.since_ns,
                                                 .why = stands ? member->delay.why.message : NULL };
    }
    member->is_delay_told = stands;
}

/* ---- all partitions -------------------------------------------------------------------------------- */

static size_t count_own(const struct kafka_log *log)
{
    size_t count = 0;
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; i < topic->face.partitions; i++) {
            count += topic->parts[i].is_assigned;
        }
    }
    return count;
}

static void list_own(const struct kafka_log *log, struct kafka_partition **ret)
{
    for (struct kafka_topic *topic = log->topics; topic != NULL; topic = topic->later) {
        for (uint32_t i = 0; i < topic->face.partitions; i++) {
            if (topic->parts[i].is_assigned) {
                *ret++ = &topic->parts[i];
            }
        }
    }
}

weir_status kafka_log_stalls(struct log *face, const struct log_look *look, struct arena *arena,
                             struct log_stall **ret_stalls, size_t *ret_count, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    bool is_asked = log->member != NULL && atomic_load(&log->away_ns) == 0;
    size_t count = is_asked ? count_own(log) : 0;
    struct kafka_partition **own = arena_alloc(arena, (count + 1) * sizeof *own);
    struct inquiry inquiry = { .member = log->member, .look = look };
    inquiry.parts = arena_alloc(arena, (count + 1) * sizeof *inquiry.parts);
    *ret_stalls = arena_alloc(arena, (count + 2) * sizeof **ret_stalls);
    *ret_count = 0;
    if (own == NULL || inquiry.parts == NULL || *ret_stalls == NULL) {
        return error_no_memory(error);
    }
    if (count > 0) {
        list_own(log, own);
    }
    for (size_t i = 0; i < count; i++) {
        look_at(log->member, own[i], look->now_ns);
        if (is_due(&own[i]->still, look)) {
            inquiry.parts[inquiry.count++] = own[i];
        }
    }
    ask(&inquiry);
    for (size_t i = 0; i < count; i++) {
        if (!tell(own[i], look, arena, *ret_stalls, ret_count)) {
            return error_no_memory(error);
        }
    }
    if (is_asked) {
        tell_put_off(log->member, look, *ret_stalls, ret_count);
    }
    return WEIR_OK;
}
