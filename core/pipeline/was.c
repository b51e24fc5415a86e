/* SPDX-License-Identifier: MIT */
/*
 * `was`: sources and sinks go on with what is kept under another name, which the file had for them
 * before. A source's progress is kept under its stream, a sink's under its stream and id. Steps and
 * topic ends keep nothing; but what a step has yet to send to another place lies in a topic that bears
 * its name (repartition.c).
 */
#include <string.h>

#include "pipeline/names.h"
#include "pipeline/parts.h"

/* names: what is kept and by whom, "stream" or "stream.id", to struct plugin_use. */
struct keepers {
    struct resolver *resolver;
    struct hashmap now;
    struct hashmap before;
};

static void keep(struct keepers *keepers, struct hashmap *map, const char *name,
                 struct plugin_use *use)
{
    if (name == NULL || !hashmap_put(map, name, strlen(name), use)) {
        keepers->resolver->diagnostics->is_out_of_memory = true;
    }
}

static const char *name_of(struct keepers *keepers, const struct stream *stream,
                           const struct end *end)
{
    return end == NULL ? stream->name
                       : resolver_text(keepers->resolver, "%s.%s", stream->name, end->plugin.id);
}

/* ---- what is kept now ---------------------------------------------------------------------------- */

static void keep_now(struct keepers *keepers, struct stream *stream)
{
    if (stream->source != NULL) {
        keep(keepers, &keepers->now, stream->name, &stream->source->plugin);
    }
    for (size_t i = 0; i < stream->end_count; i++) {
        struct end *end = &stream->ends[i];
        if (end->kind == END_SINK && end->plugin.id != NULL) {
            keep(keepers, &keepers->now, name_of(keepers, stream, end), &end->plugin);
        }
    }
}

/* ---- what was kept ------------------------------------------------------------------------------- */

/* name: that of `use` now, to which `was` has been brought. */
static void check_use(struct keepers *keepers, struct plugin_use *use, const char *name)
{
    struct resolver *resolver = keepers->resolver;
    size_t len = strlen(use->was);
    const struct plugin_use *other = hashmap_get(&keepers->now, use->was, len);
    const struct plugin_use *rival = hashmap_get(&keepers->before, use->was, len);
    if (name != NULL && strcmp(use->was, name) == 0) {
        resolver_fault(resolver, use->was_place,
                       "'%s' is what it is now; write what it was before, or remove 'was'", name);
    } else if (other != NULL) {
        resolver_fault(resolver, use->was_place,
                       "'%s' still stands in line %u; only one can go on there", use->was,
                       document_position(other->place).line);
    } else if (rival != NULL) {
        resolver_fault(resolver, use->was_place,
                       "line %u goes on where '%s' was already; only one can",
                       document_position(rival->place).line, use->was);
    } else {
        keep(keepers, &keepers->before, use->was, use);
    }
}

/* The part of a sink's old name in front of the dot, or behind it, may only hold what names do. */
static bool check_text(struct resolver *resolver, const struct plugin_use *use, bool is_source)
{
    static const char chars[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-#";
    const char *text = use->was;
    const char *dot = is_source ? NULL : strchr(text, '.');
    const char *last = dot != NULL ? dot + 1 : text;
    bool is_right = strspn(last, chars) == strlen(last) && last[0] != '\0' && dot != text &&
                    strspn(text, chars) >= (dot != NULL ? (size_t)(dot - text) : 0) &&
                    strlen(text) <= 2 * NAME_MAX_BYTES;
    if (!is_right) {
        resolver_fault(resolver, use->was_place,
                       is_source ? "a source goes on under the old name of its stream; write that"
                                 : "a sink goes on under its old id; write that, or STREAM.ID");
    }
    return is_right;
}

static void check_source(struct keepers *keepers, const struct stream *stream)
{
    struct plugin_use *use = &stream->source->plugin;
    if (use->was != NULL && check_text(keepers->resolver, use, true)) {
        check_use(keepers, use, stream->name);
    }
}

static void check_end(struct keepers *keepers, const struct stream *stream, struct end *end)
{
    struct plugin_use *use = &end->plugin;
    if (use->was == NULL) {
        return;
    }
    if (end->kind == END_TOPIC) {
        resolver_warn(keepers->resolver, use->was_place,
                      "'was' does nothing here: an end in front of a topic keeps nothing under its "
                      "id");
        return;
    }
    if (!check_text(keepers->resolver, use, false)) {
        return;
    }
    if (strchr(use->was, '.') == NULL) {
        use->was = resolver_text(keepers->resolver, "%s.%s", stream->name, use->was);
    }
    if (use->was != NULL && use->id != NULL) {
        check_use(keepers, use, name_of(keepers, stream, end));
    }
}

static void check_stream(struct keepers *keepers, struct stream *stream)
{
    if (stream->source != NULL) {
        check_source(keepers, stream);
    }
    for (size_t i = 0; i < stream->step_count; i++) {
        const struct plugin_use *step = &stream->steps[i];
        if (step->was != NULL && !step_repartitions(step)) {
            resolver_warn(keepers->resolver, step->was_place,
                          "'was' does nothing here: operator '%s' keeps nothing under its id",
                          step->factory != NULL ? step->factory->spec->name : step->id);
        }
    }
    for (size_t i = 0; i < stream->end_count; i++) {
        check_end(keepers, stream, &stream->ends[i]);
    }
}

void was_check(struct resolver *resolver)
{
    const struct pipeline *pipeline = resolver->pipeline;
    struct keepers keepers = { .resolver = resolver };
    hashmap_init(&keepers.now);
    hashmap_init(&keepers.before);
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        keep_now(&keepers, pipeline->streams[i]);
    }
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        check_stream(&keepers, pipeline->streams[i]);
    }
    hashmap_deinit(&keepers.now);
    hashmap_deinit(&keepers.before);
}
