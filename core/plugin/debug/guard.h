/* SPDX-License-Identifier: MIT */
/*
 * The guard of an instance: stands between the engine and the plugin under the debug host.
 *
 * To the engine it is an instance like any other: its factory has the same slots, and each of them
 * visits the plugin with copies of what it was given. To the plugin it is the host.
 */
#ifndef PLUGIN_DEBUG_GUARD_H
#define PLUGIN_DEBUG_GUARD_H

#include <stdatomic.h>

#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "plugin/debug/lent_memory.h"
#include "plugin/debug/visit.h"
#include "plugin/instance.h"

/* How far a sink or a source has come. */
enum guard_state { GUARD_MADE, GUARD_OPEN, GUARD_CLOSED };

/*
 * spec     what the engine sees, with `vtable`
 * real     the plugin's own factory; self: its own instance
 * visitee  as messages name it
 */
struct guard {
    weir_factory spec;
    union {
        weir_operator_vtable operator;
        weir_source_vtable source;
        weir_sink_vtable sink;
        weir_serializer_vtable serializer;
    } vtable;
    const weir_factory *real;
    void *self;
    struct instance *instance;
    struct visitee visitee;
    struct region *host;
    struct region *config; /* NULL: there is none to be copied */
    const void *lent_config;
    struct lent_memory memory;
    uint64_t random;
    enum guard_state state;
    bool has_written;    /* of a sink: since the last token was published */
    bool awaits_publish; /* of a sink: it has given a token */
    bool is_publishing;  /* of a sink: which is committed */
};

/* The factory that the instance is made with instead of its own. NULL: no memory. */
const weir_factory *guard_factory(struct instance *instance, const weir_factory *real);

/* True where the address lies in memory that the instance was lent until it is destroyed. */
bool guard_holds(const struct guard *guard, const void *address);
/* How many of the next `left` records come in one call: at least one, mostly few. */
uint32_t guard_piece(struct guard *guard, uint32_t left);

/* The slots of each kind; only those are filled that the plugin fills as well. */
void guard_fill_operator(struct guard *guard);
void guard_fill_source(struct guard *guard);
void guard_fill_sink(struct guard *guard);
void guard_fill_serializer(struct guard *guard);

/* In guard_services.c: the tables that a plugin gets by their id. */
const void *guard_find_extension(const weir_host *host, const char *id);

#endif
