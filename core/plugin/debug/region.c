/* SPDX-License-Identifier: MIT */
#include "plugin/debug/region.h"

#include <pthread.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

#include "base/memory.h"

#define WINDOW_SIZE (UINT64_C(8) << 30)
enum { TRACES = 4096 };

static uint8_t *window;
static size_t page_size;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static uint8_t *next_base;
static struct region *live;
static struct region_trace traces[TRACES]; /* a ring */
static _Atomic uint32_t trace_count;

bool region_start(void)
{
    page_size = (size_t)sysconf(_SC_PAGESIZE);
    void *memory =
        mmap(NULL, WINDOW_SIZE, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (memory == MAP_FAILED) {
        return false;
    }
    window = memory;
    next_base = memory;
    return true;
}

bool region_is_ours(const void *address)
{
    return window != NULL && (const uint8_t *)address >= window &&
           (const uint8_t *)address < window + WINDOW_SIZE;
}

/* ---- addresses --------------------------------------------------------------------------------- */

static const struct region *live_within(const uint8_t *from, const uint8_t *to)
{
    for (const struct region *region = live; region != NULL; region = region->next_live) {
        if (region->base < to && from < region->base + region->size + page_size) {
            return region;
        }
    }
    return NULL;
}

/* The next addresses of the window that no living region has; NULL: it is full. */
static uint8_t *find_room(size_t span)
{
    uint8_t *at = next_base;
    bool has_come_round = false;
    for (;;) {
        if (span > (size_t)(window + WINDOW_SIZE - at)) {
            if (has_come_round) {
                return NULL;
            }
            has_come_round = true;
            at = window;
        }
        const struct region *holder = live_within(at, at + span);
        if (holder == NULL) {
            next_base = at + span;
            return at;
        }
        at = holder->base + holder->size + page_size;
    }
}

static void note_trace(const struct region *region, const char *plugin, const char *label)
{
    struct region_trace *trace = &traces[trace_count % TRACES];
    trace->size = 0;
    trace->base = region->base;
    trace->use = region->use;
    trace->is_retired = false;
    snprintf(trace->plugin, sizeof trace->plugin, "%s", plugin);
    snprintf(trace->label, sizeof trace->label, "%s", label);
    trace->size = region->size;
    trace_count++;
}

static struct region_trace *trace_of(const void *address)
{
    uint32_t count = trace_count;
    uint32_t known = count < TRACES ? count : TRACES;
    for (uint32_t i = 0; i < known; i++) {
        struct region_trace *trace = &traces[(count - 1 - i) % TRACES];
        const uint8_t *base = trace->base;
        if ((const uint8_t *)address >= base && (const uint8_t *)address < base + trace->size) {
            return trace;
        }
    }
    return NULL;
}

const struct region_trace *region_find(const void *address)
{
    return trace_of(address);
}

/* ---- life -------------------------------------------------------------------------------------- */

struct region *region_open(enum region_use use, size_t size, const char *plugin, const char *label)
{
    struct region *region = memory_alloc(sizeof *region);
    if (region == NULL || size > WINDOW_SIZE / 2) {
        memory_free(region);
        return NULL;
    }
    size_t whole = (size + page_size - 1) / page_size * page_size;
    whole = whole == 0 ? page_size : whole;
    *region = (struct region){ .size = whole, .use = use };
    pthread_mutex_lock(&lock);
    region->base = find_room(whole + page_size);
    if (region->base != NULL && mprotect(region->base, whole, PROT_READ | PROT_WRITE) == 0) {
        region->next_live = live;
        live = region;
        note_trace(region, plugin, label);
    } else {
        memory_free(region);
        region = NULL;
    }
    pthread_mutex_unlock(&lock);
    return region;
}

void region_seal(struct region *region)
{
    (void)mprotect(region->base, region->size, PROT_READ);
}

void region_retire(struct region *region)
{
    if (region == NULL) {
        return;
    }
    pthread_mutex_lock(&lock);
    /* New pages in the old place: what was there is gone, and the addresses stay ours. */
    (void)mmap(region->base, region->size, PROT_NONE,
               MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED, -1, 0);
    struct region **link = &live;
    while (*link != region) {
        link = &(*link)->next_live;
    }
    *link = region->next_live;
    struct region_trace *trace = trace_of(region->base);
    if (trace != NULL) {
        trace->is_retired = true;
    }
    pthread_mutex_unlock(&lock);
    memory_free(region);
}
