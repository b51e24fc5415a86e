/* SPDX-License-Identifier: MIT */
/*
 * Kind "weir.sink/1": takes records out of the pipeline, on a thread of its own.
 *
 * Exactly-once by a token: `flush` makes what was written durable but invisible and says in a token
 * how to make it visible. The host stores the token in the same atomic step as the positions of the
 * input, then calls `publish`. After a crash it opens the sink with the stored token and publishes
 * it again.
 *
 *     open(token of the last checkpoint) publish(that token)
 *     write* flush -> token, [the host commits], publish(token)
 *     write* ...                                  close
 */
#ifndef WEIR_SINK_H
#define WEIR_SINK_H

#include "host.h"

WEIR_BEGIN_C

#define WEIR_KIND_SINK "weir.sink/1"

/* What a sink promises, put into the factory's flags. */
enum {
    WEIR_SINK_AT_LEAST_ONCE = 0u,
    WEIR_SINK_IDEMPOTENT = 1u,
    WEIR_SINK_TRANSACTIONAL = 2u,
    WEIR_SINK_PROMISE_MASK = 3u
};

enum {
    WEIR_FLUSH_FINAL = 1u /* the input has ended or the pipeline stops: finish what is open */
};

/*
 * create, destroy  as in operator.h
 * open     [lane] token: that of the last checkpoint, size 0 if there was none. Takes up what the
 *          token names and removes whatever was written after it
 * write    [lane] in: valid during the call. Fails single records with weir_fail.
 *          A negative status: nothing is known of the batch, the pipeline stops
 * flush    [lane] appends the token; an empty token means that there is nothing to publish or to
 *          take up. deadline_ns: on the monotonic clock of weir.clock/1
 * publish  [lane] makes visible what the token names; called again after a crash, must then do no
 *          harm. May be NULL for a sink without tokens
 * discard  [lane] forgets what was written since the last published token. May be NULL
 * reset    [lane] removes everything that this sink has ever published here, for `run --fresh`; called
 *          after create, before open. May be NULL: then the host says what stays
 * close    [lane] may be NULL; called only where open has succeeded. A fault ends the run with an error
 * locate   [any] may be NULL: appends where results lie, for the summary
 * status WEIR_END from write: this sink takes no more (standard output was closed). It counts as
 *          finished, its records are counted as not wanted, and the run goes on
 */
typedef struct weir_sink_vtable {
    uint32_t struct_size;
    uint32_t reserved;
    weir_status (*create)(const weir_host *host, const void *config, void **ret_self);
    void (*destroy)(void *self);
    weir_status (*open)(void *self, weir_context *ctx, weir_slice token);
    weir_status (*write)(void *self, weir_context *ctx, const weir_batch *in);
    weir_status (*flush)(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                         weir_buffer *ret_token);
    weir_status (*publish)(void *self, weir_context *ctx, weir_slice token);
    weir_status (*discard)(void *self, weir_context *ctx);
    weir_status (*reset)(void *self, weir_context *ctx);
    weir_status (*close)(void *self, weir_context *ctx);
    weir_status (*locate)(void *self, weir_buffer *out);
} weir_sink_vtable;

WEIR_END_C

#endif
