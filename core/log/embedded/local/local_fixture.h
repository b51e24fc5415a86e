/* SPDX-License-Identifier: MIT */
/*
 * For the tests of a log in a folder: the folder, work in processes of its own, and epochs by which a reader
 * can tell whether it sees a commit whole.
 */
#ifndef LOCAL_FIXTURE_H
#define LOCAL_FIXTURE_H

#include <sys/wait.h>

#include "log/log_fixture.h"

static const char url[] = "local:data";
static char *folder;
static char path[300];     /* folder/data */
static char database[320]; /* folder/data/log */
static struct error error;

static inline void setup(void)
{
    folder = make_folder();
    snprintf(path, sizeof path, "%s/data", folder);
    snprintf(database, sizeof database, "%s/log", path);
    setenv("TMPDIR", folder, 1);
}

static inline void teardown(void)
{
    remove_folder(folder);
}

static inline struct log *open_writer(void)
{
    return open_log(url, folder, LOG_WRITE);
}

static inline struct log_topic *find_topic(struct log *log, const char *name)
{
    struct log_topic *topic = log_topic_find(log, name);
    ck_assert_msg(topic != NULL, "no topic %s", name);
    return topic;
}

/* Names, sizes and times of everything below, as text. */
static inline char *describe_folder(void)
{
    char command[400];
    char *text = calloc(1, 65536);
    snprintf(command, sizeof command, "find '%s' -printf '%%p %%s %%T@\\n' | sort", path);
    FILE *listing = popen(command, "r");
    size_t size = fread(text, 1, 65535, listing);
    ck_assert_uint_gt(size, 0);
    pclose(listing);
    return text;
}

/* ---- processes ------------------------------------------------------------------------------------- */

/*
 * RocksDB's background threads do not survive a fork: whoever writes much in a child must not have
 * used it before. So each piece of work runs in a process of its own.
 */
static inline pid_t start_child(void (*work)(void))
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        work();
        _exit(0);
    }
    return child;
}

static inline int wait_for(pid_t pid)
{
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static inline void run_child(void (*work)(void))
{
    ck_assert_int_eq(wait_for(start_child(work)), 0);
}

/* ---- epochs --------------------------------------------------------------------------------------- */

enum { EPOCH_MESSAGES = 40, EPOCH_PARTS = 3 };

static inline int64_t epoch_of(struct log *log)
{
    char *text = get_fact(log, "group", "epoch");
    int64_t epoch = text == NULL ? 0 : strtoll(text, NULL, 10);
    free(text);
    return epoch;
}

/* Goes on from the last epoch: EPOCH_MESSAGES messages to each partition and the number, each time. */
static inline void write_epochs(struct log *log, int64_t limit)
{
    struct log_topic *topic = find_topic(log, "t");
    for (int64_t epoch = epoch_of(log); epoch < limit; epoch++) {
        for (uint32_t p = 0; p < EPOCH_PARTS; p++) {
            append_samples(topic, p, epoch * EPOCH_MESSAGES + p, EPOCH_MESSAGES);
        }
        char text[32];
        snprintf(text, sizeof text, "%" PRId64, epoch + 1);
        commit(log, "epoch", text);
    }
}

/* The contents of every partition are those of the epoch that the fact tells; the last `depth` epochs
 * are looked at. */
static inline int64_t check_epochs(struct log *log, int64_t depth)
{
    struct log_topic *topic = find_topic(log, "t");
    int64_t epoch = epoch_of(log);
    int64_t first = epoch > depth ? epoch - depth : 0;
    for (uint32_t p = 0; p < EPOCH_PARTS; p++) {
        check_samples(topic, p, first * EPOCH_MESSAGES, epoch * EPOCH_MESSAGES, p, 1000);
    }
    return epoch;
}

static inline void create_epochs(void)
{
    struct log *log = open_writer();
    create_topic(log, "t", EPOCH_PARTS);
    log_close(log);
}

/* Shared with children. */
#endif
