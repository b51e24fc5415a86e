/* SPDX-License-Identifier: MIT */
/*
 * What the commands of the probe share: clients made of the properties on the command line, the end
 * with a reason, and the form in which records are read and shown.
 */
#pragma once

#include <librdkafka/rdkafka.h>
#include <stdbool.h>
#include <stdio.h>
#include <yyjson.h>

enum { WAIT_MS = 60000 };

struct command_line {
    int count;
    char **word;
};

/* Ends the program with status 1. */
_Noreturn void fail(const char *format, ...) __attribute__((format(printf, 1, 2)));
_Noreturn void misused(const char *what);

/* A client with the properties of the command line; those given here, name and value in turn up to
 * a NULL, come before them. */
rd_kafka_t *client_create(rd_kafka_type_t type, const char *const *defaults);
/* Before a client is made. */
void client_on_delivery(void (*report)(rd_kafka_t *, const rd_kafka_message_t *, void *));

/* Waits for the answer to an administrator's request; fails where there is none, or an error. */
rd_kafka_event_t *wait_for(rd_kafka_queue_t *queue, const char *what);

/* The value of an option "--name VALUE", taken out of the command line; NULL where it is not there. */
const char *take_option(struct command_line *line, const char *name);
bool take_flag(struct command_line *line, const char *name);
/* The next word, taken. */
const char *take_word(struct command_line *line, const char *what);
int64_t to_number(const char *text, const char *what);

/* Offsets of the first record and behind the last, as the client's isolation level sees them. */
struct extent {
    int64_t first, end;
};

struct extent partition_extent(rd_kafka_t *client, const char *topic, int32_t partition);

/* Partitions of a topic; fails where the topic is not there. */
int partition_count(rd_kafka_t *client, const char *topic);
/* One line, and out it goes: a test may wait for it. */
void print_line(yyjson_mut_doc *line);

int create_topic(struct command_line *line);
int grow_topic(struct command_line *line);
int delete_topics(struct command_line *line);
int trim_topic(struct command_line *line);
int alter_topic(struct command_line *line);
int list_topics(struct command_line *line);
int show_config(struct command_line *line);
int list_groups(struct command_line *line);
int list_offsets(struct command_line *line);
int commit_offset(struct command_line *line);
int show_watermarks(struct command_line *line);
int produce(struct command_line *line);
int consume(struct command_line *line);

/* Bytes as JSON: null, a text where they are UTF-8, else {"hex": "00ff"}. */
yyjson_mut_val *bytes_to_json(yyjson_mut_doc *line, const void *data, size_t size);

struct bytes {
    void *data; /* NULL is null */
    size_t size;
};

/* The reverse; what it returns is freed with free(data). */
struct bytes bytes_from_json(yyjson_val *value);
