/* SPDX-License-Identifier: MIT */
/*
 * The log: topics of partitions of messages, positions of readers, and one atomic commit.
 *
 * Appended messages are readable at once inside the process; they become durable, and visible to
 * others, with the next commit. A process that dies in between leaves no trace of them.
 * Two logs stand behind it: embedded/ (in a folder or in memory, one process) and kafka/ (a broker,
 * where the processes of one group share the partitions). All functions but open and close may be called
 * from any thread, unless it says otherwise.
 */
#ifndef LOG_LOG_H
#define LOG_LOG_H

#include <stdbool.h>

#include <weir/abi.h>

#include "base/arena.h"
#include "base/error.h"

/* Size of a key or value that is not there (null); an empty one has size 0. */
#define LOG_ABSENT UINT64_MAX
/* A figure that the log cannot tell. */
#define LOG_UNKNOWN UINT64_MAX

struct log_header {
    const char *name;
    uint32_t name_len;
    uint32_t reserved;
    weir_slice value; /* size LOG_ABSENT: null */
};

struct log_message {
    int64_t offset;    /* set by read; ignored by append */
    int64_t timestamp; /* ms since 1970 UTC */
    weir_slice key;
    weir_slice value;
    const struct log_header *headers;
    uint32_t header_count;
    uint32_t reserved;
};

struct log_ops;

/* First member of every log; see log_ops.h. */
struct log {
    const struct log_ops *ops;
};

/* A topic of an open log; lives as long as the log. */
struct log_topic {
    const char *name;
    uint32_t partitions;
    struct log *log;
};

/*
 * What becomes of a topic's messages. Durable; a new topic keeps everything.
 *
 * retention_ms     those that were written longer ago go, as far as they have been read; 0: none do
 * retention_bytes  the oldest go where a partition has more, as far as they have been read; 0: none
 * is_compacted     of messages with one key only the newest stays
 * tombstone_ms     one without a value stays so long after it was first compacted
 */
struct log_topic_options {
    int64_t retention_ms;
    int64_t retention_bytes;
    int64_t tombstone_ms;
    bool is_compacted;
};

struct log_partition_info {
    int64_t begin; /* first offset that is kept */
    int64_t end;   /* one behind the last, uncommitted ones included */
    int64_t committed_end;
    int64_t
        count; /* of committed messages; compaction leaves gaps between offsets. In a log that is
                     * shared: of offsets */
    int64_t
        peak; /* newest timestamp of committed messages; INT64_MIN: there are none, or unknown */
    uint64_t bytes; /* of committed messages as stored, before compression; may be LOG_UNKNOWN */
};

/* How far a group has come in a partition: the offset of the next message. */
struct log_position {
    struct log_topic *topic;
    uint32_t partition;
    int64_t offset;
};

/*
 * A named piece of a group's progress: a source's state, a sink's token.
 *
 * topic  where it belongs to one partition, and moves with it to another process; NULL: to the whole group
 */
struct log_fact {
    const char *key;  /* such as "source/flights", "sink/late.file" */
    weir_slice value; /* size LOG_ABSENT: remove it */
    struct log_topic *topic;
    uint32_t partition;
};

/* What a commit makes durable together with everything that was appended. */
struct log_epoch {
    const struct log_position *positions;
    size_t position_count;
    const struct log_fact *facts;
    size_t fact_count;
};

enum log_mode {
    LOG_WRITE, /* one process at a time; others are refused with the owner's pid */
    LOG_READ   /* committed messages only, also while another process writes; never creates */
};

/*
 * What the log may hold in memory, in bytes, whatever the number of partitions.
 *
 * cache      blocks of tables
 * memtables  together
 * chunks     free ones, those that were read ahead, and those that batches look into: each of the three
 */
struct log_memory {
    uint64_t cache;
    uint64_t memtables;
    uint64_t chunks;
};

struct kafka_settings;

/*
 * Asked from time to time, by threads within calls of the log that wait for the broker, whether they are
 * to go on waiting.
 */
typedef bool log_patience(void *self);

/*
 * folder   what a relative DIR hangs on; NULL: the current one
 * memory   NULL: without a limit of its own
 * kafka    of a log on Kafka; NULL: the defaults. Must live as long as the log
 * goes_on  NULL: whoever waits is never to give up. `self` must live as long as the log
 */
struct log_open_options {
    const char *folder;
    enum log_mode mode;
    const struct log_memory *memory;
    const struct kafka_settings *kafka;
    log_patience *goes_on;
    void *self;
};

/*
 * url  "local:DIR", "memory", "kafka://HOST:PORT,..."
 * WEIR_E_UNSUPPORTED: a scheme that this build has not; WEIR_E_NOT_FOUND: LOG_READ of none
 */
weir_status log_open_with(const char *url, const struct log_open_options *options,
                          struct log **ret_log, struct error *error);
/* The same of an embedded log. */
weir_status log_open(const char *url, const char *folder, enum log_mode mode, struct log **ret_log,
                     struct error *error);
/* What was not committed is gone. NULL is allowed. */
void log_close(struct log *log);
/* WEIR_E_UNSUPPORTED with a sentence where log_open would not understand it. Opens nothing. */
weir_status log_url_check(const char *url, struct error *error);

/*
 * Others use it at the same time: partitions may move between the processes of a group, topics that are
 * there are not altered, and what is appended outside of a group is there before the commit.
 */
bool log_is_shared(const struct log *log);

/* NULL: no such topic. */
struct log_topic *log_topic_find(struct log *log, const char *name);
/* Creates it, durable at once. WEIR_E_INVALID: it exists. */
weir_status log_topic_create(struct log *log, const char *name, uint32_t partitions,
                             struct log_topic **ret_topic, struct error *error);
/* How many partitions a topic gets of which nobody says it. Where brokers decide they are asked. */
weir_status log_default_partitions(struct log *log, uint32_t *ret_count, struct error *error);
/* Topics whose messages go to one that is made; there may be none. */
struct log_models {
    struct log_topic *const *topics;
    size_t count;
};
/* One between parts of a pipeline, as safe as the models are; it keeps everything until that is removed. */
weir_status log_topic_create_between(struct log *log, const char *name, uint32_t partitions,
                                     const struct log_models *models, struct log_topic **ret_topic,
                                     struct error *error);
/* In a log that is shared: what the topic has and the settings say otherwise, with both values, in the
 * arena. *ret_text NULL: nothing. */
weir_status log_topic_differences(struct log_topic *topic, struct arena *arena,
                                  const char **ret_text, struct error *error);
/* Whether it could be made so, as far as the log can tell without making it. models NULL: log_topic_create */
weir_status log_topic_try(struct log *log, const char *name, uint32_t partitions,
                          const struct log_models *models, struct error *error);
/* Removes all messages, keeps the topic, its partitions and goes on counting offsets. */
weir_status log_topic_empty(struct log_topic *topic, struct error *error);
/* Also forgets the positions of all groups in it. */
weir_status log_topic_drop(struct log_topic *topic, struct error *error);
weir_status log_topic_options(struct log_topic *topic, struct log_topic_options *ret_options,
                              struct error *error);
weir_status log_topic_configure(struct log_topic *topic, const struct log_topic_options *options,
                                struct error *error);
/*
 * What a topic in a log that is shared has beside its options.
 *
 * replication  copies of a partition; 0: the log keeps one
 * settings     what was said for this topic, by the brokers' names: what it takes from their own defaults is not
 *              among them; value NULL: they do not show it
 */
struct log_topic_setting {
    const char *name;
    const char *value;
};
struct log_topic_shape {
    uint32_t replication;
    const struct log_topic_setting *settings;
    size_t setting_count;
};
/* In the arena. */
weir_status log_topic_shape(struct log_topic *topic, struct arena *arena,
                            struct log_topic_shape *ret_shape, struct error *error);
/* Topics in the order of names; the array is in the arena. */
weir_status log_topics(struct log *log, struct arena *arena, struct log_topic ***ret_topics,
                       size_t *ret_count, struct error *error);
weir_status log_partition_info(struct log_topic *topic, uint32_t partition,
                               struct log_partition_info *ret_info, struct error *error);

/* Appends messages in order; they get the next offsets. Copies everything. WEIR_E_DATA: the topic is
 * compacted and a message has no key. */
weir_status log_append(struct log_topic *topic, uint32_t partition,
                       const struct log_message *messages, uint32_t count, struct error *error);
/*
 * What a topic takes at the moment, as far as it is known: after log_topic_options.
 *
 * size            most bytes of key, value and headers together of a message
 * oldest, newest  its timestamp, unless that is 0
 * has_refusals    it has refused messages that were within all of this: log_refusal knows them
 */
struct log_terms {
    uint64_t size;
    int64_t oldest;
    int64_t newest;
    bool has_refusals;
};
struct log_terms log_topic_terms(struct log_topic *topic);
/* Why the topic would refuse a message, as it did before; NULL: nothing is known. Any thread. */
const char *log_refusal(struct log_topic *topic, uint32_t partition,
                        const struct log_message *message);

/* Memory of messages that were not copied: not to be written, and to be given back once, when nobody
 * looks at them any more, before the arena that they lie in forgets them and before the log is closed.
 * release NULL: there is none. Any thread. */
struct log_lease {
    void (*release)(void *self);
    void *self;
};

/* Gives it back, where there is one. */
static inline void log_lease_end(struct log_lease *lease)
{
    if (lease->release != NULL) {
        lease->release(lease->self);
    }
    *lease = (struct log_lease){ NULL, NULL };
}

/*
 * What a read brings. Messages lie in the arena, what they point to there or in the lease.
 *
 * next       where the next read goes on: behind the last message and what is known to be no message
 * is_at_end  nothing is there behind `next` for now
 * lease      without messages there is none
 */
struct log_batch {
    struct log_message *messages;
    uint32_t count;
    int64_t next;
    bool is_at_end;
    struct log_lease lease;
};

/*
 * Reads up to `max_count` messages from `offset` on (and at least one if there is one at hand), about
 * `max_bytes` in all. Does not wait: a count of 0 without is_at_end means that they are on their way.
 * An offset before `begin` starts at `begin`.
 */
weir_status log_read(struct log_topic *topic, uint32_t partition, int64_t offset,
                     uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                     struct log_batch *ret_batch, struct error *error);
/* The first offset whose message is not older than `timestamp`, else the end. */
weir_status log_offset_at(struct log_topic *topic, uint32_t partition, int64_t timestamp,
                          int64_t *ret_offset, struct error *error);

/* Bytes appended since the last commit: the engine commits early when they grow. */
uint64_t log_pending_bytes(struct log *log);
/* The outcome of all that was appended is known, and nothing of it has to be done again. Any thread. */
bool log_is_settled(struct log *log);
/*
 * Makes everything appended so far, the group's positions and these facts durable in one atomic step:
 * after a crash either all of it is there or nothing. Nobody appends meanwhile.
 * error->is_retriable: nothing has happened yet, the same call may succeed later.
 * WEIR_AGAIN: this epoch can never be committed; after log_rollback the run may go on from the last commit.
 */
weir_status log_commit(struct log *log, const char *group, const struct log_epoch *epoch,
                       struct error *error);
/*
 * Drops everything appended since the last commit. Nobody reads or appends meanwhile.
 * WEIR_AGAIN: it is done, but all partitions belong to others by now; a LOG_LOST will say so.
 */
weir_status log_rollback(struct log *log, struct error *error);
/* A fact of a group; *ret_value.size LOG_ABSENT: none. In the arena. */
weir_status log_fact_get(struct log *log, const char *group, const char *key, struct arena *arena,
                         weir_slice *ret_value, struct error *error);
/* All facts of a group in the order of keys. */
weir_status log_facts(struct log *log, const char *group, struct arena *arena,
                      struct log_fact **ret_facts, size_t *ret_count, struct error *error);

/*
 * Claims a name for whoever works outside of a group: what is appended from now on, and facts under the name
 * as their group, become valid in one commit. Whoever claims it next takes it over: nothing that this process
 * has not committed by then is ever valid. In a log that is shared a topic of that name keeps the facts, one
 * message for each, and log_close drops what was not committed. LOG_READ: only asks for them.
 */
weir_status log_claim(struct log *log, const char *name, struct error *error);

/*
 * In a log that is shared: forgets a group's positions and facts, before anybody joins it. Refused where it has
 * members. WEIR_E_UNSUPPORTED: facts are listed here, and changed by commits.
 */
weir_status log_forget(struct log *log, const char *group, struct error *error);

/* How far a group has read a partition: the offset of the next message. */
struct log_reader {
    const char *group;
    uint32_t partition;
    int64_t position;
};
/* Every group that has positions in the topic, or with a name that one, partition by partition; in the arena. */
weir_status log_readers(struct log_topic *topic, const char *group, struct arena *arena,
                        struct log_reader **ret_readers, size_t *ret_count, struct error *error);

/* A process of a group. name: its own word for itself; host: where it is; topics: that it reads of */
struct log_group_member {
    const char *name;
    const char *host;
    const char **topics;
    size_t topic_count;
};
/*
 * What processes of a group are at work.
 *
 * state  the log's own word; NULL: it knows of none
 * topic  where the log keeps the group's facts; NULL: in none
 */
struct log_group {
    const char *state;
    struct log_group_member *members;
    size_t member_count;
    const char *topic;
    bool is_topic_there;
};
/* In the arena. Changes nothing, and the group need not be there. */
weir_status log_group_look(struct log *log, const char *group, struct arena *arena,
                           struct log_group *ret_group, struct error *error);

/* ---- rights ------------------------------------------------------------------------------------------ */

/* What a run does with a topic. is_trimmed: it removes what is processed */
struct log_use {
    const char *topic;
    bool is_read;
    bool is_written;
    bool is_trimmed;
};
/* What a run of a group does. has_facts: its commits hold some */
struct log_uses {
    const char *group;
    const struct log_use *list;
    size_t count;
    bool has_facts;
    bool is_exactly_once;
};
/*
 * A right that is missing.
 *
 * use        index of the use that needs it; LOG_OF_GROUP: the group itself
 * is_hidden  so nobody can tell whether the topic is there
 */
struct log_lack {
    size_t use;
    bool is_hidden;
    struct error fault;
};
#define LOG_OF_GROUP SIZE_MAX
/*
 * Asks for all rights that a run needs of a log that has users, without changing anything. What is needed
 * to make topics is told by log_topic_try. Of a topic that is not there yet, the right to write cannot be
 * asked.
 */
weir_status log_lacks(struct log *log, const struct log_uses *uses, struct arena *arena,
                      struct log_lack **ret_lacks, size_t *ret_count, struct error *error);

/* ---- membership: which partitions a process reads for its group ------------------------------------ */

/*
 * position      of the next message: what the group has committed, or where the log lets it begin
 * lost          offsets before it that were to be read and are gone
 * has_position  the group has committed it
 */
struct log_share {
    struct log_topic *topic;
    uint32_t partition;
    int64_t position;
    int64_t lost;
    bool has_position;
};

/*
 * What a process that joins wants.
 *
 * topics       that it reads
 * is_exactly_once  a log that is not so by itself commits in transactions
 * is_together  equal partition numbers of all of them are to come to one process
 */
struct log_membership {
    const char *group;
    struct log_topic *const *topics;
    size_t topic_count;
    bool is_together;
    bool is_exactly_once;
};

/*
 * LOG_CAME    these partitions are this process's own from log_change_done on
 * LOG_GOING   they go to another process; what was read of them may still be committed, and then
 *             log_change_done lets them go
 * LOG_LOST    they belong to another process already: nothing of theirs may be committed
 * LOG_DOOMED  the epoch under way can never be committed; it is to be dropped
 * LOG_MOVED   messages that were to be read next are gone; from log_change_done on reading goes on at
 *             these positions
 * LOG_STUCK   the same, and the run must not go on: what was read before may be committed, then
 *             log_change_done says why
 */
enum log_change_kind {
    LOG_NO_CHANGE,
    LOG_CAME,
    LOG_GOING,
    LOG_LOST,
    LOG_DOOMED,
    LOG_MOVED,
    LOG_STUCK
};

/*
 * leads      after the change this process is the one of the group that runs its sources
 * is_coming  LOG_NO_CHANGE: partitions have come that cannot be begun yet
 */
struct log_change {
    enum log_change_kind kind;
    struct log_share *shares; /* in the arena of the call */
    size_t share_count;
    bool leads;
    bool is_coming;
};

/* Becomes a member. The embedded log has one member, to whom everything comes at once. */
weir_status log_join(struct log *log, const struct log_membership *membership, struct error *error);
/*
 * The next change, if there is one; it stays the next one until log_change_done. Does not wait long: a
 * few requests to the broker at most.
 */
weir_status log_next_change(struct log *log, struct arena *arena, struct log_change *ret_change,
                            struct error *error);
/* Others wait for partitions of this process, or have them already. Does not ask the broker. */
bool log_is_urged(struct log *log);
/* It is carried out. Nobody reads meanwhile. */
weir_status log_change_done(struct log *log, const struct log_change *change, struct error *error);
/*
 * A LOG_CAME is not carried out now: it comes again, with what the log knows by then.
 *
 * why  what its facts name is not there; NULL: something else has to be done first
 *
 * Not WEIR_OK: the status of `why`, since what the log has told is what was committed.
 */
weir_status log_change_put_off(struct log *log, const struct error *why);
/*
 * Asks whether what has come is still this process's own, after it may have been silent for long.
 * WEIR_AGAIN: it is not.
 */
weir_status log_confirm(struct log *log, struct error *error);
/*
 * now_ns       monotonic
 * patience_ms  how long nothing may come of a partition that has more
 * epoch_ms     how long the members of the group may leave what they have written uncommitted: so long it is
 *              no fault where nothing behind it can be read
 */
struct log_look {
    int64_t now_ns;
    int64_t patience_ms;
    int64_t epoch_ms;
};
/*
 * A partition of this process's of which nothing comes, although there is more or nobody can tell.
 *
 * topic       NULL: none of those that have come to this process can be begun
 * offset      of the message that is to come next
 * since_ns    when it was first known, on the clock of the look
 * why         in a clause; NULL: it goes on, which is told once
 * is_at_hand  messages wait within this process, and nobody reads them: `why` says no more than that
 */
struct log_stall {
    const struct log_topic *topic;
    uint32_t partition;
    int64_t offset;
    int64_t since_ns;
    const char *why;
    bool is_at_hand;
};
/*
 * Those that stand still, and those that did so the last time and go on; in the arena. To be called about once
 * a second by the thread that supervises; does not wait long: some requests to the brokers at most, and those
 * seldom. Where no broker answers at all, others tell it.
 */
weir_status log_stalls(struct log *log, const struct log_look *look, struct arena *arena,
                       struct log_stall **ret_stalls, size_t *ret_count, struct error *error);
/* After the last commit. Returns within the time, also where the broker does not answer. */
void log_leave(struct log *log, int64_t timeout_ms);

/* ---- keeping house ----------------------------------------------------------------------------------- */

/*
 * Removes what retention and compaction let go, in small steps, until all is done or `budget_ms` are
 * over. Nothing that a group has not read goes. now_ms: the wall clock. Runs beside everything else.
 */
weir_status log_tidy(struct log *log, int64_t now_ms, int64_t budget_ms, bool *ret_is_done,
                     struct error *error);
/*
 * Removes the messages of a partition before an offset. Groups that have not read them go on at the
 * offset: their positions are moved in the same step.
 */
weir_status log_trim(struct log_topic *topic, uint32_t partition, int64_t before,
                     struct error *error);

/* LOG_READ: looks for what was committed since. Otherwise nothing. */
weir_status log_refresh(struct log *log, struct error *error);

/*
 * Called (on any thread, briefly, without locks held that a caller could know) after messages were
 * appended to a partition. One call at a time, and none any more when log_on_append has returned with
 * another wake or NULL; so `wake` itself must neither append nor call log_on_append.
 */
typedef void log_wake(void *self, const struct log_topic *topic, uint32_t partition);
void log_on_append(struct log *log, log_wake *wake, void *self);

#endif
