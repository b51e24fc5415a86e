/* SPDX-License-Identifier: MIT */
/*
 * RocksDB's diary (its file LOG) is not kept. Version 7.8 of Debian ends the process when it writes on
 * in a diary that could not be written once, for which a full disk is enough; what matters comes back
 * as a status. The C interface can take a logger but has none to give, hence the few lines of C++.
 */
#ifndef LOG_LOCAL_DIARY_H
#define LOG_LOCAL_DIARY_H

#include <rocksdb/c.h>

#ifdef __cplusplus
extern "C" {
#endif

/* The options keep a share of what they are given. Thread: any. */
void diary_silence(rocksdb_options_t *options);

#ifdef __cplusplus
}
#endif

#endif
