/* SPDX-License-Identifier: MIT */
#include "engine/tasks/task.h"

#include "engine/tasks/task_node.h"

static uint32_t topic_index(const struct pipeline *pipeline, const struct topic *topic)
{
    uint32_t i = 0;
    while (pipeline->topics[i] != topic) {
        i++;
    }
    return i;
}

/* Of the node, for the calls of its plugins. */
static struct stopwatch *watch_of(const struct task *task, const struct task_node *node)
{
    return timing_node(task->parts->timing, (uint32_t)(node->plan - task->parts->plan->nodes));
}

static bool init_call(struct task *task, struct task_node *node, uint32_t outputs,
                      struct error *error)
{
    node->has_call = call_init(&node->call, outputs);
    if (!node->has_call) {
        error_no_memory(error);
    }
    node->call.stopwatch = watch_of(task, node);
    return node->has_call;
}

static bool init_step(struct task *task, struct task_node *node, struct error *error)
{
    const struct plugin_use *use = node->plan->use;
    node->instance = instance_create(&task->parts->pipeline->services, use->factory->spec,
                                     use->config, use->label, error);
    return node->instance != NULL && init_call(task, node, node->plan->output_count, error);
}

/* Expressions of an end are evaluated in a frame that belongs to no plugin. */
static bool init_end(struct task *task, struct task_node *node, struct error *error)
{
    const struct end *end = node->plan->end;
    return (end->key == NULL && end->choice == NULL) || init_call(task, node, 0, error);
}

static bool init_write(struct task *task, struct task_node *node, struct arena *arena,
                       struct error *error)
{
    const struct task_parts *parts = task->parts;
    const struct plan_node *plan = node->plan;
    node->places = arena_zeroed(arena, plan->writer_count * sizeof *node->places);
    node->writer = arena_zeroed(arena, sizeof *node->writer);
    if (node->places == NULL || node->writer == NULL) {
        error_no_memory(error);
        return false;
    }
    for (uint32_t i = 0; i < plan->writer_count; i++) {
        node->places[i] = (struct writer_place){ parts->plan->nodes[plan->writers[i]].use,
                                                 &parts->meters[plan->writers[i]] };
    }
    uint32_t topic = topic_index(parts->pipeline, plan->topic);
    if (!writer_init(node->writer, &parts->pipeline->services, plan->topic,
                     parts->log_topics[topic], parts->faults, error)) {
        return false;
    }
    writer_measure(node->writer, watch_of(task, node),
                   parts->timing == NULL ? NULL : &parts->timing->append);
    return true;
}

static bool init_node(struct task *task, uint32_t index, struct arena *arena, struct error *error)
{
    struct task_node *node = &task->nodes[index];
    node->plan = &task->parts->plan->nodes[index];
    node->runs = arena_zeroed(arena, node->plan->output_count * sizeof *node->runs);
    node->inputs = arena_zeroed(arena, (node->plan->input_count + 1u) * sizeof *node->inputs);
    if (node->runs == NULL || node->inputs == NULL) {
        error_no_memory(error);
        return false;
    }
    switch (node->plan->kind) {
    case PLAN_STEP:
        return init_step(task, node, error);
    case PLAN_END:
        return init_end(task, node, error);
    case PLAN_WRITE:
        return init_write(task, node, arena, error);
    case PLAN_INPUT:
    case PLAN_BRANCH:
    case PLAN_MERGE:
        break;
    }
    return true;
}

static bool init_reader(struct task *task, uint32_t index, struct error *error)
{
    const struct task_parts *parts = task->parts;
    const struct plan_route *route = &parts->plan->routes[index];
    struct reader *reader = &task->readers[index];
    struct log_topic *log_topic = parts->log_topics[topic_index(parts->pipeline, route->topic)];
    if (task->partition >= log_topic->partitions) {
        return true;
    }
    if (!reader_init(reader, &parts->pipeline->services, route->topic, log_topic, task->partition,
                     &parts->meters[route->nodes[0]], parts->faults, &task->letters, error)) {
        return false;
    }
    reader_measure(reader, parts->timing == NULL ? NULL : &parts->timing->read,
                   timing_node(parts->timing, route->nodes[0]));
    return true;
}

static bool init_readers(struct task *task, struct error *error)
{
    for (uint32_t i = 0; i < task->parts->plan->route_count; i++) {
        if (!init_reader(task, i, error)) {
            return false;
        }
    }
    return true;
}

bool task_init(struct task *task, const struct task_parts *parts, uint32_t partition,
               struct arena *arena, struct error *error)
{
    *task = (struct task){ .parts = parts, .partition = partition };
    letter_box_init(&task->letters, parts->letters);
    task->nodes = arena_zeroed(arena, parts->plan->node_count * sizeof *task->nodes);
    task->readers = arena_zeroed(arena, (parts->plan->route_count + 1u) * sizeof *task->readers);
    task->heads = arena_zeroed(arena, (parts->plan->route_count + 1u) * sizeof *task->heads);
    if (task->nodes == NULL || task->readers == NULL || task->heads == NULL) {
        error_no_memory(error);
        return false;
    }
    for (uint32_t i = 0; i < parts->plan->node_count; i++) {
        if (!init_node(task, i, arena, error)) {
            return false;
        }
    }
    return init_readers(task, error);
}

void task_deinit(struct task *task)
{
    letter_box_deinit(&task->letters);
    if (task->nodes == NULL || task->readers == NULL) {
        return;
    }
    for (uint32_t i = 0; i < task->parts->plan->node_count; i++) {
        struct task_node *node = &task->nodes[i];
        if (node->has_call) {
            call_deinit(&node->call);
        }
        instance_destroy(node->instance);
        if (node->writer != NULL && node->writer->topic != NULL) {
            writer_deinit(node->writer);
        }
    }
    for (uint32_t i = 0; i < task->parts->plan->route_count; i++) {
        if (task->readers[i].topic != NULL) {
            reader_deinit(&task->readers[i]);
        }
    }
}
