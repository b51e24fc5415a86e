/* SPDX-License-Identifier: MIT */
#include "cli/where.h"

#include <string.h>

static void report(void *self, bool is_warning, size_t from, size_t to, const char *message)
{
    const struct topic_use *use = self;
    (void)to;
    if (!is_warning) {
        args_fault(use->args, NULL, "'--where' at byte %zu: %s", from, message);
    }
}

bool where_compile(const struct topic_use *use, const weir_expression **ret_where)
{
    const char *text = args_text(use->args, "where");
    *ret_where = NULL;
    if (text == NULL) {
        return true;
    }
    const struct pipeline *pipeline = use->pipeline != NULL ? use->pipeline : use->defaults;
    struct expr_reporter reporter = { report, (void *)(uintptr_t)use };
    *ret_where = expr_compile(&pipeline->env, text, strlen(text), &reporter);
    return *ret_where != NULL;
}

weir_status where_compute(const struct topic_use *use, const weir_expression *where,
                          struct codec *codec, uint32_t partition, weir_record *records,
                          uint32_t count, struct arena *arena, weir_value **ret_values,
                          struct error *error)
{
    weir_entry *entries = arena_zeroed(arena, (count + 1u) * sizeof *entries);
    *ret_values = arena_zeroed(arena, (count + 1u) * sizeof **ret_values);
    weir_origin origin = { use->name, (uint32_t)strlen(use->name), (int32_t)partition };
    weir_batch view = { .struct_size = sizeof view,
                        .count = count,
                        .entries = entries,
                        .origins = &origin,
                        .origin_count = 1 };
    if (entries == NULL || *ret_values == NULL) {
        return error_no_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        entries[i] = (weir_entry){ .record = &records[i], .ordinal = i };
    }
    call_begin(&codec->call, codec->instance, arena, &view);
    int64_t st = expr_evaluate(&codec->call.context, where, entries, count, *ret_values);
    call_end(&codec->call);
    return st < 0 ? error_set(error, (weir_status)st, WEIR_CLASS_RESOURCE,
                              "could not compute '--where'")
                  : WEIR_OK;
}
