/* SPDX-License-Identifier: MIT */
/*
 * Whether topics may be written to. A message that so many brokers are to acknowledge as the protocol does not
 * have is refused, and before that the right is judged.
 *
 * What is like Kafka may not know that, and would store the message. So the first ones are also larger than
 * their topic takes, until an answer has shown that the brokers refuse such a number for what it is: from then
 * on none can be stored, and they are small. Should one be stored all the same nothing more is asked.
 */
#include "base/logger.h"
#include "base/memory.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/outside/asking.h"
#include "log/kafka/produce/outcomes.h"
#include "log/kafka/topics/configs.h"
#include "log/kafka/topics/topics.h"

enum {
    MOST_BYTES = 8 << 20,          /* that are sent for the sake of an answer */
    BROKERS_LIMIT = (1 << 20) + 12 /* which a topic has where it does not tell another one */
};

/*
 * outcome     of the message that was sent last
 * is_proven   the brokers refuse such messages for their acknowledgements
 * has_stored  one was not refused
 */
struct offering {
    struct asking *asking;
    rd_kafka_t *producer;
    rd_kafka_resp_err_t outcome;
    bool is_proven;
    bool has_stored;
};

static void take_outcome(rd_kafka_t *rk, const rd_kafka_message_t *message, void *self)
{
    struct offering *offering = message->_private;
    (void)rk, (void)self;
    if (!kafka_is_purged(message->err)) { /* otherwise it was waited for in vain */
        offering->outcome = message->err;
    }
}

static weir_status make_producer(struct offering *offering, struct error *error)
{
    static const char *const properties[][2] = {
        { "enable.idempotence", "false" },
        { "acks", "2" }, /* the protocol has 0, 1 and -1 */
        { "retries", "0" },
        { "compression.codec", "none" },
        { "message.max.bytes", "1000000000" },
        { "queue.buffering.max.kbytes", "1048576" },
    };
    struct kafka_log *log = offering->asking->log;
    rd_kafka_conf_t *conf = NULL;
    weir_status st =
        kafka_conf_make(log->settings, log->brokers, KAFKA_PRODUCER, NULL, &conf, error);
    if (st != WEIR_OK) {
        return st;
    }
    for (size_t i = 0; i < sizeof properties / sizeof properties[0]; i++) {
        (void)rd_kafka_conf_set(conf, properties[i][0], properties[i][1], NULL, 0);
    }
    rd_kafka_conf_set_dr_msg_cb(conf, take_outcome);
    offering->producer = kafka_client(log, RD_KAFKA_PRODUCER, conf, error);
    return offering->producer == NULL ? WEIR_E_INVALID : WEIR_OK;
}

/* More than the topic takes; 0: that is too much to send. */
static size_t bytes_beyond(struct kafka_topic *topic)
{
    struct log_topic_options ignored;
    struct error denied = { .status = WEIR_OK };
    if (atomic_load(&topic->limit) == 0) {
        (void)kafka_log_topic_options(&topic->face, &ignored, &denied);
    }
    uint64_t limit = atomic_load(&topic->limit);
    limit = limit == 0 ? BROKERS_LIMIT : limit;
    return limit < MOST_BYTES ? (size_t)limit + 1 : 0;
}

/* What becomes of such a message. */
static rd_kafka_resp_err_t offer(struct offering *offering, const char *name, void *bytes,
                                 size_t size)
{
    static const char key[] = "weir asks for the right to write";
    rd_kafka_topic_t *handle = rd_kafka_topic_new(offering->producer, name, NULL);
    if (handle == NULL) {
        return rd_kafka_last_error();
    }
    offering->outcome = RD_KAFKA_RESP_ERR__TIMED_OUT;
    if (rd_kafka_produce(handle, 0, RD_KAFKA_MSG_F_COPY, bytes, size, key, sizeof key - 1,
                         offering) != 0) {
        offering->outcome = rd_kafka_last_error();
    } else {
        (void)rd_kafka_flush(offering->producer, kafka_timeout(offering->asking->log));
        (void)rd_kafka_purge(offering->producer,
                             RD_KAFKA_PURGE_F_QUEUE | RD_KAFKA_PURGE_F_INFLIGHT);
        (void)rd_kafka_flush(offering->producer, 0);
    }
    rd_kafka_topic_destroy(handle);
    return offering->outcome;
}

static weir_status judge(struct offering *offering, size_t use, rd_kafka_resp_err_t code,
                         struct error *error)
{
    const char *name = offering->asking->uses[use].topic;
    switch (code) {
    case RD_KAFKA_RESP_ERR_INVALID_REQUIRED_ACKS:
        offering->is_proven = true;
        return WEIR_OK;
    case RD_KAFKA_RESP_ERR_MSG_SIZE_TOO_LARGE:
        return WEIR_OK;
    case RD_KAFKA_RESP_ERR_NO_ERROR:
        offering->has_stored = true;
        logger_write(
            LOGGER_WARNING, "kafka",
            "topic '%s' has taken a message that no broker of Kafka takes, with which the "
            "right to write is asked for; it lies in partition 0 and has the key 'weir asks "
            "for the right to write'. The other topics are not asked",
            name);
        return WEIR_OK;
    default:
        break;
    }
    if (kafka_is_denied(code, KAFKA_TOPIC)) {
        asking_add_topic(offering->asking, use, "Write");
        return WEIR_OK;
    }
    return kafka_error(error, code, "ask for the right to write to topic '%s'", name);
}

/* Where it cannot be asked without a doubt, a run will tell. */
static weir_status ask(struct offering *offering, size_t use, struct error *error)
{
    const char *name = offering->asking->uses[use].topic;
    size_t size =
        offering->is_proven ? 0 : bytes_beyond(kafka_topic_find(offering->asking->log, name));
    if (size == 0 && !offering->is_proven) {
        return WEIR_OK;
    }
    uint8_t *bytes = size > 0 ? memory_zeroed(1, size) : NULL;
    if (size > 0 && bytes == NULL) {
        return error_no_memory(error);
    }
    weir_status st = judge(offering, use, offer(offering, name, bytes, size), error);
    memory_free(bytes);
    return st;
}

weir_status asking_writes(struct asking *asking, struct error *error)
{
    struct offering offering = { .asking = asking };
    weir_status st = make_producer(&offering, error);
    for (size_t i = 0; st == WEIR_OK && !offering.has_stored && i < asking->use_count; i++) {
        if (asking->uses[i].is_written && asking_is_there(asking, i)) {
            st = ask(&offering, i, error);
        }
    }
    if (offering.producer != NULL) {
        rd_kafka_destroy(offering.producer);
    }
    return st;
}
