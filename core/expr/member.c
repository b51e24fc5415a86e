/* SPDX-License-Identifier: MIT */
/*
 * Members of maps. Reading one is a comparison while records look alike: each step remembers the slot
 * where it found its name last. The slot is a hint that threads share without order: whatever it
 * holds, the name there is compared.
 */
#include "expr/field_path.h"

/* ---- one lane ---------------------------------------------------------------------------------- */

static uint32_t fail_member(const struct step_run *run, const weir_value *container,
                            weir_value *out)
{
    char room[CONTAINER_ROOM];
    char name[EXCERPT_ROOM];
    weir_value made;
    frame_fail(run->frame, &run->step->code.source, &made, "%s is %s, it has no field '%s'",
               path_container_text(run, room), value_kind_name(container),
               excerpt(run->step->code.name, 0, run->step->code.name_len, name));
    *out = made;
    return 1;
}

/* A lane whose container has no such member. */
static uint32_t take_nothing(const struct step_run *run, const weir_value *container,
                             weir_value *out)
{
    if (container->tag == WEIR_MAP || path_is_nothing(container)) {
        return path_set_missing(run, out);
    }
    if (container->tag == WEIR_TAG_ERROR) {
        *out = *container;
        return 1;
    }
    return fail_member(run, container, out);
}

/* The member of this name, or NULL: it is not there, or there is no map. */
static const weir_member *find_member(const struct step *step, const weir_value *container,
                                      uint32_t *slot)
{
    if (container->tag != WEIR_MAP) {
        return NULL;
    }
    return step->symbol != WEIR_SYMBOL_NONE
               ? weir_map_find(container, step->symbol, step->code.name, step->code.name_len, slot)
               : path_find_bytes(container, step->code.name, step->code.name_len);
}

/* As find_member; where all lanes look alike, a comparison and nothing else. */
static inline __attribute__((always_inline)) const weir_member *read_member(
    const struct step *step, const weir_value *container, uint32_t *slot)
{
    if (container->tag == WEIR_MAP && *slot < container->len &&
        container->as.members[*slot].symbol == step->symbol) {
        return &container->as.members[*slot];
    }
    uint32_t found = *slot; /* so that *slot can be in a register */
    const weir_member *member = find_member(step, container, &found);
    *slot = found;
    return member;
}

/* ---- columns ----------------------------------------------------------------------------------- */

/* The first step of a path from the record looks there, others at what the step before has found. */
static inline const weir_value *container_at(const weir_entry *entries, const weir_value *found,
                                             bool is_first, uint8_t lane)
{
    return is_first ? &entries[lane].record->value : &found[lane];
}

static inline uint32_t slot_open(const struct step *step)
{
    return __atomic_load_n(step->slot, __ATOMIC_RELAXED);
}

static inline void slot_close(const struct step *step, uint32_t before, uint32_t slot)
{
    if (slot != before) {
        __atomic_store_n(step->slot, slot, __ATOMIC_RELAXED);
    }
}

uint32_t path_run_member(const struct step_run *run, struct lanes lanes, bool is_first,
                         weir_value *out)
{
    const weir_entry *entries = run->frame->entries;
    const struct step *step = run->step;
    uint32_t before = slot_open(step);
    uint32_t slot = before;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        uint8_t lane = lanes.at[i];
        const weir_value *container = container_at(entries, out, is_first, lane);
        const weir_member *member = read_member(step, container, &slot);
        if (member != NULL) {
            out[lane] = member->value;
        } else {
            failed += take_nothing(run, container, &out[lane]);
        }
    }
    slot_close(step, before, slot);
    return failed;
}

/* ---- columns of numbers ------------------------------------------------------------------------ */

static uint8_t number_tag(const weir_member *member)
{
    return member != NULL && (member->value.tag == WEIR_INT || member->value.tag == WEIR_FLOAT)
               ? member->value.tag
               : NOT_UNBOXED;
}

/* The numbers of the first lanes, as long as all are of the kind `tag`; returns how many. */
static inline __attribute__((always_inline)) uint32_t take_numbers(
    const struct step_run *run, struct lanes lanes, bool is_first, const weir_value *found,
    uint32_t *ret_slot, const struct unboxed *ret)
{
    const weir_entry *entries = run->frame->entries;
    const struct step *step = run->step;
    union number *numbers = ret->numbers;
    uint8_t tag = ret->tag;
    uint32_t slot = *ret_slot;
    uint32_t i = 0;
    for (; i < lanes.count; i++) {
        const weir_value *container = container_at(entries, found, is_first, lanes.at[i]);
        const weir_member *member = read_member(step, container, &slot);
        if (member == NULL || member->value.tag != tag) {
            break;
        }
        numbers[i].i64 = member->value.as.i64;
    }
    *ret_slot = slot;
    return i;
}

uint32_t path_run_member_unboxed(const struct step_run *run, struct lanes lanes, bool is_first,
                                 weir_value *out)
{
    struct unboxed unboxed;
    uint32_t before = slot_open(run->step);
    uint32_t slot = before;
    const weir_value *first = container_at(run->frame->entries, out, is_first, lanes.at[0]);
    uint8_t tag = number_tag(find_member(run->step, first, &slot));
    if (tag == NOT_UNBOXED || !unboxed_open(run->frame, tag, &unboxed)) {
        return path_run_member(run, lanes, is_first, out);
    }
    uint32_t count = is_first ? take_numbers(run, lanes, true, out, &slot, &unboxed)
                              : take_numbers(run, lanes, false, out, &slot, &unboxed);
    slot_close(run->step, before, slot);
    if (count == lanes.count) {
        *run->unboxed = unboxed;
        return 0;
    }
    /* A lane of another kind: all as values. */
    unboxed_box(run->frame, &unboxed, (struct lanes){ lanes.at, count }, out);
    struct lanes rest = { lanes.at + count, lanes.count - count };
    return path_run_member(run, rest, is_first, out);
}
