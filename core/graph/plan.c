/* SPDX-License-Identifier: MIT */
/*
 * Builds the plan: streams in an order in which parents come first, then the writers of topics, then
 * what can be told only of the whole (plan_paths.c).
 */
#include "graph/plan_paths.h"

/* What reads the records of one output of a stream, or of an input, and where it finds them. */
struct producer {
    struct plan_edge edge; /* the output of the last node of the stream, or the INPUT */
    uint32_t consumer_count;
    bool is_branched; /* edge is a BRANCH with an output per consumer */
};

struct topic_writers {
    struct topic *topic;
    struct plan_edge *edges; /* outputs of END nodes */
    uint32_t *ends;          /* those END nodes */
    uint32_t count;
};

struct builder {
    const struct pipeline *pipeline;
    const bool *is_left_out; /* by index of the topic; may be NULL */
    struct arena *arena;
    struct plan *plan;
    uint32_t capacity;
    struct producer **streams; /* by index of the stream, then by output; NULL until built */
    bool *is_built;
    struct producer *inputs; /* by index of the topic */
    bool *has_input;
    struct topic_writers *writers; /* by index of the topic */
};

static uint32_t stream_index(const struct builder *b, const struct stream *stream)
{
    uint32_t i = 0;
    while (b->pipeline->streams[i] != stream) {
        i++;
    }
    return i;
}

static uint32_t topic_index(const struct builder *b, const struct topic *topic)
{
    uint32_t i = 0;
    while (b->pipeline->topics[i] != topic) {
        i++;
    }
    return i;
}

/* How many of the stream's first `limit` inputs read this output of another. */
static uint32_t count_reads(const struct stream *stream, size_t limit, const struct stream *read,
                            uint32_t output)
{
    uint32_t count = 0;
    for (size_t i = 0; i < limit; i++) {
        count += stream->inputs[i].stream == read && stream->inputs[i].output == output;
    }
    return count;
}

static bool reads_topic(const struct stream *stream, const struct topic *topic)
{
    return !stream->is_direct && stream->from_count == 0 && stream->topic == topic;
}

/* How often the streams before `limit` read this output. */
static uint32_t count_stream_readers(const struct builder *b, const struct stream *read,
                                     uint32_t output, size_t limit)
{
    uint32_t count = 0;
    for (size_t i = 0; i < limit; i++) {
        const struct stream *stream = b->pipeline->streams[i];
        count += count_reads(stream, stream->input_count, read, output);
    }
    return count;
}

static uint32_t count_topic_readers(const struct builder *b, const struct topic *topic,
                                    size_t limit)
{
    uint32_t count = 0;
    for (size_t i = 0; i < limit; i++) {
        count += reads_topic(b->pipeline->streams[i], topic);
    }
    return count;
}

static struct plan_node *add_node(struct builder *b, enum plan_kind kind,
                                  const struct plan_edge *inputs, uint32_t input_count)
{
    struct plan *plan = b->plan;
    struct plan_edge *copy = arena_alloc(b->arena, (input_count + 1) * sizeof *copy);
    if (copy == NULL || plan->node_count == b->capacity) {
        return NULL;
    }
    for (uint32_t i = 0; i < input_count; i++) {
        copy[i] = inputs[i];
    }
    struct plan_node *node = &plan->nodes[plan->node_count++];
    *node = (struct plan_node){
        .kind = kind, .inputs = copy, .input_count = input_count, .output_count = 1
    };
    return node;
}

static struct plan_edge edge_of(const struct builder *b, const struct plan_node *node)
{
    return (struct plan_edge){ (uint32_t)(node - b->plan->nodes), 0 };
}

/* Puts a BRANCH behind what several read. */
static bool branch(struct builder *b, struct producer *producer)
{
    if (producer->consumer_count < 2) {
        return true;
    }
    struct plan_node *node = add_node(b, PLAN_BRANCH, &producer->edge, 1);
    if (node == NULL) {
        return false;
    }
    node->output_count = producer->consumer_count;
    producer->edge = edge_of(b, node);
    producer->is_branched = true;
    return true;
}

static struct plan_edge consumer_edge(const struct producer *producer, uint32_t rank)
{
    struct plan_edge edge = producer->edge;
    if (producer->is_branched) {
        edge.output = rank;
    }
    return edge;
}

static bool build_input(struct builder *b, struct topic *topic)
{
    uint32_t index = topic_index(b, topic);
    if (b->has_input[index]) {
        return true;
    }
    struct plan_node *node = add_node(b, PLAN_INPUT, NULL, 0);
    if (node == NULL) {
        return false;
    }
    node->topic = topic;
    b->has_input[index] = true;
    b->inputs[index] = (struct producer){
        .edge = edge_of(b, node),
        .consumer_count = count_topic_readers(b, topic, b->pipeline->stream_count),
    };
    return branch(b, &b->inputs[index]);
}

static bool build_stream(struct builder *b, uint32_t index);

/* The edge by which what another stream emits comes to an input: behind its ends, and behind those inputs
 * that stand before this one in the file. */
static bool build_stream_input(struct builder *b, uint32_t index, size_t number,
                               struct plan_edge *ret_edge)
{
    const struct stream *stream = b->pipeline->streams[index];
    const struct stream_input *input = &stream->inputs[number];
    uint32_t read = stream_index(b, input->stream);
    if (!build_stream(b, read)) {
        return false;
    }
    uint32_t rank = (uint32_t)input->stream->end_count +
                    count_stream_readers(b, input->stream, input->output, index) +
                    count_reads(stream, number, input->stream, input->output);
    *ret_edge = consumer_edge(&b->streams[read][input->output], rank);
    return true;
}

/* The edge that a stream's first step reads. */
static bool build_head(struct builder *b, uint32_t index, struct plan_edge *ret_edge)
{
    const struct stream *stream = b->pipeline->streams[index];
    if (stream->from_count == 0) {
        if (!build_input(b, stream->topic)) {
            return false;
        }
        *ret_edge = consumer_edge(&b->inputs[topic_index(b, stream->topic)],
                                  count_topic_readers(b, stream->topic, index));
        return true;
    }
    struct plan_edge *edges = arena_alloc(b->arena, stream->from_count * sizeof *edges);
    if (edges == NULL) {
        return false;
    }
    for (size_t i = 0; i < stream->from_count; i++) {
        if (!build_stream_input(b, index, i, &edges[i])) {
            return false;
        }
    }
    *ret_edge = edges[0];
    if (stream->from_count > 1) {
        struct plan_node *merge = add_node(b, PLAN_MERGE, edges, (uint32_t)stream->from_count);
        if (merge == NULL) {
            return false;
        }
        *ret_edge = edge_of(b, merge);
    }
    return true;
}

static uint32_t output_count(const struct plugin_use *use)
{
    return use->output_count == 0 ? 1 : use->output_count;
}

static void add_writer(struct builder *b, struct topic *topic, struct plan_edge edge)
{
    struct topic_writers *writers = &b->writers[topic_index(b, topic)];
    writers->topic = topic;
    writers->ends[writers->count] = edge.node;
    writers->edges[writers->count++] = edge;
}

static bool build_end(struct builder *b, const struct stream *stream, uint32_t number)
{
    const struct end *end = &stream->ends[number];
    struct plan_edge edge = consumer_edge(&b->streams[stream_index(b, stream)][0], number);
    struct plan_node *node = add_node(b, PLAN_END, &edge, 1);
    if (node == NULL) {
        return false;
    }
    node->stream = stream;
    node->end = end;
    node->use = &end->plugin;
    node->end_number = b->plan->end_count++;
    node->output_count = end->kind == END_TOPIC ? end->topic_count : 1;
    for (uint32_t i = 0; i < end->topic_count; i++) {
        add_writer(b, end->topics[i], (struct plan_edge){ edge_of(b, node).node, i });
    }
    return true;
}

/* Puts a MERGE in front of a step that options feed: its own stream with the streams that come in at its
 * further inputs, from stream->inputs[first] on. *edge: what its own stream is, then the MERGE. */
static bool build_ports(struct builder *b, uint32_t index, size_t first, uint32_t count,
                        struct plan_edge *edge)
{
    struct plan_edge *edges = arena_alloc(b->arena, (count + 1u) * sizeof *edges);
    uint16_t *ports = arena_zeroed(b->arena, (count + 1u) * sizeof *ports);
    if (edges == NULL || ports == NULL) {
        return false;
    }
    edges[0] = *edge;
    for (uint32_t i = 0; i < count; i++) {
        if (!build_stream_input(b, index, first + i, &edges[i + 1])) {
            return false;
        }
        ports[i + 1] = (uint16_t)b->pipeline->streams[index]->inputs[first + i].port;
    }
    struct plan_node *merge = add_node(b, PLAN_MERGE, edges, count + 1);
    if (merge == NULL) {
        return false;
    }
    merge->ports = ports;
    *edge = edge_of(b, merge);
    return true;
}

/* True where what the step emits goes through a topic to the partition of its new key. */
static bool has_repartition(const struct builder *b, const struct plugin_use *step)
{
    const struct topic *topic = step->repartition;
    if (topic == NULL) {
        return false;
    }
    return b->is_left_out != NULL ? !b->is_left_out[topic_index(b, topic)] : topic->partitions != 1;
}

/* Behind a step that gives records another place: its topic is written, and the stream goes on from it. */
static bool build_repartition(struct builder *b, const struct plugin_use *step,
                              struct plan_edge *edge)
{
    uint32_t *writer = arena_alloc(b->arena, sizeof *writer);
    struct plan_node *write = add_node(b, PLAN_WRITE, edge, 1);
    struct plan_node *input = add_node(b, PLAN_INPUT, NULL, 0);
    if (writer == NULL || write == NULL || input == NULL) {
        return false;
    }
    *writer = edge->node;
    write->topic = step->repartition;
    write->writers = writer;
    write->writer_count = 1;
    input->topic = step->repartition;
    *edge = edge_of(b, input);
    return true;
}

static bool build_steps(struct builder *b, uint32_t index, struct plan_edge *edge)
{
    const struct stream *stream = b->pipeline->streams[index];
    size_t next = stream->from_count;
    for (size_t i = 0; i < stream->step_count; i++) {
        size_t first = next;
        while (next < stream->input_count && stream->inputs[next].step == i) {
            next++;
        }
        if (next > first && !build_ports(b, index, first, (uint32_t)(next - first), edge)) {
            return false;
        }
        struct plan_node *node = add_node(b, PLAN_STEP, edge, 1);
        if (node == NULL) {
            return false;
        }
        node->stream = stream;
        node->use = &stream->steps[i];
        node->has_ports = next > first;
        node->output_count = output_count(node->use);
        *edge = edge_of(b, node);
        if (has_repartition(b, node->use) && !build_repartition(b, node->use, edge)) {
            return false;
        }
    }
    return true;
}

/* Ends stand at the one output of a stream; where there are several, only streams read them. */
static bool build_outputs(struct builder *b, uint32_t index, struct plan_edge edge)
{
    const struct stream *stream = b->pipeline->streams[index];
    uint32_t count =
        stream->step_count == 0 ? 1 : output_count(&stream->steps[stream->step_count - 1]);
    struct producer *outputs = arena_zeroed(b->arena, count * sizeof *outputs);
    b->streams[index] = outputs;
    if (outputs == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < count; i++) {
        outputs[i].edge = (struct plan_edge){ edge.node, edge.output + i };
        outputs[i].consumer_count = (uint32_t)stream->end_count +
                                    count_stream_readers(b, stream, i, b->pipeline->stream_count);
        if (!branch(b, &outputs[i])) {
            return false;
        }
    }
    return true;
}

static bool build_stream(struct builder *b, uint32_t index)
{
    const struct stream *stream = b->pipeline->streams[index];
    if (b->is_built[index] || stream->is_direct) {
        return true;
    }
    b->is_built[index] = true;
    struct plan_edge edge;
    if (!build_head(b, index, &edge) || !build_steps(b, index, &edge) ||
        !build_outputs(b, index, edge)) {
        return false;
    }
    for (uint32_t i = 0; i < stream->end_count; i++) {
        if (!build_end(b, stream, i)) {
            return false;
        }
    }
    return true;
}

/* All ends on one topic are merged before it is written, so that its order is that of the records. */
static bool build_writer(struct builder *b, const struct topic_writers *writers)
{
    struct plan_edge edge = writers->edges[0];
    uint16_t *ports = arena_alloc(b->arena, (writers->count + 1) * sizeof *ports);
    if (ports == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < writers->count; i++) {
        ports[i] = (uint16_t)i;
    }
    if (writers->count > 1) {
        struct plan_node *merge = add_node(b, PLAN_MERGE, writers->edges, writers->count);
        if (merge == NULL) {
            return false;
        }
        merge->ports = ports;
        edge = edge_of(b, merge);
    }
    struct plan_node *node = add_node(b, PLAN_WRITE, &edge, 1);
    if (node == NULL) {
        return false;
    }
    node->topic = writers->topic;
    node->writers = writers->ends;
    node->writer_count = writers->count;
    return true;
}

/* The most nodes that the pipeline can need. */
static uint32_t node_limit(const struct pipeline *pipeline)
{
    size_t limit = 3 * pipeline->topic_count + 1;
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        limit += 2 + stream->step_count + stream->end_count;
        limit += 2 * (stream->input_count - stream->from_count); /* a MERGE and a BRANCH for each */
    }
    return (uint32_t)limit;
}

static bool builder_init(struct builder *b, const struct pipeline *pipeline,
                         const bool *is_left_out, struct arena *arena)
{
    size_t topics = pipeline->topic_count;
    size_t streams = pipeline->stream_count;
    *b = (struct builder){ .pipeline = pipeline,
                           .is_left_out = is_left_out,
                           .arena = arena,
                           .capacity = node_limit(pipeline) };
    b->plan = arena_zeroed(arena, sizeof *b->plan);
    b->streams = arena_zeroed(arena, (streams + 1) * sizeof *b->streams);
    b->is_built = arena_zeroed(arena, streams + 1);
    b->inputs = arena_zeroed(arena, (topics + 1) * sizeof *b->inputs);
    b->has_input = arena_zeroed(arena, topics + 1);
    b->writers = arena_zeroed(arena, (topics + 1) * sizeof *b->writers);
    if (b->plan == NULL || b->streams == NULL || b->is_built == NULL || b->inputs == NULL ||
        b->has_input == NULL || b->writers == NULL) {
        return false;
    }
    b->plan->nodes = arena_zeroed(arena, b->capacity * sizeof *b->plan->nodes);
    for (size_t i = 0; i < topics; i++) {
        b->writers[i].ends = arena_alloc(arena, b->capacity * sizeof *b->writers[i].ends);
        b->writers[i].edges = arena_alloc(arena, b->capacity * sizeof *b->writers[i].edges);
        if (b->writers[i].ends == NULL || b->writers[i].edges == NULL) {
            return false;
        }
    }
    return b->plan->nodes != NULL;
}

struct plan *plan_create(const struct pipeline *pipeline, const bool *is_left_out,
                         struct arena *arena)
{
    struct builder b;
    if (!builder_init(&b, pipeline, is_left_out, arena)) {
        return NULL;
    }
    for (uint32_t i = 0; i < pipeline->stream_count; i++) {
        if (!build_stream(&b, i)) {
            return NULL;
        }
    }
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        if (b.writers[i].count > 0 && !build_writer(&b, &b.writers[i])) {
            return NULL;
        }
    }
    return plan_find_paths(b.plan, pipeline, arena) ? b.plan : NULL;
}
