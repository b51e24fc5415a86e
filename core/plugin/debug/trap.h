/* SPDX-License-Identifier: MIT */
/*
 * Catches accesses to memory that was not lent for them, says in one sentence whose they were and
 * which rule they break, and ends the process with status 1.
 */
#ifndef PLUGIN_DEBUG_TRAP_H
#define PLUGIN_DEBUG_TRAP_H

#include <signal.h>

/* Other faults are left to whoever handles them already. */
void trap_start(void);
/* Lets `action` handle them where nobody did. Does nothing where the trap is not the handler. */
void trap_put_behind(int signal_number, const struct sigaction *action);

#endif
