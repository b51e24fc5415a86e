/* SPDX-License-Identifier: MIT */
#include "engine/dry_reads.h"

#include <inttypes.h>

/* Where a partition without a position begins: as the log itself would let it. */
static bool find_start(const struct engine *engine, const struct log_topic *topic,
                       uint32_t partition, struct dry_partition *part, struct error *error)
{
    int64_t reset = log_is_shared(engine->log) ? engine->pipeline->kafka.auto_offset_reset
                                               : KAFKA_RESET_EARLIEST;
    part->position = reset == KAFKA_RESET_LATEST ? part->next : part->first;
    if (reset == KAFKA_RESET_ERROR) {
        error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_CONFIG,
                  "pipeline '%s' has no position in topic '%s' partition %" PRIu32
                  ", and 'auto_offset_reset' is error",
                  engine->pipeline->name, topic->name, partition);
        error_hint(error, "write 'auto_offset_reset: earliest' or 'latest'");
    }
    return reset != KAFKA_RESET_ERROR;
}

static void refuse_lost(const struct engine *engine, const struct log_topic *topic,
                        uint32_t partition, const struct dry_partition *part, struct error *error)
{
    bool is_behind = part->position > part->next;
    error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_DATA,
              "pipeline '%s' goes on at offset %" PRId64 " of topic '%s' partition %" PRIu32
              ", which %s at %" PRId64,
              engine->pipeline->name, part->position, topic->name, partition,
              is_behind ? "ends" : "begins", is_behind ? part->next : part->first);
    error_hint(error, is_behind ? "the topic was made anew, or has lost its end; 'lost_offsets: "
                                  "earliest' or 'latest' goes on there"
                                : "'lost_offsets: earliest' or 'latest' goes on without what is "
                                  "gone");
}

static bool check_lost(const struct engine *engine, const struct log_topic *topic,
                       uint32_t partition, struct dry_partition *part, struct error *error)
{
    int64_t lost =
        log_is_shared(engine->log) ? engine->pipeline->kafka.lost_offsets : KAFKA_LOST_EARLIEST;
    if (part->position >= part->first && part->position <= part->next) {
        return true;
    }
    if (lost == KAFKA_LOST_FAIL) {
        refuse_lost(engine, topic, partition, part, error);
        return false;
    }
    part->was = part->position;
    part->position = lost == KAFKA_LOST_LATEST ? part->next : part->first;
    return true;
}

static void take_position(const struct log_reader *readers, size_t count, uint32_t partition,
                          struct dry_partition *part)
{
    for (size_t i = 0; i < count; i++) {
        if (readers[i].partition == partition) {
            part->position = readers[i].position;
            part->has_position = true;
        }
    }
}

/* That it may be read is known when something of it was. */
static bool try_read(struct engine *engine, struct log_topic *topic, uint32_t partition,
                     const struct dry_partition *part, struct error *error)
{
    struct log_batch batch = { .count = 0 };
    bool is_right =
        part->position >= part->next ||
        log_read(topic, partition, part->position, 1, 1, &engine->arena, &batch, error) == WEIR_OK;
    log_lease_end(&batch.lease);
    return is_right;
}

/* Partitions with the same trouble have the same cure: one is told, and how many more there are. */
static void note_fault(const struct error *fault, uint32_t count, struct error *first)
{
    if (count == 1) {
        *first = *fault;
    }
}

static void tell_more(uint32_t count, struct error *error)
{
    struct error one = *error;
    if (count > 1) {
        error_set(error, one.status, one.error_class,
                  "%s; so it is with %" PRIu32 " more of its partitions", one.message, count - 1);
        error_hint(error, "%s", one.hint);
    }
}

bool dry_reads_find(struct engine *engine, struct log_topic *topic, struct dry_topic *ret,
                    struct error *error)
{
    struct log_reader *readers = NULL;
    size_t count = 0;
    uint32_t faults = 0;
    struct dry_partition *parts =
        arena_zeroed(&engine->dry->arena, topic->partitions * sizeof *parts);
    if (parts == NULL) {
        error_no_memory(error);
        return false;
    }
    if (log_readers(topic, engine->pipeline->name, &engine->arena, &readers, &count, error) !=
        WEIR_OK) {
        if (error->error_class != WEIR_CLASS_AUTH) {
            return false;
        }
        *error = (struct error){ .status = WEIR_OK }; /* told with all other rights */
        count = 0;
    }
    for (uint32_t p = 0; p < topic->partitions; p++) {
        struct log_partition_info info;
        struct error fault = { .status = WEIR_OK };
        if (log_partition_info(topic, p, &info, error) != WEIR_OK) {
            return false;
        }
        parts[p] =
            (struct dry_partition){ .first = info.begin, .next = info.committed_end, .was = -1 };
        take_position(readers, count, p, &parts[p]);
        if ((!parts[p].has_position && !find_start(engine, topic, p, &parts[p], &fault)) ||
            !check_lost(engine, topic, p, &parts[p], &fault) ||
            !try_read(engine, topic, p, &parts[p], &fault)) {
            note_fault(&fault, ++faults, error);
        }
    }
    ret->reads = parts;
    tell_more(faults, error);
    return faults == 0;
}
