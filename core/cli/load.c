/* SPDX-License-Identifier: MIT */
#include "cli/load.h"

#include <stdio.h>

#include "base/buffer.h"
#include "cli/count_line.h"

enum { MESSAGE_LIMIT = 1 << 24 };

/* To standard error: standard output is for the answer. Faults of the buffer are let pass. */
static void write_diagnostics(struct diagnostics *list, const char *path, const struct args *args)
{
    weir_buffer text;
    buffer_init(&text, MESSAGE_LIMIT);
    diagnostics_sort(list);
    for (size_t i = 0; i < list->count; i++) {
        if (args->is_json) {
            diagnostic_write_json(&list->list[i], &text);
            (void)buffer_text(&text, "\n");
        } else {
            diagnostic_write(&list->list[i], args->has_color_err, &text);
        }
    }
    if (list->count > 0 && !args->is_json) {
        count_line_write(&text, path, list->error_count, list->warning_count);
    }
    if (text.size > 0) {
        fwrite(text.data, 1, (size_t)text.size, stderr);
    }
    buffer_deinit(&text);
}

bool tell_no_memory(const struct diagnostics *list, const char *path)
{
    if (list->is_out_of_memory) {
        fprintf(stderr, "%s: error: out of memory\n", path);
    }
    return list->is_out_of_memory;
}

bool loaded_init(struct loaded *loaded, const struct args *args)
{
    const char *path = args->operand_count > 0 ? args->operands[0] : "pipeline.yaml";
    arena_init(&loaded->arena, 0);
    registry_init(&loaded->registry);
    registry_load_default(&loaded->registry);
    diagnostics_init(&loaded->diagnostics, &loaded->arena);
    loaded->pipeline = pipeline_load(path, &loaded->registry, &loaded->diagnostics);
    write_diagnostics(&loaded->diagnostics, path, args);
    (void)tell_no_memory(&loaded->diagnostics, path);
    return loaded->pipeline != NULL;
}

void loaded_deinit(struct loaded *loaded)
{
    pipeline_destroy(loaded->pipeline);
    registry_deinit(&loaded->registry);
    diagnostics_deinit(&loaded->diagnostics);
    arena_deinit(&loaded->arena);
}
