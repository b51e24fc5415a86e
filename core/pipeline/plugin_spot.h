/* SPDX-License-Identifier: MIT */
/*
 * A place of the file where a plugin is named: `name`, or `{name: options}` with the siblings that
 * this place allows. Finds the plugin, fills its options, says what is wrong with either.
 */
#ifndef PIPELINE_PLUGIN_SPOT_H
#define PIPELINE_PLUGIN_SPOT_H

#include "pipeline/keys.h"

/*
 * kind      WEIR_KIND_* of what may stand here
 * noun      "operator"; a_noun: "an operator"
 * item      what one entry is called: "step"
 * topic     true where {topic: NAME} may stand instead of a plugin
 * siblings  rules of the keys beside the name; ended by NULL
 */
struct plugin_spot {
    const char *kind;
    const char *noun;
    const char *a_noun;
    const char *item;
    bool topic;
    const struct key_rule *siblings;
};

extern const struct plugin_spot operator_spot;
extern const struct plugin_spot source_spot;
extern const struct plugin_spot sink_spot;
extern const struct plugin_spot letters_spot; /* the end of dead letters */
extern const struct plugin_spot serializer_spot;

/* What stands beside a plugin's name. */
struct siblings {
    weir_text id;
    enum on_error on_error; /* the file's where none is given */
    bool has_on_error;
    const weir_expression *key;
    const weir_expression *event_time;
    int64_t partitions;
    int64_t on_start_failure; /* 0: fail, 1: retry */
    int64_t retry_ms;         /* as in struct plugin_use */
    const char *was;
    struct place was_place;
};

/*
 * name          the plugin's name; "topic" for {topic: NAME}
 * body          the node behind it; NULL where only a name is written
 * map           both and their siblings; NULL where only a name is written
 * is_scattered  options stand beside the name, which has been reported: others may seem to be missing
 */
struct written {
    const struct node *name;
    const struct node *body;
    const struct node *map;
    struct siblings siblings;
    bool is_scattered;
};

/* Takes an entry apart and reads its siblings. False after a report that leaves nothing to go on
 * with. */
bool written_read(struct resolver *resolver, const struct plugin_spot *spot,
                  const struct node *node, struct written *ret);
bool written_is_topic(const struct plugin_spot *spot, const struct written *written);
/* The declared topic that a node names. NULL after a report. */
struct topic *topic_named(struct resolver *resolver, const struct node *node);
/* The topic in {topic: NAME}. NULL after a report. */
struct topic *written_topic(struct resolver *resolver, const struct written *written);

/*
 * Finds the plugin and fills its options into `use`, with on_error, id (NULL: none given), place and
 * the label "WHERE (name)". False after a report; label and place are there all the same.
 */
bool written_use(struct resolver *resolver, const struct plugin_spot *spot,
                 const struct written *written, const char *where, struct plugin_use *use);

/* The same for a plugin that no one has written: all its defaults. */
bool default_use(struct resolver *resolver, const struct plugin_spot *spot, const char *name,
                 struct place place, const char *where, struct plugin_use *use);

/* False after a report. */
bool on_error_read(struct resolver *resolver, const struct node *node, enum on_error *ret);

/* The plugin of this kind and name, or NULL. */
const struct factory *factory_find(const struct resolver *resolver, const char *kind,
                                   const char *name);
/* True where it has an option of this name. factory: may be NULL. */
bool factory_has_option(const struct factory *factory, const struct node *key);

#endif
