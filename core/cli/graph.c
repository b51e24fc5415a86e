/* SPDX-License-Identifier: MIT */
/*
 * `weir graph`: a picture of what a pipeline file describes.
 */
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/load.h"
#include "cli/output.h"
#include "graph/draw.h"

enum { PICTURE_MAX_BYTES = 64 * 1024 * 1024 };

static const struct {
    const char *name;
    drawing_writer *write;
} formats[] = {
    { "text", drawing_write_text },
    { "svg", drawing_write_svg },
    { "dot", drawing_write_dot },
    { "mermaid", drawing_write_mermaid },
};

/* NULL: there is no such format. */
static drawing_writer *find_writer(const struct args *args)
{
    const char *name = args_text(args, "format");
    if (name == NULL) {
        return args->is_json ? drawing_write_json : drawing_write_text;
    }
    for (size_t i = 0; i < sizeof formats / sizeof formats[0]; i++) {
        if (strcmp(formats[i].name, name) == 0) {
            return formats[i].write;
        }
    }
    return NULL;
}

static int draw(const struct loaded *loaded, struct arena *arena, drawing_writer *write)
{
    struct error error = { .status = WEIR_OK };
    const struct drawing *drawing = drawing_create(loaded->pipeline, arena);
    weir_buffer out;
    buffer_init(&out, PICTURE_MAX_BYTES);
    weir_status st = drawing == NULL ? error_no_memory(&error) : write(drawing, &out, &error);
    if (st == WEIR_OK) {
        output_write(out.data, (size_t)out.size);
    } else {
        fprintf(stderr, "weir: %s%s%s\n", error.message, error.hint[0] != 0 ? "; " : "",
                error.hint);
    }
    buffer_deinit(&out);
    return st == WEIR_OK ? EXIT_DONE : EXIT_FAULT;
}

int command_graph(int argc, char **argv)
{
    struct args args;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    drawing_writer *write = find_writer(&args);
    if (write == NULL) {
        return args_fault(&args, "write text, svg, dot or mermaid", "cannot draw as '%s'",
                          args_text(&args, "format"));
    }
    if (args.is_json && args_has(&args, "format")) {
        return args_fault(&args, "leave one of them out", "--json is a format of its own");
    }
    struct loaded loaded;
    status = EXIT_FAULT;
    if (loaded_init(&loaded, &args)) {
        struct arena arena;
        arena_init(&arena, 0);
        status = draw(&loaded, &arena, write);
        arena_deinit(&arena);
    }
    loaded_deinit(&loaded);
    return status;
}
