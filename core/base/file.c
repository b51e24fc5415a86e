/* SPDX-License-Identifier: MIT */
/*
 * Whole files and folders. Files are read to their end, whatever stat says of their size: pipes and
 * /proc have none.
 */
#include "base/file.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/buffer.h"

/* The size of a regular file, at most `limit`; something small for everything else. */
static size_t first_guess(int fd, size_t limit)
{
    enum { UNKNOWN = 4096 };
    struct stat facts;
    size_t size = UNKNOWN;
    if (fstat(fd, &facts) == 0 && S_ISREG(facts.st_mode) && facts.st_size > 0) {
        size = (size_t)facts.st_size + 1;
    }
    return size < limit ? size : limit;
}

/* limit of the buffer: one byte more than the file may have. */
static weir_status read_all(int fd, const char *path, weir_buffer *buffer, struct error *error)
{
    weir_status st = weir_buffer_reserve(buffer, first_guess(fd, (size_t)buffer->limit));
    while (st == WEIR_OK) {
        ssize_t got =
            read(fd, buffer->data + buffer->size, (size_t)(buffer->capacity - buffer->size));
        if (got == 0) {
            return WEIR_OK;
        }
        if (got < 0) {
            if (errno == EINTR) {
                continue;
            }
            return error_from_errno(error, "read", path);
        }
        buffer->size += (uint64_t)got;
        st = weir_buffer_reserve(buffer, 1);
    }
    if (st == WEIR_E_LIMIT) {
        return error_set(error, st, WEIR_CLASS_CONFIG, "'%s' is larger than %llu bytes", path,
                         (unsigned long long)(buffer->limit - 1));
    }
    return error_no_memory(error);
}

weir_status file_read(const char *path, size_t limit, struct arena *arena, char **ret_text,
                      size_t *ret_size, struct error *error)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0) {
        return error_from_errno(error, "open", path);
    }
    weir_buffer buffer;
    buffer_init(&buffer, (uint64_t)limit + 1);
    weir_status st = read_all(fd, path, &buffer, error);
    if (st == WEIR_OK) {
        char *text = arena_copy(arena, buffer.data, (size_t)buffer.size);
        if (text == NULL) {
            st = error_no_memory(error);
        } else {
            *ret_text = text;
            *ret_size = (size_t)buffer.size;
        }
    }
    buffer_deinit(&buffer);
    close(fd);
    return st;
}

static weir_status make_folder(const char *path, struct error *error)
{
    struct stat facts;
    if (mkdir(path, 0777) == 0) {
        return WEIR_OK;
    }
    if (errno == EEXIST && stat(path, &facts) == 0) {
        if (S_ISDIR(facts.st_mode)) {
            return WEIR_OK;
        }
        return error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                         "cannot make the folder '%s': a file of that name is there", path);
    }
    return error_from_errno(error, "make the folder", path);
}

weir_status file_make_folders(const char *path, struct error *error)
{
    struct arena arena;
    arena_init(&arena, 0);
    char *copy = arena_copy(&arena, path, strlen(path));
    if (copy == NULL) {
        return error_no_memory(error);
    }
    weir_status st = WEIR_OK;
    for (char *at = copy; st == WEIR_OK && *at != '\0'; at++) {
        if (*at == '/' && at > copy && at[-1] != '/') {
            *at = '\0';
            st = make_folder(copy, error);
            *at = '/';
        }
    }
    if (st == WEIR_OK) {
        st = make_folder(copy, error);
    }
    arena_deinit(&arena);
    return st;
}

bool file_exists(const char *path)
{
    struct stat facts;
    return stat(path, &facts) == 0;
}

char *file_join(struct arena *arena, const char *folder, const char *path)
{
    size_t folder_len = strlen(folder);
    if (path[0] == '/' || folder_len == 0 || strcmp(folder, ".") == 0) {
        return arena_copy(arena, path, strlen(path));
    }
    return arena_printf(arena, "%s%s%s", folder, folder[folder_len - 1] == '/' ? "" : "/", path);
}

char *file_folder(struct arena *arena, const char *path)
{
    const char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return arena_copy(arena, ".", 1);
    }
    while (slash > path && slash[-1] == '/') {
        slash--;
    }
    size_t len = (size_t)(slash - path);
    return len == 0 ? arena_copy(arena, "/", 1) : arena_copy(arena, path, len);
}
