/* SPDX-License-Identifier: MIT */
/*
 * Plugins in the schema of a pipeline file. Every plugin has a definition of its own under its kind and
 * qualified name; where a name alone tells which is meant, the places that take the kind offer it by
 * that name, and by the qualified one in any case.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/schema_parts.h"

/* ---- plugins ---------------------------------------------------------------------------------- */

static const struct plugin_spot *const spots[] = { &source_spot, &operator_spot, &sink_spot,
                                                   &serializer_spot };
enum { SPOTS = sizeof spots / sizeof spots[0] };

static const struct plugin_spot *spot_of(const weir_factory *factory)
{
    for (size_t i = 0; i < SPOTS; i++) {
        if (strcmp(spots[i]->kind, factory->kind) == 0) {
            return spots[i];
        }
    }
    return NULL;
}

static int compare_choices(const void *left, const void *right)
{
    const struct choice *a = left;
    const struct choice *b = right;
    return strcmp(a->definition, b->definition);
}

/* False: no memory. */
static bool add_choice(struct schema *schema, const struct registry *registry, const char *id,
                       const weir_factory *spec)
{
    const struct plugin_spot *spot = spot_of(spec);
    if (spot == NULL) {
        return true;
    }
    const struct factory *found =
        registry_find(registry, spec->kind, spec->name, strlen(spec->name));
    const char *definition = arena_printf(schema->arena, "%s.%s.%s", spot->noun, id, spec->name);
    if (definition == NULL) {
        return false;
    }
    schema->choices[schema->count++] =
        (struct choice){ .spec = spec,
                         .definition = definition,
                         .qualified = definition + strlen(spot->noun) + 1,
                         .is_ambiguous = found != NULL && found->is_ambiguous };
    return true;
}

bool schema_gather(struct schema *schema, const struct registry *registry)
{
    size_t room = 1;
    for (size_t i = 0; i < registry->plugins.count; i++) {
        const struct plugin *plugin = registry->plugins.entries[i].value;
        for (size_t k = 0; plugin->entry->factories[k] != NULL; k++) {
            room++;
        }
    }
    schema->choices = arena_alloc(schema->arena, room * sizeof *schema->choices);
    for (size_t i = 0; schema->choices != NULL && i < registry->plugins.count; i++) {
        const struct plugin *plugin = registry->plugins.entries[i].value;
        for (size_t k = 0; plugin->entry->factories[k] != NULL; k++) {
            if (!add_choice(schema, registry, plugin->entry->id, plugin->entry->factories[k])) {
                return false;
            }
        }
    }
    if (schema->choices != NULL) {
        qsort(schema->choices, schema->count, sizeof *schema->choices, compare_choices);
    }
    return schema->choices != NULL;
}

static bool is_of(const struct choice *choice, const struct plugin_spot *spot)
{
    return strcmp(choice->spec->kind, spot->kind) == 0;
}

static bool has_choice(const struct schema *schema, const struct plugin_spot *spot)
{
    size_t i = 0;
    while (i < schema->count && !is_of(&schema->choices[i], spot)) {
        i++;
    }
    return i < schema->count;
}

void schema_plugins(struct schema *schema)
{
    for (size_t i = 0; i < schema->count; i++) {
        const weir_factory *spec = schema->choices[i].spec;
        json_begin_object(schema->json, schema->choices[i].definition);
        schema_description(schema->json, spec->summary, spec->doc, schema->arena);
        schema_options(schema->json, spec->options, schema->arena);
        json_end_object(schema->json);
    }
}

/* ---- places of plugins ------------------------------------------------------------------------ */

/* Names that may stand alone. */
static void put_bare_names(struct schema *schema, const struct plugin_spot *spot)
{
    json_begin_object(schema->json, NULL);
    json_begin_list(schema->json, "enum");
    for (size_t i = 0; i < schema->count; i++) {
        const struct choice *choice = &schema->choices[i];
        if (!is_of(choice, spot) || !schema_has_no_required(choice->spec->options)) {
            continue;
        }
        if (!choice->is_ambiguous) {
            json_text(schema->json, NULL, choice->spec->name);
        }
        json_text(schema->json, NULL, choice->qualified);
    }
    json_end_list(schema->json);
    json_end_object(schema->json);
}

/* "^org\.weir\.filter\.filter$": a name that editors take and do not offer. */
static void put_qualified_property(struct schema *schema, const struct choice *choice)
{
    size_t len = strlen(choice->qualified);
    char *pattern = arena_alloc(schema->arena, 2 * len + 3);
    char *at = pattern;
    if (pattern == NULL) {
        return;
    }
    *at++ = '^';
    for (size_t i = 0; i < len; i++) {
        if (choice->qualified[i] == '.') {
            *at++ = '\\';
        }
        *at++ = choice->qualified[i];
    }
    memcpy(at, "$", 2);
    schema_reference(schema->json, pattern, choice->definition);
}

static void put_plugin_properties(struct schema *schema, const struct plugin_spot *spot)
{
    struct json_writer *json = schema->json;
    json_begin_object(json, "properties");
    if (spot->topic) {
        json_begin_object(json, "topic");
        schema_description(json, "The name of a topic that stands under 'topics'", NULL,
                           schema->arena);
        if (spot == &sink_spot) {
            json_raw(json, "anyOf",
                     "[{ \"$ref\": \"#/$defs/text\" }, { \"$ref\": \"#/$defs/choice\" }]");
        } else {
            schema_text_type(json);
        }
        json_end_object(json);
    }
    for (size_t i = 0; i < schema->count; i++) {
        const struct choice *choice = &schema->choices[i];
        if (is_of(choice, spot) && !choice->is_ambiguous) {
            schema_reference(json, choice->spec->name, choice->definition);
        }
    }
    schema_keys(schema, spot->siblings);
    json_end_object(json);
    json_begin_object(json, "patternProperties");
    for (size_t i = 0; i < schema->count; i++) {
        if (is_of(&schema->choices[i], spot)) {
            put_qualified_property(schema, &schema->choices[i]);
        }
    }
    json_end_object(json);
    json_bool(json, "additionalProperties", false);
}

static void put_alternative(struct schema *schema, const char *name)
{
    json_begin_object(schema->json, NULL);
    json_begin_list(schema->json, "required");
    json_text(schema->json, NULL, name);
    json_end_list(schema->json);
    json_end_object(schema->json);
}

/* {name: options} with siblings: exactly one name. */
static void put_written(struct schema *schema, const struct plugin_spot *spot)
{
    struct json_writer *json = schema->json;
    json_begin_object(json, NULL);
    json_text(json, "type", "object");
    put_plugin_properties(schema, spot);
    json_begin_list(json, "oneOf");
    if (spot->topic) {
        put_alternative(schema, "topic");
    } else if (!has_choice(schema, spot)) {
        json_bool(json, NULL, false);
    }
    for (size_t i = 0; i < schema->count; i++) {
        const struct choice *choice = &schema->choices[i];
        if (is_of(choice, spot) && !choice->is_ambiguous) {
            put_alternative(schema, choice->spec->name);
        }
        if (is_of(choice, spot)) {
            put_alternative(schema, choice->qualified);
        }
    }
    json_end_list(json);
    if (spot == &sink_spot) {
        json_raw(json, "dependentRequired", "{ \"key\": [\"topic\"] }");
    } else if (spot == &source_spot) {
        json_raw(json, "if", "{ \"required\": [\"topic\"] }");
        json_raw(json, "then", "{ \"maxProperties\": 1 }");
    }
    json_end_object(json);
}

/* A name, or a name with options. */
static void put_spot(struct schema *schema, const struct plugin_spot *spot)
{
    json_begin_list(schema->json, "anyOf");
    put_bare_names(schema, spot);
    put_written(schema, spot);
    json_end_list(schema->json);
}

static void define_from(struct schema *schema)
{
    struct json_writer *json = schema->json;
    json_begin_object(json, "from");
    json_begin_list(json, "anyOf");
    schema_reference(json, NULL, "text");
    json_begin_object(json, NULL);
    json_text(json, "type", "array");
    schema_reference(json, "items", "text");
    json_int(json, "minItems", 1);
    json_end_object(json);
    put_written(schema, &source_spot);
    json_end_list(json);
    json_end_object(json);
}

void schema_spots(struct schema *schema)
{
    struct json_writer *json = schema->json;
    define_from(schema);
    json_begin_object(json, "steps");
    json_text(json, "type", "array");
    json_begin_object(json, "items");
    put_spot(schema, &operator_spot);
    json_end_object(json);
    json_end_object(json);
    json_begin_object(json, "choice");
    schema_map_of_keys(schema, choice_keys);
    json_end_object(json);
    json_begin_object(json, "end");
    put_spot(schema, &sink_spot);
    json_end_object(json);
    json_begin_object(json, "to");
    json_begin_list(json, "anyOf");
    schema_reference(json, NULL, "end");
    json_begin_object(json, NULL);
    json_text(json, "type", "array");
    schema_reference(json, "items", "end");
    json_int(json, "minItems", 1);
    json_end_object(json);
    json_end_list(json);
    json_end_object(json);
    json_begin_object(json, "dead_letters");
    put_spot(schema, &letters_spot);
    json_end_object(json);
    json_begin_object(json, "serializer");
    put_spot(schema, &serializer_spot);
    json_end_object(json);
}
