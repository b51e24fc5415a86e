/* SPDX-License-Identifier: MIT */
/*
 * Parts of a graph that nothing joins may come to stand far apart: empty bands across the whole picture
 * are made narrow.
 */
#include <stdlib.h>

#include "graph/layout.h"

enum { BAND = 36 }; /* what is left of an empty band */

/* What one item and the ways that leave it take up. */
struct extent {
    double top;
    double bottom;
    uint32_t item;
};

static int compare_tops(const void *left, const void *right)
{
    const struct extent *a = left;
    const struct extent *b = right;
    if (a->top < b->top || a->top > b->top) {
        return a->top < b->top ? -1 : 1;
    }
    return a->item < b->item ? -1 : a->item > b->item;
}

static struct extent extent_of(const struct layout *layout, uint32_t number)
{
    const struct layout_item *item = &layout->items[number];
    struct extent extent = { item->y - item->height / 2, item->y + item->height / 2, number };
    for (uint32_t i = 0; i < item->out_count; i++) {
        double y = layout->items[item->outs[i]].y;
        extent.top = y < extent.top ? y : extent.top;
        extent.bottom = y > extent.bottom ? y : extent.bottom;
    }
    return extent;
}

bool layout_close_bands(struct layout *layout)
{
    struct extent *extents =
        arena_alloc(layout->drawing->arena, (layout->item_count + 1) * sizeof *extents);
    if (extents == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < layout->item_count; i++) {
        extents[i] = extent_of(layout, i);
    }
    qsort(extents, layout->item_count, sizeof *extents, compare_tops);
    double shift = 0;
    double bottom = layout->item_count > 0 ? extents[0].bottom : 0;
    for (uint32_t i = 0; i < layout->item_count; i++) {
        double gap = extents[i].top - bottom;
        shift += gap > BAND ? gap - BAND : 0;
        bottom = extents[i].bottom > bottom ? extents[i].bottom : bottom;
        layout->items[extents[i].item].y -= shift;
    }
    return true;
}
