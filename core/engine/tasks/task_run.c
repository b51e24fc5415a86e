/* SPDX-License-Identifier: MIT */
/* A batch on its way through the nodes of a route, one after the other. */
#include <string.h>

#include <weir/operator.h>

#include "engine/tasks/task_node.h"
#include "engine/tasks/topic_end.h"

static struct run input_of(const struct task *task, const struct plan_edge *edge)
{
    return task->nodes[edge->node].runs[edge->output];
}

static bool no_memory(struct task *task, const struct task_node *node)
{
    const struct plugin_use *use = node->plan->use;
    return run_faults_no_memory(task->parts->faults, use != NULL ? use->label : NULL);
}

static bool drop_record(struct task *task, struct task_node *node, const struct root *root,
                        const weir_entry *entry, const struct call_failure *failure)
{
    struct meter *meter = &task->parts->meters[node->plan - task->parts->plan->nodes];
    struct failed_record failed = { .use = node->plan->use,
                                    .on_error = node->plan->use->on_error,
                                    .meter = meter,
                                    .origin = &root->origin,
                                    .offset = entry->record->offset,
                                    .message = root_message(root, entry->record->offset),
                                    .record = entry->record,
                                    .letters = &task->letters };
    return run_faults_record(task->parts->faults, &failed, failure);
}

/* entries: that came in. */
static bool drop_failed(struct task *task, struct task_node *node, const struct root *root,
                        const weir_entry *entries)
{
    call_sort_failures(&node->call);
    for (uint32_t i = 0; i < node->call.failure_count; i++) {
        const struct call_failure *failure = &node->call.failures[i];
        if (!drop_record(task, node, root, &entries[failure->index], failure)) {
            return false;
        }
    }
    return true;
}

/* At which input of this step a record came in says nothing behind it. */
static void clear_ports(const weir_output *output)
{
    for (uint32_t i = 0; i < output->count; i++) {
        output->entries[i].input = 0;
    }
}

/* What the call has emitted, for the nodes behind. */
static void take_outputs(struct task_node *node, struct meter *meter)
{
    for (uint32_t i = 0; i < node->plan->output_count; i++) {
        const weir_output *output = &node->call.outputs[i];
        if (node->plan->is_numbering) {
            order_output(output->entries, output->count, i);
        }
        if (node->plan->has_ports) {
            clear_ports(output);
        }
        node->runs[i] = (struct run){ output->entries, output->count };
        meter_add(&meter->out, output->count);
    }
}

static bool run_step(struct task *task, struct task_node *node, struct root *root)
{
    struct meter *meter = &task->parts->meters[node->plan - task->parts->plan->nodes];
    const weir_operator_vtable *vtable = node->instance->spec->vtable;
    struct run in = input_of(task, &node->plan->inputs[0]);
    if (node->plan->is_numbering &&
        !order_number(&task->order, &root->arena, in, node->plan->output_count, &in)) {
        return no_memory(task, node);
    }
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = in.count,
                         .entries = in.entries,
                         .origins = &root->origin,
                         .origin_count = 1 };
    call_watch_slot("process");
    call_begin(&node->call, node->instance, &root->arena, &batch);
    weir_status st = vtable->process(node->instance->self, &node->call.context, &batch);
    call_end(&node->call);
    if (st != WEIR_OK || node->call.whole.status != WEIR_OK) {
        run_faults_call(task->parts->faults, node->plan->use->label, &node->call, st, "process");
        return false;
    }
    if (!drop_failed(task, node, root, in.entries)) {
        return false;
    }
    meter_add(&meter->in, in.count);
    take_outputs(node, meter);
    return true;
}

static bool run_branch(struct task *task, struct task_node *node, struct root *root)
{
    struct run in = input_of(task, &node->plan->inputs[0]);
    if (node->plan->is_numbering) {
        return order_branch(&task->order, &root->arena, in, node->plan->output_count, node->runs) ||
               no_memory(task, node);
    }
    for (uint32_t i = 0; i < node->plan->output_count; i++) {
        node->runs[i] = in;
    }
    return true;
}

static bool run_merge(struct task *task, struct task_node *node, struct root *root)
{
    uint32_t filled = 0;
    for (uint32_t i = 0; i < node->plan->input_count; i++) {
        node->inputs[i] = input_of(task, &node->plan->inputs[i]);
        filled += node->inputs[i].count > 0;
    }
    if (filled == 0) {
        return true;
    }
    return order_merge(&task->order, &root->arena, node->inputs, node->plan->input_count,
                       node->plan->ports, &node->runs[0]) ||
           no_memory(task, node);
}

/* Entries of a call's frame do not outlive the batch's turn; those of the arena do. */
static bool hand_over(struct task *task, struct task_node *node, struct root *root, struct run in)
{
    weir_entry *entries = arena_alloc(&root->arena, in.count * sizeof *entries);
    if (entries == NULL) {
        return no_memory(task, node);
    }
    memcpy(entries, in.entries, in.count * sizeof *entries);
    sink_lane_write(task->parts->lanes[node->plan->end_number], root,
                    (struct run){ entries, in.count });
    return true;
}

static bool run_end(struct task *task, struct task_node *node, struct root *root)
{
    struct meter *meter = &task->parts->meters[node->plan - task->parts->plan->nodes];
    struct run in = input_of(task, &node->plan->inputs[0]);
    if (in.count == 0) {
        return true;
    }
    meter_add(&meter->in, in.count);
    meter_add(task->parts->arrivals, in.count);
    if (node->plan->end->kind == END_SINK) {
        return hand_over(task, node, root, in);
    }
    struct topic_end end = { .end = node->plan->end,
                             .host = &task->parts->pipeline->function_host,
                             .call = &node->call,
                             .meter = meter,
                             .faults = task->parts->faults,
                             .letters = &task->letters };
    return topic_end_run(&end, root, in, node->runs);
}

static bool run_write(struct task *task, struct task_node *node, struct root *root)
{
    struct meter *meter = &task->parts->meters[node->plan - task->parts->plan->nodes];
    struct run in = input_of(task, &node->plan->inputs[0]);
    struct writer_batch batch = {
        .run = in, .places = node->places, .root = root, .letters = &task->letters
    };
    uint32_t written = 0;
    node->writer->kept_bytes = task->parts->limits->writer;
    if (!writer_append(node->writer, &root->arena, &batch, &written)) {
        return false;
    }
    meter_add(&meter->in, in.count);
    meter_add(&meter->out, written);
    return true;
}

static bool run_node(struct task *task, struct task_node *node, struct root *root)
{
    switch (node->plan->kind) {
    case PLAN_INPUT:
        return true;
    case PLAN_STEP:
        return input_of(task, &node->plan->inputs[0]).count == 0 || run_step(task, node, root);
    case PLAN_BRANCH:
        return run_branch(task, node, root);
    case PLAN_MERGE:
        return run_merge(task, node, root);
    case PLAN_END:
        return run_end(task, node, root);
    case PLAN_WRITE:
        return run_write(task, node, root);
    }
    return false;
}

/* The lane of a route's node; NULL: it is none of a sink. */
static struct sink_lane *lane_at(const struct task *task, const struct plan_route *route,
                                 uint32_t i)
{
    const struct plan_node *node = &task->parts->plan->nodes[route->nodes[i]];
    return node->kind == PLAN_END ? task->parts->lanes[node->end_number] : NULL;
}

static void release_first(struct task *task, const struct plan_route *route, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        struct sink_lane *lane = lane_at(task, route, i);
        if (lane != NULL) {
            sink_lane_release(lane);
        }
    }
}

bool task_claim(struct task *task, uint32_t route_index)
{
    const struct plan_route *route = &task->parts->plan->routes[route_index];
    struct reader *reader = &task->readers[route_index];
    for (uint32_t i = 0; i < route->node_count; i++) {
        struct sink_lane *lane = lane_at(task, route, i);
        if (lane != NULL && !sink_lane_promise(lane)) {
            release_first(task, route, i);
            pauses_put(&reader->pauses, PAUSE_ROOM, lane->end->plugin.label, reader->position);
            return false;
        }
    }
    pauses_lift(&reader->pauses, PAUSE_ROOM);
    return true;
}

void task_release(struct task *task, uint32_t route_index)
{
    const struct plan_route *route = &task->parts->plan->routes[route_index];
    release_first(task, route, route->node_count);
}

static void clear_runs(struct task *task)
{
    for (uint32_t i = 0; i < task->parts->plan->node_count; i++) {
        struct task_node *node = &task->nodes[i];
        for (uint32_t k = 0; k < node->plan->output_count; k++) {
            node->runs[k] = (struct run){ NULL, 0 };
        }
    }
}

bool task_fill(struct task *task, uint32_t route, uint32_t max_count, bool may_wait,
               struct root_pool *roots)
{
    const struct limits *limits = task->parts->limits;
    return reader_fill(&task->readers[route], roots, max_count,
                       may_wait ? limits->ahead : limits->read);
}

static bool run_route(struct task *task, const struct plan_route *route, struct run in,
                      struct root *root)
{
    clear_runs(task);
    if (!order_start(&task->order, &root->arena, task->parts->plan->node_count, in.count)) {
        return no_memory(task, &task->nodes[route->nodes[0]]);
    }
    task->nodes[route->nodes[0]].runs[0] = in;
    for (uint32_t i = 1; i < route->node_count; i++) {
        if (!run_node(task, &task->nodes[route->nodes[i]], root)) {
            return false;
        }
    }
    return dead_letters_send(&task->letters);
}

bool task_turn(struct task *task, uint32_t route_index, uint32_t max_count, int64_t until,
               uint32_t *ret_messages)
{
    struct run in;
    struct root *root = NULL;
    if (!reader_take(&task->readers[route_index], max_count, until, ret_messages, &in, &root)) {
        return false;
    }
    root->turn_messages = *ret_messages;
    bool is_right = run_route(task, &task->parts->plan->routes[route_index], in, root);
    root_release(root);
    return is_right;
}
