/* SPDX-License-Identifier: MIT */
/*
 * Whether the group and its topics may be read. A position in a partition that cannot be there is refused, and
 * before that the rights to the group and to the topic are judged.
 */
#include <string.h>

#include "log/kafka/client/client.h"
#include "log/kafka/client/request.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/consume/browse.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/outside/asking.h"
#include "log/kafka/topics/topics.h"

enum { NO_PARTITION = INT32_MAX };

static size_t find_use(const struct asking *asking, const char *topic)
{
    size_t i = 0;
    while (i < asking->use_count && strcmp(asking->uses[i].topic, topic) != 0) {
        i++;
    }
    return i;
}

/* The right is there: the partition is not, or what is like Kafka takes positions in any. */
static bool may_read(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART || code == RD_KAFKA_RESP_ERR_NO_ERROR;
}

/* What the brokers say of positions that they cannot take. */
static weir_status judge_positions(struct asking *asking,
                                   const rd_kafka_topic_partition_list_t *list, bool *ret_is_denied,
                                   struct error *error)
{
    for (int i = 0; list != NULL && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *entry = &list->elems[i];
        size_t use = find_use(asking, entry->topic);
        if (kafka_is_denied(entry->err, KAFKA_GROUP)) {
            *ret_is_denied = true;
        } else if (kafka_is_denied(entry->err, KAFKA_TOPIC) && use < asking->use_count) {
            if (!asking->hidden[use]) { /* otherwise it has been told */
                asking_add_topic(asking, use, "Read");
            }
        } else if (!may_read(entry->err)) {
            return kafka_error(error, entry->err, "ask for the right to read topic '%s'",
                               entry->topic);
        }
    }
    return WEIR_OK;
}

static weir_status judge_answer(struct asking *asking, rd_kafka_event_t *event, bool *ret_is_denied,
                                struct error *error)
{
    size_t count = 0;
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    const rd_kafka_group_result_t **groups = rd_kafka_AlterConsumerGroupOffsets_result_groups(
        rd_kafka_event_AlterConsumerGroupOffsets_result(event), &count);
    const rd_kafka_error_t *fault = count > 0 ? rd_kafka_group_result_error(groups[0]) : NULL;
    code = fault != NULL ? rd_kafka_error_code(fault) : code;
    *ret_is_denied = kafka_is_denied(code, KAFKA_GROUP);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR && !*ret_is_denied) {
        return kafka_error(error, code, "ask for the rights in group '%s'", asking->group);
    }
    return *ret_is_denied || count == 0
               ? WEIR_OK
               : judge_positions(asking, rd_kafka_group_result_partitions(groups[0]), ret_is_denied,
                                 error);
}

static rd_kafka_topic_partition_list_t *list_reads(const struct asking *asking)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)asking->use_count);
    for (size_t i = 0; i < asking->use_count; i++) {
        if (asking->uses[i].is_read) {
            rd_kafka_topic_partition_list_add(list, asking->uses[i].topic, NO_PARTITION)->offset =
                0;
        }
    }
    return list;
}

/* ret_is_denied: the group is, and then nothing is told of topics. */
static weir_status ask_positions(struct asking *asking, bool *ret_is_denied, struct error *error)
{
    rd_kafka_topic_partition_list_t *list = list_reads(asking);
    rd_kafka_AlterConsumerGroupOffsets_t *wanted =
        rd_kafka_AlterConsumerGroupOffsets_new(asking->group, list);
    rd_kafka_topic_partition_list_destroy(list);
    struct kafka_request request =
        kafka_request_begin(asking->log, RD_KAFKA_ADMIN_OP_ALTERCONSUMERGROUPOFFSETS);
    rd_kafka_AlterConsumerGroupOffsets(asking->log->admin, &wanted, 1, request.options,
                                       request.queue);
    rd_kafka_event_t *event = kafka_request_answer(asking->log, &request);
    rd_kafka_AlterConsumerGroupOffsets_destroy(wanted);
    if (event == NULL) {
        return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                         "could not ask for the rights in group '%s': Kafka does not answer",
                         asking->group);
    }
    weir_status st = judge_answer(asking, event, ret_is_denied, error);
    rd_kafka_event_destroy(event);
    return st;
}

/* Where the group is denied, a topic tells itself whether it may be read. */
static weir_status try_reading(struct asking *asking, size_t use, struct error *error)
{
    struct arena arena;
    struct log_batch batch;
    struct error fault = { .status = WEIR_OK };
    arena_init(&arena, 0);
    weir_status st =
        kafka_browse(asking->log, kafka_topic_find(asking->log, asking->uses[use].topic), 0,
                     KAFKA_END, 1, 1, &arena, &batch, &fault);
    arena_deinit(&arena);
    if (st != WEIR_OK && fault.error_class == WEIR_CLASS_AUTH) {
        asking_add_topic(asking, use, "Read");
        return WEIR_OK;
    }
    *error = st == WEIR_OK ? *error : fault;
    return st;
}

weir_status asking_reads(struct asking *asking, struct error *error)
{
    bool is_denied = false;
    weir_status st = ask_positions(asking, &is_denied, error);
    if (st != WEIR_OK || !is_denied) {
        return st;
    }
    (void)kafka_lack(asking->log->settings, "Read", KAFKA_GROUP, asking->group,
                     asking_add(asking, LOG_OF_GROUP));
    for (size_t i = 0; st == WEIR_OK && i < asking->use_count; i++) {
        if (asking->uses[i].is_read && asking_is_there(asking, i)) {
            st = try_reading(asking, i, error);
        }
    }
    return st;
}
