/* SPDX-License-Identifier: MIT */
/*
 * The process's log: lines on standard error, as text or JSON. Thread-safe; one line is one write.
 * While a progress line stands on the terminal it is wiped before a log line and drawn again after.
 */
#ifndef BASE_LOGGER_H
#define BASE_LOGGER_H

#include <stdbool.h>
#include <stdint.h>

enum logger_level { LOGGER_ERROR = 1, LOGGER_WARNING, LOGGER_INFO, LOGGER_DEBUG };

/* Before threads start. Default: text, INFO, no colour. */
void logger_configure(enum logger_level level, bool is_json, bool has_color);
/* subject: what the line is about ("streams.late.steps[0] (filter)"); may be NULL. */
void logger_write(enum logger_level level, const char *subject, const char *format, ...)
    __attribute__((format(printf, 3, 4)));
/* Shows or replaces the progress line; NULL or "" removes it. Does nothing unless stderr is a tty.
 */
void logger_progress(const char *line);

#endif
