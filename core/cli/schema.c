/* SPDX-License-Identifier: MIT */
/*
 * `weir schema`: what editors complete and mark pipeline files by.
 */
#include <stdio.h>

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/schema.h"
#include "pipeline/pipeline.h"

/* Says on standard error why the plugins of a file cannot be described. */
static void report(const struct args *args, const struct diagnostics *diagnostics)
{
    weir_buffer out;
    buffer_init(&out, UINT64_MAX);
    for (size_t i = 0; i < diagnostics->count; i++) {
        diagnostic_write(&diagnostics->list[i], args->has_color_err, &out);
    }
    if (out.size > 0) {
        fwrite(out.data, 1, (size_t)out.size, stderr);
    }
    buffer_deinit(&out);
}

/* What is found and not taken is missing in the schema, so it is told. */
static void warn_of_problems(const struct registry *registry)
{
    for (size_t i = 0; i < registry->problem_count; i++) {
        const struct plugin_problem *problem = &registry->problems[i];
        fprintf(stderr, "weir schema: warning: '%s' was not loaded: %s\n", problem->path,
                problem->message);
    }
}

/* False: after a report. */
static bool load_plugins(const struct args *args, struct registry *registry, struct arena *arena)
{
    struct diagnostics diagnostics;
    bool is_loaded = true;
    registry_load_default(registry);
    warn_of_problems(registry);
    if (args->operand_count > 0) {
        diagnostics_init(&diagnostics, arena);
        is_loaded = pipeline_load_plugins(args->operands[0], registry, &diagnostics);
        report(args, &diagnostics);
        if (diagnostics.is_out_of_memory) {
            fprintf(stderr, "weir: out of memory\n");
        }
        diagnostics_deinit(&diagnostics);
    }
    if (is_loaded && registry->plugins.count == 0) {
        fprintf(stderr, "weir schema: no plugins are found, not even the built-in ones\n"
                        "hint: set WEIR_PLUGIN_PATH to their folder\n");
        return false;
    }
    return is_loaded;
}

static bool write_schema(const struct registry *registry, struct arena *arena)
{
    weir_buffer out;
    struct json_writer writer = { .page = { .out = &out } };
    buffer_init(&out, UINT64_MAX);
    bool is_whole = schema_file(&writer, registry, arena);
    if (is_whole) {
        output_write(out.data, (size_t)out.size);
    } else {
        fprintf(stderr, "weir: out of memory\n");
    }
    buffer_deinit(&out);
    return is_whole;
}

static bool write_page(struct arena *arena)
{
    weir_buffer out;
    struct page page = { .out = &out };
    buffer_init(&out, UINT64_MAX);
    schema_markdown(&page, arena);
    if (page.status == WEIR_OK) {
        output_write(out.data, (size_t)out.size);
    }
    buffer_deinit(&out);
    return page.status == WEIR_OK;
}

static bool write_wanted(const struct args *args, struct registry *registry, struct arena *arena)
{
    if (args_has(args, "markdown")) {
        return write_page(arena);
    }
    return load_plugins(args, registry, arena) && write_schema(registry, arena);
}

int command_schema(int argc, char **argv)
{
    struct args args;
    struct arena arena;
    struct registry registry;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    arena_init(&arena, 0);
    registry_init(&registry);
    bool is_done = write_wanted(&args, &registry, &arena);
    registry_deinit(&registry);
    arena_deinit(&arena);
    return is_done ? EXIT_DONE : EXIT_FAULT;
}
