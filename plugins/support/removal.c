/* SPDX-License-Identifier: MIT */
#include "support/removal.h"

weir_status removal_validate(const weir_option_list *fields, weir_error_info *fault)
{
    for (uint64_t i = 0; i < fields->count; i++) {
        if (fields->items[i].target->step_count == 0) {
            fault->message = "'$value' is the whole value and cannot be taken away; 'set: {$value: "
                             "null}' makes it null, 'filter' drops the record";
            return WEIR_E_INVALID;
        }
    }
    return WEIR_OK;
}

weir_status removal_create(const weir_host *host, const weir_option_list *fields, bool is_strict,
                           void **ret_self)
{
    void *memory = NULL;
    weir_status st = step_create(host, sizeof(struct removal), &memory);
    if (st != WEIR_OK) {
        return st;
    }
    struct removal *self = memory;
    self->count = (uint32_t)fields->count;
    self->is_strict = is_strict;
    self->places = step_alloc(&self->step, fields->count, sizeof *self->places);
    if (self->places == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < self->count; i++) {
        if (!edit_place_init(&self->places[i], host, fields->items[i].target)) {
            return WEIR_E_NOMEM;
        }
    }
    *ret_self = self;
    return WEIR_OK;
}

/* WEIR_E_DATA: the record under the cursor has failed and that has been reported. */
static weir_status remove_all(struct removal *self, weir_context *ctx, weir_value *value,
                              bool *ret_is_changed)
{
    *ret_is_changed = false;
    for (uint32_t i = 0; i < self->count; i++) {
        struct edit_place *place = &self->places[i];
        weir_text name = place->target->text;
        struct edit_fault fault;
        weir_status st = edit_unset(ctx, place, value, &fault);
        if (st == WEIR_OK) {
            *ret_is_changed = true;
        } else if (st == WEIR_E_DATA) {
            weir_fail(ctx, "cannot remove '%.*s': %s", (int)name.size, name.data, fault.message);
            return st;
        } else if (st == WEIR_END && self->is_strict) {
            weir_fail(ctx, "cannot remove '%.*s': it is missing", (int)name.size, name.data);
            return WEIR_E_DATA;
        } else if (st != WEIR_END) {
            return st;
        }
    }
    return WEIR_OK;
}

weir_status removal_process(void *data, weir_context *ctx, const weir_batch *in)
{
    struct removal *self = data;
    WEIR_EACH(ctx, in, entry) {
        weir_value value = entry->record->value;
        bool is_changed = false;
        weir_status st = remove_all(self, ctx, &value, &is_changed);
        if (st == WEIR_OK) {
            st = is_changed ? weir_emit_value(ctx, 0, entry, value) : weir_pass(ctx, 0, entry);
        }
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}
