/* SPDX-License-Identifier: MIT */
#include "log/kafka/topics/readers.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/logger.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/place.h"
#include "log/kafka/client/request.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/topics.h"

/*
 * FIRST_MS  of the first attempt; each has twice as long as the one before
 * REST_MS   before the next one, where the answer has come at once
 */
enum { FIRST_MS = 3000, REST_MS = 300 };

struct group_names {
    const char **names;
    size_t count;
};

static weir_status no_answer(const char *what, struct error *error)
{
    return error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                     "could not %s: Kafka does not answer", what);
}

/* ---- which groups there are ------------------------------------------------------------------------ */

/* Each broker lists those that it coordinates: without one of them the list would have holes. */
static weir_status judge_groups(const rd_kafka_ListConsumerGroups_result_t *result,
                                struct error *error)
{
    size_t count = 0;
    const rd_kafka_error_t **faults = rd_kafka_ListConsumerGroups_result_errors(result, &count);
    return count == 0 ? WEIR_OK
                      : kafka_error(error, rd_kafka_error_code(faults[0]), "list the groups");
}

static weir_status copy_groups(const rd_kafka_ListConsumerGroups_result_t *result,
                               struct arena *arena, struct group_names *ret, struct error *error)
{
    size_t count = 0;
    const rd_kafka_ConsumerGroupListing_t **groups =
        rd_kafka_ListConsumerGroups_result_valid(result, &count);
    ret->names = arena_alloc(arena, (count + 1) * sizeof *ret->names);
    for (size_t i = 0; ret->names != NULL && i < count; i++) {
        const char *name = rd_kafka_ConsumerGroupListing_group_id(groups[i]);
        ret->names[ret->count] = arena_copy(arena, name, strlen(name));
        if (ret->names[ret->count++] == NULL) {
            return error_no_memory(error);
        }
    }
    return ret->names == NULL ? error_no_memory(error) : WEIR_OK;
}

static weir_status take_list(rd_kafka_event_t *event, struct arena *arena, struct group_names *ret,
                             struct error *error)
{
    const rd_kafka_ListConsumerGroups_result_t *result =
        rd_kafka_event_ListConsumerGroups_result(event);
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    weir_status st = code != RD_KAFKA_RESP_ERR_NO_ERROR
                         ? kafka_error(error, code, "list the groups")
                         : judge_groups(result, error);
    return st == WEIR_OK ? copy_groups(result, arena, ret, error) : st;
}

/* ---- their positions ------------------------------------------------------------------------------- */

/*
 * What is gathered of one topic.
 *
 * client      that asks
 * attempt_ms  how long an answer is waited for
 * group       that is asked for; NULL: all that there are
 */
struct gathering {
    struct kafka_log *log;
    rd_kafka_t *client;
    int attempt_ms;
    struct log_topic *topic;
    const char *group;
    struct arena *arena;
    struct log_reader *readers;
    size_t count;
};

static weir_status list_groups(struct gathering *g, struct group_names *ret, struct error *error)
{
    struct kafka_request request =
        kafka_request_begin_at(g->client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPS, g->attempt_ms);
    rd_kafka_ListConsumerGroups(g->client, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(g->log, &request);
    if (event == NULL) {
        return no_answer("list the groups", error);
    }
    weir_status st = take_list(event, g->arena, ret, error);
    rd_kafka_event_destroy(event);
    return st;
}

static void ask(struct gathering *g, const char *group, struct kafka_request *request)
{
    rd_kafka_topic_partition_list_t *list =
        rd_kafka_topic_partition_list_new((int)g->topic->partitions);
    for (uint32_t i = 0; i < g->topic->partitions; i++) {
        rd_kafka_topic_partition_list_add(list, g->topic->name, (int32_t)i);
    }
    rd_kafka_ListConsumerGroupOffsets_t *wanted =
        rd_kafka_ListConsumerGroupOffsets_new(group, list);
    rd_kafka_topic_partition_list_destroy(list);
    rd_kafka_ListConsumerGroupOffsets(g->client, &wanted, 1, request->options, request->queue);
    rd_kafka_ListConsumerGroupOffsets_destroy(wanted);
}

static weir_status take_positions(struct gathering *g, const rd_kafka_group_result_t *answer,
                                  struct error *error)
{
    const char *name = rd_kafka_group_result_name(answer);
    const char *group = arena_copy(g->arena, name, strlen(name));
    const rd_kafka_error_t *fault = rd_kafka_group_result_error(answer);
    const rd_kafka_topic_partition_list_t *list = rd_kafka_group_result_partitions(answer);
    if (fault != NULL) {
        return kafka_error(error, rd_kafka_error_code(fault), "ask how far group '%s' has read",
                           name);
    }
    for (int i = 0; group != NULL && list != NULL && i < list->cnt; i++) {
        const rd_kafka_topic_partition_t *part = &list->elems[i];
        if (part->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
            return kafka_error(error, part->err, "ask how far group '%s' has read topic '%s'", name,
                               g->topic->name);
        }
        struct log_reader reader = { group, (uint32_t)part->partition, 0 };
        if (kafka_place_offset(kafka_place_read(part->offset), &reader.position)) {
            g->readers[g->count++] = reader;
        }
    }
    return group == NULL ? error_no_memory(error) : WEIR_OK;
}

static weir_status take_answer(struct gathering *g, rd_kafka_event_t *event, struct error *error)
{
    size_t count = 0;
    rd_kafka_resp_err_t code = rd_kafka_event_error(event);
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return kafka_error(error, code, "ask how far groups have read topic '%s'", g->topic->name);
    }
    const rd_kafka_group_result_t **groups = rd_kafka_ListConsumerGroupOffsets_result_groups(
        rd_kafka_event_ListConsumerGroupOffsets_result(event), &count);
    return count == 0 ? WEIR_OK : take_positions(g, groups[0], error);
}

/* A request takes one group; all are under way at once. */
static weir_status gather(struct gathering *g, const struct group_names *groups,
                          struct error *error)
{
    weir_status st = WEIR_OK;
    struct kafka_request request = kafka_request_begin_at(
        g->client, RD_KAFKA_ADMIN_OP_LISTCONSUMERGROUPOFFSETS, g->attempt_ms);
    for (size_t i = 0; i < groups->count; i++) {
        ask(g, groups->names[i], &request);
    }
    for (size_t i = 0; st == WEIR_OK && i < groups->count; i++) {
        rd_kafka_event_t *event = kafka_request_next(g->log, &request);
        if (event == NULL) {
            st = no_answer("ask how far groups have read", error);
            break;
        }
        st = take_answer(g, event, error);
        rd_kafka_event_destroy(event);
    }
    kafka_request_end(&request);
    return st;
}

static int by_partition(const void *a, const void *b)
{
    const struct log_reader *left = a;
    const struct log_reader *right = b;
    if (left->partition != right->partition) {
        return left->partition < right->partition ? -1 : 1;
    }
    return strcmp(left->group, right->group);
}

/* ---- until all is known ------------------------------------------------------------------------------ */

static weir_status attempt(struct gathering *g, struct error *error)
{
    struct group_names groups = { &g->group, g->group != NULL ? 1 : 0 };
    weir_status st = g->group != NULL ? WEIR_OK : list_groups(g, &groups, error);
    if (st != WEIR_OK) {
        return st;
    }
    g->count = 0;
    g->readers =
        arena_alloc(g->arena, (groups.count * g->topic->partitions + 1) * sizeof *g->readers);
    return g->readers == NULL ? error_no_memory(error) : gather(g, &groups, error);
}

static int left_ms(int64_t end_ns)
{
    int64_t left_ns = end_ns - clock_monotonic_ns();
    return left_ns > 0 ? (int)(left_ns / 1000000) : 0;
}

/*
 * Once: whoever looks will want to know why it takes so long. What is told are some seconds after a broker has
 * ended, until others have its groups.
 */
static void tell_waiting(const struct gathering *g, const struct error *error)
{
    logger_write(
        LOGGER_INFO, "kafka",
        "%s; waits for up to %d s until every broker answers, or others have taken over the "
        "groups of the one that is away",
        error->message, kafka_timeout(g->log) / 1000);
}

/*
 * By another client: one that has known a broker asks it for ever, also when the cluster has given it up and its
 * groups are elsewhere.
 */
static weir_status attempt_anew(struct gathering *g, struct error *error)
{
    weir_status st = kafka_client_admin(g->log, &g->client, error);
    if (st == WEIR_OK) {
        st = attempt(g, error);
        rd_kafka_destroy(g->client);
    }
    return st;
}

/* How long the next attempt may take; 0: there is none. Rests before it. */
static int next_attempt(const struct gathering *g, weir_status st, const struct error *error,
                        int64_t end_ns)
{
    if (st == WEIR_OK || error->error_class != WEIR_CLASS_NETWORK || !kafka_goes_on(g->log)) {
        return 0;
    }
    clock_rest(REST_MS);
    int left = left_ms(end_ns);
    return left < 2 * g->attempt_ms ? left : 2 * g->attempt_ms;
}

static weir_status gather_all(struct gathering *g, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + kafka_timeout(g->log) * INT64_C(1000000);
    bool is_told = false;
    struct error fault = { .status = WEIR_OK };
    weir_status st = attempt(g, &fault);
    while ((g->attempt_ms = next_attempt(g, st, &fault, end_ns)) > 0) {
        if (!is_told) {
            tell_waiting(g, &fault);
            is_told = true;
        }
        fault = (struct error){ .status = WEIR_OK };
        st = attempt_anew(g, &fault);
    }
    if (st != WEIR_OK && fault.error_class == WEIR_CLASS_NETWORK && g->group == NULL) {
        error_hint(&fault,
                   "each broker knows some of them; try again when all answer, or when others "
                   "have taken over what the one that is away had");
    }
    if (st != WEIR_OK && error != NULL) {
        *error = fault;
    }
    return st;
}

weir_status kafka_log_readers(struct log_topic *topic, const char *group, struct arena *arena,
                              struct log_reader **ret_readers, size_t *ret_count,
                              struct error *error)
{
    struct kafka_log *log = kafka_of(topic->log);
    int most_ms = kafka_timeout(log);
    struct gathering g = { .log = log,
                           .client = log->admin,
                           .attempt_ms = most_ms < FIRST_MS ? most_ms : FIRST_MS,
                           .topic = topic,
                           .group = group,
                           .arena = arena };
    weir_status st = gather_all(&g, error);
    if (st == WEIR_OK) {
        qsort(g.readers, g.count, sizeof *g.readers, by_partition);
        *ret_readers = g.readers;
        *ret_count = g.count;
    }
    return st;
}
