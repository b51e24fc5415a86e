/* SPDX-License-Identifier: MIT */
/*
 * Records into parts: which file a record belongs to, when a file ends, how many are open at once.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file_sink.h"
#include "support/fault.h"
#include "support/message_line.h"

enum { DESCRIPTORS = 256 }; /* that are open at once */

/* ---- parts and facts --------------------------------------------------------------------------- */

void *sink_grow_list(void *list, uint32_t count, uint32_t *capacity, size_t size)
{
    if (count < *capacity) {
        return list;
    }
    uint32_t wanted = *capacity == 0 ? 16 : *capacity * 2;
    void *grown = realloc(list, wanted * size);
    if (grown != NULL) {
        *capacity = wanted;
    }
    return grown;
}

struct file_part *sink_find_part(const struct sink *self, const char *topic, uint32_t topic_len,
                                 int32_t partition)
{
    for (uint32_t i = 0; i < self->parts.count; i++) {
        const struct tree_file *file = &self->parts.list[i]->fact.file;
        if (file->partition == partition &&
            weir_same_bytes(file->topic, file->topic_len, topic, topic_len)) {
            return self->parts.list[i];
        }
    }
    return NULL;
}

weir_status sink_get_part(struct sink *self, weir_context *ctx, const char *topic,
                          uint32_t topic_len, int32_t partition, struct file_part **ret_part)
{
    *ret_part = sink_find_part(self, topic, topic_len, partition);
    if (*ret_part != NULL) {
        return WEIR_OK;
    }
    if (!tree_is_topic(topic, topic_len) || partition < 0) {
        return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "rename the topic",
                          "cannot make a folder for partition %d of topic '%.*s'", (int)partition,
                          (int)topic_len, topic);
    }
    struct parts *parts = &self->parts;
    struct file_part **list =
        sink_grow_list(parts->list, parts->count, &parts->capacity, sizeof(struct file_part *));
    if (list == NULL) {
        return WEIR_E_NOMEM;
    }
    parts->list = list;
    struct file_part *part = part_create(topic, topic_len, partition, self->generation);
    if (part == NULL) {
        return WEIR_E_NOMEM;
    }
    parts->list[parts->count++] = part;
    *ret_part = part;
    return WEIR_OK;
}

weir_status sink_add_finished(struct sink *self, const struct file_fact *fact)
{
    struct facts *facts = &self->finished;
    struct file_fact *list =
        sink_grow_list(facts->list, facts->count, &facts->capacity, sizeof(struct file_fact));
    if (list == NULL) {
        return WEIR_E_NOMEM;
    }
    facts->list = list;
    facts->list[facts->count] = *fact;
    facts->list[facts->count].state = FILE_FINISHED;
    facts->count++;
    return WEIR_OK;
}

/* ---- descriptors ------------------------------------------------------------------------------- */

/*
 * Before a part is written to. Where it needs a descriptor and too many are open, the one that has
 * not been used for the longest time is given back.
 */
static weir_status reserve_descriptor(struct sink *self, weir_context *ctx, struct file_part *part)
{
    struct file_part *oldest = NULL;
    uint32_t open_count = 0;
    part->last_use = ++self->uses;
    if (part->fd >= 0) {
        return WEIR_OK;
    }
    for (uint32_t i = 0; i < self->parts.count; i++) {
        struct file_part *other = self->parts.list[i];
        if (other->fd >= 0) {
            open_count++;
            oldest = oldest == NULL || other->last_use < oldest->last_use ? other : oldest;
        }
    }
    return open_count < DESCRIPTORS ? WEIR_OK : part_release(oldest, ctx, &self->tree);
}

/* ---- writing ----------------------------------------------------------------------------------- */

bool sink_is_full(const struct sink *self, const struct file_part *part, int64_t now_ms)
{
    return part->fact.length >= (uint64_t)self->config->roll_size ||
           now_ms - part->fact.first_ms >= self->config->roll_age_ms;
}

weir_status sink_finish(struct sink *self, weir_context *ctx, struct file_part *part)
{
    weir_status st = sink_own(self, ctx, part);
    if (st == WEIR_OK) {
        st = part_release(part, ctx, &self->tree);
    }
    if (st == WEIR_OK) {
        st = sink_add_finished(self, &part->fact);
    }
    if (st == WEIR_OK) {
        part_forget(part);
    }
    return st;
}

static weir_status write_json(struct sink *self, const weir_value *value,
                              struct message_fault *fault)
{
    const char *why = "it has no form in JSON";
    weir_status st = self->values->write_json(value, 0, 0, &self->line, &why);
    snprintf(fault->message, sizeof fault->message, "%s", why);
    return st;
}

/* The record as a line in self->line. WEIR_E_DATA: the record under the cursor has failed. */
static weir_status encode(struct sink *self, weir_context *ctx, const weir_record *record,
                          const weir_origin *origin)
{
    struct message_fault fault;
    bool is_csv = self->config->format == FORMAT_CSV;
    bool is_record = self->config->content == CONTENT_RECORD;
    weir_status st;
    self->line.size = 0;
    if (is_csv) {
        st = sink_csv_write(self, &record->value, fault.message, sizeof fault.message);
    } else if (is_record) {
        st = message_line_write(self->values, record, origin, &self->line, &fault);
    } else {
        st = write_json(self, &record->value, &fault);
    }
    if (st == WEIR_E_DATA) {
        weir_fail(ctx, "cannot write the %s as %s: %s", is_record ? "record" : "value",
                  is_csv ? "CSV" : "JSON", fault.message);
    }
    return st == WEIR_OK ? weir_buffer_append(&self->line, "\n", 1) : st;
}

/* Begins a file, CSV with its header. */
static weir_status begin(struct sink *self, weir_context *ctx, struct file_part *part,
                         int64_t offset, int64_t now_ms)
{
    weir_status st = part_start(part, ctx, &self->tree, offset, now_ms);
    if (st == WEIR_OK && self->header.size > 0) {
        weir_slice header = { self->header.data, self->header.size };
        st = part_append(part, ctx, &self->tree, header);
    }
    return st;
}

/*
 * A file ends only where the offset goes on: what comes of one input record stays together, and the
 * next file gets a name of its own.
 */
static weir_status write_record(struct sink *self, weir_context *ctx, struct file_part *part,
                                int64_t offset, int64_t now_ms)
{
    weir_status st = WEIR_OK;
    if (part->is_open && offset > part->fact.last_offset && sink_is_full(self, part, now_ms)) {
        st = sink_finish(self, ctx, part);
    }
    if (st == WEIR_OK) {
        st = reserve_descriptor(self, ctx, part);
    }
    if (st == WEIR_OK) {
        st = part->is_open ? sink_own(self, ctx, part) : begin(self, ctx, part, offset, now_ms);
    }
    if (st == WEIR_OK) {
        weir_slice bytes = { self->line.data, self->line.size };
        st = part_append(part, ctx, &self->tree, bytes);
    }
    if (st == WEIR_OK && offset > part->fact.last_offset) {
        part->fact.last_offset = offset;
    }
    return st;
}

/* WEIR_E_DATA: the record has failed, the call goes on. */
static weir_status write_entry(struct sink *self, weir_context *ctx, const weir_entry *entry,
                               const weir_origin *origin, struct file_part **part, int64_t now_ms)
{
    const weir_record *record = entry->record;
    if (record->offset < 0) {
        weir_fail(ctx, "the record has no offset to name a file by");
        return WEIR_E_DATA;
    }
    weir_status st = encode(self, ctx, record, origin);
    if (st == WEIR_OK && *part == NULL) {
        st = sink_get_part(self, ctx, origin->topic, origin->topic_len, origin->partition, part);
    }
    return st == WEIR_OK ? write_record(self, ctx, *part, record->offset, now_ms) : st;
}

/*
 * What is in its part stays there, so it is told to be delivered where the call fails: only the record that
 * could not be written and those behind it come again. `first`: of those that were not told yet.
 */
weir_status sink_write(void *data, weir_context *ctx, const weir_batch *in)
{
    struct sink *self = data;
    int64_t now_ms = self->clock->now_ms(self->host);
    struct file_part **by_origin = weir_alloc(ctx, in->origin_count * sizeof(struct file_part *));
    if (by_origin == NULL) {
        return WEIR_E_NOMEM;
    }
    memset(by_origin, 0, in->origin_count * sizeof(struct file_part *));
    uint32_t first = 0;
    WEIR_EACH(ctx, in, entry) {
        uint32_t at = (uint32_t)(entry - in->entries);
        weir_status st = write_entry(self, ctx, entry, &in->origins[entry->origin],
                                     &by_origin[entry->origin], now_ms);
        if (st != WEIR_OK) {
            weir_delivered(ctx, first, at - first);
            first = at + 1;
        }
        if (st != WEIR_OK && st != WEIR_E_DATA) {
            return st;
        }
    }
    return WEIR_OK;
}
