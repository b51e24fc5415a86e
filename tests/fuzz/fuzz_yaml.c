/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as a pipeline file: the YAML reader, the places that it gives, and everything that
 * resolves a file, over small plugins that are linked in. What it checks beyond not crashing: places
 * lie in the file and never go backwards, the limits hold, and a file without a pipeline has a fault.
 */
#include <stdlib.h>
#include <string.h>

#include "base/buffer.h"
#include "pipeline/pipeline.h"
#include "pipeline/pipeline_fixture_plugins.h"
#include "pipeline/yaml_tree.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
const char *__lsan_default_suppressions(void);

/* libfyaml 0.7.12 loses some blocks of its own over a long run of quotes inside single quotes. What
 * we would lose of its objects, the unit tests find. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

static void require(bool is_right)
{
    if (!is_right) {
        abort();
    }
}

static void check_place(struct place place)
{
    require(place.offset <= place.file->size);
    require(place.length <= place.file->size - place.offset);
}

static void check_scalar(const struct node *node)
{
    require(node->text != NULL && node->text[node->text_len] == '\0');
    for (size_t i = 0; node->offsets != NULL && i < node->text_len; i++) {
        require(node->offsets[i] <= node->offsets[i + 1]);
        require(node->offsets[i + 1] <= node->place.file->size);
    }
    check_place(node_text_place(node, 0, node->text_len));
}

/* Returns the number of nodes, aliases counted with all that they stand for. */
static size_t check_node(const struct node *node, size_t depth)
{
    size_t count = 1;
    require(depth <= YAML_MAX_DEPTH);
    check_place(node->place);
    if (node->kind == NODE_SCALAR) {
        check_scalar(node);
    }
    for (size_t i = 0; i < node->count; i++) {
        if (node->kind == NODE_MAP) {
            require(node->pairs[i].key->kind == NODE_SCALAR);
            count += 1 + check_node(node->pairs[i].value, depth + 1);
        } else {
            count += check_node(node->items[i], depth + 1);
        }
    }
    return count;
}

static void write_all(struct diagnostics *diagnostics)
{
    weir_buffer out;
    buffer_init(&out, 1024 * 1024);
    diagnostics_sort(diagnostics);
    for (size_t i = 0; i < diagnostics->count; i++) {
        buffer_clear(&out);
        diagnostic_write(&diagnostics->list[i], i % 2 == 0, &out);
        diagnostic_write_json(&diagnostics->list[i], &out);
    }
    buffer_deinit(&out);
}

static void read_tree(const struct document_file *file)
{
    struct arena arena;
    struct diagnostics diagnostics;
    arena_init(&arena, 0);
    diagnostics_init(&diagnostics, &arena);
    const struct node *root = yaml_parse(file, &arena, &diagnostics);
    require(root != NULL || diagnostics.error_count > 0);
    if (root != NULL) {
        require(check_node(root, 0) <= YAML_MAX_NODES);
    }
    write_all(&diagnostics);
    diagnostics_deinit(&diagnostics);
    arena_deinit(&arena);
}

static void resolve(const struct document_file *file)
{
    struct arena arena;
    struct diagnostics diagnostics;
    struct registry registry;
    struct error error = { 0 };
    arena_init(&arena, 0);
    diagnostics_init(&diagnostics, &arena);
    registry_init(&registry);
    require(registry_add(&registry, &fixture_entry, "fixture.so", &error) == WEIR_OK);
    require(registry_add(&registry, &rival_entry, "rival.so", &error) == WEIR_OK);
    struct pipeline *pipeline = pipeline_read(file, &registry, &diagnostics);
    require((pipeline == NULL) == (diagnostics.error_count > 0));
    write_all(&diagnostics);
    pipeline_destroy(pipeline);
    registry_deinit(&registry);
    diagnostics_deinit(&diagnostics);
    arena_deinit(&arena);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct document_file file = { "fuzz.yaml", (const char *)data, size };
    read_tree(&file);
    /* A plugin that the input names would be loaded. */
    if (size == 0 || memmem(data, size, "plugins", 7) == NULL) {
        resolve(&file);
    }
    return 0;
}
