/* SPDX-License-Identifier: MIT */
/*
 * Replay: a record waits until as much time has passed since the first one as lies between their
 * event times, divided by the speed. One that must wait goes back to the reader, so that the position
 * never lies behind what was not given yet.
 */
#include <string.h>
#include <time.h>

#include "file_source.h"

enum { LONGEST_SLEEP_MS = 20 };

void source_replay_open(struct source *self)
{
    self->has_anchor = false;
    self->is_waiting = false;
}

/* WEIR_E_DATA: the record has been rejected. */
static weir_status event_time(struct source *self, weir_context *ctx, const struct line *line,
                              const weir_record *record, int64_t *ret_ms)
{
    weir_entry entry = { record, 0, 0, 0 };
    weir_value value;
    const char *fault = "it is no time";
    int64_t failed =
        self->expressions->evaluate(ctx, self->config->replay->time, &entry, 1, &value);
    if (failed < 0) {
        return (weir_status)failed;
    }
    if (value.tag == WEIR_TAG_ERROR) {
        self->rejected++;
        weir_reject_value(ctx, &value, line->text, line->size);
        return WEIR_E_DATA;
    }
    if (self->values->event_time(&value, ret_ms, &fault) != WEIR_OK) {
        self->rejected++;
        weir_reject_input(ctx, line->text, line->size, "'%s' line %llu: the time of the replay: %s",
                          self->config->path.data, (unsigned long long)line->number, fault);
        return WEIR_E_DATA;
    }
    return WEIR_OK;
}

weir_status source_replay_hold(struct source *self, weir_context *ctx, const struct line *line,
                               weir_record *record)
{
    int64_t now_ns = self->clock->monotonic_ns(self->host);
    int64_t time_ms;
    weir_status st = event_time(self, ctx, line, record, &time_ms);
    if (st != WEIR_OK) {
        return st;
    }
    if (!self->has_anchor) {
        self->has_anchor = true;
        self->anchor_ms = time_ms;
        self->anchor_ns = now_ns;
    }
    double passed_ms = (double)(now_ns - self->anchor_ns) / 1e6 * self->config->replay->speed;
    double wanted_ms = (double)time_ms - (double)self->anchor_ms;
    double left_ns = (wanted_ms - passed_ms) / self->config->replay->speed * 1e6;
    if (left_ns >= 1) {
        self->is_waiting = true;
        self->due_ns = now_ns + (left_ns < 4e18 ? (int64_t)left_ns : (int64_t)4e18);
        line_reader_put_back(&self->reader, line);
        return WEIR_AGAIN;
    }
    if (record->timestamp == WEIR_NO_TIMESTAMP) {
        record->timestamp = time_ms;
    }
    return WEIR_OK;
}

/* In short steps, since the clock may be another than the machine's. */
weir_status source_replay_wait(struct source *self, int64_t timeout_ms)
{
    while (self->is_waiting) {
        int64_t left_ns = self->due_ns - self->clock->monotonic_ns(self->host);
        if (left_ns <= 0) {
            self->is_waiting = false;
        } else if (timeout_ms <= 0) {
            return WEIR_AGAIN;
        } else {
            int64_t step_ms = timeout_ms < LONGEST_SLEEP_MS ? timeout_ms : LONGEST_SLEEP_MS;
            int64_t step_ns = left_ns < step_ms * 1000000 ? left_ns : step_ms * 1000000;
            struct timespec step = { .tv_nsec = (long)step_ns };
            nanosleep(&step, NULL);
            timeout_ms -= step_ms;
        }
    }
    return WEIR_OK;
}
