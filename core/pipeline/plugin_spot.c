/* SPDX-License-Identifier: MIT */
/*
 * Reads entries of the file that name a plugin. Which key of a map is the plugin's name is decided
 * by leaving out the siblings; what then is too much is explained, since it is the commonest slip:
 * options that are not indented below their plugin, two plugins in one step.
 */
#include "pipeline/plugin_spot.h"

#include <stdint.h>
#include <string.h>

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "pipeline/names.h"

/* ---- siblings -------------------------------------------------------------------------------- */

void on_error_read(struct resolver *resolver, const struct node *node, enum on_error *ret)
{
    static const char *const names[] = { "fail", "skip", "dead_letter", NULL };
    static const weir_option option = { .name = "on_error",
                                        .type = WEIR_OPTION_ENUM,
                                        .enum_names = names,
                                        .summary = "What a record that fails here does" };
    int64_t index = 0;
    if (!option_read(&resolver->scope, &option, node, &index)) {
        return;
    }
    if (index == 2) {
        resolver_fault(resolver, node->place,
                       "'dead_letter' comes with a later version; use fail or skip");
        return;
    }
    *ret = index == 1 ? ON_ERROR_SKIP : ON_ERROR_FAIL;
}

static void read_on_error(struct resolver *resolver, void *target, const struct node_pair *pair)
{
    struct siblings *siblings = target;
    on_error_read(resolver, pair->value, &siblings->on_error);
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

static const char was_refusal[] =
    "'was' comes with a later version; keep the old id, or run under another pipeline name";

static const struct key_rule step_siblings[] = {
    { .name = "id", .read = read_id },
    { .name = "on_error", .read = read_on_error },
    { .name = "was", .refusal = was_refusal },
    { .name = NULL },
};

static const struct key_rule source_siblings[] = {
    { .name = "id", .read = read_id },
    { .name = "on_error", .read = read_on_error },
    { .name = "was", .refusal = was_refusal },
    { .name = "key", .option = &key_option },
    { .name = "event_time", .option = &event_time_option },
    { .name = "partitions", .option = &partitions_option },
    { .name = NULL },
};

static const struct key_rule end_siblings[] = {
    { .name = "id", .read = read_id },
    { .name = "on_error", .read = read_on_error },
    { .name = "was", .refusal = was_refusal },
    { .name = "key", .option = &key_option },
    { .name = NULL },
};

static const struct key_rule no_siblings[] = { { .name = NULL } };

const struct plugin_spot operator_spot = {
    WEIR_KIND_OPERATOR, "operator", "an operator", "step", false, step_siblings
};
const struct plugin_spot source_spot = { WEIR_KIND_SOURCE, "source", "a source",
                                         "source",         true,     source_siblings };
const struct plugin_spot sink_spot = {
    WEIR_KIND_SINK, "sink", "a sink", "end", true, end_siblings
};
const struct plugin_spot serializer_spot = { WEIR_KIND_SERIALIZER, "serializer", "a serializer",
                                             "serializer",         false,        no_siblings };

/* ---- names ----------------------------------------------------------------------------------- */

const char *nearest_key(const struct hashmap *map, const char *wanted)
{
    struct nearest search;
    nearest_start(&search, wanted, strlen(wanted));
    for (size_t i = 0; i < map->count; i++) {
        nearest_offer(&search, map->entries[i].key);
    }
    return nearest_found(&search);
}

static const struct factory *find_factory(const struct resolver *resolver, const char *kind,
                                          const char *name)
{
    return registry_find(resolver->pipeline->registry, kind, name, strlen(name));
}

/* "'file' is a source (write it under 'from') and a sink (write it under 'to')"; false: no kind has
 * this name. */
static bool report_other_kinds(struct resolver *resolver, const char *name, struct place place)
{
    static const struct {
        const char *kind;
        const char *is;
        const char *cure;
    } kinds[] = {
        { WEIR_KIND_OPERATOR, "an operator", "write it under 'steps'" },
        { WEIR_KIND_SOURCE, "a source", "write it under 'from'" },
        { WEIR_KIND_SINK, "a sink", "write it under 'to'" },
        { WEIR_KIND_SERIALIZER, "a serializer", "write it at a topic's 'key' or 'value'" },
        { WEIR_KIND_FUNCTION, "a function", "call it in an expression" },
    };
    const char *text = NULL;
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        if (find_factory(resolver, kinds[i].kind, name) == NULL) {
            continue;
        }
        text = text == NULL
                   ? resolver_text(resolver, "%s; %s", kinds[i].is, kinds[i].cure)
                   : resolver_text(resolver, "%s; or as %s, %s", text, kinds[i].is, kinds[i].cure);
        if (text == NULL) {
            return true;
        }
    }
    if (text != NULL) {
        resolver_fault(resolver, place, "'%s' is %s", name, text);
    }
    return text != NULL;
}

static void report_unknown(struct resolver *resolver, const struct plugin_spot *spot,
                           const char *name, struct place place)
{
    const struct registry *registry = resolver->pipeline->registry;
    const struct plugin_problem *problem = registry_problem(registry, name, strlen(name));
    if (problem != NULL) {
        resolver_fault(resolver, place, "%s '%s' cannot be used: %s", spot->noun, name,
                       problem->message);
        return;
    }
    if (report_other_kinds(resolver, name, place)) {
        return;
    }
    struct nearest search;
    nearest_start(&search, name, strlen(name));
    registry_offer(registry, spot->kind, &search);
    const char *near = nearest_found(&search);
    if (near != NULL) {
        resolver_fault(resolver, place, "unknown %s '%s'; did you mean '%s'?", spot->noun, name,
                       near);
    } else {
        resolver_fault(resolver, place,
                       "unknown %s '%s'; 'weir plugin list' shows what there is, and 'plugins:' "
                       "loads more",
                       spot->noun, name);
    }
}

/* NULL after a report. */
static const struct factory *require_factory(struct resolver *resolver,
                                             const struct plugin_spot *spot, const char *name,
                                             struct place place)
{
    const struct factory *factory = find_factory(resolver, spot->kind, name);
    if (factory == NULL) {
        report_unknown(resolver, spot, name, place);
        return NULL;
    }
    if (factory->is_ambiguous) {
        const char *first = factory->plugin->entry->id;
        const char *second = factory->rival->entry->id;
        resolver_fault(resolver, place, "two plugins bring %s '%s'; write '%s.%s' or '%s.%s'",
                       spot->a_noun, name, first, name, second, name);
        return NULL;
    }
    return factory;
}

/* ---- taking an entry apart ------------------------------------------------------------------- */

static bool has_option(const struct factory *factory, const struct node *key)
{
    const weir_option *option = factory != NULL ? factory->spec->options : NULL;
    for (; option != NULL && option->name != NULL; option++) {
        if (node_is(key, option->name)) {
            return true;
        }
    }
    return false;
}

/* True where the plugin's value as a whole is a map whose keys users choose. */
static bool has_map_body(const struct factory *factory)
{
    const weir_option *option = factory->spec->options;
    for (; option != NULL && option->name != NULL; option++) {
        if ((option->flags & WEIR_OPTION_BODY) != 0) {
            return option->type == WEIR_OPTION_MAP || option->type == WEIR_OPTION_STRUCT ||
                   option->type == WEIR_OPTION_ANY;
        }
    }
    return false;
}

static bool is_candidate(const struct resolver *resolver, const struct plugin_spot *spot,
                         const struct node *key)
{
    return (spot->topic && node_is(key, "topic")) ||
           find_factory(resolver, spot->kind, key->text) != NULL;
}

/* Which key names the plugin: the first that could, else the first that is no sibling. */
static const struct node_pair *find_name(const struct resolver *resolver,
                                         const struct plugin_spot *spot, const struct node *map)
{
    const struct node_pair *first = NULL;
    for (size_t i = 0; i < map->count; i++) {
        const struct node_pair *pair = &map->pairs[i];
        if (key_find(spot->siblings, pair->key) != NULL) {
            continue;
        }
        if (is_candidate(resolver, spot, pair->key)) {
            return pair;
        }
        first = first == NULL ? pair : first;
    }
    return first;
}

/* A key that is neither the plugin's name nor a sibling. */
static void report_extra(struct resolver *resolver, const struct plugin_spot *spot,
                         struct written *written, const struct node *key)
{
    const struct node *name = written->name;
    const struct factory *factory = find_factory(resolver, spot->kind, name->text);
    if (is_candidate(resolver, spot, key)) {
        resolver_fault(resolver, key->place,
                       "'%s' is a second %s beside '%s'; each needs an entry of its own: '- %s: "
                       "...'",
                       key->text, spot->item, name->text, key->text);
    } else if (has_option(factory, key)) {
        written->is_scattered = true;
        resolver_fault(resolver, key->place, "'%s' is an option of %s '%s'; indent it below '%s:'",
                       key->text, spot->noun, name->text, name->text);
    } else {
        const char *owner = resolver_text(resolver, " beside '%s'", name->text);
        key_unknown(resolver, spot->siblings, "key", owner != NULL ? owner : "", key);
    }
}

static bool read_map(struct resolver *resolver, const struct plugin_spot *spot,
                     const struct node *map, struct written *written)
{
    const struct node_pair *main = find_name(resolver, spot, map);
    if (main == NULL) {
        resolver_fault(resolver, map->place, "this %s names no %s; begin it with NAME: OPTIONS",
                       spot->item, spot->noun);
        return false;
    }
    written->map = map;
    written->name = main->key;
    written->body = main->value;
    for (size_t i = 0; i < map->count; i++) {
        const struct node_pair *pair = &map->pairs[i];
        const struct key_rule *rule = key_find(spot->siblings, pair->key);
        if (rule != NULL) {
            key_read(resolver, rule, &written->siblings, pair);
        } else if (pair != main) {
            report_extra(resolver, spot, written, pair->key);
        }
    }
    return true;
}

bool written_read(struct resolver *resolver, const struct plugin_spot *spot,
                  const struct node *node, struct written *ret)
{
    *ret = (struct written){ .siblings = { .on_error = resolver->on_error } };
    if (node->kind == NODE_MAP) {
        return read_map(resolver, spot, node, ret);
    }
    if (node->kind == NODE_LIST) {
        resolver_fault(resolver, node->place, "this %s is a list; write NAME or NAME: OPTIONS",
                       spot->item);
        return false;
    }
    if (node->is_empty) {
        resolver_fault(resolver, node->place, "nothing is written here; write the name of %s",
                       spot->a_noun);
        return false;
    }
    ret->name = node;
    return true;
}

bool written_is_topic(const struct plugin_spot *spot, const struct written *written)
{
    return spot->topic && written->map != NULL && node_is(written->name, "topic");
}

struct topic *written_topic(struct resolver *resolver, const struct written *written)
{
    const struct node *body = written->body;
    if (body->kind == NODE_SCALAR && body->is_empty) {
        resolver_fault(resolver, written->name->place,
                       "'topic' names no topic; write {topic: "
                       "NAME}");
        return NULL;
    }
    if (body->kind == NODE_MAP) {
        resolver_fault(resolver, body->place,
                       "topics that are computed come with a later version; write {topic: NAME}, "
                       "with a stream and a filter for each");
        return NULL;
    }
    const char *name = resolver_name(resolver, body, "a topic");
    if (name == NULL) {
        return NULL;
    }
    struct topic *topic = hashmap_get(&resolver->topics, name, strlen(name));
    if (topic != NULL) {
        return topic;
    }
    const char *near = nearest_key(&resolver->topics, name);
    if (near != NULL) {
        resolver_fault(resolver, body->place,
                       "topic '%s' is not declared; did you mean '%s'? Otherwise add it under "
                       "'topics:'",
                       name, near);
    } else {
        resolver_fault(resolver, body->place, "topic '%s' is not declared; add it under 'topics:'",
                       name);
    }
    return NULL;
}

/* A sibling among the options is read by nobody; where an expression may be a map it would even pass
 * for one. */
static bool check_siblings(struct resolver *resolver, const struct plugin_spot *spot,
                           const struct factory *factory, const struct node *body)
{
    bool is_long_form = false;
    const struct node *misplaced = NULL;
    for (size_t i = 0; body != NULL && body->kind == NODE_MAP && i < body->count; i++) {
        const struct node *key = body->pairs[i].key;
        if (has_option(factory, key)) {
            is_long_form = true;
        } else if (key_find(spot->siblings, key) != NULL) {
            misplaced = key;
        }
    }
    if (!is_long_form || misplaced == NULL || has_map_body(factory)) {
        return true;
    }
    resolver_fault(resolver, misplaced->place,
                   "'%s' stands beside the plugin's name, not among its options; indent it like "
                   "'%s:'",
                   misplaced->text, factory->spec->name);
    return false;
}

/* ---- using it -------------------------------------------------------------------------------- */

static bool fill_options(struct resolver *resolver, const struct plugin_spot *spot,
                         const char *name, const struct node *body, struct plugin_use *use)
{
    const weir_factory *spec = use->factory->spec;
    void *config = resolver_alloc(resolver, 1, spec->config_size);
    const char *subject = resolver_text(resolver, "%s '%s'", spot->noun, name);
    if (config == NULL || subject == NULL || !check_siblings(resolver, spot, use->factory, body)) {
        return false;
    }
    use->config = spec->config_size > 0 ? config : NULL;
    return options_fill(&resolver->scope, subject, use->place, spec->options, body, config);
}

/* The engine runs operators with one input and one output. */
static bool check_ports(struct resolver *resolver, const struct plugin_spot *spot,
                        const struct factory *factory, struct place place)
{
    const char *const *inputs = factory->spec->inputs;
    const char *const *outputs = factory->spec->outputs;
    bool has_many = (inputs != NULL && inputs[0] != NULL && inputs[1] != NULL) ||
                    (outputs != NULL && outputs[0] != NULL && outputs[1] != NULL);
    if (has_many) {
        resolver_fault(resolver, place,
                       "%s '%s' has several inputs or outputs, which come with a later version",
                       spot->noun, factory->spec->name);
    }
    return !has_many;
}

static bool find_plugin(struct resolver *resolver, const struct plugin_spot *spot, const char *name,
                        struct place place, const char *where, struct plugin_use *use)
{
    use->place = place;
    use->label = resolver_text(resolver, "%s (%s)", where, name);
    use->factory = require_factory(resolver, spot, name, place);
    return use->factory != NULL && check_ports(resolver, spot, use->factory, place);
}

bool written_use(struct resolver *resolver, const struct plugin_spot *spot,
                 const struct written *written, const char *where, struct plugin_use *use)
{
    *use = (struct plugin_use){ .id = written->siblings.id.data,
                                .on_error = written->siblings.on_error };
    const char *name = written->name->text;
    if (written->map == NULL) {
        name = resolver_name(resolver, written->name, spot->a_noun);
    }
    use->place = written->name->place;
    return name != NULL && find_plugin(resolver, spot, name, use->place, where, use) &&
           !written->is_scattered && fill_options(resolver, spot, name, written->body, use);
}

bool default_use(struct resolver *resolver, const struct plugin_spot *spot, const char *name,
                 struct place place, const char *where, struct plugin_use *use)
{
    *use = (struct plugin_use){ .id = name, .on_error = resolver->on_error };
    return find_plugin(resolver, spot, name, place, where, use) &&
           fill_options(resolver, spot, name, NULL, use);
}
