/* SPDX-License-Identifier: MIT */
/*
 * When to try again what has failed for a reason that may pass: waits double from a fifth of a second to
 * half a minute, each shortened by chance so that many who wait for one peer do not come all at once.
 */
#ifndef ENGINE_BACKOFF_H
#define ENGINE_BACKOFF_H

#include <stdbool.h>
#include <stdint.h>

enum {
    BACKOFF_LIMIT_MS = 120000
}; /* between the first failure and the last one that is borne, by default */

/*
 * attempts  that have failed; 0: none has
 * first_ns  when the first one failed
 * told_ns   when the log was told last
 */
struct backoff {
    uint32_t attempts;
    int64_t first_ns;
    int64_t told_ns;
};

/*
 * An attempt has failed. retry_after_ms: no sooner, 0 where the peer did not say. limit_ms <= 0:
 * none. *ret_wait_ms: until the next one. False: the limit has passed.
 */
bool backoff_fail(struct backoff *backoff, int64_t now_ns, int64_t retry_after_ms, int64_t limit_ms,
                  int64_t *ret_wait_ms);
/* True where the log should hear of it again: the first time, then every ten seconds at most. */
bool backoff_is_worth_telling(struct backoff *backoff, int64_t now_ns);
/* For `on_start_failure: retry`: a fault of this class may pass by itself. */
bool backoff_may_pass(uint32_t error_class);

#endif
