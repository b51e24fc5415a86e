/* SPDX-License-Identifier: MIT */
#include "plugin/debug/judge.h"

#include <inttypes.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include "plugin/debug/guard.h"
#include "plugin/debug/judge_text.h"
#include "value/value.h"

enum { PLACE_ROOM = 200, LONGEST_KEY = 40 };

/* A way down into a value: the steps from the innermost one up. */
struct way {
    const struct way *up;
    const weir_member *member; /* NULL: an item */
    uint32_t index;
    uint32_t depth;
};

struct judging {
    struct visit *visit;
    const struct judge_place *place;
};

/* ---- places ------------------------------------------------------------------------------------ */

static size_t write_way(const struct way *way, char *room, size_t size)
{
    if (way == NULL || size == 0) {
        return 0;
    }
    size_t at = write_way(way->up, room, size);
    const weir_member *member = way->member;
    bool is_shown = member != NULL && text_is_plain(member->key, member->key_len);
    int len = is_shown ? (int)(member->key_len > LONGEST_KEY ? LONGEST_KEY : member->key_len) : 0;
    int made = is_shown ? snprintf(room + at, size - at, ".%.*s", len, member->key)
                        : snprintf(room + at, size - at, "[%" PRIu32 "]", way->index);
    at += made > 0 ? (size_t)made : 0;
    return at < size ? at : size - 1;
}

static bool broken(const struct judging *judging, const struct way *way, enum rule_id rule,
                   const char *what)
{
    char path[PLACE_ROOM] = "";
    const struct judge_place *place = judging->place;
    write_way(way, path, sizeof path);
    visit_breach(judging->visit, rule, "%s (%s%s%s%s)", what, place->what,
                 place->part != NULL ? ", " : "", place->part != NULL ? place->part : "", path);
    return false;
}

/* ---- addresses --------------------------------------------------------------------------------- */

static bool is_on_stack(const void *address)
{
    static _Thread_local const uint8_t *low;
    static _Thread_local const uint8_t *high;
    if (high == NULL) {
        pthread_attr_t attributes;
        void *stack = NULL;
        size_t size = 0;
        if (pthread_getattr_np(pthread_self(), &attributes) != 0) {
            return false;
        }
        pthread_attr_getstack(&attributes, &stack, &size);
        pthread_attr_destroy(&attributes);
        low = stack;
        high = low + size;
    }
    return (const uint8_t *)address >= low && (const uint8_t *)address < high;
}

static bool is_lent(const struct visit *visit, const void *address)
{
    for (; visit != NULL; visit = visit->outer) {
        if (lent_memory_holds(&visit->memory, address) || region_holds(visit->input, address) ||
            (visit->who->guard != NULL && guard_holds(visit->who->guard, address))) {
            return true;
        }
    }
    return false;
}

/* Memory of the plugin's own, static or from the heap, cannot be judged. */
static bool judge_address(const struct judging *judging, const struct way *way, const void *address,
                          uint32_t len)
{
    if (len == 0) {
        return true;
    }
    if (address == NULL) {
        return broken(judging, way, RULE_POINTER, "gave a NULL pointer with a length");
    }
    if (is_on_stack(address)) {
        return broken(judging, way, RULE_LIFETIME, "gave a pointer to its stack");
    }
    if (region_is_ours(address) && !is_lent(judging->visit, address)) {
        return broken(judging, way, RULE_LIFETIME, "gave a pointer to memory that is gone");
    }
    return true;
}

/* ---- values ------------------------------------------------------------------------------------ */

static bool judge_deep(const struct judging *judging, const struct way *way, const weir_value *v);

static bool judge_flags(const struct judging *judging, const struct way *way, const weir_value *v)
{
    uint8_t allowed = 0;
    if (v->tag == WEIR_TEXT) {
        allowed = WEIR_VALUE_PLAIN | WEIR_VALUE_SOURCE;
    } else if (v->tag == WEIR_LIST || v->tag == WEIR_MAP) {
        allowed = WEIR_VALUE_SOURCE;
    }
    if ((v->flags & ~allowed) != 0) {
        return broken(judging, way, RULE_FLAGS,
                      "gave a flag that this kind of value does not have");
    }
    if (v->tag != WEIR_TIMESTAMP && v->aux != 0) {
        return broken(judging, way, RULE_TIME_DIGITS, "gave an aux in a value that has none");
    }
    return true;
}

static bool judge_source(const struct judging *judging, const struct way *way, const weir_value *v)
{
    if ((v->flags & WEIR_VALUE_SOURCE) != 0 && !text_is_source_of(v)) {
        return broken(judging, way, RULE_SOURCE, "gave a value with a source that says another");
    }
    return true;
}

static bool judge_text(const struct judging *judging, const struct way *way, const weir_value *v)
{
    if (!judge_address(judging, way, v->as.text, v->len)) {
        return false;
    }
    if (v->tag == WEIR_TEXT && !text_is_utf8(v->as.text, v->len)) {
        return broken(judging, way, RULE_TEXT, "gave a text that is not valid UTF-8");
    }
    if ((v->flags & WEIR_VALUE_PLAIN) != 0 && !text_is_plain(v->as.text, v->len)) {
        return broken(judging, way, RULE_PLAIN, "gave a text marked plain that is not");
    }
    if (v->tag == WEIR_NUMBER && !text_is_number(v->as.text, v->len)) {
        return broken(judging, way, RULE_NUMBER, "gave a number that is none");
    }
    return true;
}

static bool judge_list(const struct judging *judging, const struct way *way, const weir_value *v)
{
    if (!judge_address(judging, way, v->as.items, v->len)) {
        return false;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        struct way item = { way, NULL, i, way == NULL ? 1 : way->depth + 1 };
        if (!judge_deep(judging, &item, &v->as.items[i])) {
            return false;
        }
    }
    return true;
}

static bool judge_symbol(const struct judging *judging, const struct way *way,
                         const weir_member *member)
{
    const struct symbols *symbols = judging->visit->who->symbols;
    if (member->symbol == WEIR_SYMBOL_PLAIN && !text_is_plain(member->key, member->key_len)) {
        return broken(judging, way, RULE_SYMBOL, "gave a key marked plain that is not");
    }
    if (member->symbol == WEIR_SYMBOL_NONE || symbols == NULL) {
        return true;
    }
    uint32_t known = symbols_lookup(symbols, member->key, member->key_len);
    if (member->symbol == WEIR_SYMBOL_PLAIN && known != WEIR_SYMBOL_NONE) {
        return broken(judging, way, RULE_SYMBOL, "gave an interned key the symbol of none");
    }
    if (member->symbol >= WEIR_SYMBOL_FIRST && known != member->symbol) {
        return broken(judging, way, RULE_SYMBOL, "gave a key the symbol of another");
    }
    return true;
}

static bool judge_member(const struct judging *judging, const struct way *way,
                         const weir_member *member)
{
    struct way without = *way;
    without.member = NULL; /* the key cannot be shown before it is judged */
    if (!judge_address(judging, &without, member->key, member->key_len)) {
        return false;
    }
    if (!text_is_utf8(member->key, member->key_len)) {
        return broken(judging, &without, RULE_TEXT, "gave a key that is not valid UTF-8");
    }
    return judge_symbol(judging, way, member) && judge_deep(judging, way, &member->value);
}

static bool judge_map(const struct judging *judging, const struct way *way, const weir_value *v)
{
    if (!judge_address(judging, way, v->as.members, v->len)) {
        return false;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        struct way member = { way, &v->as.members[i], i, way == NULL ? 1 : way->depth + 1 };
        if (!judge_member(judging, &member, &v->as.members[i])) {
            return false;
        }
    }
    uint32_t twice = 0;
    if (text_has_key_twice(v, &twice)) {
        struct way member = { way, &v->as.members[twice], twice, 0 };
        return broken(judging, &member, RULE_KEY_ONCE, "gave a map with a key twice");
    }
    return true;
}

static bool judge_scalar(const struct judging *judging, const struct way *way, const weir_value *v)
{
    switch (v->tag) {
    case WEIR_NULL:
        return v->as.bits == 0 || broken(judging, way, RULE_NULL, "gave a null with bits set");
    case WEIR_BOOL:
        return v->as.bits <= 1 || broken(judging, way, RULE_BOOL, "gave a bool of 2 or more");
    case WEIR_TIMESTAMP:
        return v->aux == 0 || v->aux == 3 || v->aux == 6 || v->aux == 9 ||
               broken(judging, way, RULE_TIME_DIGITS, "gave a timestamp of other digits");
    case WEIR_INT:
    case WEIR_FLOAT:
        return true;
    case WEIR_TAG_MISSING:
    case WEIR_TAG_ERROR:
        return broken(judging, way, RULE_INNER_TAG, "gave the result of a failed expression");
    default:
        return broken(judging, way, RULE_TAG, "made a value of an unknown tag");
    }
}

static bool judge_deep(const struct judging *judging, const struct way *way, const weir_value *v)
{
    if (way != NULL && way->depth > VALUE_DEPTH_LIMIT) {
        return broken(judging, NULL, RULE_DEPTH, "gave a value that is nested deeper than that");
    }
    bool is_container = v->tag == WEIR_LIST || v->tag == WEIR_MAP;
    bool is_text = v->tag == WEIR_TEXT || v->tag == WEIR_BYTES || v->tag == WEIR_NUMBER;
    if ((is_container || is_text) && !judge_flags(judging, way, v)) {
        return false;
    }
    if (is_text) {
        return judge_text(judging, way, v) && judge_source(judging, way, v);
    }
    if (is_container) {
        bool is_right =
            v->tag == WEIR_LIST ? judge_list(judging, way, v) : judge_map(judging, way, v);
        return is_right && judge_source(judging, way, v);
    }
    return judge_scalar(judging, way, v) && judge_flags(judging, way, v);
}

bool judge_value(struct visit *visit, const struct judge_place *place, const weir_value *v)
{
    struct judging judging = { visit, place };
    return judge_deep(&judging, NULL, v);
}
