/* SPDX-License-Identifier: MIT */
/*
 * `weir topic describe`: what is kept of a topic, and who has read it how far.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/units.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/page.h"
#include "cli/topic_use.h"

/*
 * oldest_ms   of the first message; INT64_MIN: there is none
 * is_unknown  the partition could not be asked
 */
struct row {
    struct log_partition_info info;
    int64_t oldest_ms;
    bool is_unknown;
};

enum { LAG_ROOM = 24 };

struct description {
    struct topic_use *use;
    struct log_topic *topic;
    struct log_topic_options options;
    struct log_topic_shape shape;
    struct row *rows; /* by partition */
    struct log_reader *readers;
    size_t reader_count;
    struct error partition_fault; /* the first of them; status WEIR_OK: all were asked */
    struct error reader_fault;
};

/* ---- gathering ------------------------------------------------------------------------------------- */

static weir_status look_at(struct description *d, uint32_t partition, struct error *error)
{
    struct row *row = &d->rows[partition];
    struct log_batch batch = { .count = 0 };
    row->oldest_ms = INT64_MIN;
    weir_status st = log_partition_info(d->topic, partition, &row->info, error);
    if (st != WEIR_OK || row->info.count == 0) {
        return st;
    }
    st = log_read(d->topic, partition, row->info.begin, 1, 1, &d->use->arena, &batch, error);
    if (st == WEIR_OK && batch.count > 0) {
        row->oldest_ms = batch.messages[0].timestamp;
        log_lease_end(&batch.lease);
    }
    return st;
}

/* Of a log on several machines some may be away: what the others know is told all the same. */
static void look_or_note(struct description *d, uint32_t partition)
{
    struct error error = { .status = WEIR_OK };
    d->rows[partition].is_unknown = look_at(d, partition, &error) != WEIR_OK;
    if (d->rows[partition].is_unknown && d->partition_fault.status == WEIR_OK) {
        d->partition_fault = error;
    }
}

static weir_status gather(struct description *d, struct error *error)
{
    d->rows = arena_zeroed(&d->use->arena, d->topic->partitions * sizeof *d->rows);
    if (d->rows == NULL) {
        return error_no_memory(error);
    }
    weir_status st = log_topic_options(d->topic, &d->options, error);
    st = st == WEIR_OK ? log_topic_shape(d->topic, &d->use->arena, &d->shape, error) : st;
    for (uint32_t p = 0; st == WEIR_OK && p < d->topic->partitions; p++) {
        look_or_note(d, p);
    }
    if (st == WEIR_OK) {
        (void)log_readers(d->topic, NULL, &d->use->arena, &d->readers, &d->reader_count,
                          &d->reader_fault);
    }
    return st;
}

/* unknown: its text where the partition could not be asked */
static const char *lag_text(const struct description *d, const struct log_reader *reader,
                            const char *unknown, char room[LAG_ROOM])
{
    const struct row *row = &d->rows[reader->partition];
    int64_t lag = row->info.committed_end - reader->position;
    snprintf(room, LAG_ROOM, "%" PRId64, lag < 0 ? 0 : lag);
    return row->is_unknown ? unknown : room;
}

/* ---- text ------------------------------------------------------------------------------------------ */

enum { TIME_ROOM = 64 };

static const char *time_text(int64_t ms, char room[TIME_ROOM])
{
    if (ms == INT64_MIN) {
        return "-";
    }
    room[units_format_time(ms, 3, room)] = '\0';
    return room;
}

static void print_options(const struct log_topic_options *options)
{
    char time[UNITS_ROOM];
    char size[UNITS_ROOM];
    char tombstones[UNITS_ROOM];
    units_format_duration(options->retention_ms, time);
    units_format_size(options->retention_bytes, size);
    units_format_duration(options->tombstone_ms, tombstones);
    output_printf("retention:            %s\n", options->retention_ms > 0 ? time : "for ever");
    output_printf("retention_size:       %s\n", options->retention_bytes > 0 ? size : "no limit");
    output_printf("compact:              %s\n", options->is_compacted ? "true" : "false");
    if (options->is_compacted) {
        output_printf("tombstone_retention:  %s\n", tombstones);
    }
}

/* As `topic create --config` takes them. */
static void print_shape(const struct log_topic_shape *shape)
{
    if (shape->replication > 0) {
        output_printf("replication:          %" PRIu32 "\n", shape->replication);
    }
    for (size_t i = 0; i < shape->setting_count; i++) {
        const struct log_topic_setting *setting = &shape->settings[i];
        output_printf("%-22s%s=%s\n", i == 0 ? "config:" : "", setting->name,
                      setting->value == NULL ? "(not shown)" : setting->value);
    }
}

static void print_partitions(const struct description *d)
{
    output_printf("\n%9s  %12s  %12s  %12s  %14s  %-24s  %s\n", "partition", "first", "next",
                  "records", "bytes", "oldest", "newest");
    for (uint32_t p = 0; p < d->topic->partitions; p++) {
        const struct row *row = &d->rows[p];
        char oldest[TIME_ROOM];
        char newest[TIME_ROOM];
        char bytes[TOPIC_BYTES_ROOM];
        if (row->is_unknown) {
            output_printf("%9" PRIu32 "  %12s  %12s  %12s  %14s  %-24s  %s\n", p, "-", "-", "-",
                          "-", "-", "-");
            continue;
        }
        output_printf("%9" PRIu32 "  %12" PRId64 "  %12" PRId64 "  %12" PRId64
                      "  %14s  %-24s  %s\n",
                      p, row->info.begin, row->info.committed_end, row->info.count,
                      topic_bytes(row->info.bytes, "-", bytes), time_text(row->oldest_ms, oldest),
                      time_text(row->info.count > 0 ? row->info.peak : INT64_MIN, newest));
    }
}

static void print_readers(const struct description *d)
{
    int width = (int)strlen("pipeline");
    for (size_t i = 0; i < d->reader_count; i++) {
        int len = (int)strlen(d->readers[i].group);
        width = len > width ? len : width;
    }
    if (d->reader_fault.status != WEIR_OK) {
        return;
    }
    if (d->reader_count == 0) {
        output_printf("\nno pipeline has read it\n");
        return;
    }
    output_printf("\n%-*s  %9s  %12s  %12s\n", width, "pipeline", "partition", "position", "lag");
    for (size_t i = 0; i < d->reader_count; i++) {
        const struct log_reader *reader = &d->readers[i];
        char lag[LAG_ROOM];
        output_printf("%-*s  %9" PRIu32 "  %12" PRId64 "  %12s\n", width, reader->group,
                      reader->partition, reader->position, lag_text(d, reader, "-", lag));
    }
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static void write_time(struct page *page, const char *name, int64_t ms)
{
    char room[TIME_ROOM];
    page_printf(page, ",\"%s\":", name);
    if (ms == INT64_MIN) {
        page_text(page, "null");
    } else {
        page_json(page, time_text(ms, room));
    }
}

/* Of a log that has such. */
static void write_shape(struct page *page, const struct log_topic_shape *shape)
{
    if (shape->replication == 0) {
        return;
    }
    page_printf(page, "\"replication\":%" PRIu32 ",\"config\":{", shape->replication);
    for (size_t i = 0; i < shape->setting_count; i++) {
        page_text(page, i > 0 ? "," : "");
        page_json(page, shape->settings[i].name);
        page_text(page, ":");
        if (shape->settings[i].value == NULL) {
            page_text(page, "null");
        } else {
            page_json(page, shape->settings[i].value);
        }
    }
    page_text(page, "},\n");
}

static void write_json(struct page *page, const struct description *d)
{
    page_text(page, "{\"topic\":");
    page_json(page, d->topic->name);
    page_printf(page,
                ",\"options\":{\"retention_ms\":%" PRId64 ",\"retention_bytes\":%" PRId64
                ",\"compact\":%s,\"tombstone_retention_ms\":%" PRId64 "},\n",
                d->options.retention_ms, d->options.retention_bytes,
                d->options.is_compacted ? "true" : "false", d->options.tombstone_ms);
    write_shape(page, &d->shape);
    page_text(page, "\"partitions\":[");
    for (uint32_t p = 0; p < d->topic->partitions; p++) {
        const struct row *row = &d->rows[p];
        char bytes[TOPIC_BYTES_ROOM];
        if (row->is_unknown) {
            page_printf(page, "%s\n{\"partition\":%" PRIu32 "}", p > 0 ? "," : "", p);
            continue;
        }
        page_printf(page,
                    "%s\n{\"partition\":%" PRIu32 ",\"first\":%" PRId64 ",\"next\":%" PRId64
                    ",\"records\":%" PRId64 ",\"bytes\":%s",
                    p > 0 ? "," : "", p, row->info.begin, row->info.committed_end, row->info.count,
                    topic_bytes(row->info.bytes, "null", bytes));
        write_time(page, "oldest", row->oldest_ms);
        write_time(page, "newest", row->info.count > 0 ? row->info.peak : INT64_MIN);
        page_text(page, "}");
    }
    if (d->reader_fault.status != WEIR_OK) {
        page_text(page, "],\n\"pipelines\":null}\n");
        return;
    }
    page_text(page, "],\n\"pipelines\":[");
    for (size_t i = 0; i < d->reader_count; i++) {
        const struct log_reader *reader = &d->readers[i];
        char lag[LAG_ROOM];
        page_text(page, i > 0 ? ",\n{\"pipeline\":" : "\n{\"pipeline\":");
        page_json(page, reader->group);
        page_printf(page, ",\"partition\":%" PRIu32 ",\"position\":%" PRId64 ",\"lag\":%s}",
                    reader->partition, reader->position, lag_text(d, reader, "null", lag));
    }
    page_text(page, "]}\n");
}

/* ---- the command ----------------------------------------------------------------------------------- */

/* What is missing in what was told. */
static int finish(const struct description *d, int status)
{
    const struct error *faults[] = { &d->partition_fault, &d->reader_fault };
    for (size_t i = 0; i < sizeof faults / sizeof faults[0]; i++) {
        if (faults[i]->status != WEIR_OK) {
            status = topic_use_fault(d->use, faults[i]);
        }
    }
    return status;
}

int topic_describe(struct topic_use *use)
{
    struct error error = { .status = WEIR_OK };
    if (!topic_use_open(use, LOG_READ) || !topic_use_find(use)) {
        return EXIT_FAULT;
    }
    struct description d = { .use = use, .topic = use->log_topic };
    if (gather(&d, &error) != WEIR_OK) {
        return topic_use_fault(use, &error);
    }
    if (use->args->is_json) {
        weir_buffer out;
        struct page page = { .out = &out };
        buffer_init(&out, UINT64_MAX);
        write_json(&page, &d);
        return finish(&d, topic_use_write(use, &page));
    }
    output_printf("topic '%s' in '%s'\n\n", d.topic->name, use->log_url);
    print_options(&d.options);
    print_shape(&d.shape);
    print_partitions(&d);
    print_readers(&d);
    return finish(&d, EXIT_DONE);
}
