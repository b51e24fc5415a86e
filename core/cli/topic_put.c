/* SPDX-License-Identifier: MIT */
/*
 * `weir topic put`: a message for every line. A line is the value as it lies in the log, checked with
 * the topic's serializer (--raw: unchecked), or with --json a record line. Nothing is committed
 * before the end of the input unless that is very large; a bad line drops what is not committed.
 */
#include "cli/topic_put.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/clock.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/page.h"

enum { COMMIT_BYTES = 64 << 20, TIDY_MS = 1000 };
#define ENCODED_LIMIT (UINT64_C(1) << 30)

/* ---- the work --------------------------------------------------------------------------------------- */

static weir_status take_batch(struct put *put, struct put_batch *batch, struct error *error)
{
    if (batch->count == 0) {
        return WEIR_OK;
    }
    weir_status st = put_read_records(put, batch, error);
    return st == WEIR_OK ? put_append(put, batch, error) : st;
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

static weir_status put_all(struct put *put, struct put_batch *batch, struct error *error)
{
    bool is_at_end = false;
    while (!is_at_end) {
        weir_status st = put_read_lines(put, batch, error);
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
    if (!is_known(put) && put->appended == 1) {
        fputs("hint: it may have been put nevertheless\n", stderr);
    } else if (!is_known(put)) {
        fprintf(stderr, "hint: of the first %" PRIu64 " messages some may have been put\n",
                put->appended);
    } else if (put->committed > 0) {
        fprintf(stderr, "hint: the first %" PRIu64 " message%s put\n", put->committed,
                put->committed == 1 ? " was" : "s were");
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

/* Who may not ask is told by the broker. */
static bool is_compacted(struct log_topic *topic)
{
    struct log_topic_options options = { .is_compacted = false };
    struct error ignored = { .status = WEIR_OK };
    return log_topic_options(topic, &options, &ignored) == WEIR_OK && options.is_compacted;
}

static int run_put(struct put *put, struct put_batch *batch)
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
    put->needs_key = is_compacted(put->use->log_topic);
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
    struct put_batch *batch = arena_alloc(&use->arena, sizeof *batch);
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
