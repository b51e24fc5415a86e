/* SPDX-License-Identifier: MIT */
/*
 * Kind "weir.sink/1": takes records out of the pipeline, on a thread of its own.
 *
 * Exactly-once by a token: `flush` makes what was written durable but invisible and says in a token
 * how to make it visible. The host stores the token in the same atomic step as the positions of the
 * input, then calls `publish`. After a crash it opens the sink with the stored token and publishes
 * it again.
 *
 *     [assign] [reset] open(token of the last checkpoint) publish(that token)
 *     ( write* flush -> token, [the host commits], publish(token) )*
 *     close
 *
 * So between a commit and its publish comes neither write nor tick. A checkpoint may be put off after the
 * flush, since another sink cannot flush for now: then nothing is committed and published, and write, tick or
 * flush come next. So a token names all that was written since the last one that was published, however often
 * flush was called. Where a run ends by a fault before its last records are committed: discard, close. After
 * an open that has failed: open again, or destroy.
 *
 * The host may make several instances of one end in one process, also on one thread: where the partitions
 * of the input move between processes, each partition that can reach the sink has an instance of its own, so
 * that a token moves with the partition that its records came from. `assign` tells the instance which one it
 * is; others, in this process and in others, write beside it to the same place. An instance whose partition
 * goes gets a final flush, a publish after the commit, and close; one whose partition was lost gets close
 * alone, and whoever has the partition now opens with the token of the last commit. Where an epoch cannot be
 * committed and the run goes on: discard, close, destroy, and a new instance, which opens with that token. A
 * factory with WEIR_SINK_SHARED has one instance in a process, whatever the partitions.
 *
 * An instance that was assigned a partition can never be sure that it still has it: its process may be stopped,
 * be taken for dead, and go on when its successor has opened with the token of the last commit, has committed
 * and published. The log takes no commit from it, and the host closes it once it hears of the loss; until then
 * it may make every call that it was about to make: write, flush, publish of a token that was committed, even
 * open with a token that is old by now. So a transactional sink must be harmless by the way in which it works,
 * not by looking first:
 *   - what is not published lies under names that no other instance can choose
 *   - what a token names is never changed but by its publish; an instance that takes it up goes on in a copy, or
 *     elsewhere
 *   - a publish that a later instance has made already has succeeded
 *   - what others have left is removed only in the publish of a token that the instance has given itself after
 *     it had found them: with that commit the log has said whose partition it was then. Its own leavings it
 *     removes in discard or close, but for what its last token names, which may be committed
 *   - a fault that a successor can have caused is one for now: the host tries again until it hears of the loss
 * An instance without assign is alone.
 *
 * Where what a token names is not there, open, or the publish behind it, fails with the status WEIR_E_NOT_FOUND,
 * final or for now. A log on brokers may for a moment tell a token of before, whose things a successor has
 * finished and removed since. So the host closes and destroys an instance that was assigned a partition, asks for
 * the token again, for half a minute unless the file says otherwise, and opens another instance with what it is
 * told then. Where the answer stays the same, and on every other log, the run ends with what the sink has said.
 *
 * Outcomes. Each record that a write has been given is in the end one of three:
 *   delivered  it was accepted: the call has succeeded and has not failed the record, or the record was
 *              reported with weir_delivered
 *   rejected   the record can never be written: it was failed (weir_fail); the end's on_error decides
 *   unknown    nobody can tell, or not now: the record was failed for now (weir_fail_for_now with its
 *              index), or the call was, and nothing else was reported of the record
 * What is unknown is written again, with the next call, in its order, before any further record: first
 * after about 0.2 s, then at growing distances up to 30 s, and no sooner than the sink has asked for; for
 * 2 minutes, or what the file says, then the run ends. A sink that is at_least_once may deliver such a
 * record twice; one that is idempotent must be able to take it twice; a transactional one must hold nothing
 * of an unknown record that a later token would publish: it undoes what the failed call has begun.
 *
 * A call fails for now with weir_fail_for_now(ctx, -1, ...) and a negative status, or with the status
 * WEIR_E_BACKPRESSURE. Every other negative status is final: the run ends, and everything since the last
 * checkpoint comes again at the next start. `flush` and `publish` that fail for now are called again in
 * the same way, while everybody goes on who does not wait for this sink; what a failed flush has appended to
 * the token is dropped. A publish that fails for good is called again at the next start, with the same token.
 *
 * No call may block without a limit: one that does not come back is named in the log after 5 s and again
 * later, others that feed it wait meanwhile, and a run that is told to stop leaves it behind after
 * `shutdown_timeout`.
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
    WEIR_SINK_PROMISE_MASK = 3u,
    WEIR_SINK_SHARED = 4u /* one instance takes the records of all partitions; it gives no tokens */
};

enum {
    WEIR_FLUSH_FINAL = 1u /* the input has ended or the pipeline stops: finish what is open */
};

/*
 * create, destroy  as in operator.h
 * open     [lane] token: that of the last checkpoint, size 0 if there was none. Takes up what the
 *          token names and, where it is alone, removes whatever was written after it. WEIR_E_NOT_FOUND: that
 *          is not there, as above. Called again after it has failed where the end says
 *          `on_start_failure: retry`
 * write    [lane] in: valid during the call. Outcomes as above
 * flush    [lane] appends the token; an empty token means that there is nothing to publish or to
 *          take up. Asked again without a write in between it gives a token of the same. deadline_ns: on the monotonic clock of weir.clock/1
 * publish  [lane] makes visible what the token names; called again after a crash or a failure, must
 *          then do no harm. May be NULL for a sink without tokens
 * discard  [lane] forgets what was written since the last published token: the epoch is given up, its
 *          records come again at the next start. Never between a commit and its publish. May be NULL:
 *          then the next open removes it
 * reset    [lane] removes everything that this sink has ever published here, for `run --fresh`; called
 *          after create, before open. May be NULL: then the host says what stays
 * close    [lane] may be NULL; called only where open has succeeded. A fault ends the run with an error
 * locate   [any] may be NULL: appends where results lie, for the summary
 * tick     [lane] may be NULL: does what the clock makes due although no record comes. Called after open,
 *          write and publish, and when the time comes that it asked for: *ret_next_ms, in milliseconds
 *          since 1970 like now_ms; left as it is: none. WEIR_AGAIN: there is something that only a flush
 *          can finish, such as a file that is old enough; the host makes a checkpoint soon.
 *          From ABI 0.2 on
 * assign   [control] may be NULL: the instance gets the records of this partition of the input alone, and
 *          must leave everything alone that belongs to others, in open, discard and reset too. After
 *          create, before reset and open; not called where the instance gets the records of all. The origin
 *          is that of the batches, and valid until destroy. Anything but WEIR_OK ends the run. From ABI
 *          0.3 on
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
    weir_status (*tick)(void *self, weir_context *ctx, int64_t now_ms, int64_t *ret_next_ms);
    weir_status (*assign)(void *self, const weir_origin *origin);
} weir_sink_vtable;

WEIR_END_C

#endif
