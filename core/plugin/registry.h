/* SPDX-License-Identifier: MIT */
/*
 * Finds plugins, verifies them, loads them once and for ever, and answers by kind and name.
 */
#ifndef PLUGIN_REGISTRY_H
#define PLUGIN_REGISTRY_H

#include <stdbool.h>

#include <weir/plugin.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/hashmap.h"
#include "base/nearest.h"

struct plugin {
    const weir_plugin_entry *entry;
    const char *path;
    const char *warning; /* such as "its folder is group-writable"; NULL: none */
};

/*
 * A factory together with the plugin that it came with.
 *
 * rival  another plugin that offers the same kind and name: the name alone does not tell which is
 *        meant, only the qualified one does. NULL unless is_ambiguous
 */
struct factory {
    const weir_factory *spec;
    const struct plugin *plugin;
    bool is_ambiguous;
    const struct plugin *rival;
};

/*
 * A file that was looked at and not taken.
 *
 * id            NULL where it could not be read
 * is_duplicate  a plugin of that id is loaded already: an error wherever it is met
 */
struct plugin_problem {
    const char *path;
    const char *message;
    const char *id;
    bool is_duplicate;
};

struct registry {
    struct arena arena;
    struct hashmap plugins;   /* id to struct plugin */
    struct hashmap factories; /* "kind name" and "kind id.name" to struct factory */
    struct plugin_problem *problems;
    size_t problem_count;
    size_t problem_capacity;
};

void registry_init(struct registry *registry);
void registry_deinit(struct registry *registry); /* the shared objects stay loaded */

/*
 * Loads one file: checks it, maps it, verifies its entry, registers it. What is wrong goes to `error`
 * and is not kept as a problem. The same file a second time is no error and changes nothing.
 * sha256: 64 hex digits that the file must have, or NULL
 */
weir_status registry_load_file(struct registry *registry, const char *path, const char *sha256,
                               struct error *error);
/* Verifies and registers an entry that is in memory already. path: for messages. */
weir_status registry_add(struct registry *registry, const weir_plugin_entry *entry,
                         const char *path, struct error *error);
/* Loads every *.so of a folder in the order of names; failures become problems. A missing folder is
 * WEIR_E_NOT_FOUND. */
weir_status registry_load_folder(struct registry *registry, const char *path, struct error *error);
/* The folders and files of $WEIR_PLUGIN_PATH, then the installed folder (beside the program:
 * ../lib/weir/plugins). */
void registry_load_default(struct registry *registry);

/*
 * By name, or by qualified name `id.name`; for functions also with `_` for each `-` of the id.
 * NULL: none. What a qualified name finds is never ambiguous.
 */
const struct factory *registry_find(const struct registry *registry, const char *kind,
                                    const char *name, size_t len);
/* Offers all names of a kind. */
void registry_offer(const struct registry *registry, const char *kind, struct nearest *search);
/* The problem of a file that would have been `name.so` (also `operator_name.so`) or has this id;
 * NULL: none. */
const struct plugin_problem *registry_problem(const struct registry *registry, const char *name,
                                              size_t len);

/* ---- verification, apart so that it can be tested and shown -------------------------------------- */

/*
 * Owner, permissions, ELF header: everything that can be told without running its code.
 * ret_warning: a static text such as "its folder can be written by its group", or NULL
 */
weir_status plugin_check_file(const char *path, const char **ret_warning, struct error *error);
/* The file's SHA-256 against 64 hex digits. */
weir_status plugin_check_sha256(const char *path, const char *sha256, struct error *error);
/* Magic, versions, sizes, layout, ids, factories, vtables' mandatory slots, option tables. */
weir_status plugin_check_entry(const weir_plugin_entry *entry, struct error *error);
/* The id of an entry, checked or not; NULL where its versions do not let it be read. */
const char *plugin_entry_id(const weir_plugin_entry *entry);

#endif
