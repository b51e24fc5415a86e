/* SPDX-License-Identifier: MIT */
/*
 * What a run has measured, beside the plan that it followed. Shares are of the time that workers were
 * busy, so all of them together are at most 100 %.
 */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "cli/explain.h"
#include "value/json.h"

enum { TIME_ROOM = 24 };

static const struct report_timing *timing_of(const struct explanation *e)
{
    return e->report == NULL ? NULL : e->report->timing;
}

/* "12.3 ms" */
static const char *time_text(double ns, char room[TIME_ROOM])
{
    static const struct {
        double ns;
        const char *name;
    } units[] = { { 1e9, "s" }, { 1e6, "ms" }, { 1e3, "us" } };
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (ns >= units[i].ns) {
            snprintf(room, TIME_ROOM, "%.1f %s", ns / units[i].ns, units[i].name);
            return room;
        }
    }
    snprintf(room, TIME_ROOM, "%.0f ns", ns);
    return room;
}

/* A thread that did not come back is in a turn that is not counted, but its calls are. */
static double busy_ns(const struct explanation *e)
{
    const struct report_timing *timing = timing_of(e);
    uint64_t parts = timing->read.ns + timing->append.ns;
    for (uint32_t i = 0; i < e->plan->node_count; i++) {
        parts += timing->nodes[i].time.ns;
    }
    return (double)(parts > timing->turns.ns ? parts : timing->turns.ns);
}

static double share_of(const struct explanation *e, uint64_t ns)
{
    double busy = busy_ns(e);
    return busy > 0 ? (double)ns / busy : 0;
}

static double each_ns(uint64_t ns, uint64_t records)
{
    return records > 0 ? (double)ns / (double)records : 0;
}

static bool has_numbers(const struct plan_node *node)
{
    return node->kind != PLAN_BRANCH && node->kind != PLAN_MERGE;
}

/* What cannot be written at an end's topic is counted at the end. */
static bool has_losses(const struct plan_node *node)
{
    return has_numbers(node) && node->kind != PLAN_WRITE;
}

/* ---- text -------------------------------------------------------------------------------------- */

void explain_time_head(struct pen *pen, const struct explanation *e)
{
    if (timing_of(e) != NULL) {
        pen_printf(pen, "  %9s %5s %9s %10s %10s %9s %8s\n", "time", "share", "a record", "in",
                   "out", "dropped", "failed");
    }
}

void explain_time_node(struct pen *pen, const struct explanation *e, uint32_t number)
{
    const struct plan_node *plan_node = &e->plan->nodes[number];
    if (timing_of(e) == NULL) {
        return;
    }
    if (!has_numbers(plan_node)) {
        pen_printf(pen, "  %66s", "");
        return;
    }
    char total[TIME_ROOM] = "";
    char each[TIME_ROOM] = "";
    char share[TIME_ROOM] = "";
    const struct report_node *node = &timing_of(e)->nodes[number];
    if (node->time.calls > 0) {
        time_text((double)node->time.ns, total);
        time_text(each_ns(node->time.ns, node->in), each);
        snprintf(share, sizeof share, "%.0f %%", share_of(e, node->time.ns) * 100);
    }
    pen_printf(pen, "  %9s %5s %9s %10" PRIu64 " %10" PRIu64, total, share, each, node->in,
               node->out);
    if (has_losses(plan_node)) {
        pen_printf(pen, " %9" PRIu64 " %8" PRIu64, node->dropped, node->failed);
    } else {
        pen_printf(pen, " %18s", "");
    }
}

static void write_part(struct pen *pen, const struct explanation *e, const char *name, uint64_t ns)
{
    char time[TIME_ROOM];
    pen_printf(pen, "%s %s (%.0f %%)", name, time_text((double)ns, time), share_of(e, ns) * 100);
}

static void write_workers(struct pen *pen, const struct explanation *e)
{
    const struct report_timing *timing = timing_of(e);
    char busy[TIME_ROOM];
    char all[TIME_ROOM];
    double all_ns = e->report->seconds * 1e9 * timing->worker_count;
    uint64_t plugins = 0;
    for (uint32_t i = 0; i < e->plan->node_count; i++) {
        plugins += timing->nodes[i].time.ns;
    }
    uint64_t known = plugins + timing->read.ns + timing->append.ns;
    double rest = busy_ns(e) - (double)known;
    pen_printf(pen, "  %u worker%s, busy %s of %s: ", timing->worker_count,
               timing->worker_count == 1 ? "" : "s", time_text(busy_ns(e), busy),
               time_text(all_ns, all));
    write_part(pen, e, "plugins", plugins);
    write_part(pen, e, ", reading the log", timing->read.ns);
    write_part(pen, e, ", appending to it", timing->append.ns);
    write_part(pen, e, ", weir itself", rest > 0 ? (uint64_t)rest : 0);
    pen_text(pen, "\n");
}

static void write_slots(struct pen *pen, const struct report_lane *lane)
{
    char time[TIME_ROOM];
    char longest[TIME_ROOM];
    pen_printf(pen, "  %s: %" PRIu64 " record%s\n", lane->label, lane->records,
               lane->records == 1 ? "" : "s");
    for (uint32_t i = 0; i < lane->slot_count; i++) {
        const struct report_slot *slot = &lane->slots[i];
        pen_printf(pen, "    %-8s  %9s in %" PRIu64 " call%s, the longest %s", slot->name,
                   time_text((double)slot->time.ns, time), slot->time.calls,
                   slot->time.calls == 1 ? "" : "s",
                   time_text((double)slot->time.longest_ns, longest));
        if (lane->records > 0 && i == 0) {
            pen_printf(pen, "; %s a record",
                       time_text(each_ns(slot->time.ns, lane->records), time));
        }
        pen_text(pen, "\n");
    }
}

static void write_queue(struct pen *pen, const struct report_timing *timing,
                        const struct report_lane *lane)
{
    char time[TIME_ROOM];
    pen_printf(pen, "    queue     at most %u of %u batches", lane->highest_fill,
               timing->queue_size);
    if (lane->full.calls > 0) {
        pen_printf(pen, "; full %" PRIu64 " time%s, tasks waited %s", lane->full.calls,
                   lane->full.calls == 1 ? "" : "s", time_text((double)lane->full.ns, time));
    }
    pen_text(pen, "\n");
    if (lane->retries.calls > 0) {
        pen_printf(pen, "    retries   %" PRIu64 ", after waits of %s\n", lane->retries.calls,
                   time_text((double)lane->retries.ns, time));
    }
}

static void write_checkpoints(struct pen *pen, const struct report_timing *timing)
{
    char mean[TIME_ROOM];
    char longest[TIME_ROOM];
    const struct lap *all = &timing->checkpoints;
    pen_printf(pen, "  %" PRIu64 " checkpoint%s", all->calls, all->calls == 1 ? "" : "s");
    if (all->calls == 0) {
        pen_text(pen, "\n");
        return;
    }
    pen_printf(pen, ", %s in the mean, the longest %s\n",
               time_text(each_ns(all->ns, all->calls), mean),
               time_text((double)all->longest_ns, longest));
    for (size_t i = 0; i < sizeof timing->steps / sizeof timing->steps[0]; i++) {
        const struct lap *step = &timing->steps[i].time;
        pen_printf(pen, "    %-8s  %9s in the mean, the longest %s\n", timing->steps[i].name,
                   time_text(each_ns(step->ns, step->calls), mean),
                   time_text((double)step->longest_ns, longest));
    }
}

void explain_time_text(struct pen *pen, const struct explanation *e)
{
    const struct report_timing *timing = timing_of(e);
    if (timing == NULL) {
        return;
    }
    pen_text(pen, "\ntime\n");
    write_workers(pen, e);
    for (size_t i = 0; i < timing->source_count; i++) {
        write_slots(pen, &timing->sources[i]);
    }
    for (size_t i = 0; i < timing->sink_count; i++) {
        write_slots(pen, &timing->sinks[i]);
        write_queue(pen, timing, &timing->sinks[i]);
    }
    write_checkpoints(pen, timing);
}

/* ---- JSON -------------------------------------------------------------------------------------- */

static void write_lap(struct pen *pen, const char *name, const struct lap *lap)
{
    pen_printf(pen, ",\"%s\":{\"calls\":%" PRIu64 ",\"ns\":%" PRIu64 ",\"longest_ns\":%" PRIu64 "}",
               name, lap->calls, lap->ns, lap->longest_ns);
}

void explain_time_node_json(struct pen *pen, const struct explanation *e, uint32_t number)
{
    const struct plan_node *plan_node = &e->plan->nodes[number];
    if (timing_of(e) == NULL || !has_numbers(plan_node)) {
        return;
    }
    const struct report_node *node = &timing_of(e)->nodes[number];
    pen_printf(pen, ",\"measured\":{\"in\":%" PRIu64 ",\"out\":%" PRIu64, node->in, node->out);
    if (has_losses(plan_node)) {
        pen_printf(pen, ",\"dropped\":%" PRIu64 ",\"failed\":%" PRIu64, node->dropped,
                   node->failed);
    }
    pen_printf(pen, ",\"share\":%.6f", share_of(e, node->time.ns));
    write_lap(pen, "time", &node->time);
    pen_text(pen, "}");
}

static void write_lane(struct pen *pen, const struct report_lane *lane, bool is_sink)
{
    pen_text(pen, "{\"label\":");
    if (pen->status == WEIR_OK) {
        pen->status = json_write_text(lane->label, strlen(lane->label), pen->out);
    }
    pen_printf(pen, ",\"records\":%" PRIu64, lane->records);
    for (uint32_t i = 0; i < lane->slot_count; i++) {
        write_lap(pen, lane->slots[i].name, &lane->slots[i].time);
    }
    if (is_sink) {
        pen_printf(pen, ",\"highest_fill\":%u", lane->highest_fill);
        write_lap(pen, "full", &lane->full);
        write_lap(pen, "retries", &lane->retries);
    }
    pen_text(pen, "}");
}

static void write_lanes(struct pen *pen, const char *name, const struct report_lane *lanes,
                        size_t count, bool is_sink)
{
    pen_printf(pen, ",\n\"%s\":[", name);
    for (size_t i = 0; i < count; i++) {
        pen_text(pen, i > 0 ? ",\n" : "\n");
        write_lane(pen, &lanes[i], is_sink);
    }
    pen_text(pen, "]");
}

void explain_time_json(struct pen *pen, const struct explanation *e)
{
    const struct report_timing *timing = timing_of(e);
    if (timing == NULL) {
        return;
    }
    pen_printf(pen, ",\n\"measured\":{\"seconds\":%.6f,\"workers\":{\"count\":%u",
               e->report->seconds, timing->worker_count);
    write_lap(pen, "turns", &timing->turns);
    write_lap(pen, "read", &timing->read);
    write_lap(pen, "append", &timing->append);
    pen_text(pen, "}");
    write_lanes(pen, "sources", timing->sources, timing->source_count, false);
    write_lanes(pen, "sinks", timing->sinks, timing->sink_count, true);
    pen_printf(pen, ",\n\"checkpoints\":{\"count\":%" PRIu64, timing->checkpoints.calls);
    write_lap(pen, "whole", &timing->checkpoints);
    for (size_t i = 0; i < sizeof timing->steps / sizeof timing->steps[0]; i++) {
        write_lap(pen, timing->steps[i].name, &timing->steps[i].time);
    }
    pen_text(pen, "}}");
}
