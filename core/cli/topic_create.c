/* SPDX-License-Identifier: MIT */
/*
 * `weir topic create`: a topic as the flags and the pipeline file say, in either kind of log.
 */
#include <inttypes.h>
#include <string.h>

#include "base/buffer.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/topic_use.h"
#include "kafka/address.h"

enum { MOST_PAIRS = 64 };

/*
 * settings  the file's with this topic's plan, which the log on Kafka finds there
 */
struct create {
    struct topic_use *use;
    struct kafka_topic_config pairs[MOST_PAIRS];
    size_t pair_count;
    uint32_t partitions;
    struct kafka_topic_plan plan;
    struct kafka_settings settings;
};

/* ---- what is asked for ----------------------------------------------------------------------------- */

static struct kafka_topic_config *find_pair(struct create *create, const char *name)
{
    for (size_t i = 0; i < create->pair_count; i++) {
        if (strcmp(create->pairs[i].name, name) == 0) {
            return &create->pairs[i];
        }
    }
    return NULL;
}

/* The later of two with one name holds: flags come after the file. False: too many. */
static bool add_pair(struct create *create, const char *name, const char *value)
{
    struct kafka_topic_config *pair = find_pair(create, name);
    if (pair == NULL && create->pair_count == MOST_PAIRS) {
        return false;
    }
    pair = pair != NULL ? pair : &create->pairs[create->pair_count++];
    *pair = (struct kafka_topic_config){ name, value };
    return true;
}

/* One "NAME=VALUE". False: it is none. */
static bool take_pair(struct create *create, const char *text, size_t len)
{
    const char *equals = memchr(text, '=', len);
    if (equals == NULL || equals == text) {
        return false;
    }
    size_t name_len = (size_t)(equals - text);
    const char *name = arena_copy(&create->use->arena, text, name_len);
    const char *value = arena_copy(&create->use->arena, equals + 1, len - name_len - 1);
    return name != NULL && value != NULL && add_pair(create, name, value);
}

/* False: said. */
static bool take_pairs(struct create *create)
{
    const char *text = args_text(create->use->args, "config");
    for (const char *at = text == NULL ? "" : text; *at != '\0';) {
        size_t len = strcspn(at, " ");
        if (len > 0 && !take_pair(create, at, len)) {
            args_fault(create->use->args,
                       "write such as --config 'retention.ms=86400000 cleanup.policy=compact'",
                       "'--config' expects NAME=VALUE, found '%.*s'", (int)len, at);
            return false;
        }
        at += len + (at[len] == ' ');
    }
    return true;
}

static void take_file(struct create *create)
{
    const struct topic_use *use = create->use;
    kafka_settings_init(&create->settings);
    if (use->pipeline != NULL) {
        create->settings = use->pipeline->kafka;
    }
    const struct kafka_topic_plan *plan = kafka_topic_plan_find(&create->settings, use->log_name);
    for (size_t i = 0; plan != NULL && i < plan->config_count; i++) {
        (void)add_pair(create, plan->config[i].name, plan->config[i].value);
    }
    create->plan.replication = plan != NULL ? plan->replication : 0;
    create->partitions = use->is_declared ? use->topic->partitions : 0;
}

/* Flags win. False: said. */
static bool take_all(struct create *create)
{
    const struct args *args = create->use->args;
    take_file(create);
    if (!take_pairs(create)) {
        return false;
    }
    int64_t partitions = args_number(args, "partitions", create->partitions);
    int64_t replication = args_number(args, "replication", create->plan.replication);
    if (partitions > INT32_MAX || replication > INT16_MAX) {
        args_fault(args, NULL, "'%s' is too large",
                   partitions > INT32_MAX ? "--partitions" : "--replication");
        return false;
    }
    create->partitions = (uint32_t)partitions;
    create->plan.name = create->use->log_name;
    create->plan.replication = (int32_t)replication;
    create->plan.config = create->pairs;
    create->plan.config_count = create->pair_count;
    create->settings.topics = &create->plan;
    create->settings.topic_count = 1;
    create->settings.create_topics = true; /* who asks for it by name means it */
    return true;
}

/* ---- in a log of weir's own ------------------------------------------------------------------------ */

/* -1 is the brokers' word for no limit. */
static bool read_limit(const char *text, int64_t *ret)
{
    int64_t number = 0;
    if (!units_int(text, strlen(text), &number, NULL) || number < -1) {
        return false;
    }
    *ret = number < 0 ? 0 : number;
    return true;
}

static bool take_option(const struct kafka_topic_config *pair, struct log_topic_options *options)
{
    if (strcmp(pair->name, "retention.ms") == 0) {
        return read_limit(pair->value, &options->retention_ms);
    }
    if (strcmp(pair->name, "retention.bytes") == 0) {
        return read_limit(pair->value, &options->retention_bytes);
    }
    if (strcmp(pair->name, "delete.retention.ms") == 0) {
        return read_limit(pair->value, &options->tombstone_ms);
    }
    options->is_compacted = strstr(pair->value, "compact") != NULL;
    return strcmp(pair->name, "cleanup.policy") == 0;
}

/* False: said, a fault of use. */
static bool read_options(const struct create *create, struct log_topic_options *options)
{
    const struct args *args = create->use->args;
    if (args_has(args, "replication")) {
        args_fault(args, NULL, "'--replication' is for topics on Kafka, and the log is '%s'",
                   create->use->log_url);
        return false;
    }
    for (size_t i = 0; i < create->pair_count; i++) {
        const struct kafka_topic_config *pair = &create->pairs[i];
        if (!take_option(pair, options) && args_has(args, "config")) {
            args_fault(args, NULL, "cannot use '%s=%s' in the log '%s'", pair->name, pair->value,
                       create->use->log_url);
            return false;
        }
    }
    return true;
}

/* ---- the command ----------------------------------------------------------------------------------- */

static int tell_done(const struct create *create)
{
    const struct topic_use *use = create->use;
    uint32_t partitions = use->log_topic->partitions;
    if (!use->args->is_json) {
        output_printf("created topic '%s' with %" PRIu32 " partition%s\n", use->log_name,
                      partitions, partitions == 1 ? "" : "s");
        return EXIT_DONE;
    }
    weir_buffer out;
    struct page page = { .out = &out };
    buffer_init(&out, UINT64_MAX);
    page_text(&page, "{\"topic\":");
    page_json(&page, use->log_name);
    page_printf(&page, ",\"partitions\":%" PRIu32 "}\n", partitions);
    return topic_use_write(use, &page);
}

static weir_status make(struct create *create, const struct log_topic_options *options,
                        struct error *error)
{
    struct topic_use *use = create->use;
    if (log_topic_find(use->log, use->log_name) != NULL) {
        error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "the topic '%s' is there already",
                  use->log_name);
        error_hint(error, "'weir topic describe %s' shows it", use->name);
        return WEIR_E_INVALID;
    }
    uint32_t partitions = create->partitions;
    weir_status st =
        partitions > 0 ? WEIR_OK : log_default_partitions(use->log, &partitions, error);
    if (st == WEIR_OK) {
        st = log_topic_create(use->log, use->log_name, partitions, &use->log_topic, error);
    }
    return st == WEIR_OK && !log_is_shared(use->log) && create->pair_count > 0
               ? log_topic_configure(use->log_topic, options, error)
               : st;
}

static weir_status open_log(struct create *create, struct error *error)
{
    struct topic_use *use = create->use;
    const struct log_open_options open = { .folder = use->log_folder,
                                           .mode = LOG_WRITE,
                                           .kafka = &create->settings };
    return log_open_with(use->log_url, &open, &use->log, error);
}

int topic_create(struct topic_use *use)
{
    struct create create = { .use = use };
    struct log_topic_options options = { 0 };
    struct error error = { .status = WEIR_OK };
    if (!take_all(&create) ||
        (!kafka_address_is_meant(use->log_url) && !read_options(&create, &options))) {
        return EXIT_USAGE;
    }
    weir_status st = open_log(&create, &error);
    st = st == WEIR_OK ? make(&create, &options, &error) : st;
    int status = st == WEIR_OK ? tell_done(&create) : topic_use_fault(use, &error);
    log_close(use->log); /* it looks at the settings, which are here */
    use->log = NULL;
    return status;
}
