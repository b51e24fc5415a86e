/* SPDX-License-Identifier: MIT */
#include "cli/replay_memory.h"

#include <inttypes.h>
#include <string.h>

#include "base/clock.h"

enum { WITNESS_BYTES = 1 << 20, WAIT_MS = 10000 };
#define TEXT_LIMIT (UINT64_C(1) << 30)
static const char fact_key[] = "letters";

/* ---- its text ------------------------------------------------------------------------------------ */

/* FNV-1a: what is kept is compared by later versions too. */
static uint64_t hash_letter(const struct log_message *letter)
{
    uint64_t hash = 0xCBF29CE484222325u;
    uint64_t size = letter->value.size == LOG_ABSENT ? 0 : letter->value.size;
    for (uint64_t i = 0; i < size; i++) {
        hash = (hash ^ letter->value.data[i]) * 0x100000001B3u;
    }
    return hash;
}

/* A line for each partition with any: "PARTITION LAST HASH SPANS". */
static weir_status write_text(struct replay_memory *memory)
{
    weir_status st = WEIR_OK;
    buffer_clear(&memory->text);
    for (uint32_t i = 0; st == WEIR_OK && i < memory->use->log_topic->partitions; i++) {
        const struct replayed *part = &memory->partitions[i];
        if (part->offsets.count == 0) {
            continue;
        }
        st = buffer_printf(&memory->text, "%" PRIu32 " %" PRId64 " %" PRIu64 " ", i, part->last,
                           part->hash);
        st = st == WEIR_OK ? spans_write(&part->offsets, &memory->text) : st;
        st = st == WEIR_OK ? buffer_text(&memory->text, "\n") : st;
    }
    return st;
}

static bool read_number(weir_slice *line, uint64_t *ret)
{
    uint64_t number = 0;
    uint64_t i = 0;
    for (; i < line->size && line->data[i] >= '0' && line->data[i] <= '9'; i++) {
        if (__builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, (uint64_t)line->data[i] - '0', &number)) {
            return false;
        }
    }
    if (i == 0 || i == line->size || line->data[i] != ' ') {
        return false;
    }
    *ret = number;
    *line = (weir_slice){ line->data + i + 1, line->size - i - 1 };
    return true;
}

/* Of a partition that is not there any more nothing is to be known. */
static bool read_line(struct replay_memory *memory, weir_slice line)
{
    uint64_t partition;
    uint64_t last;
    uint64_t hash;
    if (!read_number(&line, &partition) || !read_number(&line, &last) ||
        !read_number(&line, &hash) || last > INT64_MAX) {
        return false;
    }
    if (partition >= memory->use->log_topic->partitions) {
        return true;
    }
    struct replayed *part = &memory->partitions[partition];
    part->last = (int64_t)last;
    part->hash = hash;
    return part->offsets.count == 0 && spans_read(&part->offsets, line);
}

static bool read_text(struct replay_memory *memory, weir_slice text)
{
    while (text.size > 0) {
        const uint8_t *end = memchr(text.data, '\n', (size_t)text.size);
        uint64_t size = end == NULL ? 0 : (uint64_t)(end - text.data);
        if (end == NULL || !read_line(memory, (weir_slice){ text.data, size })) {
            return false;
        }
        text = (weir_slice){ end + 1, text.size - size - 1 };
    }
    return true;
}

/* ---- is it about this topic? --------------------------------------------------------------------- */

/* The message at an offset, or what comes next; a count of 0: the topic ends before it. */
static weir_status read_at(struct log_topic *topic, uint32_t partition, int64_t offset,
                           struct arena *arena, struct log_batch *batch, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + WAIT_MS * INT64_C(1000000);
    weir_status st;
    *batch = (struct log_batch){ .next = offset };
    do {
        st = log_read(topic, partition, batch->next, 1, WITNESS_BYTES, arena, batch, error);
    } while (st == WEIR_OK && batch->count == 0 && !batch->is_at_end &&
             clock_monotonic_ns() < end_ns);
    if (st == WEIR_OK && batch->count == 0 && !batch->is_at_end) {
        st = error_set(error, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK,
                       "could not read the letter of topic '%s' partition %" PRIu32
                       " that was replayed last: nothing has come for %d s",
                       topic->name, partition, WAIT_MS / 1000);
    }
    return st;
}

/*
 * A topic that was deleted and made again counts its letters from 0 once more, and those have not been
 * replayed: the last one that was is not there, or another one has its place. One that was removed since
 * proves nothing, and then nothing is left that could be taken for another.
 */
static weir_status check_partition(struct replay_memory *memory, uint32_t partition,
                                   struct error *error)
{
    struct replayed *part = &memory->partitions[partition];
    struct log_partition_info info;
    struct log_batch batch = { .count = 0 };
    struct log_topic *topic = memory->use->log_topic;
    if (part->offsets.count == 0) {
        return WEIR_OK;
    }
    weir_status st = log_partition_info(topic, partition, &info, error);
    bool is_other = st == WEIR_OK && info.end <= part->last;
    if (st == WEIR_OK && !is_other && info.begin <= part->last) {
        struct arena arena;
        arena_init(&arena, 0);
        st = read_at(topic, partition, part->last, &arena, &batch, error);
        is_other = st == WEIR_OK && batch.count > 0 && batch.messages[0].offset == part->last &&
                   hash_letter(&batch.messages[0]) != part->hash;
        log_lease_end(&batch.lease);
        arena_deinit(&arena);
    }
    if (is_other) {
        spans_deinit(&part->offsets);
    }
    return st;
}

/* ---- the whole ----------------------------------------------------------------------------------- */

weir_status replay_memory_load(struct replay_memory *memory, struct topic_use *use,
                               struct error *error)
{
    weir_slice text;
    uint32_t count = use->log_topic->partitions;
    *memory =
        (struct replay_memory){ .use = use,
                                .name = arena_printf(&use->arena, "replayed__%s", use->log_name) };
    buffer_init(&memory->text, TEXT_LIMIT);
    memory->partitions = arena_zeroed(&use->arena, count * sizeof *memory->partitions);
    if (memory->name == NULL || memory->partitions == NULL) {
        return error_no_memory(error);
    }
    weir_status st = log_claim(use->log, memory->name, error);
    if (st == WEIR_OK) {
        st = log_fact_get(use->log, memory->name, fact_key, &use->arena, &text, error);
    }
    if (st == WEIR_OK && text.size != LOG_ABSENT && !read_text(memory, text)) {
        st = error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA,
                       "what the log knows of replayed letters cannot be read");
    }
    for (uint32_t i = 0; st == WEIR_OK && i < count; i++) {
        st = check_partition(memory, i, error);
    }
    return st;
}

void replay_memory_deinit(struct replay_memory *memory)
{
    if (memory->use == NULL) {
        return;
    }
    for (uint32_t i = 0; memory->partitions != NULL && i < memory->use->log_topic->partitions;
         i++) {
        spans_deinit(&memory->partitions[i].offsets);
    }
    buffer_deinit(&memory->text);
}

bool replay_memory_has(const struct replay_memory *memory, uint32_t partition, int64_t offset)
{
    return spans_has(&memory->partitions[partition].offsets, offset);
}

bool replay_memory_add(struct replay_memory *memory, uint32_t partition,
                       const struct log_message *letter)
{
    struct replayed *part = &memory->partitions[partition];
    if (part->offsets.count == 0 || letter->offset >= part->last) {
        part->last = letter->offset;
        part->hash = hash_letter(letter);
    }
    return spans_add(&part->offsets, letter->offset);
}

weir_status replay_memory_commit(struct replay_memory *memory, struct error *error)
{
    if (write_text(memory) != WEIR_OK) {
        return error_no_memory(error);
    }
    struct log_fact fact = { .key = fact_key, .value = { memory->text.data, memory->text.size } };
    struct log_epoch epoch = { .facts = &fact, .fact_count = 1 };
    return topic_use_commit(memory->use, memory->name, &epoch, error);
}
