/* SPDX-License-Identifier: MIT */
/*
 * For tests that run over each of the logs: which there are, and one that is open.
 */
#ifndef BOTH_LOGS_FIXTURE_H
#define BOTH_LOGS_FIXTURE_H

#include "log/log_fixture.h"

static const char *const urls[] = { "memory", "local:data" };
enum { LOGS = sizeof urls / sizeof urls[0] };

static char *folder;
static struct log *the_log;
static struct error error;

static void setup(void)
{
    folder = make_folder();
}

static void teardown(void)
{
    log_close(the_log);
    the_log = NULL;
    remove_folder(folder);
}

static struct log *open_each(int i)
{
    the_log = open_log(urls[i], folder, LOG_WRITE);
    return the_log;
}

static struct log_partition_info info_of(struct log_topic *topic, uint32_t partition)
{
    struct log_partition_info info;
    ck_assert_int_eq(log_partition_info(topic, partition, &info, &error), WEIR_OK);
    return info;
}

#endif
