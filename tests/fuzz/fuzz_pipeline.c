/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as the messages of a topic, one a line, through a whole pipeline on the in-memory log: decoding,
 * operators of every kind, branches and a merge, encoding. The plugins are the real ones. Whatever comes in, the
 * run ends well and all of it is read.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/logger.h"
#include "engine/engine.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);
int LLVMFuzzerInitialize(int *argc, char ***argv);
const char *__lsan_default_suppressions(void);

enum { MESSAGES = 64 };

/* See fuzz_yaml.c. */
const char *__lsan_default_suppressions(void)
{
    return "leak:libfyaml.so\n";
}

static const char text[] =
    "pipeline: fuzz\n"
    "log: memory\n"
    "on_error: skip\n"
    "topics: {in: {value: json}, out: {key: json, value: json}}\n"
    "streams:\n"
    "  s:\n"
    "    from: {topic: in}\n"
    "    steps:\n"
    "      - filter: $value is not null\n"
    "      - set:\n"
    "          c: text(a ?? 1) + text(b ?? \"x\")\n"
    "          d.e: '[$value, a ?? null]'\n"
    "    to: {topic: out}\n"
    "  sums:\n"
    "    from: s\n"
    "    steps:\n"
    "      - set:\n"
    "          sum: a + b * 2\n"
    "          low: lower(c)\n"
    "  items:\n"
    "    from: s\n"
    "    steps:\n"
    "      - flat_map: {items: items, as: item}\n"
    "      - select: {item: item, first: 'item[0] ?? null', same: item == a}\n"
    "  both:\n"
    "    from: [sums, items]\n"
    "    to:\n"
    "      topic: out\n"
    "      key: $value\n";

static struct arena arena;
static struct registry registry;
static struct diagnostics diagnostics;
static struct pipeline *pipeline;

static void require(bool is_right, const char *what)
{
    if (!is_right) {
        fprintf(stderr, "fuzz_pipeline: %s\n", what);
        abort();
    }
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    char folder[4096];
    struct error error = { .status = WEIR_OK };
    /* Beside the program, as it is built: fuzz/fuzz_pipeline and lib/weir/plugins. */
    const char *end = strrchr((*argv)[0], '/');
    int length = end == NULL ? 0 : (int)(end - (*argv)[0] + 1);
    (void)snprintf(folder, sizeof folder, "%.*s../lib/weir/plugins", length, (*argv)[0]);
    arena_init(&arena, 0);
    registry_init(&registry);
    diagnostics_init(&diagnostics, &arena);
    logger_configure(LOGGER_ERROR, false, false);
    require(registry_load_folder(&registry, folder, &error) == WEIR_OK, error.message);
    static struct document_file file = { "fuzz.yaml", text, sizeof text - 1 };
    pipeline = pipeline_read(&file, &registry, &diagnostics);
    require(pipeline != NULL, diagnostics.count > 0 ? diagnostics.list[0].message : "no pipeline");
    return 0;
}

static uint32_t fill(struct log *log, const uint8_t *data, size_t size)
{
    struct error error = { .status = WEIR_OK };
    struct log_topic *topic;
    struct log_message messages[MESSAGES];
    uint32_t count = 0;
    require(log_topic_create(log, "in", 1, &topic, &error) == WEIR_OK, error.message);
    while (size > 0 && count < MESSAGES) {
        const uint8_t *end = memchr(data, '\n', size);
        size_t line = end == NULL ? size : (size_t)(end - data);
        messages[count++] = (struct log_message){ .timestamp = 1,
                                                  .key = { NULL, LOG_ABSENT },
                                                  .value = { data, line } };
        size_t step = line + (end != NULL);
        data += step;
        size -= step;
    }
    require(log_append(topic, 0, messages, count, &error) == WEIR_OK, error.message);
    return count;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct error error = { .status = WEIR_OK };
    struct log *log;
    struct engine_report report;
    require(log_open("memory", ".", LOG_WRITE, &log, &error) == WEIR_OK, error.message);
    uint32_t count = fill(log, data, size);
    struct engine_options options = { .log = log,
                                      .folder = ".",
                                      .checkpoint_interval_ms = -1,
                                      .threads = 1,
                                      .batch_size = size % 2 == 0 ? 1024 : 3,
                                      .is_until_end = true };
    weir_status st = engine_run(pipeline, &options, &report, &error);
    require(st == WEIR_OK, error.message);
    require(report.records_in == count, "records were not read");
    report_deinit(&report);
    log_close(log);
    return 0;
}
