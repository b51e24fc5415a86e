/* SPDX-License-Identifier: MIT */
#include "cli/dry_run.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/buffer.h"
#include "base/logger.h"
#include "cli/cli.h"
#include "cli/output.h"
#include "cli/page.h"
#include "engine/dry_run.h"

enum { FAULTS_LIMIT = 1 << 24 };

/* ---- text ------------------------------------------------------------------------------------------ */

static int width_of(const struct dry_run *dry)
{
    size_t width = strlen("topic");
    for (size_t i = 0; i < dry->topic_count; i++) {
        size_t len = strlen(dry->topics[i].name);
        width = len > width ? len : width;
    }
    return (int)width;
}

/* How a topic is made on Kafka, behind "would be created". */
static void write_plan(struct page *page, const struct pipeline *pipeline,
                       const struct dry_topic *topic)
{
    const struct kafka_topic_plan *plan = kafka_topic_plan_find(&pipeline->kafka, topic->name);
    if (plan != NULL && plan->replication > 0) {
        page_printf(page, ", replication %" PRId32, plan->replication);
    }
    for (size_t i = 0; plan != NULL && i < plan->config_count; i++) {
        page_printf(page, ", %s=%s", plan->config[i].name, plan->config[i].value);
    }
}

static void write_topic(struct page *page, const struct pipeline *pipeline,
                        const struct dry_topic *topic, int width)
{
    page_printf(page, "%-*s  %10" PRIu32 "  ", width, topic->name, topic->partitions);
    if (topic->is_left_out) {
        page_text(page, "is not needed");
    } else if (topic->is_hidden) {
        page_text(page, "cannot be seen");
    } else if (topic->is_refused) {
        page_text(page, "cannot be created");
    } else if (!topic->is_there) {
        page_text(page, "would be created");
        write_plan(page, pipeline, topic);
    } else if (topic->differences != NULL) {
        page_printf(page, "is there and stays as it is: %s", topic->differences);
    } else {
        page_text(page, "is there");
    }
    page_text(page, "\n");
}

static void write_note(struct page *page, const struct dry_partition *part)
{
    if (!part->has_position) {
        page_text(page, "  not read before");
    } else if (part->was >= 0) {
        page_printf(page, "  instead of %" PRId64 ", which is not there any more", part->was);
    }
}

/* Nothing where the run could not go on there. */
static int64_t to_read(const struct dry_partition *part)
{
    return part->position < part->next ? part->next - part->position : 0;
}

static void write_reads(struct page *page, const struct dry_topic *topic, int width)
{
    for (uint32_t p = 0; topic->reads != NULL && p < topic->partitions; p++) {
        const struct dry_partition *part = &topic->reads[p];
        page_printf(page, "%-*s  %10" PRIu32 "  %12" PRId64 "  %12" PRId64 "  %12" PRId64, width,
                    topic->name, p, part->position, part->next, to_read(part));
        write_note(page, part);
        page_text(page, "\n");
    }
}

static void write_text(struct page *page, const struct pipeline *pipeline,
                       const struct dry_run *dry)
{
    int width = width_of(dry);
    page_printf(page, "pipeline '%s' on '%s'%s; nothing was changed\n\n", pipeline->name,
                dry->log_name, dry->is_log_there ? "" : ", which would be created");
    page_printf(page, "%-*s  %10s\n", width, "topic", "partitions");
    for (size_t i = 0; i < dry->topic_count; i++) {
        write_topic(page, pipeline, &dry->topics[i], width);
    }
    page_printf(page, "\n%-*s  %10s  %12s  %12s  %12s\n", width, "reads", "partition", "position",
                "end", "to read");
    for (size_t i = 0; i < dry->topic_count; i++) {
        write_reads(page, &dry->topics[i], width);
    }
    if (dry->group.state != NULL) {
        page_printf(page, "\ngroup '%s': %s, %zu member%s\n", pipeline->name, dry->group.state,
                    dry->group.member_count, dry->group.member_count == 1 ? "" : "s");
    }
    page_text(page, "\nnot tried: sources, sinks\n");
}

/* ---- JSON ------------------------------------------------------------------------------------------ */

static const char *truth(bool value)
{
    return value ? "true" : "false";
}

static void write_json_topic(struct page *page, const struct dry_topic *topic)
{
    page_text(page, "{\"topic\":");
    page_json(page, topic->name);
    page_printf(page, ",\"partitions\":%" PRIu32 ",\"exists\":%s,\"needed\":%s,\"differences\":",
                topic->partitions, topic->is_hidden ? "null" : truth(topic->is_there),
                truth(!topic->is_left_out));
    if (topic->differences != NULL) {
        page_json(page, topic->differences);
    } else {
        page_text(page, "null");
    }
    page_text(page, ",\"reads\":[");
    for (uint32_t p = 0; topic->reads != NULL && p < topic->partitions; p++) {
        const struct dry_partition *part = &topic->reads[p];
        page_printf(page,
                    "%s{\"partition\":%" PRIu32 ",\"position\":%" PRId64 ",\"committed\":%s"
                    ",\"end\":%" PRId64 ",\"to_read\":%" PRId64,
                    p > 0 ? "," : "", p, part->position, truth(part->has_position), part->next,
                    to_read(part));
        if (part->was >= 0) {
            page_printf(page, ",\"was\":%" PRId64, part->was);
        }
        page_text(page, "}");
    }
    page_text(page, "]}");
}

static void write_json(struct page *page, const struct pipeline *pipeline,
                       const struct dry_run *dry)
{
    page_text(page, "{\"pipeline\":");
    page_json(page, pipeline->name);
    page_text(page, ",\"log\":");
    page_json(page, dry->log_name);
    page_printf(page, ",\"log_exists\":%s,\"topics\":[", truth(dry->is_log_there));
    for (size_t i = 0; i < dry->topic_count; i++) {
        page_text(page, i > 0 ? ",\n" : "\n");
        write_json_topic(page, &dry->topics[i]);
    }
    page_text(page, "],\n\"group\":");
    if (dry->group.state != NULL) {
        page_text(page, "{\"state\":");
        page_json(page, dry->group.state);
        page_printf(page, ",\"members\":%zu}", dry->group.member_count);
    } else {
        page_text(page, "null");
    }
    page_text(page, ",\n\"faults\":[");
    for (size_t i = 0; i < dry->faults.count; i++) {
        page_text(page, i > 0 ? ",\n" : "\n");
        diagnostic_write_json(&dry->faults.list[i], page->out);
    }
    page_text(page, "]}\n");
}

/* ---- the command ----------------------------------------------------------------------------------- */

static int tell_fault(const struct error *error)
{
    logger_write(LOGGER_ERROR, NULL, "%s%s%s", error->message, error->hint[0] != 0 ? "; " : "",
                 error->hint);
    return error->asks_restart ? EXIT_RETRY : EXIT_FAULT;
}

/* To standard error, as `weir check` tells what is wrong with the file. */
static void tell_faults(const struct dry_run *dry, bool has_color)
{
    weir_buffer text;
    buffer_init(&text, FAULTS_LIMIT);
    for (size_t i = 0; i < dry->faults.count; i++) {
        diagnostic_write(&dry->faults.list[i], has_color, &text);
    }
    if (dry->faults.count > 0) {
        (void)buffer_printf(&text, "%zu fault%s on '%s'\n", dry->faults.count,
                            dry->faults.count == 1 ? "" : "s", dry->log_name);
        fwrite(text.data, 1, (size_t)text.size, stderr);
    }
    buffer_deinit(&text);
}

static weir_status tell(const struct pipeline *pipeline, struct dry_run *dry,
                        const struct args *args)
{
    weir_buffer out;
    struct page page = { .out = &out };
    buffer_init(&out, UINT64_MAX);
    diagnostics_sort(&dry->faults);
    if (args->is_json) {
        write_json(&page, pipeline, dry);
    } else {
        write_text(&page, pipeline, dry);
    }
    if (page.status == WEIR_OK) {
        output_write(out.data, (size_t)out.size);
    }
    buffer_deinit(&out);
    if (!args->is_json) {
        output_flush();
        tell_faults(dry, args->has_color_err);
    }
    return page.status;
}

int dry_run(struct pipeline *pipeline, const struct engine_options *options,
            const struct diagnostics *diagnostics, const struct args *args)
{
    struct error error = { .status = WEIR_OK };
    struct dry_run dry;
    size_t faults = 0;
    if (dry_run_make(pipeline, options, &dry, &error) == WEIR_OK) {
        faults = dry.faults.count;
        dry.faults.hidden = diagnostics->hidden;
        if (tell(pipeline, &dry, args) != WEIR_OK) {
            error_no_memory(&error);
        }
    }
    dry_run_deinit(&dry);
    if (error.status != WEIR_OK) {
        return tell_fault(&error);
    }
    return faults == 0 ? EXIT_DONE : EXIT_FAULT;
}
