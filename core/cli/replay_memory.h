/* SPDX-License-Identifier: MIT */
/*
 * Which letters of a topic have been replayed. The log keeps it as one fact, of a name that is claimed for the
 * time of the command, in the same commit as the messages that were put back.
 */
#ifndef CLI_REPLAY_MEMORY_H
#define CLI_REPLAY_MEMORY_H

#include "base/buffer.h"
#include "cli/spans.h"
#include "cli/topic_use.h"

/*
 * Of a partition of the letters.
 *
 * last  the highest offset of them, hash: of what is in that letter; nothing where there are none
 */
struct replayed {
    struct spans offsets;
    int64_t last;
    uint64_t hash;
};

/* Zeroed: nothing is known. partitions: by number */
struct replay_memory {
    struct topic_use *use;
    const char *name;
    struct replayed *partitions;
    weir_buffer text;
};

/* Claims it where the log was opened to be written, and reads it. The topic of the letters is found. */
weir_status replay_memory_load(struct replay_memory *memory, struct topic_use *use,
                               struct error *error);
void replay_memory_deinit(struct replay_memory *memory);
bool replay_memory_has(const struct replay_memory *memory, uint32_t partition, int64_t offset);
/* letter: as it lies in the log. False: no memory. */
bool replay_memory_add(struct replay_memory *memory, uint32_t partition,
                       const struct log_message *letter);
/* Commits it, with everything that was appended. */
weir_status replay_memory_commit(struct replay_memory *memory, struct error *error);

#endif
