/* SPDX-License-Identifier: MIT */
/*
 * Layouts of small graphs, written as pairs of letters: "ab ac" are ways from a to b and from a to c.
 */
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "graph/layout.h"
#include "unit.h"

enum { NODES = 26, EDGES = 64 };

static struct draw_node nodes[NODES];
static struct draw_edge edges[EDGES];
static uint32_t outs[EDGES];
static struct drawing drawing;
static struct arena arena;
static struct layout layout;
static struct error error;

/* Edges of one node stand together in the text. */
static void draw(uint32_t node_count, const char *text)
{
    memset(nodes, 0, sizeof nodes);
    drawing = (struct drawing){
        .nodes = nodes, .node_count = node_count, .edges = edges, .arena = &arena
    };
    for (const char *t = text; *t != 0; t += t[2] == ' ' ? 3 : 2) {
        uint32_t number = drawing.edge_count++;
        struct draw_node *from = &nodes[t[0] - 'a'];
        edges[number] =
            (struct draw_edge){ .from = (uint32_t)(t[0] - 'a'), .to = (uint32_t)(t[1] - 'a') };
        outs[number] = number;
        from->outs = from->out_count == 0 ? &outs[number] : from->outs;
        from->out_count++;
        nodes[t[1] - 'a'].ins++;
    }
}

static weir_status place(void)
{
    weir_status st = layout_init(&layout, &drawing, &error);
    for (uint32_t i = 0; st == WEIR_OK && i < drawing.node_count; i++) {
        layout.items[i].width = 40 + 10 * (i % 4);
        layout.items[i].height = 20 + 15 * (i % 3);
    }
    return st == WEIR_OK ? layout_place(&layout, &error) : st;
}

static void set_up(void)
{
    arena_init(&arena, 0);
    error = (struct error){ 0 };
}

static void tear_down(void)
{
    memory_fail_from(0);
    arena_deinit(&arena);
}

struct column_case {
    const char *title;
    uint32_t nodes;
    const char *edges;
    const char *columns; /* one digit a node */
};

static const struct column_case column_cases[] = {
    { "a chain", 3, "ab bc", "012" },
    { "the longest way counts", 4, "ab ac bd bc cd", "0123" },
    { "what nothing leads to stands beside what it leads to", 4, "ab bc dc", "0121" },
    { "what is alone stands first", 2, "", "00" },
    { "two parts", 4, "ab cd", "0101" },
};

START_TEST(columns_follow_the_longest_way)
{
    const struct column_case *c = &column_cases[_i];
    char text[NODES + 1] = { 0 };
    draw(c->nodes, c->edges);
    ck_assert_int_eq(place(), WEIR_OK);
    for (uint32_t i = 0; i < c->nodes; i++) {
        text[i] = (char)('0' + layout.items[i].column);
    }
    ck_assert_msg(strcmp(text, c->columns) == 0, "%s: %s, wanted %s", c->title, text, c->columns);
}
END_TEST

START_TEST(a_way_passes_every_column_between)
{
    draw(4, "ab ad bc cd");
    ck_assert_int_eq(place(), WEIR_OK);
    ck_assert_uint_eq(layout.item_count, 6);
    ck_assert_uint_eq(layout.pass_counts[1], 2);
    ck_assert_uint_eq(layout.items[layout.passes[1]].column, 1);
    ck_assert_uint_eq(layout.items[layout.passes[1] + 1].column, 2);
}
END_TEST

START_TEST(ways_that_need_not_cross_do_not)
{
    draw(6, "ad ae bf cd ce");
    ck_assert_int_eq(place(), WEIR_OK);
    uint32_t b = layout.items[1].place;
    uint32_t f = layout.items[5].place;
    ck_assert_msg((b == 0 && f == 0) || (b == 2 && f == 2), "b at %u, f at %u", b, f);
}
END_TEST

START_TEST(a_chain_is_straight)
{
    draw(4, "ab bc cd");
    ck_assert_int_eq(place(), WEIR_OK);
    for (uint32_t i = 1; i < 4; i++) {
        ck_assert_double_eq_tol(layout.items[i].y, layout.items[0].y, 0.5);
    }
}
END_TEST

/* Boxes of a column one below the other, columns beside each other, all within the picture. */
static void check_apart(void)
{
    for (uint32_t c = 0; c < layout.column_count; c++) {
        const struct layout_column *column = &layout.columns[c];
        for (uint32_t k = 0; k < column->count; k++) {
            const struct layout_item *item = &layout.items[column->items[k]];
            ck_assert_double_ge(item->y - item->height / 2, -0.01);
            ck_assert_double_le(item->y + item->height / 2, layout.height + 0.01);
            if (k > 0) {
                const struct layout_item *upper = &layout.items[column->items[k - 1]];
                ck_assert_double_ge(item->y - item->height / 2, upper->y + upper->height / 2 + 10);
            }
        }
        if (c > 0) {
            const struct layout_column *left = &layout.columns[c - 1];
            ck_assert_double_ge(column->x, left->x + left->width + 40);
        }
    }
}

START_TEST(boxes_never_overlap)
{
    char text[3 * EDGES + 1] = { 0 };
    srandom((unsigned)_i + 1);
    uint32_t count = 2 + (uint32_t)random() % (NODES - 2);
    size_t used = 0;
    for (uint32_t from = 0; from + 1 < count; from++) {
        uint32_t ways = (uint32_t)random() % 3;
        for (uint32_t k = 0; k < ways && used + 3 < sizeof text; k++) {
            uint32_t to = from + 1 + (uint32_t)random() % (count - from - 1);
            text[used++] = (char)('a' + from);
            text[used++] = (char)('a' + to);
            text[used++] = ' ';
        }
    }
    draw(count, text);
    ck_assert_int_eq(place(), WEIR_OK);
    check_apart();
}
END_TEST

START_TEST(parts_that_nothing_joins_stay_near)
{
    draw(9, "ab cd ce cf cg ch ci");
    ck_assert_int_eq(place(), WEIR_OK);
    double gap = layout.items[2].y - layout.items[0].y;
    ck_assert_double_gt(gap, 0);
    check_apart();
    double lowest = 0;
    for (uint32_t i = 0; i < 2; i++) {
        double bottom = layout.items[i].y + layout.items[i].height / 2;
        lowest = bottom > lowest ? bottom : lowest;
    }
    double highest = layout.height;
    for (uint32_t i = 2; i < 9; i++) {
        double top = layout.items[i].y - layout.items[i].height / 2;
        highest = top < highest ? top : highest;
    }
    ck_assert_double_le(highest - lowest, 36.01);
}
END_TEST

START_TEST(what_is_too_large_is_refused)
{
    draw(2, "ab");
    drawing.node_count = LAYOUT_MAX_ITEMS + 1;
    ck_assert_int_eq(layout_init(&layout, &drawing, &error), WEIR_E_LIMIT);
    ck_assert_ptr_nonnull(strstr(error.message, "too large"));
    ck_assert_ptr_nonnull(strstr(error.hint, "--format text"));
}
END_TEST

START_TEST(every_lack_of_memory_is_told)
{
    weir_status st = WEIR_E_NOMEM;
    for (size_t k = 1; st == WEIR_E_NOMEM; k++) {
        arena_deinit(&arena);
        arena_init(&arena, 16);
        draw(5, "ab ac ae bd cd");
        memory_fail_from(k);
        st = place();
        memory_fail_from(0);
        ck_assert_uint_lt(k, 100);
    }
    ck_assert_int_eq(st, WEIR_OK);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("layout");
    TCase *tc = tcase_create("layout");
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, columns_follow_the_longest_way, 0,
                        (int)(sizeof column_cases / sizeof column_cases[0]));
    tcase_add_test(tc, a_way_passes_every_column_between);
    tcase_add_test(tc, ways_that_need_not_cross_do_not);
    tcase_add_test(tc, a_chain_is_straight);
    tcase_add_loop_test(tc, boxes_never_overlap, 0, 40);
    tcase_add_test(tc, parts_that_nothing_joins_stay_near);
    tcase_add_test(tc, what_is_too_large_is_refused);
    tcase_add_test(tc, every_lack_of_memory_is_told);
    suite_add_tcase(s, tc);
    return s;
}
