/* SPDX-License-Identifier: MIT */
/*
 * The closed world of keys: known ones go by their rule, unknown ones to the user.
 */
#include "pipeline/keys.h"

#include <string.h>

#include "base/buffer.h"

const struct key_rule *key_find(const struct key_rule *rules, const struct node *key)
{
    for (const struct key_rule *rule = rules; rule->name != NULL; rule++) {
        if (node_is(key, rule->name)) {
            return rule;
        }
    }
    return NULL;
}

void key_read(struct resolver *resolver, const struct key_rule *rule, void *target,
              const struct node_pair *pair)
{
    if (rule->refusal != NULL) {
        resolver_fault(resolver, pair->key->place, "%s", rule->refusal);
    } else if (pair->value->kind == NODE_SCALAR && pair->value->is_empty) {
        resolver_fault(resolver, pair->key->place, "'%s' has no value; give one or remove the line",
                       rule->name);
    } else if (rule->option != NULL) {
        option_read(&resolver->scope, rule->option, pair->value,
                    (char *)target + rule->option->offset);
    } else {
        rule->read(resolver, target, pair);
    }
}

/* "a, b, c" of the keys that can be used. */
static void list_keys(const struct key_rule *rules, weir_buffer *list)
{
    for (const struct key_rule *rule = rules; rule->name != NULL; rule++) {
        if (rule->refusal == NULL) {
            (void)buffer_printf(list, "%s%s", list->size > 0 ? ", " : "", rule->name);
        }
    }
}

const struct node *key_node(const struct node *map, const char *name)
{
    for (size_t i = 0; map->kind == NODE_MAP && i < map->count; i++) {
        if (node_is(map->pairs[i].key, name)) {
            return map->pairs[i].key;
        }
    }
    return NULL;
}

static const struct key_rule *nearest_rule(const struct key_rule *rules, const struct node *key)
{
    struct nearest search;
    nearest_start(&search, key->text, key->text_len);
    for (const struct key_rule *rule = rules; rule->name != NULL; rule++) {
        nearest_offer(&search, rule->name);
    }
    const char *near = nearest_found(&search);
    for (const struct key_rule *rule = rules; near != NULL && rule->name != NULL; rule++) {
        if (strcmp(rule->name, near) == 0) {
            return rule;
        }
    }
    return NULL;
}

const struct key_rule *key_unknown(struct resolver *resolver, const struct key_rule *rules,
                                   const char *what, const char *owner, const struct node *key)
{
    const struct key_rule *near = nearest_rule(rules, key);
    if (near != NULL) {
        resolver_fault(resolver, key->place, "unknown %s '%s'%s; did you mean '%s'?", what,
                       key->text, owner, near->name);
        return near;
    }
    weir_buffer list;
    buffer_init(&list, 4096);
    list_keys(rules, &list);
    const char *names = buffer_c_string(&list);
    resolver_fault(resolver, key->place, "unknown %s '%s'%s; there are: %s", what, key->text, owner,
                   names != NULL ? names : "none");
    buffer_deinit(&list);
    return NULL;
}

/* A key that is misspelt is read as what it was meant to be, so that the faults behind it are found
 * too, and no others because of it. */
static void read_misspelt(struct resolver *resolver, const struct key_rule *meant,
                          const struct node *map, void *target, const struct node_pair *pair)
{
    if (meant != NULL && meant->refusal == NULL && node_get(map, meant->name) == NULL) {
        key_read(resolver, meant, target, pair);
    }
}

void keys_read(struct resolver *resolver, const struct key_rule *rules, const char *what,
               const char *owner, const char *ignored_prefix, const struct node *map, void *target)
{
    size_t prefix_len = ignored_prefix != NULL ? strlen(ignored_prefix) : 0;
    for (size_t i = 0; i < map->count; i++) {
        const struct node_pair *pair = &map->pairs[i];
        const struct key_rule *rule = key_find(rules, pair->key);
        if (rule != NULL) {
            key_read(resolver, rule, target, pair);
        } else if (prefix_len == 0 || strncmp(pair->key->text, ignored_prefix, prefix_len) != 0) {
            const struct key_rule *meant = key_unknown(resolver, rules, what, owner, pair->key);
            read_misspelt(resolver, meant, map, target, pair);
        }
    }
}
