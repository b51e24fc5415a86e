/* SPDX-License-Identifier: MIT */
#include "engine/sources/source_records.h"

#include <string.h>

#include "base/clock.h"
#include "value/event_time.h"

bool source_drop(struct source_lane *lane, const weir_record *record,
                 const struct call_failure *failure)
{
    const struct plugin_use *use = &lane->stream->source->plugin;
    struct failed_record failed = { .use = use,
                                    .on_error = use->on_error,
                                    .meter = lane->meter,
                                    .offset = WEIR_NO_OFFSET,
                                    .record = record,
                                    .letters = &lane->letters };
    return run_faults_record(lane->faults, &failed, failure);
}

/* Evaluates one of the source's sibling expressions over all records. NULL after a fatal fault. */
static weir_value *evaluate(struct source_lane *lane, const weir_expression *expression,
                            struct run run)
{
    weir_value *values = arena_alloc(&lane->arena, (run.count + 1u) * sizeof *values);
    if (values == NULL) {
        (void)run_faults_no_memory(lane->faults, lane->stream->source->plugin.label);
        return NULL;
    }
    weir_origin origin = { lane->stream->source->topic->name,
                           (uint32_t)strlen(lane->stream->source->topic->name), 0 };
    weir_batch batch = { .struct_size = sizeof batch,
                         .count = run.count,
                         .entries = run.entries,
                         .origins = &origin,
                         .origin_count = 1 };
    struct call *call = &lane->expression_call;
    call_begin(call, lane->instance, &lane->arena, &batch);
    int64_t st = expr_evaluate(&call->context, expression, run.entries, run.count, values);
    call_end(call);
    if (st < 0) {
        run_faults_call(lane->faults, lane->stream->source->plugin.label, call, (weir_status)st,
                        "evaluate");
        return NULL;
    }
    return values;
}

/* Puts a value into its place in the record; *ret_fault tells why it does not fit. */
typedef bool (*set_field)(weir_record *record, const weir_value *v, const char **ret_fault);

static bool set_key(weir_record *record, const weir_value *v, const char **ret_fault)
{
    (void)ret_fault;
    record->key = *v;
    return true;
}

static bool set_time(weir_record *record, const weir_value *v, const char **ret_fault)
{
    return event_time_ms(v, &record->timestamp, ret_fault);
}

static bool set_each(struct source_lane *lane, const weir_expression *expression, set_field set,
                     weir_record *records, weir_entry *entries, struct run *run)
{
    weir_value *values = evaluate(lane, expression, *run);
    if (values == NULL) {
        return false;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < run->count; i++) {
        struct call_failure failure = { .index = i,
                                        .error_class = WEIR_CLASS_DATA,
                                        .status = WEIR_E_DATA };
        weir_record record = records[i];
        if (values[i].tag == WEIR_TAG_ERROR) {
            failure.message = expr_fault(&values[i])->message;
            failure.hint = expr_fault(&values[i])->hint;
        } else if (set(&record, &values[i], &failure.message)) {
            records[kept] = record;
            entries[kept] = (weir_entry){ &records[kept], kept, 0, 0 };
            kept++;
            continue;
        }
        if (!source_drop(lane, &record, &failure)) {
            return false;
        }
    }
    run->count = kept;
    return true;
}

bool source_prepare(struct source_lane *lane, struct run *run)
{
    const struct source_use *source = lane->stream->source;
    weir_record *records = arena_alloc(&lane->arena, (run->count + 1u) * sizeof *records);
    weir_entry *entries = arena_alloc(&lane->arena, (run->count + 1u) * sizeof *entries);
    if (records == NULL || entries == NULL) {
        return run_faults_no_memory(lane->faults, lane->stream->source->plugin.label);
    }
    int64_t now = clock_wall_ms();
    for (uint32_t i = 0; i < run->count; i++) {
        records[i] = *run->entries[i].record;
        if (records[i].timestamp == WEIR_NO_TIMESTAMP) {
            records[i].timestamp = now;
        }
        entries[i] = (weir_entry){ &records[i], i, 0, 0 };
    }
    run->entries = entries;
    return (source->key == NULL || set_each(lane, source->key, set_key, records, entries, run)) &&
           (source->event_time == NULL ||
            set_each(lane, source->event_time, set_time, records, entries, run));
}
