/* SPDX-License-Identifier: MIT */
/* For tests of the sink `file`: what stands in its folder, and a sink that knows the token `stored`. */
#ifndef FILE_FILE_FIXTURE_H
#define FILE_FILE_FIXTURE_H

#include <ftw.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/testing/fixture.h"
#include "unit.h"

static struct fixture f;
static char folder[64];
static char listed[1 << 14];
static weir_buffer stored; /* the token of the last checkpoint that was committed */

static inline const weir_sink_vtable *sink_of(const struct fixture *one)
{
    return one->vtable;
}

static inline const weir_sink_vtable *sink(void)
{
    return sink_of(&f);
}

/* ---- the folder -------------------------------------------------------------------------------- */

static char *names[4096];
static int name_count;

static inline int collect(const char *name, const struct stat *info, int kind, struct FTW *where)
{
    (void)info;
    (void)where;
    if (kind == FTW_F) {
        names[name_count++] = strdup(name);
    }
    return 0;
}

static inline int compare_names(const void *a, const void *b)
{
    return strcmp(*(char *const *)a, *(char *const *)b);
}

/* What stands behind the offset of a file of this sink, but for a generation: "", ".part", or all of it. */
static inline const char *short_ending(const char *ending)
{
    enum { GENERATION = 17 }; /* with its dot */
    const char *rest = ending + strlen(".jsonl");
    bool has_generation = strlen(rest) > GENERATION && strcmp(rest + GENERATION, ".part") == 0;
    return has_generation ? rest + GENERATION : rest;
}

/* Appends "NAME: CONTENTS", without leading zeros, `.jsonl` and generations, all on one line. */
static inline void list_file(const char *path, char *line, size_t room)
{
    char text[512] = "";
    FILE *file = fopen(path, "r");
    ck_assert_ptr_nonnull(file);
    size_t size = fread(text, 1, sizeof text - 1, file);
    fclose(file);
    for (size_t k = 0; k < size; k++) {
        text[k] = text[k] == '\n' ? ' ' : text[k];
    }
    const char *name = path + strlen(folder) + 1;
    const char *zeros = strstr(name, "/0000000000");
    int kept = zeros == NULL ? (int)strlen(name) : (int)(zeros - name) + 1;
    const char *rest = zeros == NULL ? "" : zeros + 1 + strspn(zeros + 1, "0");
    const char *ending = strstr(rest, ".jsonl");
    snprintf(line, room, "%.*s%.*s%s: %s", kept, name,
             ending == NULL ? (int)strlen(rest) : (int)(ending - rest), rest,
             ending == NULL ? "" : short_ending(ending), text);
}

/* All files of the folder as such lines, sorted. */
static inline const char *list(void)
{
    char line[1024];
    name_count = 0;
    listed[0] = '\0';
    ck_assert_int_eq(nftw(folder, collect, 16, FTW_PHYS), 0);
    for (int i = 0; i < name_count; i++) {
        list_file(names[i], line, sizeof line);
        free(names[i]);
        names[i] = strdup(line);
    }
    qsort(names, (size_t)name_count, sizeof names[0], compare_names);
    for (int i = 0; i < name_count; i++) {
        size_t at = strlen(listed);
        snprintf(listed + at, sizeof listed - at, "%s\n", names[i]);
        free(names[i]);
    }
    return listed;
}

static inline void put_file(const char *name, const char *text)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    fputs(text, file);
    fclose(file);
}

static inline void make_folder(const char *name)
{
    char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    ck_assert_int_eq(mkdir(path, 0777), 0);
}

/* ---- the sink ---------------------------------------------------------------------------------- */

/* As in a new process: a sink that is not open yet. */
static inline void make_one(struct fixture *one, const char *more)
{
    char body[256];
    if (one->instance != NULL) {
        fixture_deinit(one);
    }
    snprintf(body, sizeof body, "{path: %s%s%s}", folder, more[0] != '\0' ? ", " : "", more);
    ck_assert_msg(fixture_init(one, "sink_file", body), "%s", one->complaint);
}

static inline void make(const char *more)
{
    make_one(&f, more);
}

static inline const char *publish_of(struct fixture *one, const weir_buffer *token)
{
    weir_slice slice = { token->data, token->size };
    fixture_begin(one, NULL);
    return fixture_end(one, sink_of(one)->publish(one->instance->self, &one->call.context, slice));
}

/* With the stored token, as the engine does. */
static inline const char *open_one(struct fixture *one)
{
    weir_slice token = { stored.data, stored.size };
    fixture_begin(one, NULL);
    const char *answer =
        fixture_end(one, sink_of(one)->open(one->instance->self, &one->call.context, token));
    return answer[0] == '\0' && token.size > 0 ? publish_of(one, &stored) : answer;
}

/* As after a crash or a clean end: a new process that knows the stored token. */
static inline const char *start(const char *more)
{
    make(more);
    return open_one(&f);
}

static inline const char *write_lines_to(struct fixture *one, const char *lines)
{
    weir_batch batch = fixture_messages(one, lines);
    fixture_begin(one, &batch);
    const char *answer =
        fixture_end(one, sink_of(one)->write(one->instance->self, &one->call.context, &batch));
    fixture_retire(one);
    return answer;
}

static inline const char *write_lines(const char *lines)
{
    return write_lines_to(&f, lines);
}

/* Records of topic "t", partition 0: "5:1 6:2" is value 1 at offset 5, value 2 at offset 6. */
static inline const char *write_records_to(struct fixture *one, const char *records)
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
    return write_lines_to(one, lines);
}

static inline const char *write_records(const char *records)
{
    return write_records_to(&f, records);
}

/* Flushes into `ret_token`. */
static inline const char *flush_of(struct fixture *one, weir_buffer *ret_token, uint32_t flags)
{
    buffer_clear(ret_token);
    fixture_begin(one, NULL);
    return fixture_end(one, sink_of(one)->flush(one->instance->self, &one->call.context, INT64_MAX,
                                                flags, ret_token));
}

static inline const char *flush_into(weir_buffer *ret_token, uint32_t flags)
{
    return flush_of(&f, ret_token, flags);
}

static inline const char *publish(const weir_buffer *token)
{
    return publish_of(&f, token);
}

/* Flush, commit, publish. */
static inline void checkpoint(uint32_t flags)
{
    ck_assert_str_eq(flush_into(&stored, flags), "");
    ck_assert_str_eq(publish(&stored), "");
}

static const char *place = "/tmp"; /* where the folder is made */

static inline void setup(void)
{
    snprintf(folder, sizeof folder, "%s/weir-sink-test-XXXXXX", place);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    buffer_init(&stored, 1 << 20);
}

static inline void teardown(void)
{
    char command[256];
    fixture_deinit(&f);
    buffer_deinit(&stored);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

#endif
