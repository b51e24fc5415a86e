/* SPDX-License-Identifier: MIT */
/*
 * Standard output through stdio's buffer, with the memory of its first fault.
 */
#include "cli/output.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "cli/cli.h"

static int first_fault; /* errno of the first write that failed; 0: none has */

/* Remembers a failed call; returns whether all has been well so far. */
static bool note(bool is_fine)
{
    if (!is_fine && first_fault == 0) {
        first_fault = errno != 0 ? errno : EIO;
    }
    return first_fault == 0;
}

bool output_write(const void *bytes, size_t size)
{
    if (first_fault != 0 || size == 0) {
        return first_fault == 0;
    }
    return note(fwrite(bytes, 1, size, stdout) == size);
}

bool output_printf(const char *format, ...)
{
    if (first_fault != 0) {
        return false;
    }
    va_list args;
    va_start(args, format);
    int written = vprintf(format, args);
    va_end(args);
    return note(written >= 0);
}

bool output_flush(void)
{
    if (first_fault != 0) {
        return false;
    }
    return note(fflush(stdout) == 0);
}

int output_finish(int status)
{
    if (output_flush() || first_fault == EPIPE) {
        return status;
    }
    fprintf(stderr, "weir: could not write to standard output: %s\n", strerror(first_fault));
    return status != EXIT_DONE ? status : EXIT_FAULT;
}
