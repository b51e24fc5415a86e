/* SPDX-License-Identifier: MIT */
/*
 * The records that benchmarks work on: flat ones of 194 bytes, nested ones of about 4 KB.
 */
#ifndef BENCH_RECORDS_H
#define BENCH_RECORDS_H

#include <stddef.h>

struct records {
    char *bytes;
    size_t *ends; /* of each record in bytes */
    size_t count;
};

/* Deterministic; every tenth record has a temperature below zero. Exits when there is no memory. */
struct records records_flat(size_t count);
struct records records_nested(size_t count);
void records_free(struct records *records);

static inline const char *record_at(const struct records *r, size_t i, size_t *ret_size)
{
    size_t start = i == 0 ? 0 : r->ends[i - 1];
    *ret_size = r->ends[i] - start;
    return r->bytes + start;
}

#endif
