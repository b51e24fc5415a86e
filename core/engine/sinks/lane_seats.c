/* SPDX-License-Identifier: MIT */
#include "engine/sinks/lane_seats.h"

#include <inttypes.h>

#include <weir/sink.h>

/* They stay with the lane also where they cannot be opened. One that is refused is refused with all others. */
static void open_seats(struct sink_lane *lane, struct seat *seats)
{
    lane->refusal.status = WEIR_OK;
    while (seats != NULL) {
        struct seat *seat = seats;
        seats = seat->next_taken;
        seat_append(&lane->taken, seat);
        atomic_store(&lane->is_finished, false);
        if (!run_faults_error(lane->faults, NULL) && lane->refusal.status == WEIR_OK) {
            seat_open(seat);
        }
    }
}

/* Nobody but the engine chooses the seats: this is a defect of weir. */
static void fail_homeless(struct sink_lane *lane, const weir_origin *origin)
{
    struct error error = { .status = WEIR_OK };
    error_set(&error, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
              "records of %.*s[%" PRId32 "] have come, but no instance of the sink serves it",
              (int)origin->topic_len, origin->topic, origin->partition);
    run_faults_fatal(lane->faults, lane->end->plugin.label, &error);
}

static void write_records(struct sink_lane *lane, const struct lane_item *item)
{
    struct seat *seat = lane->taken;
    while (seat != NULL && !seat_takes(seat, &item->root->origin)) {
        seat = seat->next_taken;
    }
    if (seat == NULL) {
        fail_homeless(lane, &item->root->origin);
    } else if (!atomic_load(&seat->is_lost)) {
        seat_write(seat, item->root, item->run);
        seat->tick_ms = 0;
    }
    root_release(item->root);
}

/* A run that stops while seats are being opened has some that are not. */
static void flush_seats(struct sink_lane *lane, uint32_t flags)
{
    for (struct seat *seat = lane->taken; seat != NULL; seat = seat->next_taken) {
        if (seat->is_open && !run_faults_error(lane->faults, NULL)) {
            seat_flush(seat, seat->is_leaving ? WEIR_FLUSH_FINAL : flags);
        }
    }
    atomic_store(&lane->wants_flush, false);
}

/* After the commit of what was flushed. */
static void publish_seats(struct sink_lane *lane)
{
    for (struct seat *seat = lane->taken; seat != NULL; seat = seat->next_taken) {
        if (seat->is_open && !run_faults_error(lane->faults, NULL)) {
            seat_publish(seat);
        }
    }
}

static void tick_seats(struct sink_lane *lane)
{
    int64_t now_ms = sink_lane_now_ms(lane);
    for (struct seat *seat = lane->taken; seat != NULL; seat = seat->next_taken) {
        if (seat_tick_due(seat) <= now_ms && !run_faults_error(lane->faults, NULL)) {
            seat_tick(seat);
        }
    }
}

/* What gives things back. */
static void discard_seats(struct sink_lane *lane)
{
    for (struct seat *seat = lane->taken; seat != NULL; seat = seat->next_taken) {
        seat_discard(seat);
    }
}

/* The lane's thread is done with them. */
static void close_seats(struct sink_lane *lane, bool is_for_leaving)
{
    struct seat **link = &lane->taken;
    while (*link != NULL) {
        struct seat *seat = *link;
        if (is_for_leaving && !seat->is_leaving) {
            link = &seat->next_taken;
            continue;
        }
        seat_close(seat);
        *link = seat->next_taken;
    }
    lane_seats_finished(lane);
}

void lane_seats_do(struct sink_lane *lane, const struct lane_item *item)
{
    switch (item->order) {
    case LANE_OPEN:
        open_seats(lane, item->seats);
        break;
    case LANE_WRITE:
        if (atomic_load(&lane->is_dropping) || run_faults_error(lane->faults, NULL)) {
            root_release(item->root);
        } else {
            write_records(lane, item);
        }
        break;
    case LANE_FLUSH:
        flush_seats(lane, 0);
        break;
    case LANE_FLUSH_FINAL:
        flush_seats(lane, WEIR_FLUSH_FINAL);
        break;
    case LANE_PUBLISH:
        publish_seats(lane);
        break;
    case LANE_TICK:
        tick_seats(lane);
        break;
    case LANE_DISCARD:
        discard_seats(lane);
        break;
    case LANE_CLOSE:
        close_seats(lane, item->is_for_leaving);
        break;
    case LANE_END:
        break;
    }
}

int64_t lane_seats_tick_due(const struct sink_lane *lane)
{
    int64_t due_ms = INT64_MAX;
    for (const struct seat *seat = lane->taken; seat != NULL; seat = seat->next_taken) {
        int64_t one_ms = seat_tick_due(seat);
        due_ms = one_ms < due_ms ? one_ms : due_ms;
    }
    if (due_ms == INT64_MAX || run_faults_error(lane->faults, NULL)) {
        return INT64_MAX;
    }
    int64_t left_ms = due_ms - sink_lane_now_ms(lane);
    return left_ms > 0 ? left_ms : 0;
}

void lane_seats_finished(struct sink_lane *lane)
{
    bool is_finished = lane->taken != NULL;
    for (const struct seat *seat = lane->taken; seat != NULL; seat = seat->next_taken) {
        is_finished &= seat->is_finished;
    }
    atomic_store(&lane->is_finished, is_finished);
}
