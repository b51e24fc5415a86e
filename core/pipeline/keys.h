/* SPDX-License-Identifier: MIT */
/*
 * Maps of the pipeline file whose keys are a closed set: each key has a rule, anything else is a
 * fault with the nearest key.
 */
#ifndef PIPELINE_KEYS_H
#define PIPELINE_KEYS_H

#include "pipeline/resolver.h"

/* What a key takes that no option describes. */
enum key_shape {
    SHAPE_ANY,
    SHAPE_NAME,
    SHAPE_NAMES,
    SHAPE_TEXT,
    SHAPE_ON_ERROR,
    SHAPE_RETRY_TIMEOUT,
    SHAPE_PLUGINS,
    SHAPE_TOPICS,
    SHAPE_STREAMS,
    SHAPE_SERIALIZER,
    SHAPE_FIELDS,
    SHAPE_FROM,
    SHAPE_STEPS,
    SHAPE_ENDS,
    SHAPE_LETTERS,
    SHAPE_KAFKA
};

/*
 * What a key's value becomes. Exactly one of:
 *
 * option   read by the rules of plugin options into target + option->offset
 * read     does it itself
 * refusal  what to say: the key belongs to the language, this version cannot serve it
 *
 * For those that describe the file (tables.h):
 * shape        what `read` takes
 * summary      one line; NULL: that of the option
 * is_required  a map of this kind must have the key
 */
struct key_rule {
    const char *name;
    const weir_option *option;
    void (*read)(struct resolver *resolver, void *target, const struct node_pair *pair);
    const char *refusal;
    enum key_shape shape;
    const char *summary;
    bool is_required;
};

/* The rule of this name, or NULL. rules: ended by a NULL name. */
const struct key_rule *key_find(const struct key_rule *rules, const struct node *key);
/* Reads one value by its rule. */
void key_read(struct resolver *resolver, const struct key_rule *rule, void *target,
              const struct node_pair *pair);
/*
 * Reads all pairs of a map. what, owner: for messages, "option" and " of topic 'readings'".
 * Keys that begin with ignored_prefix are passed over; NULL: none are.
 */
void keys_read(struct resolver *resolver, const struct key_rule *rules, const char *what,
               const char *owner, const char *ignored_prefix, const struct node *map, void *target);
/* "unknown WHAT 'KEY'OWNER; did you mean ...?", or a list of what there is. Returns the rule that was
 * meant, or NULL. */
const struct key_rule *key_unknown(struct resolver *resolver, const struct key_rule *rules,
                                   const char *what, const char *owner, const struct node *key);
/* The key of this name itself, or NULL. */
const struct node *key_node(const struct node *map, const char *name);

#endif
