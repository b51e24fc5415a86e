/* SPDX-License-Identifier: MIT */
/*
 * Looks at a plugin in a child process: loading runs code of somebody else, which may crash, hang
 * or write where it likes. The child gives its answer back through a pipe, within a time limit.
 */
#ifndef CLI_PROBE_H
#define CLI_PROBE_H

#include <stdbool.h>

#include "base/arena.h"
#include "cli/describe.h"

enum { PROBE_LIMIT_MS = 5000 };

/*
 * fault  why there is no description: the registry's sentence, or how the child ended; NULL = none
 * text   the description, with a NUL behind it; control characters are replaced
 */
struct probe {
    const char *fault;
    const char *text;
    size_t size;
};

/* kind, name: as in struct description. Memory from the arena; false only where there is none. */
bool probe_plugin(struct probe *probe, const char *path, enum description_format format,
                  const char *kind, const char *name, struct arena *arena);

#endif
