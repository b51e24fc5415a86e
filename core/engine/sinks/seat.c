/* SPDX-License-Identifier: MIT */
#include "engine/sinks/seat.h"

#include <inttypes.h>
#include <string.h>

#include "base/memory.h"
#include "engine/sinks/seat_attempt.h"

#define TOKEN_LIMIT (UINT64_C(64) << 20)
enum { NAMES_CHUNK = 512 };

/* False: no memory. */
static bool copy_origin(struct arena *arena, const weir_origin *from, weir_origin *ret)
{
    *ret = *from;
    if (from->topic != NULL) {
        ret->topic = arena_copy(arena, from->topic, from->topic_len);
        return ret->topic != NULL;
    }
    return true;
}

/* text NULL: none. False: no memory. */
static bool copy_text(struct arena *arena, const char *text, const char **ret)
{
    *ret = text == NULL ? NULL : arena_copy(arena, text, strlen(text));
    return text == NULL || *ret != NULL;
}

static const char *make_label(struct arena *arena, const char *label, const weir_origin *origin)
{
    return origin->topic == NULL
               ? label
               : arena_printf(arena, "%s %.*s[%" PRId32 "]", label, (int)origin->topic_len,
                              origin->topic, origin->partition);
}

struct seat *seat_create(struct sink_lane *lane, const struct seat_start *start,
                         struct error *error)
{
    struct seat *seat = memory_zeroed(1, sizeof *seat);
    if (seat == NULL) {
        error_no_memory(error);
        return NULL;
    }
    seat->lane = lane;
    seat->log_topic = start->log_topic;
    arena_init(&seat->names, NAMES_CHUNK);
    buffer_init(&seat->now.token, TOKEN_LIMIT);
    buffer_init(&seat->committed.token, TOKEN_LIMIT);
    seat->label = make_label(&seat->names, lane->end->plugin.label, &start->origin);
    if (seat->label == NULL || !copy_origin(&seat->names, &start->origin, &seat->origin) ||
        !copy_origin(&seat->names, &start->shown_as, &seat->shown_as) ||
        !copy_text(&seat->names, start->token_key, &seat->token_key) ||
        !copy_text(&seat->names, start->letters_key, &seat->letters_key)) {
        error_no_memory(error);
        seat_destroy(seat);
        return NULL;
    }
    return seat;
}

void seat_destroy(struct seat *seat)
{
    instance_destroy(seat->instance);
    buffer_deinit(&seat->now.token);
    buffer_deinit(&seat->committed.token);
    arena_deinit(&seat->names);
    memory_free(seat);
}

/* ---- its instance ------------------------------------------------------------------------------ */

/* Tells the instance whose records it gets, where it does not get all. */
static bool assign(struct seat *seat, struct error *error)
{
    const weir_sink_vtable *vtable = seat_vtable(seat);
    if (seat->origin.topic == NULL || !WEIR_HAS_FIELD(vtable, weir_sink_vtable, assign) ||
        vtable->assign == NULL) {
        return true;
    }
    const weir_origin *origin = seat->shown_as.topic != NULL ? &seat->shown_as : &seat->origin;
    weir_status st = vtable->assign(seat->instance->self, origin);
    if (st != WEIR_OK) {
        error_set(error, st < 0 ? st : WEIR_E_INTERNAL, WEIR_CLASS_RESOURCE,
                  "%s: it does not take this partition: assign failed with status %" PRId32,
                  seat->label, st);
    }
    return st == WEIR_OK;
}

/* As new. False: `error` says why. */
static bool make_instance(struct seat *seat, struct error *error)
{
    const struct plugin_use *use = &seat->lane->end->plugin;
    seat->is_open = false;
    seat->is_dirty = false;
    seat->is_flushed = false;
    seat->is_committed = false;
    seat->is_finished = false;
    seat->tick_ms = 0;
    seat->instance =
        instance_create(seat->lane->services, use->factory->spec, use->config, seat->label, error);
    return seat->instance != NULL && assign(seat, error);
}

static bool copy_state(struct seat_state *to, weir_slice token, int64_t letters)
{
    to->letters = letters;
    buffer_clear(&to->token);
    return weir_buffer_append(&to->token, token.data, token.size) == WEIR_OK;
}

bool seat_take(struct seat *seat, const struct seat_start *start, struct error *error)
{
    seat->is_fresh = start->is_fresh;
    seat->is_beginning = start->origin.topic != NULL;
    seat->is_leaving = false;
    atomic_store(&seat->is_lost, false);
    if (!copy_state(&seat->now, start->token, start->letters) ||
        !copy_state(&seat->committed, start->token, start->letters)) {
        error_no_memory(error);
        return false;
    }
    return make_instance(seat, error);
}

void seat_vacate(struct seat *seat)
{
    instance_destroy(seat->instance);
    seat->instance = NULL;
    seat->is_leaving = false;
}

bool seat_renew(struct seat *seat, struct error *error)
{
    weir_slice token = { seat->committed.token.data, seat->committed.token.size };
    instance_destroy(seat->instance);
    seat->instance = NULL;
    seat->is_fresh = false;
    seat->is_beginning = false;
    if (!copy_state(&seat->now, token, seat->committed.letters)) {
        error_no_memory(error);
        return false;
    }
    return make_instance(seat, error);
}

/* ---- its state --------------------------------------------------------------------------------- */

void seat_commit(struct seat *seat)
{
    weir_slice now = { seat->now.token.data, seat->now.token.size };
    seat->is_committed = true;
    if (!copy_state(&seat->committed, now, seat->now.letters)) {
        (void)run_faults_no_memory(seat->lane->faults, seat->label);
    }
}

bool seat_takes(const struct seat *seat, const weir_origin *origin)
{
    const weir_origin *own = &seat->origin;
    return own->topic == NULL ||
           (own->partition == origin->partition &&
            weir_same_bytes(own->topic, own->topic_len, origin->topic, origin->topic_len));
}

void seat_append(struct seat **list, struct seat *seat)
{
    while (*list != NULL) {
        list = &(*list)->next_taken;
    }
    seat->next_taken = NULL;
    *list = seat;
}
