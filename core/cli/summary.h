/* SPDX-License-Identifier: MIT */
#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "engine/engine.h"

/* Writes what a run has done to standard error: a few lines, or with is_json one JSON line. */
void summary_write(const struct pipeline *pipeline, const struct engine_report *report,
                   bool is_complete, bool is_json);

#endif
