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
 *
 * Where a sink has a seat for each partition of the input, /TOPIC/PARTITION stands behind the names of
 * those that belong to one, and in the log they belong to that partition too. TOPIC is its name in the log.
 */
#ifndef ENGINE_FACTS_H
#define ENGINE_FACTS_H

#include "engine/state.h"

extern const char fact_of_letters[];
/*
 * Which fact: KIND/NAME, or that of a partition where topic is not NULL.
 *
 * kind  "sink"
 * name  NULL: only the kind
 * was   what NAME was before; NULL: nothing else
 */
struct fact_place {
    const char *kind;
    const char *name;
    const char *was;
    struct log_topic *topic;
    uint32_t partition;
};

enum { FACT_NUMBER_SIZE = 8 };
/* The number that a fact holds; 0: there is none. */
int64_t fact_int64(weir_slice value);
void fact_put_int64(uint8_t bytes[FACT_NUMBER_SIZE], int64_t number);
/*
 * The fact and its key, in the arena; where there is none, that of the name that it had before, which the
 * next checkpoint then moves. Size 0: there is neither.
 */
bool fact_take_over(struct engine *engine, const struct fact_place *place, struct arena *arena,
                    const char **ret_key, weir_slice *ret_value, struct error *error);
/* Finds the pipeline's own topics whose streams or steps had other names. Before the topics are opened. */
bool facts_find_topics(struct engine *engine, struct error *error);
/* Removes all of them. */
bool facts_forget(struct engine *engine, struct error *error);

#endif
