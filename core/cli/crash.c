/* SPDX-License-Identifier: MIT */
#include "cli/crash.h"

#include <signal.h>
#include <string.h>
#include <unistd.h>

#include "plugin/call.h"
#include "plugin/debug/trap.h"

/* Nothing but write may be called here: whatever is broken may be anything. */
static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        return; /* there is nobody left to tell */
    }
}

static const char *name_of(int signal_number)
{
    switch (signal_number) {
    case SIGSEGV:
        return "SIGSEGV";
    case SIGBUS:
        return "SIGBUS";
    case SIGFPE:
        return "SIGFPE";
    case SIGILL:
        return "SIGILL";
    default:
        return "SIGABRT";
    }
}

static void on_crash(int signal_number)
{
    const char *label = call_watch_label();
    say("\nweir run: crashed (");
    say(name_of(signal_number));
    if (label != NULL) {
        say(") in ");
        say(label);
        say("; this is a defect of the plugin");
    } else {
        say("); this is a defect of weir");
    }
    say("\nhint: the next start goes on from the last checkpoint\n");
    raise(signal_number); /* SA_RESETHAND has put the default back */
}

void crash_handle(void)
{
    static const int signals[] = { SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT };
    struct sigaction action = { .sa_handler = on_crash,
                                .sa_flags = (int)(SA_RESETHAND | SA_NODEFER) };
    sigemptyset(&action.sa_mask);
    for (size_t i = 0; i < sizeof signals / sizeof signals[0]; i++) {
        struct sigaction before;
        if (sigaction(signals[i], NULL, &before) != 0) {
            continue;
        }
        if (before.sa_handler == SIG_DFL) {
            sigaction(signals[i], &action, NULL);
        } else {
            trap_put_behind(signals[i], &action); /* the debug host's goes first */
        }
    }
}
