/* SPDX-License-Identifier: MIT */
/*
 * `weir check`: every fault of pipeline files, before anything runs. The diagnostics are the answer
 * of the command, so they go to standard output.
 */

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/count_line.h"
#include "cli/load.h"
#include "cli/output.h"

enum { REPORT_MAX_BYTES = 64 * 1024 * 1024 };

/* The work over all files. */
struct checking {
    const struct args *args;
    weir_buffer out; /* the report of one file */
    size_t error_count;
    size_t warning_count;
    size_t shown_count; /* diagnostics written as JSON */
};

static bool put_out(struct checking *checking)
{
    bool is_open = output_write(checking->out.data, (size_t)checking->out.size);
    buffer_clear(&checking->out);
    return is_open;
}

static void write_report(struct checking *checking, const char *file,
                         const struct diagnostics *list)
{
    weir_buffer *out = &checking->out;
    for (size_t i = 0; i < list->count; i++) {
        if (checking->args->is_json) {
            (void)buffer_text(out, checking->shown_count++ > 0 ? ",\n" : "\n");
            diagnostic_write_json(&list->list[i], out);
        } else {
            diagnostic_write(&list->list[i], checking->args->has_color_out, out);
        }
    }
    if (!checking->args->is_json) {
        count_line_write(out, file, list->error_count, list->warning_count);
    }
}

/* False: standard output is closed. */
static bool check_file(struct checking *checking, const char *file)
{
    struct arena arena;
    struct diagnostics diagnostics;
    struct registry registry; /* of this file alone: another may list other plugins */
    arena_init(&arena, 0);
    diagnostics_init(&diagnostics, &arena);
    registry_init(&registry);
    registry_load_default(&registry);
    pipeline_destroy(pipeline_load(file, &registry, &diagnostics));
    checking->error_count += diagnostics.error_count + tell_no_memory(&diagnostics, file);
    checking->warning_count += diagnostics.warning_count;
    write_report(checking, file, &diagnostics);
    registry_deinit(&registry);
    diagnostics_deinit(&diagnostics);
    arena_deinit(&arena);
    return put_out(checking);
}

static void check_files(struct checking *checking)
{
    const struct args *args = checking->args;
    bool is_open = true;
    if (args->operand_count == 0) {
        is_open = check_file(checking, "pipeline.yaml");
    }
    for (size_t i = 0; is_open && i < args->operand_count; i++) {
        is_open = check_file(checking, args->operands[i]);
    }
}

int command_check(int argc, char **argv)
{
    struct args args;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    struct checking checking = { .args = &args };
    buffer_init(&checking.out, REPORT_MAX_BYTES);
    if (args.is_json) {
        (void)buffer_text(&checking.out, "{\"diagnostics\":[");
    }
    check_files(&checking);
    if (args.is_json) {
        output_printf("%s],\"errors\":%zu,\"warnings\":%zu}\n",
                      checking.shown_count > 0 ? "\n" : "", checking.error_count,
                      checking.warning_count);
    }
    buffer_deinit(&checking.out);
    bool is_faulty =
        checking.error_count > 0 || (args_has(&args, "strict") && checking.warning_count > 0);
    return is_faulty ? EXIT_FAULT : EXIT_DONE;
}
