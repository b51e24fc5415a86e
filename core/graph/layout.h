/* SPDX-License-Identifier: MIT */
/*
 * Where things stand in a layered picture: columns from left to right by the longest way that leads to
 * them, within a column in an order with few crossings, at heights that make the ways straight.
 *
 * Boxes never overlap. A way that passes columns has a place in each of them, so it never runs through
 * a box.
 */
#ifndef GRAPH_LAYOUT_H
#define GRAPH_LAYOUT_H

#include "graph/draw.h"

enum { LAYOUT_MAX_ITEMS = 20000 };

/*
 * A node of the drawing, or (from drawing->node_count on) the place where a way passes a column.
 *
 * width, height  set by the caller for nodes
 * x, y           left edge, middle
 * place          within its column
 * ins, outs      neighbours in the columns beside
 */
struct layout_item {
    double width;
    double height;
    double x;
    double y;
    uint32_t column;
    uint32_t place;
    uint32_t *ins;
    uint32_t *outs;
    uint32_t in_count;
    uint32_t out_count;
};

/* lead: room that the caller needs in front of it. */
struct layout_column {
    uint32_t *items; /* from top to bottom */
    uint32_t count;
    double x;
    double width;
    double lead;
};

/* passes, pass_counts: by edge of the drawing, its first item of passing and how many follow it. */
struct layout {
    const struct drawing *drawing;
    struct layout_item *items;
    uint32_t item_count;
    struct layout_column *columns;
    uint32_t column_count;
    uint32_t *passes;
    uint32_t *pass_counts;
    double width;
    double height;
};

/* Columns and passing items; then the caller sets sizes. */
weir_status layout_init(struct layout *layout, const struct drawing *drawing, struct error *error);
/* Orders and places everything, from (0, 0) to (width, height). */
weir_status layout_place(struct layout *layout, struct error *error);

/* Parts of layout_place, each in a file of its own. close_bands: false without memory. */
weir_status layout_order(struct layout *layout, struct error *error);
bool layout_close_bands(struct layout *layout);

#endif
