/* SPDX-License-Identifier: MIT */
/*
 * What the pipeline has not read of topics of its own: of one, and of those that no step reads any more.
 */
#ifndef ENGINE_UNREAD_H
#define ENGINE_UNREAD_H

#include "engine/state.h"

/*
 * Records of a topic that the pipeline has not read.
 *
 * is_known    it has positions in the topic; otherwise nothing is counted
 * is_counted  one by one; otherwise by their offsets, of which Kafka uses some for itself
 */
struct unread {
    uint64_t count;
    bool is_known;
    bool is_counted;
};

/* False: `error` says why it cannot be told. */
bool unread_find(struct engine *engine, struct log_topic *topic, struct unread *ret_unread,
                 struct error *error);
/*
 * Tells each topic between parts of this pipeline that no part reads any more and that holds something unread:
 * a step or a topic has been renamed. Its topics are found. One that begins afresh does not want it.
 */
bool unread_tell(struct engine *engine, struct error *error);

#endif
