/* SPDX-License-Identifier: MIT */
/*
 * What lies in the folder of a partition and is nobody's any more.
 *
 * Where several instances write to one folder, none of them can know whether it still has its partition: it
 * may have been stopped, have been taken for dead, and go on beside its successor. So what it does must do no
 * harm whoever has the partition:
 *
 *   - It writes to files of its own generation only, and changes no other one but by publishing what a token
 *     names.
 *   - It removes files of others only after the commit of a token that it has given. The log takes a token
 *     from nobody but the owner; so it was the owner when it looked for them, before that flush, and whoever
 *     has written them can never commit what they hold. Names are never used twice, so that holds for ever.
 *   - Of its own files it removes, when it ends, those that no token names.
 *
 * A file that is written after its successor has looked is removed by whoever wrote it, or else after the
 * last flush of that partition, here or in another process.
 */
#include <errno.h>
#include <unistd.h>

#include "file_sink.h"
#include "support/fault.h"

struct tree_scope sink_scope(const struct sink *self)
{
    const weir_origin *own = self->assigned;
    return own == NULL ? (struct tree_scope){ .topic = NULL }
                       : (struct tree_scope){ own->topic, own->topic_len, own->partition };
}

bool sink_is_stray(const struct sink *self, const struct tree_file *file)
{
    for (uint32_t i = 0; i < self->finished.count; i++) {
        if (tree_is_same(&self->finished.list[i].file, file)) {
            return false;
        }
    }
    const struct file_part *part =
        sink_find_part(self, file->topic, file->topic_len, file->partition);
    return part == NULL || !part->is_open || !tree_is_same(&part->fact.file, file);
}

/* The topic is memory of the part or of the origin. */
static weir_status add_stray(struct sink *self, const struct tree_file *file)
{
    struct strays *strays = &self->strays;
    for (uint32_t i = 0; i < strays->count; i++) {
        if (tree_is_same(&strays->list[i], file)) {
            return WEIR_OK;
        }
    }
    struct tree_file *list =
        sink_grow_list(strays->list, strays->count, &strays->capacity, sizeof(struct tree_file));
    if (list == NULL) {
        return WEIR_E_NOMEM;
    }
    strays->list = list;
    strays->list[strays->count++] = *file;
    return WEIR_OK;
}

weir_status sink_own(struct sink *self, weir_context *ctx, struct file_part *part)
{
    struct tree_file before = part->fact.file;
    if (!part_is_on_loan(part)) {
        return WEIR_OK;
    }
    weir_status st = part_own(part, ctx, &self->tree);
    return st == WEIR_OK ? add_stray(self, &before) : st;
}

static bool is_of_others(const void *data, const struct tree_file *file, bool is_part)
{
    const struct sink *self = data;
    return is_part && file->generation != self->generation && sink_is_stray(self, file);
}

static weir_status note_stray(void *data, const struct tree_file *file)
{
    struct sink *self = data;
    struct tree_file stray = *file;
    stray.topic = self->assigned->topic;
    return add_stray(self, &stray);
}

weir_status sink_find_strays(struct sink *self, weir_context *ctx, bool is_final)
{
    struct tree_scope scope = sink_scope(self);
    if (self->generation == 0 || (self->strays.have_looked && !is_final)) {
        return WEIR_OK;
    }
    weir_status st = tree_list(ctx, &self->tree, &scope, is_of_others, note_stray, self);
    self->strays.have_looked |= st == WEIR_OK;
    return st;
}

/* One that could not be removed is tried again, as everything that a publish has to do. */
weir_status sink_remove_strays(struct sink *self, weir_context *ctx)
{
    char path[TREE_PATH_ROOM];
    weir_status st = WEIR_OK;
    while (st == WEIR_OK && self->strays.count > 0) {
        st = tree_find(ctx, path, &self->tree, &self->strays.list[self->strays.count - 1],
                       TREE_PART);
        if (st == WEIR_OK && unlink(path) != 0 && errno != ENOENT) {
            st = fault_errno_for_now(ctx, "remove", path);
        }
        self->strays.count -= st == WEIR_OK;
    }
    return st;
}

/*
 * The last token names all that one before it has named and that is not published. What stays although it
 * should not is a stray for whoever has the partition next.
 */
static void remove_unnamed(const struct sink *self, const struct tree_file *file)
{
    char path[TREE_PATH_ROOM];
    if (file->generation == self->generation &&
        !file_token_names(token_slice(&self->flushed), file) &&
        tree_path(path, &self->tree, file, TREE_PART)) {
        (void)unlink(path);
    }
}

void sink_abandon(struct sink *self)
{
    for (uint32_t i = 0; i < self->finished.count; i++) {
        remove_unnamed(self, &self->finished.list[i].file);
    }
    self->finished.count = 0;
    for (uint32_t i = 0; i < self->parts.count; i++) {
        struct file_part *part = self->parts.list[i];
        if (part->is_open) {
            remove_unnamed(self, &part->fact.file);
        }
        part_forget(part);
    }
}
