/* SPDX-License-Identifier: MIT */
/*
 * The files that registry_load_default would load, in its order; each file once, whatever the number
 * of paths that lead to it.
 */
#ifndef CLI_PLUGIN_FILES_H
#define CLI_PLUGIN_FILES_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

#include "base/arena.h"

/* fault: why this place cannot be searched; NULL: it is a file */
struct plugin_file {
    const char *path;
    const char *fault;
    dev_t device;
    ino_t inode;
};

struct plugin_files {
    struct arena *arena;
    struct plugin_file *files;
    size_t count;
};

/* False: no memory. */
bool plugin_files_find(struct plugin_files *found, struct arena *arena);

#endif
