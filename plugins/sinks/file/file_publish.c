/* SPDX-License-Identifier: MIT */
/*
 * The folder and the token in step: publishing what a token names, making true again what a token
 * says, removing what none knows.
 */
#include <errno.h>
#include <sys/stat.h>

#include "file_sink.h"
#include "support/fault.h"

/* ---- publishing -------------------------------------------------------------------------------- */

static weir_status check_published(weir_context *ctx, const char *path,
                                   const struct file_fact *fact)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        if (errno != ENOENT) {
            return fault_errno_for_now(ctx, "look at", path);
        }
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
        return fault_errno_for_now(ctx, "publish", part);
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
    if (!tree_path(part, &self->tree, fact->topic, fact->topic_len, fact->partition,
                   fact->first_offset, true) ||
        !tree_path(path, &self->tree, fact->topic, fact->topic_len, fact->partition,
                   fact->first_offset, false)) {
        errno = ENAMETOOLONG;
        return fault_errno(ctx, "use a path below", root_of(self));
    }
    weir_status st;
    if (stat(part, &info) == 0) {
        st = publish_part(ctx, part, path, &info, fact);
    } else {
        st = errno == ENOENT ? check_published(ctx, path, fact)
                             : fault_errno_for_now(ctx, "look at", part);
    }
    if (st == WEIR_OK &&
        tree_path(path, &self->tree, fact->topic, fact->topic_len, fact->partition, -1, false)) {
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

weir_status sink_publish(void *data, weir_context *ctx, weir_slice token)
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

/* Where several instances write to one folder, each removes files of its own partition alone. */
static struct tree_scope scope_of(const struct sink *self)
{
    const weir_origin *own = self->assigned;
    return own == NULL ? (struct tree_scope){ .topic = NULL }
                       : (struct tree_scope){ own->topic, own->topic_len, own->partition };
}

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
    const struct file_part *part =
        sink_find_part(self, file->topic, file->topic_len, file->partition);
    return part == NULL || !part->is_open || part->fact.first_offset != file->first_offset;
}

/* Goes on in an open file, or ends it where other columns are wanted than those it began with. */
static weir_status take_up_part(struct sink *self, weir_context *ctx, struct file_part *part,
                                const struct file_fact *fact)
{
    bool is_same = true;
    weir_status st = part_resume(part, ctx, &self->tree, fact);
    if (st == WEIR_OK) {
        st = sink_csv_compare(self, ctx, fact, &is_same);
    }
    if (st == WEIR_OK && !is_same) {
        st = sink_finish(self, ctx, part);
    }
    return st;
}

static weir_status take_up_file(struct sink *self, weir_context *ctx, const struct file_fact *fact)
{
    struct file_part *part;
    weir_status st = sink_get_part(self, ctx, fact->topic, fact->topic_len, fact->partition, &part);
    if (st != WEIR_OK) {
        return st;
    }
    if (fact->state == FILE_OPEN) {
        return take_up_part(self, ctx, part, fact);
    }
    struct file_fact finished = *fact;
    finished.topic = part->fact.topic;
    return sink_add_finished(self, &finished);
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
        struct tree_scope scope = scope_of(self);
        st = tree_remove(ctx, &self->tree, &scope, is_stray, self);
    }
    return st == WEIR_OK ? keep_token(self, token) : st;
}

weir_status sink_open(void *data, weir_context *ctx, weir_slice token)
{
    struct sink *self = data;
    weir_status st = sink_csv_open(self);
    if (st == WEIR_OK) {
        st = tree_make_folder(ctx, root_of(self));
    }
    return st == WEIR_OK ? take_up(self, ctx, token) : st;
}

weir_status sink_discard(void *data, weir_context *ctx)
{
    struct sink *self = data;
    weir_slice token = { self->published.data, self->published.size };
    weir_status st = take_up(self, ctx, token);
    return st == WEIR_OK ? sink_publish(self, ctx, token) : st;
}

static bool is_any(const void *self, const struct tree_file *file)
{
    (void)self;
    (void)file;
    return true;
}

weir_status sink_reset(void *data, weir_context *ctx)
{
    const struct sink *self = data;
    struct tree_scope scope = scope_of(self);
    return tree_remove(ctx, &self->tree, &scope, is_any, NULL);
}
