/* SPDX-License-Identifier: MIT */
#include "cli/summary.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "value/json.h"

enum { SUMMARY_LIMIT = 1 << 22 };

static double rate_of(const struct engine_report *report)
{
    return report->seconds > 0 ? (double)report->records_in / report->seconds : 0;
}

static const char *stall_label(const struct report_stall *stall)
{
    return stall->topic == NULL ? "all partitions" : stall->topic;
}

static int width_of_labels(const struct engine_report *report)
{
    size_t width = 0;
    for (size_t i = 0; i < report->source_count; i++) {
        size_t length = strlen(report->sources[i].label);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < report->end_count; i++) {
        size_t length = strlen(report->ends[i].label);
        width = length > width ? length : width;
    }
    if (report->letters.label != NULL && strlen(report->letters.label) > width) {
        width = strlen(report->letters.label);
    }
    for (size_t i = 0; i < report->drop_count; i++) {
        size_t length = strlen(report->drops[i].label);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < report->loss_count; i++) {
        size_t length = strlen(report->losses[i].topic);
        width = length > width ? length : width;
    }
    for (size_t i = 0; i < report->stall_count; i++) {
        size_t length = strlen(stall_label(&report->stalls[i]));
        width = length > width ? length : width;
    }
    return (int)width;
}

static const char *drop_word(enum on_error on_error)
{
    return on_error == ON_ERROR_SKIP ? "skipped" : "dead-lettered";
}

static void write_stall(const struct report_stall *stall, int width, weir_buffer *out)
{
    const char *doing = stall->is_over ? "stood still" : "has stood still";
    (void)buffer_printf(out, "  %-*s  ", width, stall_label(stall));
    if (stall->topic != NULL) {
        (void)buffer_printf(out, "partition %" PRIu32 " %s at offset %" PRId64, stall->partition,
                            doing, stall->offset);
    } else {
        (void)buffer_text(out, stall->is_over ? "could not be begun" : "cannot be begun");
    }
    (void)buffer_printf(out, " for %.0f s; %s\n", stall->seconds, stall->why);
}

/* Faults of the buffer are let pass: a summary without its last lines is better than none. */
static void write_text(const struct pipeline *pipeline, const struct engine_report *report,
                       bool is_complete, weir_buffer *out)
{
    int width = width_of_labels(report);
    (void)buffer_printf(out,
                        "%s: %" PRIu64 " record%s in, %" PRIu64 " out, %" PRIu64
                        " failed, in %.2f s (%.0f records/s)%s\n",
                        pipeline->name, report->records_in, report->records_in == 1 ? "" : "s",
                        report->records_out, report->failed, report->seconds, rate_of(report),
                        is_complete ? "" : "; stopped by an error");
    for (size_t i = 0; i < report->source_count; i++) {
        const struct report_source *source = &report->sources[i];
        (void)buffer_printf(out, "  %-*s  %" PRIu64 " read, %" PRIu64 " failed%s%s\n", width,
                            source->label, source->records, source->failed,
                            source->description[0] != 0 ? "; " : "", source->description);
    }
    for (size_t i = 0; i < report->end_count; i++) {
        const struct report_end *end = &report->ends[i];
        (void)buffer_printf(out,
                            "  %-*s  %" PRIu64 " in, %" PRIu64 " dropped, %" PRIu64
                            " failed, %" PRIu64 " out to %s%s%s\n",
                            width, end->label, end->taken, end->dropped, end->failed, end->arrived,
                            end->target, end->location[0] != 0 ? ": " : "", end->location);
    }
    if (report->letters.label != NULL) {
        const struct report_end *end = &report->letters;
        (void)buffer_printf(out, "  %-*s  %" PRIu64 " letter%s to %s%s%s\n", width, end->label,
                            end->arrived, end->arrived == 1 ? "" : "s", end->target,
                            end->location[0] != 0 ? ": " : "", end->location);
    }
    for (size_t i = 0; i < report->drop_count; i++) {
        const struct report_drop *drop = &report->drops[i];
        (void)buffer_printf(out, "  %-*s  %" PRIu64 " %s; the first: %s\n", width, drop->label,
                            drop->count, drop_word(drop->on_error), drop->first);
    }
    for (size_t i = 0; i < report->loss_count; i++) {
        const struct report_loss *loss = &report->losses[i];
        (void)buffer_printf(out,
                            "  %-*s  %" PRIu64
                            " offset%s lost; the broker removed them before they "
                            "were read\n",
                            width, loss->topic, loss->offsets, loss->offsets == 1 ? "" : "s");
    }
    for (size_t i = 0; i < report->stall_count; i++) {
        write_stall(&report->stalls[i], width, out);
    }
}

static void json_member(weir_buffer *out, const char *name, const char *text)
{
    (void)buffer_printf(out, "\"%s\":", name);
    (void)json_write_text(text, strlen(text), out);
}

static void write_sources_json(const struct engine_report *report, weir_buffer *out)
{
    for (size_t i = 0; i < report->source_count; i++) {
        const struct report_source *source = &report->sources[i];
        (void)buffer_text(out, i > 0 ? ",{" : "{");
        json_member(out, "label", source->label);
        (void)buffer_printf(out, ",\"read\":%" PRIu64 ",\"failed\":%" PRIu64 ",", source->records,
                            source->failed);
        json_member(out, "description", source->description);
        (void)buffer_text(out, "}");
    }
}

static void write_ends_json(const struct engine_report *report, weir_buffer *out)
{
    for (size_t i = 0; i < report->end_count; i++) {
        const struct report_end *end = &report->ends[i];
        (void)buffer_text(out, i > 0 ? ",{" : "{");
        json_member(out, "label", end->label);
        (void)buffer_printf(out,
                            ",\"in\":%" PRIu64 ",\"dropped\":%" PRIu64 ",\"failed\":%" PRIu64
                            ",\"out\":%" PRIu64 ",",
                            end->taken, end->dropped, end->failed, end->arrived);
        json_member(out, "target", end->target);
        (void)buffer_text(out, ",");
        json_member(out, "location", end->location);
        (void)buffer_text(out, "}");
    }
}

static void write_drops_json(const struct engine_report *report, weir_buffer *out)
{
    for (size_t i = 0; i < report->drop_count; i++) {
        const struct report_drop *drop = &report->drops[i];
        (void)buffer_text(out, i > 0 ? ",{" : "{");
        json_member(out, "label", drop->label);
        (void)buffer_printf(out, ",\"on_error\":\"%s\",\"failed\":%" PRIu64 ",",
                            drop->on_error == ON_ERROR_SKIP ? "skip" : "dead_letter", drop->count);
        json_member(out, "first", drop->first);
        (void)buffer_text(out, "}");
    }
}

static void write_losses_json(const struct engine_report *report, weir_buffer *out)
{
    for (size_t i = 0; i < report->loss_count; i++) {
        (void)buffer_text(out, i > 0 ? ",{" : "{");
        json_member(out, "topic", report->losses[i].topic);
        (void)buffer_printf(out, ",\"offsets\":%" PRIu64 "}", report->losses[i].offsets);
    }
}

static void write_stalls_json(const struct engine_report *report, weir_buffer *out)
{
    for (size_t i = 0; i < report->stall_count; i++) {
        const struct report_stall *stall = &report->stalls[i];
        (void)buffer_text(out, i > 0 ? ",{" : "{");
        if (stall->topic != NULL) {
            json_member(out, "topic", stall->topic);
            (void)buffer_printf(out, ",\"partition\":%" PRIu32 ",\"offset\":%" PRId64 ",",
                                stall->partition, stall->offset);
        }
        (void)buffer_printf(out, "\"seconds\":%.3f,\"over\":%s,", stall->seconds,
                            stall->is_over ? "true" : "false");
        json_member(out, "reason", stall->why);
        (void)buffer_text(out, "}");
    }
}

static void write_json(const struct pipeline *pipeline, const struct engine_report *report,
                       bool is_complete, weir_buffer *out)
{
    (void)buffer_text(out, "{\"event\":\"summary\",");
    json_member(out, "pipeline", pipeline->name);
    (void)buffer_printf(out,
                        ",\"complete\":%s,\"records_in\":%" PRIu64 ",\"records_out\":%" PRIu64
                        ",\"failed\":%" PRIu64 ",\"seconds\":%.6f,\"checkpoints\":%" PRIu64
                        ",\"sources\":[",
                        is_complete ? "true" : "false", report->records_in, report->records_out,
                        report->failed, report->seconds, report->checkpoints);
    write_sources_json(report, out);
    (void)buffer_text(out, "],\"ends\":[");
    write_ends_json(report, out);
    (void)buffer_text(out, "],\"dropped\":[");
    write_drops_json(report, out);
    (void)buffer_text(out, "],\"lost\":[");
    write_losses_json(report, out);
    (void)buffer_text(out, "],\"stalled\":[");
    write_stalls_json(report, out);
    (void)buffer_printf(out, "],\"dead_letters\":%" PRIu64 "}\n", report->letters.arrived);
}

void summary_write(const struct pipeline *pipeline, const struct engine_report *report,
                   bool is_complete, bool is_json)
{
    weir_buffer text;
    buffer_init(&text, SUMMARY_LIMIT);
    if (is_json) {
        write_json(pipeline, report, is_complete, &text);
    } else {
        write_text(pipeline, report, is_complete, &text);
    }
    fwrite(text.data, 1, (size_t)text.size, stderr);
    buffer_deinit(&text);
}
