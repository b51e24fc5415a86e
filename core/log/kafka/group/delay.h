/* SPDX-License-Identifier: MIT */
/*
 * What has come and cannot be begun yet is tried again, after pauses that grow. By the thread that supervises.
 */
#ifndef LOG_KAFKA_DELAY_H
#define LOG_KAFKA_DELAY_H

#include <stdbool.h>
#include <stdint.h>

#include "base/error.h"

/*
 * since_ns    when it could not be begun first; 0: it can
 * doubted_ns  when that was first for a reason that is borne for a limited time; 0: it was not
 * next_ns     when it is tried next
 * told_ns     when the log was told last
 * attempts    that were in vain
 * why         the last one was
 */
struct kafka_delay {
    int64_t since_ns;
    int64_t doubted_ns;
    int64_t next_ns;
    int64_t told_ns;
    uint32_t attempts;
    struct error why;
};

/* It is not to be tried yet. */
bool kafka_delay_is_on(const struct kafka_delay *delay, int64_t now_ns);
/* An attempt was in vain. limit_ms: how long that is borne; 0: without a limit. False: no longer. */
bool kafka_delay_put_off(struct kafka_delay *delay, int64_t now_ns, int64_t limit_ms,
                         const struct error *why);
/* No further attempt. is_begun: the last one has succeeded. */
void kafka_delay_end(struct kafka_delay *delay, int64_t now_ns, bool is_begun);

#endif
