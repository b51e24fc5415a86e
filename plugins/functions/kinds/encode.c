/* SPDX-License-Identifier: MIT */
/*
 * hex, unhex, base64, unbase64: bytes in the letters of text. Reading accepts nothing but the exact
 * form: no blanks, an even number of digits, the standard alphabet with its padding.
 */
#include "kinds_functions.h"
#include "support/base64.h"
#include "support/lane.h"

static weir_status to_hex(weir_call *call, uint32_t lane, weir_value *ret)
{
    static const char digits[] = "0123456789abcdef";
    const weir_value *v = lane_arg(call, 0, lane);
    char *room;
    weir_status st = lane_room(call, lane, "hex", (uint64_t)v->len * 2, &room);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < v->len; i++) {
        unsigned char byte = (unsigned char)v->as.text[i];
        room[2 * i] = digits[byte >> 4];
        room[2 * i + 1] = digits[byte & 15];
    }
    *ret = weir_text_value(room, v->len * 2);
    return WEIR_OK;
}

static weir_status evaluate_hex(weir_call *call)
{
    return lanes_evaluate(call, to_hex);
}

const weir_factory hex_function = {
    FUNCTION("hex", "Bytes as hexadecimal digits", "Two lower-case digits a byte."),
    .vtable = FUNCTION_TABLE(.signature = "(bytes) text", .example = "hex(bytes(\"é\"))",
                             .example_result = "\"c3a9\"", .evaluate = evaluate_hex),
};

static int hex_digit(char c)
{
    if (c >= '0' && c <= '9') {
        return c - '0';
    }
    c = (char)(c | 0x20);
    return c >= 'a' && c <= 'f' ? c - 'a' + 10 : -1;
}

static weir_status from_hex(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    if (v->len % 2 != 0) {
        return lane_fail(call, lane, "unhex: %s has an odd number of digits", lane_excerpt(v).text);
    }
    char *room;
    weir_status st = lane_room(call, lane, "unhex", v->len / 2, &room);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < v->len; i += 2) {
        int high = hex_digit(v->as.text[i]);
        int low = hex_digit(v->as.text[i + 1]);
        if (high < 0 || low < 0) {
            return lane_fail(call, lane, "unhex: %s is not hexadecimal at byte %u",
                             lane_excerpt(v).text, high < 0 ? i : i + 1);
        }
        room[i / 2] = (char)(high << 4 | low);
    }
    *ret = weir_bytes_value(room, v->len / 2);
    return WEIR_OK;
}

static weir_status evaluate_unhex(weir_call *call)
{
    return lanes_evaluate(call, from_hex);
}

const weir_factory unhex_function = {
    FUNCTION("unhex", "Bytes from hexadecimal digits", "Upper and lower case; nothing in between."),
    .vtable = FUNCTION_TABLE(.signature = "(text) bytes", .example = "text(unhex(\"6869\"))",
                             .example_result = "\"hi\"", .evaluate = evaluate_unhex),
};

static const char base64_letters[] =
    "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

static weir_status to_base64(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    const unsigned char *bytes = (const unsigned char *)v->as.text;
    uint64_t size = ((uint64_t)v->len + 2) / 3 * 4;
    char *room;
    weir_status st = lane_room(call, lane, "base64", size, &room);
    if (st != WEIR_OK) {
        return st;
    }
    char *out = room;
    for (uint32_t i = 0; i < v->len; i += 3) {
        uint32_t left = v->len - i;
        uint32_t group = (uint32_t)bytes[i] << 16 | (left > 1 ? (uint32_t)bytes[i + 1] << 8 : 0) |
                         (left > 2 ? bytes[i + 2] : 0);
        *out++ = base64_letters[group >> 18];
        *out++ = base64_letters[group >> 12 & 63];
        *out++ = left > 1 ? base64_letters[group >> 6 & 63] : '=';
        *out++ = left > 2 ? base64_letters[group & 63] : '=';
    }
    *ret = weir_text_value(room, (uint32_t)size);
    return WEIR_OK;
}

static weir_status evaluate_base64(weir_call *call)
{
    return lanes_evaluate(call, to_base64);
}

const weir_factory base64_function = {
    FUNCTION("base64", "Bytes as base64 text", "The standard alphabet, with padding."),
    .vtable = FUNCTION_TABLE(.signature = "(bytes) text", .example = "base64(bytes(\"hello\"))",
                             .example_result = "\"aGVsbG8=\"", .evaluate = evaluate_base64),
};

static weir_status from_base64(weir_call *call, uint32_t lane, weir_value *ret)
{
    const weir_value *v = lane_arg(call, 0, lane);
    char *room;
    size_t size;
    weir_status st = lane_room(call, lane, "unbase64", base64_room(v->len), &room);
    if (st != WEIR_OK) {
        return st;
    }
    if (!base64_read(v->as.text, v->len, (uint8_t *)room, &size)) {
        return lane_fail(call, lane, "unbase64: %s is not base64", lane_excerpt(v).text);
    }
    *ret = weir_bytes_value(room, (uint32_t)size);
    return WEIR_OK;
}

static weir_status evaluate_unbase64(weir_call *call)
{
    return lanes_evaluate(call, from_base64);
}

const weir_factory unbase64_function = {
    FUNCTION("unbase64", "Bytes from base64 text", "The standard alphabet, with padding."),
    .vtable = FUNCTION_TABLE(.signature = "(text) bytes", .example = "text(unbase64(\"aGVsbG8=\"))",
                             .example_result = "\"hello\"", .evaluate = evaluate_unbase64),
};
