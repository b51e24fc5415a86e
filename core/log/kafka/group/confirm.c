/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/confirm.h"

#include <time.h>

#include "log/kafka/client/health.h"
#include "log/kafka/group/commit_request.h"
#include "log/kafka/group/member.h"
#include "log/kafka/kafka_log.h"

enum { PAUSE_MS = 50 };

/* One try, or one turn of waiting for its answer. */
static weir_status ask_again(struct kafka_member *member,
                             const rd_kafka_topic_partition_list_t *list, struct error *error)
{
    error->is_retriable = false;
    weir_status st = member->is_committing ? WEIR_OK : kafka_commit_send(member, list, error);
    return st == WEIR_OK && member->is_committing ? kafka_commit_answer(member, error) : st;
}

/* As long as the run goes on and neither the brokers nor the group have given this process up. */
static bool may_ask_again(struct kafka_member *member, weir_status st, struct error *error)
{
    if (st == WEIR_OK || st == WEIR_AGAIN || !error->is_retriable || !kafka_goes_on(member->log)) {
        return false;
    }
    if (!member->is_committing) {
        struct timespec pause = { .tv_nsec = PAUSE_MS * 1000000 };
        nanosleep(&pause, NULL);
    }
    return kafka_health_check(member->log, error) == WEIR_OK &&
           kafka_standing_check(member, error) == WEIR_OK;
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
        do {
            st = ask_again(member, list, error);
        } while (may_ask_again(member, st, error));
        member->is_committing = false;
    }
    rd_kafka_topic_partition_list_destroy(list);
    return st;
}
