/* SPDX-License-Identifier: MIT */
/*
 * One call of a plugin under the debug host: what it is lent for the time of the call, and what it
 * was found to have done.
 *
 *     visit_begin(&visit, guard, "process"); visit_lend_context(&visit, ctx, ...);
 *     st = vtable->process(self, &visit.page->call.context, batch);
 *     visit_settle(&visit, st, 0);
 *     ... judge and copy what it has emitted ...
 *     st = visit_end(&visit, ctx, st);
 */
#ifndef PLUGIN_DEBUG_VISIT_H
#define PLUGIN_DEBUG_VISIT_H

#include "plugin/call.h"
#include "plugin/debug/lent_memory.h"
#include "plugin/debug/rule.h"

struct guard;

/* Who is visited, as messages name it. */
struct visitee {
    const char *plugin; /* its id */
    const char *label;
    const weir_host *host;
    const struct symbols *symbols; /* NULL: interned ones are not judged */
    struct guard *guard;           /* NULL: a function */
};

/* Slots behind the last output that catch who emits there. */
enum { TRAP_OUTPUTS = 64 };

struct visit;

/* What lies on the pages of a context. */
struct visit_page {
    struct call call; /* first: the context stands first in it */
    struct visit *visit;
    weir_batch batch;
    weir_output outputs[];
};

struct visit {
    struct visit *outer; /* that this thread is in, further out */
    const struct visitee *who;
    const char *slot;
    struct region *context;
    struct region *input;
    struct lent_memory memory;
    struct visit_page *page; /* NULL: a call without a context */
    struct arena texts;
    weir_context lent; /* the context as it was lent */
    uint32_t input_count;
    uint32_t first_ordinal; /* lent entries are numbered from here */
    bool is_refused;        /* it was refused memory */
    bool is_judged;         /* what it left is being read */
    struct error breach;    /* the first one */
};

/* The visit that this thread is in; NULL: none. Safe in a handler of signals. */
struct visit *visit_current(void);

/* While something is done in the name of who is outside: called back, or handed on to. */
void visit_step_out(struct visit *visit);
void visit_step_in(struct visit *visit);

/* A call without a context: create, destroy, locate. */
void visit_begin(struct visit *visit, const struct visitee *who, const char *slot);
/*
 * Lends a context. batch: lent already (see copy.h), or NULL. record_limit: indexes that may fail are
 * below it. False: no memory.
 */
bool visit_lend_context(struct visit *visit, uint32_t outputs, const weir_batch *batch,
                        uint64_t record_limit);
static inline weir_context *visit_context(struct visit *visit)
{
    return &visit->page->call.context;
}

/*
 * The plugin is back: its status must be known, negative or one of `allowed` (bits by value), the
 * context as it was, and no memory written beyond its end. Returns the status.
 */
weir_status visit_settle(struct visit *visit, weir_status st, uint32_t allowed);
/*
 * Hands on what was failed, records counted from `base`, takes everything back, and tells a breach as
 * the fault of the whole call. ctx: the engine's; NULL: a breach goes to the log.
 */
weir_status visit_end(struct visit *visit, weir_context *ctx, uint32_t base, weir_status st);
bool visit_has_failed(const struct visit *visit, uint32_t index);

/*
 * A rule is broken. seen: what was seen, as "emitted ..."; the sentence becomes
 * "process of plugin 'id' SEEN; weir/value.h: 'RULE'". Only the first breach of a visit is told.
 */
void visit_breach(struct visit *visit, enum rule_id rule, const char *seen, ...)
    __attribute__((format(printf, 3, 4)));
/* The same of somebody who is in no visit, or not in this one: to the log, at once. */
void visit_breach_outside(const struct visitee *who, const char *slot, enum rule_id rule,
                          const char *seen, ...) __attribute__((format(printf, 4, 5)));

/* In visit_api.c: the checked functions of a lent context. */
extern const weir_call_api visit_call_api;

#endif
