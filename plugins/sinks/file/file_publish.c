/* SPDX-License-Identifier: MIT */
/*
 * The folder and the token in step: publishing what a token names, making true again what a token says.
 */
#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>

#include "file_sink.h"
#include "support/fault.h"

/* ---- publishing -------------------------------------------------------------------------------- */

/*
 * home     of the token: where its files were written
 * taken    files that were published before, and that somebody has taken away since
 * example  path of one of them
 */
struct publishing {
    uint64_t home;
    uint32_t taken;
    char example[TREE_PATH_ROOM];
};

/* Where others write to the folder, whoever has the partition by now may have published it long ago. */
static weir_status fail_gone(const struct sink *self, weir_context *ctx, const char *path)
{
    static const char hint[] = "restore it from a copy, or start with --fresh";
    static const char text[] =
        "file '%s' is gone, with and without .part, before it could be published";
    return self->generation == 0
               ? fault_call(ctx, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, hint, text, path)
               : fault_call_for_now(ctx, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, hint, text, path);
}

static weir_status check_published(const struct sink *self, weir_context *ctx, const char *path,
                                   const struct file_fact *fact)
{
    struct stat info;
    if (stat(path, &info) != 0) {
        return errno == ENOENT ? fail_gone(self, ctx, path)
                               : fault_errno_for_now(ctx, "look at", path);
    }
    if ((uint64_t)info.st_size == fact->length) {
        return WEIR_OK;
    }
    return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "move it away or start with --fresh",
                      "file '%s' has %lld bytes, but the checkpoint knows %llu", path,
                      (long long)info.st_size, (unsigned long long)fact->length);
}

static weir_status publish_part(const struct sink *self, weir_context *ctx, const char *part,
                                const char *path, const struct stat *info,
                                const struct file_fact *fact)
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
    if (errno == ENOENT) {
        return check_published(self, ctx, path, fact); /* another instance was faster */
    }
    if (errno != EEXIST) {
        return fault_errno_for_now(ctx, "publish", part);
    }
    return fault_call(ctx, WEIR_E_INVALID, WEIR_CLASS_CONFIG, "move one of them away",
                      "cannot publish '%s': the name without .part is taken", part);
}

/* What is in a folder is there under one of the two names until somebody takes it, who waits for published ones. */
static bool is_taken_away(const struct sink *self, const struct publishing *publishing,
                          const char *path)
{
    struct stat info;
    return publishing->home != 0 && publishing->home == self->home && stat(path, &info) != 0 &&
           errno == ENOENT;
}

static void note_taken(struct publishing *publishing, const char *path)
{
    if (publishing->taken++ == 0) {
        memcpy(publishing->example, path, strlen(path) + 1);
    }
}

/* Done already is done. */
static weir_status publish_file(const struct sink *self, weir_context *ctx,
                                const struct file_fact *fact, struct publishing *publishing)
{
    char part[TREE_PATH_ROOM];
    char path[TREE_PATH_ROOM];
    struct stat info;
    weir_status st = tree_find(ctx, part, &self->tree, &fact->file, TREE_PART);
    if (st == WEIR_OK) {
        st = tree_find(ctx, path, &self->tree, &fact->file, TREE_PUBLISHED);
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (stat(part, &info) == 0) {
        st = publish_part(self, ctx, part, path, &info, fact);
    } else if (errno != ENOENT) {
        st = fault_errno_for_now(ctx, "look at", part);
    } else if (is_taken_away(self, publishing, path)) {
        note_taken(publishing, path);
        return WEIR_OK;
    } else {
        st = check_published(self, ctx, path, fact);
    }
    if (st == WEIR_OK) {
        st = tree_find(ctx, path, &self->tree, &fact->file, TREE_FOLDER);
    }
    return st == WEIR_OK ? tree_sync_folder(ctx, path) : st;
}

static void remove_finished(struct sink *self, const struct file_fact *fact)
{
    struct facts *facts = &self->finished;
    uint32_t kept = 0;
    for (uint32_t i = 0; i < facts->count; i++) {
        if (!tree_is_same(&facts->list[i].file, &fact->file)) {
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

static void tell_taken(const struct sink *self, const struct publishing *publishing)
{
    char message[TREE_PATH_ROOM + 128];
    if (publishing->taken == 0 || self->log == NULL) {
        return;
    }
    snprintf(message, sizeof message,
             "%u of the files that the last checkpoint has published %s not there any more: '%s'%s",
             (unsigned)publishing->taken, publishing->taken == 1 ? "is" : "are",
             publishing->example, publishing->taken == 1 ? "" : " and others");
    self->log->write(self->host, WEIR_LOG_INFO, message);
}

weir_status sink_publish(void *data, weir_context *ctx, weir_slice token)
{
    struct sink *self = data;
    struct file_token_reader reader;
    struct file_fact fact;
    weir_status st = WEIR_OK;
    file_token_open(&reader, token);
    struct publishing publishing = { .home = reader.home };
    while (st == WEIR_OK && file_token_next(&reader, &fact)) {
        if (fact.state == FILE_FINISHED) {
            st = publish_file(self, ctx, &fact, &publishing);
            if (st == WEIR_OK) {
                remove_finished(self, &fact);
            }
        }
    }
    if (st == WEIR_OK && reader.is_bad) {
        return fail_token(self, ctx);
    }
    tell_taken(self, &publishing);
    if (st == WEIR_OK && self->flushed.size > 0) {
        st = sink_remove_strays(self, ctx);
    }
    return st == WEIR_OK ? keep_token(self, token) : st;
}

/* ---- taking up --------------------------------------------------------------------------------- */

static bool is_stray_part(const void *self, const struct tree_file *file, bool is_part)
{
    return is_part && sink_is_stray(self, file);
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
    const struct tree_file *file = &fact->file;
    weir_status st = sink_get_part(self, ctx, file->topic, file->topic_len, file->partition, &part);
    if (st != WEIR_OK) {
        return st;
    }
    if (fact->state == FILE_OPEN) {
        return take_up_part(self, ctx, part, fact);
    }
    struct file_fact finished = *fact;
    finished.file.topic = part->fact.file.topic;
    return sink_add_finished(self, &finished);
}

/*
 * What the token says becomes true again, in memory and, where nobody else writes to it, in the folder. Elsewhere the
 * folder may be another instance's by now: nothing is removed before a token of this one was committed.
 */
static weir_status take_up(struct sink *self, weir_context *ctx, weir_slice token)
{
    struct file_token_reader reader;
    struct file_fact fact;
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; i < self->parts.count; i++) {
        part_forget(self->parts.list[i]);
    }
    self->finished.count = 0;
    self->strays.count = 0;
    self->strays.have_looked = false;
    self->flushed.size = 0;
    file_token_open(&reader, token);
    while (st == WEIR_OK && file_token_next(&reader, &fact)) {
        st = take_up_file(self, ctx, &fact);
    }
    if (st == WEIR_OK && reader.is_bad) {
        st = fail_token(self, ctx);
    }
    if (st == WEIR_OK && self->generation == 0) {
        struct tree_scope scope = sink_scope(self);
        st = tree_remove(ctx, &self->tree, &scope, is_stray_part, self);
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
    self->home = tree_identity(&self->tree);
    return st == WEIR_OK ? take_up(self, ctx, token) : st;
}

weir_status sink_discard(void *data, weir_context *ctx)
{
    struct sink *self = data;
    weir_slice token = token_slice(&self->published);
    if (self->generation != 0) {
        sink_abandon(self);
        return WEIR_OK;
    }
    weir_status st = take_up(self, ctx, token);
    return st == WEIR_OK ? sink_publish(self, ctx, token) : st;
}

static bool is_any(const void *self, const struct tree_file *file, bool is_part)
{
    (void)self;
    (void)file;
    (void)is_part;
    return true;
}

weir_status sink_reset(void *data, weir_context *ctx)
{
    const struct sink *self = data;
    struct tree_scope scope = sink_scope(self);
    return tree_remove(ctx, &self->tree, &scope, is_any, NULL);
}
