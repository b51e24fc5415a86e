/* SPDX-License-Identifier: MIT */
/*
 * `topics:`: every topic that the pipeline names, with its serializers.
 */
#include <string.h>

#include "pipeline/flow.h"
#include "pipeline/names.h"
#include "pipeline/parts.h"
#include "pipeline/tables.h"

/* A topic's options as they are read. */
struct topic_values {
    const struct node *key;
    const struct node *value;
    const weir_expression *event_time;
    int64_t partitions;
    int64_t partitioner; /* by partitioner_names; -1: not given */
    weir_text log_name;
    const struct node *fields;
    struct topic_keeping keeping;
    int64_t replication;
    weir_option_map config;
};

static const struct topic_keeping keeping_open = { -1, -1, -1, KEEPING_OPEN };

static const weir_option event_time_option = { .name = "event_time",
                                               .type = WEIR_OPTION_EXPRESSION,
                                               .offset = offsetof(struct topic_values, event_time),
                                               .summary = "The record's time" };
static const weir_option partitions_option = { .name = "partitions",
                                               .type = WEIR_OPTION_INT,
                                               .min = 1,
                                               .max = MAX_PARTITIONS,
                                               .offset = offsetof(struct topic_values, partitions),
                                               .summary = "How many, when it is created" };
static const weir_option partitioner_option = { .name = "partitioner",
                                                .type = WEIR_OPTION_ENUM,
                                                .enum_names = partitioner_names,
                                                .offset =
                                                    offsetof(struct topic_values, partitioner),
                                                .summary =
                                                    "Which partition a message goes to, as in "
                                                    "librdkafka; murmur2 of the key by default" };
static const weir_option log_name_option = { .name = "name",
                                             .type = WEIR_OPTION_TEXT,
                                             .offset = offsetof(struct topic_values, log_name),
                                             .summary = "The name in the log" };

static const weir_option retention_option = {
    .name = "retention",
    .type = WEIR_OPTION_DURATION,
    .offset = offsetof(struct topic_values, keeping.retention_ms),
    .summary = "Messages that were written longer ago go, once they are read; 0: none do"
};
static const weir_option retention_size_option = {
    .name = "retention_size",
    .type = WEIR_OPTION_SIZE,
    .offset = offsetof(struct topic_values, keeping.retention_bytes),
    .summary = "The oldest messages go where a partition has more, once they are read; 0: none do"
};
static const weir_option compact_option = {
    .name = "compact",
    .type = WEIR_OPTION_BOOL,
    .offset = offsetof(struct topic_values, keeping.is_compacted),
    .summary = "Of messages with the same key only the newest stays; one without a value is a "
               "tombstone"
};
static const weir_option tombstone_option = {
    .name = "tombstone_retention",
    .type = WEIR_OPTION_DURATION,
    .offset = offsetof(struct topic_values, keeping.tombstone_ms),
    .summary = "How long a tombstone stays after it was compacted; 24h by default"
};
static const weir_option replication_option = {
    .name = "replication",
    .type = WEIR_OPTION_INT,
    .min = 1,
    .max = INT16_MAX,
    .offset = offsetof(struct topic_values, replication),
    .summary =
        "Replicas of each partition when it is created on Kafka; the brokers' default if not "
        "given"
};
static const weir_option config_value = { .type = WEIR_OPTION_TEXT };
static const weir_option config_option = {
    .name = "config",
    .type = WEIR_OPTION_MAP,
    .key_type = WEIR_OPTION_TEXT,
    .element = &config_value,
    .offset = offsetof(struct topic_values, config),
    .summary = "Its configuration when it is created on Kafka, by the brokers' names, such as "
               "{max.message.bytes: 2000000}"
};

static void keep_key(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct topic_values *values = target;
    values->key = pair->value;
}

static void keep_value(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct topic_values *values = target;
    values->value = pair->value;
}

static void keep_fields(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct topic_values *values = target;
    values->fields = pair->value;
}

const struct key_rule topic_keys[] = {
    { .name = "key",
      .read = keep_key,
      .shape = SHAPE_SERIALIZER,
      .summary = "The serializer of keys; text by default" },
    { .name = "value",
      .read = keep_value,
      .shape = SHAPE_SERIALIZER,
      .summary = "The serializer of values; json by default" },
    { .name = "event_time", .option = &event_time_option },
    { .name = "partitions", .option = &partitions_option },
    { .name = "name", .option = &log_name_option },
    { .name = "fields",
      .read = keep_fields,
      .shape = SHAPE_FIELDS,
      .summary = "Types of the value's fields, for `weir check`" },
    { .name = "partitioner", .option = &partitioner_option },
    { .name = "retention", .option = &retention_option },
    { .name = "retention_size", .option = &retention_size_option },
    { .name = "compact", .option = &compact_option },
    { .name = "tombstone_retention", .option = &tombstone_option },
    { .name = "replication", .option = &replication_option },
    { .name = "config", .option = &config_option },
    { .name = "idle_advance",
      .refusal = "'idle_advance' comes with a later version, together with windows; remove it" },
    { .name = NULL },
};

/* node NULL: the serializer of this name with its defaults. */
static void read_serializer(struct resolver *resolver, const struct topic *topic, const char *what,
                            const struct node *node, const char *name, struct plugin_use *use)
{
    const char *where = resolver_text(resolver, "topics.%s.%s", topic->name, what);
    if (where == NULL) {
        return;
    }
    struct written written;
    if (node == NULL) {
        default_use(resolver, &serializer_spot, name, topic->place, where, use);
    } else if (written_read(resolver, &serializer_spot, node, &written) &&
               written_use(resolver, &serializer_spot, &written, where, use)) {
        use->id = use->factory->spec->name;
    }
}

/* Two entries that are one topic in the log would each think that it is theirs. */
static void check_log_name(struct resolver *resolver, struct hashmap *log_names,
                           struct topic *topic, struct place place)
{
    size_t len = strlen(topic->log_name);
    const struct topic *other = hashmap_get(log_names, topic->log_name, len);
    if (other != NULL) {
        resolver_fault(resolver, place,
                       "topics '%s' and '%s' are both '%s' in the log; declare it once",
                       other->name, topic->name, topic->log_name);
    } else if (!hashmap_put(log_names, topic->log_name, len, topic)) {
        resolver->diagnostics->is_out_of_memory = true;
    }
}

static void take_log_name(struct resolver *resolver, struct topic *topic,
                          const struct node *options, const weir_text *log_name,
                          struct hashmap *log_names)
{
    const struct node *node = options != NULL ? node_get(options, "name") : NULL;
    struct place place = node != NULL ? node->place : topic->place;
    if (log_name->data != NULL && name_check_topic(resolver, place, log_name->data)) {
        topic->log_name = log_name->data;
    }
    check_log_name(resolver, log_names, topic, place);
}

/* options NULL: all defaults. */
static void read_topic(struct resolver *resolver, const struct node *name,
                       const struct node *options, struct hashmap *log_names)
{
    struct pipeline *pipeline = resolver->pipeline;
    struct topic_values values = { .partitioner = -1, .keeping = keeping_open };
    if (hashmap_get(&resolver->topics, name->text, name->text_len) != NULL) {
        resolver_fault(resolver, name->place, "topic '%s' is declared twice; remove one of them",
                       name->text);
        return;
    }
    struct topic *topic = &resolver->topic_array[pipeline->topic_count];
    *topic = (struct topic){ .name = name->text, .log_name = name->text, .place = name->place };
    bool is_named = name_check_topic(resolver, name->place, name->text);
    if (options != NULL) {
        const char *owner = resolver_text(resolver, " of topic '%s'", name->text);
        keys_read(resolver, topic_keys, "option", owner != NULL ? owner : "", NULL, options,
                  &values);
    }
    read_serializer(resolver, topic, "key", values.key, "text", &topic->key);
    read_serializer(resolver, topic, "value", values.value, "json", &topic->value);
    topic->event_time = values.event_time;
    topic->partitions = (uint32_t)values.partitions;
    topic->partitioner = (enum partitioner)(PARTITIONER_RANDOM + values.partitioner);
    topic->keeping = values.keeping;
    if (values.fields != NULL) {
        fields_read(resolver, values.fields, topic);
    }
    if (is_named) {
        take_log_name(resolver, topic, options, &values.log_name, log_names);
        kafka_topic_read(resolver, topic, options, values.replication, &values.config);
    }
    if (!hashmap_put(&resolver->topics, name->text, name->text_len, topic)) {
        resolver->diagnostics->is_out_of_memory = true;
        return;
    }
    pipeline->topics[pipeline->topic_count++] = topic;
}

static void read_list(struct resolver *resolver, const struct node *list, struct hashmap *log_names)
{
    for (size_t i = 0; i < list->count; i++) {
        const struct node *item = list->items[i];
        if (item->kind != NODE_SCALAR || item->is_empty) {
            resolver_fault(resolver, item->place,
                           "a list of topics holds names only; with options write topics as a map: "
                           "'NAME: {key: ..., value: ...}'");
        } else {
            read_topic(resolver, item, NULL, log_names);
        }
    }
}

static void read_map(struct resolver *resolver, const struct node *map, struct hashmap *log_names)
{
    for (size_t i = 0; i < map->count; i++) {
        const struct node_pair *pair = &map->pairs[i];
        bool is_empty = pair->value->kind == NODE_SCALAR && pair->value->is_empty;
        if (pair->value->kind != NODE_MAP && !is_empty) {
            resolver_fault(resolver, pair->value->place,
                           "the options of topic '%s' are a map, such as {value: json}",
                           pair->key->text);
        }
        const struct node *options = pair->value->kind == NODE_MAP ? pair->value : NULL;
        read_topic(resolver, pair->key, options, log_names);
    }
}

void topics_read(struct resolver *resolver, const struct node *topics)
{
    if (topics->kind == NODE_SCALAR) {
        resolver_fault(resolver, topics->place,
                       "'topics' is a map of names to options, or a list of names");
        return;
    }
    resolver->topic_array = resolver_alloc(resolver, topics->count, sizeof *resolver->topic_array);
    resolver->pipeline->topics = resolver_alloc(resolver, topics->count, sizeof(struct topic *));
    resolver->kafka_topics =
        resolver_alloc(resolver, topics->count, sizeof *resolver->kafka_topics);
    if (resolver->topic_array == NULL || resolver->pipeline->topics == NULL ||
        resolver->kafka_topics == NULL) {
        return;
    }
    struct hashmap log_names;
    hashmap_init(&log_names);
    if (topics->kind == NODE_LIST) {
        read_list(resolver, topics, &log_names);
    } else {
        read_map(resolver, topics, &log_names);
    }
    hashmap_deinit(&log_names);
}

bool topics_grow(struct resolver *resolver, size_t more)
{
    struct pipeline *pipeline = resolver->pipeline;
    struct topic **grown =
        resolver_alloc(resolver, pipeline->topic_count + more, sizeof(struct topic *));
    if (grown == NULL) {
        return false;
    }
    if (pipeline->topic_count > 0) {
        memcpy(grown, pipeline->topics, pipeline->topic_count * sizeof(struct topic *));
    }
    pipeline->topics = grown;
    return true;
}
