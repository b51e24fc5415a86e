/* SPDX-License-Identifier: MIT */
/*
 * `weir topic trim` and `weir topic delete`: removing messages for good. What a pipeline has not read
 * goes only where that is said.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/topic_place.h"
#include "cli/topic_use.h"
#include "kafka/address.h"

/* One `trim`: where each partition is to begin. */
struct trim {
    struct topic_use *use;
    struct topic_place place;
    uint32_t first_partition;
    uint32_t end_partition;
    int64_t *before; /* by partition */
    struct log_partition_info *infos;
    struct log_reader *readers;
    size_t reader_count;
};

static weir_status gather_readers(struct topic_use *use, struct log_reader **ret_readers,
                                  size_t *ret_count, struct error *error)
{
    return log_readers(use->log_topic, NULL, &use->arena, ret_readers, ret_count, error);
}

/* ---- trim: what is to go --------------------------------------------------------------------------- */

static weir_status check_offset(const struct trim *trim, uint32_t partition, struct error *error)
{
    const struct log_partition_info *info = &trim->infos[partition];
    if (trim->before[partition] <= info->committed_end) {
        return WEIR_OK;
    }
    weir_status st =
        error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                  "the topic '%s' partition %" PRIu32 " ends at offset %" PRId64 ", offset %" PRId64
                  " lies behind",
                  trim->use->name, partition, info->committed_end, trim->before[partition]);
    error_hint(error, "'--before end' removes all that there is");
    return st;
}

static weir_status find_places(struct trim *trim, struct error *error)
{
    struct topic_use *use = trim->use;
    uint32_t count = use->log_topic->partitions;
    trim->before = arena_zeroed(&use->arena, count * sizeof *trim->before);
    trim->infos = arena_zeroed(&use->arena, count * sizeof *trim->infos);
    if (trim->before == NULL || trim->infos == NULL) {
        return error_no_memory(error);
    }
    weir_status st = gather_readers(use, &trim->readers, &trim->reader_count, error);
    for (uint32_t p = trim->first_partition; st == WEIR_OK && p < trim->end_partition; p++) {
        st = log_partition_info(use->log_topic, p, &trim->infos[p], error);
        if (st == WEIR_OK) {
            st = topic_place_find(&trim->place, use->log_topic, p, &trim->before[p], error);
        }
        if (st == WEIR_OK) {
            st = check_offset(trim, p, error);
        }
        if (trim->before[p] < trim->infos[p].begin) {
            trim->before[p] = trim->infos[p].begin;
        }
    }
    return st;
}

static bool is_left_behind(const struct trim *trim, const struct log_reader *reader)
{
    return reader->partition >= trim->first_partition && reader->partition < trim->end_partition &&
           reader->position < trim->before[reader->partition];
}

/* The first pipeline that has not read what is to go. */
static weir_status check_unread(const struct trim *trim, struct error *error)
{
    for (size_t i = 0; i < trim->reader_count; i++) {
        const struct log_reader *reader = &trim->readers[i];
        if (!is_left_behind(trim, reader)) {
            continue;
        }
        weir_status st = error_set(
            error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
            "pipeline '%s' has read partition %" PRIu32 " up to offset %" PRId64
            " only, and all before offset %" PRId64 " is to go",
            reader->group, reader->partition, reader->position, trim->before[reader->partition]);
        error_hint(error, "run it first; with --unread it goes on behind them and never sees them");
        return st;
    }
    return WEIR_OK;
}

/* ---- trim: what has gone --------------------------------------------------------------------------- */

static void print_partition(const struct trim *trim, uint32_t partition)
{
    int64_t begin = trim->infos[partition].begin;
    int64_t before = trim->before[partition];
    if (before > begin) {
        output_printf("partition %" PRIu32 ": removed offsets %" PRId64 " to %" PRId64 "\n",
                      partition, begin, before - 1);
    } else {
        output_printf("partition %" PRIu32 ": nothing to remove, it begins at offset %" PRId64 "\n",
                      partition, begin);
    }
}

static void print_trim(const struct trim *trim)
{
    output_printf("topic '%s'\n", trim->use->name);
    for (uint32_t p = trim->first_partition; p < trim->end_partition; p++) {
        print_partition(trim, p);
    }
    for (size_t i = 0; i < trim->reader_count; i++) {
        const struct log_reader *reader = &trim->readers[i];
        if (is_left_behind(trim, reader)) {
            output_printf("pipeline '%s' goes on at offset %" PRId64 " of partition %" PRIu32
                          " instead of %" PRId64 "\n",
                          reader->group, trim->before[reader->partition], reader->partition,
                          reader->position);
        }
    }
}

static void write_trim(struct page *page, const struct trim *trim)
{
    page_text(page, "{\"topic\":");
    page_json(page, trim->use->log_name);
    page_text(page, ",\"partitions\":[");
    for (uint32_t p = trim->first_partition; p < trim->end_partition; p++) {
        page_printf(page,
                    "%s\n{\"partition\":%" PRIu32 ",\"first\":%" PRId64 ",\"was\":%" PRId64 "}",
                    p > trim->first_partition ? "," : "", p, trim->before[p], trim->infos[p].begin);
    }
    page_text(page, "],\n\"moved\":[");
    const char *comma = "";
    for (size_t i = 0; i < trim->reader_count; i++) {
        const struct log_reader *reader = &trim->readers[i];
        if (is_left_behind(trim, reader)) {
            page_printf(page, "%s\n{\"pipeline\":", comma);
            page_json(page, reader->group);
            page_printf(page,
                        ",\"partition\":%" PRIu32 ",\"position\":%" PRId64 ",\"was\":%" PRId64 "}",
                        reader->partition, trim->before[reader->partition], reader->position);
            comma = ",";
        }
    }
    page_text(page, "]}\n");
}

static int tell_trim(const struct trim *trim)
{
    if (!trim->use->args->is_json) {
        print_trim(trim);
        return EXIT_DONE;
    }
    weir_buffer out;
    struct page page = { .out = &out };
    buffer_init(&out, UINT64_MAX);
    write_trim(&page, trim);
    return topic_use_write(trim->use, &page);
}

static weir_status run_trim(struct trim *trim, struct error *error)
{
    struct topic_use *use = trim->use;
    weir_status st = find_places(trim, error);
    if (st == WEIR_OK && !args_has(use->args, "unread")) {
        st = check_unread(trim, error);
    }
    for (uint32_t p = trim->first_partition; st == WEIR_OK && p < trim->end_partition; p++) {
        st = log_trim(use->log_topic, p, trim->before[p], error);
    }
    return st;
}

int topic_trim(struct topic_use *use)
{
    struct error error = { .status = WEIR_OK };
    struct trim trim = { .use = use };
    if (!args_has(use->args, "before")) {
        return args_fault(use->args,
                          "'weir topic trim NAME --before 1000' removes offsets 0 to 999",
                          "needs --before, an offset, a time, or end");
    }
    if (!topic_place_read(use->args, "before", &trim.place)) {
        return EXIT_USAGE;
    }
    if (!topic_use_there(use) || !topic_use_open(use, LOG_WRITE) || !topic_use_find(use) ||
        !topic_use_partitions(use, &trim.first_partition, &trim.end_partition)) {
        return EXIT_FAULT;
    }
    return run_trim(&trim, &error) == WEIR_OK ? tell_trim(&trim) : topic_use_fault(use, &error);
}

/* ---- delete ---------------------------------------------------------------------------------------- */

/* Kafka's own begin with two underscores, as '__consumer_offsets'; no flag is meant for them. */
static bool check_own(const struct topic_use *use)
{
    struct error error = { .status = WEIR_OK };
    if (!kafka_address_is_meant(use->log_url) || strncmp(use->log_name, "__", 2) != 0) {
        return true;
    }
    error_set(&error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "the topic '%s' is Kafka's own, with what it knows of groups or transactions",
              use->log_name);
    topic_use_fault(use, &error);
    return false;
}

static bool check_internal(const struct topic_use *use)
{
    struct error error = { .status = WEIR_OK };
    if (!topic_is_internal(use->log_name) || args_has(use->args, "internal")) {
        return true;
    }
    error_set(&error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
              "the topic '%s' belongs to a pipeline, which may have messages in it that it has yet "
              "to process",
              use->log_name);
    error_hint(&error, "--internal deletes the topic nevertheless");
    topic_use_fault(use, &error);
    return false;
}

static bool reads(const struct log_group_member *member, const char *topic)
{
    for (size_t i = 0; i < member->topic_count; i++) {
        if (strcmp(member->topics[i], topic) == 0) {
            return true;
        }
    }
    return false;
}

/* Of groups on brokers; nobody else opens an embedded log for writing. */
static weir_status check_group(struct topic_use *use, const char *name, struct error *error)
{
    struct log_group group;
    weir_status st = log_group_look(use->log, name, &use->arena, &group, error);
    for (size_t i = 0; st == WEIR_OK && i < group.member_count; i++) {
        if (reads(&group.members[i], use->log_name)) {
            error_set(error, WEIR_E_INVALID, WEIR_CLASS_CONFIG,
                      "pipeline '%s' reads the topic '%s' and runs, as '%s' at '%s'", name,
                      use->log_name, group.members[i].name, group.members[i].host);
            error_hint(error, "stop all of its processes first; one that was killed counts for as "
                              "long as its 'session.timeout.ms' says");
            st = WEIR_E_INVALID;
        }
    }
    return st;
}

static weir_status check_readers(struct topic_use *use, const struct log_reader *readers,
                                 size_t count, struct error *error)
{
    weir_status st = WEIR_OK;
    for (size_t i = 0; st == WEIR_OK && i < count; i++) {
        if (i == 0 || strcmp(readers[i].group, readers[i - 1].group) != 0) {
            st = check_group(use, readers[i].group, error);
        }
    }
    return st;
}

static int tell_delete(const struct topic_use *use, int64_t records,
                       const struct log_reader *readers, size_t count)
{
    weir_buffer out;
    struct page page = { .out = &out };
    buffer_init(&out, UINT64_MAX);
    if (use->args->is_json) {
        page_text(&page, "{\"topic\":");
        page_json(&page, use->log_name);
        page_printf(&page, ",\"records\":%" PRId64 ",\"pipelines\":[", records);
    } else {
        page_printf(&page, "deleted topic '%s' with %" PRId64 " record%s\n", use->log_name, records,
                    records == 1 ? "" : "s");
    }
    for (size_t i = 0; i < count; i++) {
        if (use->args->is_json) {
            page_text(&page, i > 0 ? ",\n{\"pipeline\":" : "\n{\"pipeline\":");
            page_json(&page, readers[i].group);
            page_printf(&page, ",\"partition\":%" PRIu32 ",\"position\":%" PRId64 "}",
                        readers[i].partition, readers[i].position);
        } else {
            page_printf(&page,
                        "pipeline '%s' has read partition %" PRIu32 " of it up to offset %" PRId64
                        "; that is forgotten\n",
                        readers[i].group, readers[i].partition, readers[i].position);
        }
    }
    page_text(&page, use->args->is_json ? "]}\n" : "");
    return topic_use_write(use, &page);
}

static weir_status count_records(struct log_topic *topic, int64_t *ret_records, struct error *error)
{
    weir_status st = WEIR_OK;
    *ret_records = 0;
    for (uint32_t p = 0; st == WEIR_OK && p < topic->partitions; p++) {
        struct log_partition_info info;
        st = log_partition_info(topic, p, &info, error);
        *ret_records += st == WEIR_OK ? info.count : 0;
    }
    return st;
}

int topic_delete(struct topic_use *use)
{
    struct error error = { .status = WEIR_OK };
    struct log_reader *readers = NULL;
    size_t count = 0;
    int64_t records = 0;
    if (!check_own(use) || !check_internal(use) || !topic_use_there(use) ||
        !topic_use_open(use, LOG_WRITE) || !topic_use_find(use)) {
        return EXIT_FAULT;
    }
    weir_status st = gather_readers(use, &readers, &count, &error);
    if (st == WEIR_OK) {
        st = check_readers(use, readers, count, &error);
    }
    if (st == WEIR_OK) {
        st = count_records(use->log_topic, &records, &error);
    }
    if (st == WEIR_OK) {
        st = log_topic_drop(use->log_topic, &error);
    }
    return st == WEIR_OK ? tell_delete(use, records, readers, count) : topic_use_fault(use, &error);
}
