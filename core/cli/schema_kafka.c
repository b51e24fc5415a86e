/* SPDX-License-Identifier: MIT */
/*
 * `kafka:` as a schema: weir's own options, and the properties of the installed librdkafka by what it
 * tells about them. Forms are lenient where the library reads more than it tells (`acks: all`,
 * `SASL_SSL`); it judges values itself when the file is checked.
 */
#include <stdlib.h>
#include <string.h>

#include "cli/schema.h"
#include "kafka/properties.h"

static const char range_mark[] = " .. ";

/* A plain number must lie in the range; a text may be a word or ${VAR}. */
static void put_number(struct json_writer *writer, const struct kafka_property_info *info)
{
    const char *mark = strstr(info->range, range_mark);
    json_begin_object(writer, NULL);
    json_text(writer, "type", info->type == KAFKA_INTEGER ? "integer" : "number");
    if (mark != NULL) {
        json_int(writer, "minimum", strtoll(info->range, NULL, 10));
        json_int(writer, "maximum", strtoll(mark + strlen(range_mark), NULL, 10));
    }
    json_end_object(writer);
    json_raw(writer, NULL, "{ \"type\": \"string\" }");
}

/* "none, gzip, snappy": offered to who completes; others are texts too. */
static void put_names(struct json_writer *writer, const struct kafka_property_info *info,
                      struct arena *arena)
{
    json_begin_object(writer, NULL);
    json_begin_list(writer, "enum");
    for (const char *name = info->range; *name != '\0';) {
        size_t len = strcspn(name, ",");
        const char *copy = arena_copy(arena, name, len);
        json_text(writer, NULL, copy != NULL ? copy : "");
        name += len;
        name += strspn(name, ", ");
    }
    json_end_list(writer);
    json_end_object(writer);
    schema_reference(writer, NULL, "text");
}

static void put_forms(struct json_writer *writer, const struct kafka_property_info *info,
                      struct arena *arena)
{
    json_begin_list(writer, "anyOf");
    if (info->type == KAFKA_INTEGER || info->type == KAFKA_FLOAT) {
        put_number(writer, info);
    } else if (info->type == KAFKA_BOOLEAN) {
        json_raw(writer, NULL, "{ \"type\": \"boolean\" }");
        schema_reference(writer, NULL, "text");
    } else if (info->type == KAFKA_ENUM && info->range[0] != '\0') {
        put_names(writer, info, arena);
    } else {
        schema_reference(writer, NULL, info->is_secret ? "secret" : "text");
    }
    json_end_list(writer);
}

static void put_property(struct json_writer *writer, const struct kafka_property_info *info,
                         struct arena *arena)
{
    if (info->type == KAFKA_POINTER || kafka_owned_find(info->name) != NULL) {
        return;
    }
    json_begin_object(writer, info->name);
    schema_description(writer, info->about, NULL, arena);
    if (info->default_text[0] != '\0') {
        json_text(writer, "default", info->default_text);
    }
    if (info->is_deprecated) {
        json_bool(writer, "deprecated", true);
    }
    put_forms(writer, info, arena);
    json_end_object(writer);
}

bool schema_kafka(struct json_writer *writer, struct arena *arena)
{
    struct kafka_properties known = { 0 };
    struct error error = { 0 };
    if (kafka_properties_read(arena, &known, &error) != WEIR_OK) {
        return false;
    }
    json_begin_object(writer, "kafka");
    json_text(writer, "type", "object");
    json_begin_object(writer, "properties");
    for (const weir_option *option = kafka_options; option->name != NULL; option++) {
        schema_option(writer, option->name, option, arena);
    }
    for (size_t i = 0; i < known.count; i++) {
        put_property(writer, &known.items[i], arena);
    }
    json_end_object(writer);
    json_bool(writer, "additionalProperties", false);
    json_end_object(writer);
    return true;
}
