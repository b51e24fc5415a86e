/* SPDX-License-Identifier: MIT */
/*
 * The records that a generator makes up: what expressions see, what they give, and what is emitted of it.
 */
#include "generator.h"

#include <string.h>

#include "support/edit.h"
#include "support/fault.h"

const char *const generator_member_names[MEMBER_COUNT] = { "n", "t", "r", "r2", "r3", "r4" };

int64_t generator_planned_ms(const struct generator *self, uint64_t n)
{
    double per_ms = self->config->rate > 0 ? self->config->rate / 1000 : 1;
    double after_ms = (double)n / per_ms;
    return after_ms < 9e15 ? self->start_ms + (int64_t)after_ms : INT64_MAX / 2;
}

/* The finalizer of splitmix64: neighbouring inputs give unrelated outputs. */
static uint64_t mix(uint64_t x)
{
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9u;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBu;
    return x ^ (x >> 31);
}

/* From 0 to 1, 1 left out; 53 bits of it are random. */
static double random_of(const struct generator *self, uint64_t n, uint32_t which)
{
    uint64_t key = mix((uint64_t)self->config->seed + 0x9E3779B97F4A7C15u);
    uint64_t bits = mix(key + (n * RANDOM_COUNT + which + 1) * 0x9E3779B97F4A7C15u);
    return (double)(bits >> 11) * 0x1p-53;
}

/* What the expressions see. */
static weir_record *make_input(const struct generator *self, weir_context *ctx, uint64_t n)
{
    weir_record *record = weir_alloc(ctx, sizeof *record);
    weir_member *members = weir_alloc(ctx, MEMBER_COUNT * sizeof *members);
    if (record == NULL || members == NULL) {
        return NULL;
    }
    memset(record, 0, sizeof *record);
    record->timestamp = generator_planned_ms(self, n);
    record->offset = WEIR_NO_OFFSET;
    for (uint32_t i = 0; i < MEMBER_COUNT; i++) {
        members[i].symbol = self->symbols[i];
        members[i].key = generator_member_names[i];
        members[i].key_len = (uint32_t)strlen(generator_member_names[i]);
        members[i].value = i == 0   ? weir_int((int64_t)n)
                           : i == 1 ? weir_int(record->timestamp)
                                    : weir_float(random_of(self, n, i - 2));
    }
    record->value = weir_map_value(members, MEMBER_COUNT);
    return record;
}

static weir_entry *make_inputs(const struct generator *self, weir_context *ctx, uint32_t count)
{
    weir_entry *entries = weir_alloc(ctx, (count + 1ull) * sizeof *entries);
    for (uint32_t i = 0; entries != NULL && i < count; i++) {
        weir_record *record = make_input(self, ctx, self->made + i);
        if (record == NULL) {
            return NULL;
        }
        entries[i] = (weir_entry){ record, i, 0, 0 };
    }
    return entries;
}

/* Evaluates all columns, one after the other, for all records; NULL with the status set. */
static weir_value *evaluate(const struct generator *self, weir_context *ctx,
                            const weir_entry *entries, uint32_t count, weir_status *ret_status)
{
    uint64_t cells = (uint64_t)self->column_count * count;
    weir_value *columns = weir_alloc(ctx, (cells + 1) * sizeof *columns);
    *ret_status = columns == NULL ? WEIR_E_NOMEM : WEIR_OK;
    for (uint32_t i = 0; columns != NULL && i < self->column_count; i++) {
        const weir_expression *expression = self->config->value != NULL
                                                ? self->config->value
                                                : self->config->fields.items[i].value.expression;
        int64_t failed = self->expressions->evaluate(ctx, expression, entries, count,
                                                     columns + (uint64_t)i * count);
        if (failed < 0) {
            *ret_status = (weir_status)failed;
            return NULL;
        }
    }
    return columns;
}

/* What a dead letter holds of a record that could not be made: what it was to be made of. */
static weir_slice describe_input(struct generator *self, const weir_entry *entry)
{
    const char *why;
    self->input.size = 0;
    weir_status st = self->values->write_json(&entry->record->value, 0, 0, &self->input, &why);
    return st == WEIR_OK ? (weir_slice){ self->input.data, self->input.size }
                         : (weir_slice){ NULL, 0 };
}

/* column: the record's cell of the first. WEIR_E_DATA: the record has been rejected. */
static weir_status make_value(struct generator *self, weir_context *ctx, const weir_entry *entry,
                              const weir_value *column, uint32_t count, weir_value *value)
{
    struct edit_own own = { 0 };
    if (self->column_count > 0 && self->config->value == NULL) {
        *value = weir_map_value(NULL, 0);
    }
    for (uint32_t i = 0; i < self->column_count; i++, column += count) {
        struct edit_fault fault;
        if (column->tag == WEIR_TAG_ERROR) {
            weir_slice input = describe_input(self, entry);
            weir_reject_value(ctx, column, input.data, input.size);
            return WEIR_E_DATA;
        }
        if (self->config->value != NULL) {
            *value = *column;
            return WEIR_OK;
        }
        weir_status st = edit_set(ctx, &self->places[i], &own, value, column, &fault);
        if (st != WEIR_OK) {
            const weir_text *text = &self->places[i].target->text;
            if (st == WEIR_E_DATA) {
                weir_slice input = describe_input(self, entry);
                weir_reject_input(ctx, input.data, input.size, "cannot set '%.*s': %s",
                                  (int)text->size, text->data, fault.message);
            }
            return st;
        }
    }
    return WEIR_OK;
}

weir_status generator_emit(struct generator *self, weir_context *ctx, uint32_t count)
{
    weir_status st;
    weir_entry *entries = make_inputs(self, ctx, count);
    if (entries == NULL) {
        return WEIR_E_NOMEM;
    }
    const weir_value *columns = evaluate(self, ctx, entries, count, &st);
    for (uint32_t i = 0; st == WEIR_OK && i < count; i++) {
        weir_value value = entries[i].record->value;
        st = make_value(self, ctx, &entries[i], columns + i, count, &value);
        self->made++;
        if (st == WEIR_E_DATA) {
            st = WEIR_OK;
            continue;
        }
        weir_record *record =
            st == WEIR_OK ? weir_record_with(ctx, entries[i].record, value) : NULL;
        if (record == NULL) {
            return st == WEIR_OK ? WEIR_E_NOMEM : st;
        }
        self->given++;
        st = weir_produce(ctx, record);
    }
    return st;
}
