/* SPDX-License-Identifier: MIT */
/*
 * A plugin's description as pages of the reference. Nothing in it depends on the machine or on the
 * version, so that a page changes only when the plugin's tables do.
 */
#include "cli/describe.h"
#include "cli/page.h"
#include "plugin/options.h"

/* Text of a table's cell: a bar would end it, a line break too. */
void describe_cell(struct page *page, const char *text)
{
    for (; *text != '\0'; text++) {
        if (*text == '|') {
            page_text(page, "\\|");
        } else {
            page_bytes(page, *text == '\n' ? " " : text, 1);
        }
    }
}

static void put_default(struct page *page, const weir_option *option)
{
    if ((option->flags & WEIR_OPTION_REQUIRED) != 0) {
        page_text(page, "required");
    } else if (option->default_text != NULL) {
        page_text(page, "`");
        describe_cell(page, option->default_text);
        page_text(page, "`");
    }
}

/* | `name` | type | default | summary | */
void describe_option_row(struct page *page, const char *path, const weir_option *option,
                         struct arena *arena)
{
    const char *limits = describe_limits(option, arena);
    page_printf(page, "| `%s%s`", path, option->name);
    page_text(page, (option->flags & WEIR_OPTION_BODY) != 0 ? " (body)" : "");
    page_text(page, (option->flags & WEIR_OPTION_DEPRECATED) != 0 ? " (deprecated)" : "");
    page_text(page, " | ");
    describe_cell(page, option_type_text(option, arena));
    page_text(page, limits[0] != '\0' ? ": " : "");
    describe_cell(page, limits);
    page_text(page, " | ");
    put_default(page, option);
    page_text(page, " | ");
    describe_cell(page, option->summary);
    page_text(page, " |\n");
}

/* "path.name." of a table inside an option. */
static const char *inner_path(const char *path, const weir_option *option, struct arena *arena)
{
    const char *inner = arena_printf(arena, "%s%s.", path, option->name);
    return inner != NULL ? inner : path;
}

/* The rows of a table and, behind each, those of its own table. Depth: see plugin_check_entry. */
void describe_option_rows(struct page *page, const char *path, const weir_option *table,
                          struct arena *arena)
{
    for (const weir_option *option = table; option->name != NULL; option++) {
        const weir_option *nested = describe_nested(option);
        describe_option_row(page, path, option, arena);
        if (nested != NULL) {
            describe_option_rows(page, inner_path(path, option, arena), nested, arena);
        }
    }
}

/* What options say beyond their line. */
void describe_option_docs(struct page *page, const char *path, const weir_option *table,
                          struct arena *arena)
{
    for (const weir_option *option = table; option->name != NULL; option++) {
        const weir_option *nested = describe_nested(option);
        if (option->doc != NULL) {
            page_printf(page, "\n### `%s%s`\n\n", path, option->name);
            page_block(page, 0, option->doc);
        }
        if (nested != NULL) {
            describe_option_docs(page, inner_path(path, option, arena), nested, arena);
        }
    }
}

static void put_options(struct page *page, const weir_option *table, struct arena *arena)
{
    if (table == NULL || table[0].name == NULL) {
        page_text(page, "\nNo options.\n");
        return;
    }
    page_text(page, "\n## Options\n\n| option | type | default | meaning |\n|---|---|---|---|\n");
    describe_option_rows(page, "", table, arena);
    describe_option_docs(page, "", table, arena);
}

static void put_function(struct page *page, const weir_function_vtable *function)
{
    page_printf(page, "\nSignature: `%s`\n", function->signature);
    if (function->example != NULL && function->example_result != NULL) {
        page_printf(page, "\nExample: `%s` gives `%s`\n", function->example,
                    function->example_result);
    }
}

static void put_ports(struct page *page, const char *label, const char *const *names)
{
    if (names == NULL || names[0] == NULL) {
        return;
    }
    page_printf(page, "\n%s:", label);
    for (; *names != NULL; names++) {
        page_printf(page, " `%s`", *names);
    }
    page_text(page, "\n");
}

static void put_page(struct page *page, const struct description *description,
                     const weir_factory *factory)
{
    const weir_plugin_entry *entry = description->plugin->entry;
    const weir_function_vtable *function = describe_function(factory);
    const char *promise = describe_promise(factory);
    page_printf(page, "# %s (%s)\n\n%s.\n", factory->name,
                describe_kind(factory, description->arena), factory->summary);
    if (factory->doc != NULL) {
        page_text(page, "\n");
        page_block(page, 0, factory->doc);
    }
    if (promise != NULL) {
        page_printf(page, "\nPromise: %s.\n", promise);
    }
    put_ports(page, "Inputs", factory->inputs);
    put_ports(page, "Outputs", factory->outputs);
    if (describe_named_outputs(factory) != NULL) {
        page_printf(page, "\nOutputs: %s.\n", describe_named_outputs(factory));
    }
    if (function != NULL) {
        put_function(page, function);
    } else {
        put_options(page, factory->options, description->arena);
    }
    page_printf(page, "\nFrom plugin `%s`, licence %s.\n", entry->id, entry->license);
}

weir_status describe_markdown(const struct description *description, weir_buffer *out)
{
    const weir_factory *const *factory = description->plugin->entry->factories;
    struct page page = { .out = out };
    for (; *factory != NULL; factory++) {
        if (description_has(description, *factory)) {
            page_text(&page, out->size > 0 ? "\n" : "");
            put_page(&page, description, *factory);
        }
    }
    return page.status;
}
