/* SPDX-License-Identifier: MIT */
#include "support/base64.h"

/* 0 to 63, or -1. */
static int digit(char c)
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

bool base64_read(const char *text, size_t len, uint8_t *room, size_t *ret_size)
{
    if (len % 4 != 0) {
        return false;
    }
    size_t digits = len;
    while (digits > 0 && len - digits < 2 && text[digits - 1] == '=') {
        digits--;
    }
    size_t size = 0;
    uint32_t bits = 0; /* what has been read and not written stands in the low bits */
    unsigned held = 0;
    for (size_t i = 0; i < digits; i++) {
        int value = digit(text[i]);
        if (value < 0) {
            return false;
        }
        bits = bits << 6 | (uint32_t)value;
        held += 6;
        if (held >= 8) {
            held -= 8;
            room[size++] = (uint8_t)(bits >> held);
            bits &= (1u << held) - 1;
        }
    }
    *ret_size = size;
    return bits == 0; /* bits beyond the last byte say nothing and must be zero */
}
