/* SPDX-License-Identifier: MIT */
/*
 * The parts of a pipeline file as schemas. Every plugin has a definition of its own under its kind and
 * qualified name; where a name alone tells which is meant, the places that take the kind offer it by
 * that name, and by the qualified one in any case.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "cli/schema.h"
#include "expr/type.h"
#include "pipeline/tables.h"

#define PLAIN_NAME "^[A-Za-z0-9_-]{1,200}$"
#define TOPIC_NAME "^(?!source__|repartition__|changelog__|__)[A-Za-z0-9_.-]{1,200}$"

/* A plugin's factory under its names. definition, qualified: "operator.org.weir.operator.filter.filter" and the
 * part behind the kind. */
struct choice {
    const weir_factory *spec;
    const char *definition;
    const char *qualified;
    bool is_ambiguous;
};

struct schema {
    struct json_writer *json;
    struct arena *arena;
    struct choice *choices; /* of all kinds, by kind and name */
    size_t count;
};

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

static bool gather(struct schema *schema, const struct registry *registry)
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

static void define_plugins(struct schema *schema)
{
    for (size_t i = 0; i < schema->count; i++) {
        const weir_factory *spec = schema->choices[i].spec;
        json_begin_object(schema->json, schema->choices[i].definition);
        schema_description(schema->json, spec->summary, spec->doc, schema->arena);
        schema_options(schema->json, spec->options, schema->arena);
        json_end_object(schema->json);
    }
}

/* ---- keys ------------------------------------------------------------------------------------- */

static const char *const shape_definitions[] = {
    [SHAPE_TEXT] = "text",         [SHAPE_NAMES] = "names",           [SHAPE_NAME] = "name",
    [SHAPE_ON_ERROR] = "on_error", [SHAPE_PLUGINS] = "plugins",       [SHAPE_TOPICS] = "topics",
    [SHAPE_STREAMS] = "streams",   [SHAPE_SERIALIZER] = "serializer", [SHAPE_FROM] = "from",
    [SHAPE_STEPS] = "steps",       [SHAPE_FIELDS] = "fields",         [SHAPE_ENDS] = "to",
    [SHAPE_END] = "end",           [SHAPE_KAFKA] = "kafka",
};

static void put_key(struct schema *schema, const struct key_rule *rule)
{
    if (rule->option != NULL) {
        schema_option(schema->json, rule->name, rule->option, schema->arena);
        return;
    }
    json_begin_object(schema->json, rule->name);
    if (rule->summary != NULL) {
        schema_description(schema->json, rule->summary, NULL, schema->arena);
    }
    if (rule->shape != SHAPE_ANY) {
        const char *target =
            arena_printf(schema->arena, "#/$defs/%s", shape_definitions[rule->shape]);
        json_text(schema->json, "$ref", target != NULL ? target : "");
    }
    json_end_object(schema->json);
}

/* Members of `properties`. What this version refuses is not there. */
static void put_keys(struct schema *schema, const struct key_rule *rules)
{
    for (const struct key_rule *rule = rules; rule->name != NULL; rule++) {
        if (rule->refusal == NULL) {
            put_key(schema, rule);
        }
    }
}

static void put_map_of_keys(struct schema *schema, const struct key_rule *rules)
{
    struct json_writer *json = schema->json;
    json_text(json, "type", "object");
    json_begin_object(json, "properties");
    put_keys(schema, rules);
    json_end_object(json);
    json_begin_list(json, "required");
    for (const struct key_rule *rule = rules; rule->name != NULL; rule++) {
        if (rule->is_required) {
            json_text(json, NULL, rule->name);
        }
    }
    json_end_list(json);
    json_bool(json, "additionalProperties", false);
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
    put_keys(schema, spot->siblings);
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

static void define_spots(struct schema *schema)
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
    put_map_of_keys(schema, choice_keys);
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
    json_begin_object(json, "serializer");
    put_spot(schema, &serializer_spot);
    json_end_object(json);
}

/* ---- larger parts ----------------------------------------------------------------------------- */

static void define_names(struct schema *schema)
{
    struct json_writer *json = schema->json;
    json_raw(json, "name",
             "{ \"anyOf\": [{ \"type\": \"string\", \"pattern\": \"" PLAIN_NAME "\" }, "
             "{ \"type\": [\"number\", \"boolean\"] }, { \"$ref\": \"#/$defs/variable\" }] }");
    json_raw(json, "names",
             "{ \"anyOf\": [{ \"$ref\": \"#/$defs/text\" }, { \"type\": \"array\", "
             "\"items\": { \"$ref\": \"#/$defs/text\" }, \"minItems\": 1 }] }");
    json_begin_object(json, "on_error");
    json_begin_list(json, "anyOf");
    json_begin_object(json, NULL);
    json_begin_list(json, "enum");
    for (const char *const *name = on_error_names; *name != NULL; name++) {
        json_text(json, NULL, *name);
    }
    json_end_list(json);
    json_end_object(json);
    schema_reference(json, NULL, "variable");
    json_end_list(json);
    json_end_object(json);
}

static void define_plugin_list(struct schema *schema)
{
    struct json_writer *json = schema->json;
    json_begin_object(json, "plugin_entry");
    schema_options(json, plugin_entry_options, schema->arena);
    json_end_object(json);
    json_begin_object(json, "plugins");
    json_raw(json, "if", "{ \"type\": \"array\" }");
    json_raw(json, "then", "{ \"items\": { \"$ref\": \"#/$defs/plugin_entry\" } }");
    json_raw(json, "else", "{ \"$ref\": \"#/$defs/plugin_entry\" }");
    json_end_object(json);
}

#define BLANKS "[ \\t\\r\\n]*"

/* The text of a type: a simple one, or what stands in brackets, which no pattern can follow inwards. */
static const char *type_pattern(struct arena *arena)
{
    const char *names = type_name(0);
    for (uint32_t i = 1; names != NULL && type_name(i) != NULL; i++) {
        names = arena_printf(arena, "%s|%s", names, type_name(i));
    }
    const char *pattern =
        names == NULL ? NULL
                      : arena_printf(arena,
                                     "^" BLANKS "(%s|\\[[\\s\\S]*\\]|\\{[\\s\\S]*\\})" BLANKS
                                     "\\??" BLANKS "$",
                                     names);
    return pattern != NULL ? pattern : "";
}

/* `fields` of a topic: types as texts, lists of one, maps. */
static void define_fields(struct schema *schema)
{
    struct json_writer *json = schema->json;
    json_begin_object(json, "type");
    json_begin_list(json, "anyOf");
    json_begin_object(json, NULL);
    json_text(json, "type", "string");
    json_text(json, "pattern", type_pattern(schema->arena));
    json_end_object(json);
    json_raw(json, NULL,
             "{ \"type\": \"array\", \"items\": { \"$ref\": \"#/$defs/type\" }, "
             "\"minItems\": 1, \"maxItems\": 1 }");
    schema_reference(json, NULL, "fields");
    json_end_list(json);
    json_end_object(json);
    json_raw(json, "fields",
             "{ \"type\": \"object\", \"additionalProperties\": { \"$ref\": \"#/$defs/type\" } }");
}

/* A map of names to options, which may be left out, or a list of names. */
static void define_topics(struct schema *schema)
{
    struct json_writer *json = schema->json;
    json_begin_object(json, "topic");
    put_map_of_keys(schema, topic_keys);
    json_end_object(json);
    json_begin_object(json, "topics");
    json_begin_list(json, "anyOf");
    json_begin_object(json, NULL);
    json_text(json, "type", "object");
    json_raw(json, "propertyNames", "{ \"pattern\": \"" TOPIC_NAME "\" }");
    json_raw(json, "additionalProperties",
             "{ \"anyOf\": [{ \"$ref\": \"#/$defs/topic\" }, { \"type\": \"null\" }] }");
    json_end_object(json);
    json_begin_object(json, NULL);
    json_text(json, "type", "array");
    json_raw(json, "items",
             "{ \"type\": [\"string\", \"number\", \"boolean\"], \"pattern\": \"" TOPIC_NAME
             "\" }");
    json_end_object(json);
    json_end_list(json);
    json_end_object(json);
}

static void define_streams(struct schema *schema)
{
    struct json_writer *json = schema->json;
    json_begin_object(json, "stream");
    put_map_of_keys(schema, stream_keys);
    json_end_object(json);
    json_begin_object(json, "streams");
    json_text(json, "type", "object");
    json_raw(json, "propertyNames", "{ \"pattern\": \"" PLAIN_NAME "\" }");
    schema_reference(json, "additionalProperties", "stream");
    json_int(json, "minProperties", 1);
    json_end_object(json);
}

bool schema_file(struct json_writer *writer, const struct registry *registry, struct arena *arena)
{
    struct schema schema = { .json = writer, .arena = arena };
    bool is_whole = gather(&schema, registry);
    if (!is_whole) {
        return false;
    }
    json_begin_object(writer, NULL);
    json_text(writer, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_text(writer, "title", "weir pipeline file");
    put_map_of_keys(&schema, top_level_keys);
    json_raw(writer, "patternProperties", "{ \"^x-\": true }");
    json_begin_object(writer, "$defs");
    schema_common(writer);
    define_names(&schema);
    define_plugin_list(&schema);
    is_whole = schema_kafka(writer, arena);
    define_fields(&schema);
    define_topics(&schema);
    define_streams(&schema);
    define_spots(&schema);
    define_plugins(&schema);
    json_end_object(writer);
    json_end_object(writer);
    page_text(&writer->page, "\n");
    return is_whole && writer->page.status == WEIR_OK;
}
