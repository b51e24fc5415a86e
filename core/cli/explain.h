/* SPDX-License-Identifier: MIT */
/*
 * What `weir explain` tells, for people and for programs, and the facts that both forms share.
 */
#ifndef CLI_EXPLAIN_H
#define CLI_EXPLAIN_H

#include "base/buffer.h"
#include "engine/engine.h"
#include "graph/draw.h"
#include "graph/pen.h"
#include "graph/plan.h"

struct explanation {
    const struct pipeline *pipeline;
    const char *log_url; /* the file's, or what a run was told instead */
    const struct plan *plan;
    struct arena *arena;                /* of short-lived texts */
    const struct engine_report *report; /* of a run that has measured; NULL: none, the plan alone */
};

/* Of the plan that a run has followed, to standard error. log_url NULL: that of the file. */
void explain_run(const struct pipeline *pipeline, const char *log_url,
                 const struct engine_report *report, bool is_json);

weir_status explain_text(const struct explanation *explanation, weir_buffer *out);
weir_status explain_json(const struct explanation *explanation, weir_buffer *out);

/* "input", "step", ... */
const char *explain_kind(const struct plan_node *node);
/* "filter delay > 15", "topic late", "print"; never NULL. */
const char *explain_use(const struct explanation *explanation, const struct plugin_use *use,
                        bool is_short);
/* "exactly-once", "transactional", "idempotent", "at-least-once". */
const char *explain_promise(const struct explanation *explanation, const struct end *end);
/* As many as the read topic with the most partitions has; those that the file does not tell count as
 * one. ret_is_exact: the file tells all of them. */
uint32_t explain_tasks(const struct explanation *explanation, bool *ret_is_exact);
size_t explain_source_count(const struct explanation *explanation);
size_t explain_sink_count(const struct explanation *explanation);

/* ---- what was measured (explain_time.c); nothing where there is no report ---- */

void explain_time_head(struct pen *pen, const struct explanation *e);
void explain_time_node(struct pen *pen, const struct explanation *e, uint32_t node);
void explain_time_text(struct pen *pen, const struct explanation *e);
/* Members of the object of a node, and of the whole. */
void explain_time_node_json(struct pen *pen, const struct explanation *e, uint32_t node);
void explain_time_json(struct pen *pen, const struct explanation *e);

#endif
