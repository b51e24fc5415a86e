/* SPDX-License-Identifier: MIT */
/* For tests of the source `file`: a file in a folder of its own, and a source that goes on at `position`. */
#ifndef FILE_FILE_FIXTURE_H
#define FILE_FILE_FIXTURE_H

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "support/testing/source_fixture.h"
#include "unit.h"

static struct fixture f;
static char folder[64];
static char path[128];
static struct kept_position position;

static inline void setup(void)
{
    snprintf(folder, sizeof folder, "/tmp/weir-source-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/in.jsonl", folder);
    position.size = 0;
}

static inline void teardown(void)
{
    char command[256];
    fixture_deinit(&f);
    snprintf(command, sizeof command, "rm -rf %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static inline void put(const char *mode, const char *text, size_t size)
{
    FILE *file = fopen(path, mode);
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, size, file), size);
    ck_assert_int_eq(fclose(file), 0);
}

static inline void write_file(const char *text)
{
    put("w", text, strlen(text));
}

static inline void append(const char *text)
{
    put("a", text, strlen(text));
}

static inline const weir_source_vtable *source(void)
{
    return f.vtable;
}

/* Makes a source with these further options and opens it at `position`; what open said. */
static inline const char *open_source(const char *more, uint32_t flags)
{
    char body[512];
    snprintf(body, sizeof body, "{path: %s%s%s}", path, more[0] != '\0' ? ", " : "", more);
    return fixture_open_source(&f, "source_file", body, &position, flags);
}

static weir_status last_status;

static inline const char *poll_source(uint32_t max_records)
{
    return fixture_poll(&f, max_records, &last_status);
}

static inline void checkpoint(void)
{
    fixture_checkpoint(&f, &position);
}

/* Everything up to the end, in polls of `max_records`. */
static inline const char *read_all(uint32_t max_records)
{
    static char told[1 << 16];
    told[0] = '\0';
    do {
        snprintf(told + strlen(told), sizeof told - strlen(told), "%s", poll_source(max_records));
    } while (last_status == WEIR_OK);
    return told;
}

/* Opens at the position, reads to the end, keeps the position. */
static inline const char *run(const char *more)
{
    const char *answer = open_source(more, 0);
    if (answer[0] != '\0') {
        return answer;
    }
    answer = read_all(100);
    if (last_status == WEIR_END) {
        checkpoint();
    }
    return answer;
}

static inline const char *describe(void)
{
    static char text[256];
    weir_buffer out;
    buffer_init(&out, 256);
    fixture_begin(&f, NULL);
    ck_assert_int_eq(source()->describe(f.instance->self, &f.call.context, &out), WEIR_OK);
    call_end(&f.call);
    snprintf(text, sizeof text, "%.*s", (int)out.size, (const char *)out.data);
    buffer_deinit(&out);
    return text;
}

#endif
