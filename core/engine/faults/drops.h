/* SPDX-License-Identifier: MIT */
/*
 * The records that on_error has dropped: counted by place for the summary, told in the log once per
 * cause, with the number of those like it after each window of time. Any thread.
 */
#ifndef ENGINE_DROPS_H
#define ENGINE_DROPS_H

#include <pthread.h>

#include "base/arena.h"
#include "pipeline/pipeline.h"

enum { DROP_WINDOW_MS = 10000, DROP_CAUSES = 64 };

/* All that failed at one place. Texts are in the arena of the drops. */
struct drop_place {
    const char *label;
    enum on_error on_error;
    uint64_t count;
    uint64_t kept;     /* of them, in epochs that are committed */
    const char *first; /* "flights[0]@1: field 'delay' is missing" */
    struct drop_place *next;
};

/*
 * Failures at one place whose messages differ in digits at most.
 *
 * held    not told yet
 * fresh   since the last commit
 * known   that come again since an epoch was dropped, and are told or held already
 * told_ns when the last line about it was written
 */
struct drop_cause {
    uint64_t hash;
    const char *label;
    const char *message; /* of the first */
    uint64_t held;
    uint64_t fresh;
    uint64_t known;
    int64_t told_ns;
};

struct drops {
    pthread_mutex_t lock;
    struct arena arena;
    struct drop_place *places; /* in the order of their first failures */
    struct drop_place **end;
    uint32_t place_count;
    struct drop_cause causes[DROP_CAUSES];
    uint32_t cause_count;
};

/* One record. origin: "flights[0]@1", or empty where it is not known. */
struct drop {
    const char *label;
    enum on_error on_error;
    const char *origin;
    const char *message;
};

void drops_init(struct drops *drops);
void drops_deinit(struct drops *drops);
/* Counts it, and tells the first one of its cause. now_ns: monotonic. */
void drops_add(struct drops *drops, const struct drop *drop, int64_t now_ns);
/* The epoch is committed, or dropped: then its records come again, and count once. */
void drops_keep(struct drops *drops);
void drops_take_back(struct drops *drops);
/* Tells how many more there were, where a window is over. */
void drops_tell(struct drops *drops, int64_t now_ns);

#endif
