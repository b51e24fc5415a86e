/* SPDX-License-Identifier: MIT */
/*
 * The graph as a tree of lines. A node stands in full where a walk from the first beginning comes to it
 * first; wherever else something leads to it, only its name stands, with "(above)".
 */
#include <string.h>

#include "graph/draw.h"
#include "graph/pen.h"

/* A node that is being written: which of its ways is next, and whether it is its parent's last. */
struct walk_step {
    uint32_t node;
    uint32_t next;
    bool is_last;
};

struct walk {
    const struct drawing *drawing;
    struct pen *pen;
    struct walk_step *stack;
    uint32_t depth;
    bool *is_written;
};

/* The lines that lead past: those of nodes that have more to come. */
static void write_prefix(const struct walk *walk)
{
    for (uint32_t i = 1; i < walk->depth; i++) {
        pen_text(walk->pen, walk->stack[i].is_last ? "   " : "\xe2\x94\x82  ");
    }
}

static void write_title(const struct walk *walk, const struct draw_node *node)
{
    struct pen *pen = walk->pen;
    bool is_plugin = node->kind == DRAW_SOURCE || node->kind == DRAW_SINK;
    const char *line = is_plugin && node->line_count > 0 ? node->lines[0] : "";
    pen_printf(pen, "%s%s", node->noun, node->noun[0] != 0 ? " " : "");
    if (line[0] == 0 || node->words[0] == 0) {
        pen_printf(pen, "%s%s%s", node->name, line[0] != 0 ? " " : "", line);
    } else {
        pen_printf(pen, "%s (%s)", line, node->name);
    }
}

static void write_steps(const struct walk *walk, const struct draw_node *node)
{
    if (node->kind != DRAW_STREAM) {
        return;
    }
    for (uint32_t i = 0; i < node->line_count; i++) {
        write_prefix(walk);
        pen_printf(walk->pen, "%s  %s\n", node->out_count > 0 ? "\xe2\x94\x82" : " ",
                   node->lines[i]);
    }
}

/* Writes a node and makes it the one whose ways come next. */
static void enter(struct walk *walk, uint32_t number, bool is_last, const struct draw_edge *edge)
{
    const struct draw_node *node = &walk->drawing->nodes[number];
    bool is_again = walk->is_written[number];
    if (walk->depth > 0) {
        write_prefix(walk);
        pen_text(walk->pen, is_last ? "\xe2\x94\x94\xe2\x94\x80 " : "\xe2\x94\x9c\xe2\x94\x80 ");
    }
    write_title(walk, node);
    if (edge != NULL && edge->output != NULL) {
        pen_printf(walk->pen, ", by output %s", edge->output);
    }
    if (edge != NULL && edge->input != NULL) {
        pen_printf(walk->pen, ", as %s", edge->input);
    }
    if (edge != NULL && edge->label != NULL) {
        pen_printf(walk->pen, ", %s", edge->label);
    }
    pen_printf(walk->pen, "%s\n", is_again ? " (above)" : "");
    walk->is_written[number] = true;
    if (is_again) {
        return;
    }
    walk->stack[walk->depth++] = (struct walk_step){ number, 0, is_last };
    write_steps(walk, node);
}

static void write_tree(struct walk *walk, uint32_t root)
{
    enter(walk, root, true, NULL);
    while (walk->depth > 0 && walk->pen->status == WEIR_OK) {
        struct walk_step *step = &walk->stack[walk->depth - 1];
        const struct draw_node *node = &walk->drawing->nodes[step->node];
        if (step->next == node->out_count) {
            walk->depth--;
            continue;
        }
        const struct draw_edge *edge = &walk->drawing->edges[node->outs[step->next++]];
        enter(walk, edge->to, step->next == node->out_count, edge);
    }
    walk->depth = 0;
}

weir_status drawing_write_text(const struct drawing *drawing, weir_buffer *out, struct error *error)
{
    struct pen pen = { .out = out };
    struct walk walk = {
        .drawing = drawing,
        .pen = &pen,
        .stack = arena_alloc(drawing->arena, (drawing->node_count + 1) * sizeof *walk.stack),
        .is_written = arena_zeroed(drawing->arena, drawing->node_count + 1),
    };
    if (walk.stack == NULL || walk.is_written == NULL) {
        return error_no_memory(error);
    }
    pen_printf(&pen, "%s\n", drawing->name);
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        if (drawing->nodes[i].ins == 0) {
            pen_text(&pen, "\n");
            write_tree(&walk, i);
        }
    }
    return pen_finish(&pen, error);
}
