/* SPDX-License-Identifier: MIT */
/*
 * For the tests of the log: temporary folders, and messages that can be told from their number, so
 * that what was read can be compared without keeping what was written.
 */
#ifndef LOG_FIXTURE_H
#define LOG_FIXTURE_H

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "log/log.h"
#include "unit.h"

#if defined(__SANITIZE_THREAD__)
/* RocksDB is not built for the sanitizer, which sees its copies but not what orders them. */
__attribute__((visibility("default"))) const char *__tsan_default_suppressions(void);
const char *__tsan_default_suppressions(void)
{
    return "called_from_lib:librocksdb.so\nrace:librocksdb.so\n";
}
#endif

/* Beside the log there is room for one message's parts. */
struct sample {
    char key[32];
    char text[160];
    struct log_header headers[3];
    struct log_message message;
};

static inline weir_slice slice_of(const char *text)
{
    return (weir_slice){ (const uint8_t *)text, text == NULL ? LOG_ABSENT : strlen(text) };
}

static inline struct log_fact fact_of(const char *key, const char *value)
{
    return (struct log_fact){ .key = key, .value = slice_of(value) };
}

static inline struct log_message message_of(const char *key, const char *value, int64_t timestamp)
{
    return (struct log_message){ .timestamp = timestamp,
                                 .key = slice_of(key),
                                 .value = slice_of(value) };
}

/* Message number n: absent, empty and filled parts in turn, 0 to 3 headers, one of them null. */
static inline void sample_make(struct sample *s, int64_t n)
{
    static const char filler[] = "abcdefghijklmnopqrstuvwxyz0123456789";
    snprintf(s->key, sizeof s->key, "k%" PRId64, n);
    int length = snprintf(s->text, sizeof s->text, "{\"n\":%" PRId64 ",\"pad\":\"%.*s\"}", n,
                          (int)(n % 36), filler);
    s->headers[0] =
        (struct log_header){ .name = "source", .name_len = 6, .value = slice_of(s->key) };
    s->headers[1] = (struct log_header){ .name = "", .name_len = 0, .value = slice_of(NULL) };
    s->headers[2] = (struct log_header){ .name = "empty", .name_len = 5, .value = slice_of("") };
    s->message = (struct log_message){ .timestamp = 1000 + n,
                                       .key = slice_of(n % 5 == 0 ? NULL : s->key),
                                       .value = { (const uint8_t *)s->text, (uint64_t)length },
                                       .headers = s->headers,
                                       .header_count = (uint32_t)(n % 4) };
    if (n % 5 == 1) {
        s->message.key.size = 0;
    }
    if (n % 7 == 0) {
        s->message.value = slice_of(n % 2 == 0 ? NULL : "");
    }
}

static inline bool slice_equal(weir_slice a, weir_slice b)
{
    bool is_same_size = a.size == b.size;
    return is_same_size &&
           (a.size == LOG_ABSENT || a.size == 0 || memcmp(a.data, b.data, a.size) == 0);
}

static inline bool message_equal(const struct log_message *a, const struct log_message *b)
{
    if (a->timestamp != b->timestamp || !slice_equal(a->key, b->key) ||
        !slice_equal(a->value, b->value) || a->header_count != b->header_count) {
        return false;
    }
    for (uint32_t i = 0; i < a->header_count; i++) {
        const struct log_header *x = &a->headers[i];
        const struct log_header *y = &b->headers[i];
        if (x->name_len != y->name_len || memcmp(x->name, y->name, x->name_len) != 0 ||
            !slice_equal(x->value, y->value)) {
            return false;
        }
    }
    return true;
}

static inline bool is_sample(const struct log_message *message, int64_t n)
{
    struct sample s;
    sample_make(&s, n);
    return message_equal(message, &s.message);
}

static inline void copy_bytes(struct arena *arena, const uint8_t **bytes, uint64_t size)
{
    if (size != LOG_ABSENT) {
        *bytes = (const uint8_t *)arena_copy(arena, *bytes, size);
    }
}

/* With all that it points to. */
static inline void copy_message(struct arena *arena, struct log_message *message)
{
    struct log_header *headers = arena_alloc(arena, (message->header_count + 1u) * sizeof *headers);
    copy_bytes(arena, &message->key.data, message->key.size);
    copy_bytes(arena, &message->value.data, message->value.size);
    for (uint32_t i = 0; i < message->header_count; i++) {
        headers[i] = message->headers[i];
        headers[i].name = arena_copy(arena, headers[i].name, headers[i].name_len);
        copy_bytes(arena, &headers[i].value.data, headers[i].value.size);
    }
    message->headers = headers;
}

/* log_read in the parts that most tests look at; what was lent is given back. */
static inline weir_status read_messages(struct log_topic *topic, uint32_t partition, int64_t offset,
                                        uint32_t max_count, uint64_t max_bytes, struct arena *arena,
                                        struct log_message **ret_messages, uint32_t *ret_count,
                                        struct error *error)
{
    struct log_batch batch = { .count = 0 };
    weir_status st = log_read(topic, partition, offset, max_count, max_bytes, arena, &batch, error);
    for (uint32_t i = 0; i < batch.count; i++) {
        copy_message(arena, &batch.messages[i]);
    }
    log_lease_end(&batch.lease);
    *ret_messages = batch.messages;
    *ret_count = batch.count;
    return st;
}

static inline weir_status commit_facts(struct log *log, const char *group,
                                       const struct log_fact *facts, size_t count,
                                       struct error *error)
{
    struct log_epoch epoch = { .facts = facts, .fact_count = count };
    return log_commit(log, group, &epoch, error);
}

static inline void roll_back(struct log *log)
{
    struct error error = { 0 };
    ck_assert_int_eq(log_rollback(log, &error), WEIR_OK);
}

/* Appends messages number first to first + count - 1. */
static inline void append_samples(struct log_topic *topic, uint32_t partition, int64_t first,
                                  int64_t count)
{
    struct error error = { 0 };
    for (int64_t n = first; n < first + count; n++) {
        struct sample s;
        sample_make(&s, n);
        weir_status st = log_append(topic, partition, &s.message, 1, &error);
        require(st == WEIR_OK, "append %" PRId64 ": %s", n, error.message);
    }
}

/* Asserts that [from, to) is there, message `offset` being sample offset + shift; reads at most
 * max_count at a time. */
static inline void check_samples(struct log_topic *topic, uint32_t partition, int64_t from,
                                 int64_t to, int64_t shift, uint32_t max_count)
{
    struct error error = { 0 };
    struct arena arena;
    arena_init(&arena, 0);
    int64_t offset = from;
    for (;;) {
        struct log_message *messages = NULL;
        uint32_t count = 0;
        weir_status st = read_messages(topic, partition, offset, max_count, UINT64_MAX, &arena,
                                       &messages, &count, &error);
        require(st == WEIR_OK, "read at %" PRId64 ": %s", offset, error.message);
        require(count <= max_count, "%u messages read of %u", count, max_count);
        for (uint32_t i = 0; i < count; i++) {
            require(messages[i].offset == offset + i && is_sample(&messages[i], offset + i + shift),
                    "message at %" PRId64, offset + i);
        }
        if (count == 0) {
            break;
        }
        offset += count;
        arena_reset(&arena);
    }
    ck_assert_int_eq(offset, to);
    arena_deinit(&arena);
}

static inline char *make_folder(void)
{
    char *path = strdup("/tmp/weir-log-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(path));
    return path;
}

/* Removes the folder and what is in it. */
static inline void remove_folder(char *path)
{
    char command[300];
    snprintf(command, sizeof command, "rm -rf '%s'", path);
    ck_assert_int_eq(system(command), 0);
    free(path);
}

static inline struct log *open_log(const char *url, const char *folder, enum log_mode mode)
{
    struct error error = { 0 };
    struct log *log = NULL;
    weir_status st = log_open(url, folder, mode, &log, &error);
    ck_assert_msg(st == WEIR_OK, "open %s: %s", url, error.message);
    return log;
}

static inline struct log_topic *create_topic(struct log *log, const char *name, uint32_t partitions)
{
    struct error error = { 0 };
    struct log_topic *topic = NULL;
    weir_status st = log_topic_create(log, name, partitions, &topic, &error);
    ck_assert_msg(st == WEIR_OK, "create %s: %s", name, error.message);
    return topic;
}

static inline void commit(struct log *log, const char *fact, const char *value)
{
    struct error error = { 0 };
    struct log_fact facts[] = { fact_of(fact, value) };
    weir_status st = commit_facts(log, "group", facts, fact == NULL ? 0 : 1, &error);
    ck_assert_msg(st == WEIR_OK, "commit: %s", error.message);
}

/* The fact as text, or NULL; the caller frees it. */
static inline char *get_fact(struct log *log, const char *group, const char *key)
{
    struct error error = { 0 };
    struct arena arena;
    weir_slice value = { 0 };
    arena_init(&arena, 0);
    ck_assert_int_eq(log_fact_get(log, group, key, &arena, &value, &error), WEIR_OK);
    char *text = value.size == LOG_ABSENT ? NULL : strndup((const char *)value.data, value.size);
    arena_deinit(&arena);
    return text;
}

static inline void check_fact(struct log *log, const char *group, const char *key,
                              const char *expected)
{
    char *text = get_fact(log, group, key);
    if (expected == NULL) {
        ck_assert_ptr_null(text);
    } else {
        ck_assert_ptr_nonnull(text);
        ck_assert_str_eq(text, expected);
    }
    free(text);
}

#endif
