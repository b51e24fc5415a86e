/* SPDX-License-Identifier: MIT */
/*
 * Steps of a path at work: member.c runs members, elements.c indexes and slices, field_path.c the path
 * as a whole.
 */
#ifndef EXPR_FIELD_PATH_H
#define EXPR_FIELD_PATH_H

#include "expr/code.h"
#include "expr/fault_list.h"

/*
 * subject   what the messages call the path up to this step: `m.q`
 * missing   the fault of a strict read that finds nothing here
 * slot      of a member step: the shared hint; beyond all maps where there is no symbol
 */
struct step {
    struct code_step code;
    const char *subject;
    struct expr_fault missing;
    uint32_t symbol;
    uint32_t *slot;
};

struct path_code {
    struct code code;
    const struct code *base;
    const struct step *steps;
    uint32_t count;
};

/* One step at work. */
struct step_run {
    struct frame *frame;
    const struct path_code *path;
    uint32_t index;
    const struct step *step;
    bool is_forgiving;
    struct unboxed *unboxed; /* where the numbers of the last step may go; NULL: nowhere */
};

/* What the step is taken on, for messages: the value, or a piece of the text in quotes. */
enum { CONTAINER_ROOM = EXCERPT_ROOM + 2 };
const char *path_container_text(const struct step_run *run, char room[CONTAINER_ROOM]);

/* Nothing is there: a fault, or WEIR_TAG_MISSING where that is forgiven. Returns how many failed. */
static inline uint32_t path_set_missing(const struct step_run *run, weir_value *out)
{
    if (run->is_forgiving) {
        *out = (weir_value){ .tag = WEIR_TAG_MISSING };
        return 0;
    }
    value_set_fault(out, &run->step->missing);
    return 1;
}

static inline bool path_is_nothing(const weir_value *container)
{
    return container->tag == WEIR_NULL || container->tag == WEIR_TAG_MISSING;
}

/* A map's member by the bytes of its name: for names that are not interned. */
static inline const weir_member *path_find_bytes(const weir_value *map, const char *name,
                                                 uint32_t len)
{
    for (uint32_t i = 0; i < map->len; i++) {
        const weir_member *member = &map->as.members[i];
        if (weir_same_bytes(member->key, member->key_len, name, len)) {
            return member;
        }
    }
    return NULL;
}

/* member.c: one step for all lanes, in place; returns how many failed. */
uint32_t path_run_member(const struct step_run *run, struct lanes lanes, bool is_first,
                         weir_value *out);
/* As path_run_member, but where all are ints or all floats, they go to *run->unboxed. */
uint32_t path_run_member_unboxed(const struct step_run *run, struct lanes lanes, bool is_first,
                                 weir_value *out);
/* elements.c: one step for all lanes, in place. False: no memory. *failed grows. */
bool path_run_index(const struct step_run *run, struct lanes lanes, weir_value *out,
                    uint32_t *failed);
bool path_run_slice(const struct step_run *run, struct lanes lanes, weir_value *out,
                    uint32_t *failed);

#endif
