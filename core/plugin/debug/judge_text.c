/* SPDX-License-Identifier: MIT */
#include "plugin/debug/judge_text.h"

#include <stdlib.h>
#include <string.h>

#include <yyjson.h>

#include "base/memory.h"
#include "base/utf8.h"
#include "value/value.h"

bool text_is_utf8(const char *text, size_t len)
{
    return utf8_valid_prefix(text, len) == len;
}

bool text_is_plain(const char *text, size_t len)
{
    for (size_t i = 0; i < len; i++) {
        if ((uint8_t)text[i] < 0x20 || text[i] == '"' || text[i] == '\\') {
            return false;
        }
    }
    return true;
}

/* ---- numbers ----------------------------------------------------------------------------------- */

static size_t digits_at(const char *text, size_t len, size_t at)
{
    size_t count = 0;
    while (at + count < len && text[at + count] >= '0' && text[at + count] <= '9') {
        count++;
    }
    return count;
}

bool text_is_number(const char *text, size_t len)
{
    size_t at = len > 0 && text[0] == '-' ? 1 : 0;
    size_t count = digits_at(text, len, at);
    if (count == 0 || (count > 1 && text[at] == '0')) {
        return false;
    }
    at += count;
    if (at < len && text[at] == '.') {
        count = digits_at(text, len, at + 1);
        if (count == 0) {
            return false;
        }
        at += 1 + count;
    }
    if (at < len && (text[at] == 'e' || text[at] == 'E')) {
        at++;
        at += at < len && (text[at] == '+' || text[at] == '-') ? 1 : 0;
        count = digits_at(text, len, at);
        if (count == 0) {
            return false;
        }
        at += count;
    }
    return at == len;
}

/* ---- keys -------------------------------------------------------------------------------------- */

static int compare_keys(const weir_member *a, const weir_member *b)
{
    uint32_t len = a->key_len < b->key_len ? a->key_len : b->key_len;
    int order = len == 0 ? 0 : memcmp(a->key, b->key, len);
    return order != 0 ? order : (a->key_len > b->key_len) - (a->key_len < b->key_len);
}

static int compare_indirect(const void *a, const void *b)
{
    return compare_keys(*(const weir_member *const *)a, *(const weir_member *const *)b);
}

bool text_has_key_twice(const weir_value *map, uint32_t *ret_index)
{
    if (map->len < 2) {
        return false;
    }
    const weir_member **sorted = memory_alloc(map->len * sizeof *sorted);
    if (sorted == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < map->len; i++) {
        sorted[i] = &map->as.members[i];
    }
    qsort(sorted, map->len, sizeof *sorted, compare_indirect);
    bool is_twice = false;
    for (uint32_t i = 1; i < map->len && !is_twice; i++) {
        if (compare_keys(sorted[i - 1], sorted[i]) == 0) {
            const weir_member *later = sorted[i] > sorted[i - 1] ? sorted[i] : sorted[i - 1];
            *ret_index = (uint32_t)(later - map->as.members);
            is_twice = true;
        }
    }
    memory_free(sorted);
    return is_twice;
}

/* ---- sources ----------------------------------------------------------------------------------- */

static bool says(yyjson_val *json, const weir_value *v);

static bool says_number(yyjson_val *json, const weir_value *v)
{
    weir_value text = { .tag = WEIR_NUMBER, .len = (uint32_t)yyjson_get_len(json) };
    text.as.text = yyjson_get_raw(json);
    weir_value number;
    return text.as.text != NULL && value_number(&text, &number) && value_equal(&number, v);
}

static bool says_text(yyjson_val *json, const weir_value *v)
{
    return yyjson_is_str(json) &&
           weir_same_bytes(yyjson_get_str(json), (uint32_t)yyjson_get_len(json), v->as.text,
                           v->len);
}

static bool says_list(yyjson_val *json, const weir_value *v)
{
    if (!yyjson_is_arr(json) || yyjson_arr_size(json) != v->len) {
        return false;
    }
    size_t i;
    size_t count;
    yyjson_val *item;
    yyjson_arr_foreach(json, i, count, item)
    {
        if (!says(item, &v->as.items[i])) {
            return false;
        }
    }
    return true;
}

/* Of a key that the text has twice the map holds one: the text may be longer than the map. */
static bool says_map(yyjson_val *json, const weir_value *v)
{
    if (!yyjson_is_obj(json) || yyjson_obj_size(json) < v->len) {
        return false;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        const weir_member *member = &v->as.members[i];
        size_t at;
        size_t count;
        yyjson_val *key;
        yyjson_val *value;
        bool is_found = false;
        yyjson_obj_foreach(json, at, count, key, value)
        {
            is_found =
                is_found || (weir_same_bytes(yyjson_get_str(key), (uint32_t)yyjson_get_len(key),
                                             member->key, member->key_len) &&
                             says(value, &member->value));
        }
        if (!is_found) {
            return false;
        }
    }
    return true;
}

static bool says(yyjson_val *json, const weir_value *v)
{
    switch (v->tag) {
    case WEIR_NULL:
        return yyjson_is_null(json);
    case WEIR_BOOL:
        return yyjson_is_bool(json) && yyjson_get_bool(json) == (v->as.i64 != 0);
    case WEIR_INT:
    case WEIR_FLOAT:
    case WEIR_NUMBER:
        return says_number(json, v);
    case WEIR_TEXT:
        return says_text(json, v);
    case WEIR_LIST:
        return says_list(json, v);
    case WEIR_MAP:
        return says_map(json, v);
    default:
        return false;
    }
}

bool text_is_source_of(const weir_value *v)
{
    weir_slice source = weir_value_source(v);
    if (source.data == NULL || source.size == 0) {
        return false;
    }
    yyjson_doc *document =
        yyjson_read((const char *)source.data, source.size, YYJSON_READ_NUMBER_AS_RAW);
    bool is_source = document != NULL && says(yyjson_doc_get_root(document), v);
    yyjson_doc_free(document);
    return is_source;
}
