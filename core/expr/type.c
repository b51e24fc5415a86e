/* SPDX-License-Identifier: MIT */
/*
 * Making and combining types. Whoever would lose track gives less than it could, never more: any, or a
 * map that is open.
 */
#include "expr/type.h"

#include <string.h>

#include "value/value.h"

const weir_type type_any = { .kinds = KIND_ANY, .is_open = true };

/* Pays for `count` members; false: no more is known from here on. */
static bool pay(struct type_room *room, uint32_t count)
{
    if (room->budget <= count) {
        room->budget = 0;
        return false;
    }
    room->budget -= count + 1;
    return true;
}

static weir_type *create(struct type_room *room, uint32_t kinds)
{
    weir_type *type = pay(room, 0) ? arena_zeroed(room->arena, sizeof *type) : NULL;
    if (type != NULL) {
        type->kinds = kinds;
        type->is_open = true;
    }
    return type;
}

static weir_type *copy(struct type_room *room, const weir_type *type)
{
    weir_type *made = create(room, type->kinds);
    if (made != NULL) {
        *made = *type;
    }
    return made;
}

static const weir_type *or_any(const weir_type *type)
{
    return type != NULL && type->depth <= TYPE_MAX_DEPTH ? type : &type_any;
}

/* A copy of the members with room for one more; NULL: no memory or budget. */
static struct type_member *copy_members(struct type_room *room, const struct type_member *members,
                                        uint32_t count)
{
    if (!pay(room, count)) {
        return NULL;
    }
    struct type_member *made = arena_alloc(room->arena, ((size_t)count + 1) * sizeof *made);
    if (made != NULL && count > 0) {
        memcpy(made, members, count * sizeof *made);
    }
    return made;
}

static uint32_t depth_over(const struct type_member *members, uint32_t count)
{
    uint32_t depth = 0;
    for (uint32_t i = 0; i < count; i++) {
        depth = members[i].type->depth > depth ? members[i].type->depth : depth;
    }
    return depth + 1;
}

/* ---- simple ones ------------------------------------------------------------------------------- */

const weir_type *type_of_kinds(struct type_room *room, uint32_t kinds)
{
    return kinds == KIND_ANY ? &type_any : or_any(create(room, kinds));
}

const weir_type *type_list(struct type_room *room, const weir_type *items)
{
    weir_type *type = create(room, KIND_LIST);
    if (type != NULL) {
        type->items = items;
        type->depth = items->depth + 1;
    }
    return or_any(type);
}

static uint32_t find(const struct type_member *members, uint32_t count, const char *name,
                     uint32_t len)
{
    uint32_t i = 0;
    while (i < count && !weir_same_bytes(members[i].name, members[i].len, name, len)) {
        i++;
    }
    return i;
}

const weir_type *type_map(struct type_room *room, const struct type_member *members, uint32_t count,
                          const char *origin, const char *closed_by)
{
    weir_type *type = create(room, KIND_MAP);
    struct type_member *made = copy_members(room, members, count);
    if (type == NULL || made == NULL) {
        return &type_any;
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < count; i++) {
        uint32_t at = find(made, kept, members[i].name, members[i].len);
        made[at] = members[i];
        kept += at == kept;
    }
    type->is_open = false;
    type->is_promise = room->is_promise;
    type->members = made;
    type->member_count = kept;
    type->depth = depth_over(made, kept);
    type->origin = origin;
    type->closed_by = closed_by;
    return or_any(type);
}

const weir_type *type_from(struct type_room *room, const weir_type *type, const char *origin)
{
    weir_type *made = copy(room, type);
    if (made != NULL) {
        made->origin = origin;
    }
    return or_any(made);
}

const weir_type *type_optional(struct type_room *room, const weir_type *type)
{
    weir_type *made = copy(room, type);
    if (made != NULL) {
        made->is_optional = true;
        made->kinds |= KIND_NULL;
    }
    return or_any(made);
}

const weir_type *type_present(struct type_room *room, const weir_type *type, bool is_null_gone)
{
    uint32_t kinds = is_null_gone ? type->kinds & ~(uint32_t)KIND_NULL : type->kinds;
    if (!type->is_optional && kinds == type->kinds) {
        return type;
    }
    weir_type *made = copy(room, type);
    if (made != NULL) {
        made->is_optional = false;
        made->kinds = kinds;
    }
    return or_any(made);
}

/* ---- looking inside ---------------------------------------------------------------------------- */

const weir_type *type_member(const weir_type *type, const char *name, uint32_t len)
{
    uint32_t at = find(type->members, type->member_count, name, len);
    return at < type->member_count ? type->members[at].type : NULL;
}

const weir_type *type_items(struct type_room *room, const weir_type *list)
{
    return list->items != NULL ? type_present(room, list->items, false) : &type_any;
}

void type_offer(const weir_type *map, struct nearest *search)
{
    for (uint32_t i = 0; i < map->member_count; i++) {
        nearest_offer(search, map->members[i].name);
    }
}

/* ---- one of two -------------------------------------------------------------------------------- */

/* Members of `a`, joined with those of `b`; one that `b` does not list may be missing. */
static uint32_t join_members(struct type_room *room, const weir_type *a, const weir_type *b,
                             bool is_open, struct type_member *made)
{
    uint32_t count = 0;
    for (uint32_t i = 0; i < a->member_count; i++) {
        const struct type_member *member = &a->members[i];
        const weir_type *other = type_member(b, member->name, member->len);
        if (other == NULL && is_open) {
            continue;
        }
        made[count] = *member;
        made[count].type = other != NULL ? type_join(room, member->type, other)
                                         : type_optional(room, member->type);
        count++;
    }
    return count;
}

static bool join_maps(struct type_room *room, const weir_type *a, const weir_type *b,
                      weir_type *made)
{
    uint64_t count = (uint64_t)a->member_count + b->member_count;
    uint64_t work = (uint64_t)a->member_count * b->member_count / 16 + count;
    struct type_member *members =
        pay(room, work < UINT32_MAX ? (uint32_t)work : UINT32_MAX)
            ? arena_alloc(room->arena, ((size_t)count + 1) * sizeof *members)
            : NULL;
    if (members == NULL) {
        return false;
    }
    made->is_open = a->is_open || b->is_open;
    made->is_promise = a->is_promise || b->is_promise;
    uint32_t kept = join_members(room, a, b, made->is_open, members);
    for (uint32_t i = 0; !made->is_open && i < b->member_count; i++) {
        const struct type_member *member = &b->members[i];
        if (type_member(a, member->name, member->len) == NULL) {
            members[kept] = *member;
            members[kept++].type = type_optional(room, member->type);
        }
    }
    made->members = members;
    made->member_count = kept;
    made->depth = depth_over(members, kept);
    bool is_one =
        a->closed_by != NULL && b->closed_by != NULL && strcmp(a->closed_by, b->closed_by) == 0;
    made->closed_by = is_one ? a->closed_by : "is known to none of the sides that meet here";
    return true;
}

static void take_map(weir_type *made, const weir_type *map)
{
    made->is_open = map->is_open;
    made->is_promise = map->is_promise;
    made->members = map->members;
    made->member_count = map->member_count;
    made->closed_by = map->closed_by;
    made->depth = map->depth;
}

const weir_type *type_join(struct type_room *room, const weir_type *a, const weir_type *b)
{
    if (a == b) {
        return a;
    }
    weir_type *made = create(room, a->kinds | b->kinds);
    if (made == NULL || made->kinds == KIND_ANY) {
        return &type_any;
    }
    made->is_optional = a->is_optional || b->is_optional;
    bool is_map = (a->kinds & KIND_MAP) != 0;
    if (is_map && (b->kinds & KIND_MAP) != 0) {
        if (!join_maps(room, a, b, made)) {
            return &type_any;
        }
    } else if ((made->kinds & KIND_MAP) != 0) {
        take_map(made, is_map ? a : b);
    }
    bool is_list = (a->kinds & KIND_LIST) != 0;
    if (is_list && (b->kinds & KIND_LIST) != 0) {
        made->items =
            a->items != NULL && b->items != NULL ? type_join(room, a->items, b->items) : NULL;
    } else if ((made->kinds & KIND_LIST) != 0) {
        made->items = is_list ? a->items : b->items;
    }
    if (made->items != NULL && made->items->depth >= made->depth) {
        made->depth = made->items->depth + 1;
    }
    bool is_one = a->origin != NULL && b->origin != NULL && strcmp(a->origin, b->origin) == 0;
    made->origin = is_one ? a->origin : NULL;
    return or_any(made);
}

/* ---- writing ----------------------------------------------------------------------------------- */

/* `map` with this member; every other one may be missing where the map may be new. */
static const weir_type *put(struct type_room *room, const weir_type *map, bool may_be_new,
                            const struct type_member *member)
{
    weir_type *made = create(room, KIND_MAP);
    struct type_member *members = copy_members(room, map->members, map->member_count);
    if (made == NULL || members == NULL) {
        return &type_any;
    }
    uint32_t count = map->member_count;
    for (uint32_t i = 0; may_be_new && i < count; i++) {
        members[i].type = type_optional(room, members[i].type);
    }
    uint32_t at = find(members, count, member->name, member->len);
    members[at] = *member;
    take_map(made, map);
    made->members = members;
    made->member_count = at == count ? count + 1 : count;
    made->depth = depth_over(members, made->member_count);
    made->origin = map->origin;
    return or_any(made);
}

static const weir_type *with_step(struct type_room *room, const weir_type *value,
                                  const weir_target *target, uint32_t at, const weir_type *type)
{
    if (at == target->step_count) {
        return type;
    }
    const weir_target_step *step = &target->steps[at];
    if (step->name == NULL) {
        const weir_type *item = value->items != NULL ? value->items : &type_any;
        return type_list(room, type_join(room, item, with_step(room, item, target, at + 1, type)));
    }
    const weir_type *old = type_member(value, step->name, step->name_len);
    if (old == NULL && value->is_open) {
        old = &type_any;
    } else if (old == NULL) {
        old = type_map(room, NULL, 0, NULL, value->closed_by);
    }
    const struct type_member member = { step->name, step->name_len,
                                        with_step(room, old, target, at + 1, type) };
    return put(room, value, at > 0 && (value->kinds & KIND_NULL) != 0, &member);
}

const weir_type *type_with(struct type_room *room, const weir_type *value,
                           const weir_target *target, const weir_type *type)
{
    return with_step(room, value, target, 0, type);
}

static const weir_type *narrow_step(struct type_room *room, const weir_type *value,
                                    const struct type_path *path, uint32_t at, bool is_null_gone)
{
    bool is_last = at == path->count;
    const weir_type *there = at == 0 ? value : type_present(room, value, !is_last || is_null_gone);
    const weir_type *old = is_last ? NULL : type_member(there, path->names[at], path->lens[at]);
    if (old == NULL) {
        return there;
    }
    const weir_type *inner = narrow_step(room, old, path, at + 1, is_null_gone);
    weir_type *made = inner == old ? NULL : copy(room, there);
    struct type_member *members =
        made == NULL ? NULL : copy_members(room, there->members, there->member_count);
    if (members == NULL) {
        return there;
    }
    members[find(members, there->member_count, path->names[at], path->lens[at])].type = inner;
    made->members = members;
    return made;
}

const weir_type *type_narrow(struct type_room *room, const weir_type *value,
                             const struct type_path *path, bool is_null_gone)
{
    return path->count <= TYPE_MAX_DEPTH ? narrow_step(room, value, path, 0, is_null_gone) : value;
}
