/* SPDX-License-Identifier: MIT */
/* For tests of sources: opening, polls, positions as a checkpoint keeps them, told as text. */
#ifndef SUPPORT_TESTING_SOURCE_FIXTURE_H
#define SUPPORT_TESTING_SOURCE_FIXTURE_H

#include "support/testing/fixture.h"

/* What the last checkpoint has kept; of size 0 before the first. */
struct kept_position {
    uint8_t bytes[256];
    uint64_t size;
};

/* Makes a source in the place of the one that is there, and opens it; what open said. */
const char *fixture_open_source(struct fixture *f, const char *plugin, const char *body,
                                const struct kept_position *position, uint32_t flags);
/* What one poll gave. */
const char *fixture_poll(struct fixture *f, uint32_t max_records, weir_status *ret_status);
void fixture_checkpoint(struct fixture *f, struct kept_position *position);

#endif
