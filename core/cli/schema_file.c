/* SPDX-License-Identifier: MIT */
/*
 * The parts of a pipeline file as schemas, but for the places where plugins stand.
 */
#include "cli/schema_parts.h"
#include "expr/type.h"

#define PLAIN_NAME "^[A-Za-z0-9_-]{1,200}$"
#define TOPIC_NAME "^(?!source__|repartition__|changelog__|__)[A-Za-z0-9_.-]{1,200}$"

/* ---- keys ------------------------------------------------------------------------------------- */

static const char *const shape_definitions[] = {
    [SHAPE_TEXT] = "text",
    [SHAPE_NAMES] = "names",
    [SHAPE_NAME] = "name",
    [SHAPE_ON_ERROR] = "on_error",
    [SHAPE_RETRY_TIMEOUT] = "retry_timeout",
    [SHAPE_PLUGINS] = "plugins",
    [SHAPE_TOPICS] = "topics",
    [SHAPE_STREAMS] = "streams",
    [SHAPE_SERIALIZER] = "serializer",
    [SHAPE_FROM] = "from",
    [SHAPE_STEPS] = "steps",
    [SHAPE_FIELDS] = "fields",
    [SHAPE_ENDS] = "to",
    [SHAPE_LETTERS] = "dead_letters",
    [SHAPE_KAFKA] = "kafka",
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

void schema_keys(struct schema *schema, const struct key_rule *rules)
{
    for (const struct key_rule *rule = rules; rule->name != NULL; rule++) {
        if (rule->refusal == NULL) {
            put_key(schema, rule);
        }
    }
}

void schema_map_of_keys(struct schema *schema, const struct key_rule *rules)
{
    struct json_writer *json = schema->json;
    json_text(json, "type", "object");
    json_begin_object(json, "properties");
    schema_keys(schema, rules);
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
    json_raw(json, "retry_timeout",
             "{ \"anyOf\": [{ \"const\": \"forever\" }, { \"$ref\": \"#/$defs/duration\" }] }");
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
    schema_map_of_keys(schema, topic_keys);
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
    schema_map_of_keys(schema, stream_keys);
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
    bool is_whole = schema_gather(&schema, registry);
    if (!is_whole) {
        return false;
    }
    json_begin_object(writer, NULL);
    json_text(writer, "$schema", "https://json-schema.org/draft/2020-12/schema");
    json_text(writer, "title", "weir pipeline file");
    schema_map_of_keys(&schema, top_level_keys);
    json_raw(writer, "patternProperties", "{ \"^x-\": true }");
    json_begin_object(writer, "$defs");
    schema_common(writer);
    define_names(&schema);
    define_plugin_list(&schema);
    is_whole = schema_kafka(writer, arena);
    define_fields(&schema);
    define_topics(&schema);
    define_streams(&schema);
    schema_spots(&schema);
    schema_plugins(&schema);
    json_end_object(writer);
    json_end_object(writer);
    page_text(&writer->page, "\n");
    return is_whole && writer->page.status == WEIR_OK;
}
