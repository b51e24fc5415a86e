/* SPDX-License-Identifier: MIT */
/*
 * CSV: the columns that the options name, as a line of their names and lines of their values.
 */
#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "file_sink.h"
#include "support/fault.h"
#include "support/kind.h"

static const weir_target *column(const struct sink *self, uint64_t i)
{
    return self->config->columns.items[i].target;
}

bool sink_csv_init(struct sink *self, const weir_host *host)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    uint64_t count = self->config->columns.count;
    self->slots = memory->alloc(host, (count + 1) * sizeof(uint32_t *));
    for (uint64_t i = 0; self->slots != NULL && i < count; i++) {
        self->slots[i] = memory->alloc(host, (column(self, i)->step_count + 1u) * sizeof(uint32_t));
        if (self->slots[i] == NULL) {
            return false;
        }
    }
    return self->slots != NULL;
}

/* ---- options ----------------------------------------------------------------------------------- */

static weir_status make_header(struct sink *self)
{
    char delimiter = self->config->delimiter.data[0];
    weir_status st = WEIR_OK;
    self->header.size = 0;
    for (uint64_t i = 0; st == WEIR_OK && i < self->config->columns.count; i++) {
        const weir_text *text = &column(self, i)->text;
        st = i == 0 ? WEIR_OK : weir_buffer_append(&self->header, &delimiter, 1);
        if (st == WEIR_OK) {
            st = csv_append(&self->header, text->data, (uint32_t)text->size, delimiter, false);
        }
    }
    return st == WEIR_OK ? weir_buffer_append(&self->header, "\n", 1) : st;
}

const char *sink_csv_options_fault(const struct config *config)
{
    bool is_csv = config->format == FORMAT_CSV;
    const char *fault = csv_options_fault(is_csv, config->content != CONTENT_VALUE,
                                          config->columns.count > 0, config->delimiter);
    if (fault == NULL && is_csv && config->columns.count == 0) {
        return "'format: csv' needs 'columns'; name the fields to write, such as 'columns: [id, "
               "name]'";
    }
    return fault;
}

weir_status sink_csv_open(struct sink *self)
{
    return self->config->format == FORMAT_CSV ? make_header(self) : WEIR_OK;
}

/* Reads up to `size` bytes from the start of a file; how many there were, or -1 with errno. */
static ssize_t read_head(const char *path, uint8_t *room, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t got = 0;
    size_t done = 0;
    if (fd < 0) {
        return -1;
    }
    do {
        got = pread(fd, room + done, size - done, (off_t)done);
        done += got > 0 ? (size_t)got : 0;
    } while ((got > 0 && done < size) || (got < 0 && errno == EINTR));
    int fault = errno;
    close(fd);
    errno = fault;
    return got < 0 ? -1 : (ssize_t)done;
}

weir_status sink_csv_compare(const struct sink *self, weir_context *ctx,
                             const struct file_fact *fact, bool *ret_is_same)
{
    char path[TREE_PATH_ROOM];
    *ret_is_same = true;
    if (self->header.size == 0) {
        return WEIR_OK;
    }
    uint8_t *head = weir_alloc(ctx, self->header.size);
    if (head == NULL) {
        return WEIR_E_NOMEM;
    }
    weir_status st = tree_find(ctx, path, &self->tree, &fact->file, TREE_PART);
    if (st != WEIR_OK) {
        return st;
    }
    ssize_t got = read_head(path, head, self->header.size);
    if (got < 0) {
        return fault_errno(ctx, "read", path);
    }
    *ret_is_same = (uint64_t)got == self->header.size &&
                   memcmp(head, self->header.data, self->header.size) == 0;
    return WEIR_OK;
}

/* ---- values ------------------------------------------------------------------------------------ */

/* NULL: there is nothing in this place. */
static const weir_value *find_place(const weir_value *v, const weir_target *target, uint32_t *slots)
{
    for (uint32_t i = 0; v != NULL && i < target->step_count; i++) {
        const weir_target_step *step = &target->steps[i];
        if (step->name != NULL && v->tag == WEIR_MAP) {
            const weir_member *member =
                weir_map_find(v, step->symbol, step->name, step->name_len, &slots[i]);
            v = member == NULL ? NULL : &member->value;
        } else if (step->name == NULL && v->tag == WEIR_LIST) {
            int64_t index = step->index < 0 ? step->index + (int64_t)v->len : step->index;
            v = index < 0 || index >= (int64_t)v->len ? NULL : &v->as.items[index];
        } else {
            v = NULL;
        }
    }
    return v;
}

/* What is no text as JSON writes it; a timestamp without the quotes. */
static weir_status write_other(struct sink *self, const weir_value *v, char delimiter,
                               const char **ret_fault)
{
    self->cell.size = 0;
    *ret_fault = "it has no form in JSON";
    weir_status st = self->values->write_json(v, 0, 0, &self->cell, ret_fault);
    if (st != WEIR_OK) {
        return st;
    }
    const char *text = (const char *)self->cell.data;
    uint32_t size = (uint32_t)self->cell.size;
    if (v->tag == WEIR_TIMESTAMP) {
        text++;
        size -= 2;
    }
    return csv_append(&self->line, text, size, delimiter, false);
}

static weir_status write_cell(struct sink *self, const weir_value *v, char delimiter,
                              const char **ret_fault)
{
    bool is_nothing =
        v == NULL || v->tag == WEIR_NULL || (v->tag == WEIR_FLOAT && !isfinite(v->as.f64));
    if (is_nothing) {
        return WEIR_OK;
    }
    if (v->tag == WEIR_TEXT) {
        return csv_append(&self->line, v->as.text, v->len, delimiter,
                          csv_kind(v->as.text, v->len) != CSV_TEXT);
    }
    return write_other(self, v, delimiter, ret_fault);
}

weir_status sink_csv_write(struct sink *self, const weir_value *value, char *fault_room,
                           size_t fault_size)
{
    char delimiter = self->config->delimiter.data[0];
    if (value->tag != WEIR_MAP) {
        snprintf(fault_room, fault_size, "it is %s, not a map", kind_name(value));
        return WEIR_E_DATA;
    }
    for (uint64_t i = 0; i < self->config->columns.count; i++) {
        const char *fault = "";
        const weir_target *target = column(self, i);
        weir_status st = i == 0 ? WEIR_OK : weir_buffer_append(&self->line, &delimiter, 1);
        if (st == WEIR_OK) {
            st = write_cell(self, find_place(value, target, self->slots[i]), delimiter, &fault);
        }
        if (st == WEIR_E_DATA) {
            snprintf(fault_room, fault_size, "column '%.*s': %s", (int)target->text.size,
                     target->text.data, fault);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
    /* An empty line would be none to a reader. */
    return self->line.size == 0 ? weir_buffer_append(&self->line, "\"\"", 2) : WEIR_OK;
}
