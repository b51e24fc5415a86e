/* SPDX-License-Identifier: MIT */
/*
 * Prints what the topics of a log hold, one message a line: topic, partition, timestamp, key and value as
 * their bytes are, apart by tabs. Topics whose name begins with "input" are left out.
 *
 *     dump FOLDER
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "log/log.h"

enum { READ_COUNT = 1024, READ_BYTES = 1 << 20 };

static void print_message(const struct log_topic *topic, uint32_t partition,
                          const struct log_message *message)
{
    printf("%s\t%" PRIu32 "\t%" PRId64 "\t", topic->name, partition, message->timestamp);
    fwrite(message->key.data, 1, (size_t)message->key.size, stdout);
    putchar('\t');
    fwrite(message->value.data, 1, (size_t)message->value.size, stdout);
    putchar('\n');
}

static bool print_partition(struct log_topic *topic, uint32_t partition, struct error *error)
{
    struct arena arena;
    int64_t offset = 0;
    struct log_batch batch;
    arena_init(&arena, 0);
    do {
        if (log_read(topic, partition, offset, READ_COUNT, READ_BYTES, &arena, &batch, error) !=
            WEIR_OK) {
            break;
        }
        for (uint32_t i = 0; i < batch.count; i++) {
            print_message(topic, partition, &batch.messages[i]);
        }
        offset = batch.next;
        log_lease_end(&batch.lease);
        arena_reset(&arena);
    } while (batch.count > 0);
    arena_deinit(&arena);
    return error->status == WEIR_OK;
}

static bool print_topics(struct log *log, struct error *error)
{
    struct arena arena;
    struct log_topic **topics;
    size_t count = 0;
    arena_init(&arena, 0);
    bool is_fine = log_topics(log, &arena, &topics, &count, error) == WEIR_OK;
    for (size_t i = 0; is_fine && i < count; i++) {
        if (strncmp(topics[i]->name, "input", 5) == 0) {
            continue;
        }
        for (uint32_t p = 0; is_fine && p < topics[i]->partitions; p++) {
            is_fine = print_partition(topics[i], p, error);
        }
    }
    arena_deinit(&arena);
    return is_fine;
}

int main(int argc, char **argv)
{
    char url[4096];
    struct log *log = NULL;
    struct error error = { .status = WEIR_OK };
    if (argc != 2 || snprintf(url, sizeof url, "local:%s", argv[1]) >= (int)sizeof url) {
        fprintf(stderr, "usage: dump FOLDER\n");
        return 2;
    }
    bool is_fine =
        log_open(url, ".", LOG_WRITE, &log, &error) == WEIR_OK && print_topics(log, &error);
    if (!is_fine) {
        fprintf(stderr, "%s\n", error.message);
    }
    log_close(log);
    return is_fine ? 0 : 1;
}
