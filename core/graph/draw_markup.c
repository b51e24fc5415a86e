/* SPDX-License-Identifier: MIT */
/*
 * The graph in the languages of other programs: Graphviz, Mermaid, JSON. Nodes are named by number, so
 * only labels need escaping.
 */
#include <string.h>

#include "graph/draw.h"
#include "graph/pen.h"
#include "value/json.h"

/* ---- Graphviz ---------------------------------------------------------------------------------- */

static const char *escape_dot(unsigned char byte)
{
    switch (byte) {
    case '"':
        return "\\\"";
    case '\\':
        return "\\\\";
    default:
        return byte < ' ' || byte == 0x7f ? " " : NULL;
    }
}

static void dot_text(struct pen *pen, const char *text)
{
    pen_escaped(pen, text, strlen(text), escape_dot);
}

static void dot_node(struct pen *pen, const struct draw_node *node, uint32_t number)
{
    static const char *const looks[] = {
        "shape=box, fillcolor=\"#e6f4ea\"",
        "shape=box, style=\"filled,rounded\", fillcolor=\"#e3eefb\"",
        "shape=box, fillcolor=\"#f6f7f9\"", "shape=box, peripheries=2, fillcolor=\"#fdf0e0\""
    };
    pen_printf(pen, "  n%u [%s, label=\"", number, looks[node->kind]);
    pen_printf(pen, "%s%s", node->noun, node->noun[0] != 0 ? " " : "");
    dot_text(pen, node->name);
    for (uint32_t i = 0; i < node->line_count; i++) {
        pen_text(pen, i == 0 ? "\\n" : "\\l");
        dot_text(pen, node->lines[i]);
    }
    pen_text(pen, node->line_count > 0 ? "\\l\", tooltip=\"" : "\", tooltip=\"");
    for (uint32_t i = 0; i < node->line_count; i++) {
        pen_text(pen, i > 0 ? "\\n" : "");
        dot_text(pen, node->fulls[i]);
    }
    dot_text(pen, node->notes != NULL ? node->notes : node->line_count == 0 ? node->name : "");
    pen_text(pen, "\"];\n");
}

weir_status drawing_write_dot(const struct drawing *drawing, weir_buffer *out, struct error *error)
{
    struct pen pen = { .out = out };
    pen_text(&pen, "digraph \"");
    dot_text(&pen, drawing->name);
    pen_text(&pen,
             "\" {\n  rankdir=LR;\n  node [style=filled, fontname=\"sans-serif\", fontsize=11];\n"
             "  edge [fontname=\"sans-serif\", fontsize=10];\n");
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        dot_node(&pen, &drawing->nodes[i], i);
    }
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        const struct draw_edge *edge = &drawing->edges[i];
        pen_printf(&pen, "  n%u -> n%u", edge->from, edge->to);
        const char *label = edge->ports != NULL ? edge->ports : edge->label;
        if (label != NULL) {
            pen_text(&pen, " [label=\"");
            dot_text(&pen, label);
            pen_text(&pen, "\"]");
        }
        pen_text(&pen, ";\n");
    }
    pen_text(&pen, "}\n");
    return pen_finish(&pen, error);
}

/* ---- Mermaid ----------------------------------------------------------------------------------- */

/* Labels are read as Markdown with HTML; '#' begins an entity. */
static const char *escape_mermaid(unsigned char byte)
{
    switch (byte) {
    case '"':
        return "#quot;";
    case '#':
        return "#35;";
    case '&':
        return "#amp;";
    case '<':
        return "#lt;";
    case '>':
        return "#gt;";
    case '`':
        return "#96;";
    case '*':
        return "#42;";
    case '_':
        return "#95;";
    case '\\':
        return "#92;";
    default:
        return byte < ' ' || byte == 0x7f ? " " : NULL;
    }
}

static void mermaid_text(struct pen *pen, const char *text)
{
    pen_escaped(pen, text, strlen(text), escape_mermaid);
}

static void mermaid_node(struct pen *pen, const struct draw_node *node, uint32_t number)
{
    static const char *const open[] = { "[/\"", "([\"", "[\"", "[[\"" };
    static const char *const close[] = { "\"/]", "\"])", "\"]", "\"]]" };
    pen_printf(pen, "  n%u%s%s%s", number, open[node->kind], node->noun,
               node->noun[0] != 0 ? " " : "");
    mermaid_text(pen, node->name);
    for (uint32_t i = 0; i < node->line_count; i++) {
        pen_text(pen, "<br/>");
        mermaid_text(pen, node->lines[i]);
    }
    pen_printf(pen, "%s\n", close[node->kind]);
}

weir_status drawing_write_mermaid(const struct drawing *drawing, weir_buffer *out,
                                  struct error *error)
{
    struct pen pen = { .out = out };
    pen_text(&pen, "graph LR\n");
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        mermaid_node(&pen, &drawing->nodes[i], i);
    }
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        const struct draw_edge *edge = &drawing->edges[i];
        pen_printf(&pen, "  n%u -->", edge->from);
        const char *label = edge->ports != NULL ? edge->ports : edge->label;
        if (label != NULL) {
            pen_text(&pen, "|\"");
            mermaid_text(&pen, label);
            pen_text(&pen, "\"|");
        }
        pen_printf(&pen, " n%u\n", edge->to);
    }
    return pen_finish(&pen, error);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void json_text(struct pen *pen, const char *text)
{
    if (pen->status == WEIR_OK) {
        pen->status = json_write_text(text, strlen(text), pen->out);
    }
}

static void json_node(struct pen *pen, const struct draw_node *node, uint32_t number)
{
    static const char *const kinds[] = { "source", "topic", "stream", "sink" };
    pen_printf(pen, "{\"number\":%u,\"kind\":\"%s\",\"name\":", number, kinds[node->kind]);
    json_text(pen, node->name);
    if (node->stream != NULL) {
        pen_text(pen, ",\"stream\":");
        json_text(pen, node->stream);
    }
    pen_text(pen, ",\"plugins\":[");
    for (uint32_t i = 0; i < node->line_count; i++) {
        pen_text(pen, i > 0 ? "," : "");
        json_text(pen, node->fulls[i]);
    }
    pen_text(pen, "]}");
}

weir_status drawing_write_json(const struct drawing *drawing, weir_buffer *out, struct error *error)
{
    struct pen pen = { .out = out };
    pen_text(&pen, "{\"pipeline\":");
    json_text(&pen, drawing->name);
    pen_text(&pen, ",\"nodes\":[");
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        pen_text(&pen, i > 0 ? ",\n" : "\n");
        json_node(&pen, &drawing->nodes[i], i);
    }
    pen_text(&pen, "],\"edges\":[");
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        const struct draw_edge *edge = &drawing->edges[i];
        pen_printf(&pen, "%s\n{\"from\":%u,\"to\":%u", i > 0 ? "," : "", edge->from, edge->to);
        if (edge->output != NULL) {
            pen_text(&pen, ",\"output\":");
            json_text(&pen, edge->output);
        }
        if (edge->input != NULL) {
            pen_text(&pen, ",\"input\":");
            json_text(&pen, edge->input);
        }
        if (edge->label != NULL) {
            pen_text(&pen, ",\"label\":");
            json_text(&pen, edge->label);
        }
        pen_text(&pen, "}");
    }
    pen_text(&pen, "]}\n");
    return pen_finish(&pen, error);
}
