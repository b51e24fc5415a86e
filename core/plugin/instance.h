/* SPDX-License-Identifier: MIT */
/*
 * One instance of a factory, and the host that it sees.
 */
#ifndef PLUGIN_INSTANCE_H
#define PLUGIN_INSTANCE_H

#include <weir/host.h>

#include "base/arena.h"
#include "base/error.h"
#include "plugin/registry.h"
#include "plugin/secrets.h"
#include "value/symbols.h"

/* What all instances of a pipeline share. now_ms, monotonic_ns: NULL = the real clocks. */
struct services {
    struct symbols *symbols;
    int64_t (*now_ms)(void *self);
    int64_t (*monotonic_ns)(void *self);
    void *self;
};

struct instance_counter {
    const char *name;
    const char *help;
    uint64_t value;
    struct instance_counter *next;
};

struct instance;
struct guard;

/* The host as a plugin sees it, and what the services find behind it by its address. */
struct lent_host {
    weir_host host; /* first */
    struct instance *instance;
};

/*
 * spec   what the engine calls: the plugin's own factory, or its guard's
 * guard  under the debug host, else NULL (debug/guard.h)
 * options, config  its secrets, which stand in none of its messages; NULL where it has none
 */
struct instance {
    union {
        struct lent_host lent;
        weir_host host; /* that of `lent` */
    };
    const struct services *services;
    const weir_factory *spec;
    struct guard *guard;
    void *self;
    const weir_option *options;
    const void *config;
    const char *label; /* "streams.late.steps[0] (filter)" */
    struct arena memory;
    struct instance_counter *counters;
    struct error
        *complaint; /* while `create` runs: its first error line is kept here, not logged */
};

/* A host that belongs to no instance of a kind with `create`: for function plugins. */
void instance_init_host(struct instance *instance, const struct services *services,
                        const char *label);
/* Frees the memory that was lent through it. */
void instance_deinit_host(struct instance *instance);

/*
 * Makes an instance of an operator, source, sink or serializer factory: memory, host, create.
 * config, label: borrowed, must outlive it. NULL with `error` filled on failure: its message is the
 * first line that `create` wrote to the log as an error, else what its status means.
 */
struct instance *instance_create(const struct services *services, const weir_factory *spec,
                                 const void *config, const char *label, struct error *error);
void instance_destroy(struct instance *instance);
/* A message of the plugin as the host may pass it on: itself, or in `room` without secrets. */
const char *instance_message(const struct instance *instance, const char *message,
                             char room[SECRETS_ROOM]);

#endif
