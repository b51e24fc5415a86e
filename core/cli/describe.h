/* SPDX-License-Identifier: MIT */
/*
 * What a plugin says about itself, from its verified tables alone: none of its code runs.
 * Everything is appended to a buffer; a status other than WEIR_OK is that of the buffer.
 */
#ifndef CLI_DESCRIBE_H
#define CLI_DESCRIBE_H

#include <stdbool.h>

#include <weir/function.h>

#include "base/arena.h"
#include "plugin/registry.h"

enum description_format {
    DESCRIBE_ROWS,     /* for lists; see below */
    DESCRIBE_TEXT,     /* for a terminal */
    DESCRIBE_JSON,     /* one object */
    DESCRIBE_MARKDOWN, /* pages of the reference, one after the other */
    DESCRIBE_FAULTS    /* pairs of a rule's id and what breaks it; see plugin_rules.h */
};

/*
 * kind  only factories of this kind ("operator"); NULL = all
 * name  only what has this name, or all of the plugin where that or its id is the name; NULL = all
 */
struct description {
    const struct plugin *plugin;
    const char *kind;
    const char *name;
    struct arena *arena; /* of short-lived texts */
};

/* A factory or nothing of the plugin is wanted. */
bool description_has(const struct description *description, const weir_factory *factory);

/*
 * ROWS: per factory DESCRIPTION_FIELDS texts, a NUL behind each: kind, name, plugin's id, plugin's
 * name, version, licence, warning ("" = none).
 */
enum { DESCRIPTION_FIELDS = 7 };

weir_status describe(const struct description *description, enum description_format format,
                     weir_buffer *out);
weir_status describe_text(const struct description *description, weir_buffer *out);
weir_status describe_json(const struct description *description, weir_buffer *out);
weir_status describe_markdown(const struct description *description, weir_buffer *out);
weir_status describe_faults(const struct description *description, weir_buffer *out);

/* ---- words that all formats share ---------------------------------------------------------------
 */

/* "operator" of "weir.operator/1"; other kinds as they are. */
const char *describe_kind(const weir_factory *factory, struct arena *arena);
/* What a sink promises ("at-least-once", ...); NULL for other kinds. */
const char *describe_promise(const weir_factory *factory);
/* "named by its options", of an operator whose outputs are; else NULL. */
const char *describe_named_outputs(const weir_factory *factory);
/* A function's table; NULL for other kinds. */
const weir_function_vtable *describe_function(const weir_factory *factory);
/* "1 to 1000", "at least 1 s", "table, json"; "" where everything is allowed. */
const char *describe_limits(const weir_option *option, struct arena *arena);
struct page;
/* Text of a table's cell in markdown. */
void describe_cell(struct page *page, const char *text);
/* Rows of such a table, "| `PATHname` | type | default | meaning |": of one option; of all options of a
 * table, each with those inside. */
void describe_option_row(struct page *page, const char *path, const weir_option *option,
                         struct arena *arena);
void describe_option_rows(struct page *page, const char *path, const weir_option *table,
                          struct arena *arena);
/* What its options say beyond their line, under headings. */
void describe_option_docs(struct page *page, const char *path, const weir_option *table,
                          struct arena *arena);
/* The table inside an option or inside its elements; NULL: none. */
const weir_option *describe_nested(const weir_option *option);

#endif
