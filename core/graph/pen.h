/* SPDX-License-Identifier: MIT */
/*
 * Writing a picture: a buffer that remembers its first fault, so that it is asked about once.
 */
#ifndef GRAPH_PEN_H
#define GRAPH_PEN_H

#include "base/buffer.h"
#include "base/error.h"

struct pen {
    weir_buffer *out;
    weir_status status;
};

void pen_text(struct pen *pen, const char *text);
void pen_printf(struct pen *pen, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* How a form writes what stands for one byte of a text; NULL: the byte itself. */
void pen_escaped(struct pen *pen, const char *text, size_t len,
                 const char *(*escape)(unsigned char byte));
/* The status of all that was written; fills `error` where it is a fault. */
weir_status pen_finish(const struct pen *pen, struct error *error);

/* For XML: also what an attribute needs. Control characters, which XML has not, become '?'. */
const char *pen_xml(unsigned char byte);

#endif
