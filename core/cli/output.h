/* SPDX-License-Identifier: MIT */
/*
 * Standard output of a command. Whoever reads it may go away at any time (`| head`): that is no
 * fault. After the first write that fails nothing more is written; cli_main turns what happened
 * into the exit status.
 */
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>

/* Each returns false once output is closed or has failed: then stop the work and return EXIT_DONE.
 */
bool output_write(const void *bytes, size_t size);
bool output_printf(const char *format, ...) __attribute__((format(printf, 1, 2)));
/* Puts out what is buffered; for output that somebody waits for. */
bool output_flush(void);

/* Flushes. The status to exit with: `status`, or EXIT_FAULT where output failed for another reason
 * than a closed reader, which is then said on standard error. */
int output_finish(int status);

#endif
