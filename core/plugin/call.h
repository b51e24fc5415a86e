/* SPDX-License-Identifier: MIT */
/*
 * The frame of a call into a plugin: the context that it sees, what it emitted, what it failed.
 *
 *     call_begin(&call, instance, arena, batch);
 *     st = vtable->process(instance->self, &call.context, batch);
 *     call_end(&call);
 *     ... call.outputs, call.failures ...
 *
 * A frame is used again and again; its output arrays grow to what is needed and stay.
 */
#ifndef PLUGIN_CALL_H
#define PLUGIN_CALL_H

#include <stdatomic.h>

#include <weir/host.h>

#include "base/arena.h"
#include "base/error.h"
#include "base/stopwatch.h"
#include "plugin/instance.h"

/*
 * One record of the call that failed. Texts live in the arena of the call. A failing record takes
 * what it has emitted with it where the call has a batch; a source's records are all their own.
 */
struct call_failure {
    uint32_t index;
    uint32_t error_class;
    weir_status status;
    bool is_retriable; /* the same may succeed later */
    int64_t retry_after_ms;
    const char *message;
    const char *hint;    /* may be NULL */
    weir_slice input;    /* what a source could not read; data NULL: not known */
    uint64_t input_size; /* of all of it where it is only the beginning, as in weir_error_info */
};

struct call {
    weir_context context; /* first: the API finds the frame by its address */
    struct arena *arena;
    weir_output *outputs;
    uint32_t output_count;
    struct call_failure *failures; /* in the order of reporting; one per index, the first */
    uint32_t failure_count;
    uint32_t failure_capacity;
    uint32_t highest_failed; /* index; so that reports in order need no search for an earlier one */
    uint64_t record_limit;   /* indexes that may fail are below it; the caller may lower it */
    struct error whole;      /* status WEIR_OK unless the call as a whole was failed */
    int64_t retry_after_ms;  /* that of `whole`; 0 = the host chooses */
    uint8_t *delivered;      /* by record, in the arena; NULL: the call has reported none */
    struct stopwatch *stopwatch; /* of the plugin; NULL: nobody measures. Stays from call to call */
    int64_t started_ns;          /* by it */
};

/* False: no memory. */
bool call_init(struct call *call, uint32_t output_count);
void call_deinit(struct call *call);
/*
 * batch     NULL for sources and serializers
 * instance  NULL where no plugin is called (evaluating an expression of a topic)
 */
void call_begin(struct call *call, const struct instance *instance, struct arena *arena,
                const weir_batch *batch);
/* The same without a note for those who wait (below): for a call inside of another one. */
void call_prepare(struct call *call, const struct instance *instance, struct arena *arena,
                  const weir_batch *batch);
/*
 * Who is being called on a thread, for those who wait for it. A thread that has a watch keeps in it the
 * label of the instance between call_begin and call_end, else NULL; any thread may read it.
 */
struct call_watch {
    _Atomic(const char *) label;
    _Atomic(const char *) call; /* "write"; NULL where the thread does not tell */
    atomic_uint_fast64_t
        number; /* of the call, so that two looks can tell whether it is the same one */
};
/* Gives the calling thread its watch, which must outlive it; NULL takes it away. */
void call_watch_use(struct call_watch *watch);
/* The label in the calling thread's watch; NULL: none. Safe in a handler of signals. */
const char *call_watch_label(void);
/* Notes which slot the calling thread calls next; until call_end. */
void call_watch_slot(const char *name);
/* Gives the arena its bump pointer back. Outputs and failures stay readable until the next begin.
 */
void call_end(struct call *call);
/* True where the call has reported that the record is delivered, whatever became of the call. */
static inline bool call_is_delivered(const struct call *call, uint32_t index)
{
    return call->delivered != NULL && call->delivered[index] != 0;
}
/* Sorts failures by index. */
void call_sort_failures(struct call *call);

extern const weir_call_api call_api;

#endif
