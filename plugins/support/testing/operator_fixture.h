/* SPDX-License-Identifier: MIT */
/* For tests of operators: what becomes of records, told as text. */
#ifndef SUPPORT_TESTING_OPERATOR_FIXTURE_H
#define SUPPORT_TESTING_OPERATOR_FIXTURE_H

#include "support/testing/fixture.h"

/*
 * An operator's answer to these records, in one batch; the same in batches of one and of two, or the
 * test fails. Makes and destroys the instance.
 */
const char *fixture_operate(struct fixture *f, const char *plugin, const char *body,
                            const char *lines);

/* Options, records that come in, and what becomes of them: a line of a test's table. */
struct operate_case {
    const char *body;
    const char *lines;
    const char *expected;
};

/* fixture_operate tells what the case expects, or the test fails. */
void fixture_check(struct fixture *f, const char *plugin, const struct operate_case *wanted);

/* Options, and a part of the message by which they are refused. */
struct refuse_case {
    const char *body;
    const char *part;
};

/* As fixture_refuse. */
void fixture_check_refused(struct fixture *f, const char *plugin, const struct refuse_case *wanted);

/* One call with an instance that was made before, told as by fixture_end. */
const char *fixture_process(struct fixture *f, const weir_batch *batch);

/*
 * For operators that change more than the value: what `tell` says of each record that comes out of
 * these record lines, then the failures. The records that came in are not those that come out.
 */
const char *fixture_operate_messages(struct fixture *f, const char *plugin, const char *body,
                                     const char *lines,
                                     void (*tell)(weir_buffer *out, const weir_record *record));

#endif
