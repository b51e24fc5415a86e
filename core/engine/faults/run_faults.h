/* SPDX-License-Identifier: MIT */
/*
 * What happens when something fails: a record's failure meets the on_error of its place, everything
 * else ends the run. The first fatal fault is kept; it is what the run ends with.
 */
#ifndef ENGINE_RUN_FAULTS_H
#define ENGINE_RUN_FAULTS_H

#include <pthread.h>
#include <stdbool.h>

#include <weir/record.h>

#include "base/error.h"
#include "engine/checkpoint/gate.h"
#include "engine/faults/drops.h"
#include "engine/report/meter.h"
#include "log/log.h"
#include "pipeline/pipeline.h"
#include "plugin/call.h"

struct run_faults {
    pthread_mutex_t lock;
    struct error first; /* message is complete: place and fault */
    struct gate *gate;
    struct drops drops;
};

void run_faults_init(struct run_faults *faults, struct gate *gate);
void run_faults_deinit(struct run_faults *faults);

struct letter_box;

/*
 * A record that failed: where, and as much of it as is known there.
 *
 * use       the place
 * on_error  what holds there
 * meter     counts it
 * origin    of its input message; NULL: a source (which names the place in its message)
 * offset    of its input message
 * message   that one; NULL: there is none, or it is gone
 * record    as it came to the place; NULL: it could not be decoded
 * letters   of the thread, for on_error: dead_letter
 */
struct failed_record {
    const struct plugin_use *use;
    enum on_error on_error;
    struct meter *meter;
    const weir_origin *origin;
    int64_t offset;
    const struct log_message *message;
    const weir_record *record;
    struct letter_box *letters;
};

/* True: the record is dropped and counted, the run goes on. False: the run ends. */
bool run_faults_record(struct run_faults *faults, const struct failed_record *failed,
                       const struct call_failure *failure);
/* The run cannot go on. subject: where, may be NULL. */
void run_faults_fatal(struct run_faults *faults, const char *subject, const struct error *error);
/* The same, for want of memory. Always false, so that it can be returned. */
bool run_faults_no_memory(struct run_faults *faults, const char *subject);
/* Why a plugin's call has failed that came back with this status. */
void run_faults_reason(const struct call *call, weir_status status, const char *what,
                       struct error *ret_reason);
/* A plugin's call came back with a negative status. */
void run_faults_call(struct run_faults *faults, const char *subject, const struct call *call,
                     weir_status status, const char *what);
/* True once a fatal fault was told; *ret_error gets a copy. */
bool run_faults_error(struct run_faults *faults, struct error *ret_error);

#endif
