/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <string.h>

#include "cli/explain.h"
#include "graph/pen.h"
#include "pipeline/memory_split.h"
#include "value/json.h"

static void write_text(struct pen *pen, const char *name, const char *text)
{
    pen_printf(pen, "\"%s\":", name);
    if (pen->status == WEIR_OK) {
        pen->status = json_write_text(text, strlen(text), pen->out);
    }
}

static const char *truth(bool is_true)
{
    return is_true ? "true" : "false";
}

/* "uncommitted" is held COMMIT_COPIES times by a commit. */
static void write_memory(struct pen *pen, const struct pipeline *pipeline)
{
    if (pipeline->memory_bytes == 0) {
        return;
    }
    struct memory_split split;
    memory_split(pipeline, &split);
    pen_printf(pen,
               ",\"memory\":{\"bytes\":%" PRId64 ",\"batches\":%" PRIu64 ",\"sources\":%" PRIu64
               ",\"uncommitted\":%" PRIu64 ",\"memtables\":%" PRIu64 ",\"log_cache\":%" PRIu64
               ",\"chunks\":%" PRIu64 "}",
               pipeline->memory_bytes, split.batches, split.sources, split.uncommitted,
               split.memtables, split.log_cache, split.chunks);
}

static void write_head(struct pen *pen, const struct explanation *e)
{
    const struct pipeline *pipeline = e->pipeline;
    bool is_exact = true;
    uint32_t tasks = explain_tasks(e, &is_exact);
    pen_text(pen, e->report != NULL ? "{\"event\":\"explain\"," : "{");
    write_text(pen, "pipeline", pipeline->name);
    pen_text(pen, ",");
    write_text(pen, "log", e->log_url);
    pen_printf(pen,
               ",\"checkpoint\":{\"interval_ms\":%" PRId64 ",\"records\":%" PRId64
               "},\"shutdown_timeout_ms\":%" PRId64,
               pipeline->checkpoint_interval_ms, pipeline->checkpoint_records,
               pipeline->shutdown_timeout_ms);
    pen_printf(pen, ",\"tasks\":%u,\"tasks_exact\":%s,\"threads\":", tasks, truth(is_exact));
    if (pipeline->threads > 0) {
        pen_printf(pen, "%" PRId64, pipeline->threads);
    } else {
        pen_text(pen, "null");
    }
    pen_printf(pen, ",\"source_lanes\":%zu,\"sink_lanes\":%zu", explain_source_count(e),
               explain_sink_count(e));
    write_memory(pen, pipeline);
}

static void write_parents(struct pen *pen, const struct stream *stream)
{
    if (stream->from_count == 0) {
        return;
    }
    pen_text(pen, ",\"from\":[");
    for (size_t i = 0; i < stream->from_count; i++) {
        const char *name = stream->inputs[i].stream->name;
        pen_text(pen, i > 0 ? "," : "");
        if (pen->status == WEIR_OK) {
            pen->status = json_write_text(name, strlen(name), pen->out);
        }
    }
    pen_text(pen, "]");
}

/* What options of steps read. */
static void write_ports(struct pen *pen, const struct stream *stream)
{
    if (stream->input_count == stream->from_count) {
        return;
    }
    pen_text(pen, ",\"inputs\":[");
    for (size_t i = stream->from_count; i < stream->input_count; i++) {
        const struct stream_input *input = &stream->inputs[i];
        pen_text(pen, i > stream->from_count ? ",{" : "{");
        write_text(pen, "step", stream->steps[input->step].id);
        pen_text(pen, ",");
        write_text(pen, "input", stream_input_port(stream, input));
        pen_text(pen, ",");
        write_text(pen, "stream", input->stream->name);
        pen_text(pen, "}");
    }
    pen_text(pen, "]");
}

static void write_streams(struct pen *pen, const struct explanation *e)
{
    const struct pipeline *pipeline = e->pipeline;
    pen_text(pen, ",\n\"streams\":[");
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        pen_text(pen, i > 0 ? ",\n{" : "\n{");
        write_text(pen, "name", stream->name);
        if (stream->source != NULL) {
            pen_text(pen, ",");
            write_text(pen, "source", explain_use(e, &stream->source->plugin, false));
        }
        write_parents(pen, stream);
        write_ports(pen, stream);
        if (stream->topic != NULL) {
            pen_text(pen, ",");
            write_text(pen, stream->is_direct ? "fills" : "topic", stream->topic->name);
        }
        pen_text(pen, "}");
    }
    pen_text(pen, "]");
}

static void write_inputs(struct pen *pen, const struct plan_node *node)
{
    pen_text(pen, ",\"inputs\":[");
    for (uint32_t i = 0; i < node->input_count; i++) {
        pen_printf(pen, "%s{\"node\":%u,\"output\":%u", i > 0 ? "," : "", node->inputs[i].node,
                   node->inputs[i].output);
        if (node->ports != NULL) {
            pen_printf(pen, ",\"port\":%u", node->ports[i]);
        }
        pen_text(pen, "}");
    }
    pen_printf(pen, "],\"outputs\":%u", node->output_count);
}

static void write_node(struct pen *pen, const struct explanation *e, uint32_t number)
{
    const struct plan_node *node = &e->plan->nodes[number];
    pen_printf(pen, "{\"number\":%u,\"kind\":\"%s\"", number, explain_kind(node));
    if (node->stream != NULL) {
        pen_text(pen, ",");
        write_text(pen, "stream", node->stream->name);
    }
    if (node->topic != NULL) {
        pen_text(pen, ",");
        write_text(pen, "topic", node->topic->name);
    }
    if (node->kind == PLAN_STEP) {
        pen_text(pen, ",");
        write_text(pen, "step", explain_use(e, node->use, false));
    }
    if (node->kind == PLAN_END) {
        pen_text(pen, ",");
        write_text(pen, "end", node->use->id);
    }
    write_inputs(pen, node);
    pen_printf(pen, ",\"numbers_records\":%s,\"restores_order\":%s", truth(node->is_numbering),
               truth(node->kind == PLAN_MERGE));
    explain_time_node_json(pen, e, number);
    pen_text(pen, "}");
}

static void write_group(struct pen *pen, const struct plan *plan, const struct plan_route *route)
{
    const struct plan_group *group = plan_group_of(plan, route);
    pen_text(pen, ",\"aligned_with\":[");
    for (uint32_t i = 0, named = 0; i < group->route_count; i++) {
        const char *name = plan->routes[group->routes[i]].topic->name;
        if (&plan->routes[group->routes[i]] == route) {
            continue;
        }
        pen_text(pen, named++ > 0 ? "," : "");
        if (pen->status == WEIR_OK) {
            pen->status = json_write_text(name, strlen(name), pen->out);
        }
    }
    pen_text(pen, "]");
}

static void write_route(struct pen *pen, const struct plan *plan, const struct plan_route *route)
{
    pen_text(pen, "{");
    write_text(pen, "topic", route->topic->name);
    if (route->topic->partitions > 0) {
        pen_printf(pen, ",\"partitions\":%u", route->topic->partitions);
    } else {
        pen_text(pen, ",\"partitions\":null");
    }
    write_group(pen, plan, route);
    pen_text(pen, ",\"nodes\":[");
    for (uint32_t i = 0; i < route->node_count; i++) {
        pen_printf(pen, "%s%u", i > 0 ? "," : "", route->nodes[i]);
    }
    pen_text(pen, "]}");
}

/* "topic", or where the end chooses one "topics" and by what. */
static void write_topics(struct pen *pen, const struct end *end)
{
    if (end->choice == NULL) {
        write_text(pen, "topic", end->topics[0]->name);
        return;
    }
    pen_text(pen, "\"topics\":[");
    for (uint32_t i = 0; i < end->topic_count; i++) {
        const char *name = end->topics[i]->name;
        pen_text(pen, i > 0 ? "," : "");
        if (pen->status == WEIR_OK) {
            pen->status = json_write_text(name, strlen(name), pen->out);
        }
    }
    pen_text(pen, "],");
    write_text(pen, "by", expr_text(end->choice).data);
}

static void write_end(struct pen *pen, const struct explanation *e, const struct plan_node *node)
{
    pen_text(pen, "{");
    write_text(pen, "stream", node->stream->name);
    pen_text(pen, ",");
    write_text(pen, "id", node->use->id);
    pen_text(pen, ",");
    if (node->end->kind == END_TOPIC) {
        write_topics(pen, node->end);
    } else {
        write_text(pen, "sink", explain_use(e, node->use, false));
    }
    pen_printf(pen, ",\"lane\":%s,", truth(node->end->kind == END_SINK));
    write_text(pen, "promise", explain_promise(e, node->end));
    pen_text(pen, "}");
}

static void write_dead_letters(struct pen *pen, const struct explanation *e, const struct end *end)
{
    if (end == NULL) {
        pen_text(pen, "null");
        return;
    }
    pen_text(pen, "{");
    if (end->kind == END_TOPIC) {
        write_topics(pen, end);
    } else {
        write_text(pen, "sink", explain_use(e, &end->plugin, false));
    }
    pen_text(pen, ",");
    write_text(pen, "promise", explain_promise(e, end));
    pen_text(pen, "}");
}

static void write_plan(struct pen *pen, const struct explanation *e)
{
    const struct plan *plan = e->plan;
    pen_text(pen, ",\n\"nodes\":[");
    for (uint32_t i = 0; i < plan->node_count; i++) {
        pen_text(pen, i > 0 ? ",\n" : "\n");
        write_node(pen, e, i);
    }
    pen_text(pen, "],\n\"routes\":[");
    for (uint32_t i = 0; i < plan->route_count; i++) {
        pen_text(pen, i > 0 ? ",\n" : "\n");
        write_route(pen, plan, &plan->routes[i]);
    }
    pen_text(pen, "],\n\"ends\":[");
    bool is_first = true;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        if (plan->nodes[i].kind == PLAN_END) {
            pen_text(pen, is_first ? "\n" : ",\n");
            write_end(pen, e, &plan->nodes[i]);
            is_first = false;
        }
    }
    pen_text(pen, "],\n\"dead_letters\":");
    write_dead_letters(pen, e, e->pipeline->dead_letters);
}

weir_status explain_json(const struct explanation *e, weir_buffer *out)
{
    struct pen pen = { .out = out };
    write_head(&pen, e);
    write_streams(&pen, e);
    write_plan(&pen, e);
    explain_time_json(&pen, e);
    pen_text(&pen, "}\n");
    return pen.status;
}
