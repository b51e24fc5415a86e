/* SPDX-License-Identifier: MIT */
/*
 * Options as schemas. A text of the file may be a number or a bool to YAML, and any scalar may hold
 * ${VAR}, so most types are a choice of forms.
 */
#include <stdio.h>
#include <string.h>

#include "cli/describe.h"
#include "cli/schema.h"
#include "value/number.h"

#define QUANTITY "[0-9]+(\\.[0-9]+)?"

void schema_reference(struct json_writer *writer, const char *name, const char *definition)
{
    char target[512];
    snprintf(target, sizeof target, "#/$defs/%s", definition);
    json_begin_object(writer, name);
    json_text(writer, "$ref", target);
    json_end_object(writer);
}

void schema_text_type(struct json_writer *writer)
{
    json_raw(writer, "type", "[\"string\", \"number\", \"boolean\"]");
}

void schema_description(struct json_writer *writer, const char *summary, const char *doc,
                        struct arena *arena)
{
    const char *text = summary;
    if (doc != NULL && doc[0] != '\0') {
        text = arena_printf(arena, "%s\n\n%s", summary, doc);
    }
    json_text(writer, "description", text != NULL ? text : summary);
}

/* ---- what all refer to ------------------------------------------------------------------------ */

static void define_pattern(struct json_writer *writer, const char *name, const char *pattern)
{
    json_begin_object(writer, name);
    json_text(writer, "type", "string");
    json_text(writer, "pattern", pattern);
    json_end_object(writer);
}

/* A scalar's text is one, and so is a map or list of them. Plain null is the literal. */
static void define_expression(struct json_writer *writer)
{
    json_begin_object(writer, "expression");
    json_raw(writer, "type",
             "[\"string\", \"number\", \"boolean\", \"null\", \"array\", \"object\"]");
    schema_reference(writer, "items", "expression");
    schema_reference(writer, "additionalProperties", "expression");
    json_end_object(writer);
}

static void define_bytes(struct json_writer *writer)
{
    json_begin_object(writer, "bytes");
    schema_text_type(writer);
    json_text(
        writer, "pattern",
        "\\$\\{|^(?!hex:|base64:)|^hex:([0-9A-Fa-f]{2})*$|^base64:([A-Za-z0-9+/]{4})*([A-Za-z0-9+/]"
        "{2}==|[A-Za-z0-9+/]{3}=)?$");
    json_end_object(writer);
}

static void define_secret(struct json_writer *writer)
{
    json_begin_object(writer, "secret");
    json_raw(writer, "type", "[\"string\", \"number\", \"boolean\", \"object\"]");
    json_begin_object(writer, "properties");
    schema_reference(writer, "file", "text");
    json_end_object(writer);
    json_raw(writer, "required", "[\"file\"]");
    json_bool(writer, "additionalProperties", false);
    json_end_object(writer);
}

void schema_common(struct json_writer *writer)
{
    json_begin_object(writer, "text");
    schema_text_type(writer);
    json_end_object(writer);
    define_pattern(writer, "variable", "\\$\\{");
    define_pattern(writer, "bool", "^(true|false)$");
    define_pattern(writer, "int", "^[-+]?[0-9]+(_[0-9]+)*$");
    define_pattern(writer, "float",
                   "^[-+]?[0-9]+(_[0-9]+)*(\\.[0-9]+(_[0-9]+)*)?([eE][-+]?[0-9]+(_[0-9]+)*)?$");
    define_pattern(writer, "duration",
                   "^(0|(?=.)(" QUANTITY "w)?(" QUANTITY "d)?(" QUANTITY "h)?(" QUANTITY
                   "m)?(" QUANTITY "s)?(" QUANTITY "ms)?(" QUANTITY "us)?(" QUANTITY "ns)?)$");
    define_pattern(writer, "size", "^" QUANTITY "(B|[KMGT]iB|kB|[MGT]B)?$");
    define_pattern(
        writer, "time",
        "^[0-9]{4}-[0-9]{2}-[0-9]{2}([Tt ][0-9]{2}:[0-9]{2}:[0-9]{2}(\\.[0-9]+)?([Zz]|[-+]"
        "[0-9]{2}:[0-9]{2})?)?$");
    define_pattern(writer, "target", ".");
    define_expression(writer);
    define_bytes(writer);
    define_secret(writer);
}

/* ---- one option ------------------------------------------------------------------------------- */

/* The forms of a value, as parts of an object. */
static void put_forms(struct json_writer *writer, const weir_option *option, struct arena *arena);

static void put_bounds(struct json_writer *writer, const char *min_name, const char *max_name,
                       const weir_option *option)
{
    if (option->min == 0 && option->max == 0) {
        return;
    }
    if (option->min != INT64_MIN) {
        json_int(writer, min_name, option->min);
    }
    if (option->max != INT64_MAX) {
        json_int(writer, max_name, option->max);
    }
}

/* A number or bool of YAML's, the same in quotes, or a variable. type NULL: only 0 may be plain, if it
 * is in the range. */
static void put_scalar(struct json_writer *writer, const weir_option *option, const char *type,
                       const char *definition)
{
    json_begin_list(writer, "anyOf");
    if (type != NULL) {
        json_begin_object(writer, NULL);
        json_text(writer, "type", type);
        put_bounds(writer, "minimum", "maximum", option);
        json_end_object(writer);
    } else if (option->min == 0) {
        json_raw(writer, NULL, "{ \"const\": 0 }");
    }
    schema_reference(writer, NULL, definition);
    schema_reference(writer, NULL, "variable");
    json_end_list(writer);
}

/* A name that YAML takes for something else than a text stands there as that. */
static void put_enum_name(struct json_writer *writer, const char *name)
{
    bool is_word = strcmp(name, "null") == 0 || strcmp(name, "true") == 0 ||
                   strcmp(name, "false") == 0 || number_is_json(name, strlen(name));
    json_text(writer, NULL, name);
    if (is_word) {
        json_raw(writer, NULL, name);
    }
}

static void put_enum(struct json_writer *writer, const weir_option *option)
{
    json_begin_list(writer, "anyOf");
    json_begin_object(writer, NULL);
    json_begin_list(writer, "enum");
    for (const char *const *name = option->enum_names; *name != NULL; name++) {
        put_enum_name(writer, *name);
    }
    json_end_list(writer);
    json_end_object(writer);
    schema_reference(writer, NULL, "variable");
    json_end_list(writer);
}

static void put_element(struct json_writer *writer, const char *name, const weir_option *option,
                        struct arena *arena)
{
    json_begin_object(writer, name);
    put_forms(writer, option->element, arena);
    json_end_object(writer);
}

/* A list, or its only item. */
static void put_list(struct json_writer *writer, const weir_option *option, struct arena *arena)
{
    json_begin_list(writer, "anyOf");
    json_begin_object(writer, NULL);
    json_text(writer, "type", "array");
    put_element(writer, "items", option, arena);
    put_bounds(writer, "minItems", "maxItems", option);
    json_end_object(writer);
    if (option->min <= 1) {
        put_element(writer, NULL, option, arena);
    }
    json_end_list(writer);
}

static void put_map(struct json_writer *writer, const weir_option *option, struct arena *arena)
{
    json_text(writer, "type", "object");
    put_element(writer, "additionalProperties", option, arena);
    put_bounds(writer, "minProperties", "maxProperties", option);
}

static void put_paths(struct json_writer *writer, const weir_option *option, struct arena *arena)
{
    json_begin_list(writer, "anyOf");
    json_begin_object(writer, NULL);
    put_map(writer, option, arena);
    json_end_object(writer);
    json_begin_object(writer, NULL);
    json_text(writer, "type", "array");
    schema_reference(writer, "items", "expression");
    json_end_object(writer);
    schema_reference(writer, NULL, "text");
    json_end_list(writer);
}

/* Numbers and bools of YAML's; NULL: only 0 may be one. */
static const struct scalar {
    const char *definition;
    const char *type;
} SCALARS[] = {
    [WEIR_OPTION_BOOL] = { "bool", "boolean" },  [WEIR_OPTION_INT] = { "int", "integer" },
    [WEIR_OPTION_FLOAT] = { "float", "number" }, [WEIR_OPTION_DURATION] = { "duration", NULL },
    [WEIR_OPTION_SIZE] = { "size", "number" },
};

/* Types that one definition tells whole; others are texts. */
static const char *const DEFINITIONS[] = {
    [WEIR_OPTION_SECRET] = "#/$defs/secret",
    [WEIR_OPTION_EXPRESSION] = "#/$defs/expression",
    [WEIR_OPTION_TARGET] = "#/$defs/target",
    [WEIR_OPTION_BYTES] = "#/$defs/bytes",
};

static void put_plain_form(struct json_writer *writer, const weir_option *option)
{
    size_t type = option->type;
    if (type < sizeof SCALARS / sizeof *SCALARS && SCALARS[type].definition != NULL) {
        put_scalar(writer, option, SCALARS[type].type, SCALARS[type].definition);
        return;
    }
    bool is_defined = type < sizeof DEFINITIONS / sizeof *DEFINITIONS && DEFINITIONS[type] != NULL;
    json_text(writer, "$ref", is_defined ? DEFINITIONS[type] : "#/$defs/text");
}

static void put_forms(struct json_writer *writer, const weir_option *option, struct arena *arena)
{
    switch (option->type) {
    case WEIR_OPTION_ANY:
        break;
    case WEIR_OPTION_ENUM:
        put_enum(writer, option);
        break;
    case WEIR_OPTION_TIME:
        json_raw(writer, "anyOf",
                 "[{ \"$ref\": \"#/$defs/time\" }, { \"$ref\": \"#/$defs/variable\" }]");
        break;
    case WEIR_OPTION_LIST:
        put_list(writer, option, arena);
        break;
    case WEIR_OPTION_MAP:
        ((option->flags & WEIR_OPTION_PATHS) != 0 ? put_paths : put_map)(writer, option, arena);
        break;
    case WEIR_OPTION_STRUCT:
        schema_options(writer, option->fields, arena);
        break;
    default:
        put_plain_form(writer, option);
        break;
    }
}

/* As an editor would write it. */
static void put_default(struct json_writer *writer, const weir_option *option)
{
    const char *text = option->default_text;
    bool is_plain = option->type == WEIR_OPTION_BOOL ||
                    ((option->type == WEIR_OPTION_INT || option->type == WEIR_OPTION_FLOAT) &&
                     number_is_json(text, strlen(text)));
    if (is_plain) {
        json_raw(writer, "default", text);
    } else {
        json_text(writer, "default", text);
    }
}

/* What the forms do not tell: the limits of what has a unit. */
static void put_documentation(struct json_writer *writer, const weir_option *option,
                              struct arena *arena)
{
    bool has_unit = option->type == WEIR_OPTION_DURATION || option->type == WEIR_OPTION_SIZE;
    const char *limits = has_unit ? describe_limits(option, arena) : "";
    const char *summary = option->summary != NULL ? option->summary : option->name;
    if (limits[0] != '\0') {
        const char *longer = arena_printf(arena, "%s (%s)", summary, limits);
        summary = longer != NULL ? longer : summary;
    }
    schema_description(writer, summary, option->doc, arena);
    if (option->default_text != NULL) {
        put_default(writer, option);
    }
    if ((option->flags & WEIR_OPTION_DEPRECATED) != 0) {
        json_bool(writer, "deprecated", true);
    }
}

void schema_option(struct json_writer *writer, const char *name, const weir_option *option,
                   struct arena *arena)
{
    json_begin_object(writer, name);
    put_documentation(writer, option, arena);
    put_forms(writer, option, arena);
    json_end_object(writer);
}

/* ---- tables ----------------------------------------------------------------------------------- */

static const weir_option no_options[] = { WEIR_OPTIONS_END };

bool schema_has_no_required(const weir_option *table)
{
    for (const weir_option *option = table != NULL ? table : no_options; option->name != NULL;
         option++) {
        if ((option->flags & WEIR_OPTION_REQUIRED) != 0) {
            return false;
        }
    }
    return true;
}

static void put_required(struct json_writer *writer, const weir_option *table)
{
    json_begin_list(writer, "required");
    for (const weir_option *option = table; option->name != NULL; option++) {
        if ((option->flags & WEIR_OPTION_REQUIRED) != 0) {
            json_text(writer, NULL, option->name);
        }
    }
    json_end_list(writer);
}

static void put_long_form(struct json_writer *writer, const weir_option *table, struct arena *arena)
{
    json_text(writer, "type", "object");
    json_begin_object(writer, "properties");
    for (const weir_option *option = table; option->name != NULL; option++) {
        schema_option(writer, option->name, option, arena);
    }
    json_end_object(writer);
    put_required(writer, table);
    json_bool(writer, "additionalProperties", false);
}

/* The condition under which a value is the long form where the body may be a map too: it names an
 * option, or nothing. */
static void put_names_an_option(struct json_writer *writer, const weir_option *table)
{
    json_begin_list(writer, "anyOf");
    for (const weir_option *option = table; option->name != NULL; option++) {
        json_begin_object(writer, NULL);
        json_begin_list(writer, "required");
        json_text(writer, NULL, option->name);
        json_end_list(writer);
        json_end_object(writer);
    }
    json_raw(writer, NULL, "{ \"maxProperties\": 0 }");
    json_end_list(writer);
}

/* Where another option is required, the body alone is too little. */
static void put_body(struct json_writer *writer, const weir_option *table, const weir_option *body,
                     struct arena *arena)
{
    bool is_enough = true;
    for (const weir_option *option = table; option->name != NULL; option++) {
        is_enough &= option == body || (option->flags & WEIR_OPTION_REQUIRED) == 0;
    }
    if (!is_enough) {
        json_bool(writer, "else", false);
        return;
    }
    json_begin_object(writer, "else");
    put_documentation(writer, body, arena);
    json_raw(writer, "not", "{ \"type\": \"null\" }"); /* nothing behind the ':' */
    put_forms(writer, body, arena);
    json_end_object(writer);
}

void schema_options(struct json_writer *writer, const weir_option *table, struct arena *arena)
{
    const weir_option *body = table = table != NULL ? table : no_options;
    while (body->name != NULL && (body->flags & WEIR_OPTION_BODY) == 0) {
        body++;
    }
    if (body->name == NULL) {
        put_long_form(writer, table, arena);
        return;
    }
    if (body->type == WEIR_OPTION_MAP || body->type == WEIR_OPTION_STRUCT ||
        body->type == WEIR_OPTION_ANY) {
        put_forms(writer, body, arena);
        return;
    }
    json_begin_object(writer, "if");
    json_text(writer, "type", "object");
    if (body->type == WEIR_OPTION_EXPRESSION || body->type == WEIR_OPTION_SECRET ||
        body->type == WEIR_OPTION_LIST) {
        put_names_an_option(writer, table);
    }
    json_end_object(writer);
    json_begin_object(writer, "then");
    put_long_form(writer, table, arena);
    json_end_object(writer);
    put_body(writer, table, body, arena);
}
