/* SPDX-License-Identifier: MIT */
#include "plugin/debug/trap.h"

#include <string.h>
#include <unistd.h>

#include "plugin/debug/visit.h"

static struct sigaction before_segv;
static struct sigaction before_bus;

/* Nothing but write may be called in the handler: whatever is broken may be anything. */
static void say(const char *text)
{
    if (write(STDERR_FILENO, text, strlen(text)) < 0) {
        return; /* there is nobody left to tell */
    }
}

struct finding {
    enum rule_id rule;
    const char *seen;
};

static struct finding find(const struct region_trace *trace)
{
    if (trace == NULL) {
        return (struct finding){ RULE_BATCH_MEMORY, "reached beyond the memory that it was lent" };
    }
    const enum region_use use = trace->use;
    switch (use) {
    case REGION_INPUT:
        return trace->is_retired ? (struct finding){ RULE_INPUT_LIFETIME,
                                                     "used the input of a call that had ended" }
                                 : (struct finding){ RULE_IMMUTABLE, "wrote to its input" };
    case REGION_CONTEXT:
        return (struct finding){ RULE_CONTEXT_LIFETIME,
                                 "used the context of a call that had ended" };
    case REGION_BATCH:
        return (struct finding){ RULE_BATCH_MEMORY, "used memory of a batch that had retired" };
    case REGION_INSTANCE:
        return (struct finding){ RULE_INSTANCE_MEMORY, "used its memory after destroy" };
    case REGION_CONFIG:
        return trace->is_retired ? (struct finding){ RULE_CONFIG, "used its config after destroy" }
                                 : (struct finding){ RULE_READ_ONLY, "wrote to its config" };
    case REGION_HOST:
    default:
        return trace->is_retired
                   ? (struct finding){ RULE_HOST_LIFETIME, "used its host after destroy" }
                   : (struct finding){ RULE_READ_ONLY, "wrote to its host" };
    }
}

/* "weir: error: LABEL: process of plugin 'ID' wrote to its input; weir/value.h: '...'" */
static void tell(const struct region_trace *trace)
{
    const struct visit *visit = visit_current();
    struct finding finding = find(trace);
    say("weir: error: ");
    say(visit != NULL ? visit->who->label : trace != NULL ? trace->label : "somebody");
    say(": ");
    say(visit != NULL ? visit->slot : "a thread");
    say(" of plugin '");
    say(visit != NULL ? visit->who->plugin : trace != NULL ? trace->plugin : "(unknown)");
    say("' ");
    say(finding.seen);
    say("; ");
    say(rules[finding.rule].header);
    say(": '");
    say(rules[finding.rule].words);
    say("'\n");
}

/* What is emitted is read by us: an address that nobody has is the plugin's doing all the same. */
static bool is_bad_pointer(void)
{
    const struct visit *visit = visit_current();
    return visit != NULL && visit->is_judged;
}

static void tell_bad_pointer(void)
{
    const struct visit *visit = visit_current();
    say("weir: error: ");
    say(visit->who->label);
    say(": ");
    say(visit->slot);
    say(" of plugin '");
    say(visit->who->plugin);
    say("' gave a pointer to memory that is not there; ");
    say(rules[RULE_LIFETIME].header);
    say(": '");
    say(rules[RULE_LIFETIME].words);
    say("'\n");
}

static void on_fault(int signal_number, siginfo_t *info, void *context)
{
    (void)context;
    if (region_is_ours(info->si_addr)) {
        tell(region_find(info->si_addr));
        _exit(1);
    }
    if (is_bad_pointer()) {
        tell_bad_pointer();
        _exit(1);
    }
    /* The access happens again and meets whoever was here before. */
    sigaction(signal_number, signal_number == SIGBUS ? &before_bus : &before_segv, NULL);
}

void trap_put_behind(int signal_number, const struct sigaction *action)
{
    struct sigaction now;
    struct sigaction *behind = signal_number == SIGBUS ? &before_bus : &before_segv;
    bool is_trap = sigaction(signal_number, NULL, &now) == 0 && (now.sa_flags & SA_SIGINFO) != 0 &&
                   now.sa_sigaction == on_fault;
    if (is_trap && behind->sa_handler == SIG_DFL) {
        *behind = *action;
    }
}

void trap_start(void)
{
    struct sigaction action = { .sa_sigaction = on_fault, .sa_flags = SA_SIGINFO | SA_NODEFER };
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before_segv);
    sigaction(SIGBUS, &action, &before_bus);
}
