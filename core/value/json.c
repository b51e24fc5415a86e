/* SPDX-License-Identifier: MIT */
/*
 * The JSON writer of the engine; a hot path.
 *
 * The write position is handed from function to function and comes back, so that it stays in a
 * register. Every function is entered, and left, with SLACK bytes of room behind the position:
 * numbers and punctuation are written without looking. That asks for a little more room than the
 * text needs; where a buffer's limit refuses it, the value is written aside and then appended.
 *
 * A value's tag is looked at before its flags: a flag on a kind that cannot have it means nothing.
 *
 * Text without a flag is looked through anyway; whether it is UTF-8 is asked only where a byte of it is
 * not ASCII.
 */
#include "value/json.h"

#include <string.h>

#include "base/buffer.h"
#include "base/json_escape.h"
#include "base/units.h"
#include "base/utf8.h"
#include "value/base64.h"
#include "value/number.h"

enum { SLACK = 64 };
/* Texts up to this length get room for the worst case; longer ones are measured first. */
enum { SHORT_TEXT = 2048, WORST_ESCAPE = 6 };

#define LIKELY(condition)   __builtin_expect(!!(condition), 1)
#define UNLIKELY(condition) __builtin_expect(!!(condition), 0)

struct writer {
    uint8_t *end; /* of the buffer's memory */
    weir_buffer *out;
    uint32_t flags;
    uint32_t sources; /* value flag of those whose source text is copied; 0: of none */
    weir_status status;
    const char *fault;
};

static uint8_t *fail(struct writer *writer, weir_status status, const char *fault)
{
    writer->status = status;
    writer->fault = fault;
    return NULL;
}

__attribute__((noinline)) static uint8_t *grow(struct writer *writer, uint8_t *at, uint64_t more)
{
    weir_buffer *out = writer->out;
    uint64_t start = out->size;
    /* What is written so far must move along. */
    out->size = (uint64_t)(at - out->data);
    weir_status st = weir_buffer_reserve(out, more);
    at = out->data + out->size;
    writer->end = out->data + out->capacity;
    out->size = start;
    return st == WEIR_OK ? at : fail(writer, st, NULL);
}

/* Room for `more` bytes and SLACK; NULL: none. */
static inline uint8_t *reserve(struct writer *writer, uint8_t *at, uint64_t more)
{
    if (LIKELY((uint64_t)(writer->end - at) >= more + SLACK)) {
        return at;
    }
    return grow(writer, at, more + SLACK);
}

/* ---- text -------------------------------------------------------------------------------------- */

static inline uint64_t load_8(const char *from)
{
    uint64_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

static inline uint32_t load_4(const char *from)
{
    uint32_t word;
    memcpy(&word, from, sizeof word);
    return word;
}

#define EACH_BYTE(byte) (UINT64_C(0x0101010101010101) * (byte))

/* Not 0 where one of the eight bytes must be escaped or is not ASCII. */
static inline uint64_t escapes_in_8(uint64_t word)
{
    uint64_t quote = word ^ EACH_BYTE('"');
    uint64_t backslash = word ^ EACH_BYTE('\\');
    uint64_t other = (word - EACH_BYTE(0x20)) | word; /* below 0x20, or above 0x7F */
    uint64_t sign = ((quote - EACH_BYTE(1)) & ~quote) | ((backslash - EACH_BYTE(1)) & ~backslash);
    return (sign | other) & EACH_BYTE(0x80);
}

typedef uint8_t bytes_16 __attribute__((vector_size(16)));
typedef int8_t signed_16 __attribute__((vector_size(16)));
typedef uint64_t words_2 __attribute__((vector_size(16)));

static inline bytes_16 load_16(const char *from)
{
    bytes_16 bytes;
    memcpy(&bytes, from, sizeof bytes);
    return bytes;
}

/* Bytes that must be escaped or are not ASCII (negative here), as ones. */
static inline words_2 escapes_in_16(bytes_16 bytes)
{
    return (words_2)((bytes == '"') | (bytes == '\\') | ((signed_16)bytes < 0x20));
}

/* Copies text of at most 7 bytes; returns not 0 where one must be escaped or is not ASCII. */
static inline uint64_t copy_short(uint8_t *to, const char *from, size_t len)
{
    if (len >= 4) {
        uint32_t first = load_4(from);
        uint32_t last = load_4(from + len - 4);
        memcpy(to, &first, 4);
        memcpy(to + len - 4, &last, 4);
        return escapes_in_8((uint64_t)first << 32 | last);
    }
    uint64_t word = EACH_BYTE('a');
    for (size_t i = 0; i < len; i++) {
        to[i] = (uint8_t)from[i];
        word = word << 8 | to[i];
    }
    return escapes_in_8(word);
}

/*
 * Copies the text; returns not 0 where a byte must be escaped or is not ASCII (and then the copy may be
 * of no use). The last step goes back over bytes that the one before it has done.
 */
static inline uint64_t copy_clean(uint8_t *to, const char *from, size_t len)
{
    if (len < 8) {
        return copy_short(to, from, len);
    }
    if (len < 16) {
        words_2 words = { load_8(from), load_8(from + len - 8) };
        memcpy(to, &words, 8);
        memcpy(to + len - 8, (const char *)&words + 8, 8);
        words_2 found = escapes_in_16((bytes_16)words);
        return found[0] | found[1];
    }
    words_2 found = { 0, 0 };
    for (size_t at = 0; at + 16 < len; at += 16) {
        bytes_16 bytes = load_16(from + at);
        memcpy(to + at, &bytes, 16);
        found |= escapes_in_16(bytes);
    }
    bytes_16 last = load_16(from + len - 16);
    memcpy(to + len - 16, &last, 16);
    found |= escapes_in_16(last);
    return found[0] | found[1];
}

/* A copy that is cheap for short text. */
static inline void copy_plain(uint8_t *to, const char *from, size_t len)
{
    if (len > 32) {
        memcpy(to, from, len);
    } else if (len >= 16) {
        bytes_16 first = load_16(from);
        bytes_16 last = load_16(from + len - 16);
        memcpy(to, &first, 16);
        memcpy(to + len - 16, &last, 16);
    } else if (len >= 8) {
        uint64_t first = load_8(from);
        uint64_t last = load_8(from + len - 8);
        memcpy(to, &first, 8);
        memcpy(to + len - 8, &last, 8);
    } else {
        (void)copy_short(to, from, len);
    }
}

/* Text with something to escape, or to be looked at more closely, in quotes. */
__attribute__((noinline)) static uint8_t *write_escaped(struct writer *writer, const char *text,
                                                        size_t len, uint8_t *at)
{
    if (utf8_valid_prefix(text, len) != len) {
        return fail(writer, WEIR_E_DATA, "a text is not valid UTF-8");
    }
    size_t size = len <= SHORT_TEXT ? len * WORST_ESCAPE : json_escape_size(text, len);
    at = reserve(writer, at, size + 2);
    if (at == NULL) {
        return NULL;
    }
    *at++ = '"';
    at += json_escape(text, len, (char *)at);
    *at++ = '"';
    return at;
}

/* Inlined where it is called: with is_plain known it is half as long. */
__attribute__((always_inline)) static inline uint8_t *write_text(struct writer *writer,
                                                                 const char *text, size_t len,
                                                                 bool is_plain, uint8_t *at)
{
    at = reserve(writer, at, len + 2);
    if (UNLIKELY(at == NULL)) {
        return NULL;
    }
    if (is_plain) {
        copy_plain(at + 1, text, len);
    } else if (UNLIKELY(copy_clean(at + 1, text, len) != 0)) {
        return write_escaped(writer, text, len, at);
    }
    at[0] = '"';
    at[len + 1] = '"';
    return at + len + 2;
}

static uint8_t *write_slice(struct writer *writer, const char *text, size_t len, uint8_t *at)
{
    at = reserve(writer, at, len);
    if (at == NULL) {
        return NULL;
    }
    memcpy(at, text, len);
    return at + len;
}

/* ---- scalars ----------------------------------------------------------------------------------- */

static inline uint8_t *write_word(uint8_t *at, const char *word, size_t len)
{
    memcpy(at, word, len);
    return at + len;
}

static inline uint8_t *write_bool(const weir_value *v, uint8_t *at)
{
    return v->as.i64 != 0 ? write_word(at, "true", 4) : write_word(at, "false", 5);
}

static uint8_t *write_float(struct writer *writer, double f, uint8_t *at)
{
    if (UNLIKELY(!__builtin_isfinite(f))) {
        if ((writer->flags & WEIR_JSON_NAN_ERROR) != 0) {
            return fail(writer, WEIR_E_DATA, "JSON has no NaN and no infinity");
        }
        return write_word(at, "null", 4);
    }
    return at + number_write_float(f, (char *)at);
}

static uint8_t *write_timestamp(const weir_value *v, uint8_t *at)
{
    size_t len = units_format_time(v->as.i64, v->aux, (char *)at + 1);
    at[0] = '"';
    at[len + 1] = '"';
    return at + len + 2;
}

static uint8_t *write_bytes(struct writer *writer, const weir_value *v, uint8_t *at)
{
    static const char before[] = "{\"$bytes\":\"";
    if ((writer->flags & WEIR_JSON_BYTES_TAGGED) == 0) {
        return fail(writer, WEIR_E_DATA, "JSON has no bytes; write base64(...) or hex(...)");
    }
    size_t encoded = base64_length(v->len);
    at = reserve(writer, at, encoded + sizeof before + 2);
    if (at == NULL) {
        return NULL;
    }
    at = write_word(at, before, sizeof before - 1);
    base64_encode(v->as.text, v->len, (char *)at);
    return write_word(at + encoded, "\"}", 2);
}

/* ---- lists and maps ---------------------------------------------------------------------------- */

static uint8_t *write_list(struct writer *writer, const weir_value *v, uint32_t levels,
                           uint8_t *at);
static uint8_t *write_map(struct writer *writer, const weir_value *v, uint32_t levels, uint8_t *at);

static uint8_t *too_deep(struct writer *writer)
{
    return fail(writer, WEIR_E_DATA, "its lists and maps are nested too deep");
}

/* levels: that the container itself and what is in it may have */
static bool is_within(const weir_value *container, uint32_t levels)
{
    /* Each level takes two bytes of the text: most texts are too short to be too deep. */
    if ((container->flags & WEIR_VALUE_SOURCE) != 0 &&
        weir_value_source(container).size / 2 <= levels) {
        return true;
    }
    if (levels == 0) {
        return false;
    }
    for (uint32_t i = 0; i < container->len; i++) {
        const weir_value *v =
            container->tag == WEIR_LIST ? &container->as.items[i] : &container->as.members[i].value;
        if ((v->tag == WEIR_LIST || v->tag == WEIR_MAP) && !is_within(v, levels - 1)) {
            return false;
        }
    }
    return true;
}

static uint8_t *write_source(struct writer *writer, const weir_value *container, uint32_t levels,
                             uint8_t *at)
{
    if (!is_within(container, levels)) {
        return too_deep(writer);
    }
    weir_slice source = weir_value_source(container);
    return write_slice(writer, (const char *)source.data, (size_t)source.size, at);
}

static inline uint8_t *write_text_value(struct writer *writer, const weir_value *v, uint8_t *at)
{
    if ((v->flags & writer->sources) != 0) {
        weir_slice source = weir_value_source(v);
        return write_slice(writer, (const char *)source.data, (size_t)source.size, at);
    }
    return write_text(writer, v->as.text, v->len, (v->flags & WEIR_VALUE_PLAIN) != 0, at);
}

/* Anything but text, which is the most common kind and stands in front. */
static uint8_t *write_other(struct writer *writer, const weir_value *v, uint32_t levels,
                            uint8_t *at)
{
    switch (v->tag) {
    case WEIR_NULL:
        return write_word(at, "null", 4);
    case WEIR_BOOL:
        return write_bool(v, at);
    case WEIR_INT:
        return at + number_write_int(v->as.i64, (char *)at);
    case WEIR_FLOAT:
        return write_float(writer, v->as.f64, at);
    case WEIR_BYTES:
        return write_bytes(writer, v, at);
    case WEIR_LIST:
        return (v->flags & writer->sources) != 0 ? write_source(writer, v, levels, at)
                                                 : write_list(writer, v, levels, at);
    case WEIR_MAP:
        return (v->flags & writer->sources) != 0 ? write_source(writer, v, levels, at)
                                                 : write_map(writer, v, levels, at);
    case WEIR_TIMESTAMP:
        return write_timestamp(v, at);
    case WEIR_NUMBER:
        return write_slice(writer, v->as.text, v->len, at);
    default:
        return fail(writer, WEIR_E_DATA, "JSON has no form for this kind of value");
    }
}

static inline uint8_t *write_value(struct writer *writer, const weir_value *v, uint32_t levels,
                                   uint8_t *at)
{
    return v->tag == WEIR_TEXT ? write_text_value(writer, v, at)
                               : write_other(writer, v, levels, at);
}

static uint8_t *write_list(struct writer *writer, const weir_value *v, uint32_t levels, uint8_t *at)
{
    if (levels == 0) {
        return too_deep(writer);
    }
    if (v->len == 0) {
        return write_word(at, "[]", 2);
    }
    *at++ = '[';
    const weir_value *end = v->as.items + v->len;
    for (const weir_value *item = v->as.items; item < end; item++) {
        at = reserve(writer, at, 1);
        if (UNLIKELY(at == NULL)) {
            return NULL;
        }
        at = write_value(writer, item, levels - 1, at);
        if (UNLIKELY(at == NULL)) {
            return NULL;
        }
        *at++ = ',';
    }
    at[-1] = ']';
    return reserve(writer, at, 0);
}

/* The key in quotes and the colon. */
static inline uint8_t *write_key(struct writer *writer, const weir_member *member, uint8_t *at)
{
    at = write_text(writer, member->key, member->key_len, member->symbol == WEIR_SYMBOL_PLAIN, at);
    if (LIKELY(at != NULL)) {
        *at++ = ':';
    }
    return at;
}

static uint8_t *write_map(struct writer *writer, const weir_value *v, uint32_t levels, uint8_t *at)
{
    if (levels == 0) {
        return too_deep(writer);
    }
    if (v->len == 0) {
        return write_word(at, "{}", 2);
    }
    *at++ = '{';
    const weir_member *end = v->as.members + v->len;
    for (const weir_member *member = v->as.members; member < end; member++) {
        at = write_key(writer, member, at);
        if (UNLIKELY(at == NULL)) {
            return NULL;
        }
        at = write_value(writer, &member->value, levels - 1, at);
        if (UNLIKELY(at == NULL)) {
            return NULL;
        }
        *at++ = ',';
    }
    at[-1] = '}';
    return reserve(writer, at, 0);
}

/* ---- outside ----------------------------------------------------------------------------------- */

static weir_status write_to(const weir_value *v, uint32_t flags, uint32_t max_depth,
                            weir_buffer *out, const char **ret_fault)
{
    const uint32_t sources = (flags & WEIR_JSON_ANEW) != 0 ? 0 : (uint32_t)WEIR_VALUE_SOURCE;
    struct writer writer = { .out = out, .flags = flags, .sources = sources };
    weir_status st = weir_buffer_reserve(out, 2 * SLACK);
    if (st != WEIR_OK) {
        return st;
    }
    writer.end = out->data + out->capacity;
    uint8_t *at = out->data + out->size;
    at = write_value(&writer, v, max_depth, at);
    if (at == NULL) {
        if (ret_fault != NULL) {
            *ret_fault = writer.fault;
        }
        return writer.status;
    }
    out->size = (uint64_t)(at - out->data);
    return WEIR_OK;
}

/* The limit refused room that the text itself may not have needed. */
__attribute__((noinline)) static weir_status write_aside(const weir_value *v, uint32_t flags,
                                                         uint32_t max_depth, weir_buffer *out,
                                                         const char **ret_fault)
{
    enum { SPARE_ROOM = SHORT_TEXT * WORST_ESCAPE + 4 * SLACK };
    weir_buffer aside;
    buffer_init(&aside, out->limit - out->size + SPARE_ROOM);
    weir_status st = write_to(v, flags, max_depth, &aside, ret_fault);
    if (st == WEIR_OK) {
        st = weir_buffer_append(out, aside.data, aside.size);
    }
    buffer_deinit(&aside);
    return st;
}

weir_status json_write(const weir_value *v, uint32_t flags, uint32_t max_depth, weir_buffer *out,
                       const char **ret_fault)
{
    uint32_t levels = max_depth == 0 ? JSON_DEFAULT_DEPTH : max_depth;
    weir_status st = write_to(v, flags, levels, out, ret_fault);
    return st == WEIR_E_LIMIT ? write_aside(v, flags, levels, out, ret_fault) : st;
}

weir_status json_write_text(const char *text, size_t len, weir_buffer *out)
{
    size_t size = json_escape_size(text, len);
    weir_status st = weir_buffer_reserve(out, size + 2);
    if (st != WEIR_OK) {
        return st;
    }
    uint8_t *at = out->data + out->size;
    at[0] = '"';
    json_escape(text, len, (char *)at + 1);
    at[size + 1] = '"';
    out->size += size + 2;
    return WEIR_OK;
}
