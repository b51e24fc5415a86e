/* SPDX-License-Identifier: MIT */
/*
 * Fills a config struct from a node by the plugin's table. The table is a closed world: an option
 * that it does not name is an error, and so is a required one that is not there. Everything that is
 * wrong is reported, not only the first.
 *
 * What stands behind a plugin's name is either its options by name (the long form) or the value of
 * its body option. A scalar or list is the body. A map is the body where the body's type is always
 * written as one (map, struct, any); where the type may be written as one (expression, secret, list),
 * the map is the long form if one of its keys names an option (so that a slip in another key is
 * found) or it is empty, else the body; otherwise it is the long form.
 */
#include "plugin/options.h"

#include <string.h>

#include "base/buffer.h"
#include "base/nearest.h"
#include "plugin/option_reader.h"

/* What options_fill was called with. */
struct filling {
    const struct options_scope *scope;
    const char *subject;
    struct place place;
    const weir_option *table;
    char *config;
    const struct node *whole; /* what was given as the body; NULL: options by name, or nothing */
};

static const weir_option no_options[] = { WEIR_OPTIONS_END };

static const weir_option *find_option(const weir_option *table, const struct node *key)
{
    for (const weir_option *option = table; option->name != NULL; option++) {
        if (node_is(key, option->name)) {
            return option;
        }
    }
    return NULL;
}

static const weir_option *find_body(const weir_option *table)
{
    for (const weir_option *option = table; option->name != NULL; option++) {
        if ((option->flags & WEIR_OPTION_BODY) != 0) {
            return option;
        }
    }
    return NULL;
}

bool option_is_whole_body(const weir_option *option)
{
    return option->type == WEIR_OPTION_MAP || option->type == WEIR_OPTION_STRUCT ||
           option->type == WEIR_OPTION_ANY;
}

static bool names_an_option(const weir_option *table, const struct node *map)
{
    for (size_t i = 0; i < map->count; i++) {
        if (find_option(table, map->pairs[i].key) != NULL) {
            return true;
        }
    }
    return map->count == 0;
}

static bool is_long_form(const weir_option *table, const weir_option *body, const struct node *node)
{
    if (node->kind != NODE_MAP || body == NULL) {
        return node->kind == NODE_MAP;
    }
    if (option_is_whole_body(body)) {
        return false;
    }
    bool may_be_map = body->type == WEIR_OPTION_EXPRESSION || body->type == WEIR_OPTION_SECRET ||
                      body->type == WEIR_OPTION_LIST;
    return !may_be_map || names_an_option(table, node);
}

/* ---- what is not in the table, and what is not in the file -------------------------------------- */

static void write_option_names(const weir_option *table, weir_buffer *out)
{
    for (const weir_option *option = table; option->name != NULL; option++) {
        bool is_shown = (option->flags & WEIR_OPTION_DEPRECATED) == 0;
        if (is_shown &&
            buffer_printf(out, "%s'%s'", out->size > 0 ? ", " : "", option->name) != WEIR_OK) {
            return; /* the message shows as many as fit */
        }
    }
}

static const char *nearest_option(const weir_option *table, const struct node *key)
{
    struct nearest search;
    nearest_start(&search, key->text, key->text_len);
    for (const weir_option *option = table; option->name != NULL; option++) {
        nearest_offer(&search, option->name);
    }
    return nearest_found(&search);
}

static bool report_unknown(const struct filling *filling, const struct node *key)
{
    weir_buffer names;
    const char *near = nearest_option(filling->table, key);
    struct diagnostics *diagnostics = filling->scope->diagnostics;
    if (near != NULL) {
        diagnostics_add(diagnostics, SEVERITY_ERROR, key->place,
                        "%s has no option '%s'; did you mean '%s'?", filling->subject, key->text,
                        near);
        return false;
    }
    buffer_init(&names, 320);
    write_option_names(filling->table, &names);
    diagnostics_add(diagnostics, SEVERITY_ERROR, key->place, "%s has no option '%s'%s%.*s",
                    filling->subject, key->text, names.size > 0 ? "; it has " : "; it has none",
                    (int)names.size, names.size > 0 ? (const char *)names.data : "");
    buffer_deinit(&names);
    return false;
}

static bool report_missing(const struct filling *filling, const weir_option *option)
{
    diagnostics_add(filling->scope->diagnostics, SEVERITY_ERROR, filling->place,
                    "%s needs the option '%s' (%s): %s", filling->subject, option->name,
                    option_type_text(option, filling->scope->arena), option->summary);
    return false;
}

static bool fill_default(const struct filling *filling, const weir_option *option)
{
    struct option_reader reader = { filling->scope, option->name, ROLE_DEFAULT };
    struct node *node = arena_alloc(filling->scope->arena, sizeof *node);
    if (node == NULL) {
        return option_out_of_memory(filling->scope, filling->place);
    }
    *node = option_default_node(option->default_text, filling->place);
    return option_read_as(&reader, option, node, filling->config + option->offset);
}

/* A map that names no option was taken for the body's expression. */
static bool report_misspelt(const struct filling *filling)
{
    const struct node *whole = filling->whole;
    for (size_t i = 0; whole != NULL && whole->kind == NODE_MAP && i < whole->count; i++) {
        if (nearest_option(filling->table, whole->pairs[i].key) != NULL) {
            (void)report_unknown(filling, whole->pairs[i].key);
            return true;
        }
    }
    return false;
}

/* The name of the field that the body reads, which has been read by now. */
static bool fill_field_name(const struct filling *filling, const weir_option *option)
{
    const weir_option *body = find_body(filling->table);
    const weir_expression *expression =
        *(const weir_expression *const *)(const void *)(filling->config + body->offset);
    if (expression == NULL) {
        return true; /* which has been told */
    }
    const weir_target *name = expr_last_name(filling->scope->env, expression);
    if (name == NULL && report_misspelt(filling)) {
        return false;
    }
    if (name == NULL) {
        diagnostics_add(filling->scope->diagnostics, SEVERITY_ERROR, filling->place,
                        "%s needs the option '%s' where '%s' is no plain field; write "
                        "{%s: EXPRESSION, %s: NAME}",
                        filling->subject, option->name, body->name, body->name, option->name);
        return false;
    }
    *(weir_text *)(void *)(filling->config + option->offset) = name->text;
    return true;
}

/* body: the option that was given as the whole value, or NULL; map: the long form, or NULL. */
static bool fill_rest(const struct filling *filling, const weir_option *body,
                      const struct node *map)
{
    bool is_right = true;
    for (const weir_option *option = filling->table; option->name != NULL; option++) {
        if (option == body || (map != NULL && node_get(map, option->name) != NULL)) {
            continue;
        }
        if ((option->flags & WEIR_OPTION_REQUIRED) != 0) {
            is_right &= report_missing(filling, option);
        } else if ((option->flags & WEIR_OPTION_FIELD_NAME) != 0) {
            is_right &= fill_field_name(filling, option);
        } else if (option->default_text != NULL) {
            is_right &= fill_default(filling, option);
        }
    }
    return is_right;
}

/* ---- what is there ------------------------------------------------------------------------------ */

static bool fill_given(const struct filling *filling, const weir_option *option, struct place place,
                       const struct node *value)
{
    if ((option->flags & WEIR_OPTION_DEPRECATED) != 0) {
        diagnostics_add(filling->scope->diagnostics, SEVERITY_WARNING, place,
                        "option '%s' is deprecated: %s", option->name, option->summary);
    }
    return option_read(filling->scope, option, value, filling->config + option->offset);
}

static bool fill_long_form(const struct filling *filling, const struct node *map)
{
    bool is_right = true;
    for (size_t i = 0; i < map->count; i++) {
        const struct node *key = map->pairs[i].key;
        const weir_option *option = find_option(filling->table, key);
        is_right &= option == NULL ? report_unknown(filling, key)
                                   : fill_given(filling, option, key->place, map->pairs[i].value);
    }
    return fill_rest(filling, NULL, map) && is_right;
}

static bool report_no_body(const struct filling *filling, const struct node *node)
{
    weir_buffer names;
    bool has_options = filling->table->name != NULL;
    buffer_init(&names, 320);
    write_option_names(filling->table, &names);
    diagnostics_add(filling->scope->diagnostics, SEVERITY_ERROR, node->place,
                    "%s %s, found %s; %s%.*s", filling->subject,
                    has_options ? "takes options by name" : "takes no options",
                    node->kind == NODE_LIST ? "a list" : "a value",
                    has_options ? "it has " : "write its name alone", (int)names.size,
                    names.size > 0 ? (const char *)names.data : "");
    buffer_deinit(&names);
    return false;
}

/* `name:` with nothing behind it. */
static bool report_blank(const struct filling *filling, const weir_option *body,
                         const struct node *node)
{
    bool is_required = body != NULL && (body->flags & WEIR_OPTION_REQUIRED) != 0;
    diagnostics_add(filling->scope->diagnostics, SEVERITY_ERROR, node->place,
                    "%s has nothing behind its ':'; give %s", filling->subject,
                    is_required ? "a value" : "a value, or write the name alone");
    return false;
}

bool options_fill(const struct options_scope *scope, const char *subject, struct place place,
                  const weir_option *table, const struct node *body, void *config)
{
    struct filling filling = { scope,  subject, place, table != NULL ? table : no_options,
                               config, NULL };
    const weir_option *option = find_body(filling.table);
    if (body == NULL) {
        return fill_rest(&filling, NULL, NULL);
    }
    if (is_long_form(filling.table, option, body)) {
        return fill_long_form(&filling, body);
    }
    bool may_be_blank = option != NULL && option->type == WEIR_OPTION_ANY;
    if (body->kind == NODE_SCALAR && body->is_empty && !may_be_blank) {
        return report_blank(&filling, option, body);
    }
    if (option == NULL) {
        return report_no_body(&filling, body);
    }
    filling.whole = body;
    bool is_right = fill_given(&filling, option, body->place, body);
    return fill_rest(&filling, option, NULL) && is_right;
}
