/* SPDX-License-Identifier: MIT */
#include "plugin/debug/debug_host.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <string.h>

#include "base/memory.h"
#include "plugin/debug/region.h"
#include "plugin/debug/trap.h"

static pthread_once_t once = PTHREAD_ONCE_INIT;
static bool is_on;
static uint64_t seed = 1;

static atomic_uint breaches;
static atomic_uint_fast64_t requests;
static atomic_uint_fast64_t refused_request; /* 0: none */

static void read_environment(void)
{
    const char *text = getenv("WEIR_CHECK_ABI");
    const char *fail = getenv("WEIR_CHECK_ABI_FAIL");
    if (text == NULL || text[0] == '\0' || strcmp(text, "0") == 0) {
        return;
    }
    const char *colon = strchr(text, ':');
    if (colon != NULL) {
        seed = strtoull(colon + 1, NULL, 10);
    }
    if (fail != NULL) {
        debug_host_refuse_at(strtoull(fail, NULL, 10));
    }
    is_on = region_start();
    if (is_on) {
        trap_start();
    }
}

bool debug_host_is_on(void)
{
    pthread_once(&once, read_environment);
    return is_on;
}

uint64_t debug_host_seed(void)
{
    return seed;
}

void debug_host_count_breach(void)
{
    atomic_fetch_add(&breaches, 1);
}

uint32_t debug_host_breaches(void)
{
    return atomic_load(&breaches);
}

/* ---- refused memory ---------------------------------------------------------------------------- */

void debug_host_refuse_at(uint64_t k)
{
    atomic_store(&refused_request, k);
    atomic_store(&requests, 0);
}

bool debug_host_refuses(void)
{
    uint64_t number = atomic_fetch_add(&requests, 1) + 1;
    return number == atomic_load(&refused_request);
}

bool debug_host_refused(void)
{
    uint64_t k = atomic_load(&refused_request);
    return k > 0 && atomic_load(&requests) >= k;
}

/* ---- whose factory ----------------------------------------------------------------------------- */

struct owner {
    struct owner *next;
    const weir_factory *spec;
    const void *vtable;
    const char *id; /* plugins stay loaded for ever */
};

static pthread_mutex_t owners_lock = PTHREAD_MUTEX_INITIALIZER;
static struct owner *owners;

void debug_host_note_plugin(const weir_plugin_entry *entry)
{
    if (!debug_host_is_on()) {
        return;
    }
    pthread_mutex_lock(&owners_lock);
    for (size_t i = 0; entry->factories[i] != NULL; i++) {
        struct owner *owner = memory_alloc(sizeof *owner);
        if (owner != NULL) {
            const weir_factory *spec = entry->factories[i];
            *owner = (struct owner){ owners, spec, spec->vtable, entry->id };
            owners = owner;
        }
    }
    pthread_mutex_unlock(&owners_lock);
}

const char *debug_host_plugin_id(const void *spec_or_vtable)
{
    const char *id = "(unknown)";
    pthread_mutex_lock(&owners_lock);
    for (const struct owner *owner = owners; owner != NULL; owner = owner->next) {
        if (owner->spec == spec_or_vtable || owner->vtable == spec_or_vtable) {
            id = owner->id;
            break;
        }
    }
    pthread_mutex_unlock(&owners_lock);
    return id;
}
