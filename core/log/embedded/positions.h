/* SPDX-License-Identifier: MIT */
/*
 * Positions as the store keeps them: facts of one form.
 */
#ifndef LOG_POSITIONS_H
#define LOG_POSITIONS_H

#include "log/log.h"

enum { POSITION_SIZE = 8 };

/* The fact's key, in the arena; NULL: no memory. */
char *position_key(struct arena *arena, const char *topic, uint32_t partition);
void position_encode(int64_t position, uint8_t bytes[POSITION_SIZE]);
/* A value that is none counts as the beginning. */
int64_t position_decode(weir_slice value);

#endif
