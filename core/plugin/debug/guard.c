/* SPDX-License-Identifier: MIT */
#include "plugin/debug/guard.h"

#include <string.h>

#include "plugin/debug/copy.h"
#include "plugin/debug/debug_host.h"

/* ---- making ------------------------------------------------------------------------------------ */

/* Ranges of instances differ, and a run with the same seed is the same run. */
static uint64_t random_start(const char *label)
{
    uint64_t hash = UINT64_C(0x9E3779B97F4A7C15) * (debug_host_seed() + 1);
    for (const char *at = label; at != NULL && *at != '\0'; at++) {
        hash = (hash ^ (uint8_t)*at) * UINT64_C(0x100000001B3);
    }
    return hash | 1;
}

static bool lend_host(struct guard *guard)
{
    const struct visitee *who = &guard->visitee;
    guard->host = region_open(REGION_HOST, sizeof(struct lent_host), who->plugin, who->label);
    if (guard->host == NULL) {
        return false;
    }
    struct lent_host *lent = (struct lent_host *)(void *)guard->host->base;
    *lent = guard->instance->lent;
    lent->host.get_extension = guard_find_extension;
    region_seal(guard->host);
    guard->visitee.host = &lent->host;
    return true;
}

/* A deep copy, so that whoever writes to any part of it is caught. */
static bool lend_config(struct guard *guard, const void *config)
{
    guard->lent_config = config;
    if (guard->real->config_size == 0 || config == NULL) {
        return true;
    }
    guard->config = copy_config_in(&guard->visitee, guard->real, config);
    guard->lent_config = guard->config == NULL ? NULL : guard->config->base;
    return guard->config != NULL;
}

static void release(struct guard *guard)
{
    region_retire(guard->host);
    region_retire(guard->config);
    lent_memory_retire(&guard->memory);
    guard->host = NULL;
    guard->config = NULL;
}

static void judge_memory(struct guard *guard, struct visit *visit)
{
    uint64_t size = 0;
    if (!lent_memory_is_whole(&guard->memory, &size)) {
        visit_breach(visit, RULE_INSTANCE_MEMORY,
                     "wrote beyond the %llu bytes that weir.memory/1 had given",
                     (unsigned long long)size);
    }
}

/* `create` has no context: a breach becomes its reason. */
static weir_status end_create(struct guard *guard, struct visit *visit, weir_status st)
{
    struct error *complaint = guard->instance->complaint;
    if (visit->breach.status != WEIR_OK && complaint != NULL) {
        *complaint = visit->breach;
        visit->breach.status = WEIR_OK;
        st = WEIR_E_INTERNAL;
    }
    return visit_end(visit, NULL, 0, st);
}

static weir_status guard_create(const weir_host *host, const void *config, void **ret_self)
{
    struct guard *guard = ((const struct lent_host *)(const void *)host)->instance->guard;
    const weir_operator_vtable *real = guard->real->vtable;
    if (!lend_host(guard) || !lend_config(guard, config)) {
        release(guard);
        return WEIR_E_NOMEM;
    }
    *ret_self = guard;
    if (real->create == NULL) {
        guard->self = (void *)(uintptr_t)guard->lent_config;
        return WEIR_OK;
    }
    struct visit visit;
    visit_begin(&visit, &guard->visitee, "create");
    weir_status st = real->create(guard->visitee.host, guard->lent_config, &guard->self);
    visit_settle(&visit, st, 0);
    judge_memory(guard, &visit);
    bool is_made = st == WEIR_OK;
    st = end_create(guard, &visit, st);
    if (st != WEIR_OK) {
        if (is_made && real->destroy != NULL) {
            real->destroy(guard->self);
        }
        release(guard);
    }
    return st;
}

static void guard_destroy(void *self)
{
    struct guard *guard = self;
    const weir_operator_vtable *real = guard->real->vtable;
    struct visit visit;
    visit_begin(&visit, &guard->visitee, "destroy");
    if (real->create != NULL && real->destroy != NULL) {
        real->destroy(guard->self);
    }
    judge_memory(guard, &visit);
    (void)visit_end(&visit, NULL, 0, WEIR_OK);
    release(guard);
}

static void fill_kind(struct guard *guard)
{
    const char *kind = guard->real->kind;
    if (strcmp(kind, WEIR_KIND_OPERATOR) == 0) {
        guard_fill_operator(guard);
    } else if (strcmp(kind, WEIR_KIND_SOURCE) == 0) {
        guard_fill_source(guard);
    } else if (strcmp(kind, WEIR_KIND_SINK) == 0) {
        guard_fill_sink(guard);
    } else {
        guard_fill_serializer(guard);
    }
}

const weir_factory *guard_factory(struct instance *instance, const weir_factory *real)
{
    struct guard *guard = arena_zeroed(&instance->memory, sizeof *guard);
    if (guard == NULL) {
        return NULL;
    }
    instance->guard = guard;
    guard->instance = instance;
    guard->real = real;
    guard->spec = *real;
    guard->spec.vtable = &guard->vtable;
    guard->random = random_start(instance->label);
    guard->visitee = (struct visitee){ .plugin = debug_host_plugin_id(real),
                                       .label = instance->label != NULL ? instance->label : "",
                                       .symbols = instance->services->symbols,
                                       .guard = guard };
    lent_memory_init(&guard->memory, REGION_INSTANCE, guard->visitee.plugin, guard->visitee.label);
    fill_kind(guard);
    /* All kinds begin alike (instance.c). */
    guard->vtable.operator.create = guard_create;
    guard->vtable.operator.destroy = guard_destroy;
    return &guard->spec;
}

/* ---- asking ------------------------------------------------------------------------------------ */

bool guard_holds(const struct guard *guard, const void *address)
{
    return region_holds(guard->host, address) || region_holds(guard->config, address) ||
           lent_memory_holds(&guard->memory, address);
}

static uint64_t next_random(struct guard *guard)
{
    uint64_t x = guard->random;
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    guard->random = x;
    return x * UINT64_C(0x2545F4914F6CDD1D);
}

/* Small sizes are where plugins differ; whole batches are where they are fast. */
uint32_t guard_piece(struct guard *guard, uint32_t left)
{
    uint64_t random = next_random(guard);
    if (left <= 1 || (random & 3) == 0) {
        return left;
    }
    uint32_t most = (random & 4) != 0 && left > 8 ? 8 : left;
    return 1 + (uint32_t)((random >> 8) % most);
}
