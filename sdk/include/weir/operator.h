/* SPDX-License-Identifier: MIT */
/*
 * Kind "weir.operator/1": takes batches of records and emits records at its outputs.
 *
 * A pipeline runs one instance per task (partition). It must give the same records for any split of
 * its input into batches and must not keep anything between calls that it has not declared.
 *
 * An operator with several inputs (weir_factory.inputs) gets the records of all of them in one batch, in
 * the order in which they would have come one by one; `input` of an entry is the number of the input that
 * it came in at, 0 for the stream that the step stands in. Records of one topic stand in an order that
 * never changes; those of different topics go by time, as far as they are there, and a batch holds those
 * of one alone.
 */
#ifndef WEIR_OPERATOR_H
#define WEIR_OPERATOR_H

#include "host.h"

WEIR_BEGIN_C

#define WEIR_KIND_OPERATOR "weir.operator/1"

/* Flags of its factory. */
enum {
    /* the last of several outputs takes what no other does, and dropping that is no slip: `weir check`
     * says nothing where no stream reads it */
    WEIR_OPERATOR_REST_OUTPUT = 1u,
    /* what it emits has another key and goes on in the partition of that key: the host writes it to a
     * topic of the pipeline's own, from which the stream goes on. Such an operator has one output, whose
     * name (weir_factory.output_name) tells the topic from others of the stream. Where all that comes in
     * has one partition there is no such topic, and records go on at once */
    WEIR_OPERATOR_REPARTITION = 2u
};

/*
 * create   [control] config: filled by the host, valid until destroy. On failure nothing is left
 *          behind and destroy is not called. May be NULL: then self is the config
 * destroy  [control] may be NULL
 * process  [task] in: valid during the call. Emits with weir_pass and weir_emit, fails single records
 *          with weir_fail. A negative status is a fault of the whole call: the pipeline stops
 */
typedef struct weir_operator_vtable {
    uint32_t struct_size;
    uint32_t reserved;
    weir_status (*create)(const weir_host *host, const void *config, void **ret_self);
    void (*destroy)(void *self);
    weir_status (*process)(void *self, weir_context *ctx, const weir_batch *in);
} weir_operator_vtable;

WEIR_END_C

#endif
