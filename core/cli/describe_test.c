/* SPDX-License-Identifier: MIT */
/* Descriptions of a plugin whose tables hold one of everything. */
#include "cli/describe.h"

#include <string.h>

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/sink.h>

#include "base/buffer.h"
#include "unit.h"

static const weir_option inner_options[] = {
    { .name = "host", .type = WEIR_OPTION_TEXT, .flags = WEIR_OPTION_REQUIRED, .summary = "Where" },
    WEIR_OPTIONS_END
};

static const weir_option element = {
    .type = WEIR_OPTION_STRUCT, .fields = inner_options, .fields_size = 16, .summary = "A server"
};

static const weir_option sink_options[] = { { .name = "servers",
                                              .type = WEIR_OPTION_LIST,
                                              .min = 1,
                                              .max = 9,
                                              .element = &element,
                                              .summary = "Where to \"send\"" },
                                            { .name = "buffer",
                                              .type = WEIR_OPTION_SIZE,
                                              .default_text = "1MiB",
                                              .min = 512,
                                              .max = INT64_C(1) << 30,
                                              .since = "1.1",
                                              .summary = "Room" },
                                            { .name = "pause",
                                              .type = WEIR_OPTION_DURATION,
                                              .flags = WEIR_OPTION_DEPRECATED,
                                              .min = 1500,
                                              .max = 86400000,
                                              .summary = "Use 'buffer'",
                                              .doc = "First line\nsecond line" },
                                            WEIR_OPTIONS_END };

static const weir_function_vtable half_vtable = { .struct_size = sizeof half_vtable,
                                                  .signature = "(num) float",
                                                  .example = "half(3)",
                                                  .example_result = "1.5" };
static const weir_sink_vtable post_vtable = { .struct_size = sizeof post_vtable };
static const weir_operator_vtable split_vtable = { .struct_size = sizeof split_vtable };
static const char *const outputs[] = { "good", "bad", NULL };

static const weir_factory half = { .struct_size = sizeof half,
                                   .kind = WEIR_KIND_FUNCTION,
                                   .name = "half",
                                   .summary = "Halves",
                                   .vtable = &half_vtable };
static const weir_factory post = { .struct_size = sizeof post,
                                   .kind = WEIR_KIND_SINK,
                                   .name = "post",
                                   .summary = "Sends",
                                   .doc = "Over the wire.",
                                   .flags = WEIR_SINK_TRANSACTIONAL,
                                   .options = sink_options,
                                   .vtable = &post_vtable };
static const weir_factory split = { .struct_size = sizeof split,
                                    .kind = WEIR_KIND_OPERATOR,
                                    .name = "split",
                                    .summary = "Splits",
                                    .outputs = outputs,
                                    .vtable = &split_vtable };
static weir_status name_output(const void *config, uint32_t index, weir_text *ret_name)
{
    (void)config, (void)index, (void)ret_name;
    return WEIR_END;
}
static const weir_factory sort = { .struct_size = sizeof sort,
                                   .kind = WEIR_KIND_OPERATOR,
                                   .name = "sort_out",
                                   .summary = "Sorts out",
                                   .output_name = name_output,
                                   .vtable = &split_vtable };
static const weir_factory *const factories[] = { &half, &post, &split, &sort, NULL };
static const weir_plugin_entry entry = { .magic = { 'w', 'e', 'i', 'r', 'p', 'l', 'u', 'g' },
                                         .struct_size = sizeof entry,
                                         .abi_minor = 2,
                                         .value_layout = 1,
                                         .id = "org.example.all",
                                         .name = "all",
                                         .version = "2.0.0",
                                         .vendor = "Example",
                                         .license = "MIT",
                                         .summary = "One of each",
                                         .factories = factories };
static const struct plugin plugin = { .entry = &entry, .path = "/p/all.so", .warning = "beware" };

static struct arena arena;
static weir_buffer out;

static void start(void)
{
    arena_init(&arena, 0);
    buffer_init(&out, 1 << 20);
}

static void stop(void)
{
    buffer_deinit(&out);
    arena_deinit(&arena);
}

static const char *describe_as(enum description_format format, const char *kind, const char *name)
{
    struct description description = {
        .plugin = &plugin, .kind = kind, .name = name, .arena = &arena
    };
    buffer_clear(&out);
    ck_assert_int_eq(describe(&description, format, &out), WEIR_OK);
    return buffer_c_string(&out);
}

static void has(const char *text, const char *part)
{
    ck_assert_msg(strstr(text, part) != NULL, "not found: %s\nin: %s", part, text);
}

START_TEST(text_tells_everything)
{
    const char *text = describe_as(DESCRIBE_TEXT, NULL, NULL);
    static const char *const parts[] = {
        "all 2.0.0 (org.example.all)\n",
        "  licence: MIT\n",
        "  file: /p/all.so\n",
        "  warning: beware\n",
        "  built for: plugin ABI 0.2, value layout 1\n",
        "function half\n  Halves\n  signature: (num) float\n  example: half(3)\n  gives: 1.5\n",
        "sink post\n  Sends\n  Over the wire.\n  promise: transactional\n",
        "    servers (list of struct: 1 to 9 elements)\n        Where to \"send\"\n"
        "        host (text, required)\n            Where\n",
        "    buffer (size: 512B to 1GiB, default 1MiB, since 1.1)\n",
        "    pause (duration: 1500ms to 1d, deprecated)\n        Use 'buffer'\n"
        "        First line\n        second line\n",
        "operator split\n  Splits\n  outputs: good bad\n",
        "operator sort_out\n  Sorts out\n  outputs: named by its options\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        has(text, parts[i]);
    }
    ck_assert_ptr_null(strstr(text, "url:"));
}
END_TEST

START_TEST(json_tells_everything)
{
    const char *text = describe_as(DESCRIBE_JSON, NULL, NULL);
    static const char *const parts[] = {
        "{\"id\":\"org.example.all\",\"name\":\"all\",\"version\":\"2.0.0\"",
        "\"abi\":\"0.2\",\"value_layout\":1,\"factories\":[{",
        "{\"kind\":\"function\",\"name\":\"half\"",
        "\"signature\":\"(num) float\",\"example\":\"half(3)\",\"example_result\":\"1.5\"}",
        "\"promise\":\"transactional\"",
        "\"min\":1,\"max\":9,\"summary\":\"Where to \\\"send\\\"\"",
        "\"element\":{\"type\":\"struct\",\"summary\":\"A server\",\"fields\":[{\"name\":\"host\"",
        "\"deprecated\":true",
        "\"doc\":\"First line\\nsecond line\"",
        "\"outputs\":[\"good\",\"bad\"]},{",
        "\"summary\":\"Sorts out\",\"outputs_named_by_options\":true}]}",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        has(text, parts[i]);
    }
}
END_TEST

START_TEST(markdown_tells_everything_but_the_place)
{
    const char *text = describe_as(DESCRIBE_MARKDOWN, NULL, NULL);
    static const char *const parts[] = {
        "# half (function)\n\nHalves.\n\nSignature: `(num) float`\n\nExample: `half(3)` gives "
        "`1.5`\n",
        "\n\n# post (sink)\n\nSends.\n\nOver the wire.\n\nPromise: transactional.\n",
        "| `servers` | list of struct: 1 to 9 elements |  | Where to \"send\" |\n"
        "| `servers.host` | text | required | Where |\n",
        "| `pause` (deprecated) | duration: 1500ms to 1d |  | Use 'buffer' |\n",
        "\n### `pause`\n\nFirst line\nsecond line\n",
        "\nOutputs: `good` `bad`\n\nNo options.\n",
        "\nFrom plugin `org.example.all`, licence MIT.\n",
    };
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++) {
        has(text, parts[i]);
    }
    ck_assert_ptr_null(strstr(text, "/p/"));
}
END_TEST

START_TEST(markdown_tells_that_options_name_outputs)
{
    has(describe_as(DESCRIBE_MARKDOWN, NULL, "sort_out"), "\n\nOutputs: named by its options.\n");
}
END_TEST

START_TEST(rows_hold_the_fields_of_each_factory)
{
    static const char first[] = "function\0half\0org.example.all\0all\0"
                                "2.0.0\0MIT\0beware";
    describe_as(DESCRIBE_ROWS, NULL, NULL);
    ck_assert_uint_gt(out.size, sizeof first);
    ck_assert_mem_eq(out.data, first, sizeof first);
    size_t fields = 0;
    for (size_t i = 0; i < out.size; i++) {
        fields += out.data[i] == '\0';
    }
    ck_assert_uint_eq(fields, 4 * DESCRIPTION_FIELDS);
}
END_TEST

static const struct {
    const char *kind;
    const char *name;
    size_t count; /* of pages */
} choices[] = {
    { NULL, NULL, 4 },   { NULL, "all", 4 },    { NULL, "org.example.all", 4 }, { NULL, "post", 1 },
    { "sink", NULL, 1 }, { "sink", "post", 1 }, { "operator", "post", 0 },      { NULL, "pos", 0 },
};

START_TEST(shows_what_is_asked_for)
{
    const char *text = describe_as(DESCRIBE_MARKDOWN, choices[_i].kind, choices[_i].name);
    size_t count = 0;
    for (const char *at = strstr(text, "From plugin"); at != NULL;
         at = strstr(at + 1, "From plugin")) {
        count++;
    }
    ck_assert_uint_eq(count, choices[_i].count);
}
END_TEST

START_TEST(says_when_there_is_no_room)
{
    static const enum description_format formats[] = { DESCRIBE_ROWS, DESCRIBE_TEXT, DESCRIBE_JSON,
                                                       DESCRIBE_MARKDOWN };
    struct description description = { .plugin = &plugin, .arena = &arena };
    for (size_t i = 0; i < 4; i++) {
        weir_buffer small;
        buffer_init(&small, 40);
        ck_assert_int_eq(describe(&description, formats[i], &small), WEIR_E_LIMIT);
        ck_assert_uint_le(small.size, 40);
        buffer_deinit(&small);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("describe");
    TCase *cases = tcase_create("describe");
    tcase_add_checked_fixture(cases, start, stop);
    tcase_add_test(cases, text_tells_everything);
    tcase_add_test(cases, json_tells_everything);
    tcase_add_test(cases, markdown_tells_everything_but_the_place);
    tcase_add_test(cases, markdown_tells_that_options_name_outputs);
    tcase_add_test(cases, rows_hold_the_fields_of_each_factory);
    tcase_add_loop_test(cases, shows_what_is_asked_for, 0, sizeof choices / sizeof choices[0]);
    tcase_add_test(cases, says_when_there_is_no_room);
    suite_add_tcase(suite, cases);
    return suite;
}
