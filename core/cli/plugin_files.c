/* SPDX-License-Identifier: MIT */
/*
 * Collects what the registry's search meets. Loads nothing: each file is loaded in a process of its
 * own (see probe.h).
 */
#include "cli/plugin_files.h"

#include <sys/stat.h>

#include "plugin/search.h"

enum { FILE_LIMIT = 4096 }; /* more plugins than anybody has */

static bool is_known(const struct plugin_files *found, const struct stat *info)
{
    for (size_t i = 0; i < found->count; i++) {
        const struct plugin_file *file = &found->files[i];
        if (file->fault == NULL && file->inode == info->st_ino && file->device == info->st_dev) {
            return true;
        }
    }
    return false;
}

static void add_file(void *self, const char *path)
{
    struct plugin_files *found = self;
    struct stat info = { 0 };
    bool is_there = stat(path, &info) == 0; /* what is not is left to the loader's message */
    if (found->count < FILE_LIMIT && !(is_there && is_known(found, &info))) {
        found->files[found->count++] =
            (struct plugin_file){ .path = path, .device = info.st_dev, .inode = info.st_ino };
    }
}

static void add_fault(void *self, const char *path, const struct error *error)
{
    struct plugin_files *found = self;
    const char *fault = arena_printf(found->arena, "%s%s%s", error->message,
                                     error->hint[0] != '\0' ? "; " : "", error->hint);
    if (found->count < FILE_LIMIT) {
        found->files[found->count++] =
            (struct plugin_file){ .path = path, .fault = fault != NULL ? fault : "out of memory" };
    }
}

bool plugin_files_find(struct plugin_files *found, struct arena *arena)
{
    struct search_visitor visitor = { found, add_file, add_fault };
    *found = (struct plugin_files){ .arena = arena };
    found->files = arena_alloc(arena, FILE_LIMIT * sizeof *found->files);
    if (found->files != NULL) {
        search_default(arena, &visitor);
    }
    return found->files != NULL;
}
