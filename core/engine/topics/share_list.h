/* SPDX-License-Identifier: MIT */
/* Which partitions a change is about, as a text for people: "feed 0-5, left 0, left 2". */
#ifndef ENGINE_SHARE_LIST_H
#define ENGINE_SHARE_LIST_H

#include "log/log.h"

enum { SHARE_LIST_ROOM = 400 };

/* Neighbours are put together where they stand in order; what does not fit is counted. Returns room. */
const char *share_list(const struct log_change *change, char room[SHARE_LIST_ROOM]);

#endif
