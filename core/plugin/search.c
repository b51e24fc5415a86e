/* SPDX-License-Identifier: MIT */
/*
 * Walks folders for plugins: those of $WEIR_PLUGIN_PATH, then the installed one.
 */
#include "plugin/search.h"

#include <dirent.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/file.h"

static bool is_plugin_name(const char *name)
{
    size_t len = strlen(name);
    return name[0] != '.' && len > 3 && strcmp(name + len - 3, ".so") == 0;
}

/* Names that end in .so, unsorted, in the search's arena. */
struct names {
    const char **list;
    size_t count;
    size_t capacity;
};

static bool add_name(struct arena *arena, struct names *names, const char *name)
{
    if (names->count == names->capacity) {
        size_t capacity = names->capacity == 0 ? 64 : names->capacity * 2;
        const char **list = arena_alloc(arena, capacity * sizeof *list);
        if (list == NULL) {
            return false;
        }
        if (names->count > 0) {
            memcpy(list, names->list, names->count * sizeof *list);
        }
        names->list = list;
        names->capacity = capacity;
    }
    names->list[names->count] = arena_copy(arena, name, strlen(name));
    return names->list[names->count++] != NULL;
}

static int by_name(const void *a, const void *b)
{
    return strcmp(*(const char *const *)a, *(const char *const *)b);
}

static weir_status list_folder(const char *path, struct arena *arena, struct names *names,
                               struct error *error)
{
    DIR *folder = opendir(path);
    weir_status st = WEIR_OK;
    if (folder == NULL) {
        return error_from_errno(error, "open plugin folder", path);
    }
    for (struct dirent *item; st == WEIR_OK && (item = readdir(folder)) != NULL;) {
        if (is_plugin_name(item->d_name) && !add_name(arena, names, item->d_name)) {
            st = error_no_memory(error);
        }
    }
    closedir(folder);
    return st;
}

weir_status search_folder(const char *path, struct arena *arena,
                          const struct search_visitor *visitor, struct error *error)
{
    struct names names = { 0 };
    weir_status st = list_folder(path, arena, &names, error);
    if (st != WEIR_OK) {
        return st;
    }
    if (names.count > 1) {
        qsort(names.list, names.count, sizeof *names.list, by_name);
    }
    for (size_t i = 0; i < names.count; i++) {
        char *file = file_join(arena, path, names.list[i]);
        if (file == NULL) {
            return error_no_memory(error);
        }
        visitor->file(visitor->self, file);
    }
    return WEIR_OK;
}

/* ---- where plugins are looked for ------------------------------------------------------------- */

static bool is_folder(const char *path)
{
    struct stat status;
    return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

static void search_part(const char *path, struct arena *arena, const struct search_visitor *visitor)
{
    struct error error = { .status = WEIR_OK };
    size_t len = strlen(path);
    if (!is_folder(path) && len > 3 && strcmp(path + len - 3, ".so") == 0) {
        visitor->file(visitor->self, path);
    } else if (search_folder(path, arena, visitor, &error) != WEIR_OK) {
        visitor->fault(visitor->self, path, &error);
    }
}

static void search_variable(struct arena *arena, const struct search_visitor *visitor)
{
    const char *at = getenv("WEIR_PLUGIN_PATH");
    while (at != NULL && *at != '\0') {
        size_t len = strcspn(at, ":");
        char *part = len > 0 ? arena_copy(arena, at, len) : NULL;
        if (part != NULL) {
            search_part(part, arena, visitor);
        }
        at += at[len] == ':' ? len + 1 : len;
    }
}

/* <prefix>/<folder>/weir/plugins for a program in <prefix>/bin; NULL where there is none. */
static char *installed_folder(struct arena *arena, const char *program, const char *folder)
{
    char *bin = file_folder(arena, program);
    char *prefix = bin != NULL ? file_folder(arena, bin) : NULL;
    char *base = prefix != NULL ? file_join(arena, prefix, folder) : NULL;
    char *path = base != NULL ? file_join(arena, base, "weir/plugins") : NULL;
    return path != NULL && is_folder(path) ? path : NULL;
}

static void search_installed(struct arena *arena, const struct search_visitor *visitor)
{
    char room[PATH_MAX];
    struct error error = { .status = WEIR_OK };
    ssize_t len = readlink("/proc/self/exe", room, sizeof room);
    char *program = len > 0 ? arena_copy(arena, room, (size_t)len) : NULL;
    if (program == NULL) {
        error_from_errno(&error, "find the program", "/proc/self/exe");
        visitor->fault(visitor->self, "/proc/self/exe", &error);
        return;
    }
    char *folder = installed_folder(arena, program, WEIR_LIBRARY_FOLDER);
    if (folder == NULL) {
        folder = installed_folder(arena, program, "lib");
    }
    if (folder != NULL) {
        search_part(folder, arena, visitor);
        return;
    }
    error_set(&error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
              "there is no folder of installed plugins for '%s'", program);
    error_hint(&error, "expected ../lib/weir/plugins beside the program's folder");
    visitor->fault(visitor->self, program, &error);
}

void search_default(struct arena *arena, const struct search_visitor *visitor)
{
    search_variable(arena, visitor);
    search_installed(arena, visitor);
}
