/* SPDX-License-Identifier: MIT */
#include "engine/faults/drops.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/logger.h"

enum { NUMBER_TEXT = 32 };

void drops_init(struct drops *drops)
{
    *drops = (struct drops){ .places = NULL };
    drops->end = &drops->places;
    arena_init(&drops->arena, 0);
    pthread_mutex_init(&drops->lock, NULL);
}

void drops_deinit(struct drops *drops)
{
    pthread_mutex_destroy(&drops->lock);
    arena_deinit(&drops->arena);
}

/* A copy; where there is no memory left, a text that says nothing rather than a run that ends. */
static const char *keep(struct drops *drops, const char *text)
{
    const char *copy = arena_copy(&drops->arena, text, strlen(text));
    return copy != NULL ? copy : "";
}

static uint64_t mix(uint64_t hash, char c)
{
    return (hash ^ (uint8_t)c) * UINT64_C(1099511628211);
}

/* FNV-1a over the place, and of the message all but digits: "line 7: ..." and "line 8: ..." are one
 * cause. */
static uint64_t hash_of(const struct drop *drop)
{
    uint64_t hash = UINT64_C(14695981039346656037);
    for (const char *at = drop->label; *at != '\0'; at++) {
        hash = mix(hash, *at);
    }
    hash = mix(hash, '\0');
    for (const char *at = drop->message; *at != '\0'; at++) {
        hash = *at < '0' || *at > '9' ? mix(hash, *at) : hash;
    }
    return hash;
}

static const char *policy_text(enum on_error on_error)
{
    return on_error == ON_ERROR_SKIP ? "the record is skipped (on_error: skip)"
                                     : "the record becomes a dead letter (on_error: dead_letter)";
}

static void tell_first(const struct drop *drop)
{
    char subject[512];
    snprintf(subject, sizeof subject, "%s%s%s", drop->origin, drop->origin[0] != '\0' ? " " : "",
             drop->label);
    logger_write(LOGGER_WARNING, subject, "%s; %s, further ones are counted", drop->message,
                 policy_text(drop->on_error));
}

/* "1,234" */
static void write_number(uint64_t number, char room[NUMBER_TEXT])
{
    char digits[NUMBER_TEXT];
    size_t len = (size_t)snprintf(digits, sizeof digits, "%" PRIu64, number);
    size_t at = 0;
    for (size_t i = 0; i < len; i++) {
        if (i > 0 && (len - i) % 3 == 0) {
            room[at++] = ',';
        }
        room[at++] = digits[i];
    }
    room[at] = '\0';
}

static void tell_held(struct drop_cause *cause, int64_t now_ns)
{
    char number[NUMBER_TEXT];
    int64_t seconds = (now_ns - cause->told_ns) / 1000000000;
    write_number(cause->held, number);
    logger_write(LOGGER_WARNING, cause->label, "... and %s more in the last %" PRId64 " s: %s",
                 number, seconds, cause->message);
    cause->held = 0;
    cause->told_ns = now_ns;
}

/* NULL: no memory. */
static struct drop_place *find_place(struct drops *drops, const struct drop *drop)
{
    for (struct drop_place *place = drops->places; place != NULL; place = place->next) {
        if (strcmp(place->label, drop->label) == 0) {
            return place;
        }
    }
    struct drop_place *place = arena_zeroed(&drops->arena, sizeof *place);
    if (place == NULL) {
        return NULL;
    }
    place->label = keep(drops, drop->label);
    place->on_error = drop->on_error;
    const char *first = arena_printf(&drops->arena, "%s%s%s", drop->origin,
                                     drop->origin[0] != '\0' ? ": " : "", drop->message);
    place->first = first != NULL ? first : "";
    *drops->end = place;
    drops->end = &place->next;
    drops->place_count++;
    return place;
}

/* The last entry takes what there is no room for. *ret_is_new: it is the first of its cause. */
static struct drop_cause *find_cause(struct drops *drops, const struct drop *drop, int64_t now_ns,
                                     bool *ret_is_new)
{
    uint64_t hash = hash_of(drop);
    *ret_is_new = false;
    for (uint32_t i = 0; i < drops->cause_count; i++) {
        if (drops->causes[i].hash == hash) {
            return &drops->causes[i];
        }
    }
    if (drops->cause_count == DROP_CAUSES) {
        return &drops->causes[DROP_CAUSES - 1];
    }
    struct drop_cause *cause = &drops->causes[drops->cause_count++];
    bool is_last = drops->cause_count == DROP_CAUSES;
    *ret_is_new = !is_last;
    *cause =
        (struct drop_cause){ .hash = hash,
                             .label = is_last ? NULL : keep(drops, drop->label),
                             .message = is_last ? "for other reasons" : keep(drops, drop->message),
                             .told_ns = now_ns };
    return cause;
}

static bool is_over(const struct drop_cause *cause, int64_t now_ns)
{
    return cause->held > 0 && now_ns - cause->told_ns >= DROP_WINDOW_MS * INT64_C(1000000);
}

void drops_add(struct drops *drops, const struct drop *drop, int64_t now_ns)
{
    bool is_new = false;
    pthread_mutex_lock(&drops->lock);
    struct drop_place *place = find_place(drops, drop);
    if (place != NULL) {
        place->count++;
    }
    struct drop_cause *cause = find_cause(drops, drop, now_ns, &is_new);
    cause->fresh++;
    if (is_new) {
        tell_first(drop);
    } else if (cause->known > 0) {
        cause->known--;
    } else {
        cause->held++;
        if (is_over(cause, now_ns)) {
            tell_held(cause, now_ns);
        }
    }
    pthread_mutex_unlock(&drops->lock);
}

void drops_keep(struct drops *drops)
{
    pthread_mutex_lock(&drops->lock);
    for (struct drop_place *place = drops->places; place != NULL; place = place->next) {
        place->kept = place->count;
    }
    for (uint32_t i = 0; i < drops->cause_count; i++) {
        drops->causes[i].fresh = 0;
        drops->causes[i].known = 0;
    }
    pthread_mutex_unlock(&drops->lock);
}

/* What was known before, and has not come again by then, may still come. */
void drops_take_back(struct drops *drops)
{
    pthread_mutex_lock(&drops->lock);
    for (struct drop_place *place = drops->places; place != NULL; place = place->next) {
        place->count = place->kept;
    }
    for (uint32_t i = 0; i < drops->cause_count; i++) {
        struct drop_cause *cause = &drops->causes[i];
        cause->known += cause->fresh;
        cause->fresh = 0;
    }
    pthread_mutex_unlock(&drops->lock);
}

void drops_tell(struct drops *drops, int64_t now_ns)
{
    pthread_mutex_lock(&drops->lock);
    for (uint32_t i = 0; i < drops->cause_count; i++) {
        if (is_over(&drops->causes[i], now_ns)) {
            tell_held(&drops->causes[i], now_ns);
        }
    }
    pthread_mutex_unlock(&drops->lock);
}
