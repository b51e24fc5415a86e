/* SPDX-License-Identifier: MIT */
#ifndef BENCH_RAW_JSON_H
#define BENCH_RAW_JSON_H

#include <stdbool.h>

#include "raw_forward.h"

/*
 * The work of json.yaml with yyjson: false where the record is dropped, because its temperature is below zero;
 * else device, ts, temperature and two computed members. The result stays until the 1,000th call after it.
 * Ends the program where the text is not such a record.
 */
bool json_work(struct bytes in, struct bytes *ret_out);

#endif
