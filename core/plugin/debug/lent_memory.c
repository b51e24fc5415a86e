/* SPDX-License-Identifier: MIT */
#include "plugin/debug/lent_memory.h"

#include <string.h>

enum { ALIGNMENT = 16, MARK_SIZE = 32, MARK = 0xE5, FIRST_REGION = 1 << 16, MAX_REGION = 1 << 22 };

/* Before each block, at the beginning of its region or behind the marks of the one before. */
struct block {
    uint64_t size;
    uint64_t span; /* to the next block */
};
_Static_assert(sizeof(struct block) % ALIGNMENT == 0, "what follows is aligned");

void lent_memory_init(struct lent_memory *memory, enum region_use use, const char *plugin,
                      const char *label)
{
    *memory = (struct lent_memory){ .use = use, .plugin = plugin, .label = label };
}

static bool open_region(struct lent_memory *memory, size_t span)
{
    size_t size = FIRST_REGION;
    if (memory->regions != NULL) {
        size = memory->regions->size < MAX_REGION ? memory->regions->size * 2 : MAX_REGION;
    }
    /* One block more, of size 0, ends the walk. */
    size_t needed = span + sizeof(struct block);
    struct region *region =
        region_open(memory->use, size < needed ? needed : size, memory->plugin, memory->label);
    if (region == NULL) {
        return false;
    }
    region->next = memory->regions;
    memory->regions = region;
    memory->used = 0;
    return true;
}

void *lent_memory_alloc(struct lent_memory *memory, uint64_t size, int fill)
{
    if (size > SIZE_MAX / 4) {
        return NULL;
    }
    size_t rounded = (size + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
    size_t span = sizeof(struct block) + rounded + MARK_SIZE;
    size_t wanted = span + sizeof(struct block);
    if ((memory->regions == NULL || memory->regions->size - memory->used < wanted) &&
        !open_region(memory, span)) {
        return NULL;
    }
    struct block *block = (struct block *)(void *)(memory->regions->base + memory->used);
    memory->used += span;
    *block = (struct block){ size, span };
    uint8_t *bytes = (uint8_t *)(block + 1);
    memset(bytes, fill, size);
    memset(bytes + size, MARK, rounded - size + MARK_SIZE);
    return bytes;
}

static bool block_is_whole(const struct block *block)
{
    const uint8_t *bytes = (const uint8_t *)(block + 1);
    const uint8_t *end = (const uint8_t *)block + block->span;
    for (const uint8_t *at = bytes + block->size; at < end; at++) {
        if (*at != MARK) {
            return false;
        }
    }
    return true;
}

bool lent_memory_is_whole(const struct lent_memory *memory, uint64_t *ret_size)
{
    for (const struct region *region = memory->regions; region != NULL; region = region->next) {
        const struct block *block = (const struct block *)(const void *)region->base;
        while (block->span != 0) {
            if (!block_is_whole(block)) {
                *ret_size = block->size;
                return false;
            }
            block = (const struct block *)(const void *)((const uint8_t *)block + block->span);
        }
    }
    return true;
}

bool lent_memory_holds(const struct lent_memory *memory, const void *address)
{
    for (const struct region *region = memory->regions; region != NULL; region = region->next) {
        if (region_holds(region, address)) {
            return true;
        }
    }
    return false;
}

void lent_memory_retire(struct lent_memory *memory)
{
    while (memory->regions != NULL) {
        struct region *region = memory->regions;
        memory->regions = region->next;
        region_retire(region);
    }
    memory->used = 0;
}
