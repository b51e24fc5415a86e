/* SPDX-License-Identifier: MIT */
/*
 * How topics are made on Kafka: `replication`, `config`, and what else the file says of what becomes of
 * their messages. Which names of configuration there are only the brokers know;
 * what all of them agree on is judged here.
 */
#include <string.h>

#include "base/units.h"
#include "kafka/address.h"
#include "pipeline/parts.h"

enum { KEEPING_PAIRS = 4 };

struct config_reading {
    struct resolver *resolver;
    const struct topic *topic;
    const struct node *node; /* behind `config:`; NULL: the key is misspelt, which is told */
    int64_t replication;     /* 0: not given */
};

static struct place value_place(const struct config_reading *reading, const char *name)
{
    const struct node *value = reading->node != NULL ? node_get(reading->node, name) : NULL;
    return value != NULL ? value->place : reading->topic->place;
}

/* ---- names --------------------------------------------------------------------------------------- */

/* What an option of the topic says; is_given: this topic has it. */
static const char *option_for(const struct topic_keeping *keeping, const char *name,
                              bool *ret_is_given)
{
    const struct {
        const char *name;
        const char *option;
        bool is_given;
    } options[] = {
        { "retention.ms", "retention", keeping->retention_ms >= 0 },
        { "retention.bytes", "retention_size", keeping->retention_bytes >= 0 },
        { "cleanup.policy", "compact", keeping->is_compacted != KEEPING_OPEN },
        { "delete.retention.ms", "tombstone_retention", keeping->tombstone_ms >= 0 },
        { "partitions", "partitions", true },
        { "num.partitions", "partitions", true },
        { "replication", "replication", true },
        { "replication.factor", "replication", true },
    };
    for (size_t i = 0; i < sizeof options / sizeof options[0]; i++) {
        if (strcmp(options[i].name, name) == 0) {
            *ret_is_given = options[i].is_given;
            return options[i].option;
        }
    }
    return NULL;
}

static bool check_name(const struct config_reading *reading, const char *name)
{
    bool is_given = false;
    const char *option = option_for(&reading->topic->keeping, name, &is_given);
    if (strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789.") != strlen(name)) {
        resolver_fault(reading->resolver, value_place(reading, name),
                       "'%s' is no name of the brokers; they are written as in 'retention.ms'",
                       name);
        return false;
    }
    if (option != NULL && is_given) {
        resolver_fault(reading->resolver, value_place(reading, name),
                       "'%s' is the option '%s' of the topic; write it there alone", name, option);
        return false;
    }
    return true;
}

/* ---- values -------------------------------------------------------------------------------------- */

static bool ends_with(const char *name, const char *const *ends)
{
    size_t len = strlen(name);
    for (; *ends != NULL; ends++) {
        size_t end = strlen(*ends);
        if (len > end && strcmp(name + len - end, *ends) == 0) {
            return true;
        }
    }
    return false;
}

static bool is_policy(const char *value)
{
    static const char *const policies[] = { "delete", "compact", "delete,compact", "compact,delete",
                                            NULL };
    const char *const *policy = policies;
    while (*policy != NULL && strcmp(*policy, value) != 0) {
        policy++;
    }
    return *policy != NULL;
}

static void check_value(const struct config_reading *reading, const char *name, const char *value)
{
    static const char *const whole[] = { ".ms", ".bytes", ".replicas", ".messages", NULL };
    static const char *const truths[] = { ".enable", NULL };
    int64_t number = 0;
    bool truth = false;
    const char *wanted = NULL;
    if (ends_with(name, whole) && !units_int(value, strlen(value), &number, NULL)) {
        wanted = "a whole number without a unit, which the name tells";
    } else if (ends_with(name, truths) && !units_bool(value, strlen(value), &truth, NULL)) {
        wanted = "true or false";
    } else if (strcmp(name, "cleanup.policy") == 0 && !is_policy(value)) {
        wanted = "delete, compact or delete,compact";
    }
    if (wanted != NULL) {
        resolver_fault(reading->resolver, value_place(reading, name), "'%s' expects %s, found '%s'",
                       name, wanted, value);
    } else if (strcmp(name, "min.insync.replicas") == 0 && reading->replication > 0 &&
               number > reading->replication) {
        resolver_fault(reading->resolver, value_place(reading, name),
                       "a topic with fewer replicas than 'min.insync.replicas' takes no message; "
                       "write at most %lld",
                       (long long)reading->replication);
    }
}

/* ---- one topic ----------------------------------------------------------------------------------- */

/* Nobody can be wrong about how safe their messages are. */
static void warn_of_no_effect(struct resolver *resolver, const struct node *options,
                              const char *name)
{
    const struct node *node = node_get(options, name);
    if (node != NULL && !kafka_address_is_meant(resolver->pipeline->log_url)) {
        resolver_warn(resolver, node->place,
                      "'%s' is for topics on Kafka, and the log is '%s'; it has no effect there",
                      name, resolver->pipeline->log_url);
    }
}

static void add_pair(struct kafka_topic_plan *plan, struct kafka_topic_config *config,
                     const char *name, const char *value)
{
    config[plan->config_count++] = (struct kafka_topic_config){ name, value };
}

static void add_map(const struct config_reading *reading, const weir_option_map *map,
                    struct kafka_topic_plan *plan, struct kafka_topic_config *config)
{
    for (size_t i = 0; i < map->count; i++) {
        const char *name = map->items[i].key.text.data;
        const char *value = map->items[i].value.text.data;
        if (check_name(reading, name)) {
            check_value(reading, name, value);
        }
        add_pair(plan, config, name, value);
    }
}

/* What the brokers call without end is 0 here. */
static void add_limit(struct resolver *resolver, struct kafka_topic_plan *plan,
                      struct kafka_topic_config *config, const char *name, int64_t limit)
{
    if (limit >= 0) {
        add_pair(plan, config, name,
                 limit == 0 ? "-1" : resolver_text(resolver, "%lld", (long long)limit));
    }
}

/* The topic's options by the brokers' names. */
static void add_keeping(struct resolver *resolver, const struct topic_keeping *keeping,
                        struct kafka_topic_plan *plan, struct kafka_topic_config *config)
{
    add_limit(resolver, plan, config, "retention.ms", keeping->retention_ms);
    add_limit(resolver, plan, config, "retention.bytes", keeping->retention_bytes);
    if (keeping->tombstone_ms >= 0) {
        add_pair(plan, config, "delete.retention.ms",
                 resolver_text(resolver, "%lld", (long long)keeping->tombstone_ms));
    }
    if (keeping->is_compacted != KEEPING_OPEN) {
        bool is_limited = keeping->retention_ms > 0 || keeping->retention_bytes > 0;
        add_pair(plan, config, "cleanup.policy",
                 keeping->is_compacted == 0 ? "delete"
                 : is_limited               ? "compact,delete"
                                            : "compact");
    }
}

void kafka_topic_read(struct resolver *resolver, const struct topic *topic,
                      const struct node *options, int64_t replication,
                      const weir_option_map *config)
{
    struct kafka_settings *settings = &resolver->pipeline->kafka;
    struct kafka_topic_plan plan = { .name = topic->log_name, .replication = (int32_t)replication };
    struct kafka_topic_config *pairs =
        resolver_alloc(resolver, (size_t)config->count + KEEPING_PAIRS, sizeof *pairs);
    if (pairs == NULL) {
        return;
    }
    const struct config_reading reading = { resolver, topic, node_get(options, "config"),
                                            replication };
    warn_of_no_effect(resolver, options, "replication");
    warn_of_no_effect(resolver, options, "config");
    add_keeping(resolver, &topic->keeping, &plan, pairs);
    add_map(&reading, config, &plan, pairs);
    plan.config = plan.config_count > 0 ? pairs : NULL;
    if (replication > 0 || plan.config_count > 0) {
        settings->topics = resolver->kafka_topics;
        resolver->kafka_topics[settings->topic_count++] = plan;
    }
}
