/* SPDX-License-Identifier: MIT */
/*
 * `weir version`: the versions of everything that this program was built from, libraries as they
 * are at run time.
 */
#include <dlfcn.h>
#include <libfyaml.h>
#include <librdkafka/rdkafka.h>
#include <limits.h>
#include <rocksdb/c.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <weir/abi.h>
#include <yyjson.h>

#include "base/version.h"
#include "cli/cli.h"
#include "cli/commands.h"
#include "cli/output.h"

struct versions {
    char rocksdb[32];
    char yyjson[32];
    const char *fyaml;
    const char *rdkafka;
};

/* RocksDB's C interface does not tell its version: the name of the file that is loaded does. */
static void read_rocksdb(char *room, size_t size)
{
    Dl_info info;
    char path[PATH_MAX];
    snprintf(room, size, "unknown");
    if (dladdr((const void *)(uintptr_t)rocksdb_options_create, &info) == 0 ||
        realpath(info.dli_fname, path) == NULL) {
        return;
    }
    const char *version = strstr(path, ".so.");
    if (version != NULL) {
        snprintf(room, size, "%s", version + strlen(".so."));
    }
}

static void read_versions(struct versions *versions)
{
    uint32_t packed = yyjson_version(); /* 0xMMmmpp */
    read_rocksdb(versions->rocksdb, sizeof versions->rocksdb);
    snprintf(versions->yyjson, sizeof versions->yyjson, "%u.%u.%u", packed >> 16,
             packed >> 8 & 0xff, packed & 0xff);
    versions->fyaml = fy_library_version();
    versions->rdkafka = rd_kafka_version_str();
}

int command_version(int argc, char **argv)
{
    struct args args;
    struct versions versions;
    int status = EXIT_DONE;
    if (!args_parse(&args, commands, argc, argv, &status)) {
        return status;
    }
    read_versions(&versions);
    if (args.is_json) {
        output_printf("{\"version\":\"%s\",\"abi\":\"%d.%d\",\"value_layout\":%d,"
                      "\"libraries\":{\"rocksdb\":\"%s\",\"librdkafka\":\"%s\",\"libfyaml\":\"%s\","
                      "\"yyjson\":\"%s\"}}\n",
                      WEIR_VERSION, WEIR_ABI_MAJOR, WEIR_ABI_MINOR, WEIR_VALUE_LAYOUT,
                      versions.rocksdb, versions.rdkafka, versions.fyaml, versions.yyjson);
        return EXIT_DONE;
    }
    output_printf("weir %s\nplugin ABI %d.%d\nvalue layout %d\nRocksDB %s\nlibrdkafka %s\nlibfyaml "
                  "%s\nyyjson %s\n",
                  WEIR_VERSION, WEIR_ABI_MAJOR, WEIR_ABI_MINOR, WEIR_VALUE_LAYOUT, versions.rocksdb,
                  versions.rdkafka, versions.fyaml, versions.yyjson);
    return EXIT_DONE;
}
