/* SPDX-License-Identifier: MIT */
#include "log/kafka/commit/confirm.h"

#include "base/clock.h"
#include "log/kafka/client/health.h"
#include "log/kafka/commit/commit_request.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"

enum { PAUSE_MS = 50 };

/* One try, or one turn of waiting for its answer. */
static weir_status ask_once(struct kafka_member *member,
                            const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    error->is_retriable = false;
    weir_status st = member->is_committing ? WEIR_OK : kafka_commit_send(member, list, error);
    return st == WEIR_OK && member->is_committing ? kafka_commit_answer(member, error) : st;
}

/* Before the next try. The brokers or the group may have given this process up. */
static weir_status rest(struct kafka_member *member, struct error *error)
{
    if (!member->is_committing) { /* otherwise it has waited for the answer */
        clock_rest(PAUSE_MS);
    }
    weir_status st = kafka_health_check(member->log, error);
    return st == WEIR_OK ? kafka_standing_check(member, error) : st;
}

/* As long as the run goes on. */
static weir_status ask(struct kafka_member *member, const rd_kafka_topic_partition_list_t *list,
                       struct error *error)
{
    weir_status st;
    do {
        st = ask_once(member, list, error);
    } while (st != WEIR_OK && error->is_retriable && kafka_goes_on(member->log) &&
             (st = rest(member, error)) == WEIR_OK);
    member->is_committing = false;
    return st;
}

weir_status kafka_log_confirm(struct log *face, struct error *error)
{
    struct kafka_member *member = kafka_of(face)->member;
    weir_status st = WEIR_OK;
    if (member == NULL || member->is_committing) {
        return WEIR_OK;
    }
    progress_keep(&member->progress);
    rd_kafka_topic_partition_list_t *list = kafka_commit_list_again(member);
    if (list == NULL) {
        return error_no_memory(error);
    }
    if (list->cnt > 0) {
        st = ask(member, list, error);
    }
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}
