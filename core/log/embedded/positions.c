/* SPDX-License-Identifier: MIT */
/*
 * How far groups have read: facts of one form, that whoever reads writes and retention respects.
 */
#include <inttypes.h>

#include "log/embedded/embedded_log.h"
#include "log/embedded/positions.h"
#include "log/embedded/store.h"

char *position_key(struct arena *arena, const char *topic, uint32_t partition)
{
    return arena_printf(arena, "position/%s/%" PRIu32, topic, partition);
}

void position_encode(int64_t position, uint8_t bytes[POSITION_SIZE])
{
    for (int i = 0; i < POSITION_SIZE; i++) {
        bytes[i] = (uint8_t)((uint64_t)position >> (8 * i));
    }
}

int64_t position_decode(weir_slice value)
{
    uint64_t position = 0;
    if (value.size != POSITION_SIZE) {
        return 0;
    }
    for (int i = POSITION_SIZE - 1; i >= 0; i--) {
        position = position << 8 | value.data[i];
    }
    return (int64_t)position;
}

/* Adds the group where it has a position in the partition. */
static weir_status add_reader(struct log *log, const char *group, const char *key,
                              uint32_t partition, struct arena *arena, struct log_reader *readers,
                              size_t *count, struct error *error)
{
    weir_slice value;
    weir_status st = embedded_fact_get(log, group, key, arena, &value, error);
    if (st == WEIR_OK && value.size != LOG_ABSENT) {
        readers[(*count)++] = (struct log_reader){ group, partition, position_decode(value) };
    }
    return st;
}

weir_status embedded_readers(struct log_topic *topic, const char *group, struct arena *arena,
                             struct log_reader **ret_readers, size_t *ret_count,
                             struct error *error)
{
    struct embedded_log *log = embedded_of(topic->log);
    const char **groups = &group;
    size_t group_count = 1;
    size_t count = 0;
    weir_status st = group != NULL
                         ? WEIR_OK
                         : log->store->ops->groups(log->store, arena, &groups, &group_count, error);
    if (st != WEIR_OK) {
        return st;
    }
    struct log_reader *readers =
        arena_alloc(arena, (group_count * topic->partitions + 1) * sizeof *readers);
    if (readers == NULL) {
        return error_no_memory(error);
    }
    for (uint32_t p = 0; st == WEIR_OK && p < topic->partitions; p++) {
        const char *key = position_key(arena, topic->name, p);
        st = key == NULL ? error_no_memory(error) : WEIR_OK;
        for (size_t g = 0; st == WEIR_OK && g < group_count; g++) {
            st = add_reader(topic->log, groups[g], key, p, arena, readers, &count, error);
        }
    }
    *ret_readers = readers;
    *ret_count = count;
    return st;
}
