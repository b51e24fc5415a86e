/* SPDX-License-Identifier: MIT */
/*
 * `weir topic list`, and the way to the other commands about topics.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/topic_use.h"

/* Sums over a topic's partitions, of what is committed. */
struct totals {
    int64_t records;
    uint64_t bytes;
};

static weir_status sum_up(struct log_topic *topic, struct totals *ret, struct error *error)
{
    struct totals totals = { 0 };
    for (uint32_t p = 0; p < topic->partitions; p++) {
        struct log_partition_info info;
        weir_status st = log_partition_info(topic, p, &info, error);
        if (st != WEIR_OK) {
            return st;
        }
        totals.records += info.count;
        totals.bytes = info.bytes == LOG_UNKNOWN ? LOG_UNKNOWN : totals.bytes + info.bytes;
    }
    *ret = totals;
    return WEIR_OK;
}

static void list_text(struct log_topic *const *topics, const struct totals *totals, size_t count)
{
    int width = (int)strlen("topic");
    for (size_t i = 0; i < count; i++) {
        int len = (int)strlen(topics[i]->name);
        width = len > width ? len : width;
    }
    output_printf("%-*s  %10s  %12s  %14s\n", width, "topic", "partitions", "records", "bytes");
    for (size_t i = 0; i < count; i++) {
        char bytes[TOPIC_BYTES_ROOM];
        output_printf("%-*s  %10" PRIu32 "  %12" PRId64 "  %14s\n", width, topics[i]->name,
                      topics[i]->partitions, totals[i].records,
                      topic_bytes(totals[i].bytes, "-", bytes));
    }
}

static weir_status list_json(struct log_topic *const *topics, const struct totals *totals,
                             size_t count)
{
    weir_buffer out;
    struct page page = { .out = &out };
    buffer_init(&out, UINT64_MAX);
    page_text(&page, "{\"topics\":[");
    for (size_t i = 0; i < count; i++) {
        char bytes[TOPIC_BYTES_ROOM];
        page_text(&page, i > 0 ? ",\n{\"topic\":" : "\n{\"topic\":");
        page_json(&page, topics[i]->name);
        page_printf(&page, ",\"partitions\":%" PRIu32 ",\"records\":%" PRId64 ",\"bytes\":%s}",
                    topics[i]->partitions, totals[i].records,
                    topic_bytes(totals[i].bytes, "null", bytes));
    }
    page_text(&page, "]}\n");
    if (page.status == WEIR_OK) {
        output_write(out.data, (size_t)out.size);
    }
    buffer_deinit(&out);
    return page.status;
}

/* Those that were made by no user are left out. Returns how many stay. */
static size_t hide_internal(struct log_topic **topics, size_t count)
{
    size_t kept = 0;
    for (size_t i = 0; i < count; i++) {
        if (!topic_is_internal(topics[i]->name)) {
            topics[kept++] = topics[i];
        }
    }
    return kept;
}

static void tell_hidden(size_t count)
{
    if (count > 0) {
        fprintf(stderr, "hint: %zu internal topic%s %s not shown; --all shows %s\n", count,
                count == 1 ? "" : "s", count == 1 ? "is" : "are", count == 1 ? "it" : "them");
    }
}

static weir_status write_list(struct topic_use *use, struct error *error)
{
    struct log_topic **topics = NULL;
    size_t count = 0;
    weir_status st = log_topics(use->log, &use->arena, &topics, &count, error);
    if (st != WEIR_OK) {
        return st;
    }
    size_t there = count;
    count = args_has(use->args, "all") ? count : hide_internal(topics, count);
    struct totals *totals = arena_zeroed(&use->arena, (count + 1) * sizeof *totals);
    if (totals == NULL) {
        return error_no_memory(error);
    }
    for (size_t i = 0; i < count && st == WEIR_OK; i++) {
        st = sum_up(topics[i], &totals[i], error);
    }
    if (st != WEIR_OK) {
        return st;
    }
    if (use->args->is_json) {
        return list_json(topics, totals, count) == WEIR_OK ? WEIR_OK : error_no_memory(error);
    }
    if (count == 0) {
        output_printf("no topics in '%s'\n", use->log_url);
    } else {
        list_text(topics, totals, count);
    }
    tell_hidden(there - count);
    return WEIR_OK;
}

int topic_list(struct topic_use *use)
{
    struct error error = { .status = WEIR_OK };
    if (!topic_use_open(use, LOG_READ)) {
        return EXIT_FAULT;
    }
    return write_list(use, &error) == WEIR_OK ? EXIT_DONE : topic_use_fault(use, &error);
}

typedef int topic_function(struct topic_use *use);

static topic_function *function_of(const struct command *command)
{
    static const struct {
        const char *name;
        topic_function *function;
    } functions[] = {
        { "topic replay", topic_replay }, { "topic cat", topic_cat },
        { "topic put", topic_put },       { "topic describe", topic_describe },
        { "topic trim", topic_trim },     { "topic delete", topic_delete },
        { "topic create", topic_create },
    };
    for (size_t i = 0; i < sizeof functions / sizeof functions[0]; i++) {
        if (strcmp(command->name, functions[i].name) == 0) {
            return functions[i].function;
        }
    }
    return topic_list;
}

int command_topic(int argc, char **argv)
{
    struct args args;
    struct topic_use use;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    if (topic_use_init(&use, &args, &status)) {
        if (args.operand_count > 0) {
            topic_use_name(&use, args.operands[0]);
        }
        status = function_of(args.command)(&use);
    }
    topic_use_deinit(&use);
    return status;
}
