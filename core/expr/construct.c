/* SPDX-License-Identifier: MIT */
/*
 * List and map literals. The members of all lanes are one block; operands fill it one after the other,
 * and constants are laid down with the template.
 */
#include <string.h>

#include "expr/code.h"

/* The place of an operand whose key is written again further on: computed, but not kept. */
#define DROPPED UINT32_MAX

/*
 * places    index of the item or member that an operand fills
 * members   of a map: names, and the values that are constant
 * items     of a list: the values that are constant
 * length    items or members of the result
 */
struct construct_code {
    struct code code;
    const struct code *const *operands;
    uint32_t *places;
    uint32_t count;
    weir_member *members;
    weir_value *items;
    uint32_t length;
};

/* Puts a value of its own in every lane: a copy of the template. False: no memory. */
static bool begin(struct frame *frame, const struct construct_code *construct, struct lanes lanes,
                  weir_value *out)
{
    bool is_map = construct->members != NULL;
    size_t size = construct->length * (is_map ? sizeof(weir_member) : sizeof(weir_value));
    const void *from = is_map ? (const void *)construct->members : (const void *)construct->items;
    uint8_t *block = frame_alloc(frame, lanes.count * (uint64_t)size);
    if (block == NULL) {
        return false;
    }
    for (uint32_t i = 0; i < lanes.count; i++) {
        uint8_t *place = block + i * size;
        weir_value made = { .tag = is_map ? WEIR_MAP : WEIR_LIST, .len = construct->length };
        memcpy(place, from, size);
        made.as.text = (const char *)place;
        out[lanes.at[i]] = made;
    }
    return true;
}

/* The item or member's value that the operand fills. The block was made by begin and is still ours. */
static weir_value *place_in(const weir_value *made, uint32_t place)
{
    uint8_t *block = (uint8_t *)(uintptr_t)made->as.text;
    if (made->tag == WEIR_MAP) {
        return &((weir_member *)(void *)block)[place].value;
    }
    return &((weir_value *)(void *)block)[place];
}

/* Fills one place in every lane; a lane that failed fails as a whole. */
static void fill(const weir_value *column, struct lanes lanes, uint32_t place, weir_value *out)
{
    for (uint32_t i = 0; i < lanes.count; i++) {
        uint8_t lane = lanes.at[i];
        if (column[lane].tag == WEIR_TAG_ERROR) {
            out[lane] = column[lane];
        } else if (place != DROPPED) {
            *place_in(&out[lane], place) = column[lane];
        }
    }
}

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    const struct construct_code *construct = CODE_OF(code, struct construct_code);
    struct selection selection = selection_of(lanes);
    weir_value *column = frame_take_column(frame);
    uint32_t failed = 0;
    if (column == NULL) {
        return frame_fail_all(lanes, out);
    }
    bool has_memory = begin(frame, construct, lanes, out);
    for (uint32_t i = 0; has_memory && i < construct->count && selection.lanes.count > 0; i++) {
        if (construct->operands[i]->constant != NULL) {
            continue;
        }
        uint32_t now = code_run_lanes(frame, construct->operands[i], selection.lanes, column);
        fill(column, selection.lanes, construct->places[i], out);
        failed += now;
        has_memory = now == 0 || selection_drop_failed(frame, &selection, out);
    }
    selection_end(frame, &selection);
    frame_give_column(frame, column);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

/* ---- makers ------------------------------------------------------------------------------------ */

static struct construct_code *construct_code(struct arena *arena, struct source source,
                                             const struct code *const *operands, uint32_t count)
{
    struct construct_code *made = arena_zeroed(arena, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    made->code =
        (struct code){ .run = run, .source = source, .reads = code_reads(operands, count) };
    made->operands = code_copy_operands(arena, operands, count);
    made->places = arena_zeroed(arena, count * sizeof *made->places);
    made->count = count;
    return made->operands == NULL || made->places == NULL ? NULL : made;
}

struct code *code_list(struct arena *arena, struct source source,
                       const struct code *const *operands, uint32_t count)
{
    struct construct_code *made = construct_code(arena, source, operands, count);
    weir_value *items = arena_zeroed(arena, count * sizeof *items);
    if (made == NULL || items == NULL) {
        return NULL;
    }
    for (uint32_t i = 0; i < count; i++) {
        made->places[i] = i;
        if (operands[i]->constant != NULL) {
            items[i] = *operands[i]->constant;
        }
    }
    made->items = items;
    made->length = count;
    return &made->code;
}

/* The member of this key so far, or `length`. */
static uint32_t find_key(const weir_member *members, uint32_t length, const struct code_key *key)
{
    uint32_t i = 0;
    while (i < length &&
           !weir_same_bytes(members[i].key, members[i].key_len, key->name, key->len)) {
        i++;
    }
    return i;
}

/* The place of the i-th key: that of an earlier equal one, whose operand loses it, or a new one. */
static uint32_t place_key(struct construct_code *made, struct symbols *symbols,
                          const struct code_key *key, uint32_t i)
{
    weir_member *members = made->members;
    uint32_t place = find_key(members, made->length, key);
    if (place < made->length) {
        for (uint32_t j = 0; j < i; j++) {
            made->places[j] = made->places[j] == place ? DROPPED : made->places[j];
        }
        return place;
    }
    members[place].symbol = symbols_intern(symbols, key->name, key->len);
    members[place].key = key->name;
    members[place].key_len = key->len;
    made->length++;
    return place;
}

struct code *code_map(struct arena *arena, struct symbols *symbols, struct source source,
                      const struct code_key *keys, const struct code *const *operands,
                      uint32_t count)
{
    struct construct_code *made = construct_code(arena, source, operands, count);
    weir_member *members = arena_zeroed(arena, (count + 1) * sizeof *members);
    if (made == NULL || members == NULL) {
        return NULL;
    }
    made->members = members;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t place = place_key(made, symbols, &keys[i], i);
        made->places[i] = place;
        if (operands[i]->constant != NULL) {
            members[place].value = *operands[i]->constant;
        }
    }
    return &made->code;
}
