/* SPDX-License-Identifier: MIT */
/*
 * Walks $WEIR_PLUGIN_PATH and the installed folder. Loads nothing: what is found here is loaded one
 * by one, each in a process of its own.
 */
#include "cli/plugin_files.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

enum { FILE_LIMIT = 4096 }; /* more plugins than anybody has */

static bool is_plugin(const char *name)
{
    size_t len = strlen(name);
    return len > 3 && strcmp(name + len - 3, ".so") == 0;
}

static bool is_known(const struct plugin_files *found, const struct stat *info)
{
    for (size_t i = 0; i < found->count; i++) {
        if (found->files[i].inode == info->st_ino && found->files[i].device == info->st_dev) {
            return true;
        }
    }
    return false;
}

static void add_file(struct plugin_files *found, const char *path)
{
    struct stat info = { 0 };
    bool is_there = stat(path, &info) == 0; /* what is not is left to the loader's message */
    if (found->count == FILE_LIMIT || (is_there && is_known(found, &info))) {
        return;
    }
    found->files[found->count++] = (struct plugin_file){ path, info.st_dev, info.st_ino };
}

static int compare_files(const void *left, const void *right)
{
    const struct plugin_file *a = left;
    const struct plugin_file *b = right;
    return strcmp(a->path, b->path);
}

static bool add_folder(struct plugin_files *found, const char *path, struct arena *arena)
{
    size_t first = found->count;
    bool has_memory = true;
    DIR *folder = opendir(path);
    if (folder == NULL) {
        return true;
    }
    for (const struct dirent *entry = readdir(folder); entry != NULL && has_memory;
         entry = readdir(folder)) {
        if (is_plugin(entry->d_name)) {
            const char *file = file_join(arena, path, entry->d_name);
            has_memory = file != NULL;
            if (has_memory) {
                add_file(found, file);
            }
        }
    }
    closedir(folder);
    qsort(found->files + first, found->count - first, sizeof *found->files, compare_files);
    return has_memory;
}

static bool add_search_path(struct plugin_files *found, const char *list, struct arena *arena)
{
    bool has_memory = true;
    while (has_memory && list != NULL && *list != '\0') {
        size_t len = strcspn(list, ":");
        const char *path = arena_copy(arena, list, len);
        has_memory = path != NULL && (len == 0 || add_folder(found, path, arena));
        list += len;
        list += *list == ':';
    }
    return has_memory;
}

bool plugin_files_find(struct plugin_files *found, struct arena *arena)
{
    char program[PATH_MAX];
    ssize_t len = readlink("/proc/self/exe", program, sizeof program - 1);
    found->count = 0;
    found->files = arena_alloc(arena, FILE_LIMIT * sizeof *found->files);
    if (found->files == NULL || !add_search_path(found, getenv("WEIR_PLUGIN_PATH"), arena)) {
        return false;
    }
    if (len <= 0) {
        return true;
    }
    program[len] = '\0';
    const char *folder = file_folder(arena, program);
    const char *installed = folder != NULL ? file_join(arena, folder, "../lib/weir/plugins") : NULL;
    return installed != NULL && add_folder(found, installed, arena);
}
