/* SPDX-License-Identifier: MIT */
/*
 * `log: kafka://...` and `kafka:`: which cluster, and librdkafka's properties by their own names
 * beside weir's own options. All of it is judged here, without a look at the network.
 */
#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "kafka/address.h"
#include "kafka/judge.h"
#include "pipeline/parts.h"

/* `kafka:` as it is read. */
struct kafka_reading {
    struct resolver *resolver;
    struct kafka_properties known;
    struct kafka_property *properties;
    const struct kafka_property_info **infos; /* of the same index */
    size_t count;
};

/* ---- the address --------------------------------------------------------------------------------- */

struct address_place {
    struct resolver *resolver;
    struct place place;
};

static void report_address(void *self, const char *message)
{
    const struct address_place *at = self;
    resolver_fault(at->resolver, at->place, "%s", message);
}

void kafka_log_check(struct resolver *resolver, struct place place, const char *url)
{
    struct address_place at = { resolver, place };
    if (strchr(url, '@') != NULL) {
        diagnostics_hide(resolver->diagnostics, place); /* a password may stand in front of it */
    }
    (void)kafka_brokers(url, &resolver->pipeline->arena, report_address, &at);
}

/* ---- names --------------------------------------------------------------------------------------- */

static const weir_option *find_option(const struct node *key)
{
    for (const weir_option *option = kafka_options; option->name != NULL; option++) {
        if (node_is(key, option->name)) {
            return option;
        }
    }
    return NULL;
}

/* The property whose dots were written as underscores, as in names of options. */
static const struct kafka_property_info *find_underscored(const struct kafka_reading *reading,
                                                          const struct node *key)
{
    char *name = resolver_text(reading->resolver, "%s", key->text);
    for (char *at = name; at != NULL && *at != '\0'; at++) {
        if (*at == '_') {
            *at = '.';
        }
    }
    return name != NULL ? kafka_property_find(&reading->known, name) : NULL;
}

static const char *find_nearest(const struct kafka_reading *reading, const struct node *key)
{
    struct nearest search;
    const struct kafka_property_info *underscored = find_underscored(reading, key);
    if (underscored != NULL) {
        return underscored->name;
    }
    nearest_start(&search, key->text, key->text_len);
    for (const weir_option *option = kafka_options; option->name != NULL; option++) {
        nearest_offer(&search, option->name);
    }
    kafka_properties_offer(&reading->known, &search);
    return nearest_found(&search);
}

static void report_unknown(const struct kafka_reading *reading, const struct node_pair *pair)
{
    const struct node *key = pair->key;
    const char *near = find_nearest(reading, key);
    /* Nobody knows what stands behind an unknown name: perhaps a password. */
    diagnostics_hide(reading->resolver->diagnostics, pair->value->place);
    if (near != NULL) {
        resolver_fault(reading->resolver, key->place,
                       "unknown property '%s' under 'kafka'; did you mean '%s'?", key->text, near);
    } else {
        resolver_fault(reading->resolver, key->place,
                       "unknown property '%s' under 'kafka'; it takes the properties of librdkafka "
                       "by their own names, such as security.protocol",
                       key->text);
    }
}

/* NULL after a report: no property, or none that the file may set. */
static const struct kafka_property_info *take_name(const struct kafka_reading *reading,
                                                   const struct node_pair *pair)
{
    const struct node *key = pair->key;
    const struct kafka_owned *owned = kafka_owned_find(key->text);
    const struct kafka_property_info *info = kafka_property_find(&reading->known, key->text);
    if (owned != NULL) {
        resolver_fault(reading->resolver, key->place, "weir sets '%s' itself; %s", key->text,
                       owned->cure);
        return NULL;
    }
    if (info == NULL) {
        report_unknown(reading, pair);
        return NULL;
    }
    if (info->type == KAFKA_POINTER) {
        resolver_fault(reading->resolver, key->place,
                       "'%s' is set by programs, not by a text; remove it", key->text);
        return NULL;
    }
    if (info->is_deprecated) {
        resolver_warn(reading->resolver, key->place, "librdkafka has deprecated '%s'; remove it",
                      key->text);
    }
    return info;
}

/* ---- values -------------------------------------------------------------------------------------- */

/* What else a path may be is said by its name alone. */
static bool is_word(const struct kafka_property_info *info, const struct node *value)
{
    return strcmp(info->name, "ssl.ca.location") == 0 && node_is(value, "probe");
}

/* NULL after a report. */
static const char *read_value(const struct kafka_reading *reading,
                              const struct kafka_property_info *info, const struct node *value)
{
    struct resolver *resolver = reading->resolver;
    bool is_path = info->is_path && !is_word(info, value);
    const weir_option option = { .name = info->name,
                                 .type = info->is_secret ? WEIR_OPTION_SECRET : WEIR_OPTION_TEXT,
                                 .flags = is_path ? WEIR_OPTION_PATH : 0,
                                 .summary = info->about };
    weir_text text;
    if (!option_read(&resolver->scope, &option, value, &text)) {
        return NULL;
    }
    if (strlen(text.data) != text.size) {
        resolver_fault(resolver, value->place, "'%s' holds a NUL character; remove it", info->name);
        return NULL;
    }
    if (is_path && access(text.data, R_OK) != 0) {
        resolver_fault(resolver, value->place, "cannot read '%s' of '%s': %s", text.data,
                       info->name, strerror(errno));
        return NULL;
    }
    return text.data;
}

static bool judge_value(const struct kafka_reading *reading, const struct kafka_property_info *info,
                        const struct node *value, const char *text)
{
    struct error error = { 0 };
    if (kafka_property_judge(info, text, &error) == WEIR_OK) {
        return true;
    }
    resolver_fault(reading->resolver, value->place, "wrong value of '%s': %s%s%s", info->name,
                   error.message, error.hint[0] != '\0' ? "; " : "", error.hint);
    return false;
}

static const char *first_name(const struct kafka_property_info *info)
{
    return info->alias != NULL ? info->alias : info->name;
}

/* Two names of one property would leave open which value holds. */
static bool check_alias(const struct kafka_reading *reading, const struct kafka_property_info *info,
                        const struct node *key)
{
    for (size_t i = 0; i < reading->count; i++) {
        if (strcmp(first_name(reading->infos[i]), first_name(info)) == 0) {
            resolver_fault(reading->resolver, key->place,
                           "'%s' and '%s' are one property; remove one of them",
                           reading->infos[i]->name, info->name);
            return false;
        }
    }
    return true;
}

static void read_property(struct kafka_reading *reading, const struct node_pair *pair)
{
    const struct kafka_property_info *info = take_name(reading, pair);
    const char *text = info != NULL ? read_value(reading, info, pair->value) : NULL;
    if (text == NULL || !judge_value(reading, info, pair->value, text) ||
        !check_alias(reading, info, pair->key)) {
        return;
    }
    reading->infos[reading->count] = info;
    reading->properties[reading->count++] = (struct kafka_property){ .name = info->name,
                                                                     .value = text,
                                                                     .clients = info->clients,
                                                                     .is_secret = info->is_secret,
                                                                     .place = pair->value->place };
}

static void read_pair(struct kafka_reading *reading, const struct node_pair *pair)
{
    struct resolver *resolver = reading->resolver;
    const weir_option *option = find_option(pair->key);
    if (pair->value->kind == NODE_SCALAR && pair->value->is_empty) {
        resolver_fault(resolver, pair->key->place, "'%s' has no value; give one or remove the line",
                       pair->key->text);
    } else if (option != NULL) {
        option_read(&resolver->scope, option, pair->value,
                    (char *)&resolver->pipeline->kafka + option->offset);
    } else {
        read_property(reading, pair);
    }
}

/* ---- all ----------------------------------------------------------------------------------------- */

/* place: of what no property is to blame for */
static void judge_together(struct resolver *resolver, struct place place)
{
    const struct kafka_property *culprit = NULL;
    struct error error = { 0 };
    if (kafka_settings_judge(&resolver->pipeline->kafka, resolver->pipeline->is_exactly_once,
                             &culprit, &error) != WEIR_OK) {
        resolver_fault(resolver, culprit != NULL ? culprit->place : place,
                       "librdkafka makes no client of these properties: %s%s%s", error.message,
                       error.hint[0] != 0 ? "; " : "", error.hint);
    }
}

/* librdkafka's default of transaction.timeout.ms. */
enum { TRANSACTION_MS = 60000 };

static const char timeout_name[] = "transaction.timeout.ms";

/* An epoch that the broker aborts before it is committed would be dropped and done again without an end. */
bool pipeline_interval_fits(const struct pipeline *pipeline, const char *log_url,
                            int64_t interval_ms, struct error *error)
{
    const struct kafka_property *given = kafka_property_get(&pipeline->kafka, timeout_name);
    int64_t limit_ms = given != NULL ? strtoll(given->value, NULL, 10) : TRANSACTION_MS;
    bool has_transactions =
        pipeline->is_exactly_once && log_url != NULL && kafka_address_is_meant(log_url);
    if (!has_transactions || interval_ms < limit_ms) {
        return true;
    }
    error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "each checkpoint is one transaction, which the broker aborts after %lld ms",
              (long long)limit_ms);
    error_hint(error, "write a shorter 'interval' or a longer '%s' under 'kafka'", timeout_name);
    return false;
}

void kafka_check_interval(struct resolver *resolver, struct place place)
{
    const struct pipeline *pipeline = resolver->pipeline;
    const struct kafka_property *given = kafka_property_get(&pipeline->kafka, timeout_name);
    struct error error = { .status = WEIR_OK };
    if (!pipeline_interval_fits(pipeline, pipeline->log_url, pipeline->checkpoint_interval_ms,
                                &error)) {
        resolver_fault(resolver, given != NULL ? given->place : place, "%s; %s", error.message,
                       error.hint);
    }
}

static bool reading_init(struct kafka_reading *reading, struct resolver *resolver, size_t count)
{
    struct error error = { 0 };
    *reading = (struct kafka_reading){ .resolver = resolver };
    reading->properties = resolver_alloc(resolver, count, sizeof *reading->properties);
    reading->infos = resolver_alloc(resolver, count, sizeof *reading->infos);
    if (reading->properties == NULL || reading->infos == NULL) {
        return false;
    }
    weir_status st = kafka_properties_read(&resolver->pipeline->arena, &reading->known, &error);
    if (st != WEIR_OK) {
        resolver_fault(resolver, resolver->top, "%s", error.message);
    }
    return st == WEIR_OK;
}

void kafka_read(struct resolver *resolver, const struct node *map)
{
    struct kafka_reading reading;
    struct kafka_settings *settings = &resolver->pipeline->kafka;
    size_t errors = resolver->diagnostics->error_count;
    if (map->kind != NODE_MAP) {
        resolver_fault(resolver, map->place,
                       "'kafka' is a map of properties, such as {security.protocol: SSL}");
        return;
    }
    if (!reading_init(&reading, resolver, map->count)) {
        return;
    }
    for (size_t i = 0; i < map->count; i++) {
        read_pair(&reading, &map->pairs[i]);
    }
    settings->properties = reading.properties;
    settings->property_count = reading.count;
    if (resolver->diagnostics->error_count == errors) {
        judge_together(resolver, map->place);
    }
}
