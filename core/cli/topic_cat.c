/* SPDX-License-Identifier: MIT */
/*
 * `weir topic cat`: committed messages, partition by partition, as lines for people, as record lines
 * or as they are. What the topic's serializers cannot read is shown as text or bytes: looking at bad
 * messages is what the command is often used for.
 */
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/codec.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/topic_line.h"
#include "cli/topic_place.h"
#include "cli/topic_use.h"
#include "cli/where.h"
#include "log/headers.h"
#include "value/record_line.h"
#include "value/value.h"

enum { READ_MESSAGES = 500, READ_BYTES = 1 << 20, FOLLOW_MS = 200 };

struct cat {
    struct topic_use *use;
    struct codec key;
    struct codec value;
    struct topic_place start;
    uint32_t first_partition;
    uint32_t end_partition;
    int64_t *positions;
    int64_t left; /* records still to show */
    uint64_t undecoded;
    const weir_expression *where; /* NULL: all */
    uint64_t unjudged;            /* records of which it cannot tell */
    char first_fault[400];        /* why, of the first of them */
    bool needs_values;            /* of records: to show them, or for --where */
    bool is_raw;
    bool is_closed;     /* standard output takes no more */
    struct arena arena; /* of one batch */
    weir_buffer out;
};

/* Messages of one partition, decoded. */
struct batch {
    uint32_t partition;
    uint32_t count;
    const struct log_message *messages;
    weir_value *keys;
    weir_value *values;
    bool *is_meant; /* NULL: all are */
};

static volatile sig_atomic_t is_interrupted;

/* The log's scratch files are removed before the process ends; a second signal does not wait. */
static void on_signal(int number)
{
    is_interrupted = 1;
    signal(number, SIG_DFL);
}

/* ---- decoding --------------------------------------------------------------------------------------- */

/* What can be told of a payload without its serializer. In JSON, declared topics show it as bytes, so
 * that it is not taken for a text that the serializer gave. */
static weir_value plain_value(const struct cat *cat, weir_slice payload)
{
    const char *text = (const char *)payload.data;
    uint32_t len = payload.size > UINT32_MAX ? UINT32_MAX : (uint32_t)payload.size;
    if (payload.size == LOG_ABSENT) {
        return weir_null();
    }
    bool is_text = utf8_valid_prefix(text, len) == len;
    bool is_bytes = !is_text || (cat->use->is_declared && cat->use->args->is_json);
    return is_bytes ? weir_bytes_value(text, len) : weir_text_value(text, len);
}

static weir_status decode(struct cat *cat, struct codec *codec, const weir_slice *payloads,
                          uint32_t count, weir_value **ret_values, struct error *error)
{
    weir_value *values = arena_zeroed(&cat->arena, count * sizeof *values);
    if (values == NULL) {
        return error_no_memory(error);
    }
    weir_status st = codec_decode(codec, &cat->arena, payloads, count, values, error);
    for (uint32_t i = 0; st == WEIR_OK && i < codec->call.failure_count; i++) {
        uint32_t index = codec->call.failures[i].index;
        values[index] = plain_value(cat, payloads[index]);
        cat->undecoded++;
    }
    *ret_values = values;
    return st;
}

static weir_status decode_batch(struct cat *cat, struct batch *batch, struct error *error)
{
    weir_slice *payloads = arena_alloc(&cat->arena, batch->count * sizeof *payloads);
    if (payloads == NULL) {
        return error_no_memory(error);
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        payloads[i] = batch->messages[i].key;
    }
    weir_status st = decode(cat, &cat->key, payloads, batch->count, &batch->keys, error);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        payloads[i] = batch->messages[i].value;
    }
    return decode(cat, &cat->value, payloads, batch->count, &batch->values, error);
}

/* ---- writing ---------------------------------------------------------------------------------------- */

/* As it is shown, and as --where sees it. False: no memory. */
static bool make_record(struct arena *arena, const struct batch *batch, uint32_t i,
                        weir_record *ret)
{
    const struct log_message *message = &batch->messages[i];
    const weir_member *headers = log_headers_read(arena, message);
    *ret = (weir_record){ .timestamp = message->timestamp,
                          .offset = message->offset,
                          .key = batch->keys[i],
                          .value = batch->values[i],
                          .headers = headers,
                          .header_count = message->header_count };
    return headers != NULL;
}

static weir_status write_message(struct cat *cat, const struct batch *batch, uint32_t i,
                                 struct error *error)
{
    struct record_line line = { .topic = cat->use->name,
                                .topic_len = (uint32_t)strlen(cat->use->name),
                                .partition = (int32_t)batch->partition };
    if (cat->is_raw) {
        return topic_line_raw(&batch->messages[i], &cat->out, error);
    }
    if (!make_record(&cat->arena, batch, i, &line.record)) {
        return error_no_memory(error);
    }
    return cat->use->args->is_json ? topic_line_record(&line, &cat->out, error)
                                   : topic_line_human(&line, &cat->out, error);
}

/* ---- --where ---------------------------------------------------------------------------------------- */

/* The text of a fault lives in the batch's arena; the first one is told at the end. */
static void note_unjudged(struct cat *cat, const weir_value *value)
{
    const struct expr_fault *fault = expr_fault(value);
    if (cat->unjudged++ == 0) {
        snprintf(cat->first_fault, sizeof cat->first_fault, "%s%s%s", fault->message,
                 fault->hint != NULL ? "; " : "", fault->hint != NULL ? fault->hint : "");
    }
}

static weir_status choose(struct cat *cat, struct batch *batch, struct error *error)
{
    weir_record *records = arena_zeroed(&cat->arena, batch->count * sizeof *records);
    weir_value *values = NULL;
    batch->is_meant = arena_zeroed(&cat->arena, batch->count);
    if (records == NULL || batch->is_meant == NULL) {
        return error_no_memory(error);
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        if (!make_record(&cat->arena, batch, i, &records[i])) {
            return error_no_memory(error);
        }
    }
    weir_status st = where_compute(cat->use, cat->where, &cat->value, batch->partition, records,
                                   batch->count, &cat->arena, &values, error);
    for (uint32_t i = 0; st == WEIR_OK && i < batch->count; i++) {
        if (values[i].tag == WEIR_TAG_ERROR) {
            note_unjudged(cat, &values[i]);
        } else {
            batch->is_meant[i] = value_is_truthy(&values[i]);
        }
    }
    return st;
}

static weir_status write_batch(struct cat *cat, struct batch *batch, struct error *error)
{
    weir_status st = cat->needs_values ? decode_batch(cat, batch, error) : WEIR_OK;
    st = st == WEIR_OK && cat->where != NULL ? choose(cat, batch, error) : st;
    buffer_clear(&cat->out);
    for (uint32_t i = 0; st == WEIR_OK && i < batch->count && cat->left > 0; i++) {
        if (batch->is_meant == NULL || batch->is_meant[i]) {
            st = write_message(cat, batch, i, error);
            cat->left--;
        }
    }
    if (!output_write(cat->out.data, (size_t)cat->out.size)) {
        cat->is_closed = true;
    }
    return st;
}

/* ---- reading ---------------------------------------------------------------------------------------- */

static bool is_over(const struct cat *cat)
{
    return cat->left == 0 || cat->is_closed || is_interrupted != 0;
}

/* What was asked for and is no longer there. */
static void tell_gone(const struct cat *cat, uint32_t partition, int64_t from, int64_t begin)
{
    fprintf(stderr,
            "weir topic cat: topic '%s' partition %" PRIu32 " begins at offset %" PRId64
            "; offsets %" PRId64 " to %" PRId64 " are gone\n",
            cat->use->name, partition, begin, from, begin - 1);
}

/* What retention has removed before it was shown; gaps that compaction leaves are none of that. */
static weir_status tell_overtaken(const struct cat *cat, uint32_t partition, int64_t position,
                                  int64_t found, struct error *error)
{
    struct log_partition_info info;
    if (found == position) {
        return WEIR_OK;
    }
    weir_status st = log_partition_info(cat->use->log_topic, partition, &info, error);
    if (st == WEIR_OK && info.begin > position) {
        tell_gone(cat, partition, position, info.begin);
    }
    return st;
}

static weir_status cat_partition(struct cat *cat, uint32_t partition, struct error *error)
{
    weir_status st = WEIR_OK;
    int64_t *position = &cat->positions[partition - cat->first_partition];
    while (st == WEIR_OK && !is_over(cat)) {
        struct batch batch = { .partition = partition };
        struct log_batch read = { .count = 0 };
        bool is_short = cat->where == NULL && cat->left < READ_MESSAGES;
        uint32_t wanted = is_short ? (uint32_t)cat->left : READ_MESSAGES;
        arena_reset(&cat->arena);
        st = log_read(cat->use->log_topic, partition, *position, wanted, READ_BYTES, &cat->arena,
                      &read, error);
        if (st != WEIR_OK || read.count == 0) {
            break;
        }
        batch.messages = read.messages;
        batch.count = read.count;
        st = tell_overtaken(cat, partition, *position, read.messages[0].offset, error);
        st = st == WEIR_OK ? write_batch(cat, &batch, error) : st;
        log_lease_end(&read.lease);
        *position = read.next;
    }
    return st;
}

/* Waits a moment, or until the reader of standard output goes away. */
static void wait_for_more(struct cat *cat)
{
    struct pollfd reader = { .fd = STDOUT_FILENO };
    if (!output_flush() || poll(&reader, 1, FOLLOW_MS) > 0) {
        cat->is_closed = true;
    }
}

static weir_status cat_all(struct cat *cat, struct error *error)
{
    bool is_following = args_has(cat->use->args, "follow");
    weir_status st = WEIR_OK;
    for (;;) {
        for (uint32_t p = cat->first_partition; st == WEIR_OK && p < cat->end_partition; p++) {
            st = cat_partition(cat, p, error);
        }
        if (st != WEIR_OK || !is_following || is_over(cat)) {
            return st;
        }
        wait_for_more(cat);
        st = log_refresh(cat->use->log, error);
    }
}

static weir_status find_position(const struct cat *cat, uint32_t partition, int64_t *ret_position,
                                 struct error *error)
{
    struct log_partition_info info;
    weir_status st =
        topic_place_find(&cat->start, cat->use->log_topic, partition, ret_position, error);
    if (st == WEIR_OK) {
        st = log_partition_info(cat->use->log_topic, partition, &info, error);
    }
    if (st == WEIR_OK && *ret_position < info.begin) {
        tell_gone(cat, partition, *ret_position, info.begin);
        *ret_position = info.begin;
    }
    return st;
}

static weir_status find_positions(struct cat *cat, struct error *error)
{
    uint32_t count = cat->end_partition - cat->first_partition;
    cat->positions = arena_zeroed(&cat->use->arena, (count + 1u) * sizeof *cat->positions);
    if (cat->positions == NULL) {
        return error_no_memory(error);
    }
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; i < count && st == WEIR_OK; i++) {
        st = find_position(cat, cat->first_partition + i, &cat->positions[i], error);
    }
    return st;
}

/* ---- the command ------------------------------------------------------------------------------------ */

static weir_status prepare(struct cat *cat, struct error *error)
{
    const struct topic *topic = cat->use->topic;
    weir_status st = find_positions(cat, error);
    if (st != WEIR_OK || !cat->needs_values) {
        return st;
    }
    const struct services *services =
        cat->use->is_declared ? &cat->use->pipeline->services : &cat->use->defaults->services;
    st = codec_init(&cat->key, services, &topic->key, error);
    return st == WEIR_OK ? codec_init(&cat->value, services, &topic->value, error) : st;
}

static void tell_undecoded(const struct cat *cat)
{
    if (cat->undecoded > 0 && cat->use->is_declared) {
        fprintf(stderr,
                "weir topic cat: %" PRIu64 " keys or values could not be decoded and are shown as "
                "they are\n",
                cat->undecoded);
    }
}

static void tell_unjudged(const struct cat *cat)
{
    if (cat->unjudged > 0) {
        fprintf(stderr,
                "weir topic cat: '--where' cannot judge %" PRIu64 " record%s, which %s not shown: "
                "%s\n",
                cat->unjudged, cat->unjudged == 1 ? "" : "s", cat->unjudged == 1 ? "is" : "are",
                cat->first_fault);
    }
}

static int run_cat(struct cat *cat)
{
    struct error error = { .status = WEIR_OK };
    cat->needs_values = !cat->is_raw || args_has(cat->use->args, "where");
    if (!topic_use_open(cat->use, LOG_READ) || !topic_use_find(cat->use) ||
        !topic_use_partitions(cat->use, &cat->first_partition, &cat->end_partition) ||
        (cat->needs_values && !topic_use_serializers(cat->use))) {
        return EXIT_FAULT;
    }
    if (cat->needs_values && !where_compile(cat->use, &cat->where)) {
        return EXIT_USAGE;
    }
    weir_status st = prepare(cat, &error);
    if (st == WEIR_OK) {
        st = cat_all(cat, &error);
    }
    if (st != WEIR_OK) {
        return topic_use_fault(cat->use, &error);
    }
    tell_undecoded(cat);
    tell_unjudged(cat);
    return EXIT_DONE;
}

int topic_cat(struct topic_use *use)
{
    struct cat cat = { .use = use,
                       .left = args_number(use->args, "count", INT64_MAX),
                       .is_raw = args_has(use->args, "raw") };
    if (cat.is_raw && use->args->is_json) {
        return args_fault(use->args, NULL, "'--raw' and '--json' cannot be given together");
    }
    if (!topic_place_read(use->args, "from", &cat.start)) {
        return EXIT_USAGE;
    }
    signal(SIGINT, on_signal);
    signal(SIGTERM, on_signal);
    arena_init(&cat.arena, 0);
    buffer_init(&cat.out, UINT64_MAX);
    int status = run_cat(&cat);
    buffer_deinit(&cat.out);
    codec_deinit(&cat.value);
    codec_deinit(&cat.key);
    arena_deinit(&cat.arena);
    return status;
}
