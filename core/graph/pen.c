/* SPDX-License-Identifier: MIT */
#include "graph/pen.h"

#include <string.h>

void pen_text(struct pen *pen, const char *text)
{
    if (pen->status == WEIR_OK) {
        pen->status = buffer_text(pen->out, text);
    }
}

void pen_printf(struct pen *pen, const char *format, ...)
{
    if (pen->status != WEIR_OK) {
        return;
    }
    va_list args;
    va_start(args, format);
    pen->status = buffer_vprintf(pen->out, format, args);
    va_end(args);
}

void pen_escaped(struct pen *pen, const char *text, size_t len,
                 const char *(*escape)(unsigned char byte))
{
    for (size_t i = 0; i < len && pen->status == WEIR_OK; i++) {
        const char *instead = escape((unsigned char)text[i]);
        pen->status = instead != NULL ? buffer_text(pen->out, instead)
                                      : weir_buffer_append(pen->out, &text[i], 1);
    }
}

weir_status pen_finish(const struct pen *pen, struct error *error)
{
    if (pen->status == WEIR_E_LIMIT) {
        error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE, "the graph is too large to be drawn");
    } else if (pen->status != WEIR_OK) {
        error_no_memory(error);
    }
    return pen->status;
}

const char *pen_xml(unsigned char byte)
{
    switch (byte) {
    case '&':
        return "&amp;";
    case '<':
        return "&lt;";
    case '>':
        return "&gt;";
    case '"':
        return "&quot;";
    default:
        return (byte < ' ' && byte != '\n') || byte == 0x7f ? "?" : NULL;
    }
}
