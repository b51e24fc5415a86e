/* SPDX-License-Identifier: MIT */
/*
 * Finds the plugin that an entry of the file names, and fills its options.
 */
#include <string.h>

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "pipeline/plugin_spot.h"

const struct factory *factory_find(const struct resolver *resolver, const char *kind,
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
        if (factory_find(resolver, kinds[i].kind, name) == NULL) {
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
    const struct factory *factory = factory_find(resolver, spot->kind, name);
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

bool factory_has_option(const struct factory *factory, const struct node *key)
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

/* A sibling among the options is read by nobody; where an expression may be a map it would even pass
 * for one. */
static bool check_siblings(struct resolver *resolver, const struct plugin_spot *spot,
                           const struct factory *factory, const struct node *body)
{
    bool is_long_form = false;
    const struct node *misplaced = NULL;
    for (size_t i = 0; body != NULL && body->kind == NODE_MAP && i < body->count; i++) {
        const struct node *key = body->pairs[i].key;
        if (factory_has_option(factory, key)) {
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

/* What the table cannot say: options that depend on each other. */
static bool validate(struct resolver *resolver, const weir_factory *spec, const char *subject,
                     const void *config, struct place place)
{
    weir_error_info fault = { .struct_size = sizeof fault, .record_index = -1 };
    if (spec->validate == NULL || spec->validate(config, &fault) == WEIR_OK) {
        return true;
    }
    resolver_fault(resolver, place, "%s: %s", subject,
                   fault.message != NULL ? fault.message : "its options do not fit each other");
    return false;
}

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
    return options_fill(&resolver->scope, subject, use->place, spec->options, body, config) &&
           validate(resolver, spec, subject, config, use->place);
}

static bool find_plugin(struct resolver *resolver, const struct plugin_spot *spot, const char *name,
                        struct place place, const char *where, struct plugin_use *use)
{
    use->place = place;
    use->label = resolver_text(resolver, "%s (%s)", where, name);
    use->factory = require_factory(resolver, spot, name, place);
    return use->factory != NULL;
}

bool written_use(struct resolver *resolver, const struct plugin_spot *spot,
                 const struct written *written, const char *where, struct plugin_use *use)
{
    *use = (struct plugin_use){ .id = written->siblings.id.data,
                                .stream = use->stream,
                                .on_error = written->siblings.on_error,
                                .has_on_error = written->siblings.has_on_error,
                                .retries_start = written->siblings.on_start_failure == 1,
                                .retry_ms = written->siblings.retry_ms,
                                .was = written->siblings.was,
                                .was_place = written->siblings.was_place };
    const char *name = written->name->text;
    if (written->map == NULL) {
        name = resolver_name(resolver, written->name, spot->a_noun);
    }
    use->place = written->name->place;
    use->is_right = name != NULL && find_plugin(resolver, spot, name, use->place, where, use) &&
                    !written->is_scattered &&
                    fill_options(resolver, spot, name, written->body, use);
    return use->is_right;
}

bool default_use(struct resolver *resolver, const struct plugin_spot *spot, const char *name,
                 struct place place, const char *where, struct plugin_use *use)
{
    *use = (struct plugin_use){ .id = name, .on_error = resolver->on_error };
    return find_plugin(resolver, spot, name, place, where, use) &&
           fill_options(resolver, spot, name, NULL, use);
}
