/* SPDX-License-Identifier: MIT */
/*
 * What may stand beside a plugin's name, by place.
 */
#include <string.h>

#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "pipeline/names.h"
#include "pipeline/tables.h"

/* By enum on_error. */
const char *const on_error_names[] = { "fail", "skip", "dead_letter", NULL };

bool on_error_read(struct resolver *resolver, const struct node *node, enum on_error *ret)
{
    static const weir_option option = { .name = "on_error",
                                        .type = WEIR_OPTION_ENUM,
                                        .enum_names = on_error_names,
                                        .summary = "What a record that fails here does" };
    int64_t index = 0;
    if (!option_read(&resolver->scope, &option, node, &index)) {
        return false;
    }
    *ret = (enum on_error)index;
    if (*ret == ON_ERROR_DEAD_LETTER && !resolver->has_dead_letter) {
        resolver->has_dead_letter = true;
        resolver->dead_letter = node->place;
    }
    return true;
}

static void read_on_error(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    struct siblings *siblings = target;
    siblings->has_on_error = on_error_read(resolver, pair->value, &siblings->on_error);
}

static void read_id(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    struct siblings *siblings = target;
    const char *id = resolver_name(resolver, pair->value, "an id");
    if (id != NULL && name_check(resolver, pair->value->place, "id", NAME_PLAIN, id)) {
        siblings->id = (weir_text){ id, strlen(id) };
    }
}

static const weir_option key_option = { .name = "key",
                                        .type = WEIR_OPTION_EXPRESSION,
                                        .offset = offsetof(struct siblings, key),
                                        .summary = "The message's key" };
static const weir_option event_time_option = { .name = "event_time",
                                               .type = WEIR_OPTION_EXPRESSION,
                                               .offset = offsetof(struct siblings, event_time),
                                               .summary = "The message's timestamp" };
static const weir_option partitions_option = { .name = "partitions",
                                               .type = WEIR_OPTION_INT,
                                               .offset = offsetof(struct siblings, partitions),
                                               .min = 1,
                                               .max = MAX_PARTITIONS,
                                               .summary = "Partitions of the source's topic" };

static const char *const on_start_failure_names[] = { "fail", "retry", NULL };
static const weir_option on_start_failure_option = {
    .name = "on_start_failure",
    .type = WEIR_OPTION_ENUM,
    .enum_names = on_start_failure_names,
    .offset = offsetof(struct siblings, on_start_failure),
    .summary = "What the run does where this cannot be opened: end, or try again until it can"
};

static void read_retry_timeout(struct resolver *resolver, void *target,
                               const struct node_pair *pair)
{
    static const weir_option option = {
        .name = "retry_timeout", .type = WEIR_OPTION_DURATION, .min = 1, .max = INT64_MAX
    };
    struct siblings *siblings = target;
    size_t len = 0;
    const struct node *node = pair->value;
    const char *text =
        node->kind == NODE_SCALAR ? option_substitute(&resolver->scope, node, &len) : "";
    if (text != NULL && strcmp(text, "forever") == 0) {
        siblings->retry_ms = RETRY_FOREVER;
    } else if (text != NULL && len > 0 && strpbrk(text, "0123456789") == NULL) {
        resolver_fault(resolver, node->place,
                       "'retry_timeout' is a duration, such as 5m, or forever, not '%s'", text);
    } else if (text != NULL) {
        (void)option_read(&resolver->scope, &option, node, &siblings->retry_ms);
    }
}

/* STREAM, ID, ID#2 or STREAM.ID: what was_check finds no use for it reports. */
static void read_was(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    struct siblings *siblings = target;
    siblings->was = resolver_name(resolver, pair->value, "what it was");
    siblings->was_place = pair->value->place;
}

#define ID_SIBLING                                                                                 \
 {                                                                                                 \
  .name = "id", .read = read_id, .shape = SHAPE_NAME,                                              \
  .summary = "A name for it, unique within the stream"                                             \
 }
#define WAS_SIBLING                                                                                \
 {                                                                                                 \
  .name = "was", .read = read_was, .shape = SHAPE_TEXT,                                            \
  .summary = "What its progress was kept under before a change of names"                           \
 }
#define RETRY_SIBLING                                                                              \
 {                                                                                                 \
  .name = "retry_timeout", .read = read_retry_timeout, .shape = SHAPE_RETRY_TIMEOUT,               \
  .summary = "How long a call of the sink that fails for now is tried again before the run ends; " \
             "2m by default"                                                                       \
 }
#define ON_ERROR_SIBLING(text)                                                                     \
 {                                                                                                 \
  .name = "on_error", .read = read_on_error, .shape = SHAPE_ON_ERROR, .summary = (text)            \
 }
/* What stands beside every plugin that has progress of its own. */
#define PROGRESS_SIBLINGS                                                                          \
 ID_SIBLING, ON_ERROR_SIBLING("What a record that fails here does"), WAS_SIBLING

static const struct key_rule step_siblings[] = {
    PROGRESS_SIBLINGS,
    { .name = NULL },
};

static const struct key_rule source_siblings[] = {
    PROGRESS_SIBLINGS,
    { .name = "key", .option = &key_option },
    { .name = "event_time", .option = &event_time_option },
    { .name = "partitions", .option = &partitions_option },
    { .name = "on_start_failure", .option = &on_start_failure_option },
    { .name = NULL },
};

static const struct key_rule end_siblings[] = {
    PROGRESS_SIBLINGS,
    { .name = "key", .option = &key_option },
    { .name = "on_start_failure", .option = &on_start_failure_option },
    RETRY_SIBLING,
    { .name = NULL },
};

/* Of an end too, but of one that nothing stands behind. */
static const struct key_rule letters_siblings[] = {
    ID_SIBLING,
    WAS_SIBLING,
    { .name = "on_start_failure", .option = &on_start_failure_option },
    RETRY_SIBLING,
    { .name = "on_error",
      .refusal = "'on_error' cannot stand at 'dead_letters': what this end cannot take ends the "
                 "run; remove it" },
    { .name = "key",
      .refusal = "'key' cannot stand at 'dead_letters': a letter has the key of its input message; "
                 "remove it" },
    { .name = NULL },
};

static const struct key_rule serializer_siblings[] = {
    ON_ERROR_SIBLING("What a record that cannot be decoded or encoded does"),
    { .name = NULL },
};

const struct plugin_spot operator_spot = {
    WEIR_KIND_OPERATOR, "operator", "an operator", "step", false, step_siblings
};
const struct plugin_spot source_spot = { WEIR_KIND_SOURCE, "source", "a source",
                                         "source",         true,     source_siblings };
const struct plugin_spot sink_spot = {
    WEIR_KIND_SINK, "sink", "a sink", "end", true, end_siblings
};
const struct plugin_spot letters_spot = { WEIR_KIND_SINK, "sink", "a sink",
                                          "end",          true,   letters_siblings };
const struct plugin_spot serializer_spot = {
    WEIR_KIND_SERIALIZER, "serializer", "a serializer", "serializer", false, serializer_siblings
};
