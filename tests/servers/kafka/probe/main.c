/* SPDX-License-Identifier: MIT */
/*
 * A client of Kafka for tests, independent of weir, so that tests judge weir by another program.
 * One command a run; what it prints is JSON, a line for each thing.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "probe.h"

static const char usage[] =
    "probe [-X NAME=VALUE]... COMMAND\n"
    "\n"
    "  create TOPIC PARTITIONS [--replicas N] [NAME=VALUE]...\n"
    "  grow TOPIC PARTITIONS            gives a topic more of them\n"
    "  delete TOPIC...\n"
    "  alter TOPIC NAME=VALUE...        settings of a topic; others are the broker's again\n"
    "  trim TOPIC PARTITION OFFSET      removes the records before an offset\n"
    "  list                             topics with their partitions, leaders, replicas\n"
    "  config TOPIC                     the settings of a topic\n"
    "  groups [GROUP]...                consumer groups: state, members, what they read\n"
    "  offsets GROUP [TOPIC PARTITIONS] what a group has committed, everywhere or in a topic\n"
    "  commit GROUP TOPIC PARTITION OFFSET\n"
    "  watermarks TOPIC [--committed]   first offset and end of each partition; with\n"
    "                                   --committed the end for readers of committed records\n"
    "  produce [--transactional ID]     records from standard input, a line each:\n"
    "                                   {\"topic\", \"partition\", \"key\", \"value\", "
    "\"headers\": [[NAME, VALUE]],\n"
    "                                   \"timestamp\"}; all but topic may be absent\n"
    "                                   {\"do\": \"flush\" or \"commit\" or \"abort\"} is answered "
    "by a line; a\n"
    "                                   transaction begins with its first record, and the end of "
    "the\n"
    "                                   input leaves it open\n"
    "  consume TOPIC... [--uncommitted] [--partition N] [--from OFFSET] [--count N] [--wait "
    "SECONDS]\n"
    "                                   what is there, to the end; with --count waits for so many\n"
    "\n"
    "NAME=VALUE after -X is a property of librdkafka. Without bootstrap.servers, WEIR_TEST_KAFKA "
    "tells it.\n";

static const struct {
    const char *name;
    int (*run)(struct command_line *line);
} commands[] = {
    { "create", create_topic },  { "delete", delete_topics },
    { "list", list_topics },     { "config", show_config },
    { "groups", list_groups },   { "offsets", list_offsets },
    { "commit", commit_offset }, { "watermarks", show_watermarks },
    { "produce", produce },      { "consume", consume },
    { "trim", trim_topic },      { "grow", grow_topic },
    { "alter", alter_topic },
};

static struct command_line properties;
static void (*on_delivery)(rd_kafka_t *, const rd_kafka_message_t *, void *);

void fail(const char *format, ...)
{
    va_list arguments;
    fflush(stdout);
    fputs("probe: ", stderr);
    va_start(arguments, format);
    vfprintf(stderr, format, arguments);
    va_end(arguments);
    fputc('\n', stderr);
    /* Clients that are half made need not be taken apart. */
    _Exit(1);
}

void misused(const char *what)
{
    fprintf(stderr, "probe: %s\n\n%s", what, usage);
    exit(2);
}

static void set_property(rd_kafka_conf_t *conf, const char *name, const char *value)
{
    char reason[512];
    if (rd_kafka_conf_set(conf, name, value, reason, sizeof reason) != RD_KAFKA_CONF_OK) {
        fail("%s", reason);
    }
}

static void set_pair(rd_kafka_conf_t *conf, const char *pair)
{
    char name[128];
    const char *equals = strchr(pair, '=');
    if (equals == NULL || (size_t)(equals - pair) >= sizeof name) {
        misused("-X wants NAME=VALUE");
    }
    memcpy(name, pair, (size_t)(equals - pair));
    name[equals - pair] = '\0';
    set_property(conf, name, equals + 1);
}

void client_on_delivery(void (*report)(rd_kafka_t *, const rd_kafka_message_t *, void *))
{
    on_delivery = report;
}

/* A lost broker comes back; one that refuses us, or that we refuse, will be refused again. One that
 * wants a certificate of ours says so after the handshake, as if a connection broke. */
static void take_error(rd_kafka_t *client, int code, const char *reason, void *opaque)
{
    (void)client, (void)opaque;
    if (code == RD_KAFKA_RESP_ERR__AUTHENTICATION || code == RD_KAFKA_RESP_ERR__SSL ||
        code == RD_KAFKA_RESP_ERR__FATAL || strstr(reason, "SSL routines") != NULL) {
        fail("%s", reason);
    }
}

static void wait_until_connected(rd_kafka_t *client)
{
    const struct rd_kafka_metadata *metadata;
    for (int waited = 0; waited < WAIT_MS; waited += 100) {
        if (rd_kafka_metadata(client, 0, NULL, &metadata, 100) == RD_KAFKA_RESP_ERR_NO_ERROR) {
            rd_kafka_metadata_destroy(metadata);
            return;
        }
        rd_kafka_poll(client, 0);
    }
    fail("no broker answers");
}

rd_kafka_t *client_create(rd_kafka_type_t type, const char *const *defaults)
{
    char reason[512];
    rd_kafka_conf_t *conf = rd_kafka_conf_new();
    const char *bootstrap = getenv("WEIR_TEST_KAFKA");
    set_property(conf, "bootstrap.servers", bootstrap != NULL ? bootstrap : "");
    set_property(conf, "log_level", "0");
    for (; *defaults != NULL; defaults += 2) {
        set_property(conf, defaults[0], defaults[1]);
    }
    for (int i = 0; i < properties.count; i++) {
        set_pair(conf, properties.word[i]);
    }
    rd_kafka_conf_set_error_cb(conf, take_error);
    if (on_delivery != NULL) {
        rd_kafka_conf_set_dr_msg_cb(conf, on_delivery);
    }
    rd_kafka_t *client = rd_kafka_new(type, conf, reason, sizeof reason);
    if (client == NULL) {
        fail("could not make a client: %s", reason);
    }
    wait_until_connected(client);
    return client;
}

rd_kafka_event_t *wait_for(rd_kafka_queue_t *queue, const char *what)
{
    rd_kafka_event_t *event = rd_kafka_queue_poll(queue, 2 * WAIT_MS);
    if (event == NULL) {
        fail("could not %s: no answer", what);
    }
    if (rd_kafka_event_error(event) != RD_KAFKA_RESP_ERR_NO_ERROR) {
        fail("could not %s: %s", what, rd_kafka_event_error_string(event));
    }
    return event;
}

/* After a node has started again it takes some time until partitions have leaders. */
static bool may_pass(rd_kafka_resp_err_t error)
{
    return error == RD_KAFKA_RESP_ERR_NOT_LEADER_FOR_PARTITION ||
           error == RD_KAFKA_RESP_ERR_LEADER_NOT_AVAILABLE ||
           error == RD_KAFKA_RESP_ERR_REPLICA_NOT_AVAILABLE ||
           error == RD_KAFKA_RESP_ERR__TRANSPORT || error == RD_KAFKA_RESP_ERR__TIMED_OUT;
}

struct extent partition_extent(rd_kafka_t *client, const char *topic, int32_t partition)
{
    struct extent extent;
    rd_kafka_resp_err_t error;
    for (int waited = 0;; waited += 50) {
        error = rd_kafka_query_watermark_offsets(client, topic, partition, &extent.first,
                                                 &extent.end, WAIT_MS);
        if (error == RD_KAFKA_RESP_ERR_NO_ERROR) {
            return extent;
        }
        if (!may_pass(error) || waited > WAIT_MS) {
            fail("could not ask for the extent of '%s' partition %d: %s", topic, partition,
                 rd_kafka_err2str(error));
        }
        rd_kafka_poll(client, 50);
    }
}

/* ---- command line ------------------------------------------------------------------------------ */

static void remove_words(struct command_line *line, int at, int count)
{
    line->count -= count;
    for (int i = at; i < line->count; i++) {
        line->word[i] = line->word[i + count];
    }
}

const char *take_option(struct command_line *line, const char *name)
{
    for (int i = 0; i < line->count; i++) {
        if (strcmp(line->word[i], name) == 0) {
            const char *value = i + 1 < line->count ? line->word[i + 1] : NULL;
            if (value == NULL) {
                misused("an option lacks its value");
            }
            remove_words(line, i, 2);
            return value;
        }
    }
    return NULL;
}

bool take_flag(struct command_line *line, const char *name)
{
    for (int i = 0; i < line->count; i++) {
        if (strcmp(line->word[i], name) == 0) {
            remove_words(line, i, 1);
            return true;
        }
    }
    return false;
}

const char *take_word(struct command_line *line, const char *what)
{
    if (line->count == 0) {
        misused(what);
    }
    const char *word = line->word[0];
    remove_words(line, 0, 1);
    return word;
}

int64_t to_number(const char *text, const char *what)
{
    char *end;
    long long number = strtoll(text, &end, 10);
    if (end == text || *end != '\0') {
        misused(what);
    }
    return number;
}

int main(int count, char **word)
{
    struct command_line line = { count - 1, word + 1 };
    char *kept[64];
    properties.word = kept;
    while (line.count > 1 && strcmp(line.word[0], "-X") == 0) {
        if (properties.count == 64) {
            misused("too many properties");
        }
        kept[properties.count++] = line.word[1];
        remove_words(&line, 0, 2);
    }
    const char *name = take_word(&line, "no command");
    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(commands[i].name, name) == 0) {
            return commands[i].run(&line);
        }
    }
    misused("no such command");
}
