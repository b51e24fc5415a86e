/* SPDX-License-Identifier: MIT */
/*
 * Writing to a place inside a value that others share: the arrays on the way to the place are
 * copied into the memory of the batch, all else stays shared.
 *
 * A step that writes several times to one record keeps an `edit_own`: arrays that this record alone
 * holds are then written to directly. What is put in may be such an array itself (`a: $value`), so
 * putting in a container ends the ownership of all of them.
 */
#ifndef SUPPORT_EDIT_H
#define SUPPORT_EDIT_H

#include <stdbool.h>

#include <weir/host.h>

enum { EDIT_OWN = 4 }; /* arrays that are remembered: the value's own members and some below */

struct edit_array {
    const void *items;
    uint32_t capacity;
};

/* Zero: nothing is owned. */
struct edit_own {
    struct edit_array arrays[EDIT_OWN];
    uint32_t next; /* the place that the next array takes */
    uint32_t reserved;
};

/*
 * A target together with where its names were found last time.
 *
 * slots  one per step
 * spare  room for members to come that a copied array gets
 */
struct edit_place {
    const weir_target *target;
    uint32_t *slots;
    uint32_t spare;
};

struct edit_fault {
    char message[256];
};

/* Slots from the instance's memory. False: no memory. */
bool edit_place_init(struct edit_place *place, const weir_host *host, const weir_target *target);

/*
 * Writes `made` to the place in *value. Maps that are missing or null on the way are made; a list
 * index must exist.
 *
 * own      NULL: the value is written to once
 * Returns  WEIR_OK; WEIR_E_DATA with the fault's message set, *value unchanged; WEIR_E_NOMEM
 */
weir_status edit_set(weir_context *ctx, struct edit_place *place, struct edit_own *own,
                     weir_value *value, const weir_value *made, struct edit_fault *fault);

/*
 * Takes the member or item at the place away from *value; the target has at least one step.
 *
 * Returns  WEIR_OK; WEIR_END where nothing is there; WEIR_E_DATA with the fault's message set where
 *          something on the way is neither null nor a container of its kind; WEIR_E_NOMEM
 */
weir_status edit_unset(weir_context *ctx, struct edit_place *place, weir_value *value,
                       struct edit_fault *fault);

/* What stands at the place, or NULL: also where something on the way is no such container. */
const weir_value *edit_find(struct edit_place *place, const weir_value *value);

#endif
