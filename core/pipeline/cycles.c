/* SPDX-License-Identifier: MIT */
/*
 * Loops. Streams and topics are the nodes of one graph, with an edge from each to what it takes its
 * records from; a depth-first search, with a stack of its own since a file may be long, finds the
 * edges that close a loop. Among streams alone a loop can never run; through a topic it can, and
 * may even be meant.
 */
#include <string.h>

#include "base/buffer.h"
#include "pipeline/parts.h"

/* An end that writes to a topic. */
struct writer {
    const struct stream *stream;
    struct place place;
    const struct writer *next;
};

/* A node: a stream, or behind all streams a topic. */
struct walk_step {
    size_t node;
    size_t edge;                 /* the next one of a stream */
    const struct writer *writer; /* the next one of a topic */
};

enum mark { UNSEEN, ON_PATH, DONE };

struct walk {
    struct resolver *resolver;
    size_t stream_count;
    struct writer **writers; /* by topic: the first */
    uint8_t *marks;          /* by node */
    struct walk_step *path;
    size_t depth;
};

static size_t topic_node(const struct walk *walk, const struct topic *topic)
{
    return walk->stream_count + (size_t)(topic - walk->resolver->topic_array);
}

static size_t stream_node(const struct walk *walk, const struct stream *stream)
{
    return (size_t)(stream - walk->resolver->stream_array);
}

static const char *node_name(const struct walk *walk, size_t node)
{
    return node < walk->stream_count ? walk->resolver->stream_array[node].name
                                     : walk->resolver->topic_array[node - walk->stream_count].name;
}

/* The next edge of the node on top; false: none is left. */
static bool next_edge(struct walk *walk, size_t *ret_node, struct place *ret_place)
{
    struct walk_step *top = &walk->path[walk->depth - 1];
    if (top->node >= walk->stream_count) {
        const struct writer *writer = top->writer;
        if (writer == NULL) {
            return false;
        }
        top->writer = writer->next;
        *ret_node = stream_node(walk, writer->stream);
        *ret_place = writer->place;
        return true;
    }
    const struct stream *stream = &walk->resolver->stream_array[top->node];
    size_t edge = top->edge++;
    if (edge < stream->input_count) {
        *ret_node = stream_node(walk, stream->inputs[edge].stream);
        *ret_place = stream->inputs[edge].place;
        return true;
    }
    if (edge == stream->input_count && stream->topic != NULL) {
        *ret_node = topic_node(walk, stream->topic);
        *ret_place = stream_draft(walk->resolver, stream)->from;
        return true;
    }
    return false;
}

static void push(struct walk *walk, size_t node)
{
    struct walk_step *top = &walk->path[walk->depth++];
    *top = (struct walk_step){ .node = node };
    if (node >= walk->stream_count) {
        top->writer = walk->writers[node - walk->stream_count];
    }
    walk->marks[node] = ON_PATH;
}

/* The input by which the node at this depth leads to the next; NULL: it is a topic, or reads one. */
static const struct stream_input *input_at(const struct walk *walk, size_t depth)
{
    const struct walk_step *step = &walk->path[depth];
    if (step->node >= walk->stream_count) {
        return NULL;
    }
    const struct stream *stream = &walk->resolver->stream_array[step->node];
    return step->edge <= stream->input_count ? &stream->inputs[step->edge - 1] : NULL;
}

/* " as 'right'" where an option of a step reads it. */
static void write_port(const struct walk *walk, size_t depth, weir_buffer *out)
{
    const struct stream_input *input = input_at(walk, depth);
    if (input != NULL && input->port > 0) {
        const struct stream *stream = &walk->resolver->stream_array[walk->path[depth].node];
        (void)buffer_printf(out, " as '%s'", stream_input_port(stream, input));
    }
}

/* "stream 'a' reads stream 'b', which reads ..." from path[first] back to itself. */
static void write_loop(const struct walk *walk, size_t first, weir_buffer *out)
{
    for (size_t i = first; i <= walk->depth; i++) {
        size_t node = walk->path[i < walk->depth ? i : first].node;
        bool is_topic = node >= walk->stream_count;
        bool is_from_topic = i > first && walk->path[i - 1].node >= walk->stream_count;
        const char *verb = i == first       ? ""
                           : is_from_topic  ? ", filled by "
                           : i == first + 1 ? " reads "
                                            : ", which reads ";
        (void)buffer_printf(out, "%s%s '%s'", verb, is_topic ? "topic" : "stream",
                            node_name(walk, node));
        if (i > first) {
            write_port(walk, i - 1, out);
        }
    }
}

/* The path from `node` to its top, and from there to `node` again, is a loop. */
static void report_loop(struct walk *walk, size_t node, struct place place)
{
    size_t first = walk->depth - 1;
    while (walk->path[first].node != node) {
        first--;
    }
    const struct topic *topic = NULL;
    for (size_t i = first; i < walk->depth; i++) {
        if (walk->path[i].node >= walk->stream_count) {
            topic = &walk->resolver->topic_array[walk->path[i].node - walk->stream_count];
        }
    }
    weir_buffer loop;
    buffer_init(&loop, 1024 * 1024);
    write_loop(walk, first, &loop);
    const char *text = buffer_c_string(&loop);
    if (topic != NULL) {
        resolver_warn(walk->resolver, place,
                      "records can go round for ever: %s; make sure that a filter ends it",
                      text != NULL ? text : "");
    } else {
        resolver_fault(walk->resolver, place,
                       "the streams form a loop: %s; a stream cannot feed itself",
                       text != NULL ? text : "");
    }
    buffer_deinit(&loop);
}

static void walk_from(struct walk *walk, size_t start)
{
    push(walk, start);
    while (walk->depth > 0) {
        size_t node = 0;
        struct place place;
        if (!next_edge(walk, &node, &place)) {
            walk->marks[walk->path[--walk->depth].node] = DONE;
        } else if (walk->marks[node] == ON_PATH) {
            report_loop(walk, node, place);
        } else if (walk->marks[node] == UNSEEN) {
            push(walk, node);
        }
    }
}

static bool add_writer(struct walk *walk, const struct stream *stream, const struct end *end,
                       const struct topic *topic)
{
    struct writer *writer = resolver_alloc(walk->resolver, 1, sizeof *writer);
    if (writer == NULL) {
        return false;
    }
    size_t number = topic_node(walk, topic) - walk->stream_count;
    *writer = (struct writer){ stream, end->plugin.place, walk->writers[number] };
    walk->writers[number] = writer;
    return true;
}

static bool add_writers(struct walk *walk, const struct stream *stream)
{
    for (size_t i = stream->end_count; i > 0; i--) {
        const struct end *end = &stream->ends[i - 1];
        for (uint32_t k = 0; k < end->topic_count; k++) {
            if (!add_writer(walk, stream, end, end->topics[k])) {
                return false;
            }
        }
    }
    return true;
}

void cycles_check(struct resolver *resolver)
{
    const struct pipeline *pipeline = resolver->pipeline;
    size_t count = pipeline->stream_count + pipeline->topic_count;
    struct walk walk = { .resolver = resolver, .stream_count = pipeline->stream_count };
    walk.writers = resolver_alloc(resolver, pipeline->topic_count, sizeof(struct writer *));
    walk.marks = resolver_alloc(resolver, count, sizeof *walk.marks);
    walk.path = resolver_alloc(resolver, count, sizeof *walk.path);
    bool is_ready = walk.writers != NULL && walk.marks != NULL && walk.path != NULL;
    for (size_t i = 0; is_ready && i < walk.stream_count; i++) {
        is_ready = add_writers(&walk, &resolver->stream_array[walk.stream_count - 1 - i]);
    }
    for (size_t i = 0; is_ready && i < walk.stream_count; i++) {
        if (walk.marks[i] == UNSEEN) {
            walk_from(&walk, i);
        }
    }
}
