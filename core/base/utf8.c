/* SPDX-License-Identifier: MIT */
/*
 * UTF-8 as Unicode defines it: no overlong forms, no surrogates, nothing beyond U+10FFFF.
 */
#include "base/utf8.h"

#include <string.h>

#define HIGH_BITS UINT64_C(0x8080808080808080)
enum { REPLACEMENT = 0xFFFD };

static inline bool is_tail(uint8_t byte)
{
    return (byte & 0xC0) == 0x80;
}

/* Bytes of the sequence that starts here, 0 for a bad one. left > 0, the first byte is not ASCII.
 */
static size_t sequence_length(const uint8_t *at, size_t left)
{
    uint8_t first = at[0];
    if (first < 0xC2 || left < 2 || !is_tail(at[1])) {
        return 0;
    }
    if (first < 0xE0) {
        return 2;
    }
    if (left < 3 || !is_tail(at[2])) {
        return 0;
    }
    if (first < 0xF0) {
        bool is_overlong = first == 0xE0 && at[1] < 0xA0;
        bool is_surrogate = first == 0xED && at[1] >= 0xA0;
        return is_overlong || is_surrogate ? 0 : 3;
    }
    if (first > 0xF4 || left < 4 || !is_tail(at[3])) {
        return 0;
    }
    bool is_overlong = first == 0xF0 && at[1] < 0x90;
    bool is_beyond = first == 0xF4 && at[1] >= 0x90;
    return is_overlong || is_beyond ? 0 : 4;
}

size_t utf8_valid_prefix(const char *text, size_t len)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t at = 0;
    while (at < len) {
        uint64_t word;
        while (len - at >= sizeof word) {
            memcpy(&word, bytes + at, sizeof word);
            if ((word & HIGH_BITS) != 0) {
                break;
            }
            at += sizeof word;
        }
        while (at < len && bytes[at] < 0x80) {
            at++;
        }
        /* Text that is not ASCII comes in runs. */
        while (at < len && bytes[at] >= 0x80) {
            size_t taken = sequence_length(bytes + at, len - at);
            if (taken == 0) {
                return at;
            }
            at += taken;
        }
    }
    return len;
}

size_t utf8_length(const char *text, size_t len)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t tails = 0;
    size_t at = 0;
    for (uint64_t word; len - at >= sizeof word; at += sizeof word) {
        memcpy(&word, bytes + at, sizeof word);
        /* A tail byte has bit 7 set and bit 6 clear. */
        tails += (size_t)__builtin_popcountll(word & (~word << 1) & HIGH_BITS);
    }
    for (; at < len; at++) {
        tails += is_tail(bytes[at]);
    }
    return len - tails;
}

size_t utf8_offset(const char *text, size_t len, size_t n)
{
    const uint8_t *bytes = (const uint8_t *)text;
    size_t at = 0;
    for (; n > 0 && at < len; n--) {
        at++;
        while (at < len && is_tail(bytes[at])) {
            at++;
        }
    }
    return at;
}

size_t utf8_read(const char *text, size_t len, uint32_t *ret_point)
{
    const uint8_t *at = (const uint8_t *)text;
    if (len == 0) {
        return 0;
    }
    if (at[0] < 0x80) {
        *ret_point = at[0];
        return 1;
    }
    size_t taken = sequence_length(at, len);
    if (taken == 0) {
        *ret_point = REPLACEMENT;
        return 1;
    }
    /* The first byte of a sequence of n bytes carries 7 - n bits. */
    uint32_t point = at[0] & (0x7Fu >> taken);
    for (size_t i = 1; i < taken; i++) {
        point = (point << 6) | (at[i] & 0x3Fu);
    }
    *ret_point = point;
    return taken;
}

size_t utf8_write(uint32_t point, char room[4])
{
    if (point > 0x10FFFF || (point >= 0xD800 && point <= 0xDFFF)) {
        point = REPLACEMENT;
    }
    if (point < 0x80) {
        room[0] = (char)point;
        return 1;
    }
    size_t size = point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
    for (size_t i = size - 1; i > 0; i--) {
        room[i] = (char)(0x80 | (point & 0x3F));
        point >>= 6;
    }
    static const uint8_t marks[5] = { 0, 0, 0xC0, 0xE0, 0xF0 };
    room[0] = (char)(marks[size] | point);
    return size;
}

bool utf8_is_space(uint32_t point)
{
    if (point < 0x80) {
        return point == ' ' || (point >= '\t' && point <= '\r');
    }
    if (point >= 0x2000 && point <= 0x200A) {
        return true;
    }
    switch (point) {
    case 0x85:
    case 0xA0:
    case 0x1680:
    case 0x2028:
    case 0x2029:
    case 0x202F:
    case 0x205F:
    case 0x3000:
        return true;
    default:
        return false;
    }
}
