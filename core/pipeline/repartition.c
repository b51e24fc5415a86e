/* SPDX-License-Identifier: MIT */
/*
 * Steps that give records another place: each gets a topic of the pipeline's own, to which it writes and
 * from which its stream goes on. The topic's name says of what it is made: the topics that come to the
 * step, and the name of the step's output. So it stays the same however streams are called and moved
 * about in the file.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/operator.h>

#include "base/buffer.h"
#include "pipeline/names.h"
#include "pipeline/origins.h"
#include "pipeline/parts.h"

enum { TOPIC_MAX_BYTES = 249 };

/* A step and its topic. */
struct regrouping {
    struct stream *stream;
    struct plugin_use *step;
    size_t index; /* of the step */
    struct topic *topic;
    bool is_named;
};

bool step_repartitions(const struct plugin_use *step)
{
    return step->is_right && step->output_name != NULL &&
           (step->factory->spec->flags & WEIR_OPERATOR_REPARTITION) != 0;
}

/* ---- names --------------------------------------------------------------------------------------- */

static int by_text(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Names of topics in the log, sorted, each once, joined with "--". is_before: as they were. */
static bool join_names(struct resolver *resolver, const struct topic *topic, bool is_before,
                       weir_buffer *out)
{
    size_t count = topic->fed_by_count;
    const char **names = resolver_alloc(resolver, count, sizeof *names);
    if (names == NULL) {
        return false;
    }
    for (size_t i = 0; i < count; i++) {
        const struct topic *one = topic->fed_by[i];
        names[i] = is_before && one->was != NULL ? one->was : one->log_name;
    }
    qsort(names, count, sizeof *names, by_text);
    bool is_right = true;
    for (size_t i = 0; i < count; i++) {
        if (i == 0 || strcmp(names[i], names[i - 1]) != 0) {
            is_right &= buffer_printf(out, "%s%s", i > 0 ? "--" : "", names[i]) == WEIR_OK;
        }
    }
    return is_right;
}

/* A topic of this pipeline's own inside of the name goes without the pipeline's, and its parts are joined
 * with '.': `repartition__p--orders--item` becomes `repartition.orders.item`. */
static void flatten(char *id, const char *pipeline, const char *own)
{
    size_t own_len = strlen(own);
    size_t tail_len = strlen(pipeline) + 2;
    if (strstr(id, own) == NULL) {
        return;
    }
    char *to = id;
    for (const char *at = id; *at != '\0';) {
        if (strncmp(at, own, own_len) == 0) {
            at += tail_len;
        } else if (at[0] == '-' && at[1] == '-') {
            *to++ = '.';
            at += 2;
        } else {
            *to++ = *at++;
        }
    }
    *to = '\0';
}

/* is_before: with the names that the topics which come in had. NULL: no memory. */
static const char *topic_name(struct resolver *resolver, const struct topic *topic, bool is_before,
                              const char *output)
{
    const char *pipeline = resolver->pipeline->name;
    char *own = resolver_text(resolver, "__%s--", pipeline);
    weir_buffer joined;
    buffer_init(&joined, 64 * 1024 * 1024);
    char *id = NULL;
    if (own != NULL && join_names(resolver, topic, is_before, &joined) &&
        buffer_c_string(&joined) != NULL) {
        id = arena_copy(&resolver->pipeline->arena, buffer_c_string(&joined), joined.size);
    }
    buffer_deinit(&joined);
    if (id == NULL) {
        resolver->diagnostics->is_out_of_memory = true;
        return NULL;
    }
    flatten(id, pipeline, own);
    return resolver_text(resolver, "repartition__%s--%s--%s", pipeline, id, output);
}

static void check_length(struct resolver *resolver, const struct topic *topic)
{
    if (strlen(topic->name) > TOPIC_MAX_BYTES) {
        resolver_fault(resolver, topic->place,
                       "the topic behind this step, '%s', would have %zu bytes in its name, and at "
                       "most %d are allowed; shorten the name of step, pipeline or topics",
                       topic->name, strlen(topic->name), TOPIC_MAX_BYTES);
    }
}

/* ---- the topics ---------------------------------------------------------------------------------- */

static void use_serializer(struct resolver *resolver, struct topic *topic,
                           const struct plugin_use *step, const char *what, struct plugin_use *use)
{
    const char *where = resolver_text(resolver, "%s.%s", step->label, what);
    if (where != NULL) {
        default_use(resolver, &serializer_spot, "json", topic->place, where, use);
    }
}

static bool take_origins(struct origins *origins, const struct regrouping *regrouping)
{
    struct topic *topic = regrouping->topic;
    origins_find(origins, regrouping->stream, regrouping->index);
    topic->fed_by = resolver_alloc(origins->resolver, origins->count, sizeof(struct topic *));
    if (topic->fed_by == NULL) {
        return false;
    }
    memcpy(topic->fed_by, origins->topics, origins->count * sizeof(struct topic *));
    topic->fed_by_count = origins->count;
    return true;
}

/* The number that the file tells by those of the topics that come in; 0: one of them is open. */
static uint32_t partitions_of(const struct topic *topic)
{
    uint32_t most = 0;
    for (size_t i = 0; i < topic->fed_by_count; i++) {
        uint32_t one = topic->fed_by[i]->partitions;
        if (one == 0) {
            return 0;
        }
        most = one > most ? one : most;
    }
    return most;
}

static bool is_known(const struct topic *topic)
{
    for (size_t i = 0; i < topic->fed_by_count; i++) {
        if (topic->fed_by[i]->name == NULL) {
            return false;
        }
    }
    return true;
}

static const struct topic *find_topic(const struct pipeline *pipeline, const char *name)
{
    for (size_t i = 0; i < pipeline->topic_count; i++) {
        if (strcmp(pipeline->topics[i]->name, name) == 0) {
            return pipeline->topics[i];
        }
    }
    return NULL;
}

static void add_topic(struct resolver *resolver, struct regrouping *regrouping)
{
    struct pipeline *pipeline = resolver->pipeline;
    struct topic *topic = regrouping->topic;
    const char *name = topic_name(resolver, topic, false, regrouping->step->output_name);
    regrouping->is_named = true;
    if (name == NULL) {
        return;
    }
    const struct topic *other = find_topic(pipeline, name);
    if (other != NULL) {
        resolver_fault(resolver, topic->place,
                       "this step and the one in line %u would share the topic '%s'; give one of "
                       "them another name",
                       document_position(other->place).line, name);
    }
    topic->name = name;
    topic->log_name = name;
    topic->partitions = partitions_of(topic);
    use_serializer(resolver, topic, regrouping->step, "key", &topic->key);
    use_serializer(resolver, topic, regrouping->step, "value", &topic->value);
    check_length(resolver, topic);
    pipeline->topics[pipeline->topic_count++] = topic;
}

/* ---- other names before -------------------------------------------------------------------------- */

/* `was` of a step that gives the whole name, as it must where other topics come in now than did before. */
static bool is_topic_name(struct resolver *resolver, const char *was)
{
    const char *prefix = resolver_text(resolver, "repartition__%s--", resolver->pipeline->name);
    return prefix != NULL && was != NULL && strncmp(was, prefix, strlen(prefix)) == 0;
}

/* The topic had another name where its step had, or one of those that come in. */
static void find_was(struct resolver *resolver, const struct regrouping *regrouping)
{
    const struct plugin_use *step = regrouping->step;
    struct topic *topic = regrouping->topic;
    bool is_renamed = step->was != NULL;
    if (is_topic_name(resolver, step->was)) {
        topic->was = step->was;
        return;
    }
    for (size_t i = 0; i < topic->fed_by_count; i++) {
        is_renamed |= topic->fed_by[i]->was != NULL;
    }
    if (is_renamed && (step->was == NULL || name_check(resolver, step->was_place, "name of a step",
                                                       NAME_PLAIN, step->was))) {
        topic->was =
            topic_name(resolver, topic, true, step->was != NULL ? step->was : step->output_name);
    }
}

static void check_was(struct resolver *resolver, const struct regrouping *regrouping)
{
    const struct plugin_use *step = regrouping->step;
    const struct topic *topic = regrouping->topic;
    const struct topic *other =
        topic->was != NULL ? find_topic(resolver->pipeline, topic->was) : NULL;
    if (step->was == NULL || other == NULL) {
        return;
    }
    if (other == topic) {
        resolver_fault(resolver, step->was_place,
                       "'%s' is what it is now; write what it was before, or remove 'was'",
                       step->was);
    } else {
        resolver_fault(resolver, step->was_place,
                       "'%s' still stands in line %u; only one can go on there", step->was,
                       document_position(other->place).line);
    }
}

/* ---- all of it ----------------------------------------------------------------------------------- */

static size_t count_steps(const struct pipeline *pipeline)
{
    size_t count = 0;
    for (size_t i = 0; i < pipeline->stream_count; i++) {
        for (size_t k = 0; k < pipeline->streams[i]->step_count; k++) {
            count += step_repartitions(&pipeline->streams[i]->steps[k]);
        }
    }
    return count;
}

/* Gives each step its topic, which has no name yet. False: no memory. */
static bool find_steps(struct resolver *resolver, struct regrouping *list)
{
    size_t count = 0;
    for (size_t i = 0; i < resolver->pipeline->stream_count; i++) {
        struct stream *stream = resolver->pipeline->streams[i];
        for (size_t k = 0; k < stream->step_count; k++) {
            struct plugin_use *step = &stream->steps[k];
            if (!step_repartitions(step)) {
                continue;
            }
            struct topic *topic = resolver_alloc(resolver, 1, sizeof *topic);
            if (topic == NULL) {
                return false;
            }
            *topic = (struct topic){
                .place = step->place, .is_internal = true, .is_read = true, .is_written = true
            };
            step->repartition = topic;
            list[count++] = (struct regrouping){ stream, step, k, topic, false };
        }
    }
    return true;
}

/* Topics that others are named after come first. Those of a loop of streams get no name. */
static void name_topics(struct resolver *resolver, struct regrouping *list, size_t count)
{
    bool goes_on = true;
    while (goes_on) {
        goes_on = false;
        for (size_t i = 0; i < count; i++) {
            if (!list[i].is_named && is_known(list[i].topic)) {
                add_topic(resolver, &list[i]);
                find_was(resolver, &list[i]);
                goes_on = true;
            }
        }
    }
}

void repartition_topics_assign(struct resolver *resolver)
{
    size_t count = count_steps(resolver->pipeline);
    struct regrouping *list = resolver_alloc(resolver, count, sizeof *list);
    struct origins origins;
    if (count == 0 || list == NULL || !find_steps(resolver, list) ||
        !topics_grow(resolver, count) || !origins_init(&origins, resolver)) {
        return;
    }
    for (size_t i = 0; i < count; i++) {
        if (!take_origins(&origins, &list[i])) {
            return;
        }
    }
    name_topics(resolver, list, count);
    for (size_t i = 0; i < count; i++) {
        check_was(resolver, &list[i]);
    }
}
