/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain.h"
#include "graph/pen.h"
#include "pipeline/memory_split.h"

static const char *plural(size_t count)
{
    return count == 1 ? "" : "s";
}

/* "5s", "250ms": the largest unit that leaves a whole number. */
static void write_time(struct pen *pen, int64_t ms)
{
    static const struct {
        int64_t ms;
        const char *name;
    } units[] = { { 3600000, "h" }, { 60000, "m" }, { 1000, "s" }, { 1, "ms" } };
    size_t i = 0;
    while (ms % units[i].ms != 0) {
        i++;
    }
    pen_printf(pen, "%" PRId64 "%s", ms / units[i].ms, units[i].name);
}

static void write_checkpoint(struct pen *pen, const struct pipeline *pipeline)
{
    pen_text(pen, "checkpoint  ");
    if (pipeline->checkpoint_interval_ms == 0) {
        pen_text(pen, "after every record");
    } else {
        pen_text(pen, "every ");
        write_time(pen, pipeline->checkpoint_interval_ms);
    }
    if (pipeline->checkpoint_records > 0) {
        pen_printf(pen, ", or after %" PRId64 " record%s", pipeline->checkpoint_records,
                   plural((size_t)pipeline->checkpoint_records));
    }
    pen_text(pen, "; at a stop within ");
    write_time(pen, pipeline->shutdown_timeout_ms);
    pen_text(pen, "\n");
}

/* "64MiB", "37.5MiB" */
static const char *size_text(uint64_t bytes, char room[32])
{
    double mebibytes = (double)bytes / (1 << 20);
    snprintf(room, 32, bytes % (1 << 20) == 0 ? "%.0fMiB" : "%.1fMiB", mebibytes);
    return room;
}

static void write_memory(struct pen *pen, const struct pipeline *pipeline)
{
    char room[32];
    char limit[32];
    struct memory_split split;
    memory_split(pipeline, &split);
    const struct {
        uint64_t bytes;
        const char *what;
    } parts[] = {
        { split.batches, "batches under way and in the queues of sinks" },
        { split.sources, "what sources bring" },
        { split.memtables, "memtables of the log" },
        { split.log_cache, "cache of the log" },
        { split.chunks, "messages read ahead" },
    };
    pen_printf(pen, "memory      %s, split over\n",
               size_text((uint64_t)pipeline->memory_bytes, room));
    pen_printf(pen,
               "              %-8s  uncommitted messages: a checkpoint at %s, of which a commit "
               "holds three copies\n",
               size_text(COMMIT_COPIES * split.uncommitted, room),
               size_text(split.uncommitted, limit));
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        pen_printf(pen, "              %-8s  %s\n", size_text(parts[i].bytes, room), parts[i].what);
    }
}

static void write_head(struct pen *pen, const struct explanation *e)
{
    const struct pipeline *pipeline = e->pipeline;
    bool is_exact = true;
    uint32_t tasks = explain_tasks(e, &is_exact);
    pen_printf(pen, "%s\n\nlog         %s%s\n", pipeline->name, e->log_url,
               strcmp(e->log_url, "memory") == 0 ? ", which ends with the run" : "");
    write_checkpoint(pen, pipeline);
    pen_printf(pen, "tasks       %u%s\n", tasks,
               is_exact ? "" : ", more where a topic in the log has more partitions");
    if (pipeline->threads > 0) {
        pen_printf(pen, "workers     %" PRId64, pipeline->threads);
    } else {
        pen_text(pen, "workers     as many as there are cores");
    }
    pen_text(pen, "; at most one for each task\n");
    if (pipeline->memory_bytes > 0) {
        write_memory(pen, pipeline);
    }
    pen_printf(pen, "lanes       %zu of sources, %zu of sinks; each is a thread\n",
               explain_source_count(e), explain_sink_count(e));
}

/* ", with a, b as right of join" */
static void write_ports(struct pen *pen, const struct stream *stream)
{
    for (size_t i = stream->from_count; i < stream->input_count; i++) {
        const struct stream_input *input = &stream->inputs[i];
        const struct stream_input *next = i + 1 < stream->input_count ? input + 1 : NULL;
        bool is_first = i == stream->from_count || input[-1].step != input->step ||
                        input[-1].port != input->port;
        pen_printf(pen, "%s%s", is_first ? "; with " : ", ", input->name);
        if (next == NULL || next->step != input->step || next->port != input->port) {
            pen_printf(pen, " as %s of %s", stream_input_port(stream, input),
                       stream->steps[input->step].id);
        }
    }
}

static void write_stream(struct pen *pen, const struct explanation *e, const struct stream *stream)
{
    pen_printf(pen, "  %s: from ", stream->name);
    for (size_t i = 0; i < stream->from_count; i++) {
        pen_printf(pen, "%s%s", i > 0 ? ", " : "", stream->inputs[i].name);
    }
    if (stream->source != NULL) {
        pen_printf(pen, "%s in a lane, through topic %s",
                   explain_use(e, &stream->source->plugin, true), stream->source->topic->name);
    } else if (stream->topic != NULL) {
        pen_printf(pen, "topic %s", stream->topic->name);
    }
    write_ports(pen, stream);
    pen_text(pen, "\n");
}

static void write_streams(struct pen *pen, const struct explanation *e)
{
    pen_text(pen, "\nstreams\n");
    for (size_t i = 0; i < e->pipeline->stream_count; i++) {
        write_stream(pen, e, e->pipeline->streams[i]);
    }
}

static void write_inputs(struct pen *pen, const struct plan *plan, const struct plan_node *node)
{
    for (uint32_t i = 0; i < node->input_count; i++) {
        const struct plan_edge *edge = &node->inputs[i];
        pen_printf(pen, "%s%u", i > 0 ? ", " : "  <- ", edge->node);
        const struct plan_node *from = &plan->nodes[edge->node];
        if (from->kind == PLAN_STEP && from->use->outputs != NULL) {
            pen_printf(pen, ".%s", from->use->outputs[edge->output]);
        } else if (from->kind == PLAN_END && from->output_count > 1) {
            pen_printf(pen, ".%s", from->end->topics[edge->output]->name);
        } else if (from->output_count > 1) {
            pen_printf(pen, ".%u", edge->output);
        }
    }
}

static void write_end_name(struct pen *pen, const struct plan_node *node)
{
    pen_printf(pen, "%s.%s", node->stream->name, node->use->id);
}

/* In front of a step with several inputs: which each of the nodes comes in at. */
static void write_merge_ports(struct pen *pen, const struct plan *plan, uint32_t number)
{
    const struct plan_node *merge = &plan->nodes[number];
    const struct plan_node *step = &plan->nodes[number + 1]; /* a MERGE is the last of no plan */
    if (merge->ports == NULL || step->kind != PLAN_STEP) {
        return;
    }
    for (uint32_t i = 0; i < merge->input_count; i++) {
        pen_printf(pen, "%s%s", i > 0 ? ", " : " of ",
                   step->use->factory->spec->inputs[merge->ports[i]]);
    }
}

static void write_what(struct pen *pen, const struct explanation *e, uint32_t number)
{
    const struct plan_node *node = &e->plan->nodes[number];
    switch (node->kind) {
    case PLAN_INPUT:
    case PLAN_WRITE:
        pen_printf(pen, "topic %s", node->topic->name);
        break;
    case PLAN_STEP:
        pen_printf(pen, "%s: %s", node->stream->name, explain_use(e, node->use, true));
        break;
    case PLAN_BRANCH:
        pen_printf(pen, "%u ways", node->output_count);
        break;
    case PLAN_MERGE:
        pen_text(pen, "restores the order");
        write_merge_ports(pen, e->plan, number);
        break;
    case PLAN_END:
        write_end_name(pen, node);
        break;
    }
    if (node->is_numbering) {
        pen_text(pen, ", numbers records");
    }
}

static void write_node(struct pen *pen, const struct explanation *e, uint32_t number)
{
    const struct plan_node *node = &e->plan->nodes[number];
    explain_time_node(pen, e, number);
    pen_printf(pen, "  %4u  %-6s  ", number, explain_kind(node));
    write_what(pen, e, number);
    write_inputs(pen, e->plan, node);
    pen_text(pen, "\n");
}

/* "  in the order of time with b, c": topics whose records meet these. */
static void write_group(struct pen *pen, const struct plan *plan, const struct plan_route *route)
{
    const struct plan_group *group = plan_group_of(plan, route);
    if (group->route_count == 1) {
        return;
    }
    pen_text(pen, "  in the order of time with");
    for (uint32_t i = 0, named = 0; i < group->route_count; i++) {
        const struct plan_route *other = &plan->routes[group->routes[i]];
        if (other != route) {
            pen_printf(pen, "%s %s", named++ > 0 ? "," : "", other->topic->name);
        }
    }
    pen_text(pen, "\n");
}

static void write_route(struct pen *pen, const struct explanation *e,
                        const struct plan_route *route)
{
    uint32_t partitions = route->topic->partitions;
    pen_printf(pen, "\na batch of topic %s", route->topic->name);
    if (partitions > 0) {
        pen_printf(pen, " (%u partition%s)\n", partitions, plural(partitions));
    } else {
        pen_text(pen, " (partitions as in the log; 1 where it is new)\n");
    }
    write_group(pen, e->plan, route);
    explain_time_head(pen, e);
    for (uint32_t i = 0; i < route->node_count; i++) {
        write_node(pen, e, route->nodes[i]);
    }
}

static const char *promise_text(const char *promise)
{
    static const struct {
        const char *promise;
        const char *text;
    } texts[] = {
        { "exactly-once", "exactly once: in one commit with the positions of the input" },
        { "transactional", "exactly once: published when the checkpoint is stored" },
        { "idempotent", "idempotent: what a crash repeats does no harm" },
        { "at-least-once", "at least once: a crash may repeat records" },
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        if (strcmp(texts[i].promise, promise) == 0) {
            return texts[i].text;
        }
    }
    return promise;
}

static void write_topics(struct pen *pen, const struct end *end)
{
    for (uint32_t i = 0; i < end->topic_count; i++) {
        const char *before = i == 0 ? ": topic " : i + 1 < end->topic_count ? ", " : " or ";
        pen_printf(pen, "%s%s", before, end->topics[i]->name);
    }
    if (end->choice != NULL) {
        pen_printf(pen, ", by %s", expr_text(end->choice).data);
    }
}

/* What stands behind its name. */
static void write_target(struct pen *pen, const struct explanation *e, const struct end *end)
{
    if (end->kind == END_TOPIC) {
        write_topics(pen, end);
    } else {
        pen_printf(pen, ": %s, in a lane", explain_use(e, &end->plugin, true));
    }
    pen_printf(pen, "\n    %s\n", promise_text(explain_promise(e, end)));
}

static void write_end(struct pen *pen, const struct explanation *e, const struct plan_node *node)
{
    pen_text(pen, "  ");
    write_end_name(pen, node);
    write_target(pen, e, node->end);
}

weir_status explain_text(const struct explanation *e, weir_buffer *out)
{
    struct pen pen = { .out = out };
    write_head(&pen, e);
    write_streams(&pen, e);
    for (uint32_t i = 0; i < e->plan->route_count; i++) {
        write_route(&pen, e, &e->plan->routes[i]);
    }
    if (e->plan->end_count > 0) {
        pen_text(&pen, "\nends\n");
    }
    for (uint32_t i = 0; i < e->plan->node_count; i++) {
        if (e->plan->nodes[i].kind == PLAN_END) {
            write_end(&pen, e, &e->plan->nodes[i]);
        }
    }
    if (e->pipeline->dead_letters != NULL) {
        pen_text(&pen, "  dead_letters");
        write_target(&pen, e, e->pipeline->dead_letters);
    }
    explain_time_text(&pen, e);
    return pen.status;
}
