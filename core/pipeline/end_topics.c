/* SPDX-License-Identifier: MIT */
/*
 * The topics of an end: {topic: NAME}, or {topic: {expr: EXPR, among: [NAME, NAME]}}, where each record
 * goes to the one whose name the expression gives. They are listed so that all that is known of topics
 * before the first record stays known: who fills them, loops, the order of records.
 */
#include <string.h>

#include "pipeline/parts.h"
#include "pipeline/tables.h"

/* What stands in the map, as it is read. */
struct choice_values {
    const weir_expression *expression;
    const struct node *among;
};

static const weir_option expression_option = {
    .name = "expr",
    .type = WEIR_OPTION_EXPRESSION,
    .offset = offsetof(struct choice_values, expression),
    .summary = "Gives the name of one of the topics in 'among'"
};

static void keep_among(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    (void)resolver;
    struct choice_values *values = target;
    values->among = pair->value;
}

const struct key_rule choice_keys[] = {
    { .name = "expr", .option = &expression_option, .is_required = true },
    { .name = "among",
      .read = keep_among,
      .shape = SHAPE_NAMES,
      .summary = "The topics that a record may go to",
      .is_required = true },
    { .name = NULL },
};

static bool has_topic(const struct end *end, const struct topic *topic)
{
    for (uint32_t i = 0; i < end->topic_count; i++) {
        if (end->topics[i] == topic) {
            return true;
        }
    }
    return false;
}

static void add_topic(struct resolver *resolver, struct end *end, const struct node *node)
{
    struct topic *topic = topic_named(resolver, node);
    if (topic != NULL && has_topic(end, topic)) {
        resolver_fault(resolver, node->place, "topic '%s' stands twice in 'among'; remove one",
                       topic->name);
    } else if (topic != NULL) {
        end->topics[end->topic_count++] = topic;
    }
}

/* Returns false after a report. */
static bool read_among(struct resolver *resolver, const struct node *among, struct end *end)
{
    bool is_list = among->kind == NODE_LIST;
    size_t count = is_list ? among->count : 1;
    if (count == 0) {
        resolver_fault(resolver, among->place,
                       "this list is empty; name the topics that 'expr' may choose");
        return false;
    }
    end->topics = resolver_alloc(resolver, count, sizeof(struct topic *));
    for (size_t i = 0; end->topics != NULL && i < count; i++) {
        add_topic(resolver, end, is_list ? among->items[i] : among);
    }
    if (count == 1 && end->topic_count == 1) {
        resolver_warn(
            resolver, among->place,
            "'among' names one topic only, and every other name is an error; write {topic: "
            "%s}, or name the others",
            end->topics[0]->name);
    }
    return end->topic_count == count;
}

/* A name that is known before the first record must be one of them. */
static void check_literal(struct resolver *resolver, const struct end *end, struct place place)
{
    const weir_value *value = expr_constant(end->choice);
    if (value == NULL || value->tag != WEIR_TEXT) {
        return;
    }
    struct nearest search;
    nearest_start(&search, value->as.text, value->len);
    for (uint32_t i = 0; i < end->topic_count; i++) {
        const char *name = end->topics[i]->name;
        if (strlen(name) == value->len && memcmp(name, value->as.text, value->len) == 0) {
            return;
        }
        nearest_offer(&search, name);
    }
    const char *near = nearest_found(&search);
    int shown = value->len < 100 ? (int)value->len : 100;
    if (near != NULL) {
        resolver_fault(resolver, place,
                       "'%.*s' is not among the topics of 'among'; did you mean '%s'?", shown,
                       value->as.text, near);
    } else {
        resolver_fault(resolver, place, "'%.*s' is not among the topics of 'among'; add it there",
                       shown, value->as.text);
    }
}

static void read_choice(struct resolver *resolver, const struct node *map, struct end *end)
{
    struct choice_values values = { .expression = NULL };
    size_t errors = resolver->diagnostics->error_count;
    keys_read(resolver, choice_keys, "key", " of a computed topic", NULL, map, &values);
    bool is_told = resolver->diagnostics->error_count > errors;
    end->choice = values.expression;
    if (values.expression == NULL && !is_told) {
        resolver_fault(resolver, map->place,
                       "'expr' is missing; it gives the name of one of the topics in 'among'");
    }
    if (values.among == NULL && !is_told) {
        resolver_fault(resolver, map->place,
                       "'among' is missing; list the topics that 'expr' may choose: {expr: EXPR, "
                       "among: [A, B]}");
    }
    const struct node *expression = node_get(map, "expr");
    end->choice_place = expression != NULL ? expression->place : map->place;
    if (values.among != NULL && read_among(resolver, values.among, end) && end->choice != NULL) {
        check_literal(resolver, end, end->choice_place);
    }
}

void end_topics_read(struct resolver *resolver, const struct written *written, struct end *end)
{
    if (written->body->kind == NODE_MAP) {
        read_choice(resolver, written->body, end);
        return;
    }
    struct topic *topic = written_topic(resolver, written);
    end->topics = resolver_alloc(resolver, 1, sizeof(struct topic *));
    if (topic != NULL && end->topics != NULL) {
        end->topics[end->topic_count++] = topic;
    }
}
