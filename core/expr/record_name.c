/* SPDX-License-Identifier: MIT */
/*
 * $value $key $timestamp $headers $topic $partition $offset, and inside of forms $it $index. What a
 * record does not have (no origin, no offset) is null.
 */
#include <string.h>

#include "expr/code.h"

struct record_name_code {
    struct code code;
    uint32_t name_symbol;
    uint32_t value_symbol;
};

static uint32_t run_value(struct frame *frame, const struct code *code, struct lanes lanes,
                          weir_value *out)
{
    (void)code;
    for (uint32_t i = 0; i < lanes.count; i++) {
        out[lanes.at[i]] = frame->entries[lanes.at[i]].record->value;
    }
    return 0;
}

static uint32_t run_key(struct frame *frame, const struct code *code, struct lanes lanes,
                        weir_value *out)
{
    (void)code;
    for (uint32_t i = 0; i < lanes.count; i++) {
        out[lanes.at[i]] = frame->entries[lanes.at[i]].record->key;
    }
    return 0;
}

static uint32_t run_timestamp(struct frame *frame, const struct code *code, struct lanes lanes,
                              weir_value *out)
{
    (void)code;
    for (uint32_t i = 0; i < lanes.count; i++) {
        int64_t ms = frame->entries[lanes.at[i]].record->timestamp;
        out[lanes.at[i]] = ms == WEIR_NO_TIMESTAMP ? weir_null() : weir_int(ms);
    }
    return 0;
}

static uint32_t run_offset(struct frame *frame, const struct code *code, struct lanes lanes,
                           weir_value *out)
{
    (void)code;
    for (uint32_t i = 0; i < lanes.count; i++) {
        int64_t offset = frame->entries[lanes.at[i]].record->offset;
        out[lanes.at[i]] = offset == WEIR_NO_OFFSET ? weir_null() : weir_int(offset);
    }
    return 0;
}

/* Where the entry's message came from, or NULL. */
static const weir_origin *origin_of(const struct frame *frame, uint8_t lane)
{
    const weir_batch *batch = frame->evaluation->ctx->batch;
    uint16_t index = frame->entries[lane].origin;
    return batch == NULL || index >= batch->origin_count ? NULL : &batch->origins[index];
}

static uint32_t run_topic(struct frame *frame, const struct code *code, struct lanes lanes,
                          weir_value *out)
{
    (void)code;
    for (uint32_t i = 0; i < lanes.count; i++) {
        const weir_origin *origin = origin_of(frame, lanes.at[i]);
        out[lanes.at[i]] =
            origin == NULL ? weir_null() : weir_text_value(origin->topic, origin->topic_len);
    }
    return 0;
}

static uint32_t run_partition(struct frame *frame, const struct code *code, struct lanes lanes,
                              weir_value *out)
{
    (void)code;
    for (uint32_t i = 0; i < lanes.count; i++) {
        const weir_origin *origin = origin_of(frame, lanes.at[i]);
        out[lanes.at[i]] = origin == NULL ? weir_null() : weir_int(origin->partition);
    }
    return 0;
}

static uint32_t run_item(struct frame *frame, const struct code *code, struct lanes lanes,
                         weir_value *out)
{
    (void)code;
    for (uint32_t i = 0; i < lanes.count; i++) {
        out[lanes.at[i]] = frame->items[lanes.at[i]];
    }
    return 0;
}

static uint32_t run_index(struct frame *frame, const struct code *code, struct lanes lanes,
                          weir_value *out)
{
    (void)code;
    for (uint32_t i = 0; i < lanes.count; i++) {
        out[lanes.at[i]] = frame->indexes[lanes.at[i]];
    }
    return 0;
}

/* ---- $headers ---------------------------------------------------------------------------------- */

/* {name: ..., value: ...} in two members. */
static weir_value header_map(const struct record_name_code *names, const weir_member *header,
                             weir_member members[2])
{
    members[0] = (weir_member){ .symbol = names->name_symbol, .key_len = 4, .key = "name" };
    members[0].value = weir_text_value(header->key, header->key_len);
    members[1] = (weir_member){ .symbol = names->value_symbol, .key_len = 5, .key = "value" };
    members[1].value = header->value;
    return weir_map_value(members, 2);
}

static bool make_headers(struct frame *frame, const struct record_name_code *names,
                         const weir_record *record, weir_value *out)
{
    uint64_t count = record->header_count;
    weir_value *items = frame_alloc(frame, count * sizeof *items);
    weir_member *members = frame_alloc(frame, count * 2 * sizeof *members);
    if (items == NULL || members == NULL) {
        return false;
    }
    for (uint64_t i = 0; i < count; i++) {
        items[i] = header_map(names, &record->headers[i], members + 2 * i);
    }
    *out = weir_list_value(items, (uint32_t)count);
    return true;
}

static uint32_t run_headers(struct frame *frame, const struct code *code, struct lanes lanes,
                            weir_value *out)
{
    const struct record_name_code *names = CODE_OF(code, struct record_name_code);
    for (uint32_t i = 0; i < lanes.count; i++) {
        const weir_record *record = frame->entries[lanes.at[i]].record;
        if (!make_headers(frame, names, record, &out[lanes.at[i]])) {
            return frame_fail_all(lanes, out);
        }
    }
    return 0;
}

/* ---- maker ------------------------------------------------------------------------------------- */

struct code *code_record_name(struct arena *arena, struct source source, enum record_name name,
                              struct symbols *symbols)
{
    static code_run *const runs[RECORD_NAME_COUNT] = { run_value,   run_key,   run_timestamp,
                                                       run_headers, run_topic, run_partition,
                                                       run_offset,  run_item,  run_index };
    struct record_name_code *made = arena_zeroed(arena, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    bool is_item = name == RECORD_ITEM || name == RECORD_INDEX;
    made->code = (struct code){ .run = runs[name],
                                .source = source,
                                .reads = is_item ? READS_ITEM : READS_RECORD,
                                .is_postfix = true };
    if (name == RECORD_HEADERS) {
        made->name_symbol = symbols_intern(symbols, "name", 4);
        made->value_symbol = symbols_intern(symbols, "value", 5);
    }
    return &made->code;
}
