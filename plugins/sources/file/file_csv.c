/* SPDX-License-Identifier: MIT */
/*
 * CSV: the names of the columns, from the options or from the file's first record, and records of
 * fields. Names live as long as the source, since records of a poll that is under way point to them.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_source.h"
#include "support/code_point.h"
#include "support/fault.h"
#include "support/json_number.h"

enum { MAX_COLUMNS = 65536 };

static bool has_names(const struct source *self)
{
    return self->names_count > 0;
}

/* ---- options ----------------------------------------------------------------------------------- */

static bool has_equal_columns(const weir_option_list *columns)
{
    for (uint64_t i = 0; i < columns->count; i++) {
        const weir_text *a = &columns->items[i].text;
        for (uint64_t k = 0; k < i; k++) {
            const weir_text *b = &columns->items[k].text;
            if (weir_same_bytes(a->data, (uint32_t)a->size, b->data, (uint32_t)b->size)) {
                return true;
            }
        }
    }
    return false;
}

const char *source_csv_options_fault(const struct config *config)
{
    bool is_csv = config->format == FORMAT_CSV;
    const char *fault = csv_options_fault(is_csv, config->content != CONTENT_VALUE,
                                          config->columns.count > 0, config->delimiter);
    if (fault != NULL) {
        return fault;
    }
    if (!is_csv && config->types != TYPES_TEXT) {
        return "'types' is for CSV; add 'format: csv'";
    }
    return has_equal_columns(&config->columns) ? "two of the 'columns' have one name; rename one"
                                               : NULL;
}

void source_csv_forget_names(struct source *self)
{
    if (self->config->columns.count == 0) {
        self->names_count = 0;
    }
}

/* Rejects the record at a byte of it, which may stand in a later line. */
static weir_status reject(struct source *self, weir_context *ctx, const struct line *line,
                          size_t byte, const char *why)
{
    uint64_t number = line->number;
    size_t begin = 0;
    for (size_t i = 0; i < byte; i++) {
        if (line->text[i] == '\n') {
            number++;
            begin = i + 1;
        }
    }
    self->rejected++;
    weir_reject_input(ctx, line->text, line->size, "'%s' line %llu, byte %llu: %s",
                      self->config->path.data, (unsigned long long)number,
                      (unsigned long long)(byte - begin), why);
    return WEIR_E_DATA;
}

/* ---- names ------------------------------------------------------------------------------------- */

static int compare_names(const void *a, const void *b)
{
    const struct csv_field *first = *(const struct csv_field *const *)a;
    const struct csv_field *second = *(const struct csv_field *const *)b;
    uint32_t shorter = first->size < second->size ? first->size : second->size;
    int order = shorter == 0 ? 0 : memcmp(first->text, second->text, shorter);
    return order != 0 ? order : (first->size > second->size) - (first->size < second->size);
}

/* *ret: one of two that are equal, else NULL. There may be too many for comparing each with each. */
static weir_status find_equal(weir_context *ctx, const struct csv_field *fields, uint32_t count,
                              const struct csv_field **ret)
{
    const struct csv_field **sorted = weir_alloc(ctx, count * sizeof *sorted);
    if (sorted == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint32_t i = 0; i < count; i++) {
        sorted[i] = &fields[i];
    }
    qsort(sorted, count, sizeof *sorted, compare_names);
    *ret = NULL;
    for (uint32_t i = 1; i < count && *ret == NULL; i++) {
        *ret = compare_names(&sorted[i - 1], &sorted[i]) == 0 ? sorted[i] : NULL;
    }
    return WEIR_OK;
}

static weir_status fail_names(const struct source *self, weir_context *ctx, const char *why,
                              const char *name, uint32_t len)
{
    return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                      "give the names with 'columns', or correct the file",
                      "cannot take the names of the columns of '%s': %s%.*s%s",
                      self->config->path.data, why, (int)(len < 100 ? len : 100), name,
                      len > 0 ? "'" : "");
}

/* Are these the names that are known from before? Then their memory serves again. */
static bool are_same_names(const struct source *self, const struct csv_field *fields,
                           uint32_t count)
{
    bool are_same = count == self->names_kept;
    for (uint32_t i = 0; are_same && i < count; i++) {
        are_same = weir_same_bytes(self->names[i].text, self->names[i].len, fields[i].text,
                                   fields[i].size);
    }
    return are_same;
}

static weir_status set_names(struct source *self, weir_context *ctx, const struct csv_field *fields,
                             uint32_t count)
{
    const weir_memory_api *memory = ctx->host->get_extension(ctx->host, WEIR_MEMORY);
    const weir_symbols_api *symbols = ctx->host->get_extension(ctx->host, WEIR_SYMBOLS);
    if (are_same_names(self, fields, count)) {
        self->names_count = count;
        return WEIR_OK;
    }
    const struct csv_field *equal = NULL;
    weir_status st = find_equal(ctx, fields, count, &equal);
    if (st != WEIR_OK || equal != NULL) {
        return st != WEIR_OK
                   ? st
                   : fail_names(self, ctx, "two have the name '", equal->text, equal->size);
    }
    struct csv_name *names = memory->alloc(ctx->host, count * sizeof *names);
    for (uint32_t i = 0; names != NULL && i < count; i++) {
        char *copy = memory->alloc(ctx->host, fields[i].size + 1u);
        if (copy == NULL) {
            return WEIR_E_NOMEM;
        }
        memcpy(copy, fields[i].text, fields[i].size);
        names[i] = (struct csv_name){ copy, fields[i].size,
                                      symbols->lookup(ctx->host, copy, fields[i].size) };
    }
    if (names == NULL) {
        return WEIR_E_NOMEM;
    }
    self->names = names;
    self->names_count = count;
    self->names_kept = count;
    return WEIR_OK;
}

/* From the record that is the file's header. */
static weir_status take_header(struct source *self, weir_context *ctx, const struct line *line)
{
    struct csv_fault fault;
    uint32_t count = 0;
    char *copy = weir_alloc(ctx, line->size + 1);
    struct csv_field *fields = weir_alloc(ctx, MAX_COLUMNS * sizeof *fields);
    if (copy == NULL || fields == NULL) {
        return WEIR_E_NOMEM;
    }
    memcpy(copy, line->text, line->size);
    if (code_point_valid_prefix(copy, line->size) < line->size) {
        return fail_names(self, ctx, "the header is not UTF-8", "", 0);
    }
    if (!csv_split(copy, line->size, self->reader.delimiter, fields, MAX_COLUMNS, &count, &fault)) {
        return fail_names(self, ctx, fault.message, "", 0);
    }
    if (count > MAX_COLUMNS) {
        return fail_names(self, ctx, "there are more than 65536", "", 0);
    }
    return set_names(self, ctx, fields, count);
}

/* Names from the options. */
static weir_status take_columns(struct source *self, weir_context *ctx)
{
    const weir_option_list *columns = &self->config->columns;
    struct csv_field *fields = weir_alloc(ctx, columns->count * sizeof *fields);
    if (fields == NULL) {
        return WEIR_E_NOMEM;
    }
    for (uint64_t i = 0; i < columns->count; i++) {
        const weir_text *text = &columns->items[i].text;
        fields[i] = (struct csv_field){ text->data, (uint32_t)text->size, false };
    }
    return set_names(self, ctx, fields, (uint32_t)columns->count);
}

weir_status source_csv_open(struct source *self, weir_context *ctx)
{
    const struct config *config = self->config;
    if (config->format != FORMAT_CSV) {
        return WEIR_OK;
    }
    self->reader.delimiter = config->delimiter.data[0];
    return config->columns.count > 0 ? take_columns(self, ctx) : WEIR_OK;
}

weir_status source_csv_read_header(struct source *self, weir_context *ctx)
{
    struct line_reader reader;
    struct line line;
    if (self->config->format != FORMAT_CSV || has_names(self)) {
        return WEIR_OK;
    }
    line_reader_init(&reader, self->reader.max_line);
    line_reader_restart(&reader, self->fd);
    reader.delimiter = self->reader.delimiter;
    enum line_status status;
    do {
        status = line_reader_next(&reader, &line);
        if (status == LINE_NONE && line_reader_last(&reader, &line)) {
            status = LINE_READ;
        }
    } while (status == LINE_PAUSE ||
             (status == LINE_READ && line_is_blank(&line, reader.delimiter)));
    weir_status st = WEIR_OK;
    if (status == LINE_READ && reader.offset <= self->reader.offset) {
        st = take_header(self, ctx, &line);
    } else if (status == LINE_FAILED) {
        st = fault_errno(ctx, "read", self->config->path.data);
    } else if (status == LINE_NO_MEMORY) {
        st = WEIR_E_NOMEM;
    }
    line_reader_deinit(&reader);
    return st;
}

/* ---- records ----------------------------------------------------------------------------------- */

static weir_value value_of(const struct source *self, const struct csv_field *field)
{
    if (self->config->types == TYPES_INFER && !field->was_quoted) {
        switch (csv_kind(field->text, field->size)) {
        case CSV_NOTHING:
            return weir_null();
        case CSV_TRUE:
            return weir_bool(1);
        case CSV_FALSE:
            return weir_bool(0);
        case CSV_NUMBER:
            return json_number_read(field->text, field->size);
        case CSV_TEXT:
            break;
        }
    }
    return weir_text_value(field->text, field->size);
}

static weir_status split_record(struct source *self, weir_context *ctx, const struct line *line,
                                weir_value *ret_value)
{
    struct csv_fault fault;
    uint32_t count = 0;
    char why[128];
    char *copy = weir_alloc(ctx, line->size + 1);
    struct csv_field *fields = weir_alloc(ctx, self->names_count * sizeof *fields);
    weir_member *members = weir_alloc(ctx, self->names_count * sizeof *members);
    if (copy == NULL || fields == NULL || members == NULL) {
        return WEIR_E_NOMEM;
    }
    memcpy(copy, line->text, line->size);
    size_t valid = code_point_valid_prefix(copy, line->size);
    if (valid < line->size) {
        return reject(self, ctx, line, valid, "the record is not UTF-8");
    }
    if (!csv_split(copy, line->size, self->reader.delimiter, fields, self->names_count, &count,
                   &fault)) {
        return reject(self, ctx, line, fault.byte, fault.message);
    }
    if (count != self->names_count) {
        snprintf(why, sizeof why, "the record has %u field%s, there are %u columns", count,
                 count == 1 ? "" : "s", self->names_count);
        return reject(self, ctx, line, 0, why);
    }
    for (uint32_t i = 0; i < count; i++) {
        const struct csv_name *name = &self->names[i];
        members[i] =
            (weir_member){ name->symbol, name->len, name->text, value_of(self, &fields[i]) };
    }
    *ret_value = weir_map_value(members, count);
    return WEIR_OK;
}

weir_status source_csv_take(struct source *self, weir_context *ctx, const struct line *line,
                            weir_record *record)
{
    if (!has_names(self)) {
        weir_status st = take_header(self, ctx, line);
        return st == WEIR_OK ? WEIR_E_DATA : st;
    }
    return split_record(self, ctx, line, &record->value);
}
