/* SPDX-License-Identifier: MIT */
/* The sink `file`: names, rolling, tokens, crashes at every step between two checkpoints. */
#include "support/testing/fixture.h"

#include <dirent.h>
#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static struct fixture f;
static char folder[64];
static char listed[1 << 14];
static weir_buffer stored; /* the token of the last checkpoint that was committed */

static const weir_sink_vtable *sink(void)
{
    return f.vtable;
}

/* ---- the folder -------------------------------------------------------------------------------- */

static char *names[4096];
static int name_count;

static int collect(const char *name, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)where;
    if (kind == FTW_F) {
        names[name_count++] = strdup(name);
    }
    return 0;
}

static int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* All files of the folder as "NAME: CONTENTS", without leading zeros and `.jsonl`, sorted. */
static const char *list(void)
{
    name_count = 0;
    listed[0] = '\0';
    ck_assert_int_eq(nftw(folder, collect, 16, FTW_PHYS), 0);
    qsort(names, (size_t)name_count, sizeof names[0], compare_names);
    for (int i = 0; i < name_count; i++) {
        char text[512] = "";
        FILE *file = fopen(names[i], "r");
        ck_assert_ptr_nonnull(file);
        size_t size = fread(text, 1, sizeof text - 1, file);
        fclose(file);
        for (size_t k = 0; k < size; k++) {
            text[k] = text[k] == '\n' ? ' ' : text[k];
        }
        const char *name = names[i] + strlen(folder) + 1;
        const char *zeros = strstr(name, "/0000000000");
        int kept = zeros == NULL ? (int)strlen(name) : (int)(zeros - name) + 1;
        const char *rest = zeros == NULL ? "" : zeros + 1 + strspn(zeros + 1, "0");
        const char *ending = strstr(rest, ".jsonl");
        bool is_part = ending != NULL && strcmp(ending, ".jsonl.part") == 0;
        size_t at = strlen(listed);
        snprintf(listed + at, sizeof listed - at, "%.*s%.*s%s: %s\n", kept, name,
                 ending == NULL ? (int)strlen(rest) : (int)(ending - rest), rest,
                 is_part ? ".part" : "", text);
        free(names[i]);
    }
    return listed;
}

static void put_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static void make_folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

/* ---- the sink ---------------------------------------------------------------------------------- */

/* As in a new process: a sink that is not open yet. */
static void make(const char *more)
{
    char body[256];
    if (f.instance != NULL) {
        fixture_deinit(&f);
    }
    snprintf(body, sizeof body, "{path: %s%s%s}", folder, more[0] != '\0' ? ", " : "", more);
    ck_assert_msg(fixture_init(&f, "sink_file", body), "%s", f.complaint);
}

/* As after a crash or a clean end: a new process that knows the stored token. */
static const char *start(const char *more)
{
    make(more);
    weir_slice token = { stored.data, stored.size };
    fixture_begin(&f, NULL);
    const char *answer = fixture_end(&f, sink()->open(f.instance->self, &f.call.context, token));
    if (answer[0] == '\0' && token.size > 0) {
        fixture_begin(&f, NULL);
        answer = fixture_end(&f, sink()->publish(f.instance->self, &f.call.context, token));
    }
    return answer;
}

static const char *write_lines(const char *lines)
{
    weir_batch batch = fixture_messages(&f, lines);
    fixture_begin(&f, &batch);
    const char *answer = fixture_end(&f, sink()->write(f.instance->self, &f.call.context, &batch));
    fixture_retire(&f);
    return answer;
}

/* Records of topic "t", partition 0: "5:1 6:2" is value 1 at offset 5, value 2 at offset 6. */
static const char *write_records(const char *records)
{
    char lines[4096] = "";
    while (*records != '\0') {
        size_t at = strlen(lines);
        size_t offset_len = strcspn(records, ":");
        size_t len = strcspn(records, " ");
        snprintf(lines + at, sizeof lines - at,
                 "%s{\"topic\":\"t\",\"partition\":0,\"offset\":%.*s,\"value\":%.*s}",
                 at == 0 ? "" : "\n", (int)offset_len, records, (int)(len - offset_len - 1),
                 records + offset_len + 1);
        records += len;
        records += strspn(records, " ");
    }
    return write_lines(lines);
}

/* Flushes into `ret_token`. */
static const char *flush_into(weir_buffer *ret_token, uint32_t flags)
{
    buffer_clear(ret_token);
    fixture_begin(&f, NULL);
    return fixture_end(
        &f, sink()->flush(f.instance->self, &f.call.context, INT64_MAX, flags, ret_token));
}

static const char *publish(const weir_buffer *token)
{
    weir_slice slice = { token->data, token->size };
    fixture_begin(&f, NULL);
    return fixture_end(&f, sink()->publish(f.instance->self, &f.call.context, slice));
}

/* Flush, commit, publish. */
static void checkpoint(uint32_t flags)
{
    ck_assert_str_eq(flush_into(&stored, flags), "");
    ck_assert_str_eq(publish(&stored), "");
}

static void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/weir-sink-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    buffer_init(&stored, 1 << 20);
}

static void teardown(void)
{
    char command[256];
    fixture_deinit(&f);
    buffer_deinit(&stored);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

/* ---- files and names --------------------------------------------------------------------------- */

START_TEST(names_files_by_topic_partition_and_first_offset)
{
    ck_assert_str_eq(start(""), "");
    write_lines(
        "{\"topic\":\"a.b-c_d\",\"partition\":12,\"offset\":9223372036854775807,\"value\":1}\n"
        "{\"topic\":\"t\",\"partition\":0,\"offset\":0,\"value\":{\"a\": 1.10}}\n"
        "{\"topic\":\"t\",\"partition\":1,\"offset\":7,\"value\":null}\n"
        "{\"topic\":\"t\",\"partition\":0,\"offset\":1,\"value\":[ ]}");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "a.b-c_d/12/9223372036854775807.jsonl: 1 \n"
                             "t/0/: {\"a\": 1.10} [ ] \n"
                             "t/1/7: null \n");
}
END_TEST

START_TEST(writes_whole_records)
{
    ck_assert_str_eq(start("content: record"), "");
    write_lines(
        "{\"topic\":\"t\",\"partition\":0,\"offset\":3,\"timestamp\":5,\"key\":\"k\","
        "\"value\":{\"$bytes\":\"AP8=\"},\"headers\":[[\"h\",\"x\"],[\"b\",{\"$bytes\":\"/w==\"}],"
        "[\"n\",null]]}");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(
        list(),
        "t/0/3: {\"topic\":\"t\",\"partition\":0,\"offset\":3,\"timestamp\":5,\"key\":\"k\","
        "\"value\":{\"$bytes\":\"AP8=\"},\"headers\":[[\"h\",\"x\"],[\"b\",{\"$bytes\":\"/w==\"}],"
        "[\"n\",null]]} \n");
}
END_TEST

START_TEST(fails_what_json_has_no_form_for)
{
    ck_assert_str_eq(start(""), "");
    const char *answer = write_lines(
        "{\"topic\":\"t\",\"partition\":0,\"offset\":3,\"value\":{\"$bytes\":\"AP8=\"}}\n"
        "{\"topic\":\"t\",\"partition\":0,\"offset\":4,\"value\":4}");
    ck_assert_msg(strstr(answer, "! 0: cannot write the value as JSON: ") == answer, "%s", answer);
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/4: 4 \n");
}
END_TEST

static const char *const no_topics[] = { ".", "..", "a/b", "a\\u0000b" };

START_TEST(refuses_topics_that_are_no_folder)
{
    char line[128];
    ck_assert_str_eq(start(""), "");
    snprintf(line, sizeof line, "{\"topic\":\"%s\",\"partition\":0,\"offset\":3,\"value\":1}",
             no_topics[_i]);
    const char *answer = write_lines(line);
    ck_assert_msg(strstr(answer, "!! cannot make a folder for partition 0 of topic '") == answer,
                  "%s", answer);
    ck_assert_str_eq(list(), "");
}
END_TEST

START_TEST(shows_nothing_before_it_is_published)
{
    ck_assert_str_eq(start(""), "");
    write_records("5:1 6:2");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/5.part: 1 2 \n");
    write_records("7:3");
    ck_assert_str_eq(flush_into(&stored, WEIR_FLUSH_FINAL), "");
    ck_assert_str_eq(list(), "t/0/5.part: 1 2 3 \n");
    ck_assert_str_eq(publish(&stored), "");
    ck_assert_str_eq(list(), "t/0/5: 1 2 3 \n");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_uint_eq(stored.size, 0);
}
END_TEST

/* ---- rolling ----------------------------------------------------------------------------------- */

START_TEST(begins_a_new_file_when_one_is_large_enough)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 2:2 3:3 4:4 5:5");
    ck_assert_str_eq(flush_into(&stored, 0), "");
    ck_assert_str_eq(publish(&stored), "");
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 4 \nt/0/5.part: 5 \n");
}
END_TEST

START_TEST(never_parts_what_comes_of_one_record)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 1:2 1:3");
    write_records("1:4 2:5 2:6 2:7 3:8");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 4 \nt/0/2: 5 6 7 \nt/0/3.part: 8 \n");
}
END_TEST

START_TEST(ends_a_file_by_its_age_though_nothing_comes)
{
    ck_assert_str_eq(start("roll_age: 10s"), "");
    write_records("1:1");
    f.now_ms += 9999;
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1.part: 1 \n");
    f.now_ms += 1;
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 \n");
    write_records("2:2");
    f.now_ms += 10000;
    write_records("3:3");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 \nt/0/2: 2 \nt/0/3.part: 3 \n");
}
END_TEST

START_TEST(counts_age_and_size_across_restarts)
{
    ck_assert_str_eq(start("roll_size: 6, roll_age: 10s"), "");
    int64_t begin_ms = f.now_ms;
    write_records("1:1 2:2");
    checkpoint(0);
    ck_assert_str_eq(start("roll_size: 6, roll_age: 10s"), "");
    write_records("3:3 4:4");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 \nt/0/4.part: 4 \n");
    ck_assert_str_eq(start("roll_size: 6, roll_age: 10s"), "");
    f.now_ms = begin_ms + 10000;
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 2 3 \nt/0/4: 4 \n");
}
END_TEST

/* ---- crashes ----------------------------------------------------------------------------------- */

/*
 * A life of three checkpoints with files that roll, ended by a crash before step `stop`. Steps of a
 * checkpoint: 0 write, 1 flush, 2 commit, 3 publish, 4 published.
 */
static void live(int stop)
{
    static const char *const epochs[] = { "1:1 2:2 3:3", "4:4", "5:5 6:6 7:7 8:8" };
    weir_buffer token;
    buffer_init(&token, 1 << 20);
    for (int step = 0; step < 15 && step < stop; step++) {
        switch (step % 5) {
        case 0:
            ck_assert_str_eq(write_records(epochs[step / 5]), "");
            break;
        case 1:
            ck_assert_str_eq(flush_into(&token, 0), "");
            break;
        case 2:
            buffer_clear(&stored);
            ck_assert_int_eq(weir_buffer_append(&stored, token.data, token.size), WEIR_OK);
            break;
        case 3:
            ck_assert_str_eq(publish(&token), "");
            break;
        default:
            break;
        }
    }
    buffer_deinit(&token);
}

/* What the sink must be given again after a crash before step `stop`: what was not committed. */
static const char *rest_after(int stop)
{
    static const char *const rests[] = { "1:1 2:2 3:3 4:4 5:5 6:6 7:7 8:8", "4:4 5:5 6:6 7:7 8:8",
                                         "5:5 6:6 7:7 8:8", "" };
    return rests[(stop + 2) / 5];
}

START_TEST(has_each_record_once_after_a_crash_at_any_step)
{
    for (int again = 0; again <= 1; again++) { /* also when the next start crashes at once */
        ck_assert_str_eq(start("roll_size: 4"), "");
        live(_i);
        ck_assert_str_eq(start("roll_size: 4"), "");
        if (again) {
            write_records(rest_after(_i));
            ck_assert_str_eq(start("roll_size: 4"), "");
        }
        write_records(rest_after(_i));
        checkpoint(WEIR_FLUSH_FINAL);
        ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 4 \nt/0/5: 5 6 \nt/0/7: 7 8 \n");
        teardown();
        setup();
    }
}
END_TEST

START_TEST(publishes_again_without_harm)
{
    ck_assert_str_eq(start("roll_size: 2"), "");
    write_records("1:1 2:2 3:3");
    checkpoint(0);
    const char *expected = "t/0/1: 1 \nt/0/2: 2 \nt/0/3: 3 \n";
    ck_assert_str_eq(list(), expected);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(publish(&stored), "");
        ck_assert_str_eq(start("roll_size: 2"), "");
        ck_assert_str_eq(list(), expected);
    }
}
END_TEST

START_TEST(discards_what_was_written_since_the_last_token)
{
    ck_assert_str_eq(start("roll_size: 4"), "");
    write_records("1:1 2:2 3:3");
    checkpoint(0);
    write_records("4:4 5:5 6:6 7:7");
    weir_buffer token;
    buffer_init(&token, 1 << 20);
    ck_assert_str_eq(flush_into(&token, 0), "");
    buffer_deinit(&token);
    fixture_begin(&f, NULL);
    ck_assert_str_eq(fixture_end(&f, sink()->discard(f.instance->self, &f.call.context)), "");
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3.part: 3 \n");
    write_records("4:4 5:5");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/1: 1 2 \nt/0/3: 3 4 \nt/0/5.part: 5 \n");
}
END_TEST

START_TEST(discards_everything_where_there_is_no_token)
{
    ck_assert_str_eq(start(""), "");
    write_records("1:1");
    fixture_begin(&f, NULL);
    ck_assert_str_eq(fixture_end(&f, sink()->discard(f.instance->self, &f.call.context)), "");
    ck_assert_str_eq(list(), "");
    write_records("1:1");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 \n");
}
END_TEST

/* ---- what is not ours -------------------------------------------------------------------------- */

START_TEST(removes_stray_parts_and_nothing_else)
{
    make_folder("t");
    make_folder("t/0");
    make_folder("t/00");
    make_folder("t/x");
    make_folder("empty");
    put_file("t/0/0000000000000000005.jsonl.part", "stray");
    put_file("t/0/0000000000000000006.jsonl", "6");
    put_file("t/0/000000000000000007.jsonl.part", "18 digits");
    put_file("t/0/0000000000000000008.jsonl.part.bak", "bak");
    put_file("t/0/a.jsonl.part", "a");
    put_file("t/00/0000000000000000005.jsonl.part", "00");
    put_file("t/x/0000000000000000005.jsonl.part", "x");
    put_file("0000000000000000005.jsonl.part", "above");
    ck_assert_str_eq(start(""), "");
    const char *left = list();
    ck_assert_ptr_null(strstr(left, "stray"));
    static const char *const kept[] = { "6: 6", "18 digits", "bak",    "a.jsonl.part: a",
                                        ": 00", ": x",       ": above" };
    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        ck_assert_msg(strstr(left, kept[i]) != NULL, "%s is not in\n%s", kept[i], left);
    }
    char path[128];
    snprintf(path, sizeof path, "%s/empty", folder);
    ck_assert_int_eq(rmdir(path), 0);
}
END_TEST

START_TEST(never_writes_over_a_file_that_it_does_not_know)
{
    make_folder("t");
    make_folder("t/0");
    put_file("t/0/0000000000000000005.jsonl", "precious");
    ck_assert_str_eq(start(""), "");
    const char *answer = write_records("5:1");
    ck_assert_msg(strstr(answer, "0000000000000000005.jsonl' exists already") != NULL, "%s",
                  answer);
    ck_assert_str_eq(list(), "t/0/5: precious\n");
}
END_TEST

START_TEST(never_publishes_over_a_file)
{
    ck_assert_str_eq(start(""), "");
    write_records("5:1");
    ck_assert_str_eq(flush_into(&stored, WEIR_FLUSH_FINAL), "");
    put_file("t/0/0000000000000000005.jsonl", "precious");
    const char *answer = publish(&stored);
    ck_assert_msg(strstr(answer, "!! cannot publish '") == answer, "%s", answer);
    ck_assert_str_eq(list(), "t/0/5: precious\nt/0/5.part: 1 \n");
}
END_TEST

START_TEST(loses_nothing_of_a_part_that_is_too_short)
{
    ck_assert_str_eq(start(""), "");
    write_records("5:1 6:2 7:3");
    checkpoint(0);
    char path[256];
    snprintf(path, sizeof path, "%s/t/0/0000000000000000005.jsonl.part", folder);
    ck_assert_int_eq(truncate(path, 4), 0);
    const char *answer = start("");
    ck_assert_msg(strstr(answer, "has 4 bytes, but the checkpoint knows 6") != NULL, "%s", answer);
    ck_assert_str_eq(list(), "t/0/5.part: 1 2 \n");
    ck_assert_int_eq(unlink(path), 0);
    answer = start("");
    ck_assert_msg(strstr(answer, "is gone, of which the checkpoint knows 6 bytes") != NULL, "%s",
                  answer);
}
END_TEST

START_TEST(says_when_a_finished_file_is_gone_or_another)
{
    ck_assert_str_eq(start(""), "");
    write_records("5:1");
    ck_assert_str_eq(flush_into(&stored, WEIR_FLUSH_FINAL), "");
    char path[256];
    snprintf(path, sizeof path, "%s/t/0/0000000000000000005.jsonl.part", folder);
    ck_assert_int_eq(unlink(path), 0);
    const char *answer = publish(&stored);
    ck_assert_msg(strstr(answer, "is gone, with and without .part") != NULL, "%s", answer);
    put_file("t/0/0000000000000000005.jsonl", "precious");
    answer = publish(&stored);
    ck_assert_msg(strstr(answer, "has 8 bytes, but the checkpoint knows 2") != NULL, "%s", answer);
}
END_TEST

START_TEST(refuses_a_token_that_it_does_not_know)
{
    for (uint32_t size = 1; size < 80; size++) {
        buffer_clear(&stored);
        for (uint32_t i = 0; i < size; i++) {
            uint8_t byte = i == 0 ? (uint8_t)(1 + size % 2) : (uint8_t)(size * i);
            ck_assert_int_eq(weir_buffer_append(&stored, &byte, 1), WEIR_OK);
        }
        if (size == 1) {
            stored.data[0] = 2;
        }
        const char *answer = start("");
        ck_assert_msg(answer[0] == '!', "size %u: %s", size, answer);
    }
}
END_TEST

START_TEST(resets_what_it_has_published)
{
    ck_assert_str_eq(start("roll_size: 2"), "");
    write_records("1:1 2:2 3:3");
    checkpoint(0);
    make_folder("t/notes");
    put_file("t/notes/0000000000000000001.jsonl", "mine");
    put_file("README", "mine");
    make("roll_size: 2");
    fixture_begin(&f, NULL);
    ck_assert_str_eq(fixture_end(&f, sink()->reset(f.instance->self, &f.call.context)), "");
    ck_assert_str_eq(list(), "README: mine\nt/notes/1: mine\n");
}
END_TEST

/* ---- many partitions --------------------------------------------------------------------------- */

START_TEST(writes_more_partitions_than_descriptors)
{
    struct rlimit limit = { 275, 275 };
    enum { PARTITIONS = 280 };
    ck_assert_int_eq(setrlimit(RLIMIT_NOFILE, &limit), 0);
    ck_assert_str_eq(start(""), "");
    for (int round = 0; round < 3; round++) {
        for (int i = 0; i < PARTITIONS; i++) {
            char line[128];
            snprintf(line, sizeof line,
                     "{\"topic\":\"t\",\"partition\":%d,\"offset\":%d,\"value\":%d}", i, round,
                     i * 10 + round);
            ck_assert_str_eq(write_lines(line), "");
        }
        checkpoint(0);
        if (round == 1) {
            ck_assert_str_eq(start(""), "");
        }
    }
    checkpoint(WEIR_FLUSH_FINAL);
    for (int i = 0; i < PARTITIONS; i++) {
        char path[256];
        char expected[64];
        char text[64] = "";
        snprintf(path, sizeof path, "%s/t/%d/0000000000000000000.jsonl", folder, i);
        snprintf(expected, sizeof expected, "%d\n%d\n%d\n", i * 10, i * 10 + 1, i * 10 + 2);
        FILE *file = fopen(path, "r");
        ck_assert_ptr_nonnull(file);
        ck_assert_uint_gt(fread(text, 1, sizeof text - 1, file), 0);
        fclose(file);
        ck_assert_str_eq(text, expected);
    }
}
END_TEST

START_TEST(makes_its_folder_and_says_where_it_lies)
{
    char path[sizeof folder];
    weir_buffer out;
    ck_assert_int_eq(rmdir(folder), 0);
    memcpy(path, folder, sizeof path);
    snprintf(folder, sizeof folder, "%.40s/a/b", path); /* both are made */
    ck_assert_str_eq(start(""), "");
    write_records("1:1");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/1: 1 \n");
    buffer_init(&out, 256);
    ck_assert_int_eq(sink()->locate(f.instance->self, &out), WEIR_OK);
    ck_assert_str_eq(buffer_c_string(&out), folder);
    buffer_deinit(&out);
    memcpy(folder, path, sizeof path);
}
END_TEST

START_TEST(keeps_to_the_deadline)
{
    ck_assert_str_eq(start(""), "");
    write_records("1:1");
    f.monotonic_ns = 100;
    fixture_begin(&f, NULL);
    weir_buffer token;
    buffer_init(&token, 256);
    weir_status st = sink()->flush(f.instance->self, &f.call.context, 50, 0, &token);
    ck_assert_int_eq(st, WEIR_E_TIMEOUT);
    ck_assert_msg(strstr(fixture_end(&f, st), "durable in time") != NULL, "no message");
    buffer_deinit(&token);
}
END_TEST

/* ---- CSV --------------------------------------------------------------------------------------- */

/* The cells of one record, with columns a, b.c and d[0]. */
static const struct {
    const char *value;
    const char *expected;
} csv_cases[] = {
    { "{\"a\":1,\"b\":{\"c\":\"x\"},\"d\":[true]}", "1,x,true" },
    { "{\"a\":1.50,\"b\":null,\"d\":[]}", "1.50,," },
    { "{\"a\":null}", ",," },
    { "{\"a\":\"\",\"b\":{\"c\":\"7\"},\"d\":[\"true\"]}", "\"\",\"7\",\"true\"" },
    { "{\"a\":\"007\",\"b\":{\"c\":\"x,\\\"y\\\"\"}}", "007,\"x,\"\"y\"\"\"," },
    { "{\"a\":[1,\"x\"],\"b\":{\"c\":{}}}", "\"[1,\"\"x\"\"]\",{}," },
    { "{\"a\":\"two\\nlines\"}", "\"two lines\",," }, /* list() shows line breaks as blanks */
};

START_TEST(writes_the_columns_as_csv)
{
    char line[512];
    char expected[512];
    ck_assert_str_eq(start("format: csv, columns: [a, b.c, 'd[0]']"), "");
    snprintf(line, sizeof line, "{\"topic\":\"t\",\"partition\":0,\"offset\":5,\"value\":%s}",
             csv_cases[_i].value);
    ck_assert_str_eq(write_lines(line), "");
    checkpoint(WEIR_FLUSH_FINAL);
    snprintf(expected, sizeof expected, "t/0/5.csv: a,b.c,d[0] %s \n", csv_cases[_i].expected);
    ck_assert_str_eq(list(), expected);
}
END_TEST

START_TEST(leaves_no_line_empty_in_csv)
{
    ck_assert_str_eq(start("format: csv, columns: [a], delimiter: \";\""), "");
    ck_assert_str_eq(write_records("5:{} 6:{\"a\":\"x;\"}"), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/5.csv: a \"\" \"x;\" \n");
}
END_TEST

START_TEST(fails_what_is_no_row_of_csv)
{
    ck_assert_str_eq(start("format: csv, columns: [a]"), "");
    weir_batch batch =
        fixture_messages(&f, "{\"topic\":\"t\",\"partition\":0,\"offset\":1,\"value\":7}\n"
                             "{\"topic\":\"t\",\"partition\":0,\"offset\":2,\"value\":{\"a\":1}}\n"
                             "{\"topic\":\"t\",\"partition\":0,\"offset\":3,\"value\":null}");
    weir_member bytes = { WEIR_SYMBOL_NONE, 1, "a", weir_bytes_value("x", 1) };
    weir_record record = *batch.entries[1].record;
    weir_entry entries[] = { batch.entries[0], batch.entries[1], batch.entries[2],
                             batch.entries[1] };
    record.offset = 4;
    record.value = weir_map_value(&bytes, 1);
    entries[3].record = &record;
    batch.entries = entries;
    batch.count = 4;
    fixture_begin(&f, &batch);
    ck_assert_str_eq(fixture_end(&f, sink()->write(f.instance->self, &f.call.context, &batch)),
                     "! 0: cannot write the value as CSV: it is int, not a map\n"
                     "! 2: cannot write the value as CSV: it is null, not a map\n"
                     "! 3: cannot write the value as CSV: column 'a': JSON has no bytes; "
                     "write base64(...) or hex(...)\n");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/2.csv: a 1 \n");
}
END_TEST

START_TEST(begins_every_file_of_csv_with_the_header)
{
    ck_assert_str_eq(start("format: csv, columns: [a], roll_size: 1"), "");
    ck_assert_str_eq(write_records("5:{\"a\":1} 5:{\"a\":2} 6:{\"a\":3}"), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/5.csv: a 1 2 \nt/0/6.csv: a 3 \n");
}
END_TEST

/* The header is cut off and kept together with the records behind it. */
START_TEST(goes_on_in_csv_after_a_crash)
{
    const char *options = "format: csv, columns: [a]";
    ck_assert_str_eq(start(options), "");
    ck_assert_str_eq(write_records("5:{\"a\":1}"), "");
    ck_assert_str_eq(start(options), "");
    ck_assert_str_eq(list(), "");
    ck_assert_str_eq(write_records("5:{\"a\":1}"), "");
    checkpoint(0);
    ck_assert_str_eq(write_records("6:{\"a\":2}"), "");
    weir_buffer lost;
    buffer_init(&lost, 1 << 20);
    ck_assert_str_eq(flush_into(&lost, 0), "");
    buffer_deinit(&lost);
    ck_assert_str_eq(list(), "t/0/5.csv.part: a 1 2 \n");
    ck_assert_str_eq(start(options), "");
    ck_assert_str_eq(list(), "t/0/5.csv.part: a 1 \n");
    ck_assert_str_eq(write_records("6:{\"a\":2}"), "");
    checkpoint(WEIR_FLUSH_FINAL);
    ck_assert_str_eq(list(), "t/0/5.csv: a 1 2 \n");
}
END_TEST

START_TEST(begins_another_file_for_other_columns)
{
    ck_assert_str_eq(start("format: csv, columns: [a]"), "");
    ck_assert_str_eq(write_records("5:{\"a\":1,\"b\":2}"), "");
    checkpoint(0);
    ck_assert_str_eq(start("format: csv, columns: [a, b]"), "");
    ck_assert_str_eq(write_records("6:{\"a\":3,\"b\":4}"), "");
    ck_assert_str_eq(list(), "t/0/5.csv.part: a 1 \nt/0/6.csv.part: \n");
    checkpoint(0);
    ck_assert_str_eq(list(), "t/0/5.csv: a 1 \nt/0/6.csv.part: a,b 3,4 \n");
}
END_TEST

START_TEST(refuses_options_that_do_not_go_together)
{
    static const struct {
        const char *options;
        const char *complaint;
    } cases[] = {
        { "format: csv", "'format: csv' needs 'columns'; name the fields to write, such as "
                         "'columns: [id, name]'" },
        { "format: csv, columns: [a], content: record",
          "'content' says what a line of JSON holds, 'format: csv' has none; remove one of them" },
        { "format: csv, columns: [a], delimiter: ab",
          "'delimiter' must be one ASCII sign, and no letter, digit, quote or sign of a number; "
          "give one such as ',', ';', '|' or \"\\t\"" },
        { "columns: [a]", "'columns' is for CSV; add 'format: csv'" },
        { "delimiter: ;", "'delimiter' is for CSV; add 'format: csv'" },
    };
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct fixture refused;
        char body[128];
        snprintf(body, sizeof body, "{path: out, %s}", cases[i].options);
        ck_assert(!fixture_init(&refused, "sink_file", body));
        ck_assert_str_eq(refused.complaint, cases[i].complaint);
        fixture_deinit(&refused);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("sink_file");
    TCase *tests = tcase_create("sink_file");
    tcase_set_timeout(tests, 60);
    tcase_add_checked_fixture(tests, setup, teardown);
    tcase_add_test(tests, names_files_by_topic_partition_and_first_offset);
    tcase_add_test(tests, writes_whole_records);
    tcase_add_test(tests, fails_what_json_has_no_form_for);
    tcase_add_loop_test(tests, refuses_topics_that_are_no_folder, 0,
                        sizeof no_topics / sizeof no_topics[0]);
    tcase_add_test(tests, shows_nothing_before_it_is_published);
    tcase_add_test(tests, begins_a_new_file_when_one_is_large_enough);
    tcase_add_test(tests, never_parts_what_comes_of_one_record);
    tcase_add_test(tests, ends_a_file_by_its_age_though_nothing_comes);
    tcase_add_test(tests, counts_age_and_size_across_restarts);
    tcase_add_loop_test(tests, has_each_record_once_after_a_crash_at_any_step, 0, 16);
    tcase_add_test(tests, publishes_again_without_harm);
    tcase_add_test(tests, discards_what_was_written_since_the_last_token);
    tcase_add_test(tests, discards_everything_where_there_is_no_token);
    tcase_add_test(tests, removes_stray_parts_and_nothing_else);
    tcase_add_test(tests, never_writes_over_a_file_that_it_does_not_know);
    tcase_add_test(tests, never_publishes_over_a_file);
    tcase_add_test(tests, loses_nothing_of_a_part_that_is_too_short);
    tcase_add_test(tests, says_when_a_finished_file_is_gone_or_another);
    tcase_add_test(tests, refuses_a_token_that_it_does_not_know);
    tcase_add_test(tests, resets_what_it_has_published);
    tcase_add_test(tests, writes_more_partitions_than_descriptors);
    tcase_add_test(tests, makes_its_folder_and_says_where_it_lies);
    tcase_add_test(tests, keeps_to_the_deadline);
    tcase_add_loop_test(tests, writes_the_columns_as_csv, 0,
                        sizeof csv_cases / sizeof csv_cases[0]);
    tcase_add_test(tests, leaves_no_line_empty_in_csv);
    tcase_add_test(tests, fails_what_is_no_row_of_csv);
    tcase_add_test(tests, begins_every_file_of_csv_with_the_header);
    tcase_add_test(tests, goes_on_in_csv_after_a_crash);
    tcase_add_test(tests, begins_another_file_for_other_columns);
    tcase_add_test(tests, refuses_options_that_do_not_go_together);
    suite_add_tcase(made, tests);
    return made;
}
