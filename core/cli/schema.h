/* SPDX-License-Identifier: MIT */
/*
 * The pipeline file as a JSON Schema (draft 2020-12), from the tables by which it is read. It judges
 * what a file looks like; what only the reader can tell (names that belong together, expressions,
 * ranges of quoted numbers and of what has a unit) is left to `weir check`. It is stricter than the
 * reader in one thing: an unquoted null is no text to it, since an editor cannot tell it from nothing.
 */
#ifndef CLI_SCHEMA_H
#define CLI_SCHEMA_H

#include "cli/json_writer.h"
#include "plugin/registry.h"

/* Definitions that all schemas refer to: text, variable, expression, duration, ... */
void schema_common(struct json_writer *writer);
/* {"$ref": "#/$defs/NAME"} */
void schema_reference(struct json_writer *writer, const char *name, const char *definition);
/* A text, or what YAML takes for a number or a bool. Part of an object. */
void schema_text_type(struct json_writer *writer);
/* The summary, and behind it what else is told; doc may be NULL. */
void schema_description(struct json_writer *writer, const char *summary, const char *doc,
                        struct arena *arena);

/* One option's value, as an object of its own. */
void schema_option(struct json_writer *writer, const char *name, const weir_option *option,
                   struct arena *arena);
/* What may stand behind a plugin's name, as parts of an object: options by name, or the body. table:
 * may be NULL. */
void schema_options(struct json_writer *writer, const weir_option *table, struct arena *arena);
/* The definition of `kafka:`, with the properties that the installed librdkafka has. False: no memory. */
bool schema_kafka(struct json_writer *writer, struct arena *arena);
/* True where a name alone will do. */
bool schema_has_no_required(const weir_option *table);

/* The same tables as a page for people; plugins have pages of their own. */
struct page;
void schema_markdown(struct page *page, struct arena *arena);

/* The whole. False: no memory. */
bool schema_file(struct json_writer *writer, const struct registry *registry, struct arena *arena);

#endif
