/* SPDX-License-Identifier: MIT */
#include "support/code_point.h"

#include <string.h>

uint32_t code_point_read(const char *text)
{
    const unsigned char *b = (const unsigned char *)text;
    switch (code_point_size(text[0])) {
    case 1:
        return b[0];
    case 2:
        return (b[0] & 0x1Fu) << 6 | (b[1] & 0x3Fu);
    case 3:
        return (b[0] & 0x0Fu) << 12 | (b[1] & 0x3Fu) << 6 | (b[2] & 0x3Fu);
    default:
        return (b[0] & 0x07u) << 18 | (b[1] & 0x3Fu) << 12 | (b[2] & 0x3Fu) << 6 | (b[3] & 0x3Fu);
    }
}

size_t code_point_write(uint32_t point, char room[4])
{
    if (point < 0x80) {
        room[0] = (char)point;
        return 1;
    }
    if (point < 0x800) {
        room[0] = (char)(0xC0 | point >> 6);
        room[1] = (char)(0x80 | (point & 0x3F));
        return 2;
    }
    if (point < 0x10000) {
        room[0] = (char)(0xE0 | point >> 12);
        room[1] = (char)(0x80 | (point >> 6 & 0x3F));
        room[2] = (char)(0x80 | (point & 0x3F));
        return 3;
    }
    room[0] = (char)(0xF0 | point >> 18);
    room[1] = (char)(0x80 | (point >> 12 & 0x3F));
    room[2] = (char)(0x80 | (point >> 6 & 0x3F));
    room[3] = (char)(0x80 | (point & 0x3F));
    return 4;
}

size_t code_point_count(const char *text, size_t len)
{
    size_t count = 0;
    for (size_t i = 0; i < len; i++) {
        count += code_point_begins(text[i]);
    }
    return count;
}

size_t code_point_offset(const char *text, size_t len, size_t n)
{
    size_t at = 0;
    while (n > 0 && at < len) {
        at += code_point_size(text[at]);
        n--;
    }
    return at;
}

bool code_point_is_space(uint32_t point)
{
    if (point < 0x80) {
        return point == ' ' || (point >= 0x09 && point <= 0x0D);
    }
    return point == 0x85 || point == 0xA0 || point == 0x1680 ||
           (point >= 0x2000 && point <= 0x200A) || point == 0x2028 || point == 0x2029 ||
           point == 0x202F || point == 0x205F || point == 0x3000;
}

/* Bytes of the valid sequence at `b`, or 0. */
static size_t valid_sequence(const unsigned char *b, size_t len)
{
    static const struct {
        unsigned char from, to;  /* first byte */
        unsigned char low, high; /* range of the second byte */
        size_t size;
    } forms[] = {
        { 0x00, 0x7F, 0, 0, 1 },       { 0xC2, 0xDF, 0x80, 0xBF, 2 }, { 0xE0, 0xE0, 0xA0, 0xBF, 3 },
        { 0xE1, 0xEC, 0x80, 0xBF, 3 }, { 0xED, 0xED, 0x80, 0x9F, 3 }, { 0xEE, 0xEF, 0x80, 0xBF, 3 },
        { 0xF0, 0xF0, 0x90, 0xBF, 4 }, { 0xF1, 0xF3, 0x80, 0xBF, 4 }, { 0xF4, 0xF4, 0x80, 0x8F, 4 },
    };
    for (size_t i = 0; i < sizeof forms / sizeof forms[0]; i++) {
        if (b[0] < forms[i].from || b[0] > forms[i].to) {
            continue;
        }
        if (forms[i].size > len) {
            return 0;
        }
        if (forms[i].size > 1 && (b[1] < forms[i].low || b[1] > forms[i].high)) {
            return 0;
        }
        for (size_t k = 2; k < forms[i].size; k++) {
            if (code_point_begins((char)b[k])) {
                return 0;
            }
        }
        return forms[i].size;
    }
    return 0;
}

size_t code_point_valid_prefix(const char *text, size_t len)
{
    size_t at = 0;
    while (at < len) {
        uint64_t eight;
        if (len - at >= sizeof eight) { /* eight bytes of ASCII at a time */
            memcpy(&eight, text + at, sizeof eight);
            if ((eight & 0x8080808080808080u) == 0) {
                at += sizeof eight;
                continue;
            }
        }
        size_t size = valid_sequence((const unsigned char *)text + at, len - at);
        if (size == 0) {
            return at;
        }
        at += size;
    }
    return len;
}
