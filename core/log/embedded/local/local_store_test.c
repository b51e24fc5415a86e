/* SPDX-License-Identifier: MIT */
/*
 * What only a log in a folder must do: outlive processes and crashes, admit one writer, and
 * tell what it cannot understand.
 */
#include "log/embedded/local/local_store.h"

#include <dirent.h>
#include <signal.h>
#include <stdatomic.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "log/embedded/local/keys.h"
#include "log/embedded/local/local_fixture.h"

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
    weir_status st =
        read_messages(topic, 0, offset, 10, UINT64_MAX, &arena, &messages, &count, &error);
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

static weir_status read_many(struct log_topic *topic, struct arena *arena,
                             struct log_batch *ret_batch)
{
    return log_read(topic, 0, 0, 3 * CHUNK_MESSAGES, UINT64_MAX, arena, ret_batch, &error);
}

/* The second chunk cannot be read: what was lent of the first is given back. */
START_TEST(a_read_that_fails_holds_nothing)
{
    struct arena arena;
    struct log_batch batch;
    struct log *log = open_writer();
    append_samples(create_topic(log, "t", 1), 0, 0, 2500);
    commit(log, NULL, NULL);
    log_close(log);
    char key[CHUNK_KEY_SIZE];
    key_chunk(key, KEY_CHUNK, 1, 0, CHUNK_MESSAGES);
    tamper(key, sizeof key, "\x02", 1);
    log = open_writer();
    arena_init(&arena, 0);
    ck_assert_int_eq(read_many(find_topic(log, "t"), &arena, &batch), WEIR_E_IO);
    ck_assert_uint_eq(atomic_load(&embedded_of(log)->lent_bytes), 0);
    arena_deinit(&arena);
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
    struct log_fact fact = fact_of("position/x", "2");
    for (int i = 0; i < 3; i++) {
        limit_files(50000);
        ck_assert_int_eq(commit_facts(log, "group", &fact, 1, &error), WEIR_E_IO);
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
    ck_assert_int_eq(commit_facts(log, "group", &fact, 1, &error), WEIR_E_IO);
    log_close(log);
    limit_files(RLIM_INFINITY);
    log = open_writer();
    check_samples(find_topic(log, "t"), 0, 0, 4000, 0, 1000);
    log_close(log);
}
END_TEST

/* The database is closed and opened anew under a batch that looks into its blocks. */
START_TEST(what_is_lent_stays_while_the_database_is_opened_anew)
{
    signal(SIGXFSZ, SIG_IGN);
    struct arena arena;
    struct log_batch batch;
    struct log *log = open_writer();
    struct log_topic *topic = create_topic(log, "t", 1);
    append_samples(topic, 0, 0, 2500);
    commit(log, NULL, NULL);
    arena_init(&arena, 0);
    ck_assert_int_eq(read_many(topic, &arena, &batch), WEIR_OK);
    ck_assert_ptr_nonnull(batch.lease.release);
    ck_assert_int_eq(read_at(topic, 5), WEIR_OK); /* a chunk of the old database stays read ahead */
    append_samples(topic, 0, 2500, 2500);
    struct log_fact fact = fact_of("position/x", "2");
    limit_files(50000);
    ck_assert_int_eq(commit_facts(log, "group", &fact, 1, &error), WEIR_E_IO);
    limit_files(RLIM_INFINITY);
    commit(log, "position/x", "2");
    ck_assert_uint_eq(batch.count, 2500);
    for (int64_t n = 0; n < 2500; n++) {
        ck_assert(is_sample(&batch.messages[n], n));
    }
    log_lease_end(&batch.lease);
    arena_deinit(&arena);
    check_samples(topic, 0, 0, 5000, 0, 1000);
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
    tcase_add_test(tc, a_damaged_chunk_is_named);
    tcase_add_test(tc, a_read_that_fails_holds_nothing);
    tcase_add_loop_test(tc, records_that_cannot_be_understood_are_told_when_opening, 0,
                        (int)(sizeof rubbish / sizeof rubbish[0]));
    tcase_add_loop_test(tc, a_folder_of_another_format_is_refused_untouched, 0,
                        (int)(sizeof format_cases / sizeof format_cases[0]));
    tcase_add_test(tc, the_witness_tells_what_is_missing);
    tcase_add_test(tc, a_log_without_current_is_not_begun_anew);
    tcase_add_test(tc, a_commit_that_failed_can_be_made_again);
    tcase_add_test(tc, what_is_lent_stays_while_the_database_is_opened_anew);
    tcase_add_test(tc, a_folder_that_cannot_be_made_is_an_error);
    suite_add_tcase(s, tc);
    return s;
}
