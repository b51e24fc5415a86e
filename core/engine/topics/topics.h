/* SPDX-License-Identifier: MIT */
/* The pipeline's topics in the log: found, judged, made. False: `error` says what is wrong. */
#ifndef ENGINE_TOPICS_H
#define ENGINE_TOPICS_H

#include "engine/state.h"

/* Finds the pipeline's topics in the log, and what others are to be. */
bool find_topics(struct engine *engine, struct error *error);
/* Whether those that come to one step go together; the plan is there. */
bool match_topics(struct engine *engine, struct error *error);
/* Those whose records come to a topic, as far as they are in the log; in the engine's arena. */
bool topic_models(struct engine *engine, const struct topic *topic, struct log_models *ret_models,
                  struct error *error);
/* Makes those that are not there; the plan is. */
bool open_topics(struct engine *engine, struct error *error);

#endif
