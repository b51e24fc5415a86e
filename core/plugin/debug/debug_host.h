/* SPDX-License-Identifier: MIT */
/*
 * The debug host: with WEIR_CHECK_ABI set, everything that a plugin does is checked (README.md here).
 *
 *     WEIR_CHECK_ABI=1          on, seed 1
 *     WEIR_CHECK_ABI=1:42       on, seed 42: other sizes of batches
 *     WEIR_CHECK_ABI_FAIL=7     besides, the 7th request for memory of a plugin is refused
 *
 * The switch is read once. Off, nothing is wrapped and nothing is paid.
 */
#ifndef PLUGIN_DEBUG_DEBUG_HOST_H
#define PLUGIN_DEBUG_DEBUG_HOST_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/plugin.h>

/* The first call reads the environment and, if it is on, sets up what catches bad accesses. */
bool debug_host_is_on(void);
uint64_t debug_host_seed(void);

/* A broken rule was found. What it was has been told already. */
void debug_host_count_breach(void);
/* How many so far: a process in which a rule was broken ends with a fault. */
uint32_t debug_host_breaches(void);

/*
 * Requests for memory that plugins make are counted through the process; the k-th one is refused.
 * refuse_at: from now on, counted anew; 0 = none. refuses: counts one. refused: has it come to that?
 */
void debug_host_refuse_at(uint64_t k);
bool debug_host_refuses(void);
bool debug_host_refused(void);

/* Remembers whose factories these are, for messages. Does nothing where the debug host is off. */
void debug_host_note_plugin(const weir_plugin_entry *entry);
/* The plugin's id of a factory, or of a factory's vtable; "(unknown)" where nobody has noted it. */
const char *debug_host_plugin_id(const void *spec_or_vtable);

#endif
