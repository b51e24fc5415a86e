/* SPDX-License-Identifier: MIT */
/*
 * Drawings of pipelines that are built by hand: what of a plugin's options is told, names, order of
 * ways, escapes. Whole pictures of files are compared in tests/graph.
 */
#include <stddef.h>
#include <string.h>

#include <weir/option.h>

#include "base/buffer.h"
#include "base/memory.h"
#include "graph/draw.h"
#include "unit.h"

struct config {
    weir_text path;
    weir_option_list list;
    weir_option_map map;
    int64_t mode;
};

static const char *const modes[] = { "slow", "fast", NULL };
static const weir_option text_element = { .name = "item", .type = WEIR_OPTION_TEXT };

/* Only one of them is the body at a time: the tables below each begin at one of these. */
static const weir_option path_table[] = { { .name = "path",
                                            .type = WEIR_OPTION_TEXT,
                                            .flags = WEIR_OPTION_BODY | WEIR_OPTION_PATH,
                                            .offset = offsetof(struct config, path) },
                                          WEIR_OPTIONS_END };
static const weir_option list_table[] = { { .name = "list",
                                            .type = WEIR_OPTION_LIST,
                                            .flags = WEIR_OPTION_BODY,
                                            .offset = offsetof(struct config, list),
                                            .element = &text_element },
                                          WEIR_OPTIONS_END };
static const weir_option map_table[] = { { .name = "map",
                                           .type = WEIR_OPTION_MAP,
                                           .flags = WEIR_OPTION_BODY,
                                           .key_type = WEIR_OPTION_TEXT,
                                           .offset = offsetof(struct config, map),
                                           .element = &text_element },
                                         WEIR_OPTIONS_END };
static const weir_option enum_table[] = { { .name = "mode",
                                            .type = WEIR_OPTION_ENUM,
                                            .flags = WEIR_OPTION_BODY,
                                            .enum_names = modes,
                                            .offset = offsetof(struct config, mode) },
                                          WEIR_OPTIONS_END };
static const weir_option secret_table[] = { { .name = "path",
                                              .type = WEIR_OPTION_SECRET,
                                              .flags = WEIR_OPTION_BODY,
                                              .offset = offsetof(struct config, path) },
                                            WEIR_OPTIONS_END };
static const weir_option no_body_table[] = {
    { .name = "path", .type = WEIR_OPTION_TEXT, .offset = offsetof(struct config, path) },
    WEIR_OPTIONS_END
};

#define TEXT(t)                                                                                    \
 {                                                                                                 \
  .data = (t), .size = sizeof(t) - 1                                                               \
 }

static const weir_option_value items[] = { { .text = TEXT("a") }, { .text = TEXT("b  \n c") } };
static const weir_option_pair pairs[] = {
    { { .text = TEXT("a") }, { .text = TEXT("1 + 2") } },
    { { .text = TEXT("b") }, { .text = TEXT("b") } },
};
static const struct config config = {
    .path = TEXT("folder/in\tput"), .list = { items, 2 }, .map = { pairs, 2 }, .mode = 1
};
static const struct config one_pair = { .map = { pairs, 1 } };

struct body_case {
    const weir_option *table;
    const struct config *config;
    const char *brief;
    const char *full;
};

static const struct body_case body_cases[] = {
    { path_table, &config, "in put", "in put" },
    { list_table, &config, "a, b c", "a, b c" },
    { map_table, &config, "a, b", "a: 1 + 2, b" },
    { map_table, &one_pair, "a: 1 + 2", "a: 1 + 2" },
    { enum_table, &config, "fast", "fast" },
    { secret_table, &config, "", "" },
    { no_body_table, &config, "", "" },
    { NULL, NULL, "", "" },
};

static struct arena arena;

START_TEST(a_body_is_told_in_one_line)
{
    const struct body_case *c = &body_cases[_i];
    weir_factory spec = { .struct_size = sizeof spec, .name = "plugin", .options = c->table };
    struct factory factory = { .spec = &spec };
    struct plugin_use use = { .factory = &factory, .config = c->config };
    ck_assert_str_eq(draw_body(&use, "folder", true, &arena), c->brief);
    ck_assert_str_eq(draw_body(&use, "folder", false, &arena), c->full);
}
END_TEST

/* A topic, a stream with one step that reads it, its two ends, and a stream that reads that. */
static weir_factory spec = { .struct_size = sizeof spec, .name = "st\"<p>&" };
static struct factory factory = { .spec = &spec };
static struct topic in = { .name = "in", .key.factory = &factory, .value.factory = &factory };
static struct topic out = { .name = "out", .key.factory = &factory, .value.factory = &factory };
static struct topic *topics[] = { &in, &out };
static struct topic *to_out[] = { &out };
static struct plugin_use steps[] = { { .factory = &factory } };
static struct end ends[] = { { .kind = END_SINK, .plugin.factory = &factory },
                             { .kind = END_TOPIC, .topics = to_out, .topic_count = 1 } };
static struct stream first = { .name = "first",
                               .topic = &in,
                               .steps = steps,
                               .step_count = 1,
                               .ends = ends,
                               .end_count = 2,
                               .is_read = true };
static struct stream_input inputs[] = { { .stream = &first, .name = "first" } };
static struct stream second = {
    .name = "second", .inputs = inputs, .input_count = 1, .from_count = 1
};
static struct stream *streams[] = { &first, &second };
static const struct pipeline pipeline = { .name = "p",
                                          .folder = ".",
                                          .topics = topics,
                                          .topic_count = 2,
                                          .streams = streams,
                                          .stream_count = 2 };

START_TEST(ends_come_before_readers)
{
    const struct drawing *drawing = drawing_create(&pipeline, &arena);
    static const char *const names[] = { "st\"<p>&", "out", "second" };
    ck_assert_ptr_nonnull(drawing);
    ck_assert_uint_eq(drawing->node_count, 5);
    const struct draw_node *node = &drawing->nodes[2];
    ck_assert_str_eq(node->name, "first");
    ck_assert_uint_eq(node->ins, 1);
    ck_assert_uint_eq(node->out_count, 3);
    for (uint32_t i = 0; i < 3; i++) {
        uint32_t to = drawing->edges[node->outs[i]].to;
        ck_assert_str_eq(drawing->nodes[to].name, names[i]);
    }
}
END_TEST

struct form_case {
    drawing_writer *write;
    const char *part;
};

static const struct form_case form_cases[] = {
    { drawing_write_text, "   \xe2\x94\x82  st\"<p>&\n" },
    { drawing_write_text, "   \xe2\x94\x9c\xe2\x94\x80 topic out\n" },
    { drawing_write_text, "   \xe2\x94\x94\xe2\x94\x80 second\n" },
    { drawing_write_dot, "label=\"first\\nst\\\"<p>&\\l\"" },
    { drawing_write_mermaid, "n2[\"first<br/>st#quot;#lt;p#gt;#amp;\"]\n" },
    { drawing_write_svg, ">st&quot;&lt;p&gt;&amp;<" },
    { drawing_write_json, "\"plugins\":[\"st\\\"<p>&\"]" },
};

START_TEST(every_form_escapes_in_its_way)
{
    const struct form_case *c = &form_cases[_i];
    const struct drawing *drawing = drawing_create(&pipeline, &arena);
    struct error error = { 0 };
    weir_buffer text;
    buffer_init(&text, 1 << 20);
    ck_assert_ptr_nonnull(drawing);
    ck_assert_int_eq(c->write(drawing, &text, &error), WEIR_OK);
    ck_assert_msg(strstr(buffer_c_string(&text), c->part) != NULL, "not found: %s\nin: %s", c->part,
                  (const char *)text.data);
    buffer_deinit(&text);
}
END_TEST

START_TEST(a_full_buffer_is_told)
{
    const struct drawing *drawing = drawing_create(&pipeline, &arena);
    struct error error = { 0 };
    weir_buffer text;
    buffer_init(&text, 20);
    ck_assert_int_eq(form_cases[_i].write(drawing, &text, &error), WEIR_E_LIMIT);
    ck_assert_str_eq(error.message, "the graph is too large to be drawn");
    buffer_deinit(&text);
}
END_TEST

START_TEST(without_memory_there_is_no_drawing)
{
    const struct drawing *drawing = NULL;
    for (size_t k = 1; drawing == NULL; k++) {
        arena_deinit(&arena);
        arena_init(&arena, 16);
        memory_fail_from(k);
        drawing = drawing_create(&pipeline, &arena);
        memory_fail_from(0);
        ck_assert_uint_lt(k, 200);
    }
    ck_assert_uint_eq(drawing->edge_count, 4);
}
END_TEST

static void set_up(void)
{
    arena_init(&arena, 0);
}

static void tear_down(void)
{
    memory_fail_from(0);
    arena_deinit(&arena);
}

Suite *suite(void)
{
    Suite *s = suite_create("draw");
    TCase *tc = tcase_create("draw");
    int forms = (int)(sizeof form_cases / sizeof form_cases[0]);
    tcase_add_checked_fixture(tc, set_up, tear_down);
    tcase_add_loop_test(tc, a_body_is_told_in_one_line, 0,
                        (int)(sizeof body_cases / sizeof body_cases[0]));
    tcase_add_test(tc, ends_come_before_readers);
    tcase_add_loop_test(tc, every_form_escapes_in_its_way, 0, forms);
    tcase_add_loop_test(tc, a_full_buffer_is_told, 0, forms);
    tcase_add_test(tc, without_memory_there_is_no_drawing);
    suite_add_tcase(s, tc);
    return s;
}
