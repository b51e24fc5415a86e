/* SPDX-License-Identifier: MIT */
/*
 * All plugins that are found: a row for each thing that they can make, and the files that offer nothing.
 */
#ifndef CLI_PLUGIN_LISTING_H
#define CLI_PLUGIN_LISTING_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* One thing that can be made, and the file that it comes from. */
struct row {
    const char *kind;
    const char *name;
    const char *id;
    const char *plugin;
    const char *version;
    const char *license;
    const char *warning;
    const char *path;
};

/* A file that offers nothing, and why. */
struct problem {
    const char *path;
    const char *message;
};

struct listing {
    struct arena *arena;
    struct row *rows;
    size_t row_count;
    struct problem *problems;
    size_t problem_count;
};

/* Fills a listing whose arena is set. False: no memory. */
bool listing_gather(struct listing *listing);
void listing_add_problem(struct listing *listing, const char *path, const char *message);
/* Has the row this name: its own, its plugin's, or the id? kind: NULL for all. */
bool row_is_named(const struct row *row, const char *kind, const char *name);
/* Says on standard error that nothing has this name, with the nearest one and with what could not be
 * loaded. command: "inspect". */
void listing_report_no(const struct listing *listing, const char *command, const char *kind,
                       const char *name);
/* A path, not a name: it has a slash or ends in .so. */
bool plugin_is_path(const char *text);

#endif
