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

/* A factory together with the plugin that it came with. */
struct factory {
    const weir_factory *spec;
    const struct plugin *plugin;
    bool is_ambiguous; /* another plugin offers the same kind and name: only the qualified id works */
};

/* A file that was looked at and not taken. */
struct plugin_problem {
    const char *path;
    const char *message;
    const char *id;   /* NULL where it could not be read */
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
 * Loads one file. What is wrong goes to `error` and is not kept as a problem.
 * sha256: 64 hex digits that the file must have, or NULL
 */
weir_status registry_load_file(struct registry *registry, const char *path, const char *sha256,
                               struct error *error);
/* Loads every *.so of a folder in the order of names; failures become problems. A missing folder is
 * WEIR_E_NOT_FOUND. */
weir_status registry_load_folder(struct registry *registry, const char *path, struct error *error);
/* $WEIR_PLUGIN_PATH, then the installed folder (beside the program: ../lib/weir/plugins). */
void registry_load_default(struct registry *registry);

/* By name, or by qualified name `id.name`. NULL: none. */
const struct factory *registry_find(const struct registry *registry, const char *kind,
                                    const char *name, size_t len);
/* Offers all names of a kind. */
void registry_offer(const struct registry *registry, const char *kind, struct nearest *search);
/* The problem of a file that would have been `name.so` or has this id; NULL: none. */
const struct plugin_problem *registry_problem(const struct registry *registry, const char *name,
                                              size_t len);

/* ---- verification, apart so that it can be tested and shown -------------------------------------- */

/* Owner, permissions, ELF header: everything that can be told without running its code. */
weir_status plugin_check_file(const char *path, const char **ret_warning, struct error *error);
/* Magic, sizes, versions, layout, ids, factories, vtables' mandatory slots, option tables. */
weir_status plugin_check_entry(const weir_plugin_entry *entry, struct error *error);

#endif
