/* SPDX-License-Identifier: MIT */
#include "value/base64.h"

#include <stdint.h>

void base64_encode(const void *bytes, size_t size, char *room)
{
    static const char letters[] =
        "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint8_t *from = bytes;
    for (size_t i = 0; i < size; i += 3) {
        size_t left = size - i;
        uint32_t group = (uint32_t)from[i] << 16 | (left > 1 ? (uint32_t)from[i + 1] << 8 : 0) |
                         (left > 2 ? from[i + 2] : 0u);
        *room++ = letters[group >> 18];
        *room++ = letters[group >> 12 & 63];
        *room++ = left > 1 ? letters[group >> 6 & 63] : '=';
        *room++ = left > 2 ? letters[group & 63] : '=';
    }
}

static int bits_of(char c)
{
    if (c >= 'A' && c <= 'Z') {
        return c - 'A';
    }
    if (c >= 'a' && c <= 'z') {
        return c - 'a' + 26;
    }
    if (c >= '0' && c <= '9') {
        return c - '0' + 52;
    }
    return c == '+' ? 62 : c == '/' ? 63 : -1;
}

bool base64_decode(const char *text, size_t len, char *room, size_t *ret_size)
{
    size_t padding =
        len >= 1 && text[len - 1] == '=' ? (len >= 2 && text[len - 2] == '=' ? 2 : 1) : 0;
    size_t letters = len - padding;
    uint32_t group = 0;
    size_t size = 0;
    if (len % 4 != 0) {
        return false;
    }
    for (size_t i = 0; i < letters; i++) {
        int six = bits_of(text[i]);
        if (six < 0) {
            return false;
        }
        group = group << 6 | (uint32_t)six;
        if (i % 4 != 0) {
            unsigned unused = 6 - 2 * (unsigned)(i % 4); /* bits of the letter that follow on */
            room[size++] = (char)(group >> unused & 0xff);
        }
    }
    /* Bits behind the last byte must be 0, so that each content has one text. */
    unsigned rest = padding == 2 ? 4 : padding == 1 ? 2 : 0;
    *ret_size = size;
    return (group & ((1u << rest) - 1)) == 0;
}
