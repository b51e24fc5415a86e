/* SPDX-License-Identifier: MIT */
/*
 * Reads one option's value by its type into its field.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/nearest.h"
#include "base/units.h"
#include "base/utf8.h"
#include "plugin/option_reader.h"

/* ---- ranges ----------------------------------------------------------------------------------- */

struct unit {
    int64_t worth;
    const char *name;
};

/* A bound in the largest unit that divides it. */
static void write_bound(const weir_option *option, int64_t bound, char *room, size_t size)
{
    static const struct unit durations[] = {
        { 86400000, "d" }, { 3600000, "h" }, { 60000, "m" }, { 1000, "s" }, { 1, "ms" },
    };
    static const struct unit sizes[] = {
        { INT64_C(1) << 40, "TiB" }, { 1 << 30, "GiB" }, { 1 << 20, "MiB" },
        { 1 << 10, "KiB" },          { 1, "B" },
    };
    bool is_duration = option->type == WEIR_OPTION_DURATION;
    const struct unit *units = is_duration ? durations : sizes;
    if (bound == 0 || (!is_duration && option->type != WEIR_OPTION_SIZE)) {
        snprintf(room, size, "%lld", (long long)bound);
        return;
    }
    size_t i = 0;
    while (units[i].worth > 1 && bound % units[i].worth != 0) {
        i++;
    }
    snprintf(room, size, "%lld%s", (long long)(bound / units[i].worth), units[i].name);
}

static bool fault_of_range(const struct option_reader *reader, const weir_option *option,
                           const struct node *node, const char *text)
{
    char min[32];
    char max[32];
    char found[OPTION_FOUND_ROOM];
    write_bound(option, option->min, min, sizeof min);
    write_bound(option, option->max, max, sizeof max);
    option_write_found(node, text, found);
    if (option->max == INT64_MAX) {
        return option_fault(reader, node->place, "must be at least %s, found %s", min, found);
    }
    if (option->min == INT64_MIN) {
        return option_fault(reader, node->place, "must be at most %s, found %s", max, found);
    }
    return option_fault(reader, node->place, "must be between %s and %s, found %s", min, max,
                        found);
}

static bool has_bounds(const weir_option *option)
{
    return option->min != 0 || option->max != 0;
}

/* True where a value beyond 64 bits lies beyond a bound of the option. */
static bool is_bounded_there(const weir_option *option, const char *text)
{
    return has_bounds(option) &&
           (text[0] == '-' ? option->min != INT64_MIN : option->max != INT64_MAX);
}

/* ---- scalars ---------------------------------------------------------------------------------- */

const char *option_scalar(const struct option_reader *reader, const weir_option *option,
                          const struct node *node, size_t *ret_len)
{
    if (node->kind != NODE_SCALAR) {
        option_mismatch(reader, option, node, NULL, NULL);
        return NULL;
    }
    return option_substitute(reader->scope, node, ret_len);
}

static bool read_bool(const struct option_reader *reader, const weir_option *option,
                      const struct node *node, uint8_t *ret)
{
    size_t len = 0;
    const char *cure = NULL;
    bool truth = false;
    const char *text = option_scalar(reader, option, node, &len);
    if (text == NULL) {
        return false;
    }
    if (!units_bool(text, len, &truth, &cure)) {
        return option_mismatch(reader, option, node, text, cure);
    }
    *ret = truth;
    return true;
}

typedef bool read_integer_fn(const char *text, size_t len, int64_t *ret, const char **ret_cure);

/* The type's own reader, where its field is an int64_t; else NULL. */
static read_integer_fn *integer_reader(uint32_t type)
{
    switch (type) {
    case WEIR_OPTION_INT:
        return units_int;
    case WEIR_OPTION_DURATION:
        return units_duration_ms;
    case WEIR_OPTION_SIZE:
        return units_size_bytes;
    case WEIR_OPTION_TIME:
        return units_time_ms;
    default:
        return NULL;
    }
}

static bool read_integer(const struct option_reader *reader, const weir_option *option,
                         const struct node *node, int64_t *ret)
{
    size_t len = 0;
    const char *cure = NULL;
    int64_t value = 0;
    const char *text = option_scalar(reader, option, node, &len);
    if (text == NULL) {
        return false;
    }
    bool is_read = integer_reader(option->type)(text, len, &value, &cure);
    if (!is_read && (cure != units_too_large || !is_bounded_there(option, text))) {
        return option_mismatch(reader, option, node, text, cure);
    }
    if (!is_read || (has_bounds(option) && (value < option->min || value > option->max))) {
        return fault_of_range(reader, option, node, text);
    }
    *ret = value;
    return true;
}

static bool read_float(const struct option_reader *reader, const weir_option *option,
                       const struct node *node, double *ret)
{
    size_t len = 0;
    const char *cure = NULL;
    double value = 0;
    const char *text = option_scalar(reader, option, node, &len);
    if (text == NULL) {
        return false;
    }
    bool is_read = units_float(text, len, &value, &cure);
    if (!is_read && (cure != units_too_large || !is_bounded_there(option, text))) {
        return option_mismatch(reader, option, node, text, cure);
    }
    bool is_between = value >= (double)option->min && value <= (double)option->max;
    if (!is_read || (has_bounds(option) && !is_between)) {
        return fault_of_range(reader, option, node, text);
    }
    *ret = value;
    return true;
}

/* "'table', 'json'" */
static void write_names(const char *const *names, weir_buffer *out)
{
    for (size_t i = 0; names[i] != NULL; i++) {
        if (buffer_printf(out, "%s'%s'", i > 0 ? ", " : "", names[i]) != WEIR_OK) {
            return; /* the message shows as many as fit */
        }
    }
}

/* text: what stands there, or NULL for what is no scalar. */
static bool fault_of_enum(const struct option_reader *reader, const weir_option *option,
                          const struct node *node, const char *text)
{
    char found[OPTION_FOUND_ROOM];
    struct nearest search;
    weir_buffer names;
    const char *near = NULL;
    option_write_found(node, text, found);
    buffer_init(&names, 320);
    write_names(option->enum_names, &names);
    if (text != NULL) {
        nearest_start(&search, text, strlen(text));
        for (size_t i = 0; option->enum_names[i] != NULL; i++) {
            nearest_offer(&search, option->enum_names[i]);
        }
        near = nearest_found(&search);
    }
    option_fault(reader, node->place, "must be one of %.*s, found %s%s%s%s", (int)names.size,
                 (const char *)names.data, found, near != NULL ? "; did you mean '" : "",
                 near != NULL ? near : "", near != NULL ? "'?" : "");
    buffer_deinit(&names);
    return false;
}

static bool read_enum(const struct option_reader *reader, const weir_option *option,
                      const struct node *node, int64_t *ret)
{
    size_t len = 0;
    if (node->kind != NODE_SCALAR) {
        return fault_of_enum(reader, option, node, NULL);
    }
    const char *text = option_substitute(reader->scope, node, &len);
    if (text == NULL) {
        return false;
    }
    for (int64_t i = 0; option->enum_names[i] != NULL; i++) {
        if (strlen(option->enum_names[i]) == len && memcmp(option->enum_names[i], text, len) == 0) {
            *ret = i;
            return true;
        }
    }
    return fault_of_enum(reader, option, node, text);
}

/* ---- by type ---------------------------------------------------------------------------------- */

static bool read_expression(const struct option_reader *reader, const struct node *node,
                            const weir_expression **ret)
{
    const weir_expression *expression = option_read_expression(reader->scope, node);
    if (expression != NULL) {
        *ret = expression;
    }
    return expression != NULL;
}

static bool read_struct(const struct option_reader *reader, const weir_option *option,
                        const struct node *node, const void **ret)
{
    char subject[128];
    snprintf(subject, sizeof subject, "%s '%s'", option_role_text(reader->role), reader->name);
    void *fields = arena_zeroed(reader->scope->arena, (size_t)option->fields_size);
    if (fields == NULL) {
        return option_out_of_memory(reader->scope, node->place);
    }
    *ret = fields;
    return options_fill(reader->scope, subject, node->place, option->fields, node, fields);
}

bool option_is_blank(const struct node *node)
{
    return node->kind == NODE_SCALAR &&
           (node->is_empty || (node->style == STYLE_PLAIN && node_is(node, "~")));
}

/* Expressions and targets have words of their own for what is left out. */
static bool is_left_out(const weir_option *option, const struct node *node)
{
    bool has_own_words = option->type == WEIR_OPTION_ANY ||
                         option->type == WEIR_OPTION_EXPRESSION ||
                         option->type == WEIR_OPTION_TARGET;
    return !has_own_words && option_is_blank(node);
}

static bool fault_of_blank(const struct option_reader *reader, const struct node *node)
{
    struct option_reader whole = { reader->scope, reader->name, ROLE_OPTION };
    if (reader->role == ROLE_ITEM || reader->role == ROLE_VALUE) {
        return option_fault(&whole, node->place,
                            "has an %s without a value; give it one or remove it",
                            reader->role == ROLE_ITEM ? "item" : "entry");
    }
    return option_fault(reader, node->place, "has no value; give a value or remove the line");
}

bool option_read_as(const struct option_reader *reader, const weir_option *option,
                    const struct node *node, void *field)
{
    if (is_left_out(option, node)) {
        return fault_of_blank(reader, node);
    }
    switch (option->type) {
    case WEIR_OPTION_BOOL:
        return read_bool(reader, option, node, field);
    case WEIR_OPTION_FLOAT:
        return read_float(reader, option, node, field);
    case WEIR_OPTION_TEXT:
        return option_read_text(reader, option, node, field);
    case WEIR_OPTION_BYTES:
        return option_read_bytes(reader, option, node, field);
    case WEIR_OPTION_ENUM:
        return read_enum(reader, option, node, field);
    case WEIR_OPTION_SECRET:
        return option_read_secret(reader, option, node, field);
    case WEIR_OPTION_ANY:
        return option_read_any(reader, node, field);
    case WEIR_OPTION_EXPRESSION:
        return read_expression(reader, node, field);
    case WEIR_OPTION_TARGET:
        return option_read_target(reader, option, node, field);
    case WEIR_OPTION_LIST:
        return option_read_list(reader, option, node, field);
    case WEIR_OPTION_MAP:
        return (option->flags & WEIR_OPTION_PATHS) != 0 && node->kind != NODE_MAP
                   ? option_read_paths(reader, option, node, field)
                   : option_read_map(reader, option, node, field);
    case WEIR_OPTION_STRUCT:
        return read_struct(reader, option, node, field);
    case WEIR_OPTION_STREAM:
        return option_read_stream(reader, option, node, field);
    default:
        return read_integer(reader, option, node, field);
    }
}

bool option_read(const struct options_scope *scope, const weir_option *option,
                 const struct node *node, void *field)
{
    struct option_reader reader = { scope, option->name, ROLE_OPTION };
    if ((option->flags & WEIR_OPTION_NULLABLE) == 0) {
        return option_read_as(&reader, option, node, field);
    }
    weir_option_value *value = arena_zeroed(scope->arena, sizeof *value);
    if (value == NULL) {
        return option_out_of_memory(scope, node->place);
    }
    *(const weir_option_value **)field = value;
    return option_read_as(&reader, option, node, value);
}

/* ---- defaults --------------------------------------------------------------------------------- */

struct node option_default_node(const char *default_text, struct place place)
{
    return (struct node){ .kind = NODE_SCALAR,
                          .style = STYLE_PLAIN,
                          .text = default_text,
                          .text_len = strlen(default_text),
                          .place = place };
}

weir_status option_try_default(const weir_option *option, struct error *error)
{
    struct arena arena;
    struct diagnostics diagnostics;
    weir_option_value value; /* as large as any field */
    weir_status st = WEIR_OK;
    arena_init(&arena, 4096);
    diagnostics_init(&diagnostics, &arena);
    struct options_scope scope = { .arena = &arena, .diagnostics = &diagnostics };
    struct option_reader reader = { &scope, option->name, ROLE_DEFAULT };
    struct node node = option_default_node(option->default_text, (struct place){ 0 });
    if (!option_read_as(&reader, option, &node, &value)) {
        const char *message = diagnostics.count > 0 ? diagnostics.list[0].message : "out of memory";
        st = error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "%s", message);
    }
    diagnostics_deinit(&diagnostics);
    arena_deinit(&arena);
    return st;
}
