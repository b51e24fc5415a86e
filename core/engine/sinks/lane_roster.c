/* SPDX-License-Identifier: MIT */
/*
 * Which seats a lane has: they are made, leave and are made anew by the thread that supervises; the lane's
 * thread opens and closes them.
 */
#include <weir/sink.h>

#include "engine/sinks/sink_lane.h"

bool sink_lane_model(struct sink_lane *lane, struct error *error)
{
    const struct plugin_use *use = &lane->end->plugin;
    lane->model =
        instance_create(lane->services, use->factory->spec, use->config, use->label, error);
    return lane->model != NULL;
}

static bool is_same(const weir_origin *a, const weir_origin *b)
{
    if (a->topic == NULL || b->topic == NULL) {
        return a->topic == b->topic;
    }
    return a->partition == b->partition &&
           weir_same_bytes(a->topic, a->topic_len, b->topic, b->topic_len);
}

/* NULL: no seat has ever been of this origin. */
static struct seat *find(const struct sink_lane *lane, const weir_origin *origin)
{
    struct seat *seat = lane->seats;
    while (seat != NULL && !is_same(&seat->origin, origin)) {
        seat = seat->next;
    }
    return seat;
}

/* NULL: no memory. */
static struct seat *make(struct sink_lane *lane, const struct seat_start *start,
                         struct error *error)
{
    struct seat **last = &lane->seats;
    while (*last != NULL) {
        last = &(*last)->next;
    }
    *last = seat_create(lane, start, error);
    return *last;
}

bool sink_lane_add(struct sink_lane *lane, const struct seat_start *start, struct error *error)
{
    struct seat *seat = find(lane, &start->origin);
    if (seat != NULL && seat->instance != NULL) {
        return true;
    }
    if (seat == NULL) {
        seat = make(lane, start, error);
    }
    if (seat == NULL || !seat_take(seat, start, error)) {
        return false;
    }
    seat_append(&lane->made, seat);
    return true;
}

bool sink_lane_open(struct sink_lane *lane)
{
    struct lane_item item = { .order = LANE_OPEN, .seats = lane->made };
    if (item.seats == NULL) {
        return true;
    }
    if (!sink_lane_put(lane, &item)) {
        return false;
    }
    lane->made = NULL;
    return true;
}

void sink_lane_mark(struct sink_lane *lane, const weir_origin *origin, bool is_lost)
{
    struct seat *seat = find(lane, origin);
    if (seat == NULL || seat->instance == NULL) {
        return;
    }
    seat->is_leaving = true;
    if (is_lost) {
        atomic_store(&seat->is_lost, true);
    } else {
        atomic_store(&lane->wants_flush, true);
    }
}

/* They are not to be opened any more. */
static void unmake_leaving(struct sink_lane *lane)
{
    struct seat **link = &lane->made;
    while (*link != NULL) {
        if ((*link)->is_leaving) {
            *link = (*link)->next_taken;
        } else {
            link = &(*link)->next_taken;
        }
    }
}

void sink_lane_vacate(struct sink_lane *lane)
{
    unmake_leaving(lane);
    for (struct seat *seat = lane->seats; seat != NULL; seat = seat->next) {
        if (seat->is_leaving) {
            seat_vacate(seat);
        }
    }
}

void sink_lane_drop(struct sink_lane *lane)
{
    atomic_store(&lane->is_dropping, true);
}

bool sink_lane_renew(struct sink_lane *lane, struct error *error)
{
    lane->made = NULL;
    for (struct seat *seat = lane->seats; seat != NULL; seat = seat->next) {
        if (seat->instance == NULL) {
            continue;
        }
        if (!seat_renew(seat, error)) {
            return false;
        }
        seat_append(&lane->made, seat);
    }
    atomic_store(&lane->is_dropping, false);
    return true;
}

/* ---- of the sink ------------------------------------------------------------------------------- */

const struct instance *sink_lane_locate(const struct sink_lane *lane, weir_buffer *out)
{
    const struct instance *instance = lane->model;
    for (const struct seat *seat = lane->seats; seat != NULL && instance == NULL;
         seat = seat->next) {
        instance = seat->instance;
    }
    if (instance != NULL) {
        const weir_sink_vtable *vtable = instance->spec->vtable;
        if (vtable->locate != NULL) {
            (void)vtable->locate(instance->self, out); /* the summary does without */
        }
    }
    return instance;
}

bool sink_lane_can_reset(const struct sink_lane *lane)
{
    const weir_sink_vtable *vtable = lane->end->plugin.factory->spec->vtable;
    return vtable->reset != NULL;
}
