/* SPDX-License-Identifier: MIT */
/*
 * Judges a plugin's option table when the plugin is loaded, so that reading options may rely on it:
 * names are unique, every field lies aligned inside the config struct and shares no byte with
 * another, types have what they need, defaults can be read. Depth and length are bounded, since a
 * table that was not ended or that contains itself must not hold us up.
 */
#include <stdalign.h>
#include <string.h>

#include "plugin/option_reader.h"
#include "plugin/refusal.h"

enum { MAX_OPTIONS = 256, MAX_DEPTH = 8, MAX_NAME = 64, MAX_STRUCT = 1024 * 1024, MAX_NAMES = 256 };

struct layout {
    const char *name;
    size_t size;
    size_t alignment;
    uint32_t flags;   /* that an option of this type may have */
    bool has_bounds;  /* min and max mean something */
    bool has_default; /* a default can be written as one scalar */
};

#define ALWAYS      (WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_DEPRECATED)
#define NUMBER      (ALWAYS | WEIR_OPTION_NULLABLE)
#define FIELD(type) sizeof(type), alignof(type)

static const struct layout layouts[] = {
    [WEIR_OPTION_BOOL] = { "bool", FIELD(uint8_t), NUMBER, false, true },
    [WEIR_OPTION_INT] = { "int", FIELD(int64_t), NUMBER, true, true },
    [WEIR_OPTION_FLOAT] = { "float", FIELD(double), NUMBER, true, true },
    [WEIR_OPTION_TEXT] = { "text", FIELD(weir_text),
                           ALWAYS | WEIR_OPTION_PATH | WEIR_OPTION_FIELD_NAME, false, true },
    [WEIR_OPTION_BYTES] = { "bytes", FIELD(weir_text), ALWAYS, false, true },
    [WEIR_OPTION_DURATION] = { "duration", FIELD(int64_t), NUMBER, true, true },
    [WEIR_OPTION_SIZE] = { "size", FIELD(int64_t), NUMBER, true, true },
    [WEIR_OPTION_ENUM] = { "enum", FIELD(int64_t), NUMBER, false, true },
    [WEIR_OPTION_TIME] = { "time", FIELD(int64_t), NUMBER, false, true },
    [WEIR_OPTION_SECRET] = { "secret", FIELD(weir_text), ALWAYS, false, true },
    [WEIR_OPTION_ANY] = { "any value", FIELD(weir_value), ALWAYS, false, true },
    [WEIR_OPTION_EXPRESSION] = { "expression", FIELD(void *), ALWAYS, false, true },
    [WEIR_OPTION_TARGET] = { "target", FIELD(void *), ALWAYS, false, true },
    [WEIR_OPTION_LIST] = { "list", FIELD(weir_option_list), ALWAYS, true, true },
    [WEIR_OPTION_MAP] = { "map", FIELD(weir_option_map), ALWAYS | WEIR_OPTION_PATHS, true, false },
    [WEIR_OPTION_STRUCT] = { "struct", FIELD(void *), ALWAYS, false, false },
    [WEIR_OPTION_STREAM] = { "stream", FIELD(weir_text), ALWAYS, false, false },
};

static const struct layout *layout_of(uint32_t type)
{
    bool is_known = type >= WEIR_OPTION_BOOL && type <= WEIR_OPTION_STREAM;
    return is_known ? &layouts[type] : NULL;
}

static bool is_nullable(const weir_option *option)
{
    return (option->flags & WEIR_OPTION_NULLABLE) != 0;
}

size_t option_field_size(const weir_option *option)
{
    return is_nullable(option) ? sizeof(void *) : layout_of(option->type)->size;
}

static size_t field_alignment(const weir_option *option)
{
    return is_nullable(option) ? alignof(void *) : layout_of(option->type)->alignment;
}

static bool is_option_name(const char *name)
{
    size_t len = name != NULL ? strnlen(name, MAX_NAME + 1) : 0;
    if (len == 0 || len > MAX_NAME || name[0] < 'a' || name[0] > 'z') {
        return false;
    }
    return strspn(name, "abcdefghijklmnopqrstuvwxyz0123456789_") == len;
}

/* ---- one option -------------------------------------------------------------------------------- */

/* `name` is that of the option, also for its elements, which have none. */
static weir_status check_type(const weir_option *option, const char *name, int depth,
                              struct error *error);

static weir_status check_enum(const weir_option *option, const char *name, struct error *error)
{
    const char *const *names = option->enum_names;
    if (option->type != WEIR_OPTION_ENUM) {
        return names == NULL ? WEIR_OK
                             : refuse(error, "option '%s' has enum_names, but is no enum", name);
    }
    if (names == NULL || names[0] == NULL) {
        return refuse(error, "option '%s' is an enum without enum_names", name);
    }
    for (size_t i = 0; names[i] != NULL; i++) {
        if (i == MAX_NAMES) {
            return refuse(error, "option '%s' has enum_names that are not ended by NULL", name);
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(names[i], names[k]) == 0) {
                return refuse(error, "option '%s' has the enum name '%s' twice", name, names[i]);
            }
        }
    }
    return WEIR_OK;
}

static weir_status check_bounds(const weir_option *option, const char *name, struct error *error)
{
    if (option->min == 0 && option->max == 0) {
        return WEIR_OK;
    }
    const struct layout *layout = layout_of(option->type);
    if (!layout->has_bounds) {
        return refuse(error, "option '%s' has min and max, which mean nothing for the type %s",
                      name, layout->name);
    }
    if (option->min > option->max) {
        return refuse(error, "option '%s' has min above max", name);
    }
    bool is_count = option->type != WEIR_OPTION_INT && option->type != WEIR_OPTION_FLOAT;
    if (is_count && option->min < 0) {
        return refuse(error, "option '%s' has a min below 0", name);
    }
    return WEIR_OK;
}

/* An input is found by the name of its option, which only those at the top of the table have. */
static weir_status refuse_inner_stream(const char *name, struct error *error)
{
    return refuse(
        error,
        "option '%s' holds streams inside, which stand at the top of the table alone or in "
        "a list",
        name);
}

static weir_status check_element(const weir_option *option, const char *name, int depth,
                                 struct error *error)
{
    if (option->type != WEIR_OPTION_LIST && option->type != WEIR_OPTION_MAP) {
        return option->element == NULL
                   ? WEIR_OK
                   : refuse(error, "option '%s' has an element, but is no list or map", name);
    }
    if (option->element == NULL) {
        return refuse(error, "option '%s' has no element that types its values", name);
    }
    if (option->element->type == WEIR_OPTION_MAP) {
        return refuse(error, "option '%s' has maps as elements; describe them as a struct", name);
    }
    if (option->element->type == WEIR_OPTION_STREAM &&
        (option->type != WEIR_OPTION_LIST || depth > 0)) {
        return refuse_inner_stream(name, error);
    }
    const uint32_t allowed = WEIR_OPTION_PATH;
    if ((option->element->flags & ~allowed) != 0 || option->element->default_text != NULL) {
        return refuse(error, "option '%s' has an element with a default or flags of an option",
                      name);
    }
    return check_type(option->element, name, depth + 1, error);
}

static weir_status check_key_type(const weir_option *option, const char *name, struct error *error)
{
    bool is_map = option->type == WEIR_OPTION_MAP;
    bool is_key = option->key_type == WEIR_OPTION_TEXT || option->key_type == WEIR_OPTION_TARGET;
    if (is_map && !is_key) {
        return refuse(error, "option '%s' is a map whose key_type is neither text nor target",
                      name);
    }
    if (!is_map && option->key_type != 0) {
        return refuse(error, "option '%s' has a key_type, but is no map", name);
    }
    if ((option->flags & WEIR_OPTION_PATHS) != 0 &&
        (option->key_type != WEIR_OPTION_TARGET || option->element == NULL ||
         option->element->type != WEIR_OPTION_EXPRESSION)) {
        return refuse(error, "option '%s' is flagged PATHS, but is no map of target to expression",
                      name);
    }
    return WEIR_OK;
}

static weir_status check_table(const weir_option *table, uint64_t config_size, int depth,
                               struct error *error);

static weir_status check_fields(const weir_option *option, const char *name, int depth,
                                struct error *error)
{
    if (option->type != WEIR_OPTION_STRUCT) {
        bool has_fields = option->fields != NULL || option->fields_size != 0;
        return has_fields ? refuse(error, "option '%s' has fields, but is no struct", name)
                          : WEIR_OK;
    }
    if (option->fields == NULL || option->fields_size == 0 || option->fields_size > MAX_STRUCT) {
        return refuse(error, "option '%s' is a struct without fields or a size", name);
    }
    struct error inner = { .status = WEIR_OK };
    weir_status st = check_table(option->fields, option->fields_size, depth + 1, &inner);
    return st == WEIR_OK ? WEIR_OK : refuse(error, "in option '%s': %s", name, inner.message);
}

static weir_status check_type(const weir_option *option, const char *name, int depth,
                              struct error *error)
{
    const struct layout *layout = layout_of(option->type);
    if (layout == NULL) {
        return refuse(error, "option '%s' has the unknown type %u", name, option->type);
    }
    if (depth > MAX_DEPTH) {
        return refuse(error, "option '%s' is nested too deep", name);
    }
    if ((option->flags & ~layout->flags) != 0) {
        return refuse(error, "option '%s' has flags 0x%x, which mean nothing for the type %s", name,
                      option->flags, layout->name);
    }
    weir_status st = check_enum(option, name, error);
    st = st == WEIR_OK ? check_bounds(option, name, error) : st;
    st = st == WEIR_OK ? check_key_type(option, name, error) : st;
    st = st == WEIR_OK ? check_element(option, name, depth, error) : st;
    return st == WEIR_OK ? check_fields(option, name, depth, error) : st;
}

/* Reads the default as a file's text would be read. What needs an environment waits for its use. */
static weir_status check_default(const weir_option *option, struct error *error)
{
    if (option->default_text == NULL) {
        return WEIR_OK;
    }
    const struct layout *layout = layout_of(option->type);
    uint32_t type = option->type == WEIR_OPTION_LIST ? option->element->type : option->type;
    bool has_default = type != WEIR_OPTION_STRUCT && type != WEIR_OPTION_LIST &&
                       type != WEIR_OPTION_STREAM && layout->has_default;
    if (!has_default) {
        return refuse(error, "option '%s' has a default, which the type %s cannot have",
                      option->name, layout->name);
    }
    if ((option->flags & WEIR_OPTION_REQUIRED) != 0) {
        return refuse(error, "option '%s' is required and has a default", option->name);
    }
    bool needs_environment = type == WEIR_OPTION_EXPRESSION || type == WEIR_OPTION_TARGET ||
                             strstr(option->default_text, "${") != NULL;
    return needs_environment ? WEIR_OK : option_try_default(option, error);
}

/* Who reads a nullable one asks whether it is there; these would leave nothing to ask. */
static weir_status check_presence(const weir_option *option, struct error *error)
{
    const bool is_required = (option->flags & WEIR_OPTION_REQUIRED) != 0;
    if (is_required && (option->flags & WEIR_OPTION_DEPRECATED) != 0) {
        return refuse(error, "option '%s' is required and deprecated", option->name);
    }
    if (is_nullable(option) && (is_required || option->default_text != NULL)) {
        return refuse(error, "option '%s' is nullable and %s", option->name,
                      is_required ? "required" : "has a default");
    }
    if ((option->flags & WEIR_OPTION_FIELD_NAME) != 0 &&
        (is_required || option->default_text != NULL)) {
        return refuse(error, "option '%s' bears a field's name and %s", option->name,
                      is_required ? "is required" : "has a default");
    }
    return WEIR_OK;
}

static weir_status check_option(const weir_option *option, uint64_t config_size, int depth,
                                struct error *error)
{
    weir_status st = check_type(option, option->name, depth, error);
    if (st != WEIR_OK) {
        return st;
    }
    if (option->type == WEIR_OPTION_STREAM && depth > 0) {
        return refuse_inner_stream(option->name, error);
    }
    const size_t size = option_field_size(option);
    if (option->summary == NULL || option->summary[0] == '\0') {
        return refuse(error, "option '%s' has no summary", option->name);
    }
    if (option->offset % field_alignment(option) != 0 || option->offset > config_size ||
        config_size - option->offset < size) {
        return refuse(error, "option '%s' at offset %u does not fit into a struct of %llu bytes",
                      option->name, option->offset, (unsigned long long)config_size);
    }
    st = check_presence(option, error);
    return st == WEIR_OK ? check_default(option, error) : st;
}

/* ---- the table --------------------------------------------------------------------------------- */

static weir_status check_pair(const weir_option *a, const weir_option *b, struct error *error)
{
    if (strcmp(a->name, b->name) == 0) {
        return refuse(error, "option '%s' stands twice in its table", a->name);
    }
    if (a->offset < b->offset + option_field_size(b) &&
        b->offset < a->offset + option_field_size(a)) {
        return refuse(error, "options '%s' and '%s' share bytes of the struct", a->name, b->name);
    }
    if ((a->flags & b->flags & WEIR_OPTION_BODY) != 0) {
        return refuse(error, "options '%s' and '%s' are both flagged as the body", a->name,
                      b->name);
    }
    return WEIR_OK;
}

/* Whose name a FIELD_NAME takes. */
static weir_status check_field_names(const weir_option *table, struct error *error)
{
    bool has_expression = false;
    const weir_option *named = NULL;
    for (const weir_option *option = table; option->name != NULL; option++) {
        has_expression |=
            (option->flags & WEIR_OPTION_BODY) != 0 && option->type == WEIR_OPTION_EXPRESSION;
        named = (option->flags & WEIR_OPTION_FIELD_NAME) != 0 ? option : named;
    }
    return named == NULL || has_expression
               ? WEIR_OK
               : refuse(error, "option '%s' bears a field's name, but the body is no expression",
                        named->name);
}

/* A body that is written as a map leaves no way to write other options. */
static weir_status check_body(const weir_option *table, size_t count, struct error *error)
{
    for (size_t i = 0; count > 1 && i < count; i++) {
        if ((table[i].flags & WEIR_OPTION_BODY) != 0 && option_is_whole_body(&table[i])) {
            return refuse(error, "option '%s' is a body of type %s and must be the only option",
                          table[i].name, layout_of(table[i].type)->name);
        }
    }
    return WEIR_OK;
}

static weir_status check_table(const weir_option *table, uint64_t config_size, int depth,
                               struct error *error)
{
    size_t count = 0;
    for (; table[count].name != NULL; count++) {
        if (count == MAX_OPTIONS) {
            return refuse(error, "the option table is not ended by WEIR_OPTIONS_END");
        }
        if (!is_option_name(table[count].name)) {
            return refuse(error, "the name of option %zu is not made of a-z, 0-9 and '_'", count);
        }
        weir_status st = check_option(&table[count], config_size, depth, error);
        for (size_t k = 0; st == WEIR_OK && k < count; k++) {
            st = check_pair(&table[count], &table[k], error);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
    weir_status st = check_body(table, count, error);
    return st == WEIR_OK ? check_field_names(table, error) : st;
}

weir_status option_table_check(const weir_option *table, uint64_t config_size, struct error *error)
{
    return table != NULL ? check_table(table, config_size, 0, error) : WEIR_OK;
}

/* ---- words ------------------------------------------------------------------------------------- */

const char *option_type_text(const weir_option *option, struct arena *arena)
{
    const struct layout *layout = layout_of(option->type);
    if (layout == NULL) {
        return "unknown";
    }
    if ((option->type != WEIR_OPTION_LIST && option->type != WEIR_OPTION_MAP) ||
        option->element == NULL) {
        return layout->name;
    }
    const char *element = option_type_text(option->element, arena);
    const char *text = NULL;
    if (option->type == WEIR_OPTION_LIST) {
        text = arena_printf(arena, "list of %s", element);
    } else if ((option->flags & WEIR_OPTION_PATHS) != 0) {
        text = "map of target to expression, or list of paths";
    } else {
        const char *key = option->key_type == WEIR_OPTION_TARGET ? "target" : "text";
        text = arena_printf(arena, "map of %s to %s", key, element);
    }
    return text != NULL ? text : layout->name;
}
