/* SPDX-License-Identifier: MIT */
/*
 * The record line: one JSON object a message.
 *
 * Bytes stand there as {"$bytes": "<base64>"}, also deep inside key and value. What is read is only
 * rebuilt where such a map is found; everything else stays in the decoder's memory.
 */
#include "value/record_line.h"

#include <string.h>

#include "base/arena.h"
#include "base/buffer.h"
#include "base/nearest.h"
#include "base/utf8.h"
#include "value/base64.h"
#include "value/json.h"
#include "value/number.h"
#include "value/value.h"

/* Deeper than any decoder lets in. */
enum { LINE_DEPTH = 1000 };

/* ---- writing ----------------------------------------------------------------------------------- */

/* `,"name":`, with the brace instead of the comma in front of the first member. */
static weir_status write_name(weir_buffer *out, uint64_t start, const char *name)
{
    weir_status st = buffer_text(out, out->size == start ? "{\"" : ",\"");
    st = st == WEIR_OK ? buffer_text(out, name) : st;
    return st == WEIR_OK ? buffer_text(out, "\":") : st;
}

static weir_status write_int(weir_buffer *out, uint64_t start, const char *name, int64_t number)
{
    char room[NUMBER_ROOM];
    weir_status st = write_name(out, start, name);
    return st == WEIR_OK ? weir_buffer_append(out, room, number_write_int(number, room)) : st;
}

static weir_status write_json(weir_buffer *out, const weir_value *v, const char **ret_fault)
{
    return json_write(v, WEIR_JSON_BYTES_TAGGED, LINE_DEPTH, out, ret_fault);
}

static weir_status write_value(weir_buffer *out, uint64_t start, const char *name,
                               const weir_value *v, const char **ret_fault)
{
    weir_status st = write_name(out, start, name);
    return st == WEIR_OK ? write_json(out, v, ret_fault) : st;
}

static weir_status write_header(weir_buffer *out, const weir_member *header, const char **ret_fault)
{
    weir_value value = header->value;
    if (value.tag == WEIR_BYTES && utf8_valid_prefix(value.as.text, value.len) == value.len) {
        value = weir_text_value(value.as.text, value.len);
    }
    weir_status st = buffer_text(out, "[");
    st = st == WEIR_OK ? json_write_text(header->key, header->key_len, out) : st;
    st = st == WEIR_OK ? buffer_text(out, ",") : st;
    st = st == WEIR_OK ? write_json(out, &value, ret_fault) : st;
    return st == WEIR_OK ? buffer_text(out, "]") : st;
}

weir_status record_line_headers(const weir_record *record, weir_buffer *out, const char **ret_fault)
{
    weir_status st = buffer_text(out, "[");
    for (uint32_t i = 0; st == WEIR_OK && i < record->header_count; i++) {
        st = i == 0 ? st : buffer_text(out, ",");
        st = st == WEIR_OK ? write_header(out, &record->headers[i], ret_fault) : st;
    }
    return st == WEIR_OK ? buffer_text(out, "]") : st;
}

static weir_status write_line(const struct record_line *line, weir_buffer *out,
                              const char **ret_fault)
{
    const weir_record *record = &line->record;
    uint64_t start = out->size;
    weir_status st = WEIR_OK;
    if (line->topic_len > 0) {
        weir_value topic = weir_text_value(line->topic, line->topic_len);
        st = write_value(out, start, "topic", &topic, ret_fault);
    }
    if (st == WEIR_OK && line->partition >= 0) {
        st = write_int(out, start, "partition", line->partition);
    }
    if (st == WEIR_OK && record->offset >= 0) {
        st = write_int(out, start, "offset", record->offset);
    }
    if (st == WEIR_OK && record->timestamp != WEIR_NO_TIMESTAMP) {
        st = write_int(out, start, "timestamp", record->timestamp);
    }
    st = st == WEIR_OK ? write_value(out, start, "key", &record->key, ret_fault) : st;
    st = st == WEIR_OK ? write_value(out, start, "value", &record->value, ret_fault) : st;
    if (st == WEIR_OK && record->header_count > 0) {
        st = write_name(out, start, "headers");
        st = st == WEIR_OK ? record_line_headers(record, out, ret_fault) : st;
    }
    return st == WEIR_OK ? buffer_text(out, "}") : st;
}

weir_status record_line_write(const struct record_line *line, weir_buffer *out, struct error *error)
{
    const char *fault = NULL;
    uint64_t start = out->size;
    weir_status st = write_line(line, out, &fault);
    if (st == WEIR_OK) {
        return WEIR_OK;
    }
    out->size = start;
    if (st == WEIR_E_NOMEM) {
        return error_no_memory(error);
    }
    if (st == WEIR_E_LIMIT) {
        return error_set(error, st, WEIR_CLASS_DATA, "the record line is longer than %llu bytes",
                         (unsigned long long)out->limit);
    }
    return error_set(error, st, WEIR_CLASS_DATA, "cannot write the record as a line: %s",
                     fault != NULL ? fault : "the buffer refuses it");
}

/* ---- bytes in what is read --------------------------------------------------------------------- */

struct reader {
    struct arena *arena;
    struct error *error;
};

static bool is_tagged_bytes(const weir_value *v)
{
    static const char key[] = "$bytes";
    return v->tag == WEIR_MAP && v->len == 1 && v->as.members[0].value.tag == WEIR_TEXT &&
           weir_same_bytes(v->as.members[0].key, v->as.members[0].key_len, key, sizeof key - 1);
}

static weir_status read_bytes(const struct reader *reader, const weir_value *v, weir_value *ret)
{
    const weir_value *text = &v->as.members[0].value;
    char *room = arena_alloc(reader->arena, (size_t)text->len / 4 * 3 + 1);
    size_t size = 0;
    if (room == NULL) {
        return error_no_memory(reader->error);
    }
    if (!base64_decode(text->as.text, text->len, room, &size)) {
        return error_set(reader->error, WEIR_E_DATA, WEIR_CLASS_DATA,
                         "the text of '$bytes' is not base64");
    }
    *ret = weir_bytes_value(room, (uint32_t)size);
    return WEIR_OK;
}

static void *copy_array(const struct reader *reader, const void *array, size_t size)
{
    void *copy = arena_alloc(reader->arena, size);
    if (copy == NULL) {
        (void)error_no_memory(reader->error);
        return NULL;
    }
    return memcpy(copy, array, size);
}

/* The value with its tagged bytes as bytes; the value itself where it holds none. */
static weir_status read_tagged(const struct reader *reader, const weir_value *v, unsigned levels,
                               weir_value *ret);

static bool was_rebuilt(const weir_value *from, const weir_value *to)
{
    return from->tag != to->tag || from->as.bits != to->as.bits;
}

static weir_status read_tagged_list(const struct reader *reader, const weir_value *v,
                                    unsigned levels, weir_value *ret)
{
    weir_value *items = NULL;
    for (uint32_t i = 0; i < v->len; i++) {
        weir_value item;
        weir_status st = read_tagged(reader, &v->as.items[i], levels, &item);
        if (st != WEIR_OK) {
            return st;
        }
        if (items == NULL && was_rebuilt(&v->as.items[i], &item)) {
            items = copy_array(reader, v->as.items, v->len * sizeof *items);
            if (items == NULL) {
                return WEIR_E_NOMEM;
            }
        }
        if (items != NULL) {
            items[i] = item;
        }
    }
    *ret = items == NULL ? *v : weir_list_value(items, v->len);
    return WEIR_OK;
}

static weir_status read_tagged_map(const struct reader *reader, const weir_value *v,
                                   unsigned levels, weir_value *ret)
{
    weir_member *members = NULL;
    for (uint32_t i = 0; i < v->len; i++) {
        weir_value item;
        weir_status st = read_tagged(reader, &v->as.members[i].value, levels, &item);
        if (st != WEIR_OK) {
            return st;
        }
        if (members == NULL && was_rebuilt(&v->as.members[i].value, &item)) {
            members = copy_array(reader, v->as.members, v->len * sizeof *members);
            if (members == NULL) {
                return WEIR_E_NOMEM;
            }
        }
        if (members != NULL) {
            members[i].value = item;
        }
    }
    *ret = members == NULL ? *v : weir_map_value(members, v->len);
    return WEIR_OK;
}

static weir_status read_tagged(const struct reader *reader, const weir_value *v, unsigned levels,
                               weir_value *ret)
{
    if (is_tagged_bytes(v)) {
        return read_bytes(reader, v, ret);
    }
    if (levels > 0 && v->tag == WEIR_LIST) {
        return read_tagged_list(reader, v, levels - 1, ret);
    }
    if (levels > 0 && v->tag == WEIR_MAP) {
        return read_tagged_map(reader, v, levels - 1, ret);
    }
    *ret = *v;
    return WEIR_OK;
}

/* ---- reading ----------------------------------------------------------------------------------- */

static weir_status wrong_member(const struct reader *reader, const char *name, const char *wanted,
                                const weir_value *v)
{
    return error_set(reader->error, WEIR_E_DATA, WEIR_CLASS_DATA,
                     "the member '%s' of the record line must be %s, not %s", name, wanted,
                     value_kind_name(v));
}

static weir_status read_int(const struct reader *reader, const char *name, const weir_value *v,
                            int64_t least, int64_t most, int64_t *ret)
{
    weir_value number;
    if (v->tag == WEIR_BOOL || !value_number(v, &number) || number.tag != WEIR_INT) {
        return wrong_member(reader, name, "an int", v);
    }
    if (number.as.i64 < least || number.as.i64 > most) {
        return error_set(reader->error, WEIR_E_DATA, WEIR_CLASS_DATA,
                         "the member '%s' of the record line is out of range: %lld", name,
                         (long long)number.as.i64);
    }
    *ret = number.as.i64;
    return WEIR_OK;
}

static weir_status read_topic(const struct reader *reader, const weir_value *v,
                              struct record_line *line)
{
    if (v->tag != WEIR_TEXT || v->len == 0) {
        return wrong_member(reader, "topic", "a name", v);
    }
    line->topic = v->as.text;
    line->topic_len = v->len;
    return WEIR_OK;
}

static weir_status read_header(const struct reader *reader, const weir_value *pair,
                               weir_member *header)
{
    if (pair->tag != WEIR_LIST || pair->len != 2 || pair->as.items[0].tag != WEIR_TEXT) {
        return wrong_member(reader, "headers", "a list of [name, text]", pair);
    }
    const weir_value *name = &pair->as.items[0];
    const weir_value *value = &pair->as.items[1];
    *header = (weir_member){ WEIR_SYMBOL_NONE, name->len, name->as.text, weir_null() };
    if (value->tag == WEIR_TEXT) {
        header->value = weir_bytes_value(value->as.text, value->len);
        return WEIR_OK;
    }
    if (is_tagged_bytes(value)) {
        return read_bytes(reader, value, &header->value);
    }
    return value->tag == WEIR_NULL
               ? WEIR_OK
               : wrong_member(reader, "headers", "a list of [name, text]", value);
}

static weir_status read_headers(const struct reader *reader, const weir_value *v,
                                struct record_line *line)
{
    if (v->tag != WEIR_LIST) {
        return wrong_member(reader, "headers", "a list", v);
    }
    weir_member *headers = arena_alloc(reader->arena, v->len * sizeof *headers);
    if (headers == NULL) {
        return error_no_memory(reader->error);
    }
    for (uint32_t i = 0; i < v->len; i++) {
        weir_status st = read_header(reader, &v->as.items[i], &headers[i]);
        if (st != WEIR_OK) {
            return st;
        }
    }
    line->record.headers = headers;
    line->record.header_count = v->len;
    return WEIR_OK;
}

enum line_member { TOPIC, PARTITION, OFFSET, TIMESTAMP, KEY, VALUE, HEADERS, UNKNOWN };
static const char *const member_names[UNKNOWN] = { "topic", "partition", "offset", "timestamp",
                                                   "key",   "value",     "headers" };

static enum line_member name_member(const weir_member *member)
{
    for (unsigned i = 0; i < UNKNOWN; i++) {
        if (weir_same_bytes(member->key, member->key_len, member_names[i],
                            (uint32_t)strlen(member_names[i]))) {
            return (enum line_member)i;
        }
    }
    return UNKNOWN;
}

static weir_status unknown_member(const struct reader *reader, const weir_member *member)
{
    struct nearest search;
    nearest_start(&search, member->key, member->key_len);
    for (unsigned i = 0; i < UNKNOWN; i++) {
        nearest_offer(&search, member_names[i]);
    }
    int shown = member->key_len > 100 ? 100 : (int)member->key_len;
    error_set(reader->error, WEIR_E_DATA, WEIR_CLASS_DATA, "a record line has no member '%.*s'",
              shown, member->key);
    const char *found = nearest_found(&search);
    if (found != NULL) {
        error_hint(reader->error, "did you mean '%s'?", found);
    } else {
        error_hint(reader->error,
                   "its members are topic, partition, offset, timestamp, key, value, headers");
    }
    return WEIR_E_DATA;
}

static weir_status read_member(const struct reader *reader, const weir_member *member,
                               struct record_line *line)
{
    weir_record *record = &line->record;
    const weir_value *v = &member->value;
    int64_t partition = 0;
    weir_status st;
    switch (name_member(member)) {
    case TOPIC:
        return read_topic(reader, v, line);
    case PARTITION:
        st = read_int(reader, "partition", v, 0, INT32_MAX, &partition);
        line->partition = (int32_t)partition;
        return st;
    case OFFSET:
        return read_int(reader, "offset", v, 0, INT64_MAX, &record->offset);
    case TIMESTAMP:
        return read_int(reader, "timestamp", v, WEIR_NO_TIMESTAMP + 1, INT64_MAX,
                        &record->timestamp);
    case KEY:
        return read_tagged(reader, v, VALUE_DEPTH_LIMIT, &record->key);
    case VALUE:
        return read_tagged(reader, v, VALUE_DEPTH_LIMIT, &record->value);
    case HEADERS:
        return read_headers(reader, v, line);
    default:
        return unknown_member(reader, member);
    }
}

weir_status record_line_read(const weir_value *object, struct arena *arena, struct record_line *ret,
                             struct error *error)
{
    struct reader reader = { arena, error };
    struct record_line line = {
        .partition = -1, .record = { .timestamp = WEIR_NO_TIMESTAMP, .offset = WEIR_NO_OFFSET }
    };
    bool has_value = false;
    if (object->tag != WEIR_MAP) {
        return error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
                         "a record line must be a JSON object, not %s", value_kind_name(object));
    }
    for (uint32_t i = 0; i < object->len; i++) {
        weir_status st = read_member(&reader, &object->as.members[i], &line);
        if (st != WEIR_OK) {
            return st;
        }
        has_value |= name_member(&object->as.members[i]) == VALUE;
    }
    if (!has_value) {
        error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA, "the record line has no member 'value'");
        error_hint(error, "a tombstone is written as \"value\": null");
        return WEIR_E_DATA;
    }
    *ret = line;
    return WEIR_OK;
}
