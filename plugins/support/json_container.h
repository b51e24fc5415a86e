/* SPDX-License-Identifier: MIT */
/*
 * What both readers of JSON (json_quick.c, json_walk.c) do with lists and maps.
 */
#ifndef SUPPORT_JSON_CONTAINER_H
#define SUPPORT_JSON_CONTAINER_H

#include "support/json_decode.h"

/* Memory of the batch for items or members, with room for the source before it. NULL: none. */
void *json_container_room(weir_context *ctx, uint64_t size);
/* The text that the container was read from; its items lie in such a room. */
void json_container_source(weir_value *container, const char *begin, const char *end);

/*
 * Of equal keys the last value takes the first's place, and what is left moves together. Returns how
 * many were dropped; UINT64_MAX: no memory.
 */
uint64_t json_drop_equal_keys(struct json_decoder *decoder, weir_member *members, uint32_t *count);

#endif
