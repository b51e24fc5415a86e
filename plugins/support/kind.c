/* SPDX-License-Identifier: MIT */
#include "support/kind.h"

#include <string.h>

const char *kind_name(const weir_value *v)
{
    static const char *const names[] = {
        [WEIR_NULL] = "null",   [WEIR_BOOL] = "bool", [WEIR_INT] = "int",
        [WEIR_FLOAT] = "float", [WEIR_TEXT] = "text", [WEIR_BYTES] = "bytes",
        [WEIR_LIST] = "list",   [WEIR_MAP] = "map",   [WEIR_TIMESTAMP] = "timestamp",
    };
    if (v->tag == WEIR_NUMBER) {
        for (uint32_t i = 0; i < v->len; i++) {
            if (memchr(".eE", v->as.text[i], 3) != NULL) {
                return "float";
            }
        }
        return "int";
    }
    return v->tag < sizeof names / sizeof names[0] ? names[v->tag] : "unknown";
}

int kind_excerpt(const char *text, uint64_t len, uint32_t limit)
{
    if (len <= limit) {
        return (int)len;
    }
    while (limit > 0 && ((unsigned char)text[limit] & 0xC0) == 0x80) {
        limit--;
    }
    return (int)limit;
}

bool kind_is_number(const weir_value *v)
{
    return v->tag == WEIR_INT || v->tag == WEIR_FLOAT || v->tag == WEIR_NUMBER;
}
