/* SPDX-License-Identifier: MIT */
/*
 * A plugin's description as one JSON object. Members that hold nothing are left out.
 */
#include <inttypes.h>
#include <stdio.h>

#include "cli/describe.h"
#include "cli/page.h"
#include "plugin/options.h"

/* The object or list that is being written. */
struct writer {
    struct page page;
    struct arena *arena;
    bool is_begun; /* a comma is due */
};

static void put_comma(struct writer *writer)
{
    page_text(&writer->page, writer->is_begun ? "," : "");
    writer->is_begun = true;
}

static void put_name(struct writer *writer, const char *name)
{
    put_comma(writer);
    page_printf(&writer->page, "\"%s\":", name);
}

static void begin(struct writer *writer, const char *bracket)
{
    page_text(&writer->page, bracket);
    writer->is_begun = false;
}

static void end(struct writer *writer, const char *bracket)
{
    page_text(&writer->page, bracket);
    writer->is_begun = true;
}

static void member_text(struct writer *writer, const char *name, const char *text)
{
    if (text != NULL) {
        put_name(writer, name);
        page_json(&writer->page, text);
    }
}

static void member_int(struct writer *writer, const char *name, int64_t number)
{
    put_name(writer, name);
    page_printf(&writer->page, "%" PRId64, number);
}

static void member_flag(struct writer *writer, const char *name, bool is_set)
{
    if (is_set) {
        put_name(writer, name);
        page_text(&writer->page, "true");
    }
}

static void member_names(struct writer *writer, const char *name, const char *const *names)
{
    if (names == NULL) {
        return;
    }
    put_name(writer, name);
    begin(writer, "[");
    for (; *names != NULL; names++) {
        put_comma(writer);
        page_json(&writer->page, *names);
    }
    end(writer, "]");
}

static void put_options(struct writer *writer, const char *name, const weir_option *table);

/* The depth of nested tables is bounded by plugin_check_entry. */
static void put_option(struct writer *writer, const weir_option *option)
{
    begin(writer, "{");
    member_text(writer, "name", option->name);
    member_text(writer, "type", option_type_text(option, writer->arena));
    member_flag(writer, "required", (option->flags & WEIR_OPTION_REQUIRED) != 0);
    member_flag(writer, "body", (option->flags & WEIR_OPTION_BODY) != 0);
    member_flag(writer, "deprecated", (option->flags & WEIR_OPTION_DEPRECATED) != 0);
    member_text(writer, "default", option->default_text);
    if (option->min != 0 || option->max != 0) {
        member_int(writer, "min", option->min);
        member_int(writer, "max", option->max);
    }
    member_names(writer, "enum", option->enum_names);
    member_text(writer, "since", option->since);
    member_text(writer, "summary", option->summary);
    member_text(writer, "doc", option->doc);
    if (option->element != NULL) {
        put_name(writer, "element");
        put_option(writer, option->element);
    }
    put_options(writer, "fields", option->fields);
    end(writer, "}");
}

static void put_options(struct writer *writer, const char *name, const weir_option *table)
{
    if (table == NULL) {
        return;
    }
    put_name(writer, name);
    begin(writer, "[");
    for (const weir_option *option = table; option->name != NULL; option++) {
        put_comma(writer);
        put_option(writer, option);
    }
    end(writer, "]");
}

static void put_factory(struct writer *writer, const weir_factory *factory)
{
    const weir_function_vtable *function = describe_function(factory);
    begin(writer, "{");
    member_text(writer, "kind", describe_kind(factory, writer->arena));
    member_text(writer, "name", factory->name);
    member_text(writer, "summary", factory->summary);
    member_text(writer, "doc", factory->doc);
    member_text(writer, "promise", describe_promise(factory));
    if (function != NULL) {
        member_text(writer, "signature", function->signature);
        member_text(writer, "example", function->example);
        member_text(writer, "example_result", function->example_result);
    }
    member_names(writer, "inputs", factory->inputs);
    member_names(writer, "outputs", factory->outputs);
    member_flag(writer, "outputs_named_by_options", describe_named_outputs(factory) != NULL);
    put_options(writer, "options", factory->options);
    end(writer, "}");
}

static void put_plugin(struct writer *writer, const struct plugin *plugin)
{
    const weir_plugin_entry *entry = plugin->entry;
    char abi[16];
    snprintf(abi, sizeof abi, "%u.%u", (unsigned)entry->abi_major, (unsigned)entry->abi_minor);
    member_text(writer, "id", entry->id);
    member_text(writer, "name", entry->name);
    member_text(writer, "version", entry->version);
    member_text(writer, "vendor", entry->vendor);
    member_text(writer, "license", entry->license);
    member_text(writer, "url", entry->url);
    member_text(writer, "summary", entry->summary);
    member_text(writer, "file", plugin->path);
    member_text(writer, "warning", plugin->warning);
    member_text(writer, "abi", abi);
    member_int(writer, "value_layout", entry->value_layout);
}

weir_status describe_json(const struct description *description, weir_buffer *out)
{
    struct writer writer = { .page = { .out = out }, .arena = description->arena };
    const weir_factory *const *factory = description->plugin->entry->factories;
    begin(&writer, "{");
    put_plugin(&writer, description->plugin);
    put_name(&writer, "factories");
    begin(&writer, "[");
    for (; *factory != NULL; factory++) {
        if (description_has(description, *factory)) {
            put_comma(&writer);
            put_factory(&writer, *factory);
        }
    }
    end(&writer, "]");
    end(&writer, "}");
    return writer.page.status;
}
