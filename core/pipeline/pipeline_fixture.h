/* SPDX-License-Identifier: MIT */
/*
 * What tests of resolving share: a registry with small plugins of every kind, and loading of a file
 * whose text a test gives.
 */
#ifndef PIPELINE_PIPELINE_FIXTURE_H
#define PIPELINE_PIPELINE_FIXTURE_H

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "pipeline/pipeline.h"
#include "pipeline/pipeline_fixture_plugins.h"
#include "unit.h"

/* ---- loading ----------------------------------------------------------------------------------- */

static struct {
    struct arena arena;
    struct diagnostics diagnostics;
    struct registry registry;
    struct pipeline *pipeline;
    char folder[64];
    char path[96];
} fixture;

static void fixture_set_up(void)
{
    struct error error = { 0 };
    memset(&fixture, 0, sizeof fixture);
    arena_init(&fixture.arena, 0);
    diagnostics_init(&fixture.diagnostics, &fixture.arena);
    registry_init(&fixture.registry);
    ck_assert_msg(registry_add(&fixture.registry, &fixture_entry, "fixture.so", &error) == WEIR_OK,
                  "%s", error.message);
    snprintf(fixture.folder, sizeof fixture.folder, "/tmp/weir-pipeline-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(fixture.folder));
    snprintf(fixture.path, sizeof fixture.path, "%s/p.yaml", fixture.folder);
}

static void fixture_tear_down(void)
{
    pipeline_destroy(fixture.pipeline);
    registry_deinit(&fixture.registry);
    diagnostics_deinit(&fixture.diagnostics);
    arena_deinit(&fixture.arena);
    unlink(fixture.path);
    rmdir(fixture.folder);
}

/* Loads a file of this text; NULL where it has errors. Once per test. */
static struct pipeline *fixture_load(const char *text)
{
    FILE *file = fopen(fixture.path, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(text, 1, strlen(text), file), strlen(text));
    ck_assert_int_eq(fclose(file), 0);
    fixture.pipeline = pipeline_load(fixture.path, &fixture.registry, &fixture.diagnostics);
    return fixture.pipeline;
}

/* The same, and nothing may be wrong with it. */
static inline struct pipeline *fixture_load_right(const char *text)
{
    const struct pipeline *pipeline = fixture_load(text);
    ck_assert_msg(fixture.diagnostics.count == 0, "%s", fixture.diagnostics.list[0].message);
    ck_assert_ptr_nonnull(pipeline);
    return fixture.pipeline;
}

/* The n-th fault or warning, in the order of the file. */
static void fixture_expect(size_t n, enum severity severity, uint32_t line, uint32_t column,
                           const char *part)
{
    ck_assert_msg(n < fixture.diagnostics.count, "only %zu faults, none says '%s'",
                  fixture.diagnostics.count, part);
    const struct diagnostic *fault = &fixture.diagnostics.list[n];
    ck_assert_msg(strstr(fault->message, part) != NULL, "'%s' is not in: %s", part, fault->message);
    struct document_position position = document_position(fault->place);
    ck_assert_msg(position.line == line && position.column == column, "%u:%u: %s", position.line,
                  position.column, fault->message);
    ck_assert_int_eq(fault->severity, severity);
}

/* A file with exactly one fault. */
static inline void fixture_expect_only(const char *text, enum severity severity, uint32_t line,
                                       uint32_t column, const char *part)
{
    fixture_load(text);
    for (size_t i = 1; i < fixture.diagnostics.count; i++) {
        ck_abort_msg("a second fault: %s", fixture.diagnostics.list[i].message);
    }
    fixture_expect(0, severity, line, column, part);
}

/* A second plugin with a 'pass'. */
static inline void fixture_add_rival(void)
{
    struct error error = { 0 };
    ck_assert_int_eq(registry_add(&fixture.registry, &rival_entry, "rival.so", &error), WEIR_OK);
}

#endif
