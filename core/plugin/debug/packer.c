/* SPDX-License-Identifier: MIT */
#include "plugin/debug/packer.h"

#include <string.h>

enum { ALIGNMENT = 16, GAP = 16, GAP_BYTE = 0xFF };

void *packer_take(struct packer *packer, size_t size)
{
    size_t span = (size + GAP + (ALIGNMENT - 1)) & ~(size_t)(ALIGNMENT - 1);
    uint8_t *room = packer->to == NULL ? NULL : packer->to + packer->size;
    if (room != NULL) {
        memset(room + size, GAP_BYTE, span - size);
    }
    packer->size += span;
    return room;
}

void *packer_take_bytes(struct packer *packer, const void *bytes, size_t size)
{
    void *room = packer_take(packer, size);
    if (room != NULL && size > 0) {
        memcpy(room, bytes, size);
    }
    return room;
}
