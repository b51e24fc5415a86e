/* SPDX-License-Identifier: MIT */
#include "engine/faults/backoff.h"

#include <weir/abi.h>

enum { FIRST_MS = 200, LONGEST_MS = 30000, TELL_MS = 10000 };

#define MS_NS INT64_C(1000000)

/* Between half of it and all of it. The time at which something failed is chance enough. */
static int64_t shorten(int64_t wait_ms, int64_t now_ns)
{
    uint64_t mixed = (uint64_t)now_ns * UINT64_C(0x9E3779B97F4A7C15);
    return wait_ms / 2 + (int64_t)((mixed >> 33) % (uint64_t)(wait_ms / 2 + 1));
}

bool backoff_fail(struct backoff *backoff, int64_t now_ns, int64_t retry_after_ms, int64_t limit_ms,
                  int64_t *ret_wait_ms)
{
    if (backoff->attempts == 0) {
        backoff->first_ns = now_ns;
    }
    int64_t wait_ms = FIRST_MS;
    for (uint32_t i = 0; i < backoff->attempts && wait_ms < LONGEST_MS; i++) {
        wait_ms *= 2;
    }
    wait_ms = shorten(wait_ms < LONGEST_MS ? wait_ms : LONGEST_MS, now_ns);
    *ret_wait_ms = wait_ms > retry_after_ms ? wait_ms : retry_after_ms;
    backoff->attempts++;
    return limit_ms <= 0 || now_ns - backoff->first_ns < limit_ms * MS_NS;
}

bool backoff_is_worth_telling(struct backoff *backoff, int64_t now_ns)
{
    bool is_worth = backoff->told_ns == 0 || now_ns - backoff->told_ns >= TELL_MS * MS_NS;
    if (is_worth) {
        backoff->told_ns = now_ns;
    }
    return is_worth;
}

bool backoff_may_pass(uint32_t error_class)
{
    return error_class != WEIR_CLASS_CONFIG && error_class != WEIR_CLASS_BUG;
}
