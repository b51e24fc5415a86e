/* SPDX-License-Identifier: MIT */
/*
 * `weir topic put`: a message for every line. A line is the value as it lies in the log, checked with
 * the topic's serializer (--raw: unchecked), or with --json a record line. Nothing is committed
 * before the end of the input unless that is very large; a bad line drops what is not committed.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <weir/serializer.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/utf8.h"
#include "cli/cli.h"
#include "cli/codec.h"
#include "cli/line_input.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/topic_use.h"
#include "value/record_line.h"
#include "value/value.h"

enum { BATCH_LINES = 500, BATCH_BYTES = 1 << 20, COMMIT_BYTES = 64 << 20, TIDY_MS = 1000 };
#define ENCODED_LIMIT (UINT64_C(1) << 30)

struct put {
    struct topic_use *use;
    struct codec key;
    struct codec value;
    struct codec line; /* of record lines */
    const weir_expression *key_expression;
    struct arena arena; /* of one batch */
    struct line_input input;
    weir_buffer key_bytes;
    weir_buffer value_bytes;
    uint64_t appended;
    uint64_t committed;
    bool is_raw;
    bool is_record; /* --json */
};

/* Lines on their way to messages. */
struct batch {
    uint32_t count;
    uint64_t numbers[BATCH_LINES]; /* of lines */
    weir_slice lines[BATCH_LINES];
    weir_record records[BATCH_LINES];
    int32_t partitions[BATCH_LINES]; /* wanted; -1: the key decides */
    weir_slice keys[BATCH_LINES];
    weir_slice values[BATCH_LINES];
};

/* ---- faults ----------------------------------------------------------------------------------------- */

/* "FILE:LINE: FAULT". Returns a negative status. */
static weir_status line_fault(const struct put *put, uint64_t line, const char *message,
                              const char *hint, struct error *error)
{
    weir_status st = error_set(error, WEIR_E_DATA, WEIR_CLASS_DATA, "%s:%" PRIu64 ": %s",
                               put->input.name, line, message);
    if (hint != NULL && hint[0] != '\0') {
        error_hint(error, "%s", hint);
    }
    return st;
}

/* The first lane that a serializer has refused. */
static weir_status check_lanes(const struct put *put, const struct batch *batch,
                               const struct codec *codec, struct error *error)
{
    if (codec->call.failure_count == 0) {
        return WEIR_OK;
    }
    const struct call_failure *failure = &codec->call.failures[0];
    return line_fault(put, batch->numbers[failure->index], failure->message, failure->hint, error);
}

/* ---- lines to records ------------------------------------------------------------------------------- */

static bool is_blank(weir_slice line)
{
    for (uint64_t i = 0; i < line.size; i++) {
        if (line.data[i] != ' ' && line.data[i] != '\t') {
            return false;
        }
    }
    return true;
}

/* Cuts what editors add: a byte order mark at the start, a carriage return at the end of a line. */
static weir_slice trim_line(const struct put *put, weir_slice line)
{
    if (put->input.line == 1 && line.size >= 3 && memcmp(line.data, "\xef\xbb\xbf", 3) == 0) {
        line.data += 3;
        line.size -= 3;
    }
    if (line.size > 0 && line.data[line.size - 1] == '\r') {
        line.size--;
    }
    return line;
}

/* WEIR_END: there are no more; the batch may hold some nevertheless. */
static weir_status gather(struct put *put, struct batch *batch, struct error *error)
{
    uint64_t bytes = 0;
    batch->count = 0;
    arena_reset(&put->arena);
    while (batch->count < BATCH_LINES && bytes < BATCH_BYTES) {
        weir_slice line;
        weir_status st = line_input_next(&put->input, &put->arena, &line, error);
        if (st != WEIR_OK) {
            return st;
        }
        if (!put->is_raw) {
            line = trim_line(put, line);
            if (is_blank(line)) {
                continue;
            }
        }
        batch->numbers[batch->count] = put->input.line;
        batch->lines[batch->count] = line;
        batch->partitions[batch->count] = -1;
        batch->records[batch->count++] =
            (weir_record){ .timestamp = WEIR_NO_TIMESTAMP, .offset = WEIR_NO_OFFSET };
        bytes += line.size;
    }
    return WEIR_OK;
}

/* Values that nobody has decoded, for --key. */
static void take_raw(struct batch *batch)
{
    for (uint32_t i = 0; i < batch->count; i++) {
        const char *text = (const char *)batch->lines[i].data;
        uint32_t len = (uint32_t)batch->lines[i].size;
        bool is_text = utf8_valid_prefix(text, len) == len;
        batch->records[i].value =
            is_text ? weir_text_value(text, len) : weir_bytes_value(text, len);
        batch->values[i] = batch->lines[i];
    }
}

static weir_status decode_lines(struct put *put, struct batch *batch, struct codec *codec,
                                weir_value *values, struct error *error)
{
    weir_status st = codec_decode(codec, &put->arena, batch->lines, batch->count, values, error);
    return st == WEIR_OK ? check_lanes(put, batch, codec, error) : st;
}

static weir_status take_values(struct put *put, struct batch *batch, struct error *error)
{
    weir_value values[BATCH_LINES];
    weir_status st = decode_lines(put, batch, &put->value, values, error);
    for (uint32_t i = 0; st == WEIR_OK && i < batch->count; i++) {
        batch->records[i].value = values[i];
        batch->values[i] = batch->lines[i];
    }
    return st;
}

static weir_status take_record(struct put *put, struct batch *batch, uint32_t i,
                               const weir_value *object, struct error *error)
{
    struct record_line line;
    struct error fault = { .status = WEIR_OK };
    weir_status st = record_line_read(object, &put->arena, &line, &fault);
    if (st != WEIR_OK) {
        return line_fault(put, batch->numbers[i], fault.message, fault.hint, error);
    }
    batch->records[i] = line.record;
    batch->partitions[i] = line.partition;
    if (line.partition >= (int64_t)put->use->log_topic->partitions) {
        struct error wrong = { .status = WEIR_OK };
        error_set(&wrong, WEIR_E_DATA, WEIR_CLASS_DATA,
                  "the topic '%s' has no partition %" PRId32 "; it has %" PRIu32, put->use->name,
                  line.partition, put->use->log_topic->partitions);
        return line_fault(put, batch->numbers[i], wrong.message, NULL, error);
    }
    return WEIR_OK;
}

static weir_status take_records(struct put *put, struct batch *batch, struct error *error)
{
    weir_value objects[BATCH_LINES];
    weir_status st = decode_lines(put, batch, &put->line, objects, error);
    for (uint32_t i = 0; st == WEIR_OK && i < batch->count; i++) {
        st = take_record(put, batch, i, &objects[i], error);
    }
    return st;
}

/* ---- records to messages ---------------------------------------------------------------------------- */

/*
 * Keys or values to payloads. Where no file says how, bytes go out as they are: so `cat --json` of an
 * undeclared topic can be put back.
 */
static weir_status encode(struct put *put, const struct batch *batch, struct codec *codec,
                          const weir_value *const *values, weir_buffer *bytes, weir_slice *payloads,
                          struct error *error)
{
    static const weir_value null = { .tag = WEIR_NULL };
    const weir_value *encoded[BATCH_LINES];
    for (uint32_t i = 0; i < batch->count; i++) {
        bool is_plain = values[i]->tag == WEIR_BYTES && !put->use->is_declared;
        encoded[i] = is_plain ? &null : values[i];
    }
    weir_status st =
        codec_encode(codec, &put->arena, encoded, batch->count, bytes, payloads, error);
    for (uint32_t i = 0; st == WEIR_OK && i < batch->count; i++) {
        if (encoded[i] != values[i]) {
            payloads[i] = (weir_slice){ (const uint8_t *)values[i]->as.text, values[i]->len };
        }
    }
    return st == WEIR_OK ? check_lanes(put, batch, codec, error) : st;
}

static weir_status compute_keys(struct put *put, struct batch *batch, struct error *error)
{
    weir_entry entries[BATCH_LINES];
    weir_value keys[BATCH_LINES];
    weir_origin origin = { put->use->name, (uint32_t)strlen(put->use->name), -1 };
    weir_batch view = { .struct_size = sizeof view,
                        .count = batch->count,
                        .entries = entries,
                        .origins = &origin,
                        .origin_count = 1 };
    for (uint32_t i = 0; i < batch->count; i++) {
        entries[i] = (weir_entry){ .record = &batch->records[i], .ordinal = i };
    }
    struct call *call = &put->key.call;
    call_begin(call, put->key.instance, &put->arena, &view);
    int64_t st = expr_evaluate(&call->context, put->key_expression, entries, batch->count, keys);
    call_end(call);
    if (st < 0) {
        return error_set(error, (weir_status)st, WEIR_CLASS_RESOURCE, "could not compute the keys");
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        if (keys[i].tag == WEIR_TAG_ERROR) {
            const struct expr_fault *fault = expr_fault(&keys[i]);
            return line_fault(put, batch->numbers[i], fault->message, fault->hint, error);
        }
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->records[i].key = keys[i];
    }
    return WEIR_OK;
}

static weir_status encode_batch(struct put *put, struct batch *batch, struct error *error)
{
    const weir_value *values[BATCH_LINES];
    weir_status st = put->key_expression != NULL ? compute_keys(put, batch, error) : WEIR_OK;
    for (uint32_t i = 0; i < batch->count; i++) {
        batch->keys[i] = (weir_slice){ NULL, LOG_ABSENT };
        if (!value_canonical(&put->arena, &batch->records[i].key, &values[i])) {
            return error_no_memory(error);
        }
    }
    if (st == WEIR_OK && (put->key_expression != NULL || put->is_record)) {
        st = encode(put, batch, &put->key, values, &put->key_bytes, batch->keys, error);
    }
    if (st != WEIR_OK || !put->is_record) {
        return st;
    }
    for (uint32_t i = 0; i < batch->count; i++) {
        values[i] = &batch->records[i].value;
    }
    return encode(put, batch, &put->value, values, &put->value_bytes, batch->values, error);
}

static const struct log_header *make_headers(struct arena *arena, const weir_record *record)
{
    struct log_header *headers = arena_zeroed(arena, (record->header_count + 1u) * sizeof *headers);
    for (uint32_t i = 0; headers != NULL && i < record->header_count; i++) {
        const weir_member *member = &record->headers[i];
        headers[i].name = member->key;
        headers[i].name_len = member->key_len;
        headers[i].value =
            member->value.tag == WEIR_NULL
                ? (weir_slice){ NULL, LOG_ABSENT }
                : (weir_slice){ (const uint8_t *)member->value.as.text, member->value.len };
    }
    return headers;
}

/* As the engine places a source's records: by the key, without one by a running number. */
static uint32_t choose_partition(const struct put *put, const struct batch *batch, uint32_t i)
{
    uint32_t partitions = put->use->log_topic->partitions;
    if (batch->partitions[i] >= 0) {
        return (uint32_t)batch->partitions[i];
    }
    struct partitioner_message message = { batch->keys[i], put->appended, put->appended };
    return partitioner_choose(put->use->topic->partitioner, &message, partitions);
}

static weir_status append_batch(struct put *put, const struct batch *batch, struct error *error)
{
    int64_t now = clock_wall_ms();
    for (uint32_t i = 0; i < batch->count; i++) {
        const weir_record *record = &batch->records[i];
        bool has_time = record->timestamp != WEIR_NO_TIMESTAMP;
        struct log_message message = { .timestamp = has_time ? record->timestamp : now,
                                       .key = batch->keys[i],
                                       .value = batch->values[i],
                                       .headers = make_headers(&put->arena, record),
                                       .header_count = record->header_count };
        if (message.headers == NULL) {
            return error_no_memory(error);
        }
        weir_status st =
            log_append(put->use->log_topic, choose_partition(put, batch, i), &message, 1, error);
        if (st != WEIR_OK) {
            return st;
        }
        put->appended++;
    }
    return WEIR_OK;
}

/* ---- the work --------------------------------------------------------------------------------------- */

static weir_status take_batch(struct put *put, struct batch *batch, struct error *error)
{
    weir_status st = WEIR_OK;
    if (batch->count == 0) {
        return WEIR_OK;
    }
    if (put->is_record) {
        st = take_records(put, batch, error);
    } else if (put->is_raw) {
        take_raw(batch);
    } else {
        st = take_values(put, batch, error);
    }
    st = st == WEIR_OK ? encode_batch(put, batch, error) : st;
    return st == WEIR_OK ? append_batch(put, batch, error) : st;
}

static weir_status commit(struct put *put, struct error *error)
{
    struct log_epoch epoch = { .fact_count = 0 };
    weir_status st = topic_use_commit(put->use, "", &epoch, error);
    if (st == WEIR_OK) {
        put->committed = put->appended;
    }
    return st;
}

static weir_status put_all(struct put *put, struct batch *batch, struct error *error)
{
    bool is_at_end = false;
    while (!is_at_end) {
        weir_status st = gather(put, batch, error);
        is_at_end = st == WEIR_END;
        if (st >= 0) {
            st = take_batch(put, batch, error);
        }
        if (st == WEIR_OK && log_pending_bytes(put->use->log) > COMMIT_BYTES) {
            st = commit(put, error);
        }
        if (st < 0) {
            return st;
        }
    }
    return commit(put, error);
}

/* What came has pushed something out: no pipeline may run on this log for long. */
static void tidy(const struct put *put)
{
    struct error error = { .status = WEIR_OK };
    bool is_done = false;
    weir_status st = log_tidy(put->use->log, clock_wall_ms(), TIDY_MS, &is_done, &error);
    if (st != WEIR_OK) {
        fprintf(stderr,
                "weir topic put: the messages were put, but what is too old was not removed: %s\n",
                error.message);
    }
}

/* Where others use the log too, what was handed over is on its way; it counts as put once that is known. */
static bool is_known(struct put *put)
{
    struct error ignored = { .status = WEIR_OK };
    bool is_under_way = put->use->log != NULL && log_is_shared(put->use->log);
    return !is_under_way || put->appended == put->committed || commit(put, &ignored) == WEIR_OK;
}

static int tell_fault(struct put *put, struct error *error)
{
    topic_use_fault(put->use, error);
    if (!is_known(put)) {
        fprintf(stderr, "hint: of the first %" PRIu64 " messages some may have been put\n",
                put->appended);
    } else if (put->committed > 0) {
        fprintf(stderr, "hint: the first %" PRIu64 " messages were put\n", put->committed);
    } else {
        fprintf(stderr, "hint: no message was put\n");
    }
    return EXIT_FAULT;
}

static int tell_done(const struct put *put)
{
    const char *name = put->use->name;
    if (!put->use->args->is_json) {
        output_printf("put %" PRIu64 " message%s into topic '%s'\n", put->appended,
                      put->appended == 1 ? "" : "s", name);
        return EXIT_DONE;
    }
    weir_buffer out;
    struct page page = { .out = &out };
    buffer_init(&out, UINT64_MAX);
    page_text(&page, "{\"topic\":");
    page_json(&page, name);
    page_printf(&page, ",\"messages\":%" PRIu64 "}\n", put->appended);
    if (page.status == WEIR_OK) {
        output_write(out.data, (size_t)out.size);
    }
    buffer_deinit(&out);
    return EXIT_DONE;
}

/* ---- the command ------------------------------------------------------------------------------------ */

static void report_key(void *self, bool is_warning, size_t from, size_t to, const char *message)
{
    const struct put *put = self;
    (void)to;
    if (!is_warning) {
        args_fault(put->use->args, NULL, "'--key' at byte %zu: %s", from, message);
    }
}

/* False: said. */
static bool compile_key(struct put *put)
{
    const char *text = args_text(put->use->args, "key");
    if (text == NULL) {
        return true;
    }
    const struct pipeline *pipeline =
        put->use->pipeline != NULL ? put->use->pipeline : put->use->defaults;
    struct expr_reporter reporter = { report_key, put };
    put->key_expression = expr_compile(&pipeline->env, text, strlen(text), &reporter);
    return put->key_expression != NULL;
}

static weir_status prepare(struct put *put, struct error *error)
{
    const struct topic_use *use = put->use;
    const struct services *services =
        use->pipeline != NULL ? &use->pipeline->services : &use->defaults->services;
    weir_status st = codec_init(&put->key, services, &use->topic->key, error);
    if (st == WEIR_OK) {
        st = codec_init(&put->value, services, &use->topic->value, error);
    }
    if (st == WEIR_OK) {
        st = codec_init(&put->line, services, &use->defaults->topics[0]->value, error);
    }
    return st == WEIR_OK
               ? line_input_open(&put->input,
                                 use->args->operand_count > 1 ? use->args->operands[1] : NULL,
                                 error)
               : st;
}

static void tell_missing(const struct topic_use *use, const char *what)
{
    struct error error = { .status = WEIR_OK };
    error_set(&error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, "there is no topic '%s': %s",
              use->name, what);
    error_hint(&error, "--create N makes it, with N partitions");
    topic_use_fault(use, &error);
}

/* A topic that is missing leaves no trace of a log that nobody wanted. */
static bool check_topic(struct topic_use *use)
{
    struct error error = { .status = WEIR_OK };
    if (args_has(use->args, "create") && strcmp(use->log_url, "memory") != 0) {
        return true;
    }
    weir_status st = topic_use_try(use, LOG_READ, &error);
    bool is_there = st == WEIR_OK && topic_use_find(use);
    if (st == WEIR_E_NOT_FOUND && strcmp(use->log_url, "memory") != 0) {
        tell_missing(use, error.message);
    } else if (st != WEIR_OK) {
        topic_use_fault(use, &error);
    }
    log_close(use->log);
    use->log = NULL;
    return is_there;
}

static bool open_topic(struct topic_use *use)
{
    if (!check_topic(use) || !topic_use_open(use, LOG_WRITE)) {
        return false;
    }
    int64_t partitions = args_number(use->args, "create", 0);
    use->log_topic = log_topic_find(use->log, use->log_name);
    if (use->log_topic != NULL || partitions == 0) {
        return use->log_topic != NULL || topic_use_find(use);
    }
    struct error error = { .status = WEIR_OK };
    uint32_t count = partitions > UINT32_MAX ? UINT32_MAX : (uint32_t)partitions;
    if (log_topic_create(use->log, use->log_name, count, &use->log_topic, &error) == WEIR_OK) {
        return true;
    }
    topic_use_fault(use, &error);
    return false;
}

static int run_put(struct put *put, struct batch *batch)
{
    struct error error = { .status = WEIR_OK };
    if (!topic_use_serializers(put->use)) {
        return EXIT_FAULT;
    }
    if (!compile_key(put)) {
        return EXIT_USAGE;
    }
    if (prepare(put, &error) != WEIR_OK) {
        return topic_use_fault(put->use, &error);
    }
    if (!open_topic(put->use)) {
        return EXIT_FAULT;
    }
    if (put_all(put, batch, &error) != WEIR_OK) {
        return tell_fault(put, &error);
    }
    tidy(put);
    return tell_done(put);
}

int topic_put(struct topic_use *use)
{
    struct put put = { .use = use,
                       .input = { .fd = -1 },
                       .is_raw = args_has(use->args, "raw"),
                       .is_record = use->args->is_json };
    if (put.is_raw && put.is_record) {
        return args_fault(use->args, NULL, "'--raw' and '--json' cannot be given together");
    }
    struct batch *batch = arena_alloc(&use->arena, sizeof *batch);
    if (batch == NULL) {
        fputs("weir topic put: out of memory\n", stderr);
        return EXIT_FAULT;
    }
    arena_init(&put.arena, 0);
    buffer_init(&put.key_bytes, ENCODED_LIMIT);
    buffer_init(&put.value_bytes, ENCODED_LIMIT);
    int status = run_put(&put, batch);
    line_input_close(&put.input);
    buffer_deinit(&put.value_bytes);
    buffer_deinit(&put.key_bytes);
    codec_deinit(&put.line);
    codec_deinit(&put.value);
    codec_deinit(&put.key);
    arena_deinit(&put.arena);
    return status;
}
