/* SPDX-License-Identifier: MIT */
/*
 * Room for a deep copy. Every copy is made in two passes of one walk: the first measures, the second
 * fills. Between copied texts lie bytes that no text may hold, so that whoever reads on beyond a length
 * is found out.
 */
#ifndef PLUGIN_DEBUG_PACKER_H
#define PLUGIN_DEBUG_PACKER_H

#include <stddef.h>
#include <stdint.h>

#include <weir/value.h>

/* to: NULL while measuring */
struct packer {
    uint8_t *to;
    size_t size;
};

/* Room in the copy, aligned for anything; NULL while measuring. */
void *packer_take(struct packer *packer, size_t size);
void *packer_take_bytes(struct packer *packer, const void *bytes, size_t size);
/* A value with all that it points to; while measuring only the room counts. */
weir_value pack_value(struct packer *packer, const weir_value *v);

#endif
