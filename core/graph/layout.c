/* SPDX-License-Identifier: MIT */
/*
 * Columns, and the heights within them.
 *
 * Heights: every item wants to stand at the mean of its neighbours, but the order of its column and the
 * gaps must be kept. The nearest such heights (least squares) are found exactly by pooling: items that
 * would overlap are joined to blocks that move as one.
 */
#include "graph/layout.h"

enum {
    SWEEPS = 24,
    GAP_NODES = 20,  /* between boxes of a column */
    GAP_PASSES = 12, /* beside a way that passes */
    GAP_COLUMNS = 44,
    GAP_PER_LINK = 3, /* more room where many ways are to be told apart */
    GAP_COLUMNS_MAX = 110
};

/* ---- columns ----------------------------------------------------------------------------------- */

/* The longest way that leads to each node; nodes without one stand beside what they lead to. */
static bool find_columns(struct layout *layout)
{
    const struct drawing *drawing = layout->drawing;
    uint32_t *open = arena_zeroed(drawing->arena, (drawing->node_count + 1) * sizeof *open);
    uint32_t *queue = arena_alloc(drawing->arena, (drawing->node_count + 1) * sizeof *queue);
    uint32_t count = 0;
    if (open == NULL || queue == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        open[i] = drawing->nodes[i].ins;
        if (open[i] == 0) {
            queue[count++] = i;
        }
    }
    for (uint32_t k = 0; k < count; k++) {
        const struct draw_node *node = &drawing->nodes[queue[k]];
        for (uint32_t i = 0; i < node->out_count; i++) {
            uint32_t to = drawing->edges[node->outs[i]].to;
            uint32_t least = layout->items[queue[k]].column + 1;
            if (layout->items[to].column < least) {
                layout->items[to].column = least;
            }
            if (--open[to] == 0) {
                queue[count++] = to;
            }
        }
    }
    return true;
}

static void draw_near(struct layout *layout)
{
    const struct drawing *drawing = layout->drawing;
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        const struct draw_node *node = &drawing->nodes[i];
        uint32_t nearest = UINT32_MAX;
        for (uint32_t k = 0; k < node->out_count; k++) {
            uint32_t column = layout->items[drawing->edges[node->outs[k]].to].column;
            nearest = column < nearest ? column : nearest;
        }
        if (node->ins == 0 && nearest != UINT32_MAX) {
            layout->items[i].column = nearest - 1;
        }
    }
}

static weir_status too_large(struct error *error)
{
    error_set(error, WEIR_E_LIMIT, WEIR_CLASS_RESOURCE, "the graph is too large for a picture");
    error_hint(error, "use --format text or dot");
    return WEIR_E_LIMIT;
}

static weir_status count_items(struct layout *layout, struct error *error)
{
    const struct drawing *drawing = layout->drawing;
    uint64_t count = drawing->node_count;
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        const struct draw_edge *edge = &drawing->edges[i];
        uint32_t passes = layout->items[edge->to].column - layout->items[edge->from].column - 1;
        layout->passes[i] = (uint32_t)count;
        layout->pass_counts[i] = passes;
        count += passes;
        if (count > LAYOUT_MAX_ITEMS) {
            return too_large(error);
        }
    }
    layout->item_count = (uint32_t)count;
    return WEIR_OK;
}

/* Calls `link` for every stretch between two neighbouring columns. */
static void each_link(struct layout *layout,
                      void (*link)(struct layout_item *from, uint32_t from_number,
                                   struct layout_item *to, uint32_t to_number))
{
    const struct drawing *drawing = layout->drawing;
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        uint32_t from = drawing->edges[i].from;
        for (uint32_t k = 0; k <= layout->pass_counts[i]; k++) {
            uint32_t to = k < layout->pass_counts[i] ? layout->passes[i] + k : drawing->edges[i].to;
            link(&layout->items[from], from, &layout->items[to], to);
            from = to;
        }
    }
}

static void count_link(struct layout_item *from, uint32_t from_number, struct layout_item *to,
                       uint32_t to_number)
{
    (void)from_number;
    (void)to_number;
    from->out_count++;
    to->in_count++;
}

static void add_link(struct layout_item *from, uint32_t from_number, struct layout_item *to,
                     uint32_t to_number)
{
    from->outs[from->out_count++] = to_number;
    to->ins[to->in_count++] = from_number;
}

static bool link_items(struct layout *layout)
{
    each_link(layout, count_link);
    for (uint32_t i = 0; i < layout->item_count; i++) {
        struct layout_item *item = &layout->items[i];
        size_t count = (size_t)item->in_count + item->out_count;
        item->ins = arena_alloc(layout->drawing->arena, (count + 1) * sizeof *item->ins);
        if (item->ins == NULL) {
            return false;
        }
        item->outs = item->ins + item->in_count;
        item->in_count = item->out_count = 0;
    }
    each_link(layout, add_link);
    return true;
}

static bool fill_columns(struct layout *layout)
{
    struct arena *arena = layout->drawing->arena;
    for (uint32_t i = 0; i < layout->item_count; i++) {
        uint32_t needed = layout->items[i].column + 1;
        layout->column_count = needed > layout->column_count ? needed : layout->column_count;
    }
    layout->columns = arena_zeroed(arena, (layout->column_count + 1) * sizeof *layout->columns);
    uint32_t *room = arena_alloc(arena, (layout->item_count + 1) * sizeof *room);
    if (layout->columns == NULL || room == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < layout->item_count; i++) {
        layout->columns[layout->items[i].column].count++;
    }
    for (uint32_t c = 0; c < layout->column_count; c++) {
        layout->columns[c].items = room;
        room += layout->columns[c].count;
        layout->columns[c].count = 0;
    }
    for (uint32_t i = 0; i < layout->item_count; i++) {
        struct layout_column *column = &layout->columns[layout->items[i].column];
        layout->items[i].place = column->count;
        column->items[column->count++] = i;
    }
    return true;
}

weir_status layout_init(struct layout *layout, const struct drawing *drawing, struct error *error)
{
    struct arena *arena = drawing->arena;
    *layout = (struct layout){ .drawing = drawing };
    if (drawing->node_count > LAYOUT_MAX_ITEMS) {
        return too_large(error);
    }
    layout->items = arena_zeroed(arena, (LAYOUT_MAX_ITEMS + 1) * sizeof *layout->items);
    layout->passes = arena_zeroed(arena, (drawing->edge_count + 1) * sizeof *layout->passes);
    layout->pass_counts =
        arena_zeroed(arena, (drawing->edge_count + 1) * sizeof *layout->pass_counts);
    if (layout->items == NULL || layout->passes == NULL || layout->pass_counts == NULL ||
        !find_columns(layout)) {
        return error_no_memory(error);
    }
    draw_near(layout);
    weir_status st = count_items(layout, error);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        for (uint32_t k = 0; k < layout->pass_counts[i]; k++) {
            layout->items[layout->passes[i] + k].column =
                layout->items[drawing->edges[i].from].column + k + 1;
        }
    }
    return link_items(layout) && fill_columns(layout) ? WEIR_OK : error_no_memory(error);
}

/* ---- heights ----------------------------------------------------------------------------------- */

static bool is_passing(const struct layout *layout, uint32_t number)
{
    return number >= layout->drawing->node_count;
}

/* Middles of two items, the second below the first, are at least so far apart. */
static double distance(const struct layout *layout, uint32_t upper, uint32_t lower)
{
    double gap = is_passing(layout, upper) || is_passing(layout, lower) ? GAP_PASSES : GAP_NODES;
    return (layout->items[upper].height + layout->items[lower].height) / 2 + gap;
}

struct wish {
    double sum;
    double weight;
};

/* Stretches between passing items are long ones: to keep these straight counts more. */
static void add_wishes(const struct layout *layout, uint32_t number, const uint32_t *neighbours,
                       uint32_t count, struct wish *wish)
{
    for (uint32_t i = 0; i < count; i++) {
        double weight = is_passing(layout, number) ? 2 : 1;
        weight *= is_passing(layout, neighbours[i]) ? 4 : 1;
        wish->sum += weight * layout->items[neighbours[i]].y;
        wish->weight += weight;
    }
}

/* first: of the items that move as one; sum, weight: of what they wish for its shared origin. */
struct block {
    uint32_t first;
    double sum;
    double weight;
};

static double block_origin(const struct block *block)
{
    return block->sum / block->weight;
}

/* blocks: room for as many as the column has items. */
static void settle_column(struct layout *layout, const struct layout_column *column, bool use_ins,
                          bool use_outs, struct block *blocks)
{
    uint32_t block_count = 0;
    double offset = 0; /* of the item's middle, were the whole column one block */
    for (uint32_t k = 0; k < column->count; k++) {
        uint32_t number = column->items[k];
        const struct layout_item *item = &layout->items[number];
        struct wish wish = { 0 };
        offset += k > 0 ? distance(layout, column->items[k - 1], number) : 0;
        add_wishes(layout, number, item->ins, use_ins ? item->in_count : 0, &wish);
        add_wishes(layout, number, item->outs, use_outs ? item->out_count : 0, &wish);
        if (wish.weight <= 0) {
            wish = (struct wish){ item->y * 0.01, 0.01 };
        }
        blocks[block_count++] = (struct block){ k, wish.sum - wish.weight * offset, wish.weight };
        while (block_count > 1 &&
               block_origin(&blocks[block_count - 2]) >= block_origin(&blocks[block_count - 1])) {
            blocks[block_count - 2].sum += blocks[block_count - 1].sum;
            blocks[block_count - 2].weight += blocks[block_count - 1].weight;
            block_count--;
        }
    }
    offset = 0;
    for (uint32_t k = 0, b = 0; k < column->count; k++) {
        offset += k > 0 ? distance(layout, column->items[k - 1], column->items[k]) : 0;
        b += b + 1 < block_count && blocks[b + 1].first == k;
        layout->items[column->items[k]].y = block_origin(&blocks[b]) + offset;
    }
}

static void stack_columns(struct layout *layout)
{
    for (uint32_t c = 0; c < layout->column_count; c++) {
        const struct layout_column *column = &layout->columns[c];
        double y = 0;
        for (uint32_t k = 0; k < column->count; k++) {
            y += k > 0 ? distance(layout, column->items[k - 1], column->items[k]) : 0;
            layout->items[column->items[k]].y = y;
        }
    }
}

static bool settle(struct layout *layout)
{
    struct block *blocks =
        arena_alloc(layout->drawing->arena, (layout->item_count + 1) * sizeof *blocks);
    if (blocks == NULL) {
        return false;
    }
    uint32_t count = layout->column_count;
    stack_columns(layout);
    for (uint32_t sweep = 0; sweep < SWEEPS; sweep++) {
        bool is_last = sweep + 4 >= SWEEPS; /* at last all look to both sides */
        for (uint32_t k = 0; k < count; k++) {
            uint32_t c = sweep % 2 == 0 ? k : count - 1 - k;
            settle_column(layout, &layout->columns[c], is_last || sweep % 2 == 0,
                          is_last || sweep % 2 == 1, blocks);
        }
    }
    return true;
}

/* ---- sides ------------------------------------------------------------------------------------- */

/* Links that leave a column. */
static uint32_t count_links(const struct layout *layout, const struct layout_column *column)
{
    uint32_t count = 0;
    for (uint32_t k = 0; k < column->count; k++) {
        count += layout->items[column->items[k]].out_count;
    }
    return count;
}

static void set_sides(struct layout *layout)
{
    double x = 0;
    for (uint32_t c = 0; c < layout->column_count; c++) {
        struct layout_column *column = &layout->columns[c];
        column->x = x;
        for (uint32_t k = 0; k < column->count; k++) {
            struct layout_item *item = &layout->items[column->items[k]];
            item->x = x;
            column->width = item->width > column->width ? item->width : column->width;
        }
        layout->width = x + column->width;
        double gap = GAP_COLUMNS + (double)GAP_PER_LINK * count_links(layout, column);
        gap = gap < GAP_COLUMNS_MAX ? gap : GAP_COLUMNS_MAX;
        bool is_last = c + 1 == layout->column_count;
        x = layout->width +
            (is_last || layout->columns[c + 1].lead < gap ? gap : layout->columns[c + 1].lead);
    }
}

/* The topmost edge becomes 0. */
static void set_top(struct layout *layout)
{
    double top = 0;
    double bottom = 0;
    for (uint32_t i = 0; i < layout->item_count; i++) {
        const struct layout_item *item = &layout->items[i];
        double upper = item->y - item->height / 2;
        double lower = item->y + item->height / 2;
        top = i == 0 || upper < top ? upper : top;
        bottom = i == 0 || lower > bottom ? lower : bottom;
    }
    for (uint32_t i = 0; i < layout->item_count; i++) {
        layout->items[i].y -= top;
    }
    layout->height = bottom - top;
}

weir_status layout_place(struct layout *layout, struct error *error)
{
    weir_status st = layout_order(layout, error);
    if (st != WEIR_OK) {
        return st;
    }
    if (!settle(layout) || !layout_close_bands(layout)) {
        return error_no_memory(error);
    }
    set_sides(layout);
    set_top(layout);
    return WEIR_OK;
}
