/* SPDX-License-Identifier: MIT */
/*
 * Collecting diagnostics (document.h): equal ones are kept once, the order is that of the files.
 */
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "base/document.h"
#include "base/memory.h"

void diagnostics_init(struct diagnostics *list, struct arena *arena)
{
    *list = (struct diagnostics){ .arena = arena };
    hashmap_init(&list->seen);
    hashmap_init(&list->files);
}

void diagnostics_deinit(struct diagnostics *list)
{
    memory_free(list->list);
    hashmap_deinit(&list->seen);
    hashmap_deinit(&list->files);
    list->list = NULL;
    list->count = 0;
    list->capacity = 0;
}

static bool has_room(struct diagnostics *list)
{
    if (list->count < list->capacity) {
        return true;
    }
    size_t capacity = list->capacity == 0 ? 8 : list->capacity * 2;
    struct diagnostic *grown = memory_resize(list->list, capacity * sizeof *grown);
    if (grown == NULL) {
        return false;
    }
    list->list = grown;
    list->capacity = capacity;
    return true;
}

/* Position of the file in the order of first appearance. False: no memory. */
static bool order_of_file(struct diagnostics *list, const struct document_file *file,
                          uint32_t *ret_order)
{
    char key[sizeof file];
    memcpy(key, &file, sizeof key);
    struct hashmap_entry *known = hashmap_find(&list->files, key, sizeof key);
    if (known == NULL) {
        *ret_order = (uint32_t)list->files.count;
        return hashmap_put(&list->files, key, sizeof key, NULL);
    }
    *ret_order = (uint32_t)(known - list->files.entries);
    return true;
}

/* True where an equal one was there. */
static bool was_seen(struct diagnostics *list, const struct diagnostic *made)
{
    char *key = arena_printf(list->arena, "%u %u %u %d %s", made->file_order, made->place.offset,
                             made->place.length, (int)made->severity, made->message);
    if (key == NULL) {
        list->is_out_of_memory = true;
        return true;
    }
    size_t len = strlen(key);
    if (hashmap_find(&list->seen, key, len) != NULL) {
        return true;
    }
    if (!hashmap_put(&list->seen, key, len, NULL)) {
        list->is_out_of_memory = true;
    }
    return list->is_out_of_memory;
}

static void add(struct diagnostics *list, struct diagnostic made)
{
    if (made.message == NULL || !has_room(list) ||
        !order_of_file(list, made.place.file, &made.file_order)) {
        list->is_out_of_memory = true;
        return;
    }
    if (was_seen(list, &made)) {
        return;
    }
    made.sequence = (uint32_t)list->count;
    list->list[list->count++] = made;
    if (made.severity == SEVERITY_ERROR) {
        list->error_count++;
    } else {
        list->warning_count++;
    }
}

void diagnostics_add(struct diagnostics *list, enum severity severity, struct place place,
                     const char *format, ...)
{
    va_list args;
    va_start(args, format);
    const char *message = arena_vprintf(list->arena, format, args);
    va_end(args);
    add(list, (struct diagnostic){ .severity = severity, .place = place, .message = message });
}

static int order_of(uint32_t a, uint32_t b)
{
    return (a > b) - (a < b);
}

static int compare(const void *left, const void *right)
{
    const struct diagnostic *a = left;
    const struct diagnostic *b = right;
    int order = order_of(a->file_order, b->file_order);
    if (order == 0) {
        order = order_of(a->place.offset, b->place.offset);
    }
    return order != 0 ? order : order_of(a->sequence, b->sequence);
}

void diagnostics_hide(struct diagnostics *list, struct place place)
{
    struct hidden_place *hidden = arena_alloc(list->arena, sizeof *hidden);
    if (hidden == NULL) {
        list->is_out_of_memory = true;
        return;
    }
    *hidden = (struct hidden_place){ list->hidden, place };
    list->hidden = hidden;
}

void diagnostics_sort(struct diagnostics *list)
{
    for (size_t i = 0; i < list->count; i++) {
        list->list[i].hidden = list->hidden;
    }
    if (list->count > 1) {
        qsort(list->list, list->count, sizeof *list->list, compare);
    }
}
