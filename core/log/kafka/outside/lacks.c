/* SPDX-License-Identifier: MIT */
#include "log/kafka/outside/lacks.h"

#include <string.h>

#include "log/kafka/client/client.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/consume/browse.h"
#include "log/kafka/group/progress.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/outside/asking.h"
#include "log/kafka/outside/look.h"
#include "log/kafka/produce/transaction.h"
#include "log/kafka/topics/offsets.h"
#include "log/kafka/topics/topics.h"

/*
 * This librdkafka cannot ask the brokers for the rights of its user. So each broker is asked for something
 * that it judges only after it has judged the right, and that it has to refuse then:
 *
 *     to see a topic   its metadata, by its name
 *     to read          a position in a partition that cannot be there; also tells of the group's
 *                      (asking_reads.c)
 *     to write         a message that so many brokers are to acknowledge as the protocol does not have
 *                      (asking_writes.c)
 *     to remove        messages up to an offset that cannot be reached
 *     transactions     a transaction that may last longer than brokers allow
 */
enum { TOPIC_RIGHTS = 3 };

/* The index that the caller knows. */
static size_t index_of(const struct asking *asking, size_t use)
{
    return use + 1 == asking->use_count ? LOG_OF_GROUP : use;
}

struct error *asking_add(struct asking *asking, size_t index)
{
    struct log_lack *lack = &asking->lacks[asking->count++];
    *lack = (struct log_lack){ .use = index };
    return &lack->fault;
}

void asking_add_topic(struct asking *asking, size_t use, const char *right)
{
    (void)kafka_lack(asking->log->settings, right, KAFKA_TOPIC, asking->uses[use].topic,
                     asking_add(asking, index_of(asking, use)));
    asking->lacks[asking->count - 1].is_hidden = asking->hidden[use];
}

bool asking_is_there(const struct asking *asking, size_t use)
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
            asking_add_topic(asking, i, "Read");
        }
        if (asking->hidden[i] && asking->uses[i].is_written) {
            asking_add_topic(asking, i, "Write");
        }
    }
    if (consumer != NULL) {
        rd_kafka_destroy_flags(consumer, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
    }
    return st;
}

/* ---- removing ------------------------------------------------------------------------------------ */

static weir_status ask_removing(struct asking *asking, size_t use, struct error *error)
{
    struct error fault = { .status = WEIR_OK };
    struct kafka_topic *topic = kafka_topic_find(asking->log, asking->uses[use].topic);
    weir_status st = kafka_remove_before(&topic->face, 0, kafka_place(INT64_MAX), &fault);
    if (st != WEIR_OK && fault.error_class == WEIR_CLASS_AUTH) {
        asking_add_topic(asking, use, "Delete");
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
        if (asking->uses[i].is_trimmed && asking_is_there(asking, i)) {
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
        kafka_lack_transactions(log->settings, asking->group, id, asking_add(asking, LOG_OF_GROUP));
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
    st = st == WEIR_OK ? asking_reads(&asking, error) : st;
    st = st == WEIR_OK ? asking_writes(&asking, error) : st;
    st = st == WEIR_OK ? ask_all_removing(&asking, error) : st;
    st = st == WEIR_OK && uses->is_exactly_once ? ask_transactions(&asking, error) : st;
    *ret_lacks = asking.lacks;
    *ret_count = asking.count;
    return st;
}
