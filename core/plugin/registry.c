/* SPDX-License-Identifier: MIT */
/*
 * Loads plugins and answers by kind and name. A shared object is mapped once and never unmapped:
 * threads, keys and libraries that it has brought may outlive every instance. A factory is kept under
 * its name and under its qualified name; the first holder of a name keeps it and is marked where a
 * second plugin offers it too.
 */
#include "plugin/registry.h"

#include <dlfcn.h>
#include <elf.h>
#include <limits.h>
#include <link.h>
#include <stdalign.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/function.h>

#include "base/memory.h"
#include "plugin/debug/debug_host.h"
#include "plugin/refusal.h"
#include "plugin/search.h"

void registry_init(struct registry *registry)
{
    memset(registry, 0, sizeof *registry);
    arena_init(&registry->arena, 0);
    hashmap_init(&registry->plugins);
    hashmap_init(&registry->factories);
}

void registry_deinit(struct registry *registry)
{
    hashmap_deinit(&registry->factories);
    hashmap_deinit(&registry->plugins);
    memory_free(registry->problems);
    arena_deinit(&registry->arena);
    memset(registry, 0, sizeof *registry);
}

/* ---- registering ----------------------------------------------------------------------------- */

static bool put_factory(struct registry *registry, const char *key, const struct plugin *plugin,
                        const weir_factory *spec)
{
    struct factory *factory = arena_zeroed(&registry->arena, sizeof *factory);
    if (key == NULL || factory == NULL) {
        return false;
    }
    factory->spec = spec;
    factory->plugin = plugin;
    return hashmap_put(&registry->factories, key, strlen(key), factory);
}

static bool put_by_name(struct registry *registry, const struct plugin *plugin,
                        const weir_factory *spec)
{
    char *key = arena_printf(&registry->arena, "%s %s", spec->kind, spec->name);
    if (key == NULL) {
        return false;
    }
    struct factory *holder = hashmap_get(&registry->factories, key, strlen(key));
    if (holder == NULL) {
        return put_factory(registry, key, plugin, spec);
    }
    holder->is_ambiguous = true;
    holder->rival = plugin;
    return true;
}

static bool put_qualified(struct registry *registry, const struct plugin *plugin,
                          const weir_factory *spec)
{
    const char *id = plugin->entry->id;
    char *key = arena_printf(&registry->arena, "%s %s.%s", spec->kind, id, spec->name);
    if (!put_factory(registry, key, plugin, spec)) {
        return false;
    }
    if (strcmp(spec->kind, WEIR_KIND_FUNCTION) != 0 || strchr(id, '-') == NULL) {
        return true;
    }
    /* In an expression a '-' would be a minus. */
    char *word = arena_copy(&registry->arena, key, strlen(key));
    for (char *at = word; at != NULL && *at != '\0'; at++) {
        *at = *at == '-' ? '_' : *at;
    }
    return put_factory(registry, word, plugin, spec);
}

static bool put_plugin(struct registry *registry, struct plugin *plugin)
{
    const weir_plugin_entry *entry = plugin->entry;
    if (!hashmap_put(&registry->plugins, entry->id, strlen(entry->id), plugin)) {
        return false;
    }
    for (size_t i = 0; entry->factories[i] != NULL; i++) {
        if (!put_by_name(registry, plugin, entry->factories[i]) ||
            !put_qualified(registry, plugin, entry->factories[i])) {
            return false;
        }
    }
    return true;
}

/* `path` first, then what the entry's check says. */
static weir_status check_entry_of(const weir_plugin_entry *entry, const char *path,
                                  struct error *error)
{
    struct error inner = { .status = WEIR_OK };
    weir_status st = plugin_check_entry(entry, &inner);
    if (st != WEIR_OK) {
        error_set(error, st, inner.error_class, "could not load plugin '%s': %s", path,
                  inner.message);
        error_hint(error, "%s", inner.hint);
    }
    return st;
}

static const struct plugin *find_plugin(const struct registry *registry, const char *id)
{
    return hashmap_get(&registry->plugins, id, strlen(id));
}

static weir_status register_entry(struct registry *registry, const weir_plugin_entry *entry,
                                  const char *path, const char *warning, struct error *error)
{
    const struct plugin *holder = find_plugin(registry, entry->id);
    if (holder != NULL && holder->entry == entry) {
        return WEIR_OK;
    }
    if (holder != NULL) {
        error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                  "two plugins have the id '%s': '%s' and '%s'", entry->id, holder->path, path);
        error_hint(error, "remove one of them");
        return WEIR_E_INVALID;
    }
    struct plugin *plugin = arena_zeroed(&registry->arena, sizeof *plugin);
    char *kept_path = arena_copy(&registry->arena, path, strlen(path));
    if (plugin == NULL || kept_path == NULL) {
        return error_no_memory(error);
    }
    *plugin = (struct plugin){ .entry = entry, .path = kept_path, .warning = warning };
    debug_host_note_plugin(entry);
    return put_plugin(registry, plugin) ? WEIR_OK : error_no_memory(error);
}

weir_status registry_add(struct registry *registry, const weir_plugin_entry *entry,
                         const char *path, struct error *error)
{
    weir_status st = check_entry_of(entry, path, error);
    return st == WEIR_OK ? register_entry(registry, entry, path, NULL, error) : st;
}

/* ---- loading --------------------------------------------------------------------------------- */

/* What the loader says; it begins with the path, which our own message has already. */
static weir_status refuse_by_loader(struct error *error, const char *path, const char *real)
{
    const char *reason = dlerror();
    size_t len = strlen(real);
    if (reason == NULL) {
        reason = "the loader gives no reason";
    } else if (strncmp(reason, real, len) == 0 && strncmp(reason + len, ": ", 2) == 0) {
        reason += len + 2;
    }
    return refuse_file(error, path, reason, NULL);
}

/* The exported object; its size is known from the symbol table before any of it is read. */
static weir_status entry_of(void *object, const char *path, const weir_plugin_entry **ret_entry,
                            struct error *error)
{
    const weir_plugin_entry *entry = dlsym(object, WEIR_PLUGIN_SYMBOL);
    if (entry == NULL) {
        return refuse_file(
            error, path, "it does not export " WEIR_PLUGIN_SYMBOL,
            "is it a plugin of weir? WEIR_PLUGIN(...) in one of its files defines that");
    }
    Dl_info info;
    void *found = NULL;
    bool has_symbol = dladdr1(entry, &info, &found, RTLD_DL_SYMENT) != 0 && found != NULL;
    const ElfW(Sym) *symbol = found;
    size_t size = has_symbol ? symbol->st_size : sizeof *entry;
    bool is_object = !has_symbol || ELF64_ST_TYPE(symbol->st_info) == STT_OBJECT;
    if (!is_object || (uintptr_t)entry % alignof(weir_plugin_entry) != 0 ||
        size < offsetof(weir_plugin_entry, value_layout)) {
        return refuse_file(error, path, WEIR_PLUGIN_SYMBOL " is not the entry of a plugin",
                           "define it with WEIR_PLUGIN(...)");
    }
    if (memcmp(entry->magic, WEIR_PLUGIN_MAGIC, sizeof entry->magic) == 0 &&
        entry->struct_size > size) {
        return refuse_file(error, path, "its entry is shorter than its struct_size says", NULL);
    }
    *ret_entry = entry;
    return WEIR_OK;
}

static weir_status map_file(const char *path, const weir_plugin_entry **ret_entry,
                            struct error *error)
{
    char real[PATH_MAX];
    if (realpath(path, real) == NULL) {
        return error_from_errno(error, "find plugin", path);
    }
    /* A refused object stays mapped too: its constructors have run. */
    void *object = dlopen(real, RTLD_NOW | RTLD_LOCAL);
    if (object == NULL) {
        return refuse_by_loader(error, path, real);
    }
    return entry_of(object, path, ret_entry, error);
}

/* What is known of a file that could not be taken. */
struct refusal {
    const char *id; /* NULL: it could not be read */
    bool is_duplicate;
};

static weir_status load_file(struct registry *registry, const char *path, const char *sha256,
                             struct refusal *ret_refusal, struct error *error)
{
    const char *warning = NULL;
    const weir_plugin_entry *entry = NULL;
    weir_status st = plugin_check_file(path, &warning, error);
    if (st == WEIR_OK && sha256 != NULL) {
        st = plugin_check_sha256(path, sha256, error);
    }
    if (st == WEIR_OK) {
        st = map_file(path, &entry, error);
    }
    if (st == WEIR_OK) {
        ret_refusal->id = plugin_entry_id(entry);
        st = check_entry_of(entry, path, error);
    }
    if (st == WEIR_OK) {
        st = register_entry(registry, entry, path, warning, error);
        ret_refusal->is_duplicate = st == WEIR_E_INVALID;
    }
    return st;
}

weir_status registry_load_file(struct registry *registry, const char *path, const char *sha256,
                               struct error *error)
{
    struct refusal refusal = { 0 };
    return load_file(registry, path, sha256, &refusal, error);
}

/* ---- folders --------------------------------------------------------------------------------- */

/* Without memory there is nobody to tell; the plugin is then simply not there. */
static void add_problem(struct registry *registry, const char *path, struct refusal refusal,
                        const struct error *error)
{
    if (registry->problem_count == registry->problem_capacity) {
        size_t capacity = registry->problem_capacity == 0 ? 8 : registry->problem_capacity * 2;
        void *problems = memory_resize(registry->problems, capacity * sizeof *registry->problems);
        if (problems == NULL) {
            return;
        }
        registry->problems = problems;
        registry->problem_capacity = capacity;
    }
    struct plugin_problem problem = { .id = refusal.id, .is_duplicate = refusal.is_duplicate };
    problem.path = arena_copy(&registry->arena, path, strlen(path));
    problem.message = arena_printf(&registry->arena, "%s%s%s", error->message,
                                   error->hint[0] != '\0' ? "; " : "", error->hint);
    if (problem.path != NULL && problem.message != NULL) {
        registry->problems[registry->problem_count++] = problem;
    }
}

static void load_or_note(struct registry *registry, const char *path)
{
    struct error error = { .status = WEIR_OK };
    struct refusal refusal = { 0 };
    if (load_file(registry, path, NULL, &refusal, &error) != WEIR_OK) {
        add_problem(registry, path, refusal, &error);
    }
}

static void visit_file(void *self, const char *path)
{
    load_or_note(self, path);
}

static void visit_fault(void *self, const char *path, const struct error *error)
{
    add_problem(self, path, (struct refusal){ 0 }, error);
}

weir_status registry_load_folder(struct registry *registry, const char *path, struct error *error)
{
    struct search_visitor visitor = { registry, visit_file, visit_fault };
    return search_folder(path, &registry->arena, &visitor, error);
}

void registry_load_default(struct registry *registry)
{
    struct search_visitor visitor = { registry, visit_file, visit_fault };
    search_default(&registry->arena, &visitor);
}

/* ---- answering ------------------------------------------------------------------------------- */

const struct factory *registry_find(const struct registry *registry, const char *kind,
                                    const char *name, size_t len)
{
    char key[512];
    int size = snprintf(key, sizeof key, "%s %.*s", kind, (int)(len < sizeof key ? len : 0), name);
    if (len == 0 || len >= sizeof key || size < 0 || (size_t)size >= sizeof key) {
        return NULL;
    }
    return hashmap_get(&registry->factories, key, (size_t)size);
}

void registry_offer(const struct registry *registry, const char *kind, struct nearest *search)
{
    size_t len = strlen(kind);
    for (size_t i = 0; i < registry->factories.count; i++) {
        const struct hashmap_entry *item = &registry->factories.entries[i];
        const struct factory *factory = item->value;
        /* The qualified names stand there too; they are no help against a slip of the pen. */
        if (strcmp(factory->spec->kind, kind) == 0 &&
            strcmp(item->key + len + 1, factory->spec->name) == 0) {
            nearest_offer(search, factory->spec->name);
        }
    }
}

/* "name.so" or "kind_name.so" */
static bool is_file_of(const char *path, const char *name, size_t len)
{
    const char *slash = strrchr(path, '/');
    const char *base = slash != NULL ? slash + 1 : path;
    size_t base_len = strlen(base);
    if (base_len < len + 3 || strcmp(base + base_len - 3, ".so") != 0) {
        return false;
    }
    const char *tail = base + base_len - 3 - len;
    return memcmp(tail, name, len) == 0 && (tail == base || tail[-1] == '_');
}

const struct plugin_problem *registry_problem(const struct registry *registry, const char *name,
                                              size_t len)
{
    for (size_t i = 0; i < registry->problem_count; i++) {
        const struct plugin_problem *problem = &registry->problems[i];
        bool is_id = problem->id != NULL && strlen(problem->id) == len &&
                     memcmp(problem->id, name, len) == 0;
        if (len > 0 && (is_id || is_file_of(problem->path, name, len))) {
            return problem;
        }
    }
    return NULL;
}
