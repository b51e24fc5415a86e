/* SPDX-License-Identifier: MIT */
/*
 * From a pipeline to what is drawn of it: nodes in the order of the file, edges in the order in which
 * records take them.
 */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "graph/draw.h"

enum { LINE_MAX = 40 }; /* code points of a line; what is longer ends with an ellipsis */

/* sources, topics, streams: numbers of nodes by index in the pipeline; NONE: it has no such node. */
struct artist {
    const struct pipeline *pipeline;
    struct drawing *drawing;
    uint32_t *sources;
    uint32_t *topics;
    uint32_t *streams;
    bool is_failed;
};

#define NONE UINT32_MAX

static void *take(struct artist *a, size_t count, size_t size)
{
    void *memory = arena_zeroed(a->drawing->arena, (count + 1) * size);
    a->is_failed = a->is_failed || memory == NULL;
    return memory;
}

static const char *keep(struct artist *a, const char *text)
{
    a->is_failed = a->is_failed || text == NULL;
    return text != NULL ? text : "";
}

static const char *cut(struct artist *a, const char *text)
{
    size_t len = strlen(text);
    if (utf8_length(text, len) <= LINE_MAX) {
        return text;
    }
    size_t end = utf8_offset(text, len, LINE_MAX - 1);
    while (end > 0 && text[end - 1] == ' ') {
        end--;
    }
    return keep(a, arena_printf(a->drawing->arena, "%.*s\xe2\x80\xa6", (int)end, text));
}

static struct draw_node *add_node(struct artist *a, enum draw_kind kind, const char *name,
                                  uint32_t *ret_number)
{
    struct drawing *drawing = a->drawing;
    static const char *const nouns[] = { "source", "topic", "", "sink" };
    struct draw_node *node = &drawing->nodes[drawing->node_count];
    *node = (struct draw_node){ .kind = kind, .name = name, .noun = nouns[kind] };
    *ret_number = drawing->node_count++;
    return node;
}

static const char *plugin_name(const struct plugin_use *use)
{
    return use->factory != NULL ? use->factory->spec->name : use->id;
}

/* How it differs from others of its plugin: " (on_error: skip)". */
static const char *details(struct artist *a, const struct plugin_use *use)
{
    static const char *const on_error[] = { "", " (on_error: skip)", " (on_error: dead_letter)" };
    const char *text = on_error[use->on_error];
    return use->repartition == NULL ? text
                                    : keep(a, arena_printf(a->drawing->arena, " (through %s)%s",
                                                           use->repartition->name, text));
}

/*
 * One more line of a node. A source or sink that bears the plugin's name does not say it twice
 * (is_named): there may be nothing left to say.
 */
static void add_line(struct artist *a, struct draw_node *node, const struct plugin_use *use,
                     bool is_named)
{
    struct arena *arena = a->drawing->arena;
    const char *folder = a->pipeline->folder;
    const char *name = is_named ? "" : plugin_name(use);
    const char *brief = keep(a, draw_body(use, folder, true, arena));
    const char *full = keep(a, draw_body(use, folder, false, arena));
    if (is_named && brief[0] == 0) {
        return;
    }
    const char *gap = brief[0] != 0 && !is_named ? " " : "";
    const char *line = cut(a, keep(a, arena_printf(arena, "%s%s%s", name, gap, brief)));
    size_t shown = strlen(line);
    uint32_t number = node->line_count++;
    node->lines[number] = line;
    node->words[number] = (uint32_t)(strlen(name) < shown ? strlen(name) : shown);
    node->fulls[number] =
        keep(a, arena_printf(arena, "%s%s%s%s", name, gap, full, details(a, use)));
}

static void give_lines(struct artist *a, struct draw_node *node, size_t count)
{
    node->lines = take(a, count, sizeof *node->lines);
    node->fulls = take(a, count, sizeof *node->fulls);
    node->words = take(a, count, sizeof *node->words);
}

static void add_source(struct artist *a, size_t index)
{
    const struct stream *stream = a->pipeline->streams[index];
    const struct plugin_use *use = &stream->source->plugin;
    const char *name = stream->is_direct ? stream->name : plugin_name(use);
    struct draw_node *node = add_node(a, DRAW_SOURCE, name, &a->sources[index]);
    node->stream = stream->name;
    give_lines(a, node, 1);
    if (!a->is_failed) {
        add_line(a, node, use, !stream->is_direct);
    }
}

static void add_topic(struct artist *a, size_t index)
{
    const struct topic *topic = a->pipeline->topics[index];
    if (topic->is_internal) {
        return;
    }
    struct arena *arena = a->drawing->arena;
    struct draw_node *node = add_node(a, DRAW_TOPIC, topic->name, &a->topics[index]);
    node->notes = keep(a, arena_printf(arena, "key %s, value %s", plugin_name(&topic->key),
                                       plugin_name(&topic->value)));
    if (topic->event_time != NULL) {
        node->notes = keep(a, arena_printf(arena, "%s, event_time %s", node->notes,
                                           expr_text(topic->event_time).data));
    }
    if (topic->partitions > 0) {
        node->notes = keep(a, arena_printf(arena, "%s, %" PRIu32 " partition%s", node->notes,
                                           topic->partitions, topic->partitions > 1 ? "s" : ""));
    }
    if (topic->partitioner != PARTITIONER_NONE) {
        const char *name = partitioner_names[topic->partitioner - PARTITIONER_RANDOM];
        node->notes = keep(a, arena_printf(arena, "%s, partitioner %s", node->notes, name));
    }
    const struct end *letters = a->pipeline->dead_letters;
    if (letters != NULL && letters->kind == END_TOPIC && letters->topics[0] == topic) {
        node->notes = keep(a, arena_printf(arena, "%s, takes dead letters", node->notes));
    }
}

static void add_stream(struct artist *a, size_t index)
{
    const struct stream *stream = a->pipeline->streams[index];
    struct draw_node *node = add_node(a, DRAW_STREAM, stream->name, &a->streams[index]);
    node->stream = stream->name;
    give_lines(a, node, stream->step_count);
    for (size_t i = 0; i < stream->step_count && !a->is_failed; i++) {
        add_line(a, node, &stream->steps[i], false);
    }
}

/* The sink that takes dead letters. They may come from everywhere, so no way leads to it. */
static void add_letters(struct artist *a)
{
    const struct end *letters = a->pipeline->dead_letters;
    uint32_t number;
    if (letters == NULL || letters->kind == END_TOPIC) {
        return;
    }
    struct draw_node *node = add_node(a, DRAW_SINK, "dead_letters", &number);
    give_lines(a, node, 1);
    if (!a->is_failed) {
        add_line(a, node, &letters->plugin, false);
    }
}

static void add_edge(struct artist *a, uint32_t from, uint32_t to, const char *label)
{
    struct drawing *drawing = a->drawing;
    drawing->edges[drawing->edge_count++] =
        (struct draw_edge){ .from = from, .to = to, .label = label };
}

static const char *key_label(struct artist *a, const weir_expression *key)
{
    if (key == NULL) {
        return NULL;
    }
    return cut(a, keep(a, arena_printf(a->drawing->arena, "key %s", expr_text(key).data)));
}

/* "by kind, key id": how an end chooses its topic, and the key. */
static const char *end_label(struct artist *a, const struct end *end)
{
    if (end->choice == NULL) {
        return key_label(a, end->key);
    }
    struct arena *arena = a->drawing->arena;
    const char *label = keep(a, arena_printf(arena, "by %s", expr_text(end->choice).data));
    if (end->key != NULL) {
        label = keep(a, arena_printf(arena, "%s, key %s", label, expr_text(end->key).data));
    }
    return cut(a, label);
}

static uint32_t topic_node(const struct artist *a, const struct topic *topic)
{
    for (size_t i = 0; i < a->pipeline->topic_count; i++) {
        if (a->pipeline->topics[i] == topic) {
            return a->topics[i];
        }
    }
    return NONE;
}

static void join_source(struct artist *a, size_t index)
{
    const struct source_use *source = a->pipeline->streams[index]->source;
    uint32_t topic = topic_node(a, source->topic);
    add_edge(a, a->sources[index], topic != NONE ? topic : a->streams[index],
             key_label(a, source->key));
}

static void join_end(struct artist *a, size_t index, const struct end *end)
{
    uint32_t number;
    for (uint32_t i = 0; i < end->topic_count; i++) {
        uint32_t topic = topic_node(a, end->topics[i]);
        if (topic != NONE) {
            add_edge(a, a->streams[index], topic, end_label(a, end));
        }
    }
    if (end->kind == END_TOPIC) {
        return;
    }
    const struct plugin_use *use = &end->plugin;
    struct draw_node *node = add_node(a, DRAW_SINK, plugin_name(use), &number);
    node->stream = a->pipeline->streams[index]->name;
    give_lines(a, node, 1);
    if (!a->is_failed) {
        add_line(a, node, use, true);
    }
    add_edge(a, a->streams[index], number, NULL);
}

/* ---- from stream to stream --------------------------------------------------------------------- */

/* How many inputs from this one on stand in the same place: under `from`, or in one option of a step. */
static size_t group_size(const struct stream *stream, size_t first)
{
    size_t end = first;
    while (end < stream->input_count && stream->inputs[end].port == stream->inputs[first].port &&
           stream->inputs[end].step == stream->inputs[first].step) {
        end++;
    }
    return end - first;
}

/* The names of the outputs by which a stream's records come to such a group. */
static const char *output_names(struct artist *a, const struct stream *read,
                                const struct stream_input *inputs, size_t count)
{
    const char *names = NULL;
    const struct plugin_use *last =
        read->step_count > 0 ? &read->steps[read->step_count - 1] : NULL;
    if (last == NULL || last->outputs == NULL) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        if (inputs[i].stream == read) {
            const char *name = last->outputs[inputs[i].output];
            names = names == NULL ? name
                                  : keep(a, arena_printf(a->drawing->arena, "%s, %s", names, name));
        }
    }
    return names;
}

static bool reads(const struct stream_input *inputs, size_t count, const struct stream *read)
{
    for (size_t i = 0; i < count; i++) {
        if (inputs[i].stream == read) {
            return true;
        }
    }
    return false;
}

/* "late", "as right", "late as right" */
static const char *port_names(struct artist *a, const char *output, const char *input)
{
    if (input == NULL) {
        return output;
    }
    return keep(a, arena_printf(a->drawing->arena, "%s%sas %s", output != NULL ? output : "",
                                output != NULL ? " " : "", input));
}

/* One way for each place where the reader names this stream. */
static void join_reader(struct artist *a, size_t index, size_t reader_index)
{
    const struct stream *stream = a->pipeline->streams[index];
    const struct stream *reader = a->pipeline->streams[reader_index];
    size_t count;
    for (size_t i = 0; i < reader->input_count; i += count) {
        const struct stream_input *first = &reader->inputs[i];
        count = group_size(reader, i);
        if (!reads(first, count, stream)) {
            continue;
        }
        add_edge(a, a->streams[index], a->streams[reader_index], NULL);
        struct draw_edge *edge = &a->drawing->edges[a->drawing->edge_count - 1];
        edge->output = output_names(a, stream, first, count);
        edge->input = stream_input_port(reader, first);
        edge->ports = port_names(a, edge->output, edge->input);
    }
}

/* A stream's ends first, then the streams that read it. */
static void join_stream(struct artist *a, size_t index)
{
    const struct pipeline *pipeline = a->pipeline;
    const struct stream *stream = pipeline->streams[index];
    for (size_t i = 0; i < stream->end_count; i++) {
        join_end(a, index, &stream->ends[i]);
    }
    for (size_t i = 0; stream->is_read && i < pipeline->stream_count; i++) {
        join_reader(a, index, i);
    }
}

static void join_topic(struct artist *a, size_t index)
{
    const struct pipeline *pipeline = a->pipeline;
    if (a->topics[index] == NONE) {
        return;
    }
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        if (!stream->is_direct && stream->from_count == 0 &&
            stream->topic == pipeline->topics[index]) {
            add_edge(a, a->topics[index], a->streams[i], NULL);
        }
    }
}

static void join_all(struct artist *a)
{
    const struct pipeline *pipeline = a->pipeline;
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        join_topic(a, i);
    }
    for (size_t i = 0; i < pipeline->stream_count && !a->is_failed; i++) {
        if (pipeline->streams[i]->source != NULL) {
            join_source(a, i);
        }
        if (!pipeline->streams[i]->is_direct) {
            join_stream(a, i);
        }
    }
}

/* Gives every node the numbers of its edges. */
static void sort_edges(struct artist *a)
{
    struct drawing *drawing = a->drawing;
    uint32_t *room = take(a, drawing->edge_count, sizeof *room);
    if (room == NULL) {
        return;
    }
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        drawing->nodes[drawing->edges[i].from].out_count++;
        drawing->nodes[drawing->edges[i].to].ins++;
    }
    for (uint32_t i = 0; i < drawing->node_count; i++) {
        drawing->nodes[i].outs = room;
        room += drawing->nodes[i].out_count;
        drawing->nodes[i].out_count = 0;
    }
    for (uint32_t i = 0; i < drawing->edge_count; i++) {
        struct draw_node *node = &drawing->nodes[drawing->edges[i].from];
        node->outs[node->out_count++] = i;
    }
}

static void fill(uint32_t *numbers, size_t count)
{
    for (size_t i = 0; numbers != NULL && i < count; i++) {
        numbers[i] = NONE;
    }
}

static void artist_init(struct artist *a)
{
    const struct pipeline *pipeline = a->pipeline;
    size_t streams = pipeline->stream_count;
    size_t nodes = pipeline->topic_count + 2 * streams + (pipeline->dead_letters != NULL);
    size_t edges = streams;
    for (size_t i = 0; i < streams; i++) {
        const struct stream *stream = pipeline->streams[i];
        nodes += stream->end_count;
        edges += stream->end_count + stream->input_count + 1;
        for (size_t k = 0; k < stream->end_count; k++) {
            edges += stream->ends[k].topic_count;
        }
    }
    a->drawing->nodes = take(a, nodes, sizeof *a->drawing->nodes);
    a->drawing->edges = take(a, edges, sizeof *a->drawing->edges);
    a->sources = take(a, streams, sizeof *a->sources);
    a->streams = take(a, streams, sizeof *a->streams);
    a->topics = take(a, pipeline->topic_count, sizeof *a->topics);
    fill(a->sources, streams);
    fill(a->streams, streams);
    fill(a->topics, pipeline->topic_count);
}

struct drawing *drawing_create(const struct pipeline *pipeline, struct arena *arena)
{
    struct drawing *drawing = arena_zeroed(arena, sizeof *drawing);
    if (drawing == NULL) {
        return NULL;
    }
    *drawing = (struct drawing){ .name = pipeline->name, .arena = arena };
    struct artist artist = { .pipeline = pipeline, .drawing = drawing };
    artist_init(&artist);
    for (size_t i = 0; i < pipeline->stream_count && !artist.is_failed; i++) {
        if (pipeline->streams[i]->source != NULL) {
            add_source(&artist, i);
        }
    }
    for (size_t i = 0; i < pipeline->topic_count && !artist.is_failed; i++) {
        add_topic(&artist, i);
    }
    for (size_t i = 0; i < pipeline->stream_count && !artist.is_failed; i++) {
        if (!pipeline->streams[i]->is_direct) {
            add_stream(&artist, i);
        }
    }
    if (!artist.is_failed) {
        join_all(&artist);
    }
    if (!artist.is_failed) {
        add_letters(&artist);
    }
    if (!artist.is_failed) {
        sort_edges(&artist);
    }
    return artist.is_failed ? NULL : drawing;
}
