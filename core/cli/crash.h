/* SPDX-License-Identifier: MIT */
/*
 * The last words of a process that a plugin has brought down.
 */
#ifndef CLI_CRASH_H
#define CLI_CRASH_H

/*
 * From here on a fatal signal writes one line to standard error that names the plugin whose code the
 * thread was in (plugin/call.h: its watch), and then ends the process as it would have anyway. Signals
 * that somebody handles already (a sanitizer) are left to them.
 */
void crash_handle(void);

#endif
