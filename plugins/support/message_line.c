/* SPDX-License-Identifier: MIT */
#include "support/message_line.h"

#include <stdbool.h>
#include <string.h>

#include "support/base64.h"
#include "support/code_point.h"
#include "support/kind.h"

#define BYTES_KEY "$bytes"

__attribute__((format(printf, 2, 3))) static weir_status fail(struct message_fault *fault,
                                                              const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(fault->message, sizeof fault->message, format, args);
    va_end(args);
    return WEIR_E_DATA;
}

/* ---- writing ----------------------------------------------------------------------------------- */

struct writer {
    const weir_values_api *values;
    weir_buffer *out;
    const char *fault;
};

static weir_status put(struct writer *w, const char *text)
{
    return weir_buffer_append(w->out, text, strlen(text));
}

static weir_status put_value(struct writer *w, const char *name, const weir_value *v)
{
    weir_status st = put(w, name);
    return st != WEIR_OK ? st
                         : w->values->write_json(v, WEIR_JSON_BYTES_TAGGED, 0, w->out, &w->fault);
}

static weir_status put_int(struct writer *w, const char *name, int64_t i)
{
    char text[64];
    snprintf(text, sizeof text, "%s%lld", name, (long long)i);
    return put(w, text);
}

/* Bytes that are UTF-8 stand as text. */
static weir_value header_value(const weir_value *v)
{
    bool is_text = v->tag == WEIR_BYTES && code_point_valid_prefix(v->as.text, v->len) == v->len;
    return is_text ? weir_text_value(v->as.text, v->len) : *v;
}

static weir_status put_headers(struct writer *w, const weir_record *record)
{
    for (uint32_t i = 0; i < record->header_count; i++) {
        const weir_member *header = &record->headers[i];
        weir_value name = weir_text_value(header->key, header->key_len);
        weir_value value = header_value(&header->value);
        weir_status st = put_value(w, i == 0 ? ",\"headers\":[[" : "],[", &name);
        if (st == WEIR_OK) {
            st = put_value(w, ",", &value);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
    return record->header_count > 0 ? put(w, "]]") : WEIR_OK;
}

static weir_status put_place(struct writer *w, const weir_record *record, const weir_origin *origin)
{
    weir_value topic = weir_text_value(origin->topic, origin->topic_len);
    weir_status st = put_value(w, "{\"topic\":", &topic);
    if (st == WEIR_OK) {
        st = put_int(w, ",\"partition\":", origin->partition);
    }
    if (st == WEIR_OK && record->offset >= 0) {
        st = put_int(w, ",\"offset\":", record->offset);
    }
    if (st == WEIR_OK && record->timestamp != WEIR_NO_TIMESTAMP) {
        st = put_int(w, ",\"timestamp\":", record->timestamp);
    }
    return st;
}

weir_status message_line_write(const weir_values_api *values, const weir_record *record,
                               const weir_origin *origin, weir_buffer *out,
                               struct message_fault *ret_fault)
{
    struct writer w = { values, out, "it has no form in JSON" };
    uint64_t begin = out->size;
    weir_status st = put_place(&w, record, origin);
    if (st == WEIR_OK) {
        st = put_value(&w, ",\"key\":", &record->key);
    }
    if (st == WEIR_OK) {
        st = put_value(&w, ",\"value\":", &record->value);
    }
    if (st == WEIR_OK) {
        st = put_headers(&w, record);
    }
    if (st == WEIR_OK) {
        st = put(&w, "}");
    }
    if (st != WEIR_OK) {
        out->size = begin;
    }
    return st == WEIR_E_DATA ? fail(ret_fault, "%s", w.fault) : st;
}

/* ---- reading: bytes ---------------------------------------------------------------------------- */

struct reader {
    weir_context *ctx;
    const weir_values_api *values;
    bool has_bytes; /* somewhere in the line a "$bytes" may stand */
    weir_record *record;
    struct message_fault *fault;
};

/* Without the key's name, written plainly or with escapes, nothing needs to be looked at. */
static bool may_have_bytes(weir_slice source)
{
    return memchr(source.data, '\\', source.size) != NULL ||
           memmem(source.data, source.size, BYTES_KEY, sizeof BYTES_KEY - 1) != NULL;
}

static weir_status untag(const struct reader *r, weir_value *v);

static weir_status read_bytes(const struct reader *r, weir_value *v)
{
    const weir_value *text = &v->as.members[0].value;
    if (text->tag != WEIR_TEXT) {
        return fail(r->fault, "'$bytes' is %s, not text in base64", kind_name(text));
    }
    uint8_t *room = weir_alloc(r->ctx, base64_room(text->len));
    size_t size;
    if (room == NULL) {
        return WEIR_E_NOMEM;
    }
    if (!base64_read(text->as.text, text->len, room, &size)) {
        return fail(r->fault, "the text of '$bytes' is not base64");
    }
    *v = weir_bytes_value(room, (uint32_t)size);
    return WEIR_OK;
}

static weir_status untag_members(const struct reader *r, weir_value *v)
{
    weir_member *made = NULL;
    for (uint32_t i = 0; i < v->len; i++) {
        weir_value value = v->as.members[i].value;
        weir_status st = untag(r, &value);
        if (st != WEIR_OK) {
            return st;
        }
        if (value.as.bits == v->as.members[i].value.as.bits) {
            continue;
        }
        if (made == NULL) {
            made = weir_alloc(r->ctx, v->len * sizeof *made);
            if (made == NULL) {
                return WEIR_E_NOMEM;
            }
            memcpy(made, v->as.members, v->len * sizeof *made);
        }
        made[i].value = value;
    }
    if (made != NULL) {
        *v = weir_map_value(made, v->len);
    }
    return WEIR_OK;
}

static weir_status untag_items(const struct reader *r, weir_value *v)
{
    weir_value *made = NULL;
    for (uint32_t i = 0; i < v->len; i++) {
        weir_value value = v->as.items[i];
        weir_status st = untag(r, &value);
        if (st != WEIR_OK) {
            return st;
        }
        if (value.as.bits == v->as.items[i].as.bits) {
            continue;
        }
        if (made == NULL) {
            made = weir_alloc(r->ctx, v->len * sizeof *made);
            if (made == NULL) {
                return WEIR_E_NOMEM;
            }
            memcpy(made, v->as.items, v->len * sizeof *made);
        }
        made[i] = value;
    }
    if (made != NULL) {
        *v = weir_list_value(made, v->len);
    }
    return WEIR_OK;
}

/*
 * Replaces every {"$bytes": ...} in the value; what holds one is made anew. Recursion is bounded by
 * the decoder's depth.
 */
static weir_status untag(const struct reader *r, weir_value *v)
{
    if (!r->has_bytes || v->len == 0) {
        return WEIR_OK;
    }
    if (v->tag == WEIR_LIST) {
        return untag_items(r, v);
    }
    if (v->tag != WEIR_MAP) {
        return WEIR_OK;
    }
    const weir_member *first = &v->as.members[0];
    bool is_bytes =
        v->len == 1 && weir_same_bytes(first->key, first->key_len, BYTES_KEY, sizeof BYTES_KEY - 1);
    return is_bytes ? read_bytes(r, v) : untag_members(r, v);
}

/* ---- reading: members -------------------------------------------------------------------------- */

static weir_status read_int(const struct reader *r, const char *name, const weir_value *v,
                            int64_t *ret)
{
    weir_value number;
    if (v->tag == WEIR_BOOL || r->values->number(v, &number) != WEIR_OK || number.tag != WEIR_INT) {
        return fail(r->fault, "'%s' is %s, not an int of 64 bits", name, kind_name(v));
    }
    *ret = number.as.i64;
    return WEIR_OK;
}

static weir_status read_topic(const struct reader *r, const weir_value *v)
{
    return v->tag == WEIR_TEXT ? WEIR_OK : fail(r->fault, "'topic' is %s, not text", kind_name(v));
}

static weir_status read_partition(const struct reader *r, const weir_value *v)
{
    int64_t partition;
    return read_int(r, "partition", v, &partition);
}

static weir_status read_offset(const struct reader *r, const weir_value *v)
{
    return read_int(r, "offset", v, &r->record->offset);
}

static weir_status read_timestamp(const struct reader *r, const weir_value *v)
{
    return read_int(r, "timestamp", v, &r->record->timestamp);
}

static weir_status read_key(const struct reader *r, const weir_value *v)
{
    r->record->key = *v;
    return untag(r, &r->record->key);
}

static weir_status read_value(const struct reader *r, const weir_value *v)
{
    r->record->value = *v;
    return untag(r, &r->record->value);
}

static weir_status read_header(const struct reader *r, const weir_value *pair, weir_member *ret)
{
    if (pair->tag != WEIR_LIST || pair->len != 2 || pair->as.items[0].tag != WEIR_TEXT) {
        return fail(r->fault, "a header is no list of a name and a value");
    }
    const weir_value *name = &pair->as.items[0];
    weir_value value = pair->as.items[1];
    weir_status st = untag(r, &value);
    if (st != WEIR_OK) {
        return st;
    }
    if (value.tag == WEIR_TEXT) {
        value = weir_bytes_value(value.as.text, value.len);
    }
    if (value.tag != WEIR_BYTES && value.tag != WEIR_NULL) {
        return fail(r->fault, "header '%.*s' is %s, not text, bytes or null",
                    kind_excerpt(name->as.text, name->len, 64), name->as.text, kind_name(&value));
    }
    ret->symbol = WEIR_SYMBOL_NONE;
    ret->key = name->as.text;
    ret->key_len = name->len;
    ret->value = value;
    return WEIR_OK;
}

static weir_status read_headers(const struct reader *r, const weir_value *v)
{
    if (v->tag != WEIR_LIST) {
        return fail(r->fault, "'headers' is %s, not a list", kind_name(v));
    }
    weir_member *headers = weir_alloc(r->ctx, v->len * sizeof *headers);
    if (headers == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        weir_status st = read_header(r, &v->as.items[i], &headers[i]);
        if (st != WEIR_OK) {
            return st;
        }
    }
    r->record->headers = headers;
    r->record->header_count = v->len;
    return WEIR_OK;
}

static weir_status read_member(const struct reader *r, const weir_member *m, bool *has_value)
{
    static const struct {
        const char *name;
        weir_status (*read)(const struct reader *r, const weir_value *v);
    } members[] = {
        { "topic", read_topic },     { "partition", read_partition },
        { "offset", read_offset },   { "timestamp", read_timestamp },
        { "key", read_key },         { "value", read_value },
        { "headers", read_headers },
    };
    for (size_t i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (weir_same_bytes(m->key, m->key_len, members[i].name,
                            (uint32_t)strlen(members[i].name))) {
            *has_value |= members[i].read == read_value;
            return members[i].read(r, &m->value);
        }
    }
    return fail(r->fault,
                "a record line has no member '%.*s'; it has topic, partition, offset, timestamp, "
                "key, value, headers",
                kind_excerpt(m->key, m->key_len, 64), m->key);
}

weir_status message_line_read(weir_context *ctx, const weir_values_api *values,
                              const weir_value *object, weir_slice source, weir_record *ret_record,
                              struct message_fault *ret_fault)
{
    if (object->tag != WEIR_MAP) {
        return fail(ret_fault, "a record line is a JSON object, this is %s", kind_name(object));
    }
    weir_record record = { .timestamp = WEIR_NO_TIMESTAMP, .offset = WEIR_NO_OFFSET };
    struct reader r = { ctx, values, may_have_bytes(source), &record, ret_fault };
    bool has_value = false;
    for (uint32_t i = 0; i < object->len; i++) {
        weir_status st = read_member(&r, &object->as.members[i], &has_value);
        if (st != WEIR_OK) {
            return st;
        }
    }
    if (!has_value) {
        return fail(ret_fault, "the record line has no member 'value'");
    }
    *ret_record = record;
    return WEIR_OK;
}
