/* SPDX-License-Identifier: MIT */
/*
 * An end in front of topics: the topic that each record goes to, where there are several, and the key
 * that its message gets.
 */
#ifndef ENGINE_TOPIC_END_H
#define ENGINE_TOPIC_END_H

#include "engine/faults/run_faults.h"
#include "engine/tasks/order.h"
#include "engine/tasks/root.h"

/* call: where the end has expressions; NULL else. */
struct topic_end {
    const struct end *end;
    const struct instance *host; /* of functions */
    struct call *call;
    struct meter *meter;
    struct run_faults *faults;
    struct letter_box *letters; /* of the task */
};

/*
 * ret_runs: by topic of the end. What fails goes to the end's on_error. In the root's arena. False after
 * a fatal fault.
 */
bool topic_end_run(const struct topic_end *end, struct root *root, struct run in,
                   struct run *ret_runs);

#endif
