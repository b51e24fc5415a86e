/* SPDX-License-Identifier: MIT */
/*
 * Names that users choose: what they may look like, and ids that tell equal plugins apart.
 */
#ifndef PIPELINE_NAMES_H
#define PIPELINE_NAMES_H

#include "pipeline/resolver.h"

enum {
    NAME_MAX_BYTES = 200,
    NAME_REFERENCE_MAX_BYTES = 2 * NAME_MAX_BYTES + 1 /* stream.output */
};

enum name_kind {
    NAME_PLAIN, /* streams, ids: letters, digits, '_', '-' */
    NAME_DOTTED /* pipelines, topics: '.' too */
};

/* Reports a name that does not follow the rules. what: "stream name", "id" */
bool name_check(struct resolver *resolver, struct place place, const char *what,
                enum name_kind kind, const char *name);
/* The same for a topic's: prefixes of internal topics are reserved too. */
bool name_check_topic(struct resolver *resolver, struct place place, const char *name);

/* "did you mean ...?" among the names of a map from names to anything. NULL: none is near. */
const char *nearest_key(const struct hashmap *map, const char *wanted);

/*
 * Gives every use of a list an id of its own: a given one stays, others are the base name, numbered
 * from the second on ("filter", "filter#2"). Two equal given ones are a fault.
 *
 * uses      id NULL where none was given
 * bases     by the same index: the plugin's name
 */
void ids_assign(struct resolver *resolver, struct plugin_use *const *uses, const char *const *bases,
                size_t count);

#endif
