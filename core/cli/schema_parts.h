/* SPDX-License-Identifier: MIT */
/*
 * What the parts of the schema of a pipeline file lend each other: schema_file.c has the file and its keys,
 * schema_plugins.c what plugins there are and where they may stand.
 */
#ifndef CLI_SCHEMA_PARTS_H
#define CLI_SCHEMA_PARTS_H

#include "cli/schema.h"
#include "pipeline/tables.h"

/* A plugin's factory under its names. definition, qualified: "operator.org.weir.operator.filter.filter" and the
 * part behind the kind. */
struct choice {
    const weir_factory *spec;
    const char *definition;
    const char *qualified;
    bool is_ambiguous;
};

struct schema {
    struct json_writer *json;
    struct arena *arena;
    struct choice *choices; /* of all kinds, by kind and name */
    size_t count;
};

/* ---- schema_file.c ---- */

/* Members of `properties`. What this version refuses is not there. */
void schema_keys(struct schema *schema, const struct key_rule *rules);
/* A map of these keys and no others, as parts of an object. */
void schema_map_of_keys(struct schema *schema, const struct key_rule *rules);

/* ---- schema_plugins.c ---- */

/* Finds the choices. False: no memory. */
bool schema_gather(struct schema *schema, const struct registry *registry);
/* A definition for each plugin. */
void schema_plugins(struct schema *schema);
/* Definitions of the places where they stand: from, steps, to, dead_letters, serializer. */
void schema_spots(struct schema *schema);

#endif
