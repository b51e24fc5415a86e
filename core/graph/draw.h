/* SPDX-License-Identifier: MIT */
/*
 * The picture of a pipeline as its file describes it: sources, topics, streams with their steps,
 * sinks, and what flows from one to the other. Built once, written in several forms.
 *
 * A source whose stream is nothing but a way into a topic stands for that stream and bears its name;
 * topics that nobody has written down (source__...) are left out, their source leads to the stream.
 */
#ifndef GRAPH_DRAW_H
#define GRAPH_DRAW_H

#include <weir/abi.h>

#include "base/arena.h"
#include "base/error.h"
#include "pipeline/pipeline.h"

enum draw_kind { DRAW_SOURCE, DRAW_TOPIC, DRAW_STREAM, DRAW_SINK };

/*
 * name     of the topic or stream; "dead_letters" of the sink that takes them; of another source or sink
 *          without a stream's name: the plugin's
 * noun     what it is, in a word; "" for streams
 * stream   the stream that a source, stream or sink belongs to; NULL for topics and dead letters
 * lines    a stream's steps, or what a source or sink works on: "filter delay > 15"; cut
 * words    length of the plugin's name at the start of each line, in bytes; 0: the node is named
 *          by the plugin
 * fulls    the same uncut
 * notes    what else is worth knowing; NULL: nothing
 * outs     numbers of the edges that leave it, in the order in which records take them
 * ins      how many edges come in
 */
struct draw_node {
    enum draw_kind kind;
    const char *name;
    const char *noun;
    const char *stream;
    const char **lines;
    const char **fulls;
    uint32_t *words;
    uint32_t line_count;
    const char *notes;
    uint32_t *outs;
    uint32_t out_count;
    uint32_t ins;
};

/*
 * label   what happens on the way ("key route"); NULL: nothing
 * output  which output of the last step it leaves by, or several ("late, early"); NULL: the only one
 * input   which input of a step it comes in at; NULL: it is what the stream is from
 * ports   both as one text: "late as right"; NULL: neither is named
 */
struct draw_edge {
    uint32_t from;
    uint32_t to;
    const char *output;
    const char *input;
    const char *ports;
    const char *label;
};

struct drawing {
    const char *name; /* of the pipeline */
    struct draw_node *nodes;
    uint32_t node_count;
    struct draw_edge *edges;
    uint32_t edge_count;
    struct arena *arena; /* of all of it, and of what the writers need */
};

/* NULL: no memory. The pipeline must be right (no cycles), and live as long as the drawing. */
struct drawing *drawing_create(const struct pipeline *pipeline, struct arena *arena);

/*
 * Each appends the whole picture; on failure what has been appended is of no use, and `error` says
 * why: no memory, or the graph is larger than the form can show.
 */
typedef weir_status drawing_writer(const struct drawing *drawing, weir_buffer *out,
                                   struct error *error);
drawing_writer drawing_write_text;    /* a tree of lines */
drawing_writer drawing_write_dot;     /* for Graphviz */
drawing_writer drawing_write_mermaid; /* for Markdown */
drawing_writer drawing_write_svg;     /* a picture that needs nothing else */
drawing_writer drawing_write_json;    /* nodes and edges */

/*
 * What a plugin was told, by its option table: the value of its body option as one line. SHORT: of a
 * map only the keys where there are several. "" where the plugin has no body, or it is a secret.
 * Paths stand relative to `folder`. NULL: no memory.
 */
const char *draw_body(const struct plugin_use *use, const char *folder, bool is_short,
                      struct arena *arena);

#endif
