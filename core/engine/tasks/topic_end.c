/* SPDX-License-Identifier: MIT */
#include "engine/tasks/topic_end.h"

#include <string.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "value/json.h"
#include "value/value.h"

/* What a message shows of a value, and of the names of topics. */
enum { SHOWN_BYTES = 100, NAMES_BYTES = 400, DEPTH = 20 };

static bool no_memory(const struct topic_end *end)
{
    return run_faults_no_memory(end->faults, end->end->plugin.label);
}

static bool drop(const struct topic_end *end, const struct root *root, const weir_entry *entry,
                 const struct call_failure *failure)
{
    int64_t offset = entry->record->offset;
    struct failed_record failed = { .use = &end->end->plugin,
                                    .on_error = end->end->plugin.on_error,
                                    .meter = end->meter,
                                    .origin = &root->origin,
                                    .offset = offset,
                                    .message = root_message(root, offset),
                                    .record = entry->record,
                                    .letters = end->letters };
    return run_faults_record(end->faults, &failed, failure);
}

/* NULL after a fatal fault. */
static weir_value *evaluate(const struct topic_end *end, struct root *root,
                            const weir_expression *expression, struct run in)
{
    weir_value *values = arena_alloc(&root->arena, in.count * sizeof *values);
    if (values == NULL) {
        no_memory(end);
        return NULL;
    }
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = in.count,
                         .entries = in.entries,
                         .origins = &root->origin,
                         .origin_count = 1 };
    call_begin(end->call, end->host, &root->arena, &batch);
    int64_t st = expr_evaluate(&end->call->context, expression, in.entries, in.count, values);
    call_end(end->call);
    if (st < 0) {
        run_faults_call(end->faults, end->end->plugin.label, end->call, (weir_status)st,
                        "evaluate");
        return NULL;
    }
    return values;
}

/* False after a fatal fault. */
static bool drop_fault(const struct topic_end *end, const struct root *root, struct run in,
                       uint32_t index, const weir_value *failed)
{
    const struct expr_fault *fault = expr_fault(failed);
    struct call_failure failure = { .index = index,
                                    .error_class = WEIR_CLASS_DATA,
                                    .status = WEIR_E_DATA,
                                    .message = fault->message,
                                    .hint = fault->hint };
    return drop(end, root, &in.entries[index], &failure);
}

/* ---- the topic --------------------------------------------------------------------------------- */

/* The number of the topic of this name; UINT32_MAX: it is none of them. */
static uint32_t find_topic(const struct end *end, const weir_value *name)
{
    for (uint32_t i = 0; name->tag == WEIR_TEXT && i < end->topic_count; i++) {
        const char *topic = end->topics[i]->name;
        if (strlen(topic) == name->len && memcmp(topic, name->as.text, name->len) == 0) {
            return i;
        }
    }
    return UINT32_MAX;
}

/* A value as it is told, cut. */
static const char *show(struct arena *arena, const weir_value *value)
{
    weir_buffer text;
    const char *shown = NULL;
    buffer_init(&text, 4 * SHOWN_BYTES);
    const char *fault = NULL;
    weir_status st = json_write(value, 0, DEPTH, &text, &fault);
    if (st == WEIR_OK && text.size <= SHOWN_BYTES) {
        shown = arena_printf(arena, "%.*s", (int)text.size, (const char *)text.data);
    } else if (value->tag == WEIR_TEXT) {
        size_t size = value->len < SHOWN_BYTES ? value->len : SHOWN_BYTES;
        size = utf8_valid_prefix(value->as.text, size);
        shown = arena_printf(arena, "\"%.*s...\"", (int)size, value->as.text);
    } else {
        shown = arena_printf(arena, "a value of kind %s", value_kind_name(value));
    }
    buffer_deinit(&text);
    return shown;
}

/* "good, bad", cut where there are many. */
static const char *list_topics(struct arena *arena, const struct end *end)
{
    const char *list = end->topics[0]->name;
    for (uint32_t i = 1; list != NULL && i < end->topic_count; i++) {
        if (strlen(list) > NAMES_BYTES) {
            return arena_printf(arena, "%s and %u more", list, end->topic_count - i);
        }
        list = arena_printf(arena, "%s, %s", list, end->topics[i]->name);
    }
    return list;
}

static bool drop_stray(const struct topic_end *end, struct root *root, struct run in,
                       uint32_t index, const weir_value *name)
{
    const char *shown = show(&root->arena, name);
    const char *topics = list_topics(&root->arena, end->end);
    if (shown == NULL || topics == NULL) {
        return no_memory(end);
    }
    struct call_failure failure = { .index = index,
                                    .error_class = WEIR_CLASS_DATA,
                                    .status = WEIR_E_DATA };
    failure.message =
        arena_printf(&root->arena, "%s is no topic of this end; it has: %s", shown, topics);
    failure.hint = name->tag == WEIR_TEXT
                       ? "let 'expr' give one of these names, or add the topic to 'among'"
                       : "let 'expr' give one of these names";
    return failure.message != NULL ? drop(end, root, &in.entries[index], &failure) : no_memory(end);
}

/* What is known of a batch's choices: the topic of each record (UINT32_MAX: dropped), records by topic. */
struct choices {
    uint32_t *topics;
    uint32_t *counts;
};

static bool find_topics(const struct topic_end *end, struct root *root, struct run in,
                        struct choices *choices)
{
    const weir_value *names = evaluate(end, root, end->end->choice, in);
    if (names == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < in.count; i++) {
        bool is_failed = names[i].tag == WEIR_TAG_ERROR;
        uint32_t topic = is_failed ? UINT32_MAX : find_topic(end->end, &names[i]);
        choices->topics[i] = topic;
        if (topic != UINT32_MAX) {
            choices->counts[topic]++;
        } else if (!(is_failed ? drop_fault(end, root, in, i, &names[i])
                               : drop_stray(end, root, in, i, &names[i]))) {
            return false;
        }
    }
    return true;
}

/* Parts the records by the topic that each goes to; their order stays. */
static bool choose(const struct topic_end *end, struct root *root, struct run in,
                   struct run *ret_runs)
{
    uint32_t count = end->end->topic_count;
    struct choices choices = { arena_alloc(&root->arena, in.count * sizeof(uint32_t)),
                               arena_zeroed(&root->arena, count * sizeof(uint32_t)) };
    weir_entry *entries = arena_alloc(&root->arena, in.count * sizeof *entries);
    weir_entry **rooms = arena_alloc(&root->arena, count * sizeof(weir_entry *));
    if (choices.topics == NULL || choices.counts == NULL || entries == NULL || rooms == NULL) {
        return no_memory(end);
    }
    if (!find_topics(end, root, in, &choices)) {
        return false;
    }
    for (uint32_t k = 0; k < count; k++) {
        rooms[k] = entries;
        ret_runs[k] = (struct run){ entries, choices.counts[k] };
        entries += choices.counts[k];
    }
    for (uint32_t i = 0; i < in.count; i++) {
        if (choices.topics[i] != UINT32_MAX) {
            *rooms[choices.topics[i]]++ = in.entries[i];
        }
    }
    return true;
}

/* ---- the key ----------------------------------------------------------------------------------- */

/* Gives each record the key that the end asks for; the record itself keeps its own elsewhere. */
static bool set_keys(const struct topic_end *end, struct root *root, struct run *run)
{
    struct run in = *run;
    const weir_value *keys = evaluate(end, root, end->end->key, in);
    weir_entry *entries = arena_alloc(&root->arena, in.count * sizeof *entries);
    weir_record *records = arena_alloc(&root->arena, in.count * sizeof *records);
    if (keys == NULL) {
        return false;
    }
    if (entries == NULL || records == NULL) {
        return no_memory(end);
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < in.count; i++) {
        if (keys[i].tag == WEIR_TAG_ERROR) {
            if (!drop_fault(end, root, in, i, &keys[i])) {
                return false;
            }
            continue;
        }
        records[kept] = *in.entries[i].record;
        records[kept].key = keys[i];
        entries[kept] = in.entries[i];
        entries[kept].record = &records[kept];
        kept++;
    }
    *run = (struct run){ entries, kept };
    return true;
}

bool topic_end_run(const struct topic_end *end, struct root *root, struct run in,
                   struct run *ret_runs)
{
    ret_runs[0] = in;
    if (end->end->choice != NULL && !choose(end, root, in, ret_runs)) {
        return false;
    }
    for (uint32_t i = 0; end->end->key != NULL && i < end->end->topic_count; i++) {
        if (ret_runs[i].count > 0 && !set_keys(end, root, &ret_runs[i])) {
            return false;
        }
    }
    return true;
}
