/* SPDX-License-Identifier: MIT */
/*
 * How a plugin is refused: always an error of the configuration, in one form of words.
 */
#ifndef PLUGIN_REFUSAL_H
#define PLUGIN_REFUSAL_H

#include "base/error.h"

/* Returns WEIR_E_INVALID, class config. */
weir_status refuse(struct error *error, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
/* "could not load plugin 'PATH': REASON"; hint may be NULL. */
weir_status refuse_file(struct error *error, const char *path, const char *reason,
                        const char *hint);

#endif
