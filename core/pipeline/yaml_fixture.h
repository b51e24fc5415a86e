/* SPDX-License-Identifier: MIT */
/* What tests of parsing share: an arena, a list of faults, and a file of which the text is given. */
#ifndef PIPELINE_YAML_FIXTURE_H
#define PIPELINE_YAML_FIXTURE_H

#include <string.h>

#include "pipeline/pipeline.h"
#include "unit.h"

static struct arena arena;
static struct diagnostics diagnostics;

static void set_up(void)
{
    arena_init(&arena, 0);
    diagnostics_init(&diagnostics, &arena);
}

static void tear_down(void)
{
    diagnostics_deinit(&diagnostics);
    arena_deinit(&arena);
}

/* NULL: it has faults. */
static const struct node *parse_bytes(const char *text, size_t size)
{
    struct document_file *file = arena_alloc(&arena, sizeof *file);
    ck_assert_ptr_nonnull(file);
    *file = (struct document_file){ "t.yaml", text, size };
    return yaml_parse(file, &arena, &diagnostics);
}

static const struct node *parse(const char *text)
{
    return parse_bytes(text, strlen(text));
}

#endif
