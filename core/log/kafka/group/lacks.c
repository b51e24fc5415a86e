/* SPDX-License-Identifier: MIT */
#include "log/kafka/group/lacks.h"

#include <string.h>

#include "base/memory.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/request.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/consume/browse.h"
#include "log/kafka/group/look.h"
#include "log/kafka/group/progress.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/offsets.h"
#include "log/kafka/topics/topics.h"

/*
 * This librdkafka cannot ask the brokers for the rights of its user. So each broker is asked for something
 * that it judges only after it has judged the right, and that it has to refuse then:
 *
 *     to see a topic   its metadata, by its name
 *     to read          a position in a partition that cannot be there; also tells of the group's
 *     to write         a message that so many brokers are to acknowledge as the protocol does not have
 *     to remove        messages up to an offset that cannot be reached
 *     transactions     a transaction that may last longer than brokers allow
 */
enum { TOPIC_RIGHTS = 3, NO_PARTITION = INT32_MAX };

/*
 * uses      those of the run, and behind them that of the topic with the group's facts
 * use_count of all of them
 * hidden    by use
 */
struct asking {
    struct kafka_log *log;
    const char *group;
    struct log_use *uses;
    size_t use_count;
    bool *hidden;
    struct log_lack *lacks;
    size_t count;
};

/* The index that the caller knows. */
static size_t index_of(const struct asking *asking, size_t use)
{
    return use + 1 == asking->use_count ? LOG_OF_GROUP : use;
}

static struct error *add(struct asking *asking, size_t index)
{
    struct log_lack *lack = &asking->lacks[asking->count++];
    *lack = (struct log_lack){ .use = index };
    return &lack->fault;
}

static void add_topic(struct asking *asking, size_t use, const char *right)
{
    (void)kafka_lack(asking->log->settings, right, KAFKA_TOPIC, asking->uses[use].topic,
                     add(asking, index_of(asking, use)));
    asking->lacks[asking->count - 1].is_hidden = asking->hidden[use];
}

static bool is_there(const struct asking *asking, size_t use)
{
    return !asking->hidden[use] && kafka_topic_find(asking->log, asking->uses[use].topic) != NULL;
}

/* ---- seeing -------------------------------------------------------------------------------------- */

/* By a consumer: the same question of a producer may make a topic. */
static weir_status look_at_all(struct asking *asking, struct error *error)
{
    rd_kafka_t *consumer = NULL;
    weir_status st = kafka_reader_client(asking->log, &consumer, error);
    for (size_t i = 0; st == WEIR_OK && i < asking->use_count; i++) {
        st = kafka_topic_is_hidden(asking->log, consumer, asking->uses[i].topic, &asking->hidden[i],
                                   error);
        if (asking->hidden[i] && asking->uses[i].is_read) {
            add_topic(asking, i, "Read");
        }
        if (asking->hidden[i] && asking->uses[i].is_written) {
            add_topic(asking, i, "Write");
        }
    }
    if (consumer != NULL) {
        rd_kafka_destroy_flags(consumer, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    }
    return st;
}

/* ---- the group, and reading ---------------------------------------------------------------------- */

static size_t find_use(const struct asking *asking, const char *topic)
{
    size_t i = 0;
    while (i < asking->use_count && strcmp(asking->uses[i].topic, topic) != 0) {
        i++;
    }
    return i;
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
                add_topic(asking, use, "Read");
            }
        } else if (entry->err != RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART) {
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
                     RD_KAFKA_OFFSET_END, 1, 1, &arena, &batch, &fault);
    arena_deinit(&arena);
    if (st != WEIR_OK && fault.error_class == WEIR_CLASS_AUTH) {
        add_topic(asking, use, "Read");
        return WEIR_OK;
    }
    *error = st == WEIR_OK ? *error : fault;
    return st;
}

static weir_status ask_reads(struct asking *asking, struct error *error)
{
    bool is_denied = false;
    weir_status st = ask_positions(asking, &is_denied, error);
    if (st != WEIR_OK || !is_denied) {
        return st;
    }
    (void)kafka_lack(asking->log->settings, "Read", KAFKA_GROUP, asking->group,
                     add(asking, LOG_OF_GROUP));
    for (size_t i = 0; st == WEIR_OK && i < asking->use_count; i++) {
        if (asking->uses[i].is_read && is_there(asking, i)) {
            st = try_reading(asking, i, error);
        }
    }
    return st;
}

/* ---- writing ------------------------------------------------------------------------------------- */

static void take_outcome(rd_kafka_t *rk, const rd_kafka_message_t *message, void *self)
{
    (void)rk, (void)self;
    *(rd_kafka_resp_err_t *)message->_private = message->err;
}

static weir_status make_producer(struct kafka_log *log, rd_kafka_t **ret_producer,
                                 struct error *error)
{
    rd_kafka_conf_t *conf = NULL;
    weir_status st =
        kafka_conf_make(log->settings, log->brokers, KAFKA_PRODUCER, NULL, &conf, error);
    if (st != WEIR_OK) {
        return st;
    }
    (void)rd_kafka_conf_set(conf, "enable.idempotence", "false", NULL, 0);
    (void)rd_kafka_conf_set(conf, "acks", "2", NULL, 0); /* the protocol has 0, 1 and -1 */
    (void)rd_kafka_conf_set(conf, "retries", "0", NULL, 0);
    rd_kafka_conf_set_dr_msg_cb(conf, take_outcome);
    *ret_producer = kafka_client(log, RD_KAFKA_PRODUCER, conf, error);
    return *ret_producer == NULL ? WEIR_E_INVALID : WEIR_OK;
}

static void offer(const struct asking *asking, rd_kafka_t *producer, size_t use,
                  rd_kafka_resp_err_t *outcome)
{
    static const char key[] = "weir asks for the right to write";
    rd_kafka_topic_t *handle = rd_kafka_topic_new(producer, asking->uses[use].topic, NULL);
    *outcome = RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (handle != NULL &&
        rd_kafka_produce(handle, 0, 0, NULL, 0, key, sizeof key - 1, outcome) != 0) {
        *outcome = rd_kafka_last_error();
    }
    if (handle != NULL) {
        rd_kafka_topic_destroy(handle);
    }
}

static weir_status judge_outcome(struct asking *asking, size_t use, rd_kafka_resp_err_t code,
                                 struct error *error)
{
    if (kafka_is_denied(code, KAFKA_TOPIC)) {
        add_topic(asking, use, "Write");
        return WEIR_OK;
    }
    return code == RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS
               ? WEIR_OK
               : kafka_error(error, code, "ask for the right to write to topic '%s'",
                             asking->uses[use].topic);
}

static weir_status ask_writes(struct asking *asking, struct error *error)
{
    rd_kafka_t *producer = NULL;
    rd_kafka_resp_err_t *outcomes = memory_zeroed(asking->use_count, sizeof *outcomes);
    weir_status st =
        outcomes == NULL ? error_no_memory(error) : make_producer(asking->log, &producer, error);
    for (size_t i = 0; st == WEIR_OK && i < asking->use_count; i++) {
        if (asking->uses[i].is_written && is_there(asking, i)) {
            offer(asking, producer, i, &outcomes[i]);
        }
    }
    if (producer != NULL) {
        (void)rd_kafka_flush(producer, kafka_timeout(asking->log));
        (void)rd_kafka_purge(producer, RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
        (void)rd_kafka_flush(producer, 0);
        rd_kafka_destroy(producer);
    }
    for (size_t i = 0; st == WEIR_OK && i < asking->use_count; i++) {
        if (asking->uses[i].is_written && is_there(asking, i)) {
            st = judge_outcome(asking, i, outcomes[i], error);
        }
    }
    memory_free(outcomes);
    return st;
}

/* ---- removing ------------------------------------------------------------------------------------ */

static weir_status ask_removing(struct asking *asking, size_t use, struct error *error)
{
    struct error fault = { .status = WEIR_OK };
    struct kafka_topic *topic = kafka_topic_find(asking->log, asking->uses[use].topic);
    weir_status st = kafka_remove_before(&topic->face, 0, INT64_MAX, &fault);
    if (st != WEIR_OK && fault.error_class == WEIR_CLASS_AUTH) {
        add_topic(asking, use, "Delete");
    } else if (st == WEIR_E_TIMEOUT) {
        *error = fault;
        return st;
    }
    return WEIR_OK;
}

static weir_status ask_all_removing(struct asking *asking, struct error *error)
{
    weir_status st = WEIR_OK;
    for (size_t i = 0; st == WEIR_OK && i < asking->use_count; i++) {
        if (asking->uses[i].is_trimmed && is_there(asking, i)) {
            st = ask_removing(asking, i, error);
        }
    }
    return st;
}

/* ---- transactions -------------------------------------------------------------------------------- */

static rd_kafka_t *make_transactional(struct kafka_log *log, const char *id, struct error *error)
{
    rd_kafka_conf_t *conf = NULL;
    if (kafka_conf_make(log->settings, log->brokers, KAFKA_PRODUCER, NULL, &conf, error) !=
        WEIR_OK) {
        return NULL;
    }
    (void)rd_kafka_conf_set(conf, "transactional.id", id, NULL, 0);
    (void)rd_kafka_conf_set(conf, "transaction.timeout.ms", "2147483647", NULL, 0);
    return kafka_client(log, RD_KAFKA_PRODUCER, conf, error);
}

/* The id is one that no process bears now: a broker whose limit is as high as can be would take it over. */
static bool may_ask(struct asking *asking)
{
    struct arena arena;
    struct log_group group;
    struct error ignored;
    arena_init(&arena, 0);
    bool is_alone = kafka_property_get(asking->log->settings, "group.instance.id") == NULL ||
                    (kafka_log_group_look(&asking->log->face, asking->group, &arena, &group,
                                          &ignored) == WEIR_OK &&
                     group.member_count == 0);
    arena_deinit(&arena);
    return is_alone;
}

static weir_status ask_transactions(struct asking *asking, struct error *error)
{
    struct kafka_log *log = asking->log;
    if (!may_ask(asking)) {
        return WEIR_OK;
    }
    const char *id = log->transaction_name != NULL ? log->transaction_name
                                                   : kafka_transaction_name(log, asking->group);
    rd_kafka_t *producer = id == NULL ? NULL : make_transactional(log, id, error);
    if (producer == NULL) {
        return id == NULL ? error_no_memory(error) : error->status;
    }
    rd_kafka_error_t *fault = rd_kafka_init_transactions(producer, kafka_timeout(log));
    rd_kafka_resp_err_t code =
        fault == NULL ? RD_KAFKA_RESP_ERR_NO_ERROR : rd_kafka_error_code(fault);
    rd_kafka_error_destroy(fault);
    rd_kafka_destroy(producer);
    if (kafka_is_denied(code, KAFKA_TRANSACTIONAL_ID)) {
        kafka_lack_transactions(log->settings, asking->group, id, add(asking, LOG_OF_GROUP));
        return WEIR_OK;
    }
    return code == RD_KAFKA_RESP_ERR_NO_ERROR ||
                   code == RD_KAFKA_RESP_ERR_INVALID_TRANSACTION_TIMEOUT
               ? WEIR_OK
               : kafka_error(error, code, "ask for the right to transactions of '%s'", id);
}

/* ---- all of it ----------------------------------------------------------------------------------- */

/* False: no memory. */
static bool prepare(struct asking *asking, const struct log_uses *uses, struct arena *arena)
{
    const char *topic = progress_topic_name(arena, uses->group);
    asking->use_count = uses->count + 1;
    asking->uses = arena_zeroed(arena, asking->use_count * sizeof *asking->uses);
    asking->hidden = arena_zeroed(arena, asking->use_count);
    asking->lacks =
        arena_zeroed(arena, (TOPIC_RIGHTS * asking->use_count + 2) * sizeof *asking->lacks);
    if (topic == NULL || asking->uses == NULL || asking->hidden == NULL || asking->lacks == NULL) {
        return false;
    }
    for (size_t i = 0; i < uses->count; i++) {
        asking->uses[i] = uses->list[i];
    }
    asking->uses[uses->count] =
        (struct log_use){ .topic = topic, .is_read = true, .is_written = uses->has_facts };
    return true;
}

weir_status kafka_log_lacks(struct log *face, const struct log_uses *uses, struct arena *arena,
                            struct log_lack **ret_lacks, size_t *ret_count, struct error *error)
{
    struct asking asking = { .log = kafka_of(face), .group = uses->group };
    if (!prepare(&asking, uses, arena)) {
        return error_no_memory(error);
    }
    weir_status st = look_at_all(&asking, error);
    st = st == WEIR_OK ? ask_reads(&asking, error) : st;
    st = st == WEIR_OK ? ask_writes(&asking, error) : st;
    st = st == WEIR_OK ? ask_all_removing(&asking, error) : st;
    st = st == WEIR_OK && uses->is_exactly_once ? ask_transactions(&asking, error) : st;
    *ret_lacks = asking.lacks;
    *ret_count = asking.count;
    return st;
}
