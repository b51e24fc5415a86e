/* SPDX-License-Identifier: MIT */
/*
 * Keeps the secrets of an instance out of what its plugin says. The host copies every message of a
 * plugin; where one of the instance's secrets stands in it, the copy has "***".
 */
#ifndef PLUGIN_SECRETS_H
#define PLUGIN_SECRETS_H

#include <stdbool.h>
#include <stddef.h>

#include <weir/option.h>

#include "base/redact.h"

enum { SECRETS_ROOM = REDACT_ROOM };

/* Whether a filled config holds secrets that have to be hidden; config may be NULL. */
bool secrets_stand_in(const weir_option *table, const void *config);
/*
 * The message, or where it has a secret of the config its copy in `room` without it. The beginning of
 * a secret is hidden too where the message ends within it.
 */
const char *secrets_hide(const weir_option *table, const void *config, const char *message,
                         char room[SECRETS_ROOM]);

#endif
