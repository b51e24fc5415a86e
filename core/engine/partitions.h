/* SPDX-License-Identifier: MIT */
/*
 * Topics whose records meet at a step must have equal numbers of partitions in the log.
 */
#ifndef ENGINE_PARTITIONS_H
#define ENGINE_PARTITIONS_H

#include "graph/plan.h"
#include "log/log.h"

/* log_topics: by index of the pipeline's topics. False: `error` names the step and both topics. */
bool partitions_match(const struct pipeline *pipeline, const struct plan *plan,
                      struct log_topic *const *log_topics, struct error *error);

#endif
