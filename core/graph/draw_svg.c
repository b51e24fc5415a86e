/* SPDX-License-Identifier: MIT */
/*
 * The graph as SVG: one file without scripts or references, light or dark as the reader's system is.
 * Every box is a <rect class="..."> of its own; what does not fit into it is in its <title>.
 */
#include <string.h>

#include "base/utf8.h"
#include "graph/draw.h"
#include "graph/layout.h"
#include "graph/pen.h"

enum {
    MARGIN = 24,
    HEAD = 30, /* for the pipeline's name */
    PADDING = 12,
    TITLE_HEIGHT = 30,
    LINE_HEIGHT = 18,
    MAX_LINES = 9,
    PORT_GAP = 9, /* between ways that come to one box */
    LABEL_PORT_GAP = 14,
    LABEL_LEAD = 56 /* of the curve in front of a label */
};

/* Advances in 1/10 pixel; fonts differ, so these are on the large side. */
enum { TITLE_ADVANCE = 80, NOUN_ADVANCE = 62, LINE_ADVANCE = 73 };

static const char style[] =
    "<style>\n"
    ".page{fill:#fff}.head{font:600 15px system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    ".name{font:600 13px system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    ".noun,.out{font:400 11px system-ui,'Segoe UI',Helvetica,Arial,sans-serif}\n"
    ".line{font:400 12px ui-monospace,SFMono-Regular,Menlo,Consolas,'DejaVu Sans Mono',monospace}\n"
    "text{fill:#1f2328}.noun,.out{fill:#59636e}.word{fill:#0550ae}\n"
    "rect{stroke-width:1.2}.stream{fill:#f6f8fa;stroke:#8c959f}.topic{fill:#ddf4ff;stroke:#54aeff}"
    "\n"
    ".source{fill:#dafbe1;stroke:#4ac26b}.sink{fill:#fff1e5;stroke:#fb8f44}\n"
    ".out{paint-order:stroke;stroke:#fff;stroke-width:3}\n"
    ".way{fill:none;stroke:#818b98;stroke-width:1.5}.tip{fill:#818b98}\n"
    "@media (prefers-color-scheme:dark){\n"
    ".page{fill:#0d1117}text{fill:#e6edf3}.noun,.out{fill:#9198a1}.word{fill:#79c0ff}\n"
    ".stream{fill:#161b22;stroke:#6e7681}.topic{fill:#10233f;stroke:#388bfd}\n"
    ".source{fill:#0f2a1a;stroke:#2ea043}.sink{fill:#33200f;stroke:#db6d28}\n"
    ".out{stroke:#0d1117}.way{stroke:#7d8590}.tip{fill:#7d8590}\n"
    "}\n"
    "</style>\n";

static const char *const classes[] = { "source", "topic", "stream", "sink" };

/* ---- sizes ------------------------------------------------------------------------------------- */

/* Characters of East Asian scripts and pictures are twice as wide. */
static uint32_t count_cells(const char *text)
{
    size_t len = strlen(text);
    uint32_t cells = 0;
    uint32_t point;
    for (size_t used = utf8_read(text, len, &point); used > 0;
         used = utf8_read(text, len, &point)) {
        cells += point >= 0x2e80 ? 2 : 1;
        text += used;
        len -= used;
    }
    return cells;
}

static uint32_t text_width(const char *text, uint32_t advance)
{
    return (count_cells(text) * advance + 9) / 10;
}

static uint32_t lines_shown(const struct draw_node *node)
{
    return node->line_count <= MAX_LINES ? node->line_count : MAX_LINES - 1;
}

static uint32_t title_width(const struct draw_node *node)
{
    uint32_t width = text_width(node->name, TITLE_ADVANCE);
    return node->noun[0] == 0 ? width : width + 8 + text_width(node->noun, NOUN_ADVANCE);
}

static void set_size(const struct draw_node *node, struct layout_item *item)
{
    uint32_t width = title_width(node);
    for (uint32_t i = 0; i < lines_shown(node); i++) {
        uint32_t line = text_width(node->lines[i], LINE_ADVANCE);
        width = line > width ? line : width;
    }
    uint32_t rows = lines_shown(node) + (lines_shown(node) < node->line_count);
    uint32_t padding = node->kind == DRAW_TOPIC ? PADDING + 4 : PADDING;
    item->width = width + 2 * padding < 80 ? 80 : width + 2 * padding;
    item->height = TITLE_HEIGHT + (rows == 0 ? 0 : rows * LINE_HEIGHT + 4);
}

/* The names of outputs and inputs stand in front of the box that records come to. */
static void set_lead(struct layout *layout, const struct draw_edge *edge)
{
    struct layout_column *column = &layout->columns[layout->items[edge->to].column];
    if (edge->ports != NULL) {
        double lead = text_width(edge->ports, NOUN_ADVANCE) + LABEL_LEAD;
        column->lead = lead > column->lead ? lead : column->lead;
    }
}

/* ---- boxes ------------------------------------------------------------------------------------- */

static void xml_text(struct pen *pen, const char *text)
{
    pen_escaped(pen, text, strlen(text), pen_xml);
}

static int px(double value)
{
    return (int)(value + (value < 0 ? -0.5 : 0.5));
}

static void write_tooltip(struct pen *pen, const struct draw_node *node)
{
    pen_text(pen, "<title>");
    pen_printf(pen, "%s%s", node->noun, node->noun[0] != 0 ? " " : "stream ");
    xml_text(pen, node->name);
    if (node->notes != NULL) {
        pen_text(pen, "\n");
        xml_text(pen, node->notes);
    }
    for (uint32_t i = 0; i < node->line_count; i++) {
        pen_text(pen, "\n");
        xml_text(pen, node->fulls[i]);
    }
    pen_text(pen, "</title>\n");
}

static void write_line(struct pen *pen, const struct draw_node *node, uint32_t number, int x, int y)
{
    const char *line = node->lines[number];
    uint32_t word = node->words[number];
    pen_printf(pen, "<text class=\"line\" x=\"%d\" y=\"%d\">", x, y);
    if (word > 0) {
        pen_text(pen, "<tspan class=\"word\">");
        pen_escaped(pen, line, word, pen_xml);
        pen_text(pen, "</tspan>");
    }
    xml_text(pen, line + word);
    pen_text(pen, "</text>\n");
}

static void write_box(struct pen *pen, const struct draw_node *node, const struct layout_item *item)
{
    int x = px(item->x);
    int y = px(item->y - item->height / 2);
    int height = px(item->height);
    int round = node->kind == DRAW_TOPIC ? height / 2 : node->kind == DRAW_STREAM ? 8 : 3;
    pen_text(pen, "<g>");
    write_tooltip(pen, node);
    pen_printf(pen, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"%d\"/>\n",
               classes[node->kind], x, y, px(item->width), height, round);
    x += node->kind == DRAW_TOPIC ? PADDING + 4 : PADDING;
    y += TITLE_HEIGHT - 10;
    pen_printf(pen, "<text class=\"name\" x=\"%d\" y=\"%d\">", x, y);
    xml_text(pen, node->name);
    if (node->noun[0] != 0) {
        pen_printf(pen, "<tspan class=\"noun\" dx=\"6\">%s</tspan>", node->noun);
    }
    pen_text(pen, "</text>\n");
    uint32_t shown = lines_shown(node);
    for (uint32_t i = 0; i < shown; i++) {
        write_line(pen, node, i, x, y + LINE_HEIGHT * (int)(i + 1));
    }
    if (shown < node->line_count) {
        pen_printf(pen, "<text class=\"noun\" x=\"%d\" y=\"%d\">and %u more</text>\n", x,
                   y + LINE_HEIGHT * (int)(shown + 1), node->line_count - shown);
    }
    pen_text(pen, "</g>\n");
}

/* ---- ways -------------------------------------------------------------------------------------- */

/* A curve from one column to the next: level at both ends. */
static void write_curve(struct pen *pen, double x, double y, double to_x, double to_y)
{
    double middle = (x + to_x) / 2;
    if (px(y) == px(to_y)) {
        pen_printf(pen, "H%d", px(to_x));
        return;
    }
    pen_printf(pen, "C%d %d %d %d %d %d", px(middle), px(y), px(middle), px(to_y), px(to_x),
               px(to_y));
}

/* Ways between the same two boxes that stand before this one. */
static uint32_t count_earlier(const struct drawing *drawing, uint32_t edge)
{
    const struct draw_node *from = &drawing->nodes[drawing->edges[edge].from];
    uint32_t count = 0;
    for (uint32_t i = 0; i < from->out_count && from->outs[i] < edge; i++) {
        count += drawing->edges[from->outs[i]].to == drawing->edges[edge].to;
    }
    return count;
}

/* Where the n-th of the ways that come to a box arrives. */
static double port_of(const struct layout *layout, uint32_t edge)
{
    const struct draw_edge *edges = layout->drawing->edges;
    const struct layout_item *item = &layout->items[edges[edge].to];
    uint32_t passes = layout->pass_counts[edge];
    uint32_t from = passes > 0 ? layout->passes[edge] + passes - 1 : edges[edge].from;
    uint32_t rank = 0;
    for (uint32_t i = 0; i < item->in_count; i++) {
        rank += layout->items[item->ins[i]].place < layout->items[from].place;
    }
    rank += passes > 0 ? 0 : count_earlier(layout->drawing, edge);
    double room = item->height - 14;
    double gap = item->in_count < 2 ? 0 : room / (item->in_count - 1);
    double most = edges[edge].ports != NULL ? LABEL_PORT_GAP : PORT_GAP;
    gap = gap < most ? gap : most;
    return item->y + gap * (rank - (item->in_count - 1) / 2.0);
}

static void write_path(struct pen *pen, const struct layout *layout, uint32_t edge)
{
    const struct draw_edge *ends = &layout->drawing->edges[edge];
    const struct layout_item *from = &layout->items[ends->from];
    const struct layout_item *to = &layout->items[ends->to];
    double x = from->x + from->width;
    double y = from->y;
    const struct layout_column *column = &layout->columns[from->column];
    double edge_x = column->x + column->width;
    pen_printf(pen, "M%d %d", px(x), px(y));
    if (px(edge_x) > px(x)) {
        pen_printf(pen, "H%d", px(edge_x));
    }
    x = edge_x;
    for (uint32_t i = 0; i < layout->pass_counts[edge]; i++) {
        const struct layout_item *pass = &layout->items[layout->passes[edge] + i];
        column = &layout->columns[pass->column];
        write_curve(pen, x, y, column->x, pass->y);
        x = column->x + column->width;
        y = pass->y;
        pen_printf(pen, "H%d", px(x));
    }
    double port = port_of(layout, edge);
    double label = ends->ports != NULL ? text_width(ends->ports, NOUN_ADVANCE) + 10 : 0;
    write_curve(pen, x, y, to->x - 7 - label, port);
    if (ends->ports != NULL) { /* its name stands on a level piece */
        pen_printf(pen, "H%d", px(to->x - 7));
    }
}

static void write_way(struct pen *pen, const struct layout *layout, uint32_t number)
{
    const struct drawing *drawing = layout->drawing;
    const struct draw_edge *edge = &drawing->edges[number];
    int x = px(layout->items[edge->to].x);
    int y = px(port_of(layout, number));
    pen_text(pen, "<g><title>");
    xml_text(pen, drawing->nodes[edge->from].name);
    if (edge->output != NULL) {
        pen_text(pen, ".");
        xml_text(pen, edge->output);
    }
    pen_text(pen, " \xe2\x86\x92 ");
    xml_text(pen, drawing->nodes[edge->to].name);
    if (edge->input != NULL) {
        pen_text(pen, ", as ");
        xml_text(pen, edge->input);
    }
    if (edge->label != NULL) {
        pen_text(pen, ", ");
        xml_text(pen, edge->label);
    }
    pen_text(pen, "</title><path class=\"way\" d=\"");
    write_path(pen, layout, number);
    pen_printf(pen, "\"/><path class=\"tip\" d=\"M%d %dl-8 -4v8z\"/>", x - 1, y);
    pen_text(pen, "</g>\n");
}

/* Behind all ways, so that none strikes it through. */
static void write_label(struct pen *pen, const struct layout *layout, uint32_t number)
{
    const struct draw_edge *edge = &layout->drawing->edges[number];
    if (edge->ports == NULL) {
        return;
    }
    pen_printf(pen, "<text class=\"out\" x=\"%d\" y=\"%d\" text-anchor=\"end\">",
               px(layout->items[edge->to].x) - 12, px(port_of(layout, number)) - 4);
    xml_text(pen, edge->ports);
    pen_text(pen, "</text>\n");
}

/* ---- the picture ------------------------------------------------------------------------------- */

static void write_picture(struct pen *pen, const struct layout *layout)
{
    const struct drawing *drawing = layout->drawing;
    int head = px(text_width(drawing->name, TITLE_ADVANCE + 10));
    int width = px(layout->width) > head ? px(layout->width) : head;
    width += 2 * MARGIN;
    int height = px(layout->height) + 2 * MARGIN + HEAD;
    pen_printf(pen,
               "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" "
               "viewBox=\"0 0 %d %d\" role=\"img\">\n<title>",
               width, height, width, height);
    xml_text(pen, drawing->name);
    pen_printf(pen, "</title>\n%s", style);
    pen_printf(pen, "<rect class=\"page\" width=\"%d\" height=\"%d\"/>\n", width, height);
    pen_printf(pen, "<text class=\"head\" x=\"%d\" y=\"%d\">", MARGIN, MARGIN + 8);
    xml_text(pen, drawing->name);
    pen_printf(pen, "</text>\n<g transform=\"translate(%d %d)\">\n", MARGIN, MARGIN + HEAD);
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        write_way(pen, layout, i);
    }
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        write_label(pen, layout, i);
    }
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        write_box(pen, &drawing->nodes[i], &layout->items[i]);
    }
    pen_text(pen, "</g>\n</svg>\n");
}

weir_status drawing_write_svg(const struct drawing *drawing, weir_buffer *out, struct error *error)
{
    struct layout layout;
    struct pen pen = { .out = out };
    weir_status st = layout_init(&layout, drawing, error);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        set_size(&drawing->nodes[i], &layout.items[i]);
    }
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        set_lead(&layout, &drawing->edges[i]);
    }
    st = layout_place(&layout, error);
    if (st != WEIR_OK) {
        return st;
    }
    write_picture(&pen, &layout);
    return pen_finish(&pen, error);
}
