/* SPDX-License-Identifier: MIT */
/*
 * Options of type any: YAML as a value. Plain scalars are read by YAML's core schema, quoted ones and
 * blocks are text. Depth is bounded, so that recursion is.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/units.h"
#include "plugin/option_reader.h"
#include "value/number.h"

enum { MAX_DEPTH = 200 };

static bool is_one_of(const char *text, const char *const words[3])
{
    return strcmp(text, words[0]) == 0 || strcmp(text, words[1]) == 0 ||
           strcmp(text, words[2]) == 0;
}

static bool read_word(const char *text, weir_value *ret)
{
    static const char *const nulls[] = { "null", "Null", "NULL" };
    static const char *const trues[] = { "true", "True", "TRUE" };
    static const char *const falses[] = { "false", "False", "FALSE" };
    static const char *const nans[] = { ".nan", ".NaN", ".NAN" };
    static const char *const infinities[] = { ".inf", ".Inf", ".INF" };
    bool has_sign = text[0] == '-' || text[0] == '+';
    if (text[0] == '\0' || strcmp(text, "~") == 0 || is_one_of(text, nulls)) {
        *ret = weir_null();
    } else if (is_one_of(text, trues) || is_one_of(text, falses)) {
        *ret = weir_bool(is_one_of(text, trues));
    } else if (is_one_of(text, nans)) {
        *ret = weir_float((double)NAN);
    } else if (is_one_of(text + has_sign, infinities)) {
        *ret = weir_float(text[0] == '-' ? -(double)INFINITY : (double)INFINITY);
    } else {
        return false;
    }
    return true;
}

static const char *skip_digits(const char *at, size_t *count)
{
    size_t digits = strspn(at, "0123456789");
    *count += digits;
    return at + digits;
}

/* [-+]? ( digits [. digits?] | . digits ) ( e [-+]? digits )? */
static bool is_decimal(const char *text, bool *ret_is_integer)
{
    const char *at = text + (text[0] == '-' || text[0] == '+');
    size_t digits = 0;
    at = skip_digits(at, &digits);
    *ret_is_integer = *at == '\0';
    if (*at == '.') {
        at = skip_digits(at + 1, &digits);
    }
    if (digits > 0 && (*at == 'e' || *at == 'E')) {
        size_t exponent_digits = 0;
        at += at[1] == '-' || at[1] == '+' ? 2 : 1;
        at = skip_digits(at, &exponent_digits);
        digits = exponent_digits;
    }
    return digits > 0 && *at == '\0';
}

/* 0o17, 0xff */
static bool read_based(const char *text, weir_value *ret)
{
    bool is_hex = strncmp(text, "0x", 2) == 0;
    const char *digits = is_hex ? "0123456789abcdefABCDEF" : "01234567";
    size_t len = strlen(text);
    if ((!is_hex && strncmp(text, "0o", 2) != 0) || len < 3 || len > 17 ||
        strspn(text + 2, digits) != len - 2) {
        return false;
    }
    unsigned long long number = strtoull(text + 2, NULL, is_hex ? 16 : 8);
    *ret = weir_int((int64_t)number);
    return number <= INT64_MAX;
}

/* Numbers in JSON's form keep their text where float64 would not print it back. */
static bool read_number(const char *text, size_t len, weir_value *ret)
{
    bool is_integer = false;
    int64_t integer = 0;
    if (number_is_json(text, len)) {
        *ret = number_from_json(text, (uint32_t)len);
        return true;
    }
    if (!is_decimal(text, &is_integer)) {
        return read_based(text, ret);
    }
    if (is_integer && units_int(text, len, &integer, NULL)) {
        *ret = weir_int(integer);
    } else {
        *ret = weir_float(strtod(text, NULL));
    }
    return true;
}

static bool read_scalar(const struct option_reader *reader, const struct node *node,
                        weir_value *ret)
{
    size_t len = 0;
    const char *text = option_substitute(reader->scope, node, &len);
    if (text == NULL) {
        return false;
    }
    const char *copy = arena_copy(reader->scope->arena, text, len);
    if (copy == NULL) {
        return option_out_of_memory(reader->scope, node->place);
    }
    bool is_plain = node->style == STYLE_PLAIN && strlen(copy) == len;
    if (!is_plain || (!read_word(copy, ret) && !read_number(copy, len, ret))) {
        *ret = weir_text_value(copy, (uint32_t)len);
    }
    return true;
}

static bool read_node(const struct option_reader *reader, const struct node *node, int depth,
                      weir_value *ret);

static bool read_items(const struct option_reader *reader, const struct node *node, int depth,
                       weir_value *ret)
{
    weir_value *items = arena_zeroed(reader->scope->arena, (node->count + 1) * sizeof *items);
    if (items == NULL) {
        return option_out_of_memory(reader->scope, node->place);
    }
    bool is_right = true;
    for (size_t i = 0; i < node->count; i++) {
        is_right &= read_node(reader, node->items[i], depth + 1, &items[i]);
    }
    *ret = weir_list_value(items, (uint32_t)node->count);
    return is_right;
}

static bool read_members(const struct option_reader *reader, const struct node *node, int depth,
                         weir_value *ret)
{
    const struct expr_env *env = reader->scope->env;
    weir_member *members = arena_zeroed(reader->scope->arena, (node->count + 1) * sizeof *members);
    if (members == NULL) {
        return option_out_of_memory(reader->scope, node->place);
    }
    bool is_right = true;
    for (size_t i = 0; i < node->count; i++) {
        const struct node *key = node->pairs[i].key;
        weir_member *member = &members[i];
        member->key = arena_copy(reader->scope->arena, key->text, key->text_len);
        member->key_len = (uint32_t)key->text_len;
        if (member->key == NULL) {
            return option_out_of_memory(reader->scope, key->place);
        }
        if (env != NULL && env->symbols != NULL) {
            member->symbol = symbols_intern(env->symbols, member->key, member->key_len);
        }
        is_right &= read_node(reader, node->pairs[i].value, depth + 1, &member->value);
    }
    *ret = weir_map_value(members, (uint32_t)node->count);
    return is_right;
}

static bool read_node(const struct option_reader *reader, const struct node *node, int depth,
                      weir_value *ret)
{
    if (depth > MAX_DEPTH) {
        return option_fault(reader, node->place, "is nested deeper than %d levels", MAX_DEPTH);
    }
    switch (node->kind) {
    case NODE_LIST:
        return read_items(reader, node, depth, ret);
    case NODE_MAP:
        return read_members(reader, node, depth, ret);
    default:
        return read_scalar(reader, node, ret);
    }
}

bool option_read_any(const struct option_reader *reader, const struct node *node, weir_value *ret)
{
    return read_node(reader, node, 0, ret);
}
