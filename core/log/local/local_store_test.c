/* SPDX-License-Identifier: MIT */
/*
 * What only a log in a folder must do: outlive processes and crashes, admit one writer, let others
 * read beside it, and tell what it cannot understand.
 */
#include "log/local/local_store.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/clock.h"
#include "log/local/keys.h"
#include "log/log_fixture.h"

static const char url[] = "local:data";
static char *folder;
static char path[300];     /* folder/data */
static char database[320]; /* folder/data/log */
static struct error error;

static void setup(void)
{
    folder = make_folder();
    snprintf(path, sizeof path, "%s/data", folder);
    snprintf(database, sizeof database, "%s/log", path);
    setenv("TMPDIR", folder, 1);
}

static void teardown(void)
{
    remove_folder(folder);
}

static struct log *open_writer(void)
{
    return open_log(url, folder, LOG_WRITE);
}

static struct log_topic *find_topic(struct log *log, const char *name)
{
    struct log_topic *topic = log_topic_find(log, name);
    ck_assert_msg(topic != NULL, "no topic %s", name);
    return topic;
}

/* ---- reopening ------------------------------------------------------------------------------------- */

START_TEST(has_what_was_committed_when_opened_again)
{
    struct log *log = open_writer();
    struct log_topic *topic = create_topic(log, "t", 3);
    append_samples(topic, 2, 0, 2300);
    commit(log, "position/x", "17");
    append_samples(topic, 2, 2300, 100);
    log_close(log);

    log = open_writer();
    topic = find_topic(log, "t");
    ck_assert_uint_eq(topic->partitions, 3);
    check_samples(topic, 2, 0, 2300, 0, 1000);
    check_samples(topic, 0, 0, 0, 0, 1000);
    check_fact(log, "group", "position/x", "17");
    append_samples(topic, 2, 2300, 50);
    commit(log, NULL, NULL);
    int64_t offset = 0;
    ck_assert_int_eq(log_offset_at(topic, 2, 1000 + 2320, &offset, &error), WEIR_OK);
    ck_assert_int_eq(offset, 2320);
    log_close(log);

    log = open_writer();
    check_samples(find_topic(log, "t"), 2, 0, 2350, 0, 77);
    log_close(log);
}
END_TEST

START_TEST(remembers_emptied_and_dropped_topics)
{
    struct log *log = open_writer();
    append_samples(create_topic(log, "emptied", 2), 1, 0, 1100);
    append_samples(create_topic(log, "dropped", 1), 0, 0, 10);
    commit(log, NULL, NULL);
    ck_assert_int_eq(log_topic_empty(log_topic_find(log, "emptied"), &error), WEIR_OK);
    ck_assert_int_eq(log_topic_drop(log_topic_find(log, "dropped"), &error), WEIR_OK);
    log_close(log);

    log = open_writer();
    ck_assert_ptr_null(log_topic_find(log, "dropped"));
    check_samples(create_topic(log, "dropped", 4), 0, 0, 0, 0, 10);
    struct log_topic *topic = find_topic(log, "emptied");
    check_samples(topic, 1, 1100, 1100, 0, 10);
    append_samples(topic, 1, 1100, 5);
    commit(log, NULL, NULL);
    check_samples(topic, 1, 1100, 1105, 0, 10);
    log_close(log);
}
END_TEST

/* ---- processes ------------------------------------------------------------------------------------- */

/*
 * RocksDB's background threads do not survive a fork: whoever writes much in a child must not have
 * used it before. So each piece of work runs in a process of its own.
 */
static pid_t start_child(void (*work)(void))
{
    pid_t child = fork();
    ck_assert_int_ge(child, 0);
    if (child == 0) {
        work();
        _exit(0);
    }
    return child;
}

static int wait_for(pid_t pid)
{
    int status = 0;
    ck_assert_int_eq(waitpid(pid, &status, 0), pid);
    return status;
}

static void run_child(void (*work)(void))
{
    ck_assert_int_eq(wait_for(start_child(work)), 0);
}

/* ---- crashing -------------------------------------------------------------------------------------- */

static void write_without_commit(void)
{
    append_samples(find_topic(open_writer(), "t"), 0, 10, 5000);
}

START_TEST(a_crash_leaves_nothing_uncommitted)
{
    struct log *log = open_writer();
    append_samples(create_topic(log, "t", 1), 0, 0, 10);
    commit(log, NULL, NULL);
    log_close(log);
    run_child(write_without_commit);
    log = open_writer(); /* the lock of the dead process is nobody's */
    check_samples(find_topic(log, "t"), 0, 0, 10, 0, 1000);
    log_close(log);
}
END_TEST

enum { EPOCH_MESSAGES = 40, EPOCH_PARTS = 3 };

static int64_t epoch_of(struct log *log)
{
    char *text = get_fact(log, "group", "epoch");
    int64_t epoch = text == NULL ? 0 : strtoll(text, NULL, 10);
    free(text);
    return epoch;
}

/* Goes on from the last epoch: EPOCH_MESSAGES messages to each partition and the number, each time. */
static void write_epochs(struct log *log, int64_t limit)
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
static int64_t check_epochs(struct log *log, int64_t depth)
{
    struct log_topic *topic = find_topic(log, "t");
    int64_t epoch = epoch_of(log);
    int64_t first = epoch > depth ? epoch - depth : 0;
    for (uint32_t p = 0; p < EPOCH_PARTS; p++) {
        check_samples(topic, p, first * EPOCH_MESSAGES, epoch * EPOCH_MESSAGES, p, 1000);
    }
    return epoch;
}

static void create_epochs(void)
{
    struct log *log = open_writer();
    create_topic(log, "t", EPOCH_PARTS);
    log_close(log);
}

/* Shared with children. */
static _Atomic int64_t *reached;
static int64_t least_epoch;

static void write_on(void)
{
    struct log *log = open_writer();
    for (int64_t epoch = epoch_of(log) + 1;; epoch++) {
        write_epochs(log, epoch);
        *reached = epoch;
    }
}

static void check_all_epochs(void)
{
    struct log *log = open_writer();
    ck_assert_int_ge(check_epochs(log, INT64_MAX), least_epoch);
    log_close(log);
}

START_TEST(a_kill_leaves_whole_epochs)
{
    reached =
        mmap(NULL, sizeof *reached, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    run_child(create_epochs);
    for (unsigned round = 1; round <= 8; round++) {
        pid_t child = start_child(write_on);
        while (*reached < least_epoch + round) {
            usleep(1000);
        }
        usleep(round * 700); /* any moment of an epoch */
        least_epoch = *reached;
        kill(child, SIGKILL);
        (void)wait_for(child);
        run_child(check_all_epochs);
    }
}
END_TEST

/* ---- one writer ------------------------------------------------------------------------------------ */

/* A process that holds the log open until it is killed. */
static pid_t start_holder(void)
{
    int ready[2];
    char byte = 0;
    ck_assert_int_eq(pipe(ready), 0);
    pid_t child = fork();
    if (child == 0) {
        (void)open_writer();
        ck_assert_int_eq(write(ready[1], "x", 1), 1);
        pause();
        _exit(0);
    }
    close(ready[1]);
    ck_assert_int_eq(read(ready[0], &byte, 1), 1);
    close(ready[0]);
    return child;
}

START_TEST(refuses_a_second_writer_with_the_owners_pid)
{
    struct log *log = NULL;
    pid_t holder = start_holder();
    char expected[100];
    snprintf(expected, sizeof expected, "the log in 'data' is in use by process %d", (int)holder);
    ck_assert_int_eq(log_open(url, folder, LOG_WRITE, &log, &error), WEIR_E_IO);
    ck_assert_str_eq(error.message, expected);
    ck_assert_msg(strstr(error.hint, "--log local:DIR") != NULL, "%s", error.hint);
    ck_assert_uint_eq(error.error_class, WEIR_CLASS_RESOURCE);
    kill(holder, SIGKILL);
    (void)wait_for(holder);
    log_close(open_writer());
}
END_TEST

START_TEST(refuses_a_second_writer_in_the_same_process)
{
    struct log *log = NULL;
    struct log *first = open_writer();
    ck_assert_int_eq(log_open(url, folder, LOG_WRITE, &log, &error), WEIR_E_IO);
    ck_assert_str_eq(error.message, "the log in 'data' is already open in this process");
    pid_t child = fork();
    if (child == 0) { /* the refusal above has not given up the lock */
        _exit(log_open(url, folder, LOG_WRITE, &log, &error) == WEIR_E_IO ? 0 : 1);
    }
    ck_assert_int_eq(wait_for(child), 0);
    log_close(first);
    log_close(open_writer());
}
END_TEST

/* ---- readers --------------------------------------------------------------------------------------- */

/* Names, sizes and times of everything below, as text. */
static char *describe_folder(void)
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

START_TEST(a_reader_sees_the_committed_and_leaves_no_trace)
{
    struct log *log = open_writer();
    append_samples(create_topic(log, "t", 1), 0, 0, 1500);
    commit(log, "position/x", "1");
    append_samples(find_topic(log, "t"), 0, 1500, 100);
    log_close(log);
    char *before = describe_folder();
    struct log *reader = open_log(url, folder, LOG_READ);
    struct log_topic *topic = find_topic(reader, "t");
    check_samples(topic, 0, 0, 1500, 0, 1000);
    check_fact(reader, "group", "position/x", "1");
    ck_assert_int_eq(log_refresh(reader, &error), WEIR_OK);
    struct log_message message = message_of("k", "v", 0);
    ck_assert_int_eq(log_append(topic, 0, &message, 1, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_create(reader, "u", 1, NULL, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_drop(topic, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_topic_empty(topic, &error), WEIR_E_INVALID);
    ck_assert_int_eq(log_commit(reader, "g", NULL, 0, &error), WEIR_E_INVALID);
    log_close(reader);
    char *after = describe_folder();
    ck_assert_str_eq(after, before);
    free(before);
    free(after);
    DIR *rest = opendir(folder); /* nor any in the folder for temporary files */
    for (struct dirent *entry = readdir(rest); entry != NULL; entry = readdir(rest)) {
        ck_assert_msg(entry->d_name[0] == '.' || strcmp(entry->d_name, "data") == 0, "%s",
                      entry->d_name);
    }
    closedir(rest);
}
END_TEST

START_TEST(a_reader_of_nothing_is_told_so)
{
    struct log *log = NULL;
    struct stat file;
    ck_assert_int_eq(log_open(url, folder, LOG_READ, &log, &error), WEIR_E_NOT_FOUND);
    ck_assert_str_eq(error.message, "there is no log in 'data'");
    ck_assert_int_ne(stat(path, &file), 0);
    ck_assert_int_eq(mkdir(path, 0755), 0);
    ck_assert_int_eq(log_open(url, folder, LOG_READ, &log, &error), WEIR_E_NOT_FOUND);
    ck_assert_int_eq(log_open("memory", folder, LOG_READ, &log, &error), WEIR_E_NOT_FOUND);
}
END_TEST

START_TEST(a_reader_follows_topics_that_come_and_go)
{
    struct log *log = open_writer();
    append_samples(create_topic(log, "old", 1), 0, 0, 10);
    create_topic(log, "same", 1);
    commit(log, NULL, NULL);
    struct log *reader = open_log(url, folder, LOG_READ);
    struct log_topic *old = find_topic(reader, "old");
    struct log_topic *same = find_topic(reader, "same");
    check_samples(old, 0, 0, 10, 0, 100);
    ck_assert_int_eq(log_topic_drop(find_topic(log, "old"), &error), WEIR_OK);
    append_samples(create_topic(log, "new", 2), 1, 0, 5);
    append_samples(find_topic(log, "same"), 0, 0, 5);
    check_samples(same, 0, 0, 0, 0, 100); /* not committed */
    commit(log, NULL, NULL);
    ck_assert_int_eq(log_refresh(reader, &error), WEIR_OK);
    ck_assert_ptr_null(log_topic_find(reader, "old"));
    ck_assert_ptr_eq(log_topic_find(reader, "same"), same);
    check_samples(same, 0, 0, 5, 0, 100);
    check_samples(find_topic(reader, "new"), 1, 0, 5, 0, 100);
    struct log_partition_info info;
    ck_assert_int_eq(log_partition_info(old, 0, &info, &error), WEIR_E_NOT_FOUND);

    ck_assert_int_eq(log_topic_drop(find_topic(log, "same"), &error), WEIR_OK);
    append_samples(create_topic(log, "same", 7), 6, 100, 5);
    ck_assert_int_eq(log_topic_empty(find_topic(log, "new"), &error), WEIR_OK);
    commit(log, NULL, NULL);
    ck_assert_int_eq(log_refresh(reader, &error), WEIR_OK);
    ck_assert_ptr_ne(log_topic_find(reader, "same"), same);
    check_samples(find_topic(reader, "same"), 6, 0, 5, 100, 100);
    check_samples(find_topic(reader, "new"), 1, 5, 5, 0, 100);
    log_close(reader);
    log_close(log);
}
END_TEST

enum { BUSY_EPOCHS = 300, MEETING = 60 };

/* The reader's word that it has seen an epoch for whose like the writer waits. */
static int meeting[2];

/* The writer's files change all the time: memtables are written, files merged and removed. */
static void write_much(void)
{
    close(meeting[1]); /* so that a reader that has failed is not waited for */
    struct log *log = open_writer();
    struct log_topic *bulk = create_topic(log, "bulk", 1);
    char *value = malloc(64 * 1024);
    for (size_t i = 0; i < 64 * 1024; i++) {
        value[i] = (char)(i * 2654435761u >> 13);
    }
    struct log_message message = { .value = { (const uint8_t *)value, 64 * 1024 } };
    for (int64_t epoch = 0; epoch < BUSY_EPOCHS; epoch++) {
        for (int i = 0; i < 8; i++) {
            ck_assert_int_eq(log_append(bulk, 0, &message, 1, &error), WEIR_OK);
        }
        if (epoch == BUSY_EPOCHS / 2) {
            ck_assert_int_eq(log_topic_empty(bulk, &error), WEIR_OK);
        }
        write_epochs(log, epoch + 1);
        char word;
        ck_assert((epoch + 1) % MEETING != 0 || read(meeting[0], &word, 1) >= 0);
    }
    free(value);
    log_close(log);
}

START_TEST(a_reader_beside_a_busy_writer_sees_whole_epochs)
{
    run_child(create_epochs);
    ck_assert_int_eq(pipe(meeting), 0);
    pid_t child = start_child(write_much);
    struct log *reader = open_log(url, folder, LOG_READ);
    int64_t epoch = 0;
    int64_t seen = 0;
    int64_t met = 0;
    for (int rounds = 0; epoch < BUSY_EPOCHS && rounds < 200000; rounds++) {
        weir_status st = log_refresh(reader, &error);
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        int64_t now = check_epochs(reader, 5);
        ck_assert_int_ge(now, epoch);
        seen += now > epoch;
        epoch = now;
        for (; met < epoch / MEETING; met++) {
            ck_assert_int_eq(write(meeting[1], "", 1), 1);
        }
        if (rounds % 10 == 0) { /* opening anew meets other files */
            log_close(reader);
            reader = open_log(url, folder, LOG_READ);
        }
    }
    ck_assert_int_eq(wait_for(child), 0);
    ck_assert_int_eq(epoch, BUSY_EPOCHS);
    ck_assert_int_ge(seen, BUSY_EPOCHS / MEETING);
    close(meeting[0]);
    close(meeting[1]);
    check_epochs(reader, INT64_MAX);
    log_close(reader);
}
END_TEST

static void write_in_many_sessions(void)
{
    for (int64_t session = 1; session <= 60; session++) {
        struct log *log = open_writer();
        write_epochs(log, session * 3);
        log_close(log);
    }
}

/* Each session of the writer turns the logs of the one before into tables and removes them. */
START_TEST(a_reader_beside_a_writer_that_comes_and_goes_sees_no_hole)
{
    run_child(create_epochs);
    pid_t child = start_child(write_in_many_sessions);
    int64_t epoch = 0;
    for (int rounds = 0; epoch < 180 && rounds < 20000; rounds++) {
        struct log *reader = open_log(url, folder, LOG_READ);
        int64_t opened = check_epochs(reader, INT64_MAX);
        ck_assert_int_ge(opened, epoch);
        ck_assert_int_eq(log_refresh(reader, &error), WEIR_OK);
        epoch = check_epochs(reader, INT64_MAX);
        ck_assert_int_ge(epoch, opened);
        log_close(reader);
    }
    ck_assert_int_eq(wait_for(child), 0);
    ck_assert_int_eq(epoch, 180);
}
END_TEST

enum { TIDY_ROUNDS = 60, TIDY_MESSAGES = 2000, TIDY_KEYS = 300 };

/* Message n has the key n modulo TIDY_KEYS. */
static void write_and_tidy(void)
{
    struct log *log = open_writer();
    struct log_topic *topic = find_topic(log, "t");
    for (int64_t n = 0; n < (int64_t)TIDY_ROUNDS * TIDY_MESSAGES; n++) {
        char key[16];
        bool is_done = false;
        snprintf(key, sizeof key, "%d", (int)(n % TIDY_KEYS));
        struct log_message message = message_of(key, key, n);
        ck_assert_int_eq(log_append(topic, 0, &message, 1, &error), WEIR_OK);
        if (n % TIDY_MESSAGES == TIDY_MESSAGES - 1) {
            commit(log, NULL, NULL);
            ck_assert_int_eq(log_tidy(log, clock_wall_ms(), 1000, &is_done, &error), WEIR_OK);
        }
        if (n % (20 * TIDY_MESSAGES) == 0) {
            ck_assert_int_eq(log_trim(topic, 0, n - 100, &error), WEIR_OK);
        }
    }
    log_close(log);
}

/* All that is there, from the beginning; returns the offset behind the last. */
static int64_t read_tidied(struct log_topic *topic)
{
    struct arena arena;
    int64_t offset = 0;
    uint32_t count = 1;
    arena_init(&arena, 0);
    while (count > 0) {
        struct log_message *messages = NULL;
        if (log_read(topic, 0, offset, 700, UINT64_MAX, &arena, &messages, &count, &error) !=
            WEIR_OK) {
            ck_abort_msg("at %" PRId64 ": %s", offset, error.message);
        }
        for (uint32_t i = 0; i < count; i++) {
            int64_t n = messages[i].offset;
            char key[16];
            snprintf(key, sizeof key, "%d", (int)(n % TIDY_KEYS));
            if (n < offset || messages[i].timestamp != n ||
                !slice_equal(messages[i].key, slice_of(key))) {
                ck_abort_msg("message %" PRId64 " behind %" PRId64, n, offset);
            }
            offset = n + 1;
        }
        arena_reset(&arena);
    }
    arena_deinit(&arena);
    return offset;
}

static void create_tidied(void)
{
    struct log *log = open_writer();
    struct log_topic *topic = create_topic(log, "t", 1);
    const struct log_topic_options options = { .retention_bytes = 400000, .is_compacted = true };
    ck_assert_int_eq(log_topic_configure(topic, &options, &error), WEIR_OK);
    log_close(log);
}

START_TEST(a_reader_beside_retention_and_compaction_sees_no_hole)
{
    run_child(create_tidied);
    pid_t child = start_child(write_and_tidy);
    struct log *reader = open_log(url, folder, LOG_READ);
    int64_t end = 0;
    for (int rounds = 0; end < (int64_t)TIDY_ROUNDS * TIDY_MESSAGES && rounds < 20000; rounds++) {
        weir_status st = log_refresh(reader, &error);
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        int64_t now = read_tidied(find_topic(reader, "t"));
        ck_assert_int_ge(now, end);
        end = now;
        if (rounds % 10 == 0) {
            log_close(reader);
            reader = open_log(url, folder, LOG_READ);
        }
    }
    ck_assert_int_eq(wait_for(child), 0);
    ck_assert_int_eq(end, (int64_t)TIDY_ROUNDS * TIDY_MESSAGES);
    struct log_partition_info info;
    ck_assert_int_eq(log_partition_info(find_topic(reader, "t"), 0, &info, &error), WEIR_OK);
    ck_assert_int_gt(info.begin, 0);
    ck_assert_int_lt(info.count, 3 * TIDY_MESSAGES + TIDY_KEYS);
    log_close(reader);
}
END_TEST

/* ---- what cannot be understood --------------------------------------------------------------------- */

/* Puts a value under a key behind the log's back. value NULL: removes it. */
static void tamper(const char *key, size_t key_size, const char *value, size_t size)
{
    char *text = NULL;
    rocksdb_options_t *options = rocksdb_options_create();
    rocksdb_t *db = rocksdb_open(options, database, &text);
    ck_assert_msg(text == NULL, "%s", text);
    rocksdb_writeoptions_t *write_options = rocksdb_writeoptions_create();
    if (value == NULL) {
        rocksdb_delete(db, write_options, key, key_size, &text);
    } else {
        rocksdb_put(db, write_options, key, key_size, value, size, &text);
    }
    ck_assert_ptr_null(text);
    rocksdb_writeoptions_destroy(write_options);
    rocksdb_close(db);
    rocksdb_options_destroy(options);
}

static weir_status read_at(struct log_topic *topic, int64_t offset)
{
    struct arena arena;
    struct log_message *messages = NULL;
    uint32_t count = 0;
    arena_init(&arena, 0);
    weir_status st = log_read(topic, 0, offset, 10, UINT64_MAX, &arena, &messages, &count, &error);
    arena_deinit(&arena);
    return st;
}

START_TEST(a_damaged_chunk_is_named)
{
    struct log *log = open_writer();
    struct log_topic *topic = create_topic(log, "t", 1);
    append_samples(topic, 0, 0, 2500);
    commit(log, NULL, NULL);
    log_close(log);
    char key[CHUNK_KEY_SIZE];
    key_chunk(key, KEY_CHUNK, 1, 0, CHUNK_MESSAGES);
    tamper(key, sizeof key, "\x02rubbish that is long enough for a head of a chunk", 50);
    log = open_writer();
    topic = find_topic(log, "t");
    ck_assert_int_eq(read_at(topic, 5), WEIR_OK);
    ck_assert_int_eq(read_at(topic, CHUNK_MESSAGES + 1), WEIR_E_IO);
    ck_assert_msg(strstr(error.message, "topic 't' partition 0 offset 1024:") != NULL, "%s",
                  error.message);
    ck_assert_int_eq(read_at(topic, 2 * CHUNK_MESSAGES + 1), WEIR_OK);
    log_close(log);

    tamper(key, sizeof key, NULL, 0);
    log = open_writer();
    ck_assert_int_eq(read_at(find_topic(log, "t"), CHUNK_MESSAGES + 1), WEIR_E_IO);
    ck_assert_str_eq(error.message,
                     "the log is damaged: topic 't' partition 0 has no message at offset 1025");
    log_close(log);
}
END_TEST

static const struct rubbish {
    const char *key;
    size_t key_size;
    const char *expected;
} rubbish[] = {
    { "tt", 2, "the record of topic 't' cannot be understood" },
    { "p\0\0\0\1\0\0\0\0", 9, "the record of topic 't' cannot be understood" },
    { "p\0\0\0\1\0\0\0\7", 9, "the record of topic 't' cannot be understood" },
};

START_TEST(records_that_cannot_be_understood_are_told_when_opening)
{
    struct log *log = open_writer();
    append_samples(create_topic(log, "t", 1), 0, 0, 5);
    commit(log, NULL, NULL);
    log_close(log);
    tamper(rubbish[_i].key, rubbish[_i].key_size, "9", 1);
    const enum log_mode modes[] = { LOG_WRITE, LOG_READ };
    for (size_t i = 0; i < 2; i++) {
        ck_assert_int_lt(log_open(url, folder, modes[i], &log, &error), 0);
        ck_assert_msg(strstr(error.message, rubbish[_i].expected) != NULL, "%s", error.message);
    }
}
END_TEST

/* ---- the folder ------------------------------------------------------------------------------------ */

static void write_file(const char *name, const char *text)
{
    char file[400];
    snprintf(file, sizeof file, "%s/%s", path, name);
    FILE *out = fopen(file, "w");
    ck_assert_ptr_nonnull(out);
    fputs(text, out);
    fclose(out);
}

static void make_log(void)
{
    struct log *log = open_writer();
    append_samples(create_topic(log, "t", 1), 0, 0, 5);
    commit(log, "position/x", "1");
    append_samples(find_topic(log, "t"), 0, 5, 5);
    commit(log, "position/x", "2");
    log_close(log);
}

static const struct format_case {
    const char *text; /* NULL: there is no such file */
    const char *expected;
} format_cases[] = {
    { "weir-log 3\n", "the log in 'data' has format 3, this version of weir knows format 2" },
    { NULL, "the log in 'data' has format 1, this version of weir knows format 2" },
    { "weir-log x\n", "the log in 'data' is damaged: its file 'format' does not say 'weir-log 2'" },
    { "", "the log in 'data' is damaged: its file 'format' does not say 'weir-log 2'" },
};

START_TEST(a_folder_of_another_format_is_refused_untouched)
{
    char file[400];
    make_log();
    snprintf(file, sizeof file, "%s/format", path);
    if (format_cases[_i].text == NULL) {
        ck_assert_int_eq(unlink(file), 0);
    } else {
        write_file("format", format_cases[_i].text);
    }
    char *before = describe_folder();
    const enum log_mode modes[] = { LOG_WRITE, LOG_READ };
    for (size_t i = 0; i < 2; i++) {
        struct log *log = NULL;
        ck_assert_int_lt(log_open(url, folder, modes[i], &log, &error), 0);
        ck_assert_str_eq(error.message, format_cases[_i].expected);
        ck_assert_str_ne(error.hint, "");
    }
    char *after = describe_folder();
    ck_assert_str_eq(after, before);
    free(before);
    free(after);
    write_file("format", "weir-log 2\n");
    log_close(open_writer());
}
END_TEST

/* What a crash after the last sync might have left, and what it cannot. */
START_TEST(the_witness_tells_what_is_missing)
{
    struct log *log = NULL;
    make_log();
    struct witness witness;
    char file[400];
    snprintf(file, sizeof file, "%s/committed", path);
    witness_init(&witness);
    ck_assert_int_eq(witness_open(&witness, file, true, &error), WEIR_OK);
    uint64_t commits = witness_read(&witness);
    ck_assert_uint_eq(commits, 3); /* the topic, two commits */
    witness_write(&witness, commits - 1);
    log_close(open_writer());
    const enum log_mode modes[] = { LOG_WRITE, LOG_READ };
    for (size_t i = 0; i < 2; i++) {
        witness_write(&witness, commits + 2);
        ck_assert_int_eq(log_open(url, folder, modes[i], &log, &error), WEIR_E_IO);
        ck_assert_str_eq(error.message, "the log in 'data' is damaged: its file 'committed' tells "
                                        "of 5 changes, its files in 'log' hold 3");
    }
    witness_close(&witness);
    write_file("committed", "no witness at all");
    log = open_writer();
    commit(log, "position/x", "3");
    log_close(log);
    witness_init(&witness);
    ck_assert_int_eq(witness_open(&witness, file, false, &error), WEIR_OK);
    ck_assert_uint_eq(witness_read(&witness), 4);
    witness_close(&witness);
}
END_TEST

START_TEST(a_log_without_current_is_not_begun_anew)
{
    struct log *log = NULL;
    char file[400];
    make_log();
    snprintf(file, sizeof file, "%s/CURRENT", database);
    ck_assert_int_eq(unlink(file), 0);
    ck_assert_int_eq(log_open(url, folder, LOG_WRITE, &log, &error), WEIR_E_IO);
    ck_assert_str_eq(error.message,
                     "the log in 'data' is damaged: file 'log/CURRENT': it is missing");
    ck_assert_int_ne(access(file, F_OK), 0);
}
END_TEST

/* ---- writes that fail ------------------------------------------------------------------------------ */

/* As on a full disk: no file grows beyond a limit. */
static void limit_files(rlim_t bytes)
{
    struct rlimit limit;
    ck_assert_int_eq(getrlimit(RLIMIT_FSIZE, &limit), 0);
    limit.rlim_cur = bytes;
    ck_assert_int_eq(setrlimit(RLIMIT_FSIZE, &limit), 0);
}

START_TEST(a_commit_that_failed_can_be_made_again)
{
    signal(SIGXFSZ, SIG_IGN);
    struct log *log = open_writer();
    struct log_topic *topic = create_topic(log, "t", 1);
    append_samples(topic, 0, 0, 1000);
    commit(log, "position/x", "1");
    append_samples(topic, 0, 1000, 3000);
    struct log_fact fact = { "position/x", slice_of("2") };
    for (int i = 0; i < 3; i++) {
        limit_files(50000);
        ck_assert_int_eq(log_commit(log, "group", &fact, 1, &error), WEIR_E_IO);
        ck_assert(error.is_retriable);
        ck_assert_msg(strstr(error.hint, "make room") != NULL, "%s", error.hint);
        limit_files(RLIM_INFINITY);
        check_samples(topic, 0, 1000, 4000, 0, 1000); /* from memory */
    }
    commit(log, "position/x", "2");
    check_samples(topic, 0, 0, 4000, 0, 1000);
    check_fact(log, "group", "position/x", "2");
    append_samples(topic, 0, 4000, 1000);
    limit_files(50000);
    ck_assert_int_eq(log_commit(log, "group", &fact, 1, &error), WEIR_E_IO);
    log_close(log);
    limit_files(RLIM_INFINITY);
    log = open_writer();
    check_samples(find_topic(log, "t"), 0, 0, 4000, 0, 1000);
    log_close(log);
}
END_TEST

START_TEST(a_folder_that_cannot_be_made_is_an_error)
{
    struct log *log = NULL;
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fclose(file);
    ck_assert_int_lt(log_open(url, folder, LOG_WRITE, &log, &error), 0);
    ck_assert_msg(strstr(error.message, "data") != NULL, "%s", error.message);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("local_store");
    TCase *tc = tcase_create("local_store");
    tcase_set_timeout(tc, 60);
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, has_what_was_committed_when_opened_again);
    tcase_add_test(tc, remembers_emptied_and_dropped_topics);
    tcase_add_test(tc, a_crash_leaves_nothing_uncommitted);
    tcase_add_test(tc, a_kill_leaves_whole_epochs);
    tcase_add_test(tc, refuses_a_second_writer_with_the_owners_pid);
    tcase_add_test(tc, refuses_a_second_writer_in_the_same_process);
    tcase_add_test(tc, a_reader_sees_the_committed_and_leaves_no_trace);
    tcase_add_test(tc, a_reader_of_nothing_is_told_so);
    tcase_add_test(tc, a_reader_follows_topics_that_come_and_go);
    tcase_add_test(tc, a_reader_beside_a_busy_writer_sees_whole_epochs);
    tcase_add_test(tc, a_reader_beside_a_writer_that_comes_and_goes_sees_no_hole);
    tcase_add_test(tc, a_reader_beside_retention_and_compaction_sees_no_hole);
    tcase_add_test(tc, a_damaged_chunk_is_named);
    tcase_add_loop_test(tc, records_that_cannot_be_understood_are_told_when_opening, 0,
                        (int)(sizeof rubbish / sizeof rubbish[0]));
    tcase_add_loop_test(tc, a_folder_of_another_format_is_refused_untouched, 0,
                        (int)(sizeof format_cases / sizeof format_cases[0]));
    tcase_add_test(tc, the_witness_tells_what_is_missing);
    tcase_add_test(tc, a_log_without_current_is_not_begun_anew);
    tcase_add_test(tc, a_commit_that_failed_can_be_made_again);
    tcase_add_test(tc, a_folder_that_cannot_be_made_is_an_error);
    suite_add_tcase(s, tc);
    return s;
}
