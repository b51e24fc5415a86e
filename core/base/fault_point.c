/* SPDX-License-Identifier: MIT */
#include "base/fault_point.h"

#ifdef WEIR_FAULT_POINTS

# include <signal.h>
# include <stdatomic.h>
# include <stdlib.h>
# include <string.h>

void fault_point(const char *name)
{
    static atomic_ulong times;
    const char *wanted = getenv("WEIR_TEST_KILL_AT");
    size_t len = strlen(name);
    if (wanted == NULL || strncmp(wanted, name, len) != 0 || wanted[len] != ':') {
        return;
    }
    if (atomic_fetch_add(&times, 1) + 1 == strtoul(wanted + len + 1, NULL, 10)) {
        (void)raise(SIGKILL);
    }
}

#else
/* A file of C holds something. */
typedef int fault_point_unused;
#endif
