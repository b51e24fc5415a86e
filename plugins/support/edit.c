/* SPDX-License-Identifier: MIT */
#include "support/edit.h"

#include <string.h>

#include "support/kind.h"

/* One write on its way down. */
struct edit {
    weir_context *ctx;
    struct edit_place *place;
    struct edit_own *own;
    const weir_value *made;
    struct edit_fault *fault;
};

bool edit_place_init(struct edit_place *place, const weir_host *host, const weir_target *target)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    place->target = target;
    place->spare = 1;
    place->slots = memory == NULL
                       ? NULL
                       : memory->alloc(host, (target->step_count + 1u) * sizeof *place->slots);
    return place->slots != NULL;
}

static bool is_container(const weir_value *v)
{
    return v->tag == WEIR_MAP || v->tag == WEIR_LIST;
}

__attribute__((format(printf, 2, 3))) static weir_status fail(struct edit_fault *fault,
                                                              const char *format, ...)
{
    va_list args;
    va_start(args, format);
    vsnprintf(fault->message, sizeof fault->message, format, args);
    va_end(args);
    return WEIR_E_DATA;
}

/* ---- owned arrays ------------------------------------------------------------------------------
 */

static const struct edit_array *own_find(const struct edit_own *own, const void *items)
{
    for (uint32_t i = 0; own != NULL && i < EDIT_OWN; i++) {
        if (own->arrays[i].items == items) {
            return &own->arrays[i];
        }
    }
    return NULL;
}

static void own_add(struct edit_own *own, const void *items, uint32_t capacity)
{
    if (own != NULL) {
        own->arrays[own->next].items = items;
        own->arrays[own->next].capacity = capacity;
        own->next = (own->next + 1) % EDIT_OWN;
    }
}

/* The members of a map with room for `more`, this record's alone. NULL: no memory. */
static weir_member *writable_members(const struct edit *edit, const weir_value *map, uint32_t more)
{
    uint32_t len = map->tag == WEIR_MAP ? map->len : 0;
    const struct edit_array *owned = len == 0 ? NULL : own_find(edit->own, map->as.members);
    if (owned != NULL && owned->capacity - len >= more) {
        return (weir_member *)(uintptr_t)owned->items;
    }
    uint32_t capacity = len + edit->place->spare;
    weir_member *members = weir_alloc(edit->ctx, (uint64_t)capacity * sizeof *members);
    if (members == NULL) {
        return NULL;
    }
    if (len > 0) {
        memcpy(members, map->as.members, len * sizeof *members);
    }
    own_add(edit->own, members, capacity);
    return members;
}

static weir_value *writable_items(const struct edit *edit, const weir_value *list)
{
    const struct edit_array *owned = own_find(edit->own, list->as.items);
    if (owned != NULL) {
        return (weir_value *)(uintptr_t)owned->items;
    }
    weir_value *items = weir_alloc(edit->ctx, (uint64_t)list->len * sizeof *items);
    if (items != NULL) {
        memcpy(items, list->as.items, list->len * sizeof *items);
        own_add(edit->own, items, list->len);
    }
    return items;
}

/* ---- the way down ------------------------------------------------------------------------------
 */

/* What stands before step `depth` of the target, as the user would write it. */
static const char *path_text(const weir_target *target, uint32_t depth, char *room, size_t size)
{
    size_t at = 0;
    room[0] = '\0';
    for (uint32_t i = 0; i < depth && at < size; i++) {
        const weir_target_step *step = &target->steps[i];
        int written = step->name == NULL
                          ? snprintf(room + at, size - at, "[%lld]", (long long)step->index)
                          : snprintf(room + at, size - at, "%s%.*s", i == 0 ? "" : ".",
                                     kind_excerpt(step->name, step->name_len, 64), step->name);
        at += written > 0 ? (size_t)written : 0;
    }
    return room;
}

static weir_status fail_wrong_container(const struct edit *edit, const weir_value *v,
                                        uint32_t depth)
{
    const weir_target *target = edit->place->target;
    char room[160];
    const char *path = path_text(target, depth, room, sizeof room);
    const char *wanted = target->steps[depth].name == NULL ? "list" : "map";
    if (depth > 0 && v->tag == WEIR_NULL) {
        return fail(edit->fault, "'%s' is missing or null, not a %s", path, wanted);
    }
    if (depth == 0) {
        return fail(edit->fault, "the value is %s, not a %s", kind_name(v), wanted);
    }
    return fail(edit->fault, "'%s' is %s, not a %s", path, kind_name(v), wanted);
}

static weir_status set_at(const struct edit *edit, weir_value *v, uint32_t depth);

static weir_status set_index(const struct edit *edit, weir_value *v, uint32_t depth)
{
    if (v->tag != WEIR_LIST) {
        return fail_wrong_container(edit, v, depth);
    }
    int64_t index = edit->place->target->steps[depth].index;
    int64_t from_begin = index < 0 ? index + (int64_t)v->len : index;
    if (from_begin < 0 || from_begin >= (int64_t)v->len) {
        char room[160];
        const char *path = path_text(edit->place->target, depth, room, sizeof room);
        return fail(edit->fault, "list '%s' has no index %lld, it has %u items",
                    depth == 0 ? "$value" : path, (long long)index, v->len);
    }
    weir_value item = v->as.items[from_begin];
    weir_status st = set_at(edit, &item, depth + 1);
    if (st != WEIR_OK) {
        return st;
    }
    weir_value *items = writable_items(edit, v);
    if (items == NULL) {
        return WEIR_E_NOMEM;
    }
    items[from_begin] = item;
    *v = weir_list_value(items, v->len);
    return WEIR_OK;
}

/* The member of a map, or of one that is made: *v is null then, or missing. */
static inline const weir_member *find_name(const struct edit *edit, const weir_value *v,
                                           uint32_t depth)
{
    const weir_target_step *step = &edit->place->target->steps[depth];
    return v->tag != WEIR_MAP ? NULL
                              : weir_map_find(v, step->symbol, step->name, step->name_len,
                                              &edit->place->slots[depth]);
}

/* Writes the member `found`, or a new one where that is NULL. */
static inline weir_status put_name(const struct edit *edit, weir_value *v, uint32_t depth,
                                   const weir_member *found, const weir_value *made)
{
    const weir_target_step *step = &edit->place->target->steps[depth];
    uint32_t len = v->tag == WEIR_MAP ? v->len : 0;
    uint32_t at = found == NULL ? len : (uint32_t)(found - v->as.members);
    weir_member *members = writable_members(edit, v, found == NULL);
    if (members == NULL) {
        return WEIR_E_NOMEM;
    }
    if (found == NULL) {
        members[at].symbol = step->symbol;
        members[at].key = step->name;
        members[at].key_len = step->name_len;
        len++;
    }
    members[at].value = *made;
    *v = weir_map_value(members, len);
    return WEIR_OK;
}

static weir_status set_name(const struct edit *edit, weir_value *v, uint32_t depth)
{
    bool is_made = v->tag == WEIR_NULL && depth > 0;
    if (v->tag != WEIR_MAP && !is_made) {
        return fail_wrong_container(edit, v, depth);
    }
    const weir_member *found = find_name(edit, v, depth);
    weir_value inner = found == NULL ? weir_null() : found->value;
    weir_status st = set_at(edit, &inner, depth + 1);
    return st != WEIR_OK ? st : put_name(edit, v, depth, found, &inner);
}

/* Recursion is bounded by the steps of the target. */
static weir_status set_at(const struct edit *edit, weir_value *v, uint32_t depth)
{
    const weir_target *target = edit->place->target;
    if (depth == target->step_count) {
        *v = *edit->made;
        return WEIR_OK;
    }
    return target->steps[depth].name == NULL ? set_index(edit, v, depth) : set_name(edit, v, depth);
}

weir_status edit_set(weir_context *ctx, struct edit_place *place, struct edit_own *own,
                     weir_value *value, const weir_value *made, struct edit_fault *fault)
{
    if (own != NULL && is_container(made)) {
        memset(own, 0, sizeof *own);
    }
    struct edit edit = { ctx, place, own, made, fault };
    /* A field of the value itself, which most are. */
    if (place->target->step_count == 1 && place->target->steps[0].name != NULL &&
        value->tag == WEIR_MAP) {
        return put_name(&edit, value, 0, find_name(&edit, value, 0), made);
    }
    weir_value changed = *value;
    weir_status st = set_at(&edit, &changed, 0);
    if (st == WEIR_OK) {
        *value = changed;
    }
    return st;
}

/* ---- taking away and looking ------------------------------------------------------------------ */

static weir_status unset_at(const struct edit *edit, weir_value *v, uint32_t depth);

static weir_status unset_index(const struct edit *edit, weir_value *v, uint32_t depth)
{
    int64_t index = edit->place->target->steps[depth].index;
    int64_t at = index < 0 ? index + (int64_t)v->len : index;
    if (at < 0 || at >= (int64_t)v->len) {
        return WEIR_END;
    }
    weir_value item = v->as.items[at];
    weir_status st = unset_at(edit, &item, depth + 1);
    if (st != WEIR_OK && st != WEIR_AGAIN) {
        return st;
    }
    weir_value *items = weir_alloc(edit->ctx, (uint64_t)v->len * sizeof *items);
    if (items == NULL) {
        return WEIR_E_NOMEM;
    }
    size_t rest = (size_t)v->len - (size_t)at - 1;
    memcpy(items, v->as.items, (size_t)at * sizeof *items);
    items[at] = item;
    memcpy(items + at + (st == WEIR_OK), v->as.items + at + 1, rest * sizeof *items);
    *v = weir_list_value(items, v->len - (st == WEIR_AGAIN));
    return WEIR_OK;
}

static weir_status unset_name(const struct edit *edit, weir_value *v, uint32_t depth)
{
    const weir_target_step *step = &edit->place->target->steps[depth];
    const weir_member *found =
        weir_map_find(v, step->symbol, step->name, step->name_len, &edit->place->slots[depth]);
    if (found == NULL) {
        return WEIR_END;
    }
    size_t at = (size_t)(found - v->as.members);
    weir_value inner = found->value;
    weir_status st = unset_at(edit, &inner, depth + 1);
    if (st != WEIR_OK && st != WEIR_AGAIN) {
        return st;
    }
    weir_member *members = weir_alloc(edit->ctx, (uint64_t)v->len * sizeof *members);
    if (members == NULL) {
        return WEIR_E_NOMEM;
    }
    size_t rest = (size_t)v->len - at - 1;
    memcpy(members, v->as.members, (at + 1) * sizeof *members);
    members[at].value = inner;
    memcpy(members + at + (st == WEIR_OK), v->as.members + at + 1, rest * sizeof *members);
    *v = weir_map_value(members, v->len - (st == WEIR_AGAIN));
    return WEIR_OK;
}

/* WEIR_AGAIN: the target ends here, so whoever holds this value takes it away. */
static weir_status unset_at(const struct edit *edit, weir_value *v, uint32_t depth)
{
    const weir_target *target = edit->place->target;
    if (depth == target->step_count) {
        return WEIR_AGAIN;
    }
    if (v->tag == WEIR_NULL) {
        return WEIR_END;
    }
    bool is_index = target->steps[depth].name == NULL;
    if (v->tag != (is_index ? WEIR_LIST : WEIR_MAP)) {
        return fail_wrong_container(edit, v, depth);
    }
    return is_index ? unset_index(edit, v, depth) : unset_name(edit, v, depth);
}

weir_status edit_unset(weir_context *ctx, struct edit_place *place, weir_value *value,
                       struct edit_fault *fault)
{
    struct edit edit = { ctx, place, NULL, NULL, fault };
    return unset_at(&edit, value, 0);
}

const weir_value *edit_find(struct edit_place *place, const weir_value *value)
{
    const weir_target *target = place->target;
    for (uint32_t i = 0; i < target->step_count && value != NULL; i++) {
        const weir_target_step *step = &target->steps[i];
        if (step->name == NULL) {
            int64_t at = step->index < 0 ? step->index + (int64_t)value->len : step->index;
            bool is_there = value->tag == WEIR_LIST && at >= 0 && at < (int64_t)value->len;
            value = is_there ? &value->as.items[at] : NULL;
        } else {
            const weir_member *found = value->tag != WEIR_MAP
                                           ? NULL
                                           : weir_map_find(value, step->symbol, step->name,
                                                           step->name_len, &place->slots[i]);
            value = found == NULL ? NULL : &found->value;
        }
    }
    return value;
}
