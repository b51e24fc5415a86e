/* SPDX-License-Identifier: MIT */
#include "log/kafka/consume/browse.h"

#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/rights.h"
#include "log/kafka/consume/fetch.h"
#include "log/kafka/consume/message.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/offsets.h"
#include "log/kafka/topics/topics.h"

enum { WAIT_MS = 100 };

/*
 * topic      of the partition that is read; NULL: none
 * next       where what comes next stands
 * is_at_end  nothing was there when the broker was asked last: it says so only once
 */
struct kafka_browser {
    rd_kafka_t *consumer;
    const struct kafka_topic *topic;
    uint32_t partition;
    struct kafka_place next;
    bool is_at_end;
};

weir_status kafka_reader_client(struct kafka_log *log, rd_kafka_t **ret_consumer,
                                struct error *error)
{
    struct fetch_texts texts;
    rd_kafka_conf_t *conf = NULL;
    weir_status st = kafka_conf_make(log->settings, log->brokers, KAFKA_CONSUMER,
                                     kafka_fetch_defaults(log, 1, &texts), &conf, error);
    if (st != WEIR_OK) {
        return st;
    }
    /* It never joins the group, but without a name the library assigns nothing. */
    (void)rd_kafka_conf_set(conf, "group.id", "weir-browse", NULL, 0);
    (void)rd_kafka_conf_set(conf, "enable.partition.eof", "true", NULL, 0);
    (void)rd_kafka_conf_set(conf, "auto.offset.reset", "error", NULL, 0);
    *ret_consumer = kafka_client(log, RD_KAFKA_CONSUMER, conf, error);
    return *ret_consumer == NULL ? WEIR_E_INVALID : WEIR_OK;
}

static weir_status create(struct kafka_log *log, struct kafka_browser **ret_browser,
                          struct error *error)
{
    struct kafka_browser *browser = memory_zeroed(1, sizeof *browser);
    if (browser == NULL) {
        return error_no_memory(error);
    }
    weir_status st = kafka_reader_client(log, &browser->consumer, error);
    if (st != WEIR_OK) {
        memory_free(browser);
        return st;
    }
    (void)rd_kafka_poll_set_consumer(browser->consumer);
    *ret_browser = browser;
    return WEIR_OK;
}

void kafka_browser_destroy(struct kafka_browser *browser)
{
    if (browser != NULL) {
        (void)rd_kafka_assign(browser->consumer, NULL);
        rd_kafka_destroy_flags(browser->consumer, RD_KAFKA_DESTROY_F_NO_CONSUMER_CLOSE);
        memory_free(browser);
    }
}

static weir_status go_to(struct kafka_browser *browser, const struct kafka_topic *topic,
                         uint32_t partition, struct kafka_place to, struct error *error)
{
    if (browser->topic == topic && browser->partition == partition &&
        kafka_place_equals(browser->next, to)) {
        return WEIR_OK;
    }
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    kafka_place_add(list, topic->face.name, partition, to);
    rd_kafka_resp_err_t code = rd_kafka_assign(browser->consumer, list);
    rd_kafka_topic_partition_list_destroy(list);
    browser->topic = code == RD_KAFKA_RESP_ERR_NO_ERROR ? topic : NULL;
    browser->partition = partition;
    browser->next = to;
    browser->is_at_end = false;
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? WEIR_OK
               : kafka_error(error, code, "read topic '%s'", topic->face.name);
}

static bool copy_slice(struct arena *arena, weir_slice *slice)
{
    if (slice->size == LOG_ABSENT || slice->size == 0) {
        return true;
    }
    slice->data =
        (const uint8_t *)arena_copy(arena, (const char *)slice->data, (size_t)slice->size);
    return slice->data != NULL;
}

/* So that it outlives the library's message. False: no memory. */
static bool copy_message(rd_kafka_message_t *from, struct arena *arena, struct log_message *ret)
{
    if (!kafka_message_read(from, arena, ret) || !copy_slice(arena, &ret->key) ||
        !copy_slice(arena, &ret->value)) {
        return false;
    }
    for (uint32_t i = 0; i < ret->header_count; i++) {
        struct log_header *header = (struct log_header *)(uintptr_t)&ret->headers[i];
        header->name = arena_copy(arena, header->name, header->name_len);
        if (header->name == NULL || !copy_slice(arena, &header->value)) {
            return false;
        }
    }
    return true;
}

/*
 * Nothing is at the offset: what was there is gone, and reading goes on at what is left; or it is behind the end,
 * where messages may come. The library reads no more until it is told anew.
 */
static weir_status find_way(struct kafka_log *log, struct kafka_browser *browser,
                            rd_kafka_resp_err_t code, struct log_batch *batch, struct error *error)
{
    const struct kafka_topic *topic = browser->topic;
    int64_t next = 0;
    int64_t low = 0;
    int64_t high = 0;
    browser->topic = NULL;
    if (batch->count > 0) {
        return WEIR_OK; /* so that its reader sees the gap between two batches */
    }
    weir_status st = kafka_ask_range(log, topic->face.name, (int32_t)browser->partition,
                                     kafka_timeout(log), &low, &high, error);
    if (st != WEIR_OK) {
        return st;
    }
    if (!kafka_place_offset(browser->next, &next)) {
        return kafka_error(error, code, "read topic '%s' partition %u", topic->face.name,
                           browser->partition);
    }
    if (next <= high) { /* it may have come meanwhile */
        return go_to(browser, topic, browser->partition, kafka_place(next < low ? low : next),
                     error);
    }
    batch->is_at_end = true;
    return WEIR_OK;
}

/* What one message means for the batch; *bytes grows by its size. */
static weir_status take(struct kafka_log *log, struct kafka_browser *browser,
                        rd_kafka_message_t *message, struct arena *arena, struct log_batch *batch,
                        uint64_t *bytes, struct error *error)
{
    if (message->err == RD_KAFKA_RESP_ERR__PARTITION_EOF) {
        batch->is_at_end = true;
        browser->is_at_end = true;
        browser->next = kafka_place(message->offset);
        return WEIR_OK;
    }
    if (kafka_is_denied(message->err, KAFKA_GROUP)) {
        return WEIR_OK; /* the library looks for a coordinator that nobody needs */
    }
    if (message->err == RD_KAFKA_RESP_ERR__AUTO_OFFSET_RESET) {
        return find_way(log, browser, message->err, batch, error);
    }
    if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        const char *name = browser->topic->face.name;
        browser->topic = NULL;
        weir_status st = kafka_error(error, message->err, "read topic '%s' partition %u", name,
                                     browser->partition);
        kafka_lack_if(log->settings, message->err, "Read", KAFKA_TOPIC, name, error);
        return st;
    }
    browser->next = kafka_place(message->offset + 1);
    browser->is_at_end = false;
    *bytes += message->len + message->key_len;
    return copy_message(message, arena, &batch->messages[batch->count++]) ? WEIR_OK
                                                                          : error_no_memory(error);
}

/* Waits for the first message or the end; afterwards takes what is at hand. */
static weir_status read(struct kafka_log *log, struct kafka_browser *browser, uint32_t max_count,
                        uint64_t max_bytes, struct arena *arena, struct log_batch *batch,
                        struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + log->settings->request_timeout_ms * INT64_C(1000000);
    uint64_t bytes = 0;
    weir_status st = WEIR_OK;
    while (st == WEIR_OK && batch->count < max_count && bytes < max_bytes && !batch->is_at_end &&
           browser->topic != NULL) {
        rd_kafka_message_t *message =
            rd_kafka_consumer_poll(browser->consumer, batch->count > 0 ? 0 : WAIT_MS);
        if (message != NULL) {
            st = take(log, browser, message, arena, batch, &bytes, error);
            rd_kafka_message_destroy(message);
        } else if (batch->count > 0) {
            break;
        } else if (browser->is_at_end) {
            batch->is_at_end = true;
        } else if (!kafka_goes_on(log) || clock_monotonic_ns() > end_ns) {
            st = error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                           "could not read topic '%s' partition %u: Kafka does not answer",
                           browser->topic->face.name, browser->partition);
        }
    }
    return st;
}

weir_status kafka_browse(struct kafka_log *log, struct kafka_topic *topic, uint32_t partition,
                         struct kafka_place from, uint32_t max_count, uint64_t max_bytes,
                         struct arena *arena, struct log_batch *ret_batch, struct error *error)
{
    struct log_batch batch = { .next = 0 };
    (void)kafka_place_offset(from, &batch.next);
    batch.messages = arena_alloc(arena, (max_count + 1u) * sizeof *batch.messages);
    if (batch.messages == NULL) {
        return error_no_memory(error);
    }
    pthread_mutex_lock(&log->browsing);
    weir_status st = log->browser == NULL ? create(log, &log->browser, error) : WEIR_OK;
    if (st == WEIR_OK) {
        st = go_to(log->browser, topic, partition, from, error);
    }
    if (st == WEIR_OK) {
        st = read(log, log->browser, max_count, max_bytes, arena, &batch, error);
        (void)kafka_place_offset(log->browser->next, &batch.next);
    }
    pthread_mutex_unlock(&log->browsing);
    *ret_batch = batch;
    return st;
}
