/* SPDX-License-Identifier: MIT */
/*
 * The order within columns. A walk along the graph gives the first one, in which trees have no
 * crossings; sweeps to and fro then move every item to the mean of its neighbours. The order with the
 * fewest crossings is kept.
 */
#include <stdlib.h>
#include <string.h>

#include "graph/layout.h"

enum { ROUNDS = 12 };

struct keyed {
    double key;
    uint32_t item;
    uint32_t place;
};

struct orderer {
    struct layout *layout;
    struct keyed *keyed;
    uint32_t *best; /* place by item */
    uint32_t *tree; /* counts by place, for counting crossings */
};

static int compare_keys(const void *left, const void *right)
{
    const struct keyed *a = left;
    const struct keyed *b = right;
    if (a->key < b->key || a->key > b->key) {
        return a->key < b->key ? -1 : 1;
    }
    return a->place < b->place ? -1 : a->place > b->place;
}

static void sort_column(struct orderer *o, struct layout_column *column)
{
    qsort(o->keyed, column->count, sizeof *o->keyed, compare_keys);
    for (uint32_t k = 0; k < column->count; k++) {
        column->items[k] = o->keyed[k].item;
        o->layout->items[column->items[k]].place = k;
    }
}

static void set_key(struct orderer *o, uint32_t k, uint32_t item, double key)
{
    o->keyed[k] = (struct keyed){ key, item, o->layout->items[item].place };
}

/* ---- the first order --------------------------------------------------------------------------- */

/* Numbers items as a walk meets them, ways in the order in which records take them. */
static void walk(const struct layout *layout, uint32_t root, uint32_t *met, uint32_t *ret_count,
                 uint32_t *stack)
{
    uint32_t depth = 0;
    stack[depth++] = root;
    while (depth > 0) {
        uint32_t number = stack[--depth];
        const struct layout_item *item = &layout->items[number];
        if (met[number] != 0) {
            continue;
        }
        met[number] = ++*ret_count;
        for (uint32_t i = item->out_count; i > 0; i--) {
            stack[depth++] = item->outs[i - 1];
        }
    }
}

static bool order_by_walk(struct orderer *o)
{
    struct layout *layout = o->layout;
    struct arena *arena = layout->drawing->arena;
    size_t links = 1;
    for (uint32_t i = 0; i < layout->item_count; i++) {
        links += layout->items[i].out_count + 1u;
    }
    uint32_t *met = arena_zeroed(arena, (layout->item_count + 1) * sizeof *met);
    uint32_t *stack = arena_alloc(arena, links * sizeof *stack);
    uint32_t count = 0;
    if (met == NULL || stack == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < layout->item_count; i++) {
        if (layout->items[i].in_count == 0) {
            walk(layout, i, met, &count, stack);
        }
    }
    for (uint32_t c = 0; c < layout->column_count; c++) {
        struct layout_column *column = &layout->columns[c];
        for (uint32_t k = 0; k < column->count; k++) {
            set_key(o, k, column->items[k], met[column->items[k]]);
        }
        sort_column(o, column);
    }
    return true;
}

/* ---- crossings --------------------------------------------------------------------------------- */

/* How many of the marks so far stand behind a place; `size` places. */
static uint64_t count_behind(const uint32_t *tree, uint32_t size, uint32_t place)
{
    uint64_t count = 0;
    for (uint32_t i = size - 1 - place; i > 0; i &= i - 1) {
        count += tree[i];
    }
    return count;
}

/* Places are counted from the end, so that those behind are a prefix. */
static void mark(uint32_t *tree, uint32_t size, uint32_t place)
{
    for (uint32_t i = size - place; i <= size; i += i & (~i + 1)) {
        tree[i]++;
    }
}

static uint64_t count_crossings(const struct orderer *o)
{
    const struct layout *layout = o->layout;
    uint64_t count = 0;
    for (uint32_t c = 0; c + 1 < layout->column_count; c++) {
        const struct layout_column *column = &layout->columns[c];
        uint32_t size = layout->columns[c + 1].count;
        memset(o->tree, 0, (size + 1) * sizeof *o->tree);
        for (uint32_t k = 0; k < column->count; k++) {
            const struct layout_item *item = &layout->items[column->items[k]];
            for (uint32_t i = 0; i < item->out_count; i++) {
                count += count_behind(o->tree, size, layout->items[item->outs[i]].place);
            }
            for (uint32_t i = 0; i < item->out_count; i++) {
                mark(o->tree, size, layout->items[item->outs[i]].place);
            }
        }
    }
    return count;
}

/* ---- sweeps ------------------------------------------------------------------------------------ */

static double mean_place(const struct layout *layout, const uint32_t *items, uint32_t count)
{
    double sum = 0;
    for (uint32_t i = 0; i < count; i++) {
        sum += layout->items[items[i]].place;
    }
    return sum / count;
}

static void sweep(struct orderer *o, bool is_forth)
{
    struct layout *layout = o->layout;
    for (uint32_t n = 0; n < layout->column_count; n++) {
        uint32_t c = is_forth ? n : layout->column_count - 1 - n;
        struct layout_column *column = &layout->columns[c];
        for (uint32_t k = 0; k < column->count; k++) {
            const struct layout_item *item = &layout->items[column->items[k]];
            uint32_t count = is_forth ? item->in_count : item->out_count;
            double key = count == 0 ? item->place
                                    : mean_place(layout, is_forth ? item->ins : item->outs, count);
            set_key(o, k, column->items[k], key);
        }
        sort_column(o, column);
    }
}

static void keep_order(const struct orderer *o)
{
    for (uint32_t i = 0; i < o->layout->item_count; i++) {
        o->best[i] = o->layout->items[i].place;
    }
}

static void restore_order(struct orderer *o)
{
    struct layout *layout = o->layout;
    for (uint32_t i = 0; i < layout->item_count; i++) {
        struct layout_item *item = &layout->items[i];
        item->place = o->best[i];
        layout->columns[item->column].items[item->place] = i;
    }
}

weir_status layout_order(struct layout *layout, struct error *error)
{
    struct arena *arena = layout->drawing->arena;
    size_t count = layout->item_count + 2;
    struct orderer o = { .layout = layout,
                         .keyed = arena_alloc(arena, count * sizeof *o.keyed),
                         .best = arena_alloc(arena, count * sizeof *o.best),
                         .tree = arena_alloc(arena, count * sizeof *o.tree) };
    if (o.keyed == NULL || o.best == NULL || o.tree == NULL || !order_by_walk(&o)) {
        return error_no_memory(error);
    }
    uint64_t least = count_crossings(&o);
    keep_order(&o);
    for (uint32_t round = 0; round < ROUNDS && least > 0; round++) {
        sweep(&o, round % 2 == 0);
        uint64_t crossings = count_crossings(&o);
        if (crossings < least) {
            least = crossings;
            keep_order(&o);
        }
    }
    restore_order(&o);
    return WEIR_OK;
}
