/* SPDX-License-Identifier: MIT */
/*
 * Expressions and targets in a document: the text of the scalar is compiled, whatever YAML thinks of
 * it, and faults point into it. Maps and lists are built from the expressions of their members. Here
 * too are the traps that YAML sets to expressions and that its grammar does not show.
 */
#include <string.h>

#include "base/buffer.h"
#include "plugin/option_reader.h"

enum { MAX_DEPTH = 200 };

/* ---- reports from the compiler ---------------------------------------------------------------- */

struct scalar_report {
    const struct options_scope *scope;
    const struct node *scalar;
};

static void report(void *self, bool is_warning, size_t from, size_t to, const char *message)
{
    const struct scalar_report *report_to = self;
    diagnostics_add(report_to->scope->diagnostics, is_warning ? SEVERITY_WARNING : SEVERITY_ERROR,
                    node_text_place(report_to->scalar, from, to), "%s", message);
}

static void add_error(const struct options_scope *scope, struct place place, const char *message)
{
    diagnostics_add(scope->diagnostics, SEVERITY_ERROR, place, "%s", message);
}

/* ---- traps ------------------------------------------------------------------------------------ */

static bool is_word(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        unsigned char c = (unsigned char)text[i];
        bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c >= 0x80;
        if (!is_letter && (i == 0 || c < '0' || c > '9')) {
            return false;
        }
    }
    return len > 0;
}

/* `status: "late"` compares with a field where a text was meant. */
static void warn_of_quoted_word(const struct options_scope *scope, const struct node *scalar)
{
    bool is_quoted = scalar->style == STYLE_SINGLE || scalar->style == STYLE_DOUBLE;
    if (is_quoted && is_word(scalar->text, scalar->text_len) &&
        !expr_is_keyword(scalar->text, scalar->text_len)) {
        diagnostics_add(scope->diagnostics, SEVERITY_WARNING, scalar->place,
                        "this is the field '%s': YAML takes the quotes away; for the text write "
                        "\"'%s'\", for the field leave them out",
                        scalar->text, scalar->text);
    }
}

/* What is open at the end of a text: brackets and quotes, and the most that was closed too often. */
struct balance {
    int open;
    int surplus;
    bool is_in_text;
};

static struct balance balance_of(const struct node *scalar)
{
    struct balance balance = { 0 };
    char quote = '\0';
    for (size_t i = 0; i < scalar->text_len; i++) {
        char c = scalar->text[i];
        if (quote != '\0') {
            i += c == '\\';
            quote = c == quote ? '\0' : quote;
        } else if (c == '"' || c == '\'') {
            quote = c;
        } else if (c == '(' || c == '[' || c == '{') {
            balance.open++;
        } else if (c == ')' || c == ']' || c == '}') {
            balance.surplus += balance.open == 0;
            balance.open -= balance.open > 0;
        }
    }
    balance.is_in_text = quote != '\0';
    return balance;
}

/* The first byte behind a scalar that is no blank; '\0' at a line's end. */
static char byte_behind(const struct node *scalar, uint32_t *ret_offset)
{
    const struct document_file *file = scalar->place.file;
    size_t at = (size_t)scalar->place.offset + scalar->place.length;
    if (file == NULL) {
        return '\0';
    }
    while (at < file->size && (file->text[at] == ' ' || file->text[at] == '\t')) {
        at++;
    }
    *ret_offset = (uint32_t)at;
    return at < file->size && file->text[at] != '\n' ? file->text[at] : '\0';
}

enum option_cut option_report_cut(const struct options_scope *scope, const struct node *node)
{
    if (node->kind != NODE_SCALAR || node->style != STYLE_PLAIN) {
        return CUT_NONE;
    }
    uint32_t offset = 0;
    struct balance balance = balance_of(node);
    char next = byte_behind(node, &offset);
    bool is_flow_end = next != '\0' && strchr(",[]{}", next) != NULL;
    if ((balance.open == 0 && !balance.is_in_text) || (!is_flow_end && next != '#')) {
        return CUT_NONE;
    }
    struct place place = { node->place.file, offset, 1 };
    if (next == '#') {
        add_error(scope, place,
                  "from ' #' on this is a comment of YAML; put the whole expression in quotes");
        return CUT_BY_COMMENT;
    }
    diagnostics_add(scope->diagnostics, SEVERITY_ERROR, place,
                    "inside { } and [ ] of YAML an expression ends at '%c'; write it on a line "
                    "of its own, or put the whole of it in quotes",
                    next);
    return CUT_IN_FLOW;
}

bool option_is_rest_of_cut(const struct node *scalar)
{
    struct balance balance = balance_of(scalar);
    return scalar->kind == NODE_SCALAR && (balance.surplus > 0 || balance.is_in_text);
}

/* ---- expressions ------------------------------------------------------------------------------ */

/* ${VAR} belongs to the other options. */
static bool report_variable(const struct options_scope *scope, const struct node *scalar,
                            const char *what)
{
    const char *found = memmem(scalar->text, scalar->text_len, "${", 2);
    if (found == NULL) {
        return false;
    }
    size_t from = (size_t)(found - scalar->text);
    size_t name_len = strspn(found + 2, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
                                        "0123456789_");
    const char *end = memchr(found, '}', scalar->text_len - from);
    size_t to = end != NULL ? (size_t)(end - scalar->text) + 1 : scalar->text_len;
    struct place place = node_text_place(scalar, from, to);
    if (what != NULL) {
        diagnostics_add(scope->diagnostics, SEVERITY_ERROR, place,
                        "%s holds no ${...}; write the name itself", what);
        return true;
    }
    const char *fallback = found + 2 + name_len;
    bool has_fallback = end != NULL && name_len > 0 && strncmp(fallback, ":-", 2) == 0;
    diagnostics_add(scope->diagnostics, SEVERITY_ERROR, place,
                    "an expression holds no ${...}; write env(\"%.*s\"%s%.*s%s)",
                    name_len > 0 ? (int)name_len : 3, name_len > 0 ? found + 2 : "VAR",
                    has_fallback ? ", \"" : "", has_fallback ? (int)(end - fallback) - 2 : 0,
                    has_fallback ? fallback + 2 : "", has_fallback ? "\"" : "");
    return true;
}

static weir_expression *compile_scalar(const struct options_scope *scope, const struct node *scalar)
{
    if (option_is_blank(scalar)) {
        add_error(scope, scalar->place,
                  "there is no expression here; for the value null write null");
        return NULL;
    }
    if (report_variable(scope, scalar, NULL) || option_report_cut(scope, scalar) != CUT_NONE) {
        return NULL;
    }
    warn_of_quoted_word(scope, scalar);
    struct scalar_report self = { scope, scalar };
    struct expr_reporter reporter = { report, &self };
    weir_expression *made = expr_compile(scope->env, scalar->text, scalar->text_len, &reporter);
    if (made != NULL) {
        expr_set_origin(made, scalar);
    }
    return made;
}

static weir_expression *compile_node(const struct options_scope *scope, const struct node *node,
                                     int depth);

/* Parts of a map or list; arrays of `count` in the scope's arena. */
struct parts {
    const char **keys; /* NULL: a list */
    size_t *key_lens;
    weir_expression **values;
    size_t count;
};

static bool make_parts(const struct options_scope *scope, const struct node *node,
                       struct parts *ret)
{
    size_t room = node->count + 1;
    ret->count = node->count;
    ret->values = arena_zeroed(scope->arena, room * sizeof *ret->values);
    ret->keys = arena_zeroed(scope->arena, room * sizeof *ret->keys);
    ret->key_lens = arena_zeroed(scope->arena, room * sizeof *ret->key_lens);
    bool has_memory = ret->values != NULL && ret->keys != NULL && ret->key_lens != NULL;
    return has_memory || option_out_of_memory(scope, node->place);
}

/* Compiles every member, so that all their faults are reported. Rests of a cut are passed over. */
static bool fill_parts(const struct options_scope *scope, const struct node *node, int depth,
                       struct parts *parts)
{
    bool is_right = true;
    bool is_cut = false;
    for (size_t i = 0; i < node->count; i++) {
        bool is_map = node->kind == NODE_MAP;
        const struct node *value = is_map ? node->pairs[i].value : node->items[i];
        const struct node *first = is_map ? node->pairs[i].key : value;
        if (is_cut) {
            is_cut = !(first->kind == NODE_SCALAR && option_is_rest_of_cut(first));
            continue;
        }
        if (is_map) {
            parts->keys[i] = first->text;
            parts->key_lens[i] = first->text_len;
        }
        enum option_cut cut = option_report_cut(scope, value);
        is_cut = cut == CUT_IN_FLOW;
        if (cut == CUT_NONE) {
            parts->values[i] = compile_node(scope, value, depth + 1);
        }
        is_right &= parts->values[i] != NULL;
    }
    return is_right;
}

static weir_expression *compile_parts(const struct options_scope *scope, const struct node *node,
                                      int depth)
{
    struct parts parts;
    if (depth > MAX_DEPTH) {
        add_error(scope, node->place, "this is nested too deep for an expression");
        return NULL;
    }
    if (!make_parts(scope, node, &parts) || !fill_parts(scope, node, depth, &parts)) {
        return NULL;
    }
    weir_expression *made =
        node->kind == NODE_MAP
            ? expr_compile_map(scope->env, parts.keys, parts.key_lens, parts.values, parts.count)
            : expr_compile_list(scope->env, parts.values, parts.count);
    if (made == NULL) {
        option_out_of_memory(scope, node->place);
    }
    return made;
}

static weir_expression *compile_node(const struct options_scope *scope, const struct node *node,
                                     int depth)
{
    return node->kind == NODE_SCALAR ? compile_scalar(scope, node)
                                     : compile_parts(scope, node, depth);
}

weir_expression *option_read_expression(const struct options_scope *scope, const struct node *node)
{
    return compile_node(scope, node, 0);
}

/* ---- targets ---------------------------------------------------------------------------------- */

bool option_read_target(const struct option_reader *reader, const weir_option *option,
                        const struct node *node, const weir_target **ret)
{
    const struct options_scope *scope = reader->scope;
    if (node->kind != NODE_SCALAR || option_is_blank(node)) {
        return option_mismatch(reader, option, node, NULL, NULL);
    }
    if (report_variable(scope, node, "the name of a field")) {
        return false;
    }
    struct scalar_report self = { scope, node };
    struct expr_reporter reporter = { report, &self };
    *ret = target_compile(scope->env, node->text, node->text_len, &reporter);
    return *ret != NULL;
}

/* A text that is equal for equal targets, whichever way they were written. */
static bool write_target_key(const weir_target *target, weir_buffer *out)
{
    buffer_clear(out);
    weir_status st = weir_buffer_append(out, "", 0);
    for (uint32_t i = 0; st == WEIR_OK && i < target->step_count; i++) {
        const weir_target_step *step = &target->steps[i];
        if (step->name == NULL) {
            st = buffer_printf(out, "[%lld]", (long long)step->index);
        } else {
            st = buffer_printf(out, ".%u:", step->name_len);
            st = st == WEIR_OK ? weir_buffer_append(out, step->name, step->name_len) : st;
        }
    }
    return st == WEIR_OK;
}

bool option_check_targets(const struct options_scope *scope, const weir_option_map *map,
                          const struct node *const *nodes)
{
    struct hashmap seen;
    weir_buffer key;
    bool is_right = true;
    hashmap_init(&seen);
    buffer_init(&key, UINT32_MAX);
    for (uint64_t i = 0; i < map->count; i++) {
        const weir_target *target = map->items[i].key.target;
        if (!write_target_key(target, &key)) {
            is_right = option_out_of_memory(scope, nodes[i]->place);
            break;
        }
        if (hashmap_find(&seen, (const char *)key.data, (size_t)key.size) != NULL) {
            diagnostics_add(scope->diagnostics, SEVERITY_ERROR, nodes[i]->place,
                            "the field '%s' is written twice; give one of them another name",
                            target->text.data);
            is_right = false;
        } else if (!hashmap_put(&seen, (const char *)key.data, (size_t)key.size, NULL)) {
            is_right = option_out_of_memory(scope, nodes[i]->place);
            break;
        }
    }
    buffer_deinit(&key);
    hashmap_deinit(&seen);
    return is_right;
}
