/* SPDX-License-Identifier: MIT */
/*
 * What the log keeps of a pipeline's progress: the names of these facts, reading them at the start, and
 * going on under another name where the file says what something was.
 *
 *     source/STREAM              where a source stands
 *     topic/STREAM               its own topic, where that is not named after the stream
 *     repartition/TOPIC          the one behind a step, where that had another name before
 *     sink/STREAM.ID             a sink's token
 *     dead_letters/ID            that of the sink that takes dead letters
 *     dead_letters               how many it has been given
 */
#ifndef ENGINE_FACTS_H
#define ENGINE_FACTS_H

#include "engine/state.h"

extern const char fact_of_letters[];
/* The number that a fact holds; 0: there is none. */
int64_t fact_int64(weir_slice value);
/* A fact; size 0: there is none. key NULL: an error. */
bool fact_load(struct engine *engine, const char *key, weir_slice *ret_value, struct error *error);
/*
 * The fact KIND/NAME and its key; where there is none, that of KIND/WAS (NULL: no other name), which the
 * next checkpoint then moves.
 */
bool fact_take_over(struct engine *engine, const char *kind, const char *name, const char *was,
                    const char **ret_key, weir_slice *ret_value, struct error *error);
/* Finds the pipeline's own topics whose streams or steps had other names. Before the topics are opened. */
bool facts_find_topics(struct engine *engine, struct error *error);
/* Removes all of them. */
bool facts_forget(struct engine *engine, struct error *error);

#endif
