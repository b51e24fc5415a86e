/* SPDX-License-Identifier: MIT */
#include "support/json_container.h"

#include <stdlib.h>

enum { PAIRWISE_LIMIT = 8 }; /* keys that are compared with each other rather than hashed */

void *json_container_room(weir_context *ctx, uint64_t size)
{
    uint8_t *memory = weir_alloc(ctx, sizeof(weir_slice) + size);
    return memory == NULL ? NULL : memory + sizeof(weir_slice);
}

void json_container_source(weir_value *container, const char *begin, const char *end)
{
    weir_slice source = { (const uint8_t *)begin, (uint64_t)(end - begin) };
    uint8_t *items = (uint8_t *)(uintptr_t)container->as.bits;
    memcpy(items - sizeof source, &source, sizeof source);
    container->flags = WEIR_VALUE_SOURCE;
}

/* ---- equal keys --------------------------------------------------------------------------------
 */

static bool is_same_key(const weir_member *a, const weir_member *b)
{
    return weir_same_bytes(a->key, a->key_len, b->key, b->key_len);
}

static uint64_t hash_key(uint64_t seed, const weir_member *m)
{
    uint64_t hash = seed ^ m->key_len;
    const char *p = m->key;
    uint32_t left = m->key_len;
    while (left > 0) {
        uint64_t word = 0;
        uint32_t taken = left < sizeof word ? left : (uint32_t)sizeof word;
        memcpy(&word, p, taken);
        hash = (hash ^ word) * 0x9FB21C651E98DF25u;
        hash ^= hash >> 29;
        p += taken;
        left -= taken;
    }
    return hash;
}

/* The number of kept members, of the first `count`, that has this key; `count` if none. */
static uint32_t find_pairwise(const weir_member *members, uint32_t count, const weir_member *m)
{
    uint32_t i = 0;
    while (i < count && !is_same_key(&members[i], m)) {
        i++;
    }
    return i;
}

/* The same by the decoder's table, which takes in the member where it is new. */
static uint32_t find_hashed(const struct json_decoder *decoder, uint64_t mask,
                            const weir_member *members, uint32_t count, const weir_member *m)
{
    uint64_t slot = hash_key(decoder->seed, m) & mask;
    while (decoder->slots[slot] != 0) {
        uint32_t i = decoder->slots[slot] - 1;
        if (is_same_key(&members[i], m)) {
            return i;
        }
        slot = (slot + 1) & mask;
    }
    decoder->slots[slot] = count + 1;
    return count;
}

static bool clear_slots(struct json_decoder *decoder, uint64_t size)
{
    if (size > decoder->slot_room) {
        uint32_t *slots = realloc(decoder->slots, size * sizeof *slots);
        if (slots == NULL) {
            return false;
        }
        decoder->slots = slots;
        decoder->slot_room = size;
    }
    memset(decoder->slots, 0, size * sizeof *decoder->slots);
    return true;
}

uint64_t json_drop_equal_keys(struct json_decoder *decoder, weir_member *members, uint32_t *count)
{
    uint64_t size = 16;
    bool is_hashed = *count > PAIRWISE_LIMIT;
    if (is_hashed) {
        while (size < (uint64_t)*count * 2) {
            size *= 2;
        }
        if (!clear_slots(decoder, size)) {
            return UINT64_MAX;
        }
    }
    uint32_t kept = 0;
    for (uint32_t i = 0; i < *count; i++) {
        uint32_t k = is_hashed ? find_hashed(decoder, size - 1, members, kept, &members[i])
                               : find_pairwise(members, kept, &members[i]);
        if (k < kept) {
            members[k].value = members[i].value;
        } else {
            members[kept] = members[i];
            kept++;
        }
    }
    uint64_t dropped = *count - kept;
    *count = kept;
    return dropped;
}
