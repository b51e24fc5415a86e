/* SPDX-License-Identifier: MIT */
/*
 * Which rights a run would lack, found out without changing anything.
 */
#ifndef LOG_KAFKA_LACKS_H
#define LOG_KAFKA_LACKS_H

#include "log/log.h"

/* As in log.h. */
weir_status kafka_log_lacks(struct log *log, const struct log_uses *uses, struct arena *arena,
                            struct log_lack **ret_lacks, size_t *ret_count, struct error *error);

#endif
