/* SPDX-License-Identifier: MIT */
#ifndef BASE_FILE_H
#define BASE_FILE_H

#include <stdbool.h>

#include "base/arena.h"
#include "base/error.h"

/* Reads a whole file of at most `limit` bytes into the arena, with a NUL behind it. */
weir_status file_read(const char *path, size_t limit, struct arena *arena, char **ret_text,
                      size_t *ret_size, struct error *error);
/* Creates a folder and those above it. */
weir_status file_make_folders(const char *path, struct error *error);
bool file_exists(const char *path);
/* `path` if absolute, else folder/path; in the arena. */
char *file_join(struct arena *arena, const char *folder, const char *path);
/* The folder of a file: "." where there is none; in the arena. */
char *file_folder(struct arena *arena, const char *path);

#endif
