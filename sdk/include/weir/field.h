/* SPDX-License-Identifier: MIT */
/*
 * Reading and setting one field of a record's value, for operators that know it by name.
 *
 *     weir_field speed = weir_field_of(host, config->field);      in create
 *
 *     const weir_value *v = weir_field_get(&speed, &record->value);      NULL: no map, or not there
 *     int is_number = weir_field_float(&speed, &record->value, &kmh);
 *     weir_status st = weir_field_set(&speed, ctx, &record->value, weir_int(3), &changed);
 */
#ifndef WEIR_FIELD_H
#define WEIR_FIELD_H

#include <stdlib.h>

#include "host.h"

WEIR_BEGIN_C

/* Belongs to one instance: `slot` remembers where the field stood in the last record. */
typedef struct weir_field {
    const char *name;
    uint32_t name_len;
    uint32_t symbol; /* WEIR_SYMBOL_NONE: the host has no memory; then nothing is found */
    uint32_t slot;
    const weir_values_api *values;
} weir_field;

/* name: must outlive the field, as texts of the config do. Thread [control], from create. */
static inline weir_field weir_field_of(const weir_host *host, weir_text name)
{
    const weir_symbols_api *symbols =
        (const weir_symbols_api *)host->get_extension(host, WEIR_SYMBOLS);
    weir_field field = { name.data, (uint32_t)name.size, WEIR_SYMBOL_NONE, 0, NULL };
    field.values = (const weir_values_api *)host->get_extension(host, WEIR_VALUES);
    field.symbol = symbols->intern(host, field.name, field.name_len);
    return field;
}

/* The field's value in a map, borrowed; NULL where `map` is no map or has no such member. */
static inline const weir_value *weir_field_get(weir_field *field, const weir_value *map)
{
    if (map->tag != WEIR_MAP) {
        return NULL;
    }
    const weir_member *member =
        weir_map_find(map, field->symbol, field->name, field->name_len, &field->slot);
    return member == NULL ? NULL : &member->value;
}

/* 1 with the field's number as a float64; 0 where it is not there, no number, or beyond float64. */
static inline int weir_field_float(weir_field *field, const weir_value *map, double *ret)
{
    weir_value number;
    const weir_value *value = weir_field_get(field, map);
    if (value == NULL || field->values->number(value, &number) != WEIR_OK ||
        number.tag == WEIR_NUMBER) {
        return 0;
    }
    *ret = number.tag == WEIR_INT ? (double)number.as.i64 : number.as.f64;
    return 1;
}

/*
 * A map like `map` with the field set: in its place, or at the end where it is new. One array is
 * copied, all other values are shared. WEIR_E_DATA: `map` is no map; WEIR_E_NOMEM.
 */
static inline weir_status weir_field_set(weir_field *field, weir_context *ctx,
                                         const weir_value *map, weir_value value, weir_value *ret)
{
    if (map->tag != WEIR_MAP) {
        return WEIR_E_DATA;
    }
    const weir_value *old = weir_field_get(field, map);
    uint32_t at = old == NULL ? map->len : field->slot;
    uint32_t count = old == NULL ? map->len + 1 : map->len;
    weir_member *members = (weir_member *)weir_alloc(ctx, count * sizeof *members);
    if (members == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < map->len; i++) {
        members[i] = map->as.members[i];
    }
    members[at].symbol = field->symbol;
    members[at].key = field->name;
    members[at].key_len = field->name_len;
    members[at].value = value;
    *ret = weir_map_value(members, count);
    return WEIR_OK;
}

/* Memory of the instance, zeroed; NULL: none. Thread [control]. */
static inline void *weir_instance_alloc(const weir_host *host, uint64_t size)
{
    const weir_memory_api *memory = (const weir_memory_api *)host->get_extension(host, WEIR_MEMORY);
    return memory->alloc(host, size);
}

/*
 * For weir_buffer.grow: memory of the heap, for what outlives a batch. The owner ends it by free(buffer->data).
 * Errors: WEIR_E_LIMIT, WEIR_E_NOMEM
 */
static inline weir_status weir_heap_grow(weir_buffer *buffer, uint64_t more)
{
    if (more > buffer->limit - buffer->size) {
        return WEIR_E_LIMIT;
    }
    uint64_t wanted = buffer->size + more;
    uint64_t capacity = wanted < buffer->limit / 2 ? wanted * 2 : buffer->limit;
    void *data = realloc(buffer->data, (size_t)capacity);
    if (data == NULL) {
        return WEIR_E_NOMEM;
    }
    buffer->data = (uint8_t *)data;
    buffer->capacity = capacity;
    return WEIR_OK;
}

WEIR_END_C

#endif
