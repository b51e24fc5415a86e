/* SPDX-License-Identifier: MIT */
/*
 * What a run would find and make: everything that can be judged without changing anything. Neither
 * sources nor sinks are opened.
 */
#ifndef ENGINE_DRY_RUN_H
#define ENGINE_DRY_RUN_H

#include "engine/engine.h"

/*
 * A partition that the run would read.
 *
 * position      of the first record that it would read
 * has_position  the pipeline has read up to there; otherwise it would begin there
 * was           up to where it has read, where that offset is not there any more; -1: it is
 */
struct dry_partition {
    int64_t first;
    int64_t next;
    int64_t position;
    bool has_position;
    int64_t was;
};

/*
 * name          in the log
 * is_there      otherwise it would be made
 * is_hidden     nobody lets this user see whether it is there
 * lacks_rights  the user may not do with it what the run does
 * is_left_out   behind a step, and of no use: it would not be made
 * differences   what the file says otherwise; NULL: nothing
 * reads         by partition; NULL: it is not read, not there, or may not be read
 */
struct dry_topic {
    const char *name;
    uint32_t partitions;
    bool is_there;
    bool is_hidden;
    bool lacks_rights;
    bool is_left_out;
    bool is_refused; /* it is missing and cannot be created, which is a fault */
    const char *differences;
    struct dry_partition *reads;
};

/*
 * log_name  URL
 * topics    those of the pipeline, and the one where the log keeps its facts, if there is one
 * faults    all that would end the start
 */
struct dry_run {
    struct arena arena;
    const char *log_name;
    bool is_log_there;
    struct dry_topic *topics;
    size_t topic_count;
    struct log_group group;
    struct diagnostics faults;
};

/*
 * options: log_url and folder alone count. `dry` is to be given back in any case. Not WEIR_OK: nothing
 * could be looked at; otherwise `faults` tells what is wrong.
 */
weir_status dry_run_make(struct pipeline *pipeline, const struct engine_options *options,
                         struct dry_run *dry, struct error *error);
void dry_run_deinit(struct dry_run *dry);

#endif
