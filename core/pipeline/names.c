/* SPDX-License-Identifier: MIT */
/*
 * Rules for names. A name becomes part of a topic's name, a state key, a folder: so ASCII, short,
 * and without signs that mean something there.
 */
#include "pipeline/names.h"

#include <string.h>

static bool is_name_char(char c, enum name_kind kind)
{
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' ||
           c == '-' || (c == '.' && kind == NAME_DOTTED);
}

bool name_check(struct resolver *resolver, struct place place, const char *what,
                enum name_kind kind, const char *name)
{
    size_t len = strlen(name);
    if (len == 0) {
        resolver_fault(resolver, place, "the %s is empty; write one", what);
        return false;
    }
    if (len > NAME_MAX_BYTES) {
        resolver_fault(resolver, place, "this %s has %zu bytes; at most %d are allowed", what, len,
                       NAME_MAX_BYTES);
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        if (!is_name_char(name[i], kind)) {
            resolver_fault(resolver, place, "invalid %s '%s'; use letters, digits, '_'%s", what,
                           name, kind == NAME_DOTTED ? ", '-' and '.'" : " and '-'");
            return false;
        }
    }
    if (strcmp(name, ".") == 0 || strcmp(name, "..") == 0) {
        resolver_fault(resolver, place, "invalid %s '%s'; it would name a folder", what, name);
        return false;
    }
    return true;
}

bool name_check_topic(struct resolver *resolver, struct place place, const char *name)
{
    static const char *const reserved[] = { "source__", "repartition__", "changelog__", "__" };
    for (size_t i = 0; i < sizeof reserved / sizeof reserved[0]; i++) {
        if (strncmp(name, reserved[i], strlen(reserved[i])) == 0) {
            resolver_fault(resolver, place,
                           "topic names that begin with '%s' are kept for weir's own topics; "
                           "choose another name",
                           reserved[i]);
            return false;
        }
    }
    return name_check(resolver, place, "topic name", NAME_DOTTED, name);
}

const char *nearest_key(const struct hashmap *map, const char *wanted)
{
    struct nearest search;
    nearest_start(&search, wanted, strlen(wanted));
    for (size_t i = 0; i < map->count; i++) {
        nearest_offer(&search, map->entries[i].key);
    }
    return nearest_found(&search);
}

/* How often an id or a base name has been used. */
struct id_count {
    size_t count;
    const struct plugin_use *given_by;
};

static struct id_count *count_of(struct resolver *resolver, struct hashmap *counts,
                                 const char *name)
{
    struct id_count *count = hashmap_get(counts, name, strlen(name));
    if (count == NULL) {
        count = resolver_alloc(resolver, 1, sizeof *count);
        if (count != NULL && !hashmap_put(counts, name, strlen(name), count)) {
            resolver->diagnostics->is_out_of_memory = true;
            return NULL;
        }
    }
    return count;
}

static void count_given(struct resolver *resolver, struct hashmap *counts, struct plugin_use *use)
{
    struct id_count *count = count_of(resolver, counts, use->id);
    if (count == NULL) {
        return;
    }
    if (count->given_by != NULL) {
        resolver_fault(resolver, use->place,
                       "id '%s' is taken by line %u; ids are unique within a stream", use->id,
                       document_position(count->given_by->place).line);
        return;
    }
    count->given_by = use;
    count->count++;
}

static void number(struct resolver *resolver, struct hashmap *counts, struct plugin_use *use,
                   const char *base)
{
    struct id_count *count = count_of(resolver, counts, base);
    if (count == NULL) {
        return;
    }
    count->count++;
    use->id = count->count == 1 ? base : resolver_text(resolver, "%s#%zu", base, count->count);
}

void ids_assign(struct resolver *resolver, struct plugin_use *const *uses, const char *const *bases,
                size_t count)
{
    struct hashmap counts;
    hashmap_init(&counts);
    for (size_t i = 0; i < count; i++) {
        if (uses[i]->id != NULL) {
            count_given(resolver, &counts, uses[i]);
        }
    }
    for (size_t i = 0; i < count; i++) {
        if (uses[i]->id == NULL) {
            number(resolver, &counts, uses[i], bases[i]);
        }
    }
    hashmap_deinit(&counts);
}
