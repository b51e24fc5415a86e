/* SPDX-License-Identifier: MIT */
/*
 * What a group keeps, for those who are no member of it: read before a run joins, and forgotten by one that
 * begins afresh.
 */
#ifndef LOG_KAFKA_OUTSIDE_H
#define LOG_KAFKA_OUTSIDE_H

#include "base/buffer.h"
#include "log/log.h"

struct kafka_log;

/*
 * The facts of a group as a whole, as they were when they were first asked for.
 *
 * group  NULL: nobody has asked yet
 */
struct kafka_outside {
    const char *group;
    weir_buffer facts;
};

void kafka_outside_init(struct kafka_outside *outside);
void kafka_outside_deinit(struct kafka_outside *outside);

/* As in log.h. */
weir_status kafka_log_fact_get(struct log *log, const char *group, const char *key,
                               struct arena *arena, weir_slice *ret_value, struct error *error);
weir_status kafka_log_facts(struct log *log, const char *group, struct arena *arena,
                            struct log_fact **ret_facts, size_t *ret_count, struct error *error);
weir_status kafka_log_forget(struct log *log, const char *group, struct error *error);

#endif
