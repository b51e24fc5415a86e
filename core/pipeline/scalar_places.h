/* SPDX-License-Identifier: MIT */
/*
 * Where each byte of a scalar's text stands in the file, so that a caret can point into an
 * expression whatever YAML has done to it: escapes, folded lines, indentation.
 */
#ifndef PIPELINE_SCALAR_PLACES_H
#define PIPELINE_SCALAR_PLACES_H

#include "base/document.h"

/*
 * from, to  bytes of the file that hold the contents: without quotes; of a block scalar the lines
 *           below its header
 * text      what the parser has made of them
 */
struct scalar_source {
    const char *file;
    size_t from;
    size_t to;
    enum node_style style;
    const char *text;
    size_t text_len;
};

/*
 * text_len + 1 offsets, in the arena; NULL: no memory. They never decrease. Where this reading and
 * the parser's text part (which would be a defect) the rest points to that spot.
 *
 * ret_is_whole  may be NULL; false where they part
 */
const uint32_t *scalar_places(struct arena *arena, const struct scalar_source *source,
                              bool *ret_is_whole);

#endif
