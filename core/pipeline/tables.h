/* SPDX-License-Identifier: MIT */
/*
 * The tables by which a file is read, for those that describe it: a description cannot know other
 * keys than the reader does. Tables of keys end with a NULL name; what may stand beside a plugin is
 * in plugin_spot.h.
 */
#ifndef PIPELINE_TABLES_H
#define PIPELINE_TABLES_H

#include "pipeline/plugin_spot.h"

extern const struct key_rule top_level_keys[];
extern const struct key_rule topic_keys[];
extern const struct key_rule stream_keys[];
/* Of {topic: {expr: ..., among: ...}}. */
extern const struct key_rule choice_keys[];
/* Of an entry of `plugins:`. */
extern const weir_option plugin_entry_options[];
/* What on_error takes, ended by NULL. */
extern const char *const on_error_names[];

#endif
