/* SPDX-License-Identifier: MIT */
#include "cli/count_line.h"

#include "base/buffer.h"

void count_line_write(weir_buffer *out, const char *file, size_t errors, size_t warnings)
{
    if (errors == 0 && warnings == 0) {
        (void)buffer_printf(out, "%s: no errors\n", file);
        return;
    }
    if (errors > 0) {
        (void)buffer_printf(out, "%zu error%s%s", errors, errors == 1 ? "" : "s",
                            warnings > 0 ? ", " : "");
    }
    if (warnings > 0) {
        (void)buffer_printf(out, "%zu warning%s", warnings, warnings == 1 ? "" : "s");
    }
    (void)buffer_printf(out, " in %s\n", file);
}
