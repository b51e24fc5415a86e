/* SPDX-License-Identifier: MIT */
/*
 * `weir topic replay`: puts the input messages of dead letters back to the topics that they came from,
 * with key, value, headers, timestamp and partition as they were. Which letters have been replayed is
 * noted in the same commit, so that nothing is put twice unless it is asked for.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "cli/cli.h"
#include "cli/codec.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/replay_memory.h"
#include "cli/spans.h"
#include "cli/topic_use.h"
#include "cli/where.h"
#include "value/letter.h"
#include "value/value.h"

enum { READ_MESSAGES = 500, READ_BYTES = 1 << 20, COMMIT_BYTES = 64 << 20, COMMIT_MS = 2000 };

/* A partition that messages go back to. put: offsets of those that did, since several letters may be
 * about one message. */
struct target {
    struct log_topic *topic;
    uint32_t partition;
    struct spans put;
    struct target *next;
};

/*
 * left      messages still to put
 * replayed  messages put; before: letters whose messages had been put; refused: those that have none
 */
struct replay {
    struct topic_use *use;
    struct codec value;
    const weir_expression *where; /* NULL: all */
    struct replay_memory memory;
    struct arena arena; /* of one batch */
    int64_t committed_ns;
    int64_t left;
    uint64_t replayed;
    uint64_t before;
    uint64_t refused;
    bool is_again;
    bool is_dry;
    struct target *targets;
};

/* ---- which letters ----------------------------------------------------------------------------- */

static void refuse(struct replay *replay, uint32_t partition, int64_t offset, const char *message,
                   const char *hint)
{
    fprintf(stderr, "weir topic replay: %s[%" PRIu32 "]@%" PRId64 ": %s%s%s\n", replay->use->name,
            partition, offset, message, hint != NULL && hint[0] != '\0' ? "; " : "",
            hint != NULL ? hint : "");
    replay->refused++;
}

/* Which letters --where takes. */
static weir_status choose(struct replay *replay, uint32_t partition,
                          const struct log_message *messages, const weir_value *letters,
                          uint32_t count, weir_value **ret_chosen, struct error *error)
{
    weir_record *records = arena_zeroed(&replay->arena, count * sizeof *records);
    if (records == NULL) {
        return error_no_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        records[i] = (weir_record){ .timestamp = messages[i].timestamp,
                                    .offset = messages[i].offset,
                                    .value = letters[i] };
    }
    return where_compute(replay->use, replay->where, &replay->value, partition, records, count,
                         &replay->arena, ret_chosen, error);
}

/* ---- putting ----------------------------------------------------------------------------------- */

static weir_slice slice_of(const weir_value *bytes)
{
    return bytes->tag == WEIR_NULL ? (weir_slice){ NULL, LOG_ABSENT }
                                   : (weir_slice){ (const uint8_t *)bytes->as.text, bytes->len };
}

/* The topic that takes the message back; NULL: there is none, which has been told. */
static struct log_topic *find_topic(struct replay *replay, uint32_t partition, int64_t offset,
                                    const struct letter_message *message)
{
    char name[256];
    char why[400];
    snprintf(name, sizeof name, "%.*s", (int)message->topic_len, message->topic);
    struct log_topic *topic = log_topic_find(replay->use->log, name);
    if (topic != NULL && (uint32_t)message->partition < topic->partitions) {
        return topic;
    }
    if (topic == NULL) {
        snprintf(why, sizeof why, "there is no topic '%s' any more", name);
    } else {
        snprintf(why, sizeof why, "topic '%s' has no partition %" PRId32 " any more", name,
                 message->partition);
    }
    refuse(replay, partition, offset, why, NULL);
    return NULL;
}

/* NULL: no memory. */
static struct target *find_target(struct replay *replay, struct log_topic *topic,
                                  uint32_t partition)
{
    struct target *target = replay->targets;
    while (target != NULL && (target->topic != topic || target->partition != partition)) {
        target = target->next;
    }
    if (target == NULL) {
        target = arena_zeroed(&replay->use->arena, sizeof *target);
        if (target != NULL) {
            *target = (struct target){ topic, partition, { NULL, 0, 0 }, replay->targets };
            replay->targets = target;
        }
    }
    return target;
}

static bool append(struct replay *replay, struct target *target,
                   const struct letter_message *message, struct error *error)
{
    struct log_header *headers =
        arena_zeroed(&replay->arena, (message->header_count + 1u) * sizeof *headers);
    if (headers == NULL) {
        error_no_memory(error);
        return false;
    }
    for (uint32_t i = 0; i < message->header_count; i++) {
        headers[i] = (struct log_header){ message->headers[i].key, message->headers[i].key_len, 0,
                                          slice_of(&message->headers[i].value) };
    }
    struct log_message made = { .timestamp = message->timestamp,
                                .key = slice_of(&message->key),
                                .value = slice_of(&message->value),
                                .headers = headers,
                                .header_count = message->header_count };
    if (!replay->is_dry &&
        log_append(target->topic, target->partition, &made, 1, error) != WEIR_OK) {
        return false;
    }
    replay->replayed++;
    replay->left--;
    return true;
}

/* False: a fault, in `error`. */
static bool put_message(struct replay *replay, struct log_topic *topic,
                        const struct letter_message *message, struct error *error)
{
    struct target *target = find_target(replay, topic, (uint32_t)message->partition);
    if (target != NULL && spans_has(&target->put, message->offset)) {
        return true;
    }
    if (target == NULL || !spans_add(&target->put, message->offset)) {
        error_no_memory(error);
        return false;
    }
    return append(replay, target, message, error);
}

/* One letter that was chosen. False: a fault, in `error`. */
static bool put_back(struct replay *replay, uint32_t partition, const struct log_message *stored,
                     const weir_value *letter, struct error *error)
{
    struct letter_message message;
    struct error why = { .status = WEIR_OK };
    int64_t offset = stored->offset;
    if (replay_memory_has(&replay->memory, partition, offset) && !replay->is_again) {
        replay->before++;
        return true;
    }
    if (letter_message_read(letter, &replay->arena, &message, &why) != WEIR_OK) {
        refuse(replay, partition, offset, why.message, why.hint);
        return true;
    }
    struct log_topic *topic = find_topic(replay, partition, offset, &message);
    if (topic == NULL) {
        return true;
    }
    if (!put_message(replay, topic, &message, error)) {
        return false;
    }
    if (!replay_memory_add(&replay->memory, partition, stored)) {
        error_no_memory(error);
        return false;
    }
    return true;
}

/* True: what was put is to be committed. Long transactions would be given up by the brokers of Kafka. */
static bool is_time_to_commit(struct replay *replay)
{
    int64_t passed_ms = (clock_monotonic_ns() - replay->committed_ns) / 1000000;
    return log_pending_bytes(replay->use->log) > COMMIT_BYTES || passed_ms > COMMIT_MS;
}

static weir_status commit(struct replay *replay, struct error *error)
{
    if (replay->is_dry || replay->replayed == 0) {
        return WEIR_OK;
    }
    replay->committed_ns = clock_monotonic_ns();
    return replay_memory_commit(&replay->memory, error);
}

/* ---- reading ----------------------------------------------------------------------------------- */

/* Letters that could not be decoded have no value: told, and passed over. */
static void refuse_undecoded(struct replay *replay, uint32_t partition,
                             const struct log_message *messages, bool *is_undecoded)
{
    const struct call *call = &replay->value.call;
    for (uint32_t i = 0; i < call->failure_count; i++) {
        const struct call_failure *failure = &call->failures[i];
        is_undecoded[failure->index] = true;
        refuse(replay, partition, messages[failure->index].offset, failure->message, failure->hint);
    }
}

static weir_status take_batch(struct replay *replay, uint32_t partition,
                              const struct log_message *messages, uint32_t count,
                              struct error *error)
{
    weir_slice *payloads = arena_alloc(&replay->arena, count * sizeof *payloads);
    weir_value *letters = arena_zeroed(&replay->arena, count * sizeof *letters);
    weir_value *chosen = arena_zeroed(&replay->arena, count * sizeof *chosen);
    bool *is_undecoded = arena_zeroed(&replay->arena, count);
    if (payloads == NULL || letters == NULL || chosen == NULL || is_undecoded == NULL) {
        return error_no_memory(error);
    }
    for (uint32_t i = 0; i < count; i++) {
        payloads[i] = messages[i].value;
    }
    weir_status st = codec_decode(&replay->value, &replay->arena, payloads, count, letters, error);
    if (st != WEIR_OK) {
        return st;
    }
    refuse_undecoded(replay, partition, messages, is_undecoded);
    st = replay->where == NULL
             ? WEIR_OK
             : choose(replay, partition, messages, letters, count, &chosen, error);
    if (st != WEIR_OK) {
        return st;
    }
    for (uint32_t i = 0; i < count && replay->left > 0; i++) {
        int64_t offset = messages[i].offset;
        if (is_undecoded[i]) {
            continue;
        }
        if (chosen[i].tag == WEIR_TAG_ERROR) {
            const struct expr_fault *fault = expr_fault(&chosen[i]);
            refuse(replay, partition, offset, fault->message, fault->hint);
        } else if ((replay->where == NULL || value_is_truthy(&chosen[i])) &&
                   !put_back(replay, partition, &messages[i], &letters[i], error)) {
            return error->status;
        }
    }
    return WEIR_OK;
}

/* Up to the end as it is at the start: what is put back may end as a letter of the same topic. */
static weir_status replay_partition(struct replay *replay, uint32_t partition, struct error *error)
{
    struct log_partition_info info;
    int64_t position = args_number(replay->use->args, "from", 0);
    weir_status st = log_partition_info(replay->use->log_topic, partition, &info, error);
    while (st == WEIR_OK && position < info.end && replay->left > 0) {
        struct log_batch batch = { .count = 0 };
        arena_reset(&replay->arena);
        st = log_read(replay->use->log_topic, partition, position, READ_MESSAGES, READ_BYTES,
                      &replay->arena, &batch, error);
        if (st != WEIR_OK || batch.count == 0) {
            break;
        }
        st = take_batch(replay, partition, batch.messages, batch.count, error);
        log_lease_end(&batch.lease);
        position = batch.next;
        if (st == WEIR_OK && is_time_to_commit(replay)) {
            st = commit(replay, error);
        }
    }
    return st;
}

static weir_status replay_all(struct replay *replay, struct error *error)
{
    uint32_t partitions = replay->use->log_topic->partitions;
    int64_t only = args_number(replay->use->args, "partition", -1);
    weir_status st = replay_memory_load(&replay->memory, replay->use, error);
    replay->committed_ns = clock_monotonic_ns();
    if (st == WEIR_OK && only >= (int64_t)partitions) {
        return error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
                         "the topic '%s' has no partition %" PRId64 "; it has %" PRIu32,
                         replay->use->name, only, partitions);
    }
    for (uint32_t i = 0; st == WEIR_OK && i < partitions; i++) {
        if (only < 0 || only == i) {
            st = replay_partition(replay, i, error);
        }
    }
    return st == WEIR_OK ? commit(replay, error) : st;
}

/* ---- the command ------------------------------------------------------------------------------- */

static int tell_done(const struct replay *replay)
{
    const char *s = replay->replayed == 1 ? "" : "s";
    if (!replay->use->args->is_json) {
        output_printf("%s %" PRIu64 " message%s of topic '%s'; %" PRIu64
                      " letter%s had been replayed before, %" PRIu64 " cannot be\n",
                      replay->is_dry ? "would put back" : "put back", replay->replayed, s,
                      replay->use->name, replay->before, replay->before == 1 ? "" : "s",
                      replay->refused);
        if (replay->before > 0) {
            fputs("hint: --again puts back the messages of those too\n", stderr);
        }
        return EXIT_DONE;
    }
    weir_buffer out;
    struct page page = { .out = &out };
    buffer_init(&out, UINT64_MAX);
    page_text(&page, "{\"topic\":");
    page_json(&page, replay->use->name);
    page_printf(&page,
                ",\"messages\":%" PRIu64 ",\"before\":%" PRIu64 ",\"refused\":%" PRIu64 "}\n",
                replay->replayed, replay->before, replay->refused);
    if (page.status == WEIR_OK) {
        output_write(out.data, (size_t)out.size);
    }
    buffer_deinit(&out);
    return EXIT_DONE;
}

static int run(struct replay *replay)
{
    struct topic_use *use = replay->use;
    struct error error = { .status = WEIR_OK };
    if (!topic_use_serializers(use)) {
        return EXIT_FAULT;
    }
    if (!where_compile(use, &replay->where)) {
        return EXIT_USAGE;
    }
    const struct services *services =
        use->pipeline != NULL ? &use->pipeline->services : &use->defaults->services;
    if (codec_init(&replay->value, services, &use->topic->value, &error) != WEIR_OK) {
        return topic_use_fault(use, &error);
    }
    if (!topic_use_open(use, replay->is_dry ? LOG_READ : LOG_WRITE) || !topic_use_find(use)) {
        return EXIT_FAULT;
    }
    return replay_all(replay, &error) == WEIR_OK ? tell_done(replay) : topic_use_fault(use, &error);
}

int topic_replay(struct topic_use *use)
{
    struct replay replay = { .use = use,
                             .left = args_number(use->args, "count", INT64_MAX),
                             .is_again = args_has(use->args, "again"),
                             .is_dry = args_has(use->args, "dry-run") };
    arena_init(&replay.arena, 0);
    int status = run(&replay);
    for (struct target *target = replay.targets; target != NULL; target = target->next) {
        spans_deinit(&target->put);
    }
    replay_memory_deinit(&replay.memory);
    codec_deinit(&replay.value);
    arena_deinit(&replay.arena);
    return status;
}
