/* SPDX-License-Identifier: MIT */
/*
 * Taking fields away, for operators that differ in what they say of a field that is not there.
 */
#ifndef SUPPORT_REMOVAL_H
#define SUPPORT_REMOVAL_H

#include <stdbool.h>

#include "support/edit.h"
#include "support/step.h"

struct removal {
    struct step step;
    struct edit_place *places;
    uint32_t count;
    bool is_strict; /* a missing field is an error of the record */
};

/* For validate: refuses `$value`, which has nobody to be taken away from. */
weir_status removal_validate(const weir_option_list *fields, weir_error_info *fault);
weir_status removal_create(const weir_host *host, const weir_option_list *fields, bool is_strict,
                           void **ret_self);
weir_status removal_process(void *self, weir_context *ctx, const weir_batch *in);

#endif
