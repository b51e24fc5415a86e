/* SPDX-License-Identifier: MIT */
#include "engine/topics/rights.h"

#include <string.h>

#include "base/logger.h"

/* By index of the pipeline's topics. NULL: no memory. */
static struct log_use *list_uses(const struct engine *engine, struct arena *arena)
{
    const struct pipeline *pipeline = engine->pipeline;
    struct log_use *uses = arena_zeroed(arena, (pipeline->topic_count + 1) * sizeof *uses);
    for (size_t i = 0; uses != NULL && i < pipeline->topic_count; i++) {
        const struct topic *topic = pipeline->topics[i];
        bool is_used = !engine->is_left_out[i];
        uses[i] = (struct log_use){ .topic = topic->log_name,
                                    .is_read = is_used && topic->is_read,
                                    .is_written = is_used && topic->is_written,
                                    .is_trimmed = is_used && topic->is_internal };
    }
    return uses;
}

/* States of sources, tokens of sinks. */
static bool has_facts(const struct pipeline *pipeline)
{
    bool has_any = pipeline->dead_letters != NULL && pipeline->dead_letters->kind == END_SINK;
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        const struct stream *stream = pipeline->streams[i];
        has_any |= stream->source != NULL;
        for (size_t k = 0; k < stream->end_count; k++) {
            has_any |= stream->ends[k].kind == END_SINK;
        }
    }
    return has_any;
}

bool rights_find(struct engine *engine, struct arena *arena, struct log_lack **ret_lacks,
                 size_t *ret_count, struct error *error)
{
    struct log_uses uses = { .group = engine->pipeline->name,
                             .list = list_uses(engine, arena),
                             .count = engine->pipeline->topic_count,
                             .has_facts = has_facts(engine->pipeline),
                             .is_exactly_once = engine->pipeline->is_exactly_once };
    if (uses.list == NULL) {
        error_no_memory(error);
        return false;
    }
    return log_lacks(engine->log, &uses, arena, ret_lacks, ret_count, error) == WEIR_OK;
}

void rights_tell(struct engine *engine, const struct error *error)
{
    struct arena arena;
    struct log_lack *lacks = NULL;
    size_t count = 0;
    struct error ignored = { .status = WEIR_OK };
    bool is_known = engine->log != NULL && engine->is_left_out != NULL;
    if (!is_known || error->error_class != WEIR_CLASS_AUTH) {
        return;
    }
    arena_init(&arena, 0);
    (void)rights_find(engine, &arena, &lacks, &count, &ignored);
    for (size_t i = 0; i < count; i++) {
        const struct error *fault = &lacks[i].fault;
        if (strcmp(fault->message, error->message) != 0) {
            logger_write(LOGGER_ERROR, NULL, "%s; %s", fault->message, fault->hint);
        }
    }
    arena_deinit(&arena);
}
