/* SPDX-License-Identifier: MIT */
/*
 * The way back: from a letter to the message that it is about.
 */
#include <inttypes.h>

#include "value/base64.h"
#include "value/letter_parts.h"
#include "value/value.h"

static weir_status no_letter(struct error *error, const char *why)
{
    return error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA, "it is no dead letter: %s", why);
}

static bool read_int(const weir_value *map, const char *name, int64_t least, int64_t most,
                     int64_t *ret)
{
    const weir_value *v = letter_find(map, name);
    weir_value number;
    if (v == NULL || v->tag == WEIR_BOOL || !value_number(v, &number) || number.tag != WEIR_INT) {
        return false;
    }
    *ret = number.as.i64;
    return *ret >= least && *ret <= most;
}

/* False: neither text, tagged bytes nor null; or no memory. */
static bool read_payload(struct arena *arena, const weir_value *v, weir_value *ret)
{
    const weir_value *base64 = v != NULL ? letter_base64(v) : NULL;
    *ret = weir_null();
    if (base64 != NULL) {
        char *room = arena_alloc(arena, (size_t)base64->len / 4 * 3 + 1);
        size_t size = 0;
        if (room == NULL || !base64_decode(base64->as.text, base64->len, room, &size)) {
            return false;
        }
        *ret = weir_bytes_value(room, (uint32_t)size);
        return true;
    }
    if (v != NULL && v->tag == WEIR_TEXT) {
        *ret = weir_bytes_value(v->as.text, v->len);
    }
    return v != NULL && (v->tag == WEIR_TEXT || v->tag == WEIR_NULL);
}

static bool read_headers(struct arena *arena, const weir_value *v, struct letter_message *ret)
{
    if (v == NULL || v->tag != WEIR_LIST) {
        return false;
    }
    weir_member *made = arena_zeroed(arena, (v->len + 1u) * sizeof *made);
    for (uint32_t i = 0; made != NULL && i < v->len; i++) {
        const weir_value *pair = &v->as.items[i];
        if (pair->tag != WEIR_LIST || pair->len != 2 || pair->as.items[0].tag != WEIR_TEXT ||
            !read_payload(arena, &pair->as.items[1], &made[i].value)) {
            return false;
        }
        made[i].key = pair->as.items[0].as.text;
        made[i].key_len = pair->as.items[0].len;
    }
    ret->headers = made;
    ret->header_count = v->len;
    return made != NULL;
}

/* "value (1024 of 70000 bytes are left)" of what was cut of the message; false: nothing was. */
static bool tell_cut(const weir_value *cut, struct error *error)
{
    static const char *const parts[] = { "value", "key", "headers" };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        int64_t size = 0;
        if (read_int(cut, parts[i], 1, INT64_MAX, &size)) {
            error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
                      "its %s was cut, the message had %" PRId64
                      " bytes there and not all are kept",
                      parts[i], size);
            return true;
        }
    }
    return false;
}

weir_status letter_message_read(const weir_value *letter, struct arena *arena,
                                struct letter_message *ret, struct error *error)
{
    int64_t partition = 0;
    if (letter->tag != WEIR_MAP) {
        return no_letter(error, "its value is no map");
    }
    const weir_value *message = letter_find(letter, "message");
    const weir_value *cut = letter_find(letter, "cut");
    if (message == NULL || cut == NULL || letter_find(letter, "error") == NULL) {
        return no_letter(error, "it has no 'message', 'error' and 'cut'");
    }
    const weir_value *topic = letter_find(message, "topic");
    if (message->tag == WEIR_NULL || (topic != NULL && topic->tag == WEIR_NULL)) {
        return error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
                         "it is of a source and no message of the log stands behind it; let the "
                         "source read it again");
    }
    if (tell_cut(cut, error)) {
        return WEIR_E_DATA;
    }
    *ret = (struct letter_message){ .topic = NULL };
    if (topic == NULL || topic->tag != WEIR_TEXT ||
        !read_int(message, "partition", 0, INT32_MAX, &partition) ||
        !read_int(message, "offset", 0, INT64_MAX, &ret->offset) ||
        !read_int(message, "timestamp", INT64_MIN + 1, INT64_MAX, &ret->timestamp) ||
        !read_payload(arena, letter_find(message, "key"), &ret->key) ||
        !read_payload(arena, letter_find(message, "value"), &ret->value) ||
        !read_headers(arena, letter_find(message, "headers"), ret)) {
        return no_letter(error, "its 'message' is not what weir writes");
    }
    ret->topic = topic->as.text;
    ret->topic_len = topic->len;
    ret->partition = (int32_t)partition;
    return WEIR_OK;
}
