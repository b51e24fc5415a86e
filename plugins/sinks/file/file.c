/* SPDX-License-Identifier: MIT */
/*
 * Sink `file`: JSON lines in a folder, a file after the other for each partition of the input.
 *
 * A file is appended to as `.part` over any number of checkpoints; the token of a checkpoint says how
 * much of it belongs to that checkpoint. When it is full, old enough, or the input ends, it is
 * finished: the next token names it as such, and after the commit it is published, which is a rename.
 * After a crash everything is cut back to the last token, so each record is there once.
 */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <weir/plugin.h>
#include <weir/sink.h>

#include "file_part.h"
#include "support/fault.h"
#include "support/heap_buffer.h"
#include "support/message_line.h"

enum { CONTENT_VALUE, CONTENT_RECORD };
enum { DESCRIPTORS = 256 }; /* that are open at once */

struct config {
    weir_text path;
    int64_t content;
    int64_t roll_size;
    int64_t roll_age_ms;
};

/* A growing array: parts, by address since their names are borrowed, or facts. */
struct parts {
    struct file_part **list;
    uint32_t count;
    uint32_t capacity;
};

struct facts {
    struct file_fact *list;
    uint32_t count;
    uint32_t capacity;
};

/*
 * parts      one per partition that was ever met
 * finished   files that wait to be published; their topics are the parts' memory
 * published  the last token that was published, or that the sink was opened with
 * line       the record that is being written
 */
struct sink {
    const weir_host *host;
    const weir_clock_api *clock;
    const weir_values_api *values;
    const struct config *config;
    struct parts parts;
    struct facts finished;
    weir_buffer published;
    weir_buffer line;
    uint64_t uses;
};

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
    self->values = values;
    self->config = config;
    heap_buffer_init(&self->published, UINT32_MAX);
    heap_buffer_init(&self->line, UINT32_MAX);
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
    heap_buffer_deinit(&self->published);
    heap_buffer_deinit(&self->line);
}

/* ---- parts and facts --------------------------------------------------------------------------- */

/* Room for one more element; NULL: no memory. */
static void *grow_list(void *list, uint32_t count, uint32_t *capacity, size_t size)
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

static struct file_part *find_part(const struct sink *self, const char *topic, uint32_t topic_len,
                                   int32_t partition)
{
    for (uint32_t i = 0; i < self->parts.count; i++) {
        const struct file_fact *fact = &self->parts.list[i]->fact;
        if (fact->partition == partition &&
            weir_same_bytes(fact->topic, fact->topic_len, topic, topic_len)) {
            return self->parts.list[i];
        }
    }
    return NULL;
}

/* The part of a partition, made if need be. */
static weir_status get_part(struct sink *self, weir_context *ctx, const char *topic,
                            uint32_t topic_len, int32_t partition, struct file_part **ret_part)
{
    *ret_part = find_part(self, topic, topic_len, partition);
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
        grow_list(parts->list, parts->count, &parts->capacity, sizeof(struct file_part *));
    if (list == NULL) {
        return WEIR_E_NOMEM;
    }
    parts->list = list;
    struct file_part *part = part_create(topic, topic_len, partition);
    if (part == NULL) {
        return WEIR_E_NOMEM;
    }
    parts->list[parts->count++] = part;
    *ret_part = part;
    return WEIR_OK;
}

static weir_status add_finished(struct sink *self, const struct file_fact *fact)
{
    struct facts *facts = &self->finished;
    struct file_fact *list =
        grow_list(facts->list, facts->count, &facts->capacity, sizeof(struct file_fact));
    if (list == NULL) {
        return WEIR_E_NOMEM;
    }
    facts->list = list;
    facts->list[facts->count] = *fact;
    facts->list[facts->count].state = FILE_FINISHED;
    facts->count++;
    return WEIR_OK;
}

static bool is_same_file(const struct file_fact *a, const struct file_fact *b)
{
    return a->partition == b->partition && a->first_offset == b->first_offset &&
           weir_same_bytes(a->topic, a->topic_len, b->topic, b->topic_len);
}

static const char *root_of(const struct sink *self)
{
    return self->config->path.data;
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
    return open_count < DESCRIPTORS ? WEIR_OK : part_release(oldest, ctx, root_of(self));
}

/* ---- writing ----------------------------------------------------------------------------------- */

static bool is_full(const struct sink *self, const struct file_part *part, int64_t now_ms)
{
    return part->fact.length >= (uint64_t)self->config->roll_size ||
           now_ms - part->fact.first_ms >= self->config->roll_age_ms;
}

static weir_status finish(struct sink *self, weir_context *ctx, struct file_part *part)
{
    weir_status st = part_release(part, ctx, root_of(self));
    if (st == WEIR_OK) {
        st = add_finished(self, &part->fact);
    }
    if (st == WEIR_OK) {
        part_forget(part);
    }
    return st;
}

/* The record as a line in self->line. WEIR_E_DATA: the record under the cursor has failed. */
static weir_status encode(struct sink *self, weir_context *ctx, const weir_record *record,
                          const weir_origin *origin)
{
    const char *why = "it has no form in JSON";
    struct message_fault fault;
    weir_status st;
    self->line.size = 0;
    if (self->config->content == CONTENT_RECORD) {
        st = message_line_write(self->values, record, origin, &self->line, &fault);
        why = fault.message;
    } else {
        st = self->values->write_json(&record->value, 0, 0, &self->line, &why);
    }
    if (st == WEIR_E_DATA) {
        weir_fail(ctx, "cannot write the %s as JSON: %s",
                  self->config->content == CONTENT_RECORD ? "record" : "value", why);
    }
    return st == WEIR_OK ? weir_buffer_append(&self->line, "\n", 1) : st;
}

/*
 * A file ends only where the offset goes on: what comes of one input record stays together, and the
 * next file gets a name of its own.
 */
static weir_status write_record(struct sink *self, weir_context *ctx, struct file_part *part,
                                int64_t offset, int64_t now_ms)
{
    weir_status st = WEIR_OK;
    if (part->is_open && offset > part->fact.last_offset && is_full(self, part, now_ms)) {
        st = finish(self, ctx, part);
    }
    if (st == WEIR_OK) {
        st = reserve_descriptor(self, ctx, part);
    }
    if (st == WEIR_OK && !part->is_open) {
        st = part_start(part, ctx, root_of(self), offset, now_ms);
    }
    if (st == WEIR_OK) {
        weir_slice bytes = { self->line.data, self->line.size };
        st = part_append(part, ctx, root_of(self), bytes);
    }
    if (st == WEIR_OK && offset > part->fact.last_offset) {
        part->fact.last_offset = offset;
    }
    return st;
}

static weir_status write_entry(struct sink *self, weir_context *ctx, const weir_entry *entry,
                               const weir_origin *origin, struct file_part **part, int64_t now_ms)
{
    const weir_record *record = entry->record;
    if (record->offset < 0) {
        weir_fail(ctx, "the record has no offset to name a file by");
        return WEIR_OK;
    }
    weir_status st = encode(self, ctx, record, origin);
    if (st != WEIR_OK) {
        return st == WEIR_E_DATA ? WEIR_OK : st;
    }
    if (*part == NULL) {
        st = get_part(self, ctx, origin->topic, origin->topic_len, origin->partition, part);
    }
    return st == WEIR_OK ? write_record(self, ctx, *part, record->offset, now_ms) : st;
}

static weir_status write_batch(void *data, weir_context *ctx, const weir_batch *in)
{
    struct sink *self = data;
    int64_t now_ms = self->clock->now_ms(self->host);
    struct file_part **by_origin = weir_alloc(ctx, in->origin_count * sizeof(struct file_part *));
    if (by_origin == NULL) {
        return WEIR_E_NOMEM;
    }
    memset(by_origin, 0, in->origin_count * sizeof(struct file_part *));
    WEIR_EACH(ctx, in, entry) {
        weir_status st = write_entry(self, ctx, entry, &in->origins[entry->origin],
                                     &by_origin[entry->origin], now_ms);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return WEIR_OK;
}

/* ---- checkpoints ------------------------------------------------------------------------------- */

static weir_status check_deadline(const struct sink *self, weir_context *ctx, int64_t deadline_ns)
{
    if (deadline_ns <= 0 || self->clock->monotonic_ns(self->host) < deadline_ns) {
        return WEIR_OK;
    }
    return fault_call(ctx, WEIR_E_TIMEOUT, WEIR_CLASS_RESOURCE, "the disk is slow or full",
                      "could not make the files in '%s' durable in time", root_of(self));
}

static weir_status settle(struct sink *self, weir_context *ctx, struct file_part *part,
                          bool is_final, int64_t now_ms)
{
    if (!part->is_open) {
        return WEIR_OK;
    }
    return is_final || is_full(self, part, now_ms) ? finish(self, ctx, part)
                                                   : part_sync(part, ctx, root_of(self));
}

static weir_status write_token(const struct sink *self, weir_buffer *out)
{
    weir_status st = file_token_begin(out);
    for (uint32_t i = 0; st == WEIR_OK && i < self->finished.count; i++) {
        st = file_token_add(out, &self->finished.list[i]);
    }
    for (uint32_t i = 0; st == WEIR_OK && i < self->parts.count; i++) {
        const struct file_part *part = self->parts.list[i];
        st = part->is_open ? file_token_add(out, &part->fact) : WEIR_OK;
    }
    return st;
}

static bool has_files(const struct sink *self)
{
    bool has_open = false;
    for (uint32_t i = 0; i < self->parts.count; i++) {
        has_open |= self->parts.list[i]->is_open;
    }
    return has_open || self->finished.count > 0;
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
    return has_files(self) ? write_token(self, ret_token) : WEIR_OK;
}

/* ---- publishing -------------------------------------------------------------------------------- */

static weir_status check_published(weir_context *ctx, const char *path,
                                   const struct file_fact *fact)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return fault_call(ctx, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
                          "restore it from a copy, or start with --fresh",
                          "file '%s' is gone, with and without .part, before it could be published",
                          path);
    }
    if ((uint64_t)info.st_size == fact->length) {
        return WEIR_OK;
    }
    return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "move it away or start with --fresh",
                      "file '%s' has %lld bytes, but the checkpoint knows %llu", path,
                      (long long)info.st_size, (unsigned long long)fact->length);
}

static weir_status publish_part(weir_context *ctx, const char *part, const char *path,
                                const struct stat *info, const struct file_fact *fact)
{
    if ((uint64_t)info->st_size != fact->length) {
        return fault_call(ctx, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                          "restore it from a copy, or start with --fresh",
                          "file '%s' has %lld bytes, but the checkpoint knows %llu; it is left as "
                          "it is",
                          part, (long long)info->st_size, (unsigned long long)fact->length);
    }
    if (tree_rename(part, path) == 0) {
        return WEIR_OK;
    }
    if (errno != EEXIST) {
        return fault_errno(ctx, "publish", part);
    }
    return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "move one of them away",
                      "cannot publish '%s': the name without .part is taken", part);
}

/* Done already is done. */
static weir_status publish_file(const struct sink *self, weir_context *ctx,
                                const struct file_fact *fact)
{
    char part[TREE_PATH_ROOM];
    char path[TREE_PATH_ROOM];
    struct stat info;
    if (!tree_path(part, root_of(self), fact->topic, fact->topic_len, fact->partition,
                   fact->first_offset, true) ||
        !tree_path(path, root_of(self), fact->topic, fact->topic_len, fact->partition,
                   fact->first_offset, false)) {
        errno = ENAMETOOLONG;
        return fault_errno(ctx, "use a path below", root_of(self));
    }
    weir_status st;
    if (stat(part, &info) == 0) {
        st = publish_part(ctx, part, path, &info, fact);
    } else {
        st = errno == ENOENT ? check_published(ctx, path, fact) : fault_errno(ctx, "look at", part);
    }
    if (st == WEIR_OK &&
        tree_path(path, root_of(self), fact->topic, fact->topic_len, fact->partition, -1, false)) {
        st = tree_sync_folder(ctx, path);
    }
    return st;
}

static void remove_finished(struct sink *self, const struct file_fact *fact)
{
    struct facts *facts = &self->finished;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < facts->count; i++) {
        if (!is_same_file(&facts->list[i], fact)) {
            facts->list[kept++] = facts->list[i];
        }
    }
    facts->count = kept;
}

static weir_status fail_token(const struct sink *self, weir_context *ctx)
{
    return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                      "start with --fresh, or with the version of weir that stored it",
                      "cannot read what the checkpoint knows of the files in '%s'", root_of(self));
}

static weir_status keep_token(struct sink *self, weir_slice token)
{
    if (token.data == self->published.data) {
        return WEIR_OK;
    }
    self->published.size = 0;
    return weir_buffer_append(&self->published, token.data, token.size);
}

static weir_status publish(void *data, weir_context *ctx, weir_slice token)
{
    struct sink *self = data;
    struct file_token_reader reader;
    struct file_fact fact;
    weir_status st = WEIR_OK;
    file_token_open(&reader, token);
    while (st == WEIR_OK && file_token_next(&reader, &fact)) {
        if (fact.state == FILE_FINISHED) {
            st = publish_file(self, ctx, &fact);
            if (st == WEIR_OK) {
                remove_finished(self, &fact);
            }
        }
    }
    if (st == WEIR_OK && reader.is_bad) {
        return fail_token(self, ctx);
    }
    return st == WEIR_OK ? keep_token(self, token) : st;
}

/* ---- taking up --------------------------------------------------------------------------------- */

/* A part of the folder that no token knows. */
static bool is_stray(const void *data, const struct tree_file *file)
{
    const struct sink *self = data;
    const struct file_fact wanted = { .topic = file->topic,
                                      .topic_len = file->topic_len,
                                      .partition = file->partition,
                                      .first_offset = file->first_offset };
    if (!file->is_part) {
        return false;
    }
    for (uint32_t i = 0; i < self->finished.count; i++) {
        if (is_same_file(&self->finished.list[i], &wanted)) {
            return false;
        }
    }
    const struct file_part *part = find_part(self, file->topic, file->topic_len, file->partition);
    return part == NULL || !part->is_open || part->fact.first_offset != file->first_offset;
}

static weir_status take_up_file(struct sink *self, weir_context *ctx, const struct file_fact *fact)
{
    struct file_part *part;
    weir_status st = get_part(self, ctx, fact->topic, fact->topic_len, fact->partition, &part);
    if (st != WEIR_OK) {
        return st;
    }
    if (fact->state == FILE_OPEN) {
        return part_resume(part, ctx, root_of(self), fact);
    }
    struct file_fact finished = *fact;
    finished.topic = part->fact.topic;
    return add_finished(self, &finished);
}

/* What the token says becomes true again, in memory and in the folder. */
static weir_status take_up(struct sink *self, weir_context *ctx, weir_slice token)
{
    struct file_token_reader reader;
    struct file_fact fact;
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; i < self->parts.count; i++) {
        part_forget(self->parts.list[i]);
    }
    self->finished.count = 0;
    file_token_open(&reader, token);
    while (st == WEIR_OK && file_token_next(&reader, &fact)) {
        st = take_up_file(self, ctx, &fact);
    }
    if (st == WEIR_OK && reader.is_bad) {
        st = fail_token(self, ctx);
    }
    if (st == WEIR_OK) {
        st = tree_remove(ctx, root_of(self), is_stray, self);
    }
    return st == WEIR_OK ? keep_token(self, token) : st;
}

static weir_status open_sink(void *data, weir_context *ctx, weir_slice token)
{
    struct sink *self = data;
    weir_status st = tree_make_folder(ctx, root_of(self));
    return st == WEIR_OK ? take_up(self, ctx, token) : st;
}

static weir_status discard(void *data, weir_context *ctx)
{
    struct sink *self = data;
    weir_slice token = { self->published.data, self->published.size };
    weir_status st = take_up(self, ctx, token);
    return st == WEIR_OK ? publish(self, ctx, token) : st;
}

static bool is_any(const void *self, const struct tree_file *file)
{
    (void)self;
    (void)file;
    return true;
}

static weir_status reset(void *data, weir_context *ctx)
{
    return tree_remove(ctx, root_of(data), is_any, NULL);
}

static weir_status close_sink(void *data, weir_context *ctx)
{
    struct sink *self = data;
    (void)ctx;
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

static const weir_option options[] = {
    { .name = "path",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH,
      .offset = offsetof(struct config, path),
      .summary = "The folder to write to",
      .doc = "It is made if need be. The files are "
             "`PATH/<topic>/<partition>/<first offset>.jsonl`, after the input record that they "
             "begin with; while they are written to, `.part` stands behind the name. Two ends must "
             "not share a folder." },
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
      .doc = "Looked at with every record and at every checkpoint, so that a file ends although "
             "nothing comes any more." },
    WEIR_OPTIONS_END
};

static const weir_sink_vtable vtable = {
    .struct_size = sizeof vtable,
    .create = create,
    .destroy = destroy,
    .open = open_sink,
    .write = write_batch,
    .flush = flush,
    .publish = publish,
    .discard = discard,
    .reset = reset,
    .close = close_sink,
    .locate = locate,
};

static const weir_factory file_factory = {
    .struct_size = sizeof file_factory,
    .flags = WEIR_SINK_TRANSACTIONAL,
    .kind = WEIR_KIND_SINK,
    .name = "file",
    .summary = "Writes JSON lines to files in a folder",
    .doc = "```yaml\nto: {file: out}\n```\n\n"
           "Each record is in exactly one file, exactly once, whatever crashes: a file takes its "
           "name only when the checkpoint that covers it is stored, and what was written after the "
           "last checkpoint is cut off at the next start. A file ends by size or age, when the "
           "input ends, and at a clean stop; never at a checkpoint as such. A file that is there "
           "already and that no checkpoint knows is an error, and never overwritten.",
    .options = options,
    .config_size = sizeof(struct config),
    .vtable = &vtable,
};

static const weir_factory *const factories[] = { &file_factory, NULL };

WEIR_PLUGIN(.id = "org.weir.sink.file", .name = "file", .version = "0.1.0", .vendor = "weir",
            .license = "MIT", .url = NULL, .summary = "Writes JSON lines to files in a folder",
            .factories = factories);
