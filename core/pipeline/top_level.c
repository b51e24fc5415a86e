/* SPDX-License-Identifier: MIT */
/*
 * The keys of the top level. What the language has and this version cannot do is refused by its
 * rule, so that no line of a file is without effect.
 */
#include <string.h>

#include "kafka/address.h"
#include "pipeline/names.h"
#include "pipeline/parts.h"
#include "pipeline/tables.h"

enum { LOG_MAX_BYTES = 4096 }; /* of a path there are no more */

struct checkpoint {
    int64_t interval_ms;
    int64_t records;
};

/* Values as they are read, before they are judged together. */
struct top_values {
    weir_text name;
    weir_text log;
    int64_t guarantee;
    const struct checkpoint *checkpoint;
    int64_t threads;
    int64_t memory;
    int64_t shutdown_timeout_ms;
    struct top_level parts;
};

static const weir_option name_option = { .name = "pipeline",
                                         .type = WEIR_OPTION_TEXT,
                                         .offset = offsetof(struct top_values, name),
                                         .summary = "The pipeline's name" };
static const weir_option log_option = {
    .name = "log",
    .type = WEIR_OPTION_TEXT,
    .offset = offsetof(struct top_values, log),
    .summary =
        "Where topics live: local:DIR, kafka://HOST:PORT,... or memory; local:weir-data by default"
};
static const char *const guarantees[] = { "at-least-once", "exactly-once", NULL };
static const weir_option guarantee_option = {
    .name = "guarantee",
    .type = WEIR_OPTION_ENUM,
    .enum_names = guarantees,
    .offset = offsetof(struct top_values, guarantee),
    .summary = "What a crash may do to results on Kafka; at-least-once by default. The embedded "
               "log is exactly-once"
};
static const weir_option checkpoint_fields[] = {
    { .name = "interval",
      .type = WEIR_OPTION_DURATION,
      .default_text = "5s",
      .offset = offsetof(struct checkpoint, interval_ms),
      .summary = "Time between checkpoints; 0: after every record" },
    { .name = "records",
      .type = WEIR_OPTION_INT,
      .default_text = "0",
      .max = INT64_MAX,
      .offset = offsetof(struct checkpoint, records),
      .summary = "Records between checkpoints; 0: off" },
    WEIR_OPTIONS_END,
};
static const weir_option checkpoint_option = { .name = "checkpoint",
                                               .type = WEIR_OPTION_STRUCT,
                                               .fields = checkpoint_fields,
                                               .fields_size = sizeof(struct checkpoint),
                                               .offset = offsetof(struct top_values, checkpoint),
                                               .summary = "When progress is made durable" };
static const weir_option threads_option = { .name = "threads",
                                            .type = WEIR_OPTION_INT,
                                            .max = 1024,
                                            .offset = offsetof(struct top_values, threads),
                                            .summary =
                                                "Worker threads; 0: as many as there are cores" };
static const weir_option memory_option = { .name = "memory",
                                           .type = WEIR_OPTION_SIZE,
                                           .max = INT64_C(1) << 50,
                                           .offset = offsetof(struct top_values, memory),
                                           .summary = "Memory for records, whatever the number of "
                                                      "partitions, such as 512MiB" };
static const weir_option shutdown_option = {
    .name = "shutdown_timeout",
    .type = WEIR_OPTION_DURATION,
    .offset = offsetof(struct top_values, shutdown_timeout_ms),
    .summary = "For the last checkpoint and the sinks; 30s by default"
};

static void read_default_on_error(struct resolver *resolver, void *target,
                                  const struct node_pair *pair)
{
    (void)target;
    (void)on_error_read(resolver, pair->value, &resolver->on_error);
}

static void keep_plugins(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct top_values *values = target;
    values->parts.plugins = pair->value;
}

static void keep_topics(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct top_values *values = target;
    values->parts.topics = pair->value;
}

static void keep_streams(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct top_values *values = target;
    values->parts.streams = pair->value;
}

static void keep_kafka(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct top_values *values = target;
    values->parts.kafka = pair->value;
}

static void keep_dead_letters(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct top_values *values = target;
    values->parts.dead_letters = pair->value;
}

const struct key_rule top_level_keys[] = {
    { .name = "pipeline", .option = &name_option, .is_required = true },
    { .name = "log", .option = &log_option },
    { .name = "guarantee", .option = &guarantee_option },
    { .name = "checkpoint", .option = &checkpoint_option },
    { .name = "threads", .option = &threads_option },
    { .name = "memory", .option = &memory_option },
    { .name = "shutdown_timeout", .option = &shutdown_option },
    { .name = "on_error",
      .read = read_default_on_error,
      .shape = SHAPE_ON_ERROR,
      .summary = "What a record that fails does, where nothing else is written; fail by default" },
    { .name = "dead_letters",
      .read = keep_dead_letters,
      .shape = SHAPE_LETTERS,
      .summary = "The end for records that fail where on_error is dead_letter" },
    { .name = "plugins",
      .read = keep_plugins,
      .shape = SHAPE_PLUGINS,
      .summary = "Plugins, and folders of them, that this file brings along" },
    { .name = "topics",
      .read = keep_topics,
      .shape = SHAPE_TOPICS,
      .summary =
          "Every topic that the streams name: a map of names to options, or a list of names" },
    { .name = "streams",
      .read = keep_streams,
      .shape = SHAPE_STREAMS,
      .summary = "What is read, what is done with it, where it goes",
      .is_required = true },
    { .name = "kafka",
      .read = keep_kafka,
      .shape = SHAPE_KAFKA,
      .summary =
          "How to reach the brokers of a log on Kafka: properties of librdkafka by their own "
          "names, and some options beside them" },
    { .name = "state",
      .refusal = "'state' comes with a later version, together with steps that keep any; remove "
                 "it" },
    { .name = NULL },
};

static struct place value_place(const struct node *root, const char *key)
{
    const struct node *value = node_get(root, key);
    return value != NULL ? value->place : root->place;
}

static void take_name(struct resolver *resolver, const struct node *root, const weir_text *name)
{
    resolver->pipeline->name = "pipeline"; /* stands in, so that others can be judged */
    if (name->data == NULL && key_node(root, "pipeline") == NULL) {
        resolver_fault(resolver, resolver->top,
                       "'pipeline' is missing; begin the file with 'pipeline: NAME'");
    } else if (name->data != NULL && name_check(resolver, value_place(root, "pipeline"),
                                                "pipeline name", NAME_DOTTED, name->data)) {
        resolver->pipeline->name = name->data;
    }
}

static void take_log(struct resolver *resolver, const struct node *root, const weir_text *log)
{
    resolver->pipeline->log_url = "local:weir-data";
    if (log->data == NULL) {
        return;
    }
    struct place place = value_place(root, "log");
    if (kafka_address_is_meant(log->data)) {
        /* A wrong one too: what else the file says is meant for Kafka. */
        resolver->pipeline->log_url = log->data;
        kafka_log_check(resolver, place, log->data);
    } else if (strcmp(log->data, "local:") == 0) {
        resolver_fault(resolver, place, "the log's folder is missing; write local:DIR");
    } else if (log->size > LOG_MAX_BYTES) {
        resolver_fault(resolver, place, "the log's address has %llu bytes; at most %d are allowed",
                       (unsigned long long)log->size, LOG_MAX_BYTES);
    } else if (strcmp(log->data, "memory") != 0 &&
               strncmp(log->data, "local:", strlen("local:")) != 0) {
        resolver_fault(resolver, place,
                       "unknown log '%s'; use local:DIR, kafka://HOST:PORT or memory", log->data);
    } else {
        resolver->pipeline->log_url = log->data;
    }
}

/* Who says how to reach the brokers and not that the log is there has a run on the embedded one. */
static void take_kafka(struct resolver *resolver, const struct node *root, const struct node *kafka)
{
    if (key_node(root, "log") == NULL) {
        resolver_warn(
            resolver, value_place(root, "kafka"),
            "'kafka' is for a log on Kafka, and the log is 'local:weir-data'; write 'log: "
            "kafka://HOST:PORT'");
    }
    kafka_read(resolver, kafka);
}

void top_level_read(struct resolver *resolver, const struct node *root, struct top_level *ret)
{
    struct top_values values = { .shutdown_timeout_ms = 30000 };
    struct pipeline *pipeline = resolver->pipeline;
    pipeline->checkpoint_interval_ms = 5000;
    if (root->kind != NODE_MAP) {
        resolver_fault(resolver, root->place,
                       "a pipeline file is a map; begin it with 'pipeline: NAME'");
        *ret = values.parts;
        return;
    }
    keys_read(resolver, top_level_keys, "top-level key", "", "x-", root, &values);
    take_name(resolver, root, &values.name);
    take_log(resolver, root, &values.log);
    pipeline->is_exactly_once = values.guarantee != 0;
    if (values.parts.kafka != NULL) {
        take_kafka(resolver, root, values.parts.kafka);
    }
    if (values.checkpoint != NULL) {
        pipeline->checkpoint_interval_ms = values.checkpoint->interval_ms;
        pipeline->checkpoint_records = values.checkpoint->records;
    }
    kafka_check_interval(resolver, value_place(root, "checkpoint"));
    pipeline->threads = values.threads;
    pipeline->memory_bytes = values.memory;
    pipeline->shutdown_timeout_ms = values.shutdown_timeout_ms;
    if (values.parts.streams == NULL && key_node(root, "streams") == NULL) {
        resolver_fault(resolver, resolver->top,
                       "'streams' is missing; a pipeline has at least one stream");
    }
    values.parts.memory = value_place(root, "memory");
    *ret = values.parts;
}
