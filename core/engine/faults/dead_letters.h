/* SPDX-License-Identifier: MIT */
/*
 * The end of dead letters, a topic or a sink, which every thread of a run may send to. Letters are part
 * of the epoch in which they arise: those of a topic are appended before the commit that counts their
 * input as done, those of a sink are handed to its lane, which is flushed after all others.
 *
 * A letter that the end does not take is tried again in smaller forms (value/letter.h). If it takes
 * none, the run ends: a letter about a letter would have no end.
 */
#ifndef ENGINE_DEAD_LETTERS_H
#define ENGINE_DEAD_LETTERS_H

#include "engine/faults/letter_box.h"
#include "engine/faults/run_faults.h"
#include "engine/sinks/sink_lane.h"

/*
 * end         NULL: the pipeline has none
 * lane        of a sink; set by whoever starts it
 * kept_bytes  of the buffer that letters are encoded in, from one batch to the next
 */
struct dead_letters {
    const struct end *end;
    const struct pipeline *pipeline;
    struct run_faults *faults;
    struct root_pool pool;
    struct meter meter;   /* in: letters that the end has taken */
    pthread_mutex_t lock; /* of what follows */
    struct log_topic *log_topic;
    struct instance *serializer;
    struct call call;
    struct sink_lane *lane;
    weir_buffer bytes;
    uint64_t kept_bytes;
};

/* Before threads start. log_topic: NULL where the end is a sink or there is none. */
bool dead_letters_init(struct dead_letters *letters, const struct pipeline *pipeline,
                       struct log_topic *log_topic, struct run_faults *faults, struct error *error);
void dead_letters_deinit(struct dead_letters *letters);

/* Sends what is in the box, in order, and empties it. False after a fatal fault. */
bool dead_letters_send(struct letter_box *box);
/*
 * The origin by which a sink's lane tells letters apart: with a seat for each partition that of their input
 * message, else and for those of sources the one that sinks see, "dead_letters" and partition 0.
 */
extern const weir_origin dead_letters_origin;
/* The name in the log of the topic that records say they are from. */
const char *dead_letters_log_name(const struct dead_letters *letters, const weir_origin *origin);

#endif
