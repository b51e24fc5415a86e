/* SPDX-License-Identifier: MIT */
/*
 * A pipeline as a list of nodes in the order in which a batch runs through them.
 *
 * Records must come out as if each had run through the whole graph alone, depth first: a stream's own
 * ends before the streams that read it, those in the order of the file. Whole batches run node by
 * node instead, so wherever branches meet again (a stream with several parents, a step with several
 * inputs, a topic with several writers) stands a MERGE that restores that order by the numbers that
 * BRANCH nodes have given. A STEP with several outputs parts paths as a BRANCH does: what it emits for
 * one record at its first output goes on before what it emits at the second.
 *
 * A STEP that gives records another place has a WRITE behind it, and its stream goes on from an INPUT of
 * the same topic.
 */
#ifndef GRAPH_PLAN_H
#define GRAPH_PLAN_H

#include "pipeline/pipeline.h"

enum plan_kind {
    PLAN_INPUT,  /* a topic's records arrive */
    PLAN_STEP,   /* an operator, with one output or several */
    PLAN_BRANCH, /* several nodes read what one node emits */
    PLAN_MERGE,  /* several nodes' records become one stream again */
    PLAN_END,    /* records arrive at an end; a sink's go to its lane */
    PLAN_WRITE   /* records are encoded and appended to a topic */
};

/* An output of an earlier node. */
struct plan_edge {
    uint32_t node;
    uint32_t output;
};

/*
 * stream        STEP, END: the stream it belongs to
 * topic         INPUT, WRITE
 * use           STEP: the operator; END: the end's plugin_use
 * end           END; one that chooses among topics has an output for each of them
 * end_number    END: index over all ends of the plan
 * writers       WRITE: the END nodes it writes for, by writer number; or the one STEP whose topic it is
 * is_numbering  BRANCH, STEP with several outputs: a later MERGE needs its numbers
 * ports         MERGE: what `input` of an entry tells, by input; NULL: 0. In front of a WRITE the number
 *               of the writer, in front of a STEP the number of its input
 * has_ports     STEP: what comes in tells its input, what goes out must not
 */
struct plan_node {
    enum plan_kind kind;
    const struct plan_edge *inputs;
    uint32_t input_count;
    uint32_t output_count;
    const struct stream *stream;
    struct topic *topic;
    const struct plugin_use *use;
    const struct end *end;
    uint32_t end_number;
    const uint32_t *writers;
    uint32_t writer_count;
    bool is_numbering;
    const uint16_t *ports;
    bool has_ports;
};

/* The nodes that a batch of one topic runs through, in order, its INPUT first. */
struct plan_route {
    struct topic *topic;
    const uint32_t *nodes;
    uint32_t node_count;
};

/*
 * Routes whose records meet, at a stream of several or at a step with several inputs: they are run in the
 * order of time. A route that meets no other is a group of its own.
 *
 * depth  0, or one more than that of the deepest other group that fills a topic of this one
 */
struct plan_group {
    const uint32_t *routes;
    uint32_t route_count;
    uint32_t depth;
};

struct plan {
    struct plan_node *nodes; /* inputs of a node stand before it */
    uint32_t node_count;
    struct plan_route *routes; /* one per topic that a stream of the graph reads */
    uint32_t route_count;
    struct plan_group *groups; /* in the order of their first routes; each route is in one */
    uint32_t group_count;
    uint32_t end_count;
};

/* The group that a route of the plan is in. */
const struct plan_group *plan_group_of(const struct plan *plan, const struct plan_route *route);

/*
 * Everything is in the arena. NULL: no memory. The pipeline must be right (no cycles).
 * is_left_out: by index of the topic, those behind steps that records do not go through since all that
 * comes in has one partition; NULL: as far as the file tells.
 */
struct plan *plan_create(const struct pipeline *pipeline, const bool *is_left_out,
                         struct arena *arena);

#endif
