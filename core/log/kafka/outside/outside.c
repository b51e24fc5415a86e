/* SPDX-License-Identifier: MIT */
#include "log/kafka/outside/outside.h"

#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/group_position.h"
#include "log/kafka/client/request.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/consume/browse.h"
#include "log/kafka/group/facts.h"
#include "log/kafka/group/member.h"
#include "log/kafka/group/progress.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/produce/producer.h"
#include "log/kafka/topics/topics.h"

#define FACTS_LIMIT (UINT64_C(512) << 20)
enum { MOST_TRIES = 20, RETRY_MS = 200, TURN_MS = 200, READ_MESSAGES = 256, READ_BYTES = 4 << 20 };

void kafka_outside_init(struct kafka_outside *outside)
{
    *outside = (struct kafka_outside){ .group = NULL };
    buffer_init(&outside->facts, FACTS_LIMIT);
}

void kafka_outside_deinit(struct kafka_outside *outside)
{
    buffer_deinit(&outside->facts);
}

/* ---- reading ------------------------------------------------------------------------------------- */

/* What the group's last commit names; "": nothing. */
static weir_status ask_id(struct kafka_log *log, const char *group, const char *topic,
                          char id[PROGRESS_ID_ROOM], struct error *error)
{
    char doing[400];
    snprintf(doing, sizeof doing, "ask what group '%s' keeps", group);
    struct kafka_group_deed deed = { group, doing };
    rd_kafka_topic_partition_list_t *position;
    weir_status st = kafka_group_position(log, &deed, topic, 0, &position, error);
    id[0] = '\0';
    if (st == WEIR_OK) {
        progress_id_read(&position->elems[0], id);
        rd_kafka_topic_partition_list_destroy(position);
    }
    return st;
}

/* Between the two questions another process may have committed, and removed what the first answer names. */
static weir_status load(struct kafka_log *log, const char *group, struct kafka_topic *topic,
                        struct error *error)
{
    struct progress progress = { .log = log, .topic = topic };
    char id[PROGRESS_ID_ROOM];
    weir_status st;
    struct arena arena;
    arena_init(&arena, 0);
    const char *name = progress_scope_name(&arena, NULL, 0);
    int tries = 0;
    do {
        if (tries > 0) {
            clock_rest(RETRY_MS);
        }
        st = ask_id(log, group, topic->face.name, id, error);
        if (st == WEIR_OK && id[0] != '\0') {
            st = progress_read(&progress, name, id, &log->outside.facts, error);
        }
    } while (st == WEIR_E_NOT_FOUND && ++tries < MOST_TRIES && kafka_goes_on(log));
    arena_deinit(&arena);
    return st;
}

static weir_status look(struct kafka_log *log, const char *group, struct error *error)
{
    struct kafka_outside *outside = &log->outside;
    if (outside->group != NULL && strcmp(outside->group, group) == 0) {
        return WEIR_OK;
    }
    buffer_clear(&outside->facts);
    const char *name = progress_topic_name(&log->arena, group);
    const char *kept = arena_copy(&log->arena, group, strlen(group));
    if (name == NULL || kept == NULL) {
        return error_no_memory(error);
    }
    struct kafka_topic *topic = kafka_topic_find(log, name);
    weir_status st = topic == NULL ? WEIR_OK : load(log, group, topic, error);
    outside->group = st == WEIR_OK ? kept : NULL;
    return st;
}

weir_status kafka_log_fact_get(struct log *face, const char *group, const char *key,
                               struct arena *arena, weir_slice *ret_value, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    if (log->claim.name != NULL) {
        return kafka_claim_fact(log, key, arena, ret_value, error);
    }
    if (log->member != NULL) {
        *ret_value = progress_get(&log->member->progress, key);
        return WEIR_OK;
    }
    weir_status st = look(log, group, error);
    *ret_value =
        st == WEIR_OK ? facts_find(&log->outside.facts, key) : (weir_slice){ NULL, LOG_ABSENT };
    return st;
}

/* Those of partitions are another's to know. */
weir_status kafka_log_facts(struct log *face, const char *group, struct arena *arena,
                            struct log_fact **ret_facts, size_t *ret_count, struct error *error)
{
    (void)face;
    (void)arena;
    *ret_facts = NULL;
    *ret_count = 0;
    return error_set(error, WEIR_E_UNSUPPORTED, WEIR_CLASS_CONFIG,
                     "cannot list what pipeline '%s' keeps on Kafka", group);
}

/* ---- forgetting ---------------------------------------------------------------------------------- */

static weir_status judge_deletion(struct kafka_log *log, rd_kafka_event_t *event, const char *group,
                                  struct error *error)
{
    size_t count = 0;
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    const rd_kafka_group_result_t **groups =
        rd_kafka_DeleteGroups_result_groups(rd_kafka_event_DeleteGroups_result(event), &count);
    const rd_kafka_error_t *fault = count > 0 ? rd_kafka_group_result_error(groups[0]) : NULL;
    code = fault != NULL ? rd_kafka_error_code(fault) : code;
    if (code == RD_KAFKA_RESP_ERR_NO_ERROR || code == RD_KAFKA_RESP_ERR_GROUP_ID_NOT_FOUND) {
        return WEIR_OK;
    }
    weir_status st = kafka_error(error, code, "forget the positions of group '%s'", group);
    kafka_lack_if(log->settings, code, "Delete", KAFKA_GROUP, group, error);
    if (code == RD_KAFKA_RESP_ERR_NON_EMPTY_GROUP) {
        error_hint(error, "stop the processes of the pipeline first");
    }
    return st;
}

/* Refused by the brokers where it has members. Nothing is valid any more that positions have named. */
static weir_status delete_group(struct kafka_log *log, const char *group, struct error *error)
{
    rd_kafka_DeleteGroup_t *wanted = rd_kafka_DeleteGroup_new(group);
    struct kafka_request request = kafka_request_begin(log, RD_KAFKA_ADMIN_OP_DELETEGROUPS);
    rd_kafka_DeleteGroups(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_DeleteGroup_destroy(wanted);
    if (event == NULL) {
        return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                         "could not forget group '%s': Kafka does not answer", group);
    }
    weir_status st = judge_deletion(log, event, group, error);
    rd_kafka_event_destroy(event);
    return st;
}

static weir_status remove_one(struct log_topic *topic, const struct log_message *message,
                              struct error *error)
{
    struct log_message removed = { .timestamp = clock_wall_ms(),
                                   .key = message->key,
                                   .value = { NULL, LOG_ABSENT } };
    return message->value.size == LOG_ABSENT ? WEIR_OK : log_append(topic, 0, &removed, 1, error);
}

/* Up to the end as it is at the beginning: what is removed is written behind it. */
static weir_status remove_facts(struct kafka_log *log, struct kafka_topic *topic,
                                struct error *error)
{
    struct log_partition_info info;
    struct arena arena;
    struct log_batch batch = { .next = 0 };
    arena_init(&arena, 0);
    weir_status st = log_partition_info(&topic->face, 0, &info, error);
    batch.next = info.begin;
    while (st == WEIR_OK && batch.next < info.end && !batch.is_at_end) {
        arena_reset(&arena);
        st = kafka_browse(log, topic, 0, kafka_place(batch.next), READ_MESSAGES, READ_BYTES, &arena,
                          &batch, error);
        for (uint32_t i = 0; st == WEIR_OK && i < batch.count; i++) {
            st = batch.messages[i].offset < info.end
                     ? remove_one(&topic->face, &batch.messages[i], error)
                     : WEIR_OK;
        }
    }
    arena_deinit(&arena);
    return st;
}

static weir_status deliver(struct kafka_log *log, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + kafka_timeout(log) * INT64_C(1000000);
    weir_status st;
    do {
        st = kafka_flush(log, TURN_MS, error);
    } while (st == WEIR_E_TIMEOUT && kafka_goes_on(log) && clock_monotonic_ns() < end_ns);
    kafka_producer_close(log); /* the run makes one as it needs it */
    return st;
}

weir_status kafka_log_forget(struct log *face, const char *group, struct error *error)
{
    struct kafka_log *log = kafka_of(face);
    const char *name = progress_topic_name(&log->arena, group);
    struct kafka_topic *topic = name == NULL ? NULL : kafka_topic_find(log, name);
    weir_status st = name == NULL ? error_no_memory(error) : delete_group(log, group, error);
    if (st == WEIR_OK && topic != NULL) {
        st = remove_facts(log, topic, error);
    }
    return st == WEIR_OK && topic != NULL ? deliver(log, error) : st;
}
