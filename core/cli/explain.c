/* SPDX-License-Identifier: MIT */
/*
 * `weir explain`: how a pipeline file would be run, from the plan that `weir run` works on. Neither log
 * nor sources nor sinks are opened.
 */
#include "cli/explain.h"

#include <stdio.h>
#include <string.h>

#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/describe.h"
#include "cli/load.h"
#include "cli/output.h"
#include "kafka/address.h"

enum { ANSWER_MAX_BYTES = 64 * 1024 * 1024 };

const char *explain_kind(const struct plan_node *node)
{
    static const char *const kinds[] = { "input", "step", "branch", "merge", "end", "write" };
    return kinds[node->kind];
}

const char *explain_use(const struct explanation *explanation, const struct plugin_use *use,
                        bool is_short)
{
    const char *name = use->factory != NULL ? use->factory->spec->name : use->id;
    const char *body = draw_body(use, explanation->pipeline->folder, is_short, explanation->arena);
    if (body == NULL || body[0] == 0) {
        return name;
    }
    const char *text = arena_printf(explanation->arena, "%s %s", name, body);
    return text != NULL ? text : name;
}

/* The embedded log writes a topic's records in the commit that stores the positions of their input; Kafka does so
 * in transactions only. */
static bool has_one_commit(const struct explanation *explanation)
{
    return explanation->pipeline->is_exactly_once || !kafka_address_is_meant(explanation->log_url);
}

const char *explain_promise(const struct explanation *explanation, const struct end *end)
{
    const char *promise = NULL;
    if (end->kind == END_SINK) {
        promise = describe_promise(end->plugin.factory->spec);
    } else if (has_one_commit(explanation)) {
        promise = "exactly-once";
    }
    return promise != NULL ? promise : "at-least-once";
}

uint32_t explain_tasks(const struct explanation *explanation, bool *ret_is_exact)
{
    const struct plan *plan = explanation->plan;
    uint32_t most = 0;
    *ret_is_exact = true;
    for (uint32_t i = 0; i < plan->route_count; i++) {
        uint32_t partitions = plan->routes[i].topic->partitions;
        *ret_is_exact = *ret_is_exact && partitions > 0;
        partitions = partitions == 0 ? 1 : partitions;
        most = partitions > most ? partitions : most;
    }
    return most;
}

size_t explain_source_count(const struct explanation *explanation)
{
    const struct pipeline *pipeline = explanation->pipeline;
    size_t count = 0;
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        count += pipeline->streams[i]->source != NULL;
    }
    return count;
}

size_t explain_sink_count(const struct explanation *explanation)
{
    const struct plan *plan = explanation->plan;
    size_t count = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        count += plan->nodes[i].kind == PLAN_END && plan->nodes[i].end->kind == END_SINK;
    }
    const struct end *letters = explanation->pipeline->dead_letters;
    count += letters != NULL && letters->kind == END_SINK;
    return count;
}

/* One line, as the log of a run with --json has one for each event. In texts a newline is escaped. */
static void join_lines(weir_buffer *text)
{
    for (uint64_t i = 0; i + 1 < text->size; i++) {
        text->data[i] = text->data[i] == '\n' ? ' ' : text->data[i];
    }
}

void explain_run(const struct pipeline *pipeline, const char *log_url,
                 const struct engine_report *report, bool is_json)
{
    struct arena arena;
    weir_buffer out;
    arena_init(&arena, 0);
    buffer_init(&out, ANSWER_MAX_BYTES);
    struct explanation e = { .pipeline = pipeline,
                             .log_url = log_url != NULL ? log_url : pipeline->log_url,
                             .plan = plan_create(pipeline, NULL, &arena),
                             .arena = &arena,
                             .report = report };
    weir_status st = WEIR_E_NOMEM;
    if (e.plan != NULL) {
        st = is_json ? explain_json(&e, &out) : explain_text(&e, &out);
    }
    if (st == WEIR_OK && is_json) {
        join_lines(&out);
    }
    if (st == WEIR_OK) {
        fprintf(stderr, "%s", is_json ? "" : "\n");
        fwrite(out.data, 1, (size_t)out.size, stderr);
    } else {
        fprintf(stderr, "weir: out of memory\n");
    }
    buffer_deinit(&out);
    arena_deinit(&arena);
}

static int answer(const struct explanation *explanation, bool is_json)
{
    weir_buffer out;
    buffer_init(&out, ANSWER_MAX_BYTES);
    weir_status st = is_json ? explain_json(explanation, &out) : explain_text(explanation, &out);
    if (st == WEIR_OK) {
        output_write(out.data, (size_t)out.size);
    } else {
        fprintf(stderr, "weir: %s\n",
                st == WEIR_E_LIMIT ? "the plan is too large to be shown" : "out of memory");
    }
    buffer_deinit(&out);
    return st == WEIR_OK ? EXIT_DONE : EXIT_FAULT;
}

int command_explain(int argc, char **argv)
{
    struct args args;
    struct loaded loaded;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    status = EXIT_FAULT;
    if (loaded_init(&loaded, &args)) {
        struct arena arena;
        arena_init(&arena, 0);
        struct explanation explanation = { .pipeline = loaded.pipeline,
                                           .log_url = loaded.pipeline->log_url,
                                           .plan = plan_create(loaded.pipeline, NULL, &arena),
                                           .arena = &arena };
        if (explanation.plan != NULL) {
            status = answer(&explanation, args.is_json);
        } else {
            fprintf(stderr, "weir: out of memory\n");
        }
        arena_deinit(&arena);
    }
    loaded_deinit(&loaded);
    return status;
}
