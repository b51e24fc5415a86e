/* SPDX-License-Identifier: MIT */
/*
 * Takes entries of the file apart that name a plugin. Which key of a map is the plugin's name is
 * decided by leaving out the siblings; what then is too much is explained, since it is the commonest
 * slip: options that are not indented below their plugin, two plugins in one step.
 */
#include "pipeline/plugin_spot.h"

#include <string.h>

#include "base/nearest.h"
#include "pipeline/names.h"

static bool is_candidate(const struct resolver *resolver, const struct plugin_spot *spot,
                         const struct node *key)
{
    return (spot->topic && node_is(key, "topic")) ||
           factory_find(resolver, spot->kind, key->text) != NULL;
}

/* Which key names the plugin: the first that could, else the first that is no sibling. */
static const struct node_pair *find_name(const struct resolver *resolver,
                                         const struct plugin_spot *spot, const struct node *map)
{
    const struct node_pair *first = NULL;
    for (size_t i = 0; i < map->count; i++) {
        const struct node_pair *pair = &map->pairs[i];
        if (key_find(spot->siblings, pair->key) != NULL) {
            continue;
        }
        if (is_candidate(resolver, spot, pair->key)) {
            return pair;
        }
        first = first == NULL ? pair : first;
    }
    return first;
}

static const char *body_name(const struct factory *factory)
{
    const weir_option *option = factory->spec->options;
    for (; option != NULL && option->name != NULL; option++) {
        if ((option->flags & WEIR_OPTION_BODY) != 0) {
            return option->name;
        }
    }
    return NULL;
}

/* How an option is written that stands beside the name: below it, where nothing is behind the name,
 * else in the long form. */
static const char *option_cure(struct resolver *resolver, const struct written *written,
                               const struct factory *factory, const char *option)
{
    const struct node *body = written->body;
    const char *name = written->name->text;
    const char *short_form = body_name(factory);
    bool has_body = body != NULL && !(body->kind == NODE_SCALAR && body->is_empty) &&
                    body->kind != NODE_MAP && short_form != NULL;
    const char *cure = has_body
                           ? resolver_text(resolver, "write the long form '%s: {%s: ..., %s: ...}'",
                                           name, short_form, option)
                           : resolver_text(resolver, "indent it below '%s:'", name);
    return cure != NULL ? cure : "";
}

/* The option that a misspelt key stands for; NULL where a sibling is nearer, or nothing near. */
static const char *option_meant(const struct plugin_spot *spot, const struct factory *factory,
                                const struct node *key)
{
    struct nearest search;
    nearest_start(&search, key->text, key->text_len);
    for (const struct key_rule *rule = spot->siblings; rule->name != NULL; rule++) {
        nearest_offer(&search, rule->name);
    }
    const char *sibling = nearest_found(&search);
    const weir_option *option = factory != NULL ? factory->spec->options : NULL;
    for (; option != NULL && option->name != NULL; option++) {
        nearest_offer(&search, option->name);
    }
    const char *found = nearest_found(&search);
    return found != sibling ? found : NULL;
}

/* A key that is neither the plugin's name nor a sibling. */
static void report_extra(struct resolver *resolver, const struct plugin_spot *spot,
                         struct written *written, const struct node *key)
{
    const struct node *name = written->name;
    const struct factory *factory = factory_find(resolver, spot->kind, name->text);
    const char *meant = NULL;
    if (is_candidate(resolver, spot, key)) {
        resolver_fault(resolver, key->place,
                       "'%s' is a second %s beside '%s'; each needs an entry of its own: '- %s: "
                       "...'",
                       key->text, spot->item, name->text, key->text);
    } else if (factory_has_option(factory, key)) {
        written->is_scattered = true;
        resolver_fault(resolver, key->place, "'%s' is an option of %s '%s'; %s", key->text,
                       spot->noun, name->text, option_cure(resolver, written, factory, key->text));
    } else if ((meant = option_meant(spot, factory, key)) != NULL) {
        written->is_scattered = true;
        resolver_fault(resolver, key->place,
                       "unknown key '%s' beside '%s'; did you mean its option '%s'? Then %s",
                       key->text, name->text, meant,
                       option_cure(resolver, written, factory, meant));
    } else {
        const char *owner = resolver_text(resolver, " beside '%s'", name->text);
        key_unknown(resolver, spot->siblings, "key", owner != NULL ? owner : "", key);
    }
}

static bool read_map(struct resolver *resolver, const struct plugin_spot *spot,
                     const struct node *map, struct written *written)
{
    const struct node_pair *main = find_name(resolver, spot, map);
    if (main == NULL) {
        resolver_fault(resolver, map->place, "this %s names no %s; begin it with NAME: OPTIONS",
                       spot->item, spot->noun);
        return false;
    }
    written->map = map;
    written->name = main->key;
    written->body = main->value;
    for (size_t i = 0; i < map->count; i++) {
        const struct node_pair *pair = &map->pairs[i];
        const struct key_rule *rule = key_find(spot->siblings, pair->key);
        if (rule != NULL) {
            key_read(resolver, rule, &written->siblings, pair);
        } else if (pair != main) {
            report_extra(resolver, spot, written, pair->key);
        }
    }
    return true;
}

bool written_read(struct resolver *resolver, const struct plugin_spot *spot,
                  const struct node *node, struct written *ret)
{
    *ret = (struct written){ .siblings = { .on_error = resolver->on_error } };
    if (node->kind == NODE_MAP) {
        return read_map(resolver, spot, node, ret);
    }
    if (node->kind == NODE_LIST) {
        resolver_fault(resolver, node->place, "this %s is a list; write NAME or NAME: OPTIONS",
                       spot->item);
        return false;
    }
    if (node->is_empty) {
        resolver_fault(resolver, node->place, "nothing is written here; write the name of %s",
                       spot->a_noun);
        return false;
    }
    ret->name = node;
    return true;
}

bool written_is_topic(const struct plugin_spot *spot, const struct written *written)
{
    return spot->topic && written->map != NULL && node_is(written->name, "topic");
}

struct topic *topic_named(struct resolver *resolver, const struct node *node)
{
    const char *name = resolver_name(resolver, node, "a topic");
    if (name == NULL) {
        return NULL;
    }
    struct topic *topic = hashmap_get(&resolver->topics, name, strlen(name));
    if (topic != NULL) {
        return topic;
    }
    const char *near = nearest_key(&resolver->topics, name);
    if (near != NULL) {
        resolver_fault(resolver, node->place,
                       "topic '%s' is not declared; did you mean '%s'? Otherwise add it under "
                       "'topics:'",
                       name, near);
    } else {
        resolver_fault(resolver, node->place, "topic '%s' is not declared; add it under 'topics:'",
                       name);
    }
    return NULL;
}

struct topic *written_topic(struct resolver *resolver, const struct written *written)
{
    const struct node *body = written->body;
    if (body->kind == NODE_SCALAR && body->is_empty) {
        resolver_fault(resolver, written->name->place,
                       "'topic' names no topic; write {topic: "
                       "NAME}");
        return NULL;
    }
    if (body->kind == NODE_MAP) {
        resolver_fault(resolver, body->place,
                       "a topic that is read stands here by its name; only ends, under 'to', can "
                       "compute it");
        return NULL;
    }
    return topic_named(resolver, body);
}
