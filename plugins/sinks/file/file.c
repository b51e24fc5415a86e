/* SPDX-License-Identifier: MIT */
/*
 * Sink `file`: JSON lines or CSV in a folder, a file after the other for each partition of the input.
 *
 * A file is appended to as `.part` over any number of checkpoints; the token of a checkpoint says how
 * much of it belongs to that checkpoint. When it is full, old enough, or the input ends, it is
 * finished: the next token names it as such, and after the commit it is published, which is a rename.
 * After a crash everything is cut back to the last token, so each record is there once.
 *
 * Where partitions move between processes, the writer before may be alive although it was taken for dead.
 * Then each instance writes to files of its own and goes on in a copy (file_copy, file_strays).
 */
#include <stdio.h>
#include <stdlib.h>
#include <sys/random.h>

#include <weir/plugin.h>

#include "file_sink.h"
#include "support/heap_buffer.h"

static weir_status validate(const void *config, weir_error_info *fault)
{
    fault->message = sink_csv_options_fault(config);
    return fault->message == NULL ? WEIR_OK : WEIR_E_INVALID;
}

static weir_status create(const weir_host *host, const void *config, void **ret_self)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    const weir_values_api *values = host->get_extension(host, WEIR_VALUES);
    const weir_clock_api *clock = host->get_extension(host, WEIR_CLOCK);
    if (memory == NULL || values == NULL || clock == NULL) {
        return WEIR_E_UNSUPPORTED;
    }
    struct sink *self = memory->alloc(host, sizeof *self);
    if (self == NULL) {
        return WEIR_E_NOMEM;
    }
    self->host = host;
    self->clock = clock;
    self->log = host->get_extension(host, WEIR_LOG);
    self->values = values;
    self->config = config;
    heap_buffer_init(&self->published, UINT32_MAX);
    heap_buffer_init(&self->flushed, UINT32_MAX);
    heap_buffer_init(&self->line, UINT32_MAX);
    heap_buffer_init(&self->header, UINT32_MAX);
    heap_buffer_init(&self->cell, UINT32_MAX);
    bool is_csv = self->config->format == FORMAT_CSV;
    self->tree = (struct tree){ self->config->path.data, is_csv ? ".csv" : ".jsonl" };
    if (!sink_csv_init(self, host)) {
        return WEIR_E_NOMEM;
    }
    *ret_self = self;
    return WEIR_OK;
}

static void destroy(void *data)
{
    struct sink *self = data;
    for (uint32_t i = 0; i < self->parts.count; i++) {
        part_destroy(self->parts.list[i]);
    }
    free(self->parts.list);
    free(self->finished.list);
    free(self->strays.list);
    heap_buffer_deinit(&self->published);
    heap_buffer_deinit(&self->flushed);
    heap_buffer_deinit(&self->line);
    heap_buffer_deinit(&self->header);
    heap_buffer_deinit(&self->cell);
}

/* ---- checkpoints ------------------------------------------------------------------------------- */

static weir_status check_deadline(const struct sink *self, weir_context *ctx, int64_t deadline_ns)
{
    if (deadline_ns <= 0 || self->clock->monotonic_ns(self->host) < deadline_ns) {
        return WEIR_OK;
    }
    char message[TREE_PATH_ROOM +
                 64]; /* what is durable already stays so: the next call does the rest */
    snprintf(message, sizeof message, "could not make the files in '%s' durable in time",
             root_of(self));
    weir_fail_for_now(ctx, -1, WEIR_E_TIMEOUT, WEIR_CLASS_RESOURCE, 0, message,
                      "the disk is slow or full");
    return WEIR_E_TIMEOUT;
}

static weir_status settle(struct sink *self, weir_context *ctx, struct file_part *part,
                          bool is_final, int64_t now_ms)
{
    if (!part->is_open) {
        return WEIR_OK;
    }
    return is_final || sink_is_full(self, part, now_ms) ? sink_finish(self, ctx, part)
                                                        : part_sync(part, ctx, &self->tree);
}

static weir_status write_token(const struct sink *self, weir_buffer *out)
{
    weir_status st = file_token_begin(out, self->home);
    for (uint32_t i = 0; st == WEIR_OK && i < self->finished.count; i++) {
        st = file_token_add(out, &self->finished.list[i]);
    }
    for (uint32_t i = 0; st == WEIR_OK && i < self->parts.count; i++) {
        const struct file_part *part = self->parts.list[i];
        st = part->is_open ? file_token_add(out, &part->fact) : WEIR_OK;
    }
    return st;
}

/* Strays need a publish, which only a token brings. */
static bool has_files(const struct sink *self)
{
    bool has_open = false;
    for (uint32_t i = 0; i < self->parts.count; i++) {
        has_open |= self->parts.list[i]->is_open;
    }
    return has_open || self->finished.count > 0 || self->strays.count > 0;
}

/* token: what stands in the buffer behind `start`. */
static weir_status keep_flushed(struct sink *self, const weir_buffer *buffer, uint64_t start)
{
    uint64_t size = buffer->size - start;
    weir_status st = weir_buffer_reserve(&self->flushed, size);
    if (st != WEIR_OK) {
        return st; /* the one before is still the last */
    }
    self->flushed.size = 0;
    return weir_buffer_append(&self->flushed, buffer->data + start, size);
}

static weir_status flush(void *data, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                         weir_buffer *ret_token)
{
    struct sink *self = data;
    int64_t now_ms = self->clock->now_ms(self->host);
    bool is_final = (flags & WEIR_FLUSH_FINAL) != 0;
    for (uint32_t i = 0; i < self->parts.count; i++) {
        weir_status st = check_deadline(self, ctx, deadline_ns);
        if (st == WEIR_OK) {
            st = settle(self, ctx, self->parts.list[i], is_final, now_ms);
        }
        if (st != WEIR_OK) {
            return st;
        }
    }
    weir_status st = sink_find_strays(self, ctx, is_final);
    uint64_t size = ret_token->size;
    if (st == WEIR_OK && has_files(self)) {
        st = write_token(self, ret_token);
    }
    return st == WEIR_OK && self->generation != 0 ? keep_flushed(self, ret_token, size) : st;
}

/* A file that is old enough ends with the next flush. */
static weir_status tick(void *data, weir_context *ctx, int64_t now_ms, int64_t *ret_next_ms)
{
    const struct sink *self = data;
    (void)ctx;
    for (uint32_t i = 0; i < self->parts.count; i++) {
        const struct file_part *part = self->parts.list[i];
        if (!part->is_open) {
            continue;
        }
        int64_t left_ms = self->config->roll_age_ms - (now_ms - part->fact.first_ms);
        if (left_ms <= 0) {
            return WEIR_AGAIN;
        }
        if (left_ms < *ret_next_ms - now_ms) {
            *ret_next_ms = now_ms + left_ms;
        }
    }
    return WEIR_OK;
}

static weir_status assign(void *data, const weir_origin *origin)
{
    struct sink *self = data;
    self->assigned = origin;
    while (self->generation == 0) {
        if (getrandom(&self->generation, sizeof self->generation, 0) !=
            (ssize_t)sizeof self->generation) {
            return WEIR_E_IO;
        }
    }
    return WEIR_OK;
}

static weir_status close_sink(void *data, weir_context *ctx)
{
    struct sink *self = data;
    (void)ctx;
    if (self->generation != 0) {
        sink_abandon(self);
    }
    for (uint32_t i = 0; i < self->parts.count; i++) {
        part_forget(self->parts.list[i]);
    }
    return WEIR_OK;
}

static weir_status locate(void *data, weir_buffer *out)
{
    const struct sink *self = data;
    return weir_buffer_append(out, self->config->path.data, self->config->path.size);
}

/* ---- the table --------------------------------------------------------------------------------- */

static const char *const content_names[] = { "value", "record", NULL };

static const weir_option column_element = {
    .name = "column",
    .type = WEIR_OPTION_TARGET,
    .summary = "A field",
};

static const weir_option options[] = {
    { .name = "path",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH,
      .offset = offsetof(struct config, path),
      .summary = "The folder to write to",
      .doc = "It is made if need be. The files are "
             "`PATH/<topic>/<partition>/<first offset>.jsonl`, or `.csv`, after the input record "
             "that they begin with; while they are written to, `.part` stands behind the name. Two "
             "ends must "
             "not share a folder." },
    { .name = "format",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, format),
      .default_text = "jsonl",
      .enum_names = csv_format_names,
      .summary = "What the files hold",
      .doc = "`jsonl`: JSON, a value a line, or what `content` says. `csv`: a record a line with "
             "the fields that `columns` names; each file begins with their names." },
    { .name = "columns",
      .type = WEIR_OPTION_LIST,
      .offset = offsetof(struct config, columns),
      .element = &column_element,
      .summary = "CSV: the fields to write, in this order; required there",
      .doc = "Such as `[id, position.lat]`. A field that is missing or null, or a float that is no "
             "number, gives an empty cell; a text that is empty or looks like a number or bool is "
             "put in quotes, so that the source `file` with `types: infer` reads the same kinds "
             "back; lists and maps are written as JSON. A value that is no map is an error of the "
             "record." },
    CSV_DELIMITER_OPTION(offsetof(struct config, delimiter)),
    { .name = "content",
      .type = WEIR_OPTION_ENUM,
      .offset = offsetof(struct config, content),
      .default_text = "value",
      .enum_names = content_names,
      .summary = "What a line holds",
      .doc =
          "`value`: the record's value as JSON. `record`: the whole record as a JSON object with "
          "topic, partition, offset, timestamp, key, value and headers, which the source `file` "
          "reads back with the same option." },
    { .name = "roll_size",
      .type = WEIR_OPTION_SIZE,
      .offset = offsetof(struct config, roll_size),
      .default_text = "128MiB",
      .min = 1,
      .max = INT64_MAX,
      .summary = "A file ends when it has so many bytes",
      .doc = "What has come of one input record is never parted, so a file may be a little "
             "larger." },
    { .name = "roll_age",
      .type = WEIR_OPTION_DURATION,
      .offset = offsetof(struct config, roll_age_ms),
      .default_text = "10m",
      .min = 1,
      .max = INT64_MAX,
      .summary = "A file ends so long after its first record",
      .doc = "By the clock: a file ends although nothing comes any more." },
    WEIR_OPTIONS_END
};

static const weir_sink_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .destroy = destroy,
    .open = sink_open,
    .write = sink_write,
    .flush = flush,
    .publish = sink_publish,
    .discard = sink_discard,
    .reset = sink_reset,
    .close = close_sink,
    .locate = locate,
    .tick = tick,
    .assign = assign,
};

static const weir_factory file_factory = {
    .struct_size = sizeof file_factory,
    .flags = WEIR_SINK_TRANSACTIONAL,
    .kind = WEIR_KIND_SINK,
    .name = "file",
    .summary = "Writes JSON lines or CSV to files in a folder",
    .doc =
        "```yaml\nto: {file: out}\n```\n\n"
        "Each record is in exactly one file, exactly once, whatever crashes: a file takes its "
        "name only when the checkpoint that covers it is stored, and what was written after the "
        "last checkpoint is cut off at the next start. A file ends by size or age, when the "
        "input ends, and at a clean stop; never at a checkpoint as such. A file that is there "
        "already and that no checkpoint knows is an error, and never overwritten. Whoever reads "
        "the "
        "files may take them away as soon as they have their name.\n\n"
        "On Kafka a partition that moves takes its unfinished file along, so all replicas must see "
        "the same folder under the same path. There a file that is written to has the number of "
        "its "
        "writer before `.part`, as in `0000000000000000042.jsonl.93d1f0a27be4c586.part`; a replica "
        "that takes over after a crash goes on in a copy, for which there must be room.\n\n"
        "A full disk, a used-up quota, too many open files and faults of the device are waited "
        "for: what could not be written is tried again for 2 minutes, the log tells it, and "
        "nothing is lost or written twice. Other faults end the run, and so does a disk that "
        "refuses only to make durable what it has taken (`fsync`).",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
    .validate = validate,
};

static const weir_factory *const factories[] = { &file_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.sink.file", .name = "file", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL,
            .summary = "Writes JSON lines or CSV to files in a folder", .factories = factories);
