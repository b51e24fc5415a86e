/* SPDX-License-Identifier: MIT */
/*
 * The text of a scalar, by YAML's rules for its style (YAML 1.2.2, 7.3 and 8.1), and where each byte
 * of it stands in the file, so that a caret can point into an expression whatever YAML has done to
 * it: escapes, folded lines, indentation.
 */
#ifndef PIPELINE_SCALAR_TEXT_H
#define PIPELINE_SCALAR_TEXT_H

#include "base/document.h"

/*
 * What the parser has found, whose escapes are known to be right.
 *
 * header    of a block scalar the place of its `|` or `>`
 * from, to  bytes of the file that hold the contents: without quotes; of a block scalar the lines
 *           below its header
 * parent    columns that the map or list around a block scalar is indented by
 */
struct scalar_source {
    const char *file;
    enum node_style style;
    size_t header;
    size_t from;
    size_t to;
    size_t parent;
};

/*
 * Sets the text of the node and its offsets, which never decrease; both live in the arena.
 * False: no memory.
 */
bool scalar_text_read(struct arena *arena, const struct scalar_source *source, struct node *node);

#endif
