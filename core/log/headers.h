/* SPDX-License-Identifier: MIT */
/* Headers of messages as members of records, and back. A header without a value is null. */
#ifndef LOG_HEADERS_H
#define LOG_HEADERS_H

#include <weir/record.h>

#include "log/log.h"

/* As many as the message has; they point into it. In the arena. NULL: no memory. */
const weir_member *log_headers_read(struct arena *arena, const struct log_message *message);
/* As many as the record has, each bytes, text or null; they point into it. In the arena. NULL: no memory. */
const struct log_header *log_headers_make(struct arena *arena, const weir_record *record);

#endif
