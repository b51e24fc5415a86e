/* SPDX-License-Identifier: MIT */
/*
 * Dead letters. Bytes are texts where they are UTF-8, else {"$bytes": "<base64>"} as in a record line:
 * what a person can read stays readable, and nothing is lost.
 */
#include "base/utf8.h"
#include "value/base64.h"
#include "value/letter_parts.h"
#include "value/value.h"

enum { TIME_DIGITS = 3 };

void *maker_take(struct maker *m, size_t size)
{
    void *memory = m->has_memory ? arena_alloc(m->arena, size) : NULL;
    m->has_memory = memory != NULL;
    return memory;
}

weir_value maker_finish(struct maker *m, const struct draft *draft)
{
    size_t size = draft->count * sizeof draft->members[0];
    weir_member *members = maker_take(m, size);
    if (members == NULL) {
        return weir_null();
    }
    memcpy(members, draft->members, size);
    return weir_map_value(members, draft->count);
}

/* As much of a text as is UTF-8; NULL is null. */
static weir_value text(struct maker *m, const char *from, size_t len)
{
    if (from == NULL) {
        return weir_null();
    }
    size_t valid = utf8_valid_prefix(from, len);
    char *copy = maker_take(m, valid + 1);
    if (copy == NULL) {
        return weir_null();
    }
    memcpy(copy, from, valid);
    return weir_text_value(copy, (uint32_t)valid);
}

static weir_value c_text(struct maker *m, const char *from)
{
    return text(m, from, from != NULL ? strlen(from) : 0);
}

static weir_value tagged(struct maker *m, const char *bytes, size_t size)
{
    struct draft draft = { .count = 0 };
    size_t len = base64_length(size);
    char *letters = len <= UINT32_MAX ? maker_take(m, len + 1) : NULL;
    if (letters == NULL) {
        m->has_memory = false;
        return weir_null();
    }
    base64_encode(bytes, size, letters);
    draft_put(&draft, "$bytes", weir_text_value(letters, (uint32_t)len));
    return maker_finish(m, &draft);
}

/* Bytes or null as a text, as tagged bytes, as null. */
static weir_value payload(struct maker *m, const weir_value *bytes)
{
    if (bytes->tag == WEIR_NULL) {
        return weir_null();
    }
    bool is_text = utf8_valid_prefix(bytes->as.text, bytes->len) == bytes->len;
    return is_text ? text(m, bytes->as.text, bytes->len) : tagged(m, bytes->as.text, bytes->len);
}

static weir_value headers(struct maker *m, const weir_member *from, uint32_t count)
{
    weir_value *pairs = maker_take(m, (count + 1u) * sizeof *pairs);
    for (uint32_t i = 0; pairs != NULL && i < count; i++) {
        weir_value *pair = maker_take(m, 2 * sizeof *pair);
        if (pair == NULL) {
            return weir_null();
        }
        pair[0] = text(m, from[i].key, from[i].key_len);
        pair[1] = payload(m, &from[i].value);
        pairs[i] = weir_list_value(pair, 2);
    }
    return pairs != NULL ? weir_list_value(pairs, count) : weir_null();
}

/* The copied value with its bytes tagged, in place: the copy is nobody else's yet. */
static void tag_bytes(struct maker *m, weir_value *v, unsigned levels)
{
    if (v->tag == WEIR_BYTES) {
        *v = tagged(m, v->as.text, v->len);
    } else if (v->tag == WEIR_LIST && levels > 0) {
        weir_value *items = (weir_value *)(uintptr_t)v->as.items;
        for (uint32_t i = 0; i < v->len; i++) {
            tag_bytes(m, &items[i], levels - 1);
        }
    } else if (v->tag == WEIR_MAP && levels > 0) {
        weir_member *members = (weir_member *)(uintptr_t)v->as.members;
        for (uint32_t i = 0; i < v->len; i++) {
            tag_bytes(m, &members[i].value, levels - 1);
        }
    }
}

static weir_value any(struct maker *m, const weir_value *v)
{
    weir_value made = weir_null();
    if (!m->has_memory || !value_copy(m->arena, v, &made)) {
        m->has_memory = false;
        return weir_null();
    }
    tag_bytes(m, &made, VALUE_DEPTH_LIMIT);
    return made;
}

static weir_value make_error(struct maker *m, const struct letter *letter)
{
    struct draft draft = { .count = 0 };
    draft_put(&draft, "class", c_text(m, letter->error_class));
    draft_put(&draft, "message", c_text(m, letter->error));
    draft_put(&draft, "hint", c_text(m, letter->hint));
    return maker_finish(m, &draft);
}

static weir_value make_message(struct maker *m, const struct letter_message *message)
{
    struct draft draft = { .count = 0 };
    bool is_of_log = message->topic != NULL;
    draft_put(&draft, "topic", text(m, message->topic, message->topic_len));
    draft_put(&draft, "partition", is_of_log ? weir_int(message->partition) : weir_null());
    draft_put(&draft, "offset", is_of_log ? weir_int(message->offset) : weir_null());
    draft_put(&draft, "timestamp", is_of_log ? weir_int(message->timestamp) : weir_null());
    draft_put(&draft, "key", payload(m, &message->key));
    draft_put(&draft, "value", payload(m, &message->value));
    draft_put(&draft, "headers", headers(m, message->headers, message->header_count));
    return maker_finish(m, &draft);
}

/* The members of a record line: what it would leave out is left out. */
static weir_value make_record(struct maker *m, const struct record_line *line)
{
    struct draft draft = { .count = 0 };
    if (line == NULL) {
        return weir_null();
    }
    const weir_record *record = &line->record;
    if (line->topic_len > 0) {
        draft_put(&draft, "topic", text(m, line->topic, line->topic_len));
    }
    if (line->partition >= 0) {
        draft_put(&draft, "partition", weir_int(line->partition));
    }
    if (record->offset >= 0) {
        draft_put(&draft, "offset", weir_int(record->offset));
    }
    if (record->timestamp != WEIR_NO_TIMESTAMP) {
        draft_put(&draft, "timestamp", weir_int(record->timestamp));
    }
    draft_put(&draft, "key", any(m, &record->key));
    draft_put(&draft, "value", any(m, &record->value));
    if (record->header_count > 0) {
        draft_put(&draft, "headers", headers(m, record->headers, record->header_count));
    }
    return maker_finish(m, &draft);
}

bool letter_make_message(struct arena *arena, const struct letter_message *message, weir_value *ret)
{
    struct maker m = { arena, true };
    *ret = make_message(&m, message);
    return m.has_memory;
}

/* What was left out from the beginning. */
static weir_value make_cut(struct maker *m, const struct letter *letter)
{
    struct draft draft = { .count = 0 };
    if (letter->is_without_record) {
        draft_put(&draft, "record", weir_bool(true));
    }
    if (letter->whole_value != 0) {
        bool is_known = letter->whole_value <= INT64_MAX;
        draft_put(&draft, "value",
                  is_known ? weir_int((int64_t)letter->whole_value) : weir_bool(true));
    }
    return draft.count > 0 ? maker_finish(m, &draft) : weir_null();
}

bool letter_make(struct arena *arena, const struct letter *letter, weir_value *ret)
{
    struct maker m = { arena, true };
    struct draft draft = { .count = 0 };
    weir_value time = { .tag = WEIR_TIMESTAMP, .aux = TIME_DIGITS, .as.i64 = letter->time_ms };
    draft_put(&draft, "time", time);
    draft_put(&draft, "error", make_error(&m, letter));
    draft_put(&draft, "place", c_text(&m, letter->place));
    draft_put(&draft, "stream", c_text(&m, letter->stream));
    draft_put(&draft, "step", c_text(&m, letter->step));
    draft_put(&draft, "message", letter->message != NULL ? *letter->message : weir_null());
    draft_put(&draft, "record", make_record(&m, letter->record));
    draft_put(&draft, "cut", make_cut(&m, letter));
    *ret = maker_finish(&m, &draft);
    return m.has_memory;
}

const weir_value *letter_find(const weir_value *map, const char *name)
{
    uint32_t len = (uint32_t)strlen(name);
    for (uint32_t i = 0; map->tag == WEIR_MAP && i < map->len; i++) {
        if (weir_same_bytes(map->as.members[i].key, map->as.members[i].key_len, name, len)) {
            return &map->as.members[i].value;
        }
    }
    return NULL;
}

const weir_value *letter_base64(const weir_value *v)
{
    const weir_value *inner = v->tag == WEIR_MAP && v->len == 1 ? letter_find(v, "$bytes") : NULL;
    return inner != NULL && inner->tag == WEIR_TEXT ? inner : NULL;
}
