/* SPDX-License-Identifier: MIT */
/*
 * What the files that read options share. A reader carries the name that messages use down to the
 * values inside a list or map, which have none of their own.
 */
#ifndef PLUGIN_OPTION_READER_H
#define PLUGIN_OPTION_READER_H

#include "plugin/options.h"

/* What part of the option is being read, for the beginning of a message. */
enum option_role { ROLE_OPTION, ROLE_ITEM, ROLE_KEY, ROLE_VALUE, ROLE_DEFAULT };

struct option_reader {
    const struct options_scope *scope;
    const char *name;
    enum option_role role;
};

/* option_read with a name and a part. False after a report. */
bool option_read_as(const struct option_reader *reader, const weir_option *option,
                    const struct node *node, void *field);

/* ---- reports (option_report.c) ---------------------------------------------------------------- */

enum { OPTION_FOUND_ROOM = 152 };

/* What stands there: "'two'", "an empty text", "a list", "'two' from '${COUNT}'". text: as in a mismatch. */
void option_write_found(const struct node *node, const char *text, char room[OPTION_FOUND_ROOM]);
/* "option", "each item of option", ... */
const char *option_role_text(enum option_role role);
/* The others return false. */
bool option_out_of_memory(const struct options_scope *scope, struct place place);
/* "option 'poll' expects a duration, found '5'; CURE"; text: what stands there after substitution,
 * or NULL for what the node shows; cure may be NULL. */
bool option_mismatch(const struct option_reader *reader, const weir_option *option,
                     const struct node *node, const char *text, const char *cure);
/* "option 'poll' MESSAGE" */
bool option_fault(const struct option_reader *reader, struct place place, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* ---- one file each ---------------------------------------------------------------------------- */

/* Nothing was written, or `~`. */
bool option_is_blank(const struct node *node);
/* A body of this type is always the plugin's whole value, whatever its keys are. */
bool option_is_whole_body(const weir_option *option);
size_t option_field_size(const weir_option *option);
/* Reads a default that needs no environment, to see whether its type takes it. */
weir_status option_try_default(const weir_option *option, struct error *error);
/* The default as the scalar that a user would have written at `place`. */
struct node option_default_node(const char *default_text, struct place place);

/* Text of the scalar with variables replaced, which is UTF-8; NULL after a report. */
const char *option_scalar(const struct option_reader *reader, const weir_option *option,
                          const struct node *node, size_t *ret_len);
bool option_read_text(const struct option_reader *reader, const weir_option *option,
                      const struct node *node, weir_text *ret);
bool option_read_bytes(const struct option_reader *reader, const weir_option *option,
                       const struct node *node, weir_text *ret);
bool option_read_secret(const struct option_reader *reader, const weir_option *option,
                        const struct node *node, weir_text *ret);
bool option_read_any(const struct option_reader *reader, const struct node *node, weir_value *ret);
bool option_read_target(const struct option_reader *reader, const weir_option *option,
                        const struct node *node, const weir_target **ret);
bool option_read_stream(const struct option_reader *reader, const weir_option *option,
                        const struct node *node, weir_text *ret);
bool option_read_list(const struct option_reader *reader, const weir_option *option,
                      const struct node *node, weir_option_list *ret);
bool option_read_map(const struct option_reader *reader, const weir_option *option,
                     const struct node *node, weir_option_map *ret);
/* The list form of a PATHS option. */
bool option_read_paths(const struct option_reader *reader, const weir_option *option,
                       const struct node *node, weir_option_map *ret);
/* Reports targets that stand twice. */
bool option_check_targets(const struct options_scope *scope, const weir_option_map *map,
                          const struct node *const *nodes);

/*
 * Where YAML ended a plain scalar in the midst of an expression. After a cut in a flow collection the
 * rest of the expression stands in the entries behind it; a comment has taken it away.
 */
enum option_cut { CUT_NONE, CUT_BY_COMMENT, CUT_IN_FLOW };
/* Reports a cut. */
enum option_cut option_report_cut(const struct options_scope *scope, const struct node *node);
/* True where the scalar is the rest of an expression that was cut before it. */
bool option_is_rest_of_cut(const struct node *scalar);

#endif
