/* SPDX-License-Identifier: MIT */
/*
 * What in a plugin's tables breaks a rule for plugins, as pairs of texts with a NUL behind each: the
 * rule's id, and what was found. That the tables are right has been verified before.
 */
#include <string.h>

#include "cli/describe.h"
#include "cli/page.h"
#include "cli/plugin_rules.h"
#include "cli/plugin_words.h"

enum { MAX_SUMMARY = 120 };

struct search {
    struct page page;
    struct arena *arena;
};

static void add(struct search *search, enum rule_id rule, const char *found)
{
    page_bytes(&search->page, plugin_rules[rule].id, strlen(plugin_rules[rule].id) + 1);
    found = found != NULL ? found : "out of memory";
    page_bytes(&search->page, found, strlen(found) + 1);
}

static bool is_good_summary(const char *text)
{
    size_t len = strlen(text);
    bool has_stop = len > 0 && text[len - 1] == '.';
    bool has_dots = len > 3 && strcmp(text + len - 3, "...") == 0; /* and so on */
    return len <= MAX_SUMMARY && len > 0 && (!has_stop || has_dots);
}

/* owner: "operator 'filter'" */
static void judge_summary(struct search *search, const char *owner, const char *summary)
{
    if (!is_good_summary(summary)) {
        add(search, RULE_SUMMARIES, arena_printf(search->arena, "that of %s", owner));
    }
}

/* The depth of nested tables is bounded by plugin_check_entry. */
static void judge_options(struct search *search, const char *owner, const weir_option *table)
{
    for (const weir_option *option = table; option != NULL && option->name != NULL; option++) {
        const char *name = arena_printf(search->arena, "option '%s' of %s", option->name, owner);
        judge_summary(search, name != NULL ? name : owner, option->summary);
        judge_options(search, name != NULL ? name : owner, describe_nested(option));
    }
}

static void judge_factory(struct search *search, const weir_factory *factory)
{
    const weir_function_vtable *function = describe_function(factory);
    const char *owner = arena_printf(search->arena, "%s '%s'",
                                     describe_kind(factory, search->arena), factory->name);
    owner = owner != NULL ? owner : factory->name;
    if (function != NULL && (function->example == NULL || function->example_result == NULL)) {
        add(search, RULE_DOCUMENTED, arena_printf(search->arena, "%s has no example", owner));
    }
    if (function == NULL && (factory->doc == NULL || factory->doc[0] == '\0')) {
        add(search, RULE_DOCUMENTED, arena_printf(search->arena, "%s has no doc", owner));
    }
    judge_summary(search, owner, factory->summary);
    judge_options(search, owner, factory->options);
}

weir_status describe_faults(const struct description *description, weir_buffer *out)
{
    struct search search = { .page = { .out = out }, .arena = description->arena };
    const weir_plugin_entry *entry = description->plugin->entry;
    if (!word_is_spdx(entry->license)) {
        add(&search, RULE_LICENCE,
            arena_printf(search.arena, "it is '%s'; others than SPDX's are written LicenseRef-NAME",
                         entry->license));
    }
    if (!word_is_version(entry->version)) {
        add(&search, RULE_VERSION, arena_printf(search.arena, "it is '%s'", entry->version));
    }
    judge_summary(&search, "the plugin", entry->summary);
    for (const weir_factory *const *factory = entry->factories; *factory != NULL; factory++) {
        judge_factory(&search, *factory);
    }
    return search.page.status;
}
