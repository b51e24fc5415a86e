/* SPDX-License-Identifier: MIT */
#include "log/kafka/topics/offsets.h"

#include "base/clock.h"
#include "log/kafka/client/client.h"
#include "log/kafka/client/request.h"
#include "log/kafka/kafka_log.h"
#include "log/kafka/topics/reader_move.h"

enum { RETRY_MS = 100, ASK_MS = 5000 };
static const struct kafka_deed trimming = { "trim", "Delete" };

/* ---- asking -------------------------------------------------------------------------------------- */

/* While leaders move, whoever is asked may answer that it is none. */
static bool may_pass(rd_kafka_resp_err_t code)
{
    return code == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
           code == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
           code == RD_KAFKA_RESP_ERR_UNKNOWN_TOPIC_OR_PART ||
           code == RD_KAFKA_RESP_ERR__TRANSPORT || code == RD_KAFKA_RESP_ERR__TIMED_OUT;
}

/*
 * The library asks for the leader of a partition once, and goes on with the answer for ever where this client
 * does not read or write the topic.
 */
static void learn_leaders(struct kafka_log *log, const char *name)
{
    const struct rd_kafka_metadata *metadata;
    rd_kafka_topic_t *topic = rd_kafka_topic_new(log->admin, name, NULL);
    if (topic == NULL) {
        return;
    }
    if (rd_kafka_metadata(log->admin, 0, topic, &metadata, ASK_MS) == RD_KAFKA_RESP_ERR_NO_ERROR) {
        rd_kafka_metadata_destroy(metadata);
    }
    rd_kafka_topic_destroy(topic);
}

/* Is the request to be made again? Waits where it is. */
static bool is_to_repeat(struct kafka_log *log, const char *topic, rd_kafka_resp_err_t code,
                         int64_t end_ns)
{
    if (!may_pass(code) || clock_monotonic_ns() > end_ns || !kafka_goes_on(log)) {
        return false;
    }
    clock_rest(RETRY_MS);
    learn_leaders(log, topic);
    return true;
}

static int64_t end_after(int64_t patience_ms)
{
    return clock_monotonic_ns() + patience_ms * INT64_C(1000000);
}

/* The library takes a time in place of an offset, and so its beginning and end too. */
static rd_kafka_resp_err_t ask(rd_kafka_t *client, const char *topic, int32_t partition,
                               int64_t wanted, int timeout_ms, struct kafka_place *ret_place)
{
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    rd_kafka_topic_partition_list_add(list, topic, partition)->offset = wanted;
    rd_kafka_resp_err_t code = rd_kafka_offsets_for_times(client, list, timeout_ms);
    *ret_place = kafka_place_read(list->elems[0].offset);
    code = code == RD_KAFKA_RESP_ERR_NO_ERROR ? list->elems[0].err : code;
    rd_kafka_topic_partition_list_destroy(list);
    return code;
}

rd_kafka_resp_err_t kafka_place_ask(rd_kafka_t *client, const char *topic, int32_t partition,
                                    struct kafka_place place, int timeout_ms,
                                    struct kafka_place *ret_place)
{
    return ask(client, topic, partition, kafka_place_write(place), timeout_ms, ret_place);
}

/* A place without an offset is no answer. */
static rd_kafka_resp_err_t ask_offset(rd_kafka_t *client, const char *topic, int32_t partition,
                                      struct kafka_place place, int timeout_ms, int64_t *ret_offset)
{
    struct kafka_place found;
    rd_kafka_resp_err_t code = kafka_place_ask(client, topic, partition, place, timeout_ms, &found);
    bool is_there = code != RD_KAFKA_RESP_ERR_NO_ERROR || kafka_place_offset(found, ret_offset);
    return is_there ? code : RD_KAFKA_RESP_ERR_OFFSET_NOT_AVAILABLE;
}

weir_status kafka_ask_range(struct kafka_log *log, const char *topic, int32_t partition,
                            int64_t patience_ms, int64_t *ret_low, int64_t *ret_high,
                            struct error *error)
{
    int64_t end_ns = end_after(patience_ms);
    int timeout_ms = patience_ms < ASK_MS ? (int)patience_ms : ASK_MS;
    rd_kafka_resp_err_t code;
    do {
        code = ask_offset(log->admin, topic, partition, KAFKA_BEGINNING, timeout_ms, ret_low);
        if (code == RD_KAFKA_RESP_ERR_NO_ERROR) {
            code = ask_offset(log->admin, topic, partition, KAFKA_END, timeout_ms, ret_high);
        }
    } while (is_to_repeat(log, topic, code, end_ns));
    return code == RD_KAFKA_RESP_ERR_NO_ERROR
               ? WEIR_OK
               : kafka_error(error, code, "ask for the offsets of topic '%s' partition %d", topic,
                             (int)partition);
}

weir_status kafka_log_partition_info(struct log_topic *face, uint32_t partition,
                                     struct log_partition_info *ret_info, struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    int64_t low = 0;
    int64_t high = 0;
    if (partition >= face->partitions) {
        return error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                         "the topic '%s' has no partition %u; it has %u, counted from 0",
                         face->name, partition, face->partitions);
    }
    weir_status st = kafka_ask_range(log, face->name, (int32_t)partition, kafka_timeout(log), &low,
                                     &high, error);
    if (st != WEIR_OK) {
        return st;
    }
    *ret_info = (struct log_partition_info){ .begin = low,
                                             .end = high,
                                             .committed_end = high,
                                             .count = high - low,
                                             .peak = INT64_MIN,
                                             .bytes = LOG_UNKNOWN };
    return WEIR_OK;
}

weir_status kafka_log_offset_at(struct log_topic *face, uint32_t partition, int64_t timestamp,
                                int64_t *ret_offset, struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    int64_t end_ns = end_after(kafka_timeout(log));
    int64_t wanted = timestamp < 0 ? 0 : timestamp; /* a negative one is no time to the library */
    struct kafka_place found;
    rd_kafka_resp_err_t code;
    do {
        code = ask(log->admin, face->name, (int32_t)partition, wanted, ASK_MS, &found);
    } while (is_to_repeat(log, face->name, code, end_ns));
    if (code != RD_KAFKA_RESP_ERR_NO_ERROR) {
        return kafka_error(error, code, "find a time in topic '%s' partition %u", face->name,
                           partition);
    }
    if (kafka_place_offset(found, ret_offset)) {
        return WEIR_OK;
    }
    struct log_partition_info info;
    weir_status st = kafka_log_partition_info(face, partition, &info, error);
    *ret_offset = st == WEIR_OK ? info.end : -1;
    return st;
}

/* ---- removing messages --------------------------------------------------------------------------- */

/* What the leader says of a request to remove; *ret_code: of the partition. */
static weir_status judge_removal(struct kafka_log *log, const char *topic, rd_kafka_event_t *event,
                                 rd_kafka_resp_err_t *ret_code, struct error *error)
{
    const rd_kafka_DeleteRecords_result_t *result = rd_kafka_event_DeleteRecords_result(event);
    weir_status st =
        kafka_request_judge(log, rd_kafka_event_error(event), rd_kafka_event_error_string(event),
                            &trimming, topic, error);
    if (st == WEIR_OK && result != NULL) {
        *ret_code = rd_kafka_DeleteRecords_result_offsets(result)->elems[0].err;
        st = kafka_request_judge(log, *ret_code, NULL, &trimming, topic, error);
    }
    return st;
}

static weir_status try_removal(struct log_topic *face, uint32_t partition,
                               struct kafka_place before, rd_kafka_resp_err_t *ret_code,
                               struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    rd_kafka_topic_partition_list_t *list = rd_kafka_topic_partition_list_new(1);
    kafka_place_add(list, face->name, partition, before);
    rd_kafka_DeleteRecords_t *wanted = rd_kafka_DeleteRecords_new(list);
    rd_kafka_topic_partition_list_destroy(list);
    struct kafka_request request = kafka_request_begin(log, RD_KAFKA_ADMIN_OP_DELETERECORDS);
    rd_kafka_DeleteRecords(log->admin, &wanted, 1, request.options, request.queue);
    rd_kafka_event_t *event = kafka_request_answer(log, &request);
    rd_kafka_DeleteRecords_destroy(wanted);
    *ret_code = RD_KAFKA_RESP_ERR_NO_ERROR;
    if (event == NULL) {
        return kafka_request_unanswered("trim", face->name, error);
    }
    weir_status st = judge_removal(log, face->name, event, ret_code, error);
    rd_kafka_event_destroy(event);
    return st;
}

weir_status kafka_remove_before(struct log_topic *face, uint32_t partition,
                                struct kafka_place before, struct error *error)
{
    struct kafka_log *log = kafka_of(face->log);
    int64_t end_ns = end_after(kafka_timeout(log));
    rd_kafka_resp_err_t code;
    weir_status st;
    do {
        st = try_removal(face, partition, before, &code, error);
    } while (is_to_repeat(log, face->name, code, end_ns));
    return st;
}

/* Groups move first: where one cannot, nothing is removed. */
weir_status kafka_log_trim(struct log_topic *face, uint32_t partition, int64_t before,
                           struct error *error)
{
    weir_status st = kafka_readers_move(face, partition, before, error);
    return st == WEIR_OK ? kafka_remove_before(face, partition, kafka_place(before), error) : st;
}

weir_status kafka_log_empty(struct log_topic *face, struct error *error)
{
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; st == WEIR_OK && i < face->partitions; i++) {
        st = kafka_remove_before(face, i, KAFKA_END, error);
    }
    return st;
}
