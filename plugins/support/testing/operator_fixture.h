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

/*
 * For operators that change more than the value: what `tell` says of each record that comes out of
 * these record lines, then the failures. The records that came in are not those that come out.
 */
const char *fixture_operate_messages(struct fixture *f, const char *plugin, const char *body,
                                     const char *lines,
                                     void (*tell)(weir_buffer *out, const weir_record *record));

#endif
