/* SPDX-License-Identifier: MIT */
#include "plugin/debug/copy.h"

#include <string.h>

#include "plugin/debug/packer.h"

/* ---- values ------------------------------------------------------------------------------------ */

/* Room for what a value points to; its source, if it has one, goes before it. */
static uint8_t *take_payload(struct packer *packer, const weir_value *v, size_t size)
{
    if ((v->flags & WEIR_VALUE_SOURCE) == 0) {
        return packer_take(packer, size);
    }
    weir_slice source = weir_value_source(v);
    const uint8_t *text = packer_take_bytes(packer, source.data, source.size);
    uint8_t *room = packer_take(packer, sizeof source + size);
    if (room == NULL) {
        return NULL;
    }
    source.data = text;
    memcpy(room, &source, sizeof source);
    return room + sizeof source;
}

static void pack_members(struct packer *packer, const weir_member *from, uint32_t count,
                         weir_member *to)
{
    for (uint32_t i = 0; i < count; i++) {
        const char *key = packer_take_bytes(packer, from[i].key, from[i].key_len);
        weir_value value = pack_value(packer, &from[i].value);
        if (to != NULL) {
            to[i] = (weir_member){ from[i].symbol, from[i].key_len, key, value };
        }
    }
}

static weir_value pack_text(struct packer *packer, const weir_value *v)
{
    weir_value made = *v;
    char *text = (char *)take_payload(packer, v, v->len);
    if (text != NULL && v->len > 0) {
        memcpy(text, v->as.text, v->len);
    }
    made.as.text = text;
    return made;
}

static weir_value pack_list(struct packer *packer, const weir_value *v)
{
    weir_value made = *v;
    weir_value *items = (weir_value *)(void *)take_payload(packer, v, v->len * sizeof *items);
    for (uint32_t i = 0; i < v->len; i++) {
        weir_value item = pack_value(packer, &v->as.items[i]);
        if (items != NULL) {
            items[i] = item;
        }
    }
    made.as.items = items;
    return made;
}

static weir_value pack_map(struct packer *packer, const weir_value *v)
{
    weir_value made = *v;
    weir_member *members = (weir_member *)(void *)take_payload(packer, v, v->len * sizeof *members);
    pack_members(packer, v->as.members, v->len, members);
    made.as.members = members;
    return made;
}

weir_value pack_value(struct packer *packer, const weir_value *v)
{
    switch (v->tag) {
    case WEIR_TEXT:
    case WEIR_BYTES:
    case WEIR_NUMBER:
        return pack_text(packer, v);
    case WEIR_LIST:
        return pack_list(packer, v);
    case WEIR_MAP:
        return pack_map(packer, v);
    default:
        return *v;
    }
}

static void pack_record(struct packer *packer, const weir_record *from, weir_record *to)
{
    weir_record made = *from;
    made.key = pack_value(packer, &from->key);
    made.value = pack_value(packer, &from->value);
    if (from->header_count > 0) {
        weir_member *headers = packer_take(packer, from->header_count * sizeof *headers);
        pack_members(packer, from->headers, from->header_count, headers);
        made.headers = headers;
    }
    if (to != NULL) {
        *to = made;
    }
}

/* ---- in ---------------------------------------------------------------------------------------- */

/* Starts the second pass on pages of the visit. False: no memory. */
static bool open_input(struct visit *visit, struct packer *packer)
{
    visit->input = region_open(REGION_INPUT, packer->size, visit->who->plugin, visit->who->label);
    packer->to = visit->input == NULL ? NULL : visit->input->base;
    packer->size = 0;
    return visit->input != NULL;
}

/* What copy_batch_in copies. */
struct batch_part {
    const weir_batch *in;
    uint32_t from;
    uint32_t count;
    uint32_t first_ordinal;
};

static const weir_origin *pack_origins(struct packer *packer, const weir_batch *in)
{
    weir_origin *origins = packer_take(packer, in->origin_count * sizeof *origins);
    for (uint32_t i = 0; i < in->origin_count; i++) {
        const weir_origin *from = &in->origins[i];
        const char *topic = packer_take_bytes(packer, from->topic, from->topic_len);
        if (origins != NULL) {
            origins[i] = (weir_origin){ topic, from->topic_len, from->partition };
        }
    }
    return origins;
}

static const weir_batch *pack_batch(struct packer *packer, const struct batch_part *part)
{
    weir_batch *batch = packer_take(packer, sizeof *batch);
    const weir_origin *origins = pack_origins(packer, part->in);
    weir_entry *entries = packer_take(packer, part->count * sizeof *entries);
    weir_record *records = packer_take(packer, part->count * sizeof *records);
    for (uint32_t i = 0; i < part->count; i++) {
        const weir_entry *from = &part->in->entries[part->from + i];
        pack_record(packer, from->record, records == NULL ? NULL : &records[i]);
        if (entries != NULL) {
            entries[i] =
                (weir_entry){ &records[i], part->first_ordinal + i, from->input, from->origin };
        }
    }
    if (batch != NULL) {
        *batch = (weir_batch){ .struct_size = part->in->struct_size,
                               .count = part->count,
                               .entries = entries,
                               .origins = origins,
                               .origin_count = part->in->origin_count };
    }
    return batch;
}

const weir_batch *copy_batch_in(struct visit *visit, const weir_batch *in, uint32_t from,
                                uint32_t count, uint32_t first_ordinal)
{
    struct batch_part part = { in, from, count, first_ordinal };
    struct packer packer = { NULL, 0 };
    (void)pack_batch(&packer, &part);
    if (!open_input(visit, &packer)) {
        return NULL;
    }
    const weir_batch *batch = pack_batch(&packer, &part);
    visit->input_count = count;
    visit->first_ordinal = first_ordinal;
    region_seal(visit->input);
    return batch;
}

static const weir_slice *pack_slices(struct packer *packer, const weir_slice *from, uint32_t count)
{
    weir_slice *to = packer_take(packer, count * sizeof *to);
    for (uint32_t i = 0; i < count; i++) {
        bool is_there = from[i].size != UINT64_MAX;
        const uint8_t *bytes =
            is_there ? packer_take_bytes(packer, from[i].data, from[i].size) : NULL;
        if (to != NULL) {
            to[i] = (weir_slice){ bytes, from[i].size };
        }
    }
    return to;
}

const weir_slice *copy_payloads_in(struct visit *visit, const weir_slice *payloads, uint32_t count)
{
    struct packer packer = { NULL, 0 };
    (void)pack_slices(&packer, payloads, count);
    if (!open_input(visit, &packer)) {
        return NULL;
    }
    const weir_slice *made = pack_slices(&packer, payloads, count);
    visit->input_count = count;
    region_seal(visit->input);
    return made;
}

bool copy_slice_in(struct visit *visit, weir_slice slice, weir_slice *ret)
{
    const weir_slice *made = copy_payloads_in(visit, &slice, 1);
    if (made != NULL) {
        *ret = *made;
    }
    return made != NULL;
}

static const weir_value *const *pack_values(struct packer *packer, const weir_value *const *from,
                                            uint32_t count)
{
    const weir_value **to = packer_take(packer, count * sizeof *to);
    weir_value *values = packer_take(packer, count * sizeof *values);
    for (uint32_t i = 0; i < count; i++) {
        weir_value value = pack_value(packer, from[i]);
        if (to != NULL) {
            values[i] = value;
            to[i] = &values[i];
        }
    }
    return to;
}

const weir_value *const *copy_values_in(struct visit *visit, const weir_value *const *values,
                                        uint32_t count)
{
    struct packer packer = { NULL, 0 };
    (void)pack_values(&packer, values, count);
    if (!open_input(visit, &packer)) {
        return NULL;
    }
    const weir_value *const *made = pack_values(&packer, values, count);
    visit->input_count = count;
    region_seal(visit->input);
    return made;
}

static const weir_value *const *pack_columns(struct packer *packer, const weir_value *const *from,
                                             uint32_t arg_count, uint32_t count)
{
    const weir_value **to = packer_take(packer, arg_count * sizeof *to);
    for (uint32_t arg = 0; arg < arg_count; arg++) {
        weir_value *column = packer_take(packer, count * sizeof *column);
        for (uint32_t i = 0; i < count; i++) {
            weir_value value = pack_value(packer, &from[arg][i]);
            if (column != NULL) {
                column[i] = value;
            }
        }
        if (to != NULL) {
            to[arg] = column;
        }
    }
    return to;
}

const weir_value *const *copy_columns_in(struct visit *visit, const weir_value *const *columns,
                                         uint32_t arg_count, uint32_t count)
{
    struct packer packer = { NULL, 0 };
    (void)pack_columns(&packer, columns, arg_count, count);
    if (!open_input(visit, &packer)) {
        return NULL;
    }
    const weir_value *const *made = pack_columns(&packer, columns, arg_count, count);
    visit->input_count = count;
    region_seal(visit->input);
    return made;
}

/* ---- out --------------------------------------------------------------------------------------- */

bool copy_value_out(weir_context *ctx, const weir_value *v, weir_value *ret)
{
    struct packer packer = { NULL, 0 };
    (void)pack_value(&packer, v);
    if (packer.size > 0) {
        packer.to = weir_alloc(ctx, packer.size);
        packer.size = 0;
        if (packer.to == NULL) {
            return false;
        }
    }
    *ret = pack_value(&packer, v);
    return true;
}

const weir_record *copy_record_out(weir_context *ctx, const weir_record *record)
{
    struct packer packer = { NULL, 0 };
    (void)packer_take(&packer, sizeof *record);
    pack_record(&packer, record, NULL);
    packer.to = weir_alloc(ctx, packer.size);
    packer.size = 0;
    if (packer.to == NULL) {
        return NULL;
    }
    weir_record *made = packer_take(&packer, sizeof *made);
    pack_record(&packer, record, made);
    return made;
}
