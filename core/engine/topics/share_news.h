/* SPDX-License-Identifier: MIT */
/*
 * What people are told of the partitions that this process reads. Where they move between processes, somebody
 * will want to know who had one, and when.
 */
#ifndef ENGINE_SHARE_NEWS_H
#define ENGINE_SHARE_NEWS_H

#include "engine/state.h"

/* "reads from now on: feed 0-5". Only where others may have a part. */
void shares_tell(const struct engine *engine, const char *doing, const struct log_change *change);
/* Whether this process is the one in which sources run, where there are any and others may have them. */
void shares_tell_sources(const struct engine *engine, bool runs);
/* Once, who has got nothing for a while: it waits for the group, or stands by. */
void shares_tell_idle(struct engine *engine);

#endif
