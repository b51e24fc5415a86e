/* SPDX-License-Identifier: MIT */
/* What a run has done, for the summary. */
#ifndef ENGINE_REPORT_H
#define ENGINE_REPORT_H

#include "engine/state.h"

/* As far as the run has come, also after a fault. What has room in it lies in its own arena. */
void report_fill(struct engine *engine, struct engine_report *report);
/* In the report's arena. NULL: nobody has measured, or no memory. */
struct report_timing *report_timing(const struct engine *engine, struct arena *arena);

#endif
