/* SPDX-License-Identifier: MIT */
/*
 * `plugins:`: shared objects and folders of them that a file brings along.
 */
#include <string.h>
#include <sys/stat.h>

#include "pipeline/parts.h"
#include "pipeline/tables.h"

struct plugin_entry {
    weir_text path;
    weir_text sha256;
};

const weir_option plugin_entry_options[] = {
    { .name = "path",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH,
      .offset = offsetof(struct plugin_entry, path),
      .summary = "A plugin, or a folder of plugins" },
    { .name = "sha256",
      .type = WEIR_OPTION_TEXT,
      .offset = offsetof(struct plugin_entry, sha256),
      .summary = "What the file's SHA-256 must be" },
    WEIR_OPTIONS_END,
};

static bool is_folder(const char *path)
{
    struct stat info;
    return stat(path, &info) == 0 && S_ISDIR(info.st_mode);
}

static void report(struct resolver *resolver, struct place place, const struct error *error)
{
    resolver_fault(resolver, place, "%s%s%s", error->message, error->hint[0] != '\0' ? "; " : "",
                   error->hint);
}

/* A file of a listed folder that is no plugin: it may be one of another version, left there. */
static void warn_of_problems(struct resolver *resolver, struct place place, size_t first)
{
    const struct registry *registry = resolver->pipeline->registry;
    for (size_t i = first; i < registry->problem_count; i++) {
        if (!registry->problems[i].is_duplicate) {
            resolver_warn(resolver, place, "%s", registry->problems[i].message);
        }
    }
}

static void load_entry(struct resolver *resolver, const struct node *node)
{
    struct plugin_entry entry = { 0 };
    if (!options_fill(&resolver->scope, "entry of 'plugins'", node->place, plugin_entry_options,
                      node, &entry)) {
        return;
    }
    struct registry *registry = resolver->pipeline->registry;
    struct error error = { 0 };
    size_t problems = registry->problem_count;
    weir_status st = WEIR_OK;
    if (!is_folder(entry.path.data)) {
        st = registry_load_file(registry, entry.path.data, entry.sha256.data, &error);
    } else if (entry.sha256.data != NULL) {
        resolver_fault(resolver, node->place,
                       "'sha256' is for one file, and '%s' is a folder; name the file",
                       entry.path.data);
    } else {
        st = registry_load_folder(registry, entry.path.data, &error);
        warn_of_problems(resolver, node->place, problems);
    }
    if (st != WEIR_OK) {
        report(resolver, node->place, &error);
    }
}

void plugin_list_load(struct resolver *resolver, const struct node *list)
{
    if (list->kind != NODE_LIST) {
        load_entry(resolver, list);
        return;
    }
    for (size_t i = 0; i < list->count; i++) {
        load_entry(resolver, list->items[i]);
    }
}
