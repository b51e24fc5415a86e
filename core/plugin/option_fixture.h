/* SPDX-License-Identifier: MIT */
/*
 * For tests of options: nodes made by hand, as a parser would have made them from `source`, and what
 * was reported about them. A scalar's place is where its text first stands in the source.
 */
#ifndef PLUGIN_OPTION_FIXTURE_H
#define PLUGIN_OPTION_FIXTURE_H

#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "plugin/options.h"
#include "unit.h"

static struct arena arena;
static struct diagnostics diagnostics;
static struct symbols symbols;
static struct document_file source = { .name = "p.yaml", .text = "" };

static const char *test_env(void *self, const char *name)
{
    static const char *const pairs[][2] = {
        { "HOST", "db" }, { "EMPTY", "" },   { "NESTED", "${HOST}" },
        { "TEN", "10" },  { "BAD", "\xff" },
    };
    (void)self;
    for (size_t i = 0; i < sizeof pairs / sizeof pairs[0]; i++) {
        if (strcmp(pairs[i][0], name) == 0) {
            return pairs[i][1];
        }
    }
    return NULL;
}

static struct expr_env env = { .symbols = &symbols, .arena = &arena, .get_env = test_env };
static struct options_scope scope = {
    .arena = &arena, .diagnostics = &diagnostics, .env = &env, .folder = "/pipes"
};

static void setup(void)
{
    arena_init(&arena, 0);
    diagnostics_init(&diagnostics, &arena);
    symbols_init(&symbols);
    source = (struct document_file){ .name = "p.yaml", .text = "" };
}

static void teardown(void)
{
    diagnostics_deinit(&diagnostics);
    symbols_deinit(&symbols);
    arena_deinit(&arena);
}

static inline void set_source(const char *text)
{
    source.text = text;
    source.size = strlen(text);
}

static inline const struct node *styled(enum node_style style, const char *text)
{
    struct node *node = arena_zeroed(&arena, sizeof *node);
    const char *found = strstr(source.text, text);
    uint32_t offset = found != NULL ? (uint32_t)(found - source.text) : 0;
    *node = (struct node){ .kind = NODE_SCALAR,
                           .style = style,
                           .text = text,
                           .text_len = strlen(text),
                           .place = { &source, offset, (uint32_t)strlen(text) } };
    return node;
}

static inline const struct node *plain(const char *text)
{
    return styled(STYLE_PLAIN, text);
}

static inline const struct node *quoted(const char *text)
{
    return styled(STYLE_DOUBLE, text);
}

static inline const struct node *blank(void)
{
    struct node *node = arena_zeroed(&arena, sizeof *node);
    *node = (struct node){ .is_empty = true, .text = "", .place = { &source, 0, 0 } };
    return node;
}

/* list_of(2, plain("a"), plain("b")) */
static inline const struct node *list_of(size_t count, ...)
{
    struct node *node = arena_zeroed(&arena, sizeof *node);
    const struct node **items = arena_zeroed(&arena, (count + 1) * sizeof *items);
    va_list args;
    va_start(args, count);
    for (size_t i = 0; i < count; i++) {
        items[i] = va_arg(args, const struct node *);
    }
    va_end(args);
    *node = (struct node){
        .kind = NODE_LIST, .items = items, .count = count, .place = { &source, 0, 1 }
    };
    return node;
}

/* map_of(1, "key", plain("value")) */
static inline const struct node *map_of(size_t count, ...)
{
    struct node *node = arena_zeroed(&arena, sizeof *node);
    struct node_pair *pairs = arena_zeroed(&arena, (count + 1) * sizeof *pairs);
    va_list args;
    va_start(args, count);
    for (size_t i = 0; i < count; i++) {
        pairs[i].key = plain(va_arg(args, const char *));
        pairs[i].value = va_arg(args, const struct node *);
    }
    va_end(args);
    *node = (struct node){
        .kind = NODE_MAP, .pairs = pairs, .count = count, .place = { &source, 0, 1 }
    };
    return node;
}

static inline const char *message_at(size_t i)
{
    return i < diagnostics.count ? diagnostics.list[i].message : "";
}

/* Exactly one report: this message. */
static inline void expect_only(const char *message)
{
    ck_assert_str_eq(message_at(0), message);
    ck_assert_uint_eq(diagnostics.count, 1);
}

/* No report at all. */
static inline void expect_silence(void)
{
    ck_assert_str_eq(message_at(0), "");
    ck_assert_uint_eq(diagnostics.count, 0);
}

#endif
