/* SPDX-License-Identifier: MIT */
#include "engine/run_faults.h"

#include <inttypes.h>
#include <stdio.h>

#include "base/logger.h"

void run_faults_init(struct run_faults *faults, struct gate *gate)
{
    *faults = (struct run_faults){ .gate = gate };
    pthread_mutex_init(&faults->lock, NULL);
}

void run_faults_deinit(struct run_faults *faults)
{
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

void run_faults_call(struct run_faults *faults, const char *subject, const struct call *call,
                     weir_status status, const char *what)
{
    if (call->whole.status != WEIR_OK) {
        run_faults_fatal(faults, subject, &call->whole);
        return;
    }
    struct error error = { .status = WEIR_OK };
    if (status == WEIR_E_NOMEM) {
        error_no_memory(&error);
    } else if (status > 0) {
        error_set(&error, WEIR_E_INTERNAL, WEIR_CLASS_BUG,
                  "%s returned status %" PRId32
                  ", which means nothing there; this is a defect of the plugin",
                  what, status);
    } else {
        error_set(&error, status, WEIR_CLASS_BUG,
                  "%s failed with status %" PRId32
                  " and gave no reason; this is a defect of the plugin",
                  what, status);
    }
    run_faults_fatal(faults, subject, &error);
}

/* "readings[2]@1048 streams.alerts.steps[1] (set)" */
static void write_subject(char *room, size_t size, const struct plugin_use *use,
                          const struct record_place *place)
{
    if (place->topic == NULL) {
        snprintf(room, size, "%s", use->label);
        return;
    }
    snprintf(room, size, "%.*s[%" PRId32 "]@%" PRId64 " %s", (int)place->topic_len, place->topic,
             place->partition, place->offset, use->label);
}

bool run_faults_record(struct run_faults *faults, const struct plugin_use *use, struct meter *meter,
                       const struct record_place *place, const struct call_failure *failure)
{
    char subject[512];
    write_subject(subject, sizeof subject, use, place);
    if (use->on_error == ON_ERROR_SKIP && failure->error_class == WEIR_CLASS_DATA) {
        /* The first one is told in full, all are counted in the summary. */
        if (meter_get(&meter->failed) == 0) {
            logger_write(LOGGER_WARNING, subject,
                         "%s; the record is skipped (on_error: skip), "
                         "further ones are counted",
                         failure->message);
        }
        meter_add(&meter->failed, 1);
        return true;
    }
    struct error error = { .status = WEIR_OK };
    error_set(&error, failure->status, failure->error_class, "%s", failure->message);
    if (failure->hint != NULL) {
        error_hint(&error, "%s", failure->hint);
    }
    run_faults_fatal(faults, subject, &error);
    return false;
}
