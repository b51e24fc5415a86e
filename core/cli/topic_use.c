/* SPDX-License-Identifier: MIT */
#include "cli/topic_use.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/clock.h"
#include "base/file.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/page.h"

enum { DIAGNOSTICS_LIMIT = 1 << 24, COMMIT_MS = 60000 };

static const char default_file[] = "pipeline.yaml";
static const char default_log[] = "local:weir-data";

/* A topic that is declared without a word has the serializers that messages are read with here. */
static const struct document_file defaults_file = {
    .name = "defaults",
#define DEFAULTS                                                                                   \
 "pipeline: defaults\ntopics: {messages: {}, copies: {}}\n"                                        \
 "streams: {all: {from: {topic: messages}, to: {topic: copies}}}\n"
    .text = DEFAULTS,
    .size = sizeof DEFAULTS - 1,
};

int topic_use_fault(const struct topic_use *use, const struct error *error)
{
    fprintf(stderr, "weir %s: %s\n", use->args->command->name, error->message);
    if (error->hint[0] != '\0') {
        fprintf(stderr, "hint: %s\n", error->hint);
    }
    return EXIT_FAULT;
}

/* ---- the pipeline file ------------------------------------------------------------------------------ */

static void write_diagnostics(const struct topic_use *use)
{
    weir_buffer text;
    buffer_init(&text, DIAGNOSTICS_LIMIT);
    for (size_t i = 0; i < use->diagnostics.count; i++) {
        if (use->args->is_json) {
            diagnostic_write_json(&use->diagnostics.list[i], &text);
            (void)buffer_text(&text, "\n");
        } else {
            diagnostic_write(&use->diagnostics.list[i], use->args->has_color_err, &text);
        }
    }
    if (text.size > 0) {
        fwrite(text.data, 1, (size_t)text.size, stderr);
    }
    buffer_deinit(&text);
}

static bool load_file(struct topic_use *use, const char *path)
{
    registry_load_default(&use->registry);
    use->pipeline = pipeline_load(path, &use->registry, &use->diagnostics);
    if (use->pipeline == NULL) {
        write_diagnostics(use);
        fprintf(stderr,
                "weir %s: cannot use '%s', which has errors\n"
                "hint: with --log URL the log is read without a pipeline file\n",
                use->args->command->name, path);
        return false;
    }
    use->log_url = use->pipeline->log_url;
    use->log_folder = use->pipeline->folder;
    return true;
}

bool topic_use_init(struct topic_use *use, const struct args *args, int *ret_status)
{
    const char *log_url = args_text(args, "log");
    const char *file = args_text(args, "file");
    struct error error = { .status = WEIR_OK };
    *use = (struct topic_use){ .args = args, .log_url = default_log, .log_folder = "." };
    arena_init(&use->arena, 0);
    diagnostics_init(&use->diagnostics, &use->arena);
    registry_init(&use->registry);
    if (log_url != NULL && log_url_check(log_url, &error) != WEIR_OK) {
        *ret_status = args_fault(args, NULL, "%s", error.message);
        return false;
    }
    *ret_status = EXIT_FAULT;
    if (file == NULL && log_url == NULL && file_exists(default_file)) {
        file = default_file;
    }
    if (file != NULL && !load_file(use, file)) {
        return false;
    }
    if (log_url != NULL) {
        use->log_url = log_url;
        use->log_folder = ".";
    }
    return true;
}

void topic_use_deinit(struct topic_use *use)
{
    log_close(use->log);
    pipeline_destroy(use->defaults);
    pipeline_destroy(use->pipeline);
    registry_deinit(&use->registry);
    diagnostics_deinit(&use->diagnostics);
    arena_deinit(&use->arena);
}

/* ---- the topic -------------------------------------------------------------------------------------- */

void topic_use_name(struct topic_use *use, const char *name)
{
    use->name = name;
    use->log_name = name;
    for (size_t i = 0; use->pipeline != NULL && i < use->pipeline->topic_count; i++) {
        const struct topic *topic = use->pipeline->topics[i];
        if (strcmp(topic->name, name) == 0) {
            use->topic = topic;
            use->log_name = topic->log_name;
            use->is_declared = true;
        }
    }
}

bool topic_use_serializers(struct topic_use *use)
{
    size_t before = use->diagnostics.count;
    if (use->pipeline == NULL) {
        registry_load_default(&use->registry);
    }
    use->defaults = pipeline_read(&defaults_file, &use->registry, &use->diagnostics);
    if (use->defaults == NULL) {
        struct error error = { .status = WEIR_OK };
        error_set(&error, WEIR_E_NOT_FOUND, WEIR_CLASS_CONFIG, "%s",
                  use->diagnostics.count > before ? use->diagnostics.list[before].message
                                                  : "out of memory");
        topic_use_fault(use, &error);
        return false;
    }
    if (use->topic == NULL) {
        use->topic = use->defaults->topics[0];
    }
    return true;
}

weir_status topic_use_try(struct topic_use *use, enum log_mode mode, struct error *error)
{
    const struct log_open_options options = {
        .folder = use->log_folder,
        .mode = mode,
        .kafka = use->pipeline != NULL ? &use->pipeline->kafka : NULL,
    };
    return log_open_with(use->log_url, &options, &use->log, error);
}

bool topic_use_open(struct topic_use *use, enum log_mode mode)
{
    struct error error = { .status = WEIR_OK };
    if (topic_use_try(use, mode, &error) == WEIR_OK) {
        return true;
    }
    topic_use_fault(use, &error);
    return false;
}

weir_status topic_use_commit(struct topic_use *use, const char *group,
                             const struct log_epoch *epoch, struct error *error)
{
    int64_t end_ns = clock_monotonic_ns() + COMMIT_MS * INT64_C(1000000);
    for (;;) {
        *error = (struct error){ .status = WEIR_OK };
        weir_status st = log_commit(use->log, group, epoch, error);
        bool is_under_way = st == WEIR_E_TIMEOUT && error->is_retriable;
        if (!is_under_way || clock_monotonic_ns() >= end_ns) {
            return st == WEIR_AGAIN ? WEIR_E_IO : st;
        }
    }
}

static const char *nearest_topic(struct topic_use *use)
{
    struct nearest search;
    struct log_topic **topics = NULL;
    size_t count = 0;
    struct error error = { .status = WEIR_OK };
    nearest_start(&search, use->log_name, strlen(use->log_name));
    if (log_topics(use->log, &use->arena, &topics, &count, &error) != WEIR_OK) {
        return NULL;
    }
    for (size_t i = 0; i < count; i++) {
        nearest_offer(&search, topics[i]->name);
    }
    return nearest_found(&search);
}

bool topic_use_find(struct topic_use *use)
{
    use->log_topic = log_topic_find(use->log, use->log_name);
    if (use->log_topic != NULL) {
        return true;
    }
    struct error error = { .status = WEIR_OK };
    error_set(&error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
              "there is no topic '%s' in the log '%s'", use->log_name, use->log_url);
    const char *near = nearest_topic(use);
    if (near != NULL) {
        error_hint(&error, "did you mean '%s'?", near);
    } else {
        error_hint(&error, "'weir topic list' shows those that are there, "
                           "'weir topic put NAME --create N' makes one");
    }
    topic_use_fault(use, &error);
    return false;
}

bool topic_use_there(struct topic_use *use)
{
    if (!topic_use_open(use, LOG_READ)) {
        return false;
    }
    bool is_there = topic_use_find(use);
    log_close(use->log);
    use->log = NULL;
    use->log_topic = NULL;
    return is_there;
}

bool topic_use_partitions(const struct topic_use *use, uint32_t *ret_first, uint32_t *ret_end)
{
    uint32_t partitions = use->log_topic->partitions;
    int64_t wanted = args_number(use->args, "partition", -1);
    *ret_first = wanted < 0 ? 0 : (uint32_t)wanted;
    *ret_end = wanted < 0 ? partitions : (uint32_t)wanted + 1;
    if (wanted < (int64_t)partitions) {
        return true;
    }
    struct error error = { .status = WEIR_OK };
    error_set(&error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND,
              "the topic '%s' has no partition %" PRId64 "; it has %" PRIu32 ", counted from 0",
              use->name, wanted, partitions);
    topic_use_fault(use, &error);
    return false;
}

const char *topic_bytes(uint64_t bytes, const char *unknown, char room[TOPIC_BYTES_ROOM])
{
    if (bytes == LOG_UNKNOWN) {
        return unknown;
    }
    snprintf(room, TOPIC_BYTES_ROOM, "%" PRIu64, bytes);
    return room;
}

bool topic_is_internal(const char *name)
{
    static const char *const prefixes[] = { "source__",    "repartition__", "changelog__",
                                            "positions__", "replayed__",    "__" };
    for (size_t i = 0; i < sizeof prefixes / sizeof prefixes[0]; i++) {
        if (strncmp(name, prefixes[i], strlen(prefixes[i])) == 0) {
            return true;
        }
    }
    return false;
}

int topic_use_write(const struct topic_use *use, struct page *page)
{
    struct error error = { .status = WEIR_OK };
    weir_status st = page->status;
    if (st == WEIR_OK) {
        output_write(page->out->data, (size_t)page->out->size);
    }
    buffer_deinit(page->out);
    if (st == WEIR_OK) {
        return EXIT_DONE;
    }
    error_no_memory(&error);
    return topic_use_fault(use, &error);
}
