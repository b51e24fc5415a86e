/* SPDX-License-Identifier: MIT */
/*
 * Options: reads what a file says about a plugin by the plugin's own table, checks everything,
 * fills the config struct.
 */
#ifndef PLUGIN_OPTIONS_H
#define PLUGIN_OPTIONS_H

#include <weir/option.h>

#include "base/document.h"
#include "expr/expr.h"

/* A stream that an option names. option: the name of the option; stream: ended by a NUL. */
struct option_stream {
    const char *option;
    const char *stream;
    struct place place;
};

/* In the order in which they were read. */
struct option_streams {
    struct option_stream *items;
    size_t count;
    size_t capacity;
};

/*
 * arena        of config structs, texts, lists; lives as long as the instances
 * diagnostics  where faults go
 * folder       relative paths are relative to it
 * streams      where the streams go that options name; NULL where none can
 */
struct options_scope {
    struct arena *arena;
    struct diagnostics *diagnostics;
    const struct expr_env *env;
    const char *folder;
    struct option_streams *streams;
};

/*
 * Fills `config` (zeroed, config_size bytes) from `body`.
 *
 * subject  for messages: "operator 'filter'"
 * place    of the plugin's name, for what is missing
 * body     the node behind the name: the body option's value, a map of options, or NULL (the name
 *          alone). A map is the body where its type is always one (map, struct, any), or may be one
 *          (expression, secret, list) and none of its keys is an option; else the options by name
 * Returns false when an error was reported.
 */
bool options_fill(const struct options_scope *scope, const char *subject, struct place place,
                  const weir_option *table, const struct node *body, void *config);

/* One value of one option into `field`; what options_fill does for each. */
bool option_read(const struct options_scope *scope, const weir_option *option,
                 const struct node *node, void *field);

/* An expression from a node: scalar, or map or list of its members'. NULL after a report. */
weir_expression *option_read_expression(const struct options_scope *scope, const struct node *node);

/*
 * Judges an expression that was read from this document for records whose value is of a known type
 * (expr_judge); what is found is reported at its place. ret_where may be NULL.
 */
const weir_type *option_judge(const struct options_scope *scope, struct type_room *room,
                              const weir_expression *expression, const weir_type *value,
                              const weir_type **ret_where);
/* The same for one whose result must be of one of these kinds; taker: who wants that. */
const weir_type *option_judge_wanted(const struct options_scope *scope, struct type_room *room,
                                     const weir_expression *expression, const weir_type *value,
                                     uint32_t wanted, const char *taker);
/* option_judge for all expressions that a filled config holds. */
void options_judge(const struct options_scope *scope, struct type_room *room,
                   const weir_option *table, const void *config, const weir_type *value);

/* Replaces ${VAR} and ${VAR:-default} in a scalar's text. NULL after a report. */
const char *option_substitute(const struct options_scope *scope, const struct node *scalar,
                              size_t *ret_len);

/* Is the table itself right? For loading plugins. */
weir_status option_table_check(const weir_option *table, uint64_t config_size, struct error *error);

/* Words for docs: "duration", "list of text", ... a static or arena text. */
const char *option_type_text(const weir_option *option, struct arena *arena);

#endif
