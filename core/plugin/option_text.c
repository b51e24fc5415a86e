/* SPDX-License-Identifier: MIT */
/*
 * Options that are texts: ${VAR}, paths, bytes, secrets. A variable's value is data: it is never read
 * again as YAML or searched for further variables. A secret's text appears in no message.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "base/file.h"
#include "base/utf8.h"
#include "plugin/option_reader.h"

enum { MAX_TEXT = 4 * 1024 * 1024, MAX_SECRET = 64 * 1024 };

/* ---- ${VAR} ----------------------------------------------------------------------------------- */

/* One ${...} of a scalar; positions are bytes of its text. */
struct variable {
    size_t from; /* of the '$' */
    size_t to;   /* one behind the '}' */
    const char *name;
    size_t name_len;
    const char *fallback; /* NULL: none */
    size_t fallback_len;
};

static bool is_name_byte(char c, bool is_first)
{
    bool is_letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    return is_letter || (!is_first && c >= '0' && c <= '9');
}

/* `from` is the place of a "${". False after a report. */
static bool parse_variable(const struct options_scope *scope, const struct node *scalar,
                           size_t from, struct variable *ret)
{
    const char *text = scalar->text;
    size_t at = from + 2;
    const char *end = memchr(text + at, '}', scalar->text_len - at);
    size_t to = end != NULL ? (size_t)(end - text) + 1 : scalar->text_len;
    *ret = (struct variable){ .from = from, .to = to, .name = text + at };
    while (at < scalar->text_len && is_name_byte(text[at], ret->name_len == 0)) {
        at++;
        ret->name_len++;
    }
    bool has_fallback = end != NULL && strncmp(text + at, ":-", 2) == 0 && text + at < end;
    if (has_fallback) {
        ret->fallback = text + at + 2;
        ret->fallback_len = (size_t)(end - ret->fallback);
    }
    if (end == NULL || ret->name_len == 0 || (!has_fallback && text + at != end)) {
        diagnostics_add(scope->diagnostics, SEVERITY_ERROR, node_text_place(scalar, from, to),
                        "this names no environment variable; write ${NAME} or ${NAME:-default}, "
                        "and $${ for the two characters themselves");
        return false;
    }
    return true;
}

static const char *environment(const struct options_scope *scope, const char *name)
{
    const struct expr_env *env = scope->env;
    return env != NULL && env->get_env != NULL ? env->get_env(env->self, name) : getenv(name);
}

static bool append(const struct options_scope *scope, const struct node *scalar, weir_buffer *out,
                   const char *bytes, size_t len)
{
    weir_status st = weir_buffer_append(out, bytes, len);
    return st == WEIR_OK || option_out_of_memory(scope, scalar->place);
}

static bool append_variable(const struct options_scope *scope, const struct node *scalar,
                            const struct variable *variable, weir_buffer *out)
{
    char *name = arena_copy(scope->arena, variable->name, variable->name_len);
    if (name == NULL) {
        return option_out_of_memory(scope, scalar->place);
    }
    const char *value = environment(scope, name);
    if (variable->fallback != NULL && (value == NULL || value[0] == '\0')) {
        return append(scope, scalar, out, variable->fallback, variable->fallback_len);
    }
    if (value == NULL) {
        diagnostics_add(scope->diagnostics, SEVERITY_ERROR,
                        node_text_place(scalar, variable->from, variable->to),
                        "the environment variable '%s' is not set; set it, or write ${%s:-default}",
                        name, name);
        return false;
    }
    size_t len = strlen(value);
    if (utf8_valid_prefix(value, len) != len) {
        diagnostics_add(scope->diagnostics, SEVERITY_ERROR,
                        node_text_place(scalar, variable->from, variable->to),
                        "the environment variable '%s' holds bytes that are not UTF-8", name);
        return false;
    }
    return append(scope, scalar, out, value, len);
}

/* Takes what stands at a '$': an escape, a variable, or the sign itself. *at: behind it. */
static bool append_at_dollar(const struct options_scope *scope, const struct node *scalar,
                             size_t *at, weir_buffer *out)
{
    const char *dollar = scalar->text + *at;
    struct variable variable;
    if (strncmp(dollar, "$${", 3) == 0) {
        *at += 3;
        return append(scope, scalar, out, "${", 2);
    }
    if (strncmp(dollar, "${", 2) != 0) {
        *at += 1;
        return append(scope, scalar, out, "$", 1);
    }
    bool is_right = parse_variable(scope, scalar, *at, &variable) &&
                    append_variable(scope, scalar, &variable, out);
    *at = variable.to;
    return is_right;
}

/* All variables of the scalar; goes on behind one that fails, so that each is reported. */
static bool substitute_into(const struct options_scope *scope, const struct node *scalar,
                            weir_buffer *out)
{
    bool is_right = true;
    for (size_t at = 0; at < scalar->text_len;) {
        const char *rest = scalar->text + at;
        const char *dollar = memchr(rest, '$', scalar->text_len - at);
        size_t len = dollar != NULL ? (size_t)(dollar - rest) : scalar->text_len - at;
        if (!append(scope, scalar, out, rest, len)) {
            return false;
        }
        at += len;
        if (at < scalar->text_len) {
            is_right &= append_at_dollar(scope, scalar, &at, out);
        }
    }
    return is_right;
}

static bool has_variable(const struct node *scalar)
{
    return memmem(scalar->text, scalar->text_len, "${", 2) != NULL;
}

const char *option_substitute(const struct options_scope *scope, const struct node *scalar,
                              size_t *ret_len)
{
    if (!has_variable(scalar)) {
        *ret_len = scalar->text_len;
        return scalar->text;
    }
    weir_buffer out;
    buffer_init(&out, MAX_TEXT);
    const char *text = NULL;
    if (substitute_into(scope, scalar, &out)) {
        text = arena_copy(scope->arena, out.data, (size_t)out.size);
        if (text == NULL) {
            option_out_of_memory(scope, scalar->place);
        }
        *ret_len = (size_t)out.size;
    }
    buffer_deinit(&out);
    return text;
}

/* ---- text and paths --------------------------------------------------------------------------- */

static bool keep(const struct option_reader *reader, const struct node *node, const void *bytes,
                 size_t len, weir_text *ret)
{
    const char *copy = arena_copy(reader->scope->arena, bytes, len);
    if (copy == NULL) {
        return option_out_of_memory(reader->scope, node->place);
    }
    *ret = (weir_text){ copy, len };
    return true;
}

static bool keep_path(const struct option_reader *reader, const struct node *node, const char *text,
                      size_t len, weir_text *ret)
{
    if (len == 0 || memchr(text, '\0', len) != NULL) {
        return option_fault(reader, node->place, "needs a path; use '.' for the pipeline's folder");
    }
    if (text[0] != '/' && reader->scope->folder != NULL) {
        while (strncmp(text, "./", 2) == 0 && text[2] != '\0') {
            text += 2; /* the folder says it */
        }
        text = file_join(reader->scope->arena, reader->scope->folder, text);
        if (text == NULL) {
            return option_out_of_memory(reader->scope, node->place);
        }
        len = strlen(text);
    }
    return keep(reader, node, text, len, ret);
}

bool option_read_text(const struct option_reader *reader, const weir_option *option,
                      const struct node *node, weir_text *ret)
{
    size_t len = 0;
    const char *text = option_scalar(reader, option, node, &len);
    if (text == NULL) {
        return false;
    }
    bool is_path = (option->flags & WEIR_OPTION_PATH) != 0;
    return is_path ? keep_path(reader, node, text, len, ret) : keep(reader, node, text, len, ret);
}

/* ---- bytes ------------------------------------------------------------------------------------ */

/* Value of a digit in base 16 or 64; -1: none. */
static int digit_value(char c, bool is_hex)
{
    static const char base64[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    static const char hex[] = "0123456789abcdef";
    if (c == '\0') {
        return -1;
    }
    if (is_hex) {
        c = c >= 'A' && c <= 'F' ? (char)(c - 'A' + 'a') : c;
    }
    const char *digits = is_hex ? hex : base64;
    const char *found = strchr(digits, c);
    return found != NULL ? (int)(found - digits) : -1;
}

/* Packs digits of 4 or 6 bits into bytes; *ret_size is what came out. False: not of that base. */
static bool unpack(const char *text, size_t len, bool is_hex, uint8_t *out, size_t *ret_size)
{
    unsigned bits_per_digit = is_hex ? 4 : 6;
    uint32_t pending = 0;
    unsigned pending_bits = 0;
    size_t size = 0;
    for (size_t i = 0; i < len; i++) {
        int digit = digit_value(text[i], is_hex);
        if (digit < 0) {
            return false;
        }
        pending = (pending << bits_per_digit | (uint32_t)digit) & 0xffffff;
        pending_bits += bits_per_digit;
        if (pending_bits >= 8) {
            pending_bits -= 8;
            out[size++] = (uint8_t)(pending >> pending_bits);
        }
    }
    *ret_size = size;
    return (pending & ((1u << pending_bits) - 1)) == 0 && pending_bits < bits_per_digit;
}

static bool unpack_padded(const char *text, size_t len, bool is_hex, uint8_t *out, size_t *ret_size)
{
    if (is_hex) {
        return unpack(text, len, true, out, ret_size);
    }
    size_t padding = 0;
    while (padding < 2 && len > padding && text[len - 1 - padding] == '=') {
        padding++;
    }
    return len % 4 == 0 && unpack(text, len - padding, false, out, ret_size);
}

bool option_read_bytes(const struct option_reader *reader, const weir_option *option,
                       const struct node *node, weir_text *ret)
{
    size_t len = 0;
    const char *text = option_scalar(reader, option, node, &len);
    if (text == NULL) {
        return false;
    }
    bool is_hex = strncmp(text, "hex:", 4) == 0;
    bool is_base64 = strncmp(text, "base64:", 7) == 0;
    if (!is_hex && !is_base64) {
        return keep(reader, node, text, len, ret);
    }
    size_t prefix = is_hex ? 4 : 7;
    uint8_t *bytes = arena_alloc(reader->scope->arena, len);
    size_t size = 0;
    if (bytes == NULL) {
        return option_out_of_memory(reader->scope, node->place);
    }
    if (!unpack_padded(text + prefix, len - prefix, is_hex, bytes, &size)) {
        return option_mismatch(
            reader, option, node, text,
            is_hex ? "after 'hex:' come pairs of hex digits, as in hex:00ff"
                   : "after 'base64:' comes base64 with its padding, as in base64:AA==");
    }
    return keep(reader, node, bytes, size, ret);
}

/* ---- secrets ---------------------------------------------------------------------------------- */

static bool read_secret_file(const struct option_reader *reader, const struct node *path_node,
                             weir_text *ret)
{
    static const weir_option path_option = { .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_PATH };
    const struct options_scope *scope = reader->scope;
    weir_text path;
    char *text = NULL;
    size_t len = 0;
    struct error error = { .status = WEIR_OK };
    if (path_node->kind != NODE_SCALAR || option_is_blank(path_node)) {
        return option_fault(reader, path_node->place, "needs a path after 'file:'");
    }
    if (!option_read_text(reader, &path_option, path_node, &path)) {
        return false;
    }
    if (file_read(path.data, MAX_SECRET, scope->arena, &text, &len, &error) != WEIR_OK) {
        return option_fault(reader, path_node->place, "cannot be read from its file: %s",
                            error.message);
    }
    if (len > 0 && text[len - 1] == '\n') {
        len -= len > 1 && text[len - 2] == '\r' ? 2 : 1;
    }
    return keep(reader, path_node, text, len, ret);
}

bool option_read_secret(const struct option_reader *reader, const weir_option *option,
                        const struct node *node, weir_text *ret)
{
    const struct node *file = node_get(node, "file");
    size_t len = 0;
    if (file != NULL && node->count == 1) {
        return read_secret_file(reader, file, ret);
    }
    if (reader->role != ROLE_DEFAULT && node->kind == NODE_SCALAR) {
        diagnostics_hide(reader->scope->diagnostics, node->place);
    }
    const char *text = option_scalar(reader, option, node, &len);
    if (text == NULL) {
        return false;
    }
    if (!has_variable(node) && reader->role != ROLE_DEFAULT) {
        diagnostics_add(reader->scope->diagnostics, SEVERITY_WARNING, node->place,
                        "option '%s' shows a secret to everybody who reads this file; write "
                        "${VARIABLE} or {file: PATH}",
                        reader->name);
    }
    return keep(reader, node, text, len, ret);
}
