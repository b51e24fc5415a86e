/* SPDX-License-Identifier: MIT */
#include "engine/faults/run_faults.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/clock.h"
#include "engine/faults/letter_box.h"

void run_faults_init(struct run_faults *faults, struct gate *gate)
{
    *faults = (struct run_faults){ .gate = gate };
    pthread_mutex_init(&faults->lock, NULL);
    drops_init(&faults->drops);
}

void run_faults_deinit(struct run_faults *faults)
{
    drops_deinit(&faults->drops);
    pthread_mutex_destroy(&faults->lock);
}

void run_faults_fatal(struct run_faults *faults, const char *subject, const struct error *error)
{
    pthread_mutex_lock(&faults->lock);
    if (faults->first.status == WEIR_OK) {
        faults->first = *error;
        weir_status status = error->status < 0 ? error->status : WEIR_E_INTERNAL;
        error_set(&faults->first, status, error->error_class, "%s%s%s",
                  subject != NULL ? subject : "", subject != NULL ? ": " : "", error->message);
        error_hint(&faults->first, "%s", error->hint);
    }
    pthread_mutex_unlock(&faults->lock);
    gate_stop(faults->gate);
}

bool run_faults_no_memory(struct run_faults *faults, const char *subject)
{
    struct error error = { .status = WEIR_OK };
    error_no_memory(&error);
    run_faults_fatal(faults, subject, &error);
    return false;
}

bool run_faults_error(struct run_faults *faults, struct error *ret_error)
{
    pthread_mutex_lock(&faults->lock);
    bool has_failed = faults->first.status != WEIR_OK;
    if (has_failed && ret_error != NULL) {
        *ret_error = faults->first;
    }
    pthread_mutex_unlock(&faults->lock);
    return has_failed;
}

void run_faults_reason(const struct call *call, weir_status status, const char *what,
                       struct error *ret_reason)
{
    *ret_reason = call->whole;
    if (call->whole.status != WEIR_OK) {
        return;
    }
    if (status == WEIR_E_NOMEM) {
        error_no_memory(ret_reason);
    } else if (status > 0) {
        error_set(ret_reason, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                  "%s returned status %" PRId32
                  ", which means nothing there; this is a defect of the plugin",
                  what, status);
    } else {
        error_set(ret_reason, status, WEIR_CLASS_BUG,
                  "%s failed with status %" PRId32
                  " and gave no reason; this is a defect of the plugin",
                  what, status);
    }
}

void run_faults_call(struct run_faults *faults, const char *subject, const struct call *call,
                     weir_status status, const char *what)
{
    struct error error;
    run_faults_reason(call, status, what, &error);
    run_faults_fatal(faults, subject, &error);
}

/* "readings[2]@1048", or nothing. */
static void write_origin(char *room, size_t size, const struct failed_record *failed)
{
    room[0] = '\0';
    const weir_origin *origin = failed->origin;
    if (origin != NULL) {
        snprintf(room, size, "%.*s[%" PRId32 "]@%" PRId64, (int)origin->topic_len, origin->topic,
                 origin->partition, failed->offset);
    }
}

/* Ends the run: "readings[2]@1048 streams.alerts.steps[1] (set): ..." */
static void end_run(struct run_faults *faults, const struct failed_record *failed,
                    const char *origin, const struct call_failure *failure)
{
    char subject[512];
    struct error error = { .status = WEIR_OK };
    snprintf(subject, sizeof subject, "%s%s%s", origin, origin[0] != '\0' ? " " : "",
             failed->use->label);
    error_set(&error, failure->status, failure->error_class, "%s", failure->message);
    if (failure->hint != NULL) {
        error_hint(&error, "%s", failure->hint);
    }
    run_faults_fatal(faults, subject, &error);
}

bool run_faults_record(struct run_faults *faults, const struct failed_record *failed,
                       const struct call_failure *failure)
{
    char origin[300];
    write_origin(origin, sizeof origin, failed);
    if (failed->on_error == ON_ERROR_FAIL || failure->error_class != WEIR_CLASS_DATA) {
        end_run(faults, failed, origin, failure);
        return false;
    }
    if (failed->on_error == ON_ERROR_DEAD_LETTER &&
        !letter_box_add(failed->letters, failed, failure)) {
        return run_faults_no_memory(faults, failed->use->label);
    }
    struct drop drop = { failed->use->label, failed->on_error, origin, failure->message };
    drops_add(&faults->drops, &drop, clock_monotonic_ns());
    meter_add(&failed->meter->failed, 1);
    return true;
}
