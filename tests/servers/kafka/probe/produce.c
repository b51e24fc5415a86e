/* SPDX-License-Identifier: MIT */
/* The command produce: records and what to do from standard input, a line each. */
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static bool is_in_transaction;

static void print_delivery(rd_kafka_t *client, const rd_kafka_message_t *message, void *opaque)
{
    (void)client, (void)opaque;
    yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_doc_set_root(line, object);
    yyjson_mut_obj_add_str(line, object, "topic", rd_kafka_topic_name(message->rkt));
    yyjson_mut_obj_add_int(line, object, "partition", message->partition);
    yyjson_mut_obj_add_sint(line, object, "offset", message->offset);
    /* What an abort throws away is no fault. */
    if (message->err == RD_KAFKA_RESP_ERR__PURGE_QUEUE ||
        message->err == RD_KAFKA_RESP_ERR__PURGE_INFLIGHT) {
        yyjson_mut_obj_add_str(line, object, "error", "aborted");
    } else if (message->err != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not produce to '%s': %s", rd_kafka_topic_name(message->rkt),
             rd_kafka_err2str(message->err));
    }
    print_line(line);
}

static void check(rd_kafka_error_t *error, const char *what)
{
    if (error != NULL) {
        fail("could not %s: %s", what, rd_kafka_error_string(error));
    }
}

static rd_kafka_headers_t *headers_of(yyjson_val *list)
{
    rd_kafka_headers_t *headers = rd_kafka_headers_new(yyjson_arr_size(list));
    size_t index, count;
    yyjson_val *pair;
    yyjson_arr_foreach(list, index, count, pair)
    {
        yyjson_val *name = yyjson_arr_get(pair, 0);
        struct bytes value = bytes_from_json(yyjson_arr_get(pair, 1));
        if (!yyjson_is_str(name)) {
            fail("headers are [[NAME, VALUE], ...]");
        }
        rd_kafka_header_add(headers, yyjson_get_str(name), (ssize_t)yyjson_get_len(name),
                            value.data, (ssize_t)value.size);
        free(value.data);
    }
    return headers;
}

static rd_kafka_resp_err_t try_to_send(rd_kafka_t *client, const char *topic, yyjson_val *record,
                                       struct bytes key, struct bytes value)
{
    yyjson_val *wanted = yyjson_obj_get(record, "partition");
    int32_t partition = wanted != NULL ? yyjson_get_int(wanted) : RD_KAFKA_PARTITION_UA;
    int64_t timestamp = yyjson_get_sint(yyjson_obj_get(record, "timestamp"));
    rd_kafka_headers_t *headers = headers_of(yyjson_obj_get(record, "headers"));
    rd_kafka_resp_err_t error = rd_kafka_producev(
        client, RD_KAFKA_V_TOPIC(topic), RD_KAFKA_V_PARTITION(partition),
        RD_KAFKA_V_KEY(key.data, key.size), RD_KAFKA_V_VALUE(value.data, value.size),
        RD_KAFKA_V_TIMESTAMP(timestamp), RD_KAFKA_V_HEADERS(headers),
        RD_KAFKA_V_MSGFLAGS(RD_KAFKA_MSG_F_COPY), RD_KAFKA_V_END);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
        rd_kafka_headers_destroy(headers);
    }
    return error;
}

static void send_record(rd_kafka_t *client, yyjson_val *record, bool is_transactional)
{
    const char *topic = yyjson_get_str(yyjson_obj_get(record, "topic"));
    struct bytes key = bytes_from_json(yyjson_obj_get(record, "key"));
    struct bytes value = bytes_from_json(yyjson_obj_get(record, "value"));
    rd_kafka_resp_err_t error;
    if (topic == NULL) {
        fail("a record lacks \"topic\"");
    }
    if (is_transactional && !is_in_transaction) {
        check(rd_kafka_begin_transaction(client), "begin a transaction");
        is_in_transaction = true;
    }
    while ((error = try_to_send(client, topic, record, key, value)) ==
           RD_KAFKA_RESP_ERR__QUEUE_FULL) {
        rd_kafka_poll(client, 100);
    }
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not produce to '%s': %s", topic, rd_kafka_err2str(error));
    }
    free(key.data);
    free(value.data);
    rd_kafka_poll(client, 0);
}

static void flush(rd_kafka_t *client)
{
    rd_kafka_resp_err_t error = rd_kafka_flush(client, 2 * WAIT_MS);
    if (error != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not flush: %s", rd_kafka_err2str(error));
    }
}

static void act(rd_kafka_t *client, const char *what)
{
    if (strcmp(what, "flush") == 0) {
        flush(client);
    } else if (strcmp(what, "commit") == 0 && is_in_transaction) {
        check(rd_kafka_commit_transaction(client, 2 * WAIT_MS), "commit");
        is_in_transaction = false;
    } else if (strcmp(what, "abort") == 0 && is_in_transaction) {
        check(rd_kafka_abort_transaction(client, 2 * WAIT_MS), "abort");
        is_in_transaction = false;
    } else {
        fail("cannot do '%s' here", what);
    }
    yyjson_mut_doc *line = yyjson_mut_doc_new(NULL);
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_doc_set_root(line, object);
    yyjson_mut_obj_add_str(line, object, "done", what);
    print_line(line);
}

static void take_line(rd_kafka_t *client, char *text, size_t length, bool is_transactional)
{
    yyjson_doc *document = yyjson_read(text, length, 0);
    yyjson_val *root = yyjson_doc_get_root(document);
    yyjson_val *what = yyjson_obj_get(root, "do");
    if (!yyjson_is_obj(root)) {
        fail("a line is no JSON object: %s", text);
    }
    if (what != NULL) {
        act(client, yyjson_get_str(what));
    } else {
        send_record(client, root, is_transactional);
    }
    yyjson_doc_free(document);
}

int produce(struct command_line *line)
{
    const char *id = take_option(line, "--transactional");
    const char *idempotent[] = { "enable.idempotence", "true", NULL };
    const char *transactional[] = { "transactional.id", id, NULL };
    char *text = NULL;
    size_t room = 0;
    ssize_t length;
    client_on_delivery(print_delivery);
    rd_kafka_t *client = client_create(RD_KAFKA_PRODUCER, id != NULL ? transactional : idempotent);
    if (id != NULL) {
        check(rd_kafka_init_transactions(client, 2 * WAIT_MS), "begin with transactions");
    }
    while ((length = getline(&text, &room, stdin)) > 0) {
        take_line(client, text, (size_t)length, id != NULL);
    }
    free(text);
    flush(client);
    rd_kafka_destroy(client);
    return 0;
}
