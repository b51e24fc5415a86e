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

static inline const weir_sink_vtable *sink(void)
{
    return f.vtable;
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

/* All files of the folder as "NAME: CONTENTS", without leading zeros and `.jsonl`, sorted. */
static inline const char *list(void)
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
static inline void make(const char *more)
{
    char body[256];
    if (f.instance != NULL) {
        fixture_deinit(&f);
    }
    snprintf(body, sizeof body, "{path: %s%s%s}", folder, more[0] != '\0' ? ", " : "", more);
    ck_assert_msg(fixture_init(&f, "sink_file", body), "%s", f.complaint);
}

/* As after a crash or a clean end: a new process that knows the stored token. */
static inline const char *start(const char *more)
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

static inline const char *write_lines(const char *lines)
{
    weir_batch batch = fixture_messages(&f, lines);
    fixture_begin(&f, &batch);
    const char *answer = fixture_end(&f, sink()->write(f.instance->self, &f.call.context, &batch));
    fixture_retire(&f);
    return answer;
}

/* Records of topic "t", partition 0: "5:1 6:2" is value 1 at offset 5, value 2 at offset 6. */
static inline const char *write_records(const char *records)
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
static inline const char *flush_into(weir_buffer *ret_token, uint32_t flags)
{
    buffer_clear(ret_token);
    fixture_begin(&f, NULL);
    return fixture_end(
        &f, sink()->flush(f.instance->self, &f.call.context, INT64_MAX, flags, ret_token));
}

static inline const char *publish(const weir_buffer *token)
{
    weir_slice slice = { token->data, token->size };
    fixture_begin(&f, NULL);
    return fixture_end(&f, sink()->publish(f.instance->self, &f.call.context, slice));
}

/* Flush, commit, publish. */
static inline void checkpoint(uint32_t flags)
{
    ck_assert_str_eq(flush_into(&stored, flags), "");
    ck_assert_str_eq(publish(&stored), "");
}

static inline void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/weir-sink-test-XXXXXX");
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
