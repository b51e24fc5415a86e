/* SPDX-License-Identifier: MIT */
#include "engine/faults/watch.h"

#include <stdlib.h>

#include "base/logger.h"

enum { PATIENCE_MS = 5000, MS_NS = 1000000 };

bool watch_init(struct watch *watch, struct arena *arena, uint32_t capacity)
{
    const char *text = getenv("WEIR_TEST_PATIENCE_MS");
    int64_t patience_ms = text == NULL ? PATIENCE_MS : strtoll(text, NULL, 10);
    *watch = (struct watch){ .capacity = capacity, .patience_ns = patience_ms * MS_NS };
    watch->list = arena_zeroed(arena, (capacity + 1u) * sizeof *watch->list);
    return watch->list != NULL;
}

void watch_add(struct watch *watch, struct call_watch *thread)
{
    if (watch->count < watch->capacity) {
        watch->list[watch->count++] = (struct watched){ .watch = thread };
    }
}

static void tell_return(struct watched *w, int64_t now_ns)
{
    logger_write(LOGGER_INFO, w->label, "it has come back, after %.1f s",
                 (double)(now_ns - w->since_ns) / 1e9);
    w->told_ns = 0;
}

static void tell_absence(struct watched *w, const char *label, int64_t elapsed_ns)
{
    const char *call = atomic_load_explicit(&w->watch->call, memory_order_relaxed);
    logger_write(LOGGER_WARNING, label, "%s has not come back for %.1f s",
                 call != NULL ? call : "a call", (double)elapsed_ns / 1e9);
    w->told_ns = elapsed_ns;
    w->label = label;
}

static void look_at(struct watched *w, int64_t patience_ns, int64_t now_ns)
{
    const char *label = atomic_load_explicit(&w->watch->label, memory_order_relaxed);
    uint64_t number = atomic_load_explicit(&w->watch->number, memory_order_relaxed);
    if (label == NULL || number != w->seen) {
        if (w->told_ns > 0) {
            tell_return(w, now_ns);
        }
        w->seen = number;
        w->since_ns = now_ns;
        return;
    }
    int64_t elapsed_ns = now_ns - w->since_ns;
    int64_t due_ns = w->told_ns > 0 ? w->told_ns * 2 : patience_ns;
    if (elapsed_ns >= due_ns) {
        tell_absence(w, label, elapsed_ns);
    }
}

void watch_look(struct watch *watch, int64_t now_ns)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        look_at(&watch->list[i], watch->patience_ns, now_ns);
    }
}

int64_t watch_time(const struct watch *watch, const struct call_watch *thread, int64_t now_ns)
{
    for (uint32_t i = 0; i < watch->count; i++) {
        const struct watched *w = &watch->list[i];
        if (w->watch == thread) {
            bool is_in = atomic_load_explicit(&thread->label, memory_order_relaxed) != NULL &&
                         atomic_load_explicit(&thread->number, memory_order_relaxed) == w->seen;
            return is_in ? now_ns - w->since_ns : 0;
        }
    }
    return 0;
}
