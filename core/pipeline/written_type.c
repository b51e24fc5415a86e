/* SPDX-License-Identifier: MIT */
/*
 * What a stream writes to a topic beside what the topic declares in `fields`. Only what is known can
 * break a promise: any fits everywhere, and so does a kind that comes back from a serializer as the
 * declared one.
 */

#include "expr/kinds.h"
#include "expr/type.h"
#include "pipeline/flow.h"

/*
 * room  whose budget bounds the work
 * end   whose topic declares, and whose place faults have
 */
struct comparing {
    struct resolver *resolver;
    struct type_room *room;
    const struct end *end;
};

/* What a reader may find where values of these kinds were written. */
static uint32_t kinds_read(uint32_t kinds)
{
    const uint32_t as_text = KIND_BYTES | KIND_TIMESTAMP;
    uint32_t read = kinds;
    read |= (kinds & as_text) != 0 ? (uint32_t)KIND_TEXT : 0;
    read |= (kinds & KIND_TEXT) != 0 ? as_text : 0;
    read |= (kinds & KIND_INT) != 0 ? (uint32_t)KIND_FLOAT : 0;
    return read;
}

/* The depth of types is bounded, and so is this. */
const weir_type *written_type_back(struct type_room *room, const weir_type *type)
{
    const uint32_t as_text = KIND_BYTES | KIND_TIMESTAMP;
    weir_type *copy = arena_alloc(room->arena, sizeof *copy);
    struct type_member *members =
        arena_alloc(room->arena, (type->member_count + 1u) * sizeof *members);
    if (type->kinds == KIND_ANY || copy == NULL || members == NULL ||
        room->budget <= type->member_count) {
        return &type_any;
    }
    room->budget -= type->member_count + 1;
    *copy = *type;
    copy->kinds |= (type->kinds & as_text) != 0 ? (uint32_t)KIND_TEXT : 0;
    copy->items = type->items != NULL ? written_type_back(room, type->items) : NULL;
    for (uint32_t i = 0; i < type->member_count; i++) {
        members[i] = type->members[i];
        members[i].type = written_type_back(room, type->members[i].type);
    }
    copy->members = members;
    return copy;
}

static const char *origin_of(const weir_type *type)
{
    return type->origin != NULL ? type->origin : "";
}

static const char *kinds_of(const weir_type *type, char room[KINDS_ROOM])
{
    uint32_t kinds = type->kinds & ~(uint32_t)KIND_NULL;
    return kinds_text(kinds != 0 ? kinds : type->kinds, room);
}

static void report_kind(const struct comparing *comparing, const char *path, const weir_type *value,
                        const weir_type *declared)
{
    char is[KINDS_ROOM];
    char wanted[KINDS_ROOM];
    resolver_fault(
        comparing->resolver, comparing->end->plugin.place,
        "topic '%s' declares '%s' as %s, here it is %s%s; convert it in a step, or correct "
        "the topic's 'fields'",
        comparing->end->topics[0]->name, path, kinds_of(declared, wanted), kinds_of(value, is),
        origin_of(value));
}

static void report_optional(const struct comparing *comparing, const char *path,
                            const weir_type *value, const weir_type *declared)
{
    char wanted[KINDS_ROOM];
    resolver_warn(comparing->resolver, comparing->end->plugin.place,
                  "topic '%s' declares '%s' as %s, here it may be missing or null%s; fill it in a "
                  "step, or write '?' behind the type in the topic's 'fields'",
                  comparing->end->topics[0]->name, path, kinds_of(declared, wanted),
                  origin_of(value));
}

/* map: of the value, which does not list the member. */
static void report_absent(const struct comparing *comparing, const char *path, const weir_type *map)
{
    const char *closed_by = map->closed_by != NULL ? map->closed_by : "is not there";
    (map->is_promise ? resolver_warn : resolver_fault)(
        comparing->resolver, comparing->end->plugin.place,
        "topic '%s' declares '%s', which %s; add it in a step, or write '?' behind its type in the "
        "topic's 'fields'",
        comparing->end->topics[0]->name, path, closed_by);
}

static void compare(const struct comparing *comparing, const char *path, const weir_type *value,
                    const weir_type *declared);

/* Pays for the search of a member. */
static bool can_look(const struct comparing *comparing, const weir_type *value)
{
    uint32_t cost = 1 + value->member_count / 16;
    if (comparing->room->budget <= cost) {
        comparing->room->budget = 0;
        return false;
    }
    comparing->room->budget -= cost;
    return true;
}

static void compare_members(const struct comparing *comparing, const char *path,
                            const weir_type *value, const weir_type *declared)
{
    for (uint32_t i = 0; i < declared->member_count && can_look(comparing, value); i++) {
        const struct type_member *member = &declared->members[i];
        const weir_type *found = type_member(value, member->name, member->len);
        const char *inner = resolver_text(comparing->resolver, "%s%s%s", path,
                                          path[0] != '\0' ? "." : "", member->name);
        if (inner == NULL) {
            return;
        }
        if (found != NULL) {
            compare(comparing, inner, found, member->type);
        } else if (!value->is_open && !member->type->is_optional) {
            report_absent(comparing, inner, value);
        }
    }
}

/* The depth of types is bounded, and so is this. */
static void compare(const struct comparing *comparing, const char *path, const weir_type *value,
                    const weir_type *declared)
{
    const uint32_t null = KIND_NULL;
    if (value->kinds == KIND_ANY || declared->kinds == KIND_ANY) {
        return;
    }
    bool is_null_alone = (value->kinds & ~null) == 0;
    uint32_t kinds = is_null_alone ? value->kinds : kinds_read(value->kinds) & ~null;
    if ((kinds & declared->kinds) == 0) {
        report_kind(comparing, path, value, declared);
        return;
    }
    bool may_lack = value->is_optional || (value->kinds & null) != 0;
    if (may_lack && !declared->is_optional && (declared->kinds & null) == 0) {
        report_optional(comparing, path, value, declared);
    }
    if ((value->kinds & declared->kinds & KIND_MAP) != 0) {
        compare_members(comparing, path, value, declared);
    }
    if (value->items != NULL && declared->items != NULL) {
        const char *inner = resolver_text(comparing->resolver, "%s[...]", path);
        if (inner != NULL) {
            compare(comparing, inner, value->items, declared->items);
        }
    }
}

void written_type_check(struct resolver *resolver, struct type_room *room, const struct end *end,
                        const weir_type *value)
{
    const struct topic *topic = end->topics[0];
    const struct comparing comparing = { resolver, room, end };
    char kinds[KINDS_ROOM];
    if (topic->type == NULL) {
        return;
    }
    if ((value->kinds & KIND_MAP) != 0) {
        compare_members(&comparing, "", value, topic->type);
    } else if (value->kinds != KIND_NULL) {
        resolver_fault(
            resolver, end->plugin.place,
            "topic '%s' declares fields, but the value is %s%s; make a map of it in a step",
            topic->name, kinds_of(value, kinds), origin_of(value));
    }
}
