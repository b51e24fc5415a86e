/* SPDX-License-Identifier: MIT */
/*
 * Escaping one byte at a time: text with nothing to escape does not come here on a hot path.
 */
#include "base/json_escape.h"

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

#include "base/utf8.h"

/* The letter behind the backslash; 'u' for the long form; 0 where nothing is escaped. */
static char escape_letter(uint8_t byte)
{
    switch (byte) {
    case '"':
    case '\\':
        return (char)byte;
    case '\b':
        return 'b';
    case '\t':
        return 't';
    case '\n':
        return 'n';
    case '\f':
        return 'f';
    case '\r':
        return 'r';
    default:
        return byte < 0x20 ? 'u' : 0;
    }
}

/* Writes what the byte or sequence at the start of `text` becomes; returns the bytes written. */
static size_t escape_one(const char *text, size_t len, char room[6], size_t *ret_taken)
{
    uint8_t byte = (uint8_t)text[0];
    *ret_taken = 1;
    if (byte >= 0x80) {
        uint32_t point = 0;
        *ret_taken = utf8_read(text, len, &point);
        return utf8_write(point, room);
    }
    char letter = escape_letter(byte);
    if (letter == 0) {
        room[0] = (char)byte;
        return 1;
    }
    room[0] = '\\';
    room[1] = letter;
    if (letter != 'u') {
        return 2;
    }
    room[2] = '0';
    room[3] = '0';
    room[4] = (char)('0' + (byte >> 4));
    room[5] = "0123456789abcdef"[byte & 15];
    return 6;
}

/* ASCII that goes out as it is, and most text is. */
static inline bool is_clean(char c)
{
    uint8_t byte = (uint8_t)c;
    return byte >= 0x20 && byte < 0x80 && byte != '"' && byte != '\\';
}

size_t json_escape_size(const char *text, size_t len)
{
    size_t size = 0;
    size_t taken;
    char room[6];
    for (size_t at = 0; at < len; at += taken) {
        if (is_clean(text[at])) {
            taken = 1;
            size++;
        } else {
            size += escape_one(text + at, len - at, room, &taken);
        }
    }
    return size;
}

size_t json_escape(const char *text, size_t len, char *room)
{
    size_t size = 0;
    size_t taken;
    char piece[6];
    for (size_t at = 0; at < len; at += taken) {
        if (is_clean(text[at])) {
            taken = 1;
            room[size++] = text[at];
            continue;
        }
        size_t piece_size = escape_one(text + at, len - at, piece, &taken);
        memcpy(room + size, piece, piece_size);
        size += piece_size;
    }
    return size;
}
