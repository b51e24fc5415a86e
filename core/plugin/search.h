/* SPDX-License-Identifier: MIT */
/*
 * Where plugins are looked for. Loads nothing: who loads, and who only lists, is told each file.
 */
#ifndef PLUGIN_SEARCH_H
#define PLUGIN_SEARCH_H

#include "base/arena.h"
#include "base/error.h"

/* Paths live in the search's arena. */
struct search_visitor {
    void *self;
    void (*file)(void *self, const char *path);
    void (*fault)(void *self, const char *path,
                  const struct error *error); /* a place, not a file */
};

/* Every *.so of a folder in the order of names. */
weir_status search_folder(const char *path, struct arena *arena,
                          const struct search_visitor *visitor, struct error *error);
/* The folders and files of $WEIR_PLUGIN_PATH, then the installed folder (beside the program:
 * ../lib/weir/plugins). */
void search_default(struct arena *arena, const struct search_visitor *visitor);

#endif
