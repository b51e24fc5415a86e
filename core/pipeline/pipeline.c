/* SPDX-License-Identifier: MIT */
/*
 * A pipeline from its file: the order in which the parts are resolved, and what they share.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/function.h>

#include "base/file.h"
#include "base/memory.h"
#include "pipeline/flow.h"
#include "pipeline/parts.h"
#include "pipeline/yaml_tree.h"
#include "plugin/debug/debug_host.h"
#include "plugin/debug/guard_function.h"

/* ---- what expressions may refer to ----------------------------------------------------------- */

static const struct expr_function *find_function(void *self, const char *name, size_t len)
{
    struct pipeline *pipeline = self;
    const struct factory *factory =
        registry_find(pipeline->registry, WEIR_KIND_FUNCTION, name, len);
    if (factory == NULL || factory->is_ambiguous) {
        return NULL;
    }
    struct expr_function *function = arena_alloc(&pipeline->arena, sizeof *function);
    if (function != NULL) {
        *function =
            (struct expr_function){ .name = factory->spec->name,
                                    .vtable = factory->spec->vtable,
                                    .host = &pipeline->function_host.host,
                                    .evaluate = debug_host_is_on() ? guard_evaluate : NULL };
    }
    return function;
}

static void offer_functions(void *self, struct nearest *search)
{
    const struct pipeline *pipeline = self;
    registry_offer(pipeline->registry, WEIR_KIND_FUNCTION, search);
}

/* An id as it is written in front of a function's name: an expression would subtract at a '-'. */
static const char *id_in_expressions(struct arena *arena, const struct plugin *plugin)
{
    char *id = arena_copy(arena, plugin->entry->id, strlen(plugin->entry->id));
    for (char *at = id; at != NULL && *at != '\0'; at++) {
        if (*at == '-') {
            *at = '_';
        }
    }
    return id;
}

static const char *why_no_function(void *self, const char *name, size_t len)
{
    struct pipeline *pipeline = self;
    const struct factory *factory =
        registry_find(pipeline->registry, WEIR_KIND_FUNCTION, name, len);
    if (factory == NULL || !factory->is_ambiguous) {
        return NULL;
    }
    const char *first = id_in_expressions(&pipeline->arena, factory->plugin);
    const char *second = id_in_expressions(&pipeline->arena, factory->rival);
    if (first == NULL || second == NULL) {
        return NULL;
    }
    const char *plain = factory->spec->name;
    return arena_printf(&pipeline->arena,
                        "two plugins bring a function '%s'; write '%s.%s' or '%s.%s'", plain, first,
                        plain, second, plain);
}

static const char *get_env(void *self, const char *name)
{
    (void)self;
    return getenv(name);
}

/* ---- life ------------------------------------------------------------------------------------ */

static struct pipeline *create(const char *path, struct registry *registry)
{
    struct pipeline *pipeline = memory_zeroed(1, sizeof *pipeline);
    if (pipeline == NULL) {
        return NULL;
    }
    arena_init(&pipeline->arena, 0);
    symbols_init(&pipeline->symbols);
    pipeline->registry = registry;
    kafka_settings_init(&pipeline->kafka);
    pipeline->services = (struct services){ .symbols = &pipeline->symbols };
    instance_init_host(&pipeline->function_host, &pipeline->services, "expressions");
    pipeline->env = (struct expr_env){ .symbols = &pipeline->symbols,
                                       .arena = &pipeline->arena,
                                       .find_function = find_function,
                                       .offer_functions = offer_functions,
                                       .get_env = get_env,
                                       .self = pipeline,
                                       .prepared = &pipeline->prepared,
                                       .why_not = why_no_function };
    pipeline->file = arena_copy(&pipeline->arena, path, strlen(path));
    pipeline->folder = file_folder(&pipeline->arena, path);
    if (pipeline->file == NULL || pipeline->folder == NULL) {
        pipeline_destroy(pipeline);
        return NULL;
    }
    return pipeline;
}

void pipeline_destroy(struct pipeline *pipeline)
{
    if (pipeline == NULL) {
        return;
    }
    expr_release(&pipeline->prepared);
    instance_deinit_host(&pipeline->function_host);
    symbols_deinit(&pipeline->symbols);
    arena_deinit(&pipeline->arena);
    memory_free(pipeline);
}

/* ---- loading --------------------------------------------------------------------------------- */

/* The file's text outlives the pipeline, since diagnostics point into it. NULL after a report. */
static const struct document_file *read_file(const char *path, struct diagnostics *diagnostics)
{
    struct document_file *file = arena_zeroed(diagnostics->arena, sizeof *file);
    char *name = arena_copy(diagnostics->arena, path, strlen(path));
    char *text = NULL;
    size_t size = 0;
    struct error error = { 0 };
    if (file == NULL || name == NULL) {
        diagnostics->is_out_of_memory = true;
        return NULL;
    }
    if (file_read(path, YAML_MAX_BYTES, diagnostics->arena, &text, &size, &error) != WEIR_OK) {
        diagnostics_add(diagnostics, SEVERITY_ERROR, (struct place){ 0 }, "%s%s%s", error.message,
                        error.hint[0] != '\0' ? "; " : "", error.hint);
        return NULL;
    }
    *file = (struct document_file){ name, text, size };
    return file;
}

/* Two plugins with one id, wherever they were found, leave open which one a file means. */
static void check_plugins(struct resolver *resolver)
{
    const struct registry *registry = resolver->pipeline->registry;
    for (size_t i = 0; i < registry->problem_count; i++) {
        if (registry->problems[i].is_duplicate) {
            resolver_fault(resolver, resolver->top, "%s", registry->problems[i].message);
        }
    }
    if (registry->plugins.count == 0 && registry->problem_count > 0) {
        resolver_fault(resolver, resolver->top, "no plugin could be loaded; of the first: %s",
                       registry->problems[0].message);
    } else if (registry->plugins.count == 0) {
        resolver_fault(resolver, resolver->top,
                       "no plugins are found, not even the built-in ones; set WEIR_PLUGIN_PATH to "
                       "their folder");
    }
}

static void resolve(struct resolver *resolver, const struct node *root)
{
    struct top_level top;
    top_level_read(resolver, root, &top);
    if (top.plugins != NULL) {
        plugin_list_load(resolver, top.plugins);
    }
    check_plugins(resolver);
    if (resolver->pipeline->registry->plugins.count == 0) {
        return;
    }
    if (top.topics != NULL) {
        topics_read(resolver, top.topics);
    }
    if (top.streams != NULL) {
        streams_declare(resolver, top.streams);
        streams_resolve(resolver);
        outputs_resolve(resolver);
    }
    dead_letters_read(resolver, top.dead_letters);
    flow_check(resolver);
    cycles_check(resolver);
    sink_paths_check(resolver);
    was_check(resolver);
    unused_check(resolver);
    source_topics_assign(resolver);
    repartition_topics_assign(resolver);
    memory_check(resolver, top.memory);
    partitions_check(resolver);
}

static void resolver_init(struct resolver *resolver, struct pipeline *pipeline,
                          const struct document_file *file, struct diagnostics *diagnostics)
{
    *resolver = (struct resolver){ .pipeline = pipeline, .diagnostics = diagnostics };
    resolver->scope = (struct options_scope){ .arena = &pipeline->arena,
                                              .diagnostics = diagnostics,
                                              .env = &pipeline->env,
                                              .folder = pipeline->folder,
                                              .streams = &resolver->option_streams };
    resolver->top = (struct place){ .file = file };
    hashmap_init(&resolver->topics);
    hashmap_init(&resolver->streams);
}

static void resolver_deinit(struct resolver *resolver)
{
    hashmap_deinit(&resolver->topics);
    hashmap_deinit(&resolver->streams);
}

static void resolve_file(struct pipeline *pipeline, const struct document_file *file,
                         struct diagnostics *diagnostics)
{
    struct resolver resolver;
    const struct node *root = yaml_parse(file, &pipeline->arena, diagnostics);
    if (root == NULL) {
        return;
    }
    resolver_init(&resolver, pipeline, file, diagnostics);
    resolve(&resolver, root);
    resolver_deinit(&resolver);
}

struct pipeline *pipeline_read(const struct document_file *file, struct registry *registry,
                               struct diagnostics *diagnostics)
{
    size_t errors = diagnostics->error_count;
    struct pipeline *pipeline = create(file->name, registry);
    if (pipeline == NULL) {
        diagnostics->is_out_of_memory = true;
        return NULL;
    }
    resolve_file(pipeline, file, diagnostics);
    diagnostics_sort(diagnostics);
    if (diagnostics->error_count > errors || diagnostics->is_out_of_memory) {
        pipeline_destroy(pipeline);
        return NULL;
    }
    return pipeline;
}

struct pipeline *pipeline_load(const char *path, struct registry *registry,
                               struct diagnostics *diagnostics)
{
    const struct document_file *file = read_file(path, diagnostics);
    return file != NULL ? pipeline_read(file, registry, diagnostics) : NULL;
}

/* The faults of a file that is being written are not in the way of its plugins. */
static const struct node *listed_plugins(struct pipeline *pipeline,
                                         const struct document_file *file)
{
    struct diagnostics ignored;
    diagnostics_init(&ignored, &pipeline->arena);
    const struct node *root = yaml_parse(file, &pipeline->arena, &ignored);
    diagnostics_deinit(&ignored);
    return root != NULL && root->kind == NODE_MAP ? node_get(root, "plugins") : NULL;
}

bool pipeline_load_plugins(const char *path, struct registry *registry,
                           struct diagnostics *diagnostics)
{
    size_t errors = diagnostics->error_count;
    struct resolver resolver;
    const struct document_file *file = read_file(path, diagnostics);
    struct pipeline *pipeline = file != NULL ? create(file->name, registry) : NULL;
    if (pipeline == NULL) {
        diagnostics->is_out_of_memory |= file != NULL;
        return false;
    }
    const struct node *list = listed_plugins(pipeline, file);
    resolver_init(&resolver, pipeline, file, diagnostics);
    if (list != NULL) {
        plugin_list_load(&resolver, list);
    }
    resolver_deinit(&resolver);
    pipeline_destroy(pipeline);
    return diagnostics->error_count == errors && !diagnostics->is_out_of_memory;
}
