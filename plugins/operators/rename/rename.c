/* SPDX-License-Identifier: MIT */
/*
 * Operator `rename`: gives fields other names, at their places.
 */
#include <string.h>

#include <weir/operator.h>
#include <weir/plugin.h>

#include "support/edit.h"
#include "support/step.h"

struct config {
    weir_option_map names;
};

/* slot: where the new name was found last time */
struct renaming {
    struct edit_place old;
    const weir_target_step *name;
    weir_text text;
    uint32_t slot;
};

struct rename {
    struct step step;
    struct renaming *renamings;
    uint32_t count;
};

static bool is_same_step(const weir_target_step *a, const weir_target_step *b)
{
    if (a->name == NULL || b->name == NULL) {
        return a->name == b->name && a->index == b->index;
    }
    return weir_same_bytes(a->name, a->name_len, b->name, b->name_len);
}

/* True where both are names in one map. */
static bool is_same_map(const weir_target *a, const weir_target *b)
{
    uint32_t count = a->step_count;
    if (count == 0 || b->step_count != count || a->steps[count - 1].name == NULL ||
        b->steps[count - 1].name == NULL) {
        return false;
    }
    for (uint32_t i = 0; i + 1 < count; i++) {
        if (!is_same_step(&a->steps[i], &b->steps[i])) {
            return false;
        }
    }
    return true;
}

static weir_status validate(const void *config_data, weir_error_info *fault)
{
    const weir_option_map *names = &((const struct config *)config_data)->names;
    for (uint64_t i = 0; i < names->count; i++) {
        if (!is_same_map(names->items[i].key.target, names->items[i].value.target)) {
            fault->message = "the new and the old name stand in one map, as in {a.new: a.old}; to "
                             "move a field elsewhere use 'set' and 'unset'";
            return WEIR_E_INVALID;
        }
    }
    return WEIR_OK;
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_option_map *names = &((const struct config *)config)->names;
    void *memory = NULL;
    weir_status st = step_create(host, sizeof(struct rename), &memory);
    if (st != WEIR_OK) {
        return st;
    }
    struct rename *self = memory;
    self->count = (uint32_t)names->count;
    self->renamings = step_alloc(&self->step, names->count, sizeof *self->renamings);
    if (self->renamings == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        const weir_target *target = names->items[i].key.target;
        self->renamings[i].name = &target->steps[target->step_count - 1];
        self->renamings[i].text = target->text;
        if (!edit_place_init(&self->renamings[i].old, host, names->items[i].value.target)) {
            return WEIR_E_NOMEM;
        }
    }
    *ret_self = self;
    return WEIR_OK;
}

/* A target without its last step, for looking and writing. */
static struct edit_place place_of_map(const struct edit_place *place, weir_target *room)
{
    *room = *place->target;
    room->step_count--;
    struct edit_place map = *place;
    map.target = room;
    return map;
}

static weir_status fail(weir_context *ctx, const struct renaming *r, const char *why)
{
    weir_text name = r->old.target->text;
    weir_fail(ctx, "cannot rename '%.*s' to '%.*s': %s", (int)name.size, name.data,
              (int)r->text.size, r->text.data, why);
    return WEIR_E_DATA;
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status rename_one(weir_context *ctx, struct renaming *r, weir_value *value)
{
    weir_target room;
    struct edit_place place = place_of_map(&r->old, &room);
    const weir_target_step *old = &r->old.target->steps[room.step_count];
    const weir_value *map = edit_find(&place, value);
    const weir_member *found = map == NULL || map->tag != WEIR_MAP
                                   ? NULL
                                   : weir_map_find(map, old->symbol, old->name, old->name_len,
                                                   &r->old.slots[room.step_count]);
    if (found == NULL) {
        return fail(ctx, r, "it is missing");
    }
    if (is_same_step(old, r->name)) {
        return WEIR_OK;
    }
    if (weir_map_find(map, r->name->symbol, r->name->name, r->name->name_len, &r->slot) != NULL) {
        return fail(ctx, r, "a field of that name is there already");
    }
    weir_member *members = weir_alloc(ctx, (uint64_t)map->len * sizeof *members);
    if (members == NULL) {
        return WEIR_E_NOMEM;
    }
    memcpy(members, map->as.members, map->len * sizeof *members);
    weir_member *member = &members[found - map->as.members];
    member->symbol = r->name->symbol;
    member->key = r->name->name;
    member->key_len = r->name->name_len;
    weir_value made = weir_map_value(members, map->len);
    struct edit_fault fault;
    weir_status st = edit_set(ctx, &place, NULL, value, &made, &fault);
    return st == WEIR_E_DATA ? fail(ctx, r, fault.message) : st;
}

static weir_status process(void *data, weir_context *ctx, const weir_batch *in)
{
    struct rename *self = data;
    WEIR_EACH(ctx, in, entry) {
        weir_value value = entry->record->value;
        weir_status st = WEIR_OK;
        for (uint32_t i = 0; i < self->count && st == WEIR_OK; i++) {
            st = rename_one(ctx, &self->renamings[i], &value);
        }
        if (st == WEIR_OK) {
            st = weir_emit_value(ctx, 0, entry, value);
        }
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}

static const weir_option old_element = {
    .name = "old",
    .type = WEIR_OPTION_TARGET,
    .summary = "The field as it is called now",
};

static const weir_option options[] = {
    { .name = "names",
      .type = WEIR_OPTION_MAP,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct config, names),
      .key_type = WEIR_OPTION_TARGET,
      .min = 1,
      .max = 10000,
      .element = &old_element,
      .summary = "New names, each with the old one",
      .doc = "`{new: old}`, from top to bottom; each sees what stands above it." },
    WEIR_OPTIONS_END
};

static const weir_operator_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .process = process,
};

static const weir_factory rename_factory = {
    .struct_size = sizeof rename_factory,
    .kind = WEIR_KIND_OPERATOR,
    .name = "rename",
    .summary = "Gives fields other names",
    .doc = "```yaml\n- rename: {celsius: temp, position.lat: position.latitude}\n```\n\n"
           "As in `select` the new name stands in front. The field keeps its place in the map. A "
           "field that is missing, and a new name that is taken, are errors of the record.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
};

static const weir_factory *const factories[] = { &rename_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.operator.rename", .name = "rename", .version = "0.1.0",
            .vendor = "weir", .license = "MIT", .url = NULL, .summary = "Gives fields other names",
            .factories = factories);
