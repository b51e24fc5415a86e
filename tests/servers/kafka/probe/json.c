/* SPDX-License-Identifier: MIT */
/* Bytes of keys, values and headers as JSON and back. */
#include <stdlib.h>
#include <string.h>

#include "probe.h"

/* UTF-8, told by the reader of JSON itself: what it takes as a text, a test can read back. */
static bool is_text(const void *data, size_t size)
{
    yyjson_mut_doc *probe = yyjson_mut_doc_new(NULL);
    yyjson_mut_doc_set_root(probe, yyjson_mut_strn(probe, data, size));
    char *written = yyjson_mut_write(probe, 0, NULL);
    yyjson_mut_doc_free(probe);
    free(written);
    return written != NULL;
}

static yyjson_mut_val *to_hex(yyjson_mut_doc *line, const unsigned char *data, size_t size)
{
    static const char digit[] = "0123456789abcdef";
    char *text = malloc(2 * size + 1);
    if (text == NULL) {
        fail("out of memory");
    }
    for (size_t i = 0; i < size; i++) {
        text[2 * i] = digit[data[i] >> 4];
        text[2 * i + 1] = digit[data[i] & 15];
    }
    yyjson_mut_val *object = yyjson_mut_obj(line);
    yyjson_mut_obj_add(object, yyjson_mut_str(line, "hex"),
                       yyjson_mut_strncpy(line, text, 2 * size));
    free(text);
    return object;
}

yyjson_mut_val *bytes_to_json(yyjson_mut_doc *line, const void *data, size_t size)
{
    if (data == NULL) {
        return yyjson_mut_null(line);
    }
    return is_text(data, size) ? yyjson_mut_strncpy(line, data, size) : to_hex(line, data, size);
}

static int digit_of(char c)
{
    const char *digits = "0123456789abcdef";
    const char *found = c != '\0' ? strchr(digits, c) : NULL;
    if (found == NULL) {
        fail("'%c' is no digit of \"hex\"", c);
    }
    return (int)(found - digits);
}

static struct bytes from_hex(const char *text, size_t length)
{
    struct bytes bytes = { malloc(length / 2 + 1), length / 2 };
    if (bytes.data == NULL || length % 2 != 0) {
        fail("\"hex\" wants two digits for a byte");
    }
    for (size_t i = 0; i < bytes.size; i++) {
        ((unsigned char *)bytes.data)[i] =
            (unsigned char)(digit_of(text[2 * i]) << 4 | digit_of(text[2 * i + 1]));
    }
    return bytes;
}

struct bytes bytes_from_json(yyjson_val *value)
{
    yyjson_val *hex = yyjson_obj_get(value, "hex");
    if (value == NULL || yyjson_is_null(value)) {
        return (struct bytes){ NULL, 0 };
    }
    if (hex != NULL) {
        return from_hex(yyjson_get_str(hex), yyjson_get_len(hex));
    }
    if (!yyjson_is_str(value)) {
        fail("a key or value is a text, null or {\"hex\": ...}");
    }
    struct bytes bytes = { malloc(yyjson_get_len(value) + 1), yyjson_get_len(value) };
    if (bytes.data == NULL) {
        fail("out of memory");
    }
    memcpy(bytes.data, yyjson_get_str(value), bytes.size);
    return bytes;
}

void print_line(yyjson_mut_doc *line)
{
    char *text = yyjson_mut_write(line, 0, NULL);
    if (text == NULL) {
        fail("could not write a line");
    }
    puts(text);
    fflush(stdout);
    free(text);
    yyjson_mut_doc_free(line);
}
