/* SPDX-License-Identifier: MIT */
/*
 * For tests of plugins: loads a plugin from the build folder as the program would, with options as a
 * pipeline file writes them, and calls it the way the engine does, with a clock that the test moves.
 *
 * Records are JSON values, one a line, or record lines where topic, partition or offset matter. What
 * a call emits and fails is told as text, so that a test is a table of texts.
 */
#ifndef SUPPORT_TESTING_FIXTURE_H
#define SUPPORT_TESTING_FIXTURE_H

#include <stdbool.h>

#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "base/buffer.h"
#include "plugin/call.h"
#include "plugin/options.h"
#include "support/json_decode.h"

enum { FIXTURE_OUTPUTS = 64 };

/*
 * config_arena   lives as long as the fixture; batch_arena until fixture_retire
 * outputs        their names, where there are several
 * complaint      why the instance could not be made: the first diagnostic, or what create said
 * text           what the last call has told
 */
struct fixture {
    struct arena config_arena;
    struct arena batch_arena;
    struct symbols symbols;
    struct diagnostics diagnostics;
    struct services services;
    struct registry registry;
    struct instance *instance;
    const void *vtable;
    const char *outputs[FIXTURE_OUTPUTS];
    uint32_t output_count;
    struct call call;
    struct json_decoder decoder;
    weir_buffer text;
    int64_t now_ms;
    int64_t monotonic_ns;
    char complaint[1024];
};

/*
 * Makes an instance. plugin: "operator_set"; body: what stands behind the plugin's name in a file.
 * Fails the test where the plugin cannot be loaded.
 * False: it was refused, `complaint` says why; nothing else may be called but fixture_deinit.
 */
bool fixture_init(struct fixture *f, const char *plugin, const char *body);
void fixture_deinit(struct fixture *f);
/* The options are refused with a message that holds `part`, or the test fails. */
void fixture_refuse(struct fixture *f, const char *plugin, const char *body, const char *part);

/* Ends a call and forgets the memory of the batch. */
void fixture_retire(struct fixture *f);

/* JSON values, one a line, as decoded by a serializer, the symbols known. Count in *ret_count. */
weir_value *fixture_values(struct fixture *f, const char *lines, uint32_t *ret_count);
/* The same as a batch of topic "in", partition 0, offsets and timestamps counted from 0. */
weir_batch fixture_batch(struct fixture *f, const char *lines);
/* A batch from record lines. */
weir_batch fixture_messages(struct fixture *f, const char *lines);

/* Before and after a call of the vtable with &f->call.context. batch: NULL is allowed. */
weir_context *fixture_begin(struct fixture *f, const weir_batch *batch);
/*
 * What the call has done, into f->text: emitted values, one a line, behind "OUTPUT: " where there are
 * several outputs; "! INDEX: message" for each
 * failed record; "!! message" where the call as a whole failed.
 */
const char *fixture_end(struct fixture *f, weir_status st);
/* Appends the same of one more batch to f->text; its records are counted from `base`. */
void fixture_tell(struct fixture *f, uint32_t base);

#endif
