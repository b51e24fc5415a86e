/* SPDX-License-Identifier: MIT */
/*
 * A plugin's description for a terminal.
 */
#include "cli/describe.h"
#include "cli/page.h"
#include "plugin/options.h"

/* "label: text", nothing where there is no text. */
static void put_line(struct page *page, int indent, const char *label, const char *text)
{
    if (text != NULL && text[0] != '\0') {
        page_printf(page, "%*s%s: %s\n", indent, "", label, text);
    }
}

static void put_names(struct page *page, const char *label, const char *const *names)
{
    if (names == NULL || names[0] == NULL) {
        return;
    }
    page_printf(page, "  %s:", label);
    for (; *names != NULL; names++) {
        page_printf(page, " %s", *names);
    }
    page_text(page, "\n");
}

/* name (type: limits, default, ...) */
static void put_option_head(struct page *page, const weir_option *option, int indent,
                            struct arena *arena)
{
    const char *limits = describe_limits(option, arena);
    page_printf(page, "%*s%s (%s", indent, "", option->name, option_type_text(option, arena));
    if (limits[0] != '\0') {
        page_printf(page, ": %s", limits);
    }
    if ((option->flags & WEIR_OPTION_REQUIRED) != 0) {
        page_text(page, ", required");
    } else if (option->default_text != NULL) {
        page_printf(page, ", default %s", option->default_text);
    }
    if ((option->flags & WEIR_OPTION_BODY) != 0) {
        page_text(page, ", the body");
    }
    if ((option->flags & WEIR_OPTION_DEPRECATED) != 0) {
        page_text(page, ", deprecated");
    }
    if (option->since != NULL) {
        page_printf(page, ", since %s", option->since);
    }
    page_text(page, ")\n");
}

/* The depth of nested tables is bounded by plugin_check_entry. */
static void put_options(struct page *page, const weir_option *table, int indent,
                        struct arena *arena)
{
    for (const weir_option *option = table; option->name != NULL; option++) {
        const weir_option *nested = describe_nested(option);
        put_option_head(page, option, indent, arena);
        page_block(page, indent + 4, option->summary);
        if (option->doc != NULL) {
            page_block(page, indent + 4, option->doc);
        }
        if (nested != NULL) {
            put_options(page, nested, indent + 4, arena);
        }
    }
}

static void put_function(struct page *page, const weir_function_vtable *function)
{
    put_line(page, 2, "signature", function->signature);
    put_line(page, 2, "example", function->example);
    put_line(page, 2, "gives", function->example_result);
}

static void put_factory(struct page *page, const weir_factory *factory, struct arena *arena)
{
    const weir_function_vtable *function = describe_function(factory);
    page_printf(page, "\n%s %s\n", describe_kind(factory, arena), factory->name);
    page_block(page, 2, factory->summary);
    if (factory->doc != NULL) {
        page_block(page, 2, factory->doc);
    }
    put_line(page, 2, "promise", describe_promise(factory));
    if (function != NULL) {
        put_function(page, function);
    }
    put_names(page, "inputs", factory->inputs);
    put_names(page, "outputs", factory->outputs);
    put_line(page, 2, "outputs", describe_named_outputs(factory));
    if (factory->options != NULL && factory->options[0].name != NULL) {
        page_text(page, "  options:\n");
        put_options(page, factory->options, 4, arena);
    }
}

static void put_head(struct page *page, const struct plugin *plugin)
{
    const weir_plugin_entry *entry = plugin->entry;
    page_printf(page, "%s %s (%s)\n", entry->name, entry->version, entry->id);
    put_line(page, 2, "summary", entry->summary);
    put_line(page, 2, "vendor", entry->vendor);
    put_line(page, 2, "licence", entry->license);
    put_line(page, 2, "url", entry->url);
    put_line(page, 2, "file", plugin->path);
    put_line(page, 2, "warning", plugin->warning);
    page_printf(page, "  built for: plugin ABI %u.%u, value layout %u\n",
                (unsigned)entry->abi_major, (unsigned)entry->abi_minor, entry->value_layout);
}

weir_status describe_text(const struct description *description, weir_buffer *out)
{
    const weir_factory *const *factory = description->plugin->entry->factories;
    struct page page = { .out = out };
    put_head(&page, description->plugin);
    for (; *factory != NULL; factory++) {
        if (description_has(description, *factory)) {
            put_factory(&page, *factory, description->arena);
        }
    }
    return page.status;
}
