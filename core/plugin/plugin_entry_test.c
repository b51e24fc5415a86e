/* SPDX-License-Identifier: MIT */
/* Every way in which an exported entry can be wrong, one patch to a right one at a time. */
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "plugin/registry.h"
#include "unit.h"

#define SOME_FUNCTION ((void *)(uintptr_t)8) /* never called */

struct config {
    int64_t limit;
};

/* A plugin in memory. vtables: one per kind; `slots` is what is patched. */
struct sample {
    weir_plugin_entry entry;
    weir_factory factory;
    weir_factory second;
    const weir_factory *factories[3];
    weir_option options[2];
    struct {
        uint32_t struct_size;
        uint32_t reserved;
        void *slots[12];
    } vtable;
};

static struct sample sample;
static struct error error;

static const struct {
    const char *kind;
    uint32_t size;
} kinds[] = {
    { WEIR_KIND_OPERATOR, sizeof(weir_operator_vtable) },
    { WEIR_KIND_SOURCE, sizeof(weir_source_vtable) },
    { WEIR_KIND_SINK, sizeof(weir_sink_vtable) },
    { WEIR_KIND_SERIALIZER, sizeof(weir_serializer_vtable) },
    { WEIR_KIND_FUNCTION, sizeof(weir_function_vtable) },
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

static const char good_signature[] = "(num, num) num";

static void set_kind(size_t i)
{
    sample.factory.kind = kinds[i].kind;
    sample.vtable.struct_size = kinds[i].size;
    for (size_t k = 0; k < sizeof sample.vtable.slots / sizeof sample.vtable.slots[0]; k++) {
        sample.vtable.slots[k] = SOME_FUNCTION;
    }
    if (strcmp(kinds[i].kind, WEIR_KIND_FUNCTION) == 0) {
        memcpy(&sample.vtable.slots[0], &(const char *){ good_signature }, sizeof(char *));
    }
}

static void setup(void)
{
    memset(&error, 0, sizeof error);
    sample = (struct sample){
        .entry = { .magic = { 'w', 'e', 'i', 'r', 'p', 'l', 'u', 'g' },
                   .struct_size = sizeof sample.entry,
                   .abi_major = WEIR_ABI_MAJOR,
                   .abi_minor = WEIR_ABI_MINOR,
                   .value_layout = WEIR_VALUE_LAYOUT,
                   .id = "org.example.sample-1",
                   .name = "sample",
                   .version = "1.0.0",
                   .vendor = "Example",
                   .license = "MIT",
                   .summary = "A sample",
                   .factories = sample.factories },
        .factory = { .struct_size = sizeof sample.factory,
                     .name = "sample",
                     .summary = "Samples",
                     .doc = "Two\nlines",
                     .options = sample.options,
                     .config_size = sizeof(struct config),
                     .vtable = &sample.vtable },
        .factories = { &sample.factory },
        .options = { { .name = "limit",
                       .type = WEIR_OPTION_INT,
                       .offset = offsetof(struct config, limit),
                       .summary = "How many" },
                     WEIR_OPTIONS_END },
    };
    set_kind(0);
}

START_TEST(accepts_every_kind)
{
    set_kind((size_t)_i);
    weir_status st = plugin_check_entry(&sample.entry, &error);
    ck_assert_msg(st == WEIR_OK, "%s", error.message);
    ck_assert_str_eq(plugin_entry_id(&sample.entry), "org.example.sample-1");
}
END_TEST

/* One change: a number of `size` bytes at an offset of the sample, or (size 0) a pointer. */
struct patch {
    size_t offset;
    size_t size;
    uint64_t number;
    const void *pointer;
    const char *message;
};

#define AT(field)             offsetof(struct sample, field)
#define NUMBER(field, value)  AT(field), sizeof sample.field, (value), NULL
#define POINTER(field, value) AT(field), 0, 0, (value)

static const char *const good_ports[] = { "late", "early", NULL };
static const char *const equal_ports[] = { "late", "early", "late", NULL };
static const char *const bad_ports[] = { "on time", NULL };
static const weir_factory *const no_factories[] = { NULL };
static const weir_option bad_options[] = {
    { .name = "limit", .type = 99, .summary = "What" },
    WEIR_OPTIONS_END,
};

#define IN "factory 'sample': "
static const struct patch patches[] = {
    { NUMBER(entry.magic[3], 'd'), "its entry does not begin with 'weirplug'" },
    { NUMBER(entry.struct_size, 12), "its entry has struct_size 12, expected 88" },
    { NUMBER(entry.struct_size, 80), "its entry has struct_size 80, expected 88" },
    { NUMBER(entry.struct_size, 1 << 20), "its entry has struct_size 1048576, expected 88" },
    { NUMBER(entry.abi_major, 1), "it is built for ABI 1.3, this weir has 0.3" },
    { NUMBER(entry.abi_minor, 0), "it is built for ABI 0.0, this weir has 0.3 and takes no other" },
    { NUMBER(entry.abi_minor, 4), "it is built for ABI 0.4, this weir has 0.3 and takes no other" },
    { NUMBER(entry.value_layout, 2), "it is built for value layout 2, this weir has 1" },
    { NUMBER(entry.flags, 4), "its flags 0x4 are not known to this weir" },
    { POINTER(entry.id, NULL), "its id is missing" },
    { POINTER(entry.id, "sample"), "its id 'sample' is not reverse DNS" },
    { POINTER(entry.id, "org.Example"), "its id 'org.Example' is not reverse DNS" },
    { POINTER(entry.id, "org..example"), "its id 'org..example' is not reverse DNS" },
    { POINTER(entry.id, ".example"), "its id '.example' is not reverse DNS" },
    { POINTER(entry.id, "org.example-"), "its id 'org.example-' is not reverse DNS" },
    { POINTER(entry.name, NULL), "its name is missing" },
    { POINTER(entry.version, ""), "its version is missing" },
    { POINTER(entry.vendor, "a\nb"), "its vendor is not one line of UTF-8" },
    { POINTER(entry.license, NULL), "its license is missing" },
    { POINTER(entry.summary, "\xff"), "its summary is not one line of UTF-8" },
    { POINTER(entry.url, ""), "its url is missing" },
    { POINTER(entry.factories, NULL), "it has no factory" },
    { POINTER(entry.factories, no_factories), "it has no factory" },
    { NUMBER(factory.struct_size, 72), "its factory 0 has struct_size 72, expected 104" },
    { NUMBER(factory.struct_size, 1 << 20), "its factory 0 has struct_size 1048576, expected 104" },
    { POINTER(factory.name, NULL), "the name of its factory 0 is not made of a-z, 0-9 and '_'" },
    { POINTER(factory.name, "Sample"),
      "the name of its factory 0 is not made of a-z, 0-9 and '_'" },
    { POINTER(factory.name, "1st"), "the name of its factory 0 is not made of a-z, 0-9 and '_'" },
    { POINTER(factory.kind, NULL), IN "its kind is missing" },
    { POINTER(factory.kind, "weir.operator/2"),
      IN "its kind 'weir.operator/2' is not known to this weir" },
    { POINTER(factory.summary, NULL), IN "its summary is missing" },
    { POINTER(factory.doc, "bell \a"), IN "its doc is not UTF-8 text" },
    { NUMBER(factory.flags, 4), IN "its flags 0x4 are not known to this weir" },
    { NUMBER(factory.flags, WEIR_OPERATOR_REPARTITION),
      IN "it is flagged REPARTITION, but output_name does not name its output" },
    { NUMBER(factory.config_size, 1 << 30),
      IN "its config_size is 1073741824, at most 1048576 are allowed" },
    { POINTER(factory.inputs, equal_ports), IN "two of its inputs are called 'late'" },
    { POINTER(factory.outputs, bad_ports),
      IN "the name of one of its outputs is not made of a-z, 0-9 and '_'" },
    { POINTER(factory.options, bad_options), IN "option 'limit' has the unknown type 99" },
    { POINTER(factory.vtable, NULL), IN "its vtable is NULL" },
    { NUMBER(vtable.struct_size, 24), IN "its vtable has struct_size 24, expected 32" },
    { NUMBER(vtable.struct_size, 1 << 20), IN "its vtable has struct_size 1048576, expected 32" },
};

START_TEST(refuses_each_defect_with_its_own_sentence)
{
    const struct patch *patch = &patches[_i];
    const void *from = patch->size > 0 ? (const void *)&patch->number : &patch->pointer;
    size_t size = patch->size > 0 ? patch->size : sizeof patch->pointer;
    memcpy((char *)&sample + patch->offset, from, size);
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_str_eq(error.message, patch->message);
    ck_assert_int_ne(error.status, WEIR_OK);
    ck_assert_int_lt(plugin_check_entry(&sample.entry, NULL), 0);
}
END_TEST

START_TEST(says_what_to_do_about_another_version)
{
    sample.entry.abi_minor = WEIR_ABI_MINOR + 1;
    ck_assert_int_eq(plugin_check_entry(&sample.entry, &error), WEIR_E_UNSUPPORTED);
    ck_assert_str_eq(error.hint, "rebuild it with the headers of this weir");
    ck_assert_ptr_null(plugin_entry_id(&sample.entry));
}
END_TEST

START_TEST(accepts_named_ports)
{
    sample.factory.outputs = good_ports;
    ck_assert_int_eq(plugin_check_entry(&sample.entry, &error), WEIR_OK);
}
END_TEST

/* ---- inputs and the options that feed them ----------------------------------------------------- */

struct inputs_config {
    weir_text right;
    weir_option_list others;
};

static const weir_option stream_element = { .type = WEIR_OPTION_STREAM };

#define RIGHT(its_name, its_type)                                                                  \
 {                                                                                                 \
  .name = its_name, .type = its_type, .offset = 0, .summary = "The other stream"                   \
 }
#define OTHERS                                                                                     \
 {                                                                                                 \
  .name = "others", .type = WEIR_OPTION_LIST, .offset = offsetof(struct inputs_config, others),    \
  .element = &stream_element, .summary = "More streams"                                            \
 }

static const weir_option no_stream[] = { RIGHT("limit", WEIR_OPTION_TEXT), WEIR_OPTIONS_END };
static const weir_option one_stream[] = { RIGHT("right", WEIR_OPTION_STREAM), WEIR_OPTIONS_END };
static const weir_option first_stream[] = { RIGHT("left", WEIR_OPTION_STREAM), WEIR_OPTIONS_END };
static const weir_option text_as_stream[] = { RIGHT("right", WEIR_OPTION_TEXT), WEIR_OPTIONS_END };
static const weir_option list_as_well[] = { RIGHT("right", WEIR_OPTION_STREAM), OTHERS,
                                            WEIR_OPTIONS_END };

static const char *const only_left[] = { "left", NULL };
static const char *const left_right[] = { "left", "right", NULL };
static const char *const three_inputs[] = { "left", "others", "right", NULL };

static const struct {
    size_t kind; /* of kinds */
    const char *const *inputs;
    const char *const *outputs;
    const weir_option *options;
    const char *message; /* NULL: it is right */
} inputs_cases[] = {
    { 0, NULL, NULL, no_stream, NULL },
    { 0, only_left, NULL, no_stream, NULL },
    { 0, left_right, NULL, one_stream, NULL },
    { 0, three_inputs, NULL, list_as_well, NULL },
    { 0, left_right, NULL, NULL, IN "no option feeds its input 'right'" },
    { 0, left_right, NULL, first_stream, IN "no option feeds its input 'right'" },
    { 0, left_right, NULL, text_as_stream,
      IN "its option 'right' feeds the input of that name, but is not of type stream" },
    { 0, left_right, NULL, list_as_well,
      IN "its option 'others' is of type stream, but it has no input of that name" },
    { 0, NULL, NULL, one_stream,
      IN "its option 'right' is of type stream, but it has no input of that name" },
    { 0, only_left, NULL, first_stream,
      IN
      "its option 'left' is of type stream and named as its first input, which is the stream that "
      "a step stands in" },
    { 1, only_left, NULL, NULL, IN "it names inputs, which only operators have" },
    { 2, left_right, NULL, one_stream, IN "it names inputs, which only operators have" },
    { 2, NULL, only_left, NULL, IN "it names outputs, which only operators have" },
    { 2, NULL, NULL, one_stream,
      IN "its option 'right' is of type stream, which only operators have" },
    { 3, NULL, NULL, one_stream,
      IN "its option 'right' is of type stream, which only operators have" },
    { 4, only_left, NULL, NULL, IN "it names inputs, which only operators have" },
};

START_TEST(inputs_and_options_of_type_stream_fit_each_other)
{
    set_kind(inputs_cases[_i].kind);
    sample.factory.inputs = inputs_cases[_i].inputs;
    sample.factory.outputs = inputs_cases[_i].outputs;
    sample.factory.options = inputs_cases[_i].options;
    sample.factory.config_size = sizeof(struct inputs_config);
    bool is_right = plugin_check_entry(&sample.entry, &error) == WEIR_OK;
    ck_assert_str_eq(error.message,
                     inputs_cases[_i].message != NULL ? inputs_cases[_i].message : "");
    ck_assert(is_right == (inputs_cases[_i].message == NULL));
    ck_assert((plugin_check_entry(&sample.entry, NULL) == WEIR_OK) == is_right);
}
END_TEST

/* Slots by their position behind struct_size and reserved. */
static const struct {
    size_t kind;
    size_t slot;
    const char *name; /* NULL: may be NULL */
} slots[] = {
    { 0, 0, NULL },        { 0, 1, NULL },       { 0, 2, "process" }, { 1, 0, NULL },
    { 1, 1, NULL },        { 1, 2, "open" },     { 1, 3, "poll" },    { 1, 4, "position" },
    { 1, 5, NULL },        { 1, 6, NULL },       { 2, 0, NULL },      { 2, 1, NULL },
    { 2, 2, "open" },      { 2, 3, "write" },    { 2, 4, "flush" },   { 2, 5, NULL },
    { 2, 6, NULL },        { 2, 7, NULL },       { 2, 8, NULL },      { 2, 9, NULL },
    { 3, 0, NULL },        { 3, 1, NULL },       { 3, 2, "decode" },  { 3, 3, "encode" },
    { 4, 0, "signature" }, { 4, 1, NULL },       { 4, 2, NULL },      { 4, 3, NULL },
    { 4, 4, NULL },        { 4, 5, "evaluate" },
};

START_TEST(names_a_mandatory_slot_that_is_null)
{
    char expected[128];
    set_kind(slots[_i].kind);
    sample.vtable.slots[slots[_i].slot] = NULL;
    weir_status st = plugin_check_entry(&sample.entry, &error);
    if (slots[_i].name == NULL) {
        ck_assert_msg(st == WEIR_OK, "%s", error.message);
        return;
    }
    snprintf(expected, sizeof expected, IN "its slot '%s' is NULL", slots[_i].name);
    ck_assert_int_eq(st, WEIR_E_INVALID);
    ck_assert_str_eq(error.message, expected);
}
END_TEST

START_TEST(judges_the_promise_of_a_sink)
{
    set_kind(2);
    sample.factory.flags = WEIR_SINK_TRANSACTIONAL;
    ck_assert_int_eq(plugin_check_entry(&sample.entry, &error), WEIR_OK);
    sample.factory.flags |= WEIR_SINK_SHARED;
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_str_eq(error.message,
                     IN "it promises transactions, but it is shared by all partitions, "
                        "which leaves no place for tokens");
    sample.factory.flags = WEIR_SINK_TRANSACTIONAL;
    sample.vtable.slots[5] = NULL;
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_str_eq(error.message, IN "it promises transactions, but its slot 'publish' is NULL");
    sample.factory.flags = WEIR_SINK_IDEMPOTENT;
    ck_assert_int_eq(plugin_check_entry(&sample.entry, &error), WEIR_OK);
    sample.factory.flags = WEIR_SINK_PROMISE_MASK;
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_str_eq(error.message, IN "it makes two promises at once");
    sample.factory.flags = WEIR_SINK_AT_LEAST_ONCE | WEIR_SINK_SHARED;
    ck_assert_int_eq(plugin_check_entry(&sample.entry, &error), WEIR_OK);
}
END_TEST

START_TEST(refuses_a_signature_that_cannot_be_read)
{
    static const char bad[] = "(number) num";
    set_kind(4);
    memcpy(&sample.vtable.slots[0], &(const char *){ bad }, sizeof(char *));
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_ptr_nonnull(strstr(error.message, IN "its signature '(number) num' is wrong: "));
}
END_TEST

START_TEST(refuses_two_factories_of_one_kind_and_name)
{
    sample.second = sample.factory;
    sample.factories[1] = &sample.second;
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_str_eq(error.message, "it has two factories 'sample' of kind 'weir.operator/1'");
    sample.second.name = "other";
    ck_assert_int_eq(plugin_check_entry(&sample.entry, &error), WEIR_OK);
}
END_TEST

START_TEST(refuses_a_list_of_factories_without_end)
{
    static weir_factory many[1100];
    static const weir_factory *list[1101];
    static char names[1100][8];
    for (size_t i = 0; i < 1100; i++) {
        snprintf(names[i], sizeof names[i], "f%zu", i);
        many[i] = sample.factory;
        many[i].name = names[i];
        list[i] = &many[i];
    }
    sample.entry.factories = list;
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_str_eq(error.message, "the list of its factories is not ended by NULL");
}
END_TEST

/* The last `size` bytes before memory that may not be touched, filled from `source`. */
static void *at_the_edge(const void *source, size_t size)
{
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    char *pages = mmap(NULL, page * 2, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    ck_assert_ptr_ne(pages, MAP_FAILED);
    ck_assert_int_eq(mprotect(pages + page, page, PROT_NONE), 0);
    memcpy(pages + page - size, source, size);
    return pages + page - size;
}

START_TEST(never_reads_beyond_a_stated_size)
{
    sample.entry.struct_size = 16;
    ck_assert_int_lt(plugin_check_entry(at_the_edge(&sample.entry, 16), &error), 0);
    ck_assert_str_eq(error.message, "its entry has struct_size 16, expected 88");
    sample.entry.struct_size = sizeof sample.entry;

    sample.factory.struct_size = 8;
    sample.factories[0] = at_the_edge(&sample.factory, 8);
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_str_eq(error.message, "its factory 0 has struct_size 8, expected 104");
    sample.factories[0] = &sample.factory;
    sample.factory.struct_size = sizeof sample.factory;

    sample.vtable.struct_size = 8;
    sample.factory.vtable = at_the_edge(&sample.vtable, 8);
    ck_assert_int_lt(plugin_check_entry(&sample.entry, &error), 0);
    ck_assert_str_eq(error.message, IN "its vtable has struct_size 8, expected 32");
}
END_TEST

static int count_of(size_t bytes, size_t element)
{
    return (int)(bytes / element);
}

Suite *suite(void)
{
    Suite *s = suite_create("plugin_entry");
    TCase *tc = tcase_create("entry");
    tcase_add_checked_fixture(tc, setup, NULL);
    tcase_add_loop_test(tc, accepts_every_kind, 0, KINDS);
    tcase_add_loop_test(tc, refuses_each_defect_with_its_own_sentence, 0,
                        count_of(sizeof patches, sizeof patches[0]));
    tcase_add_test(tc, says_what_to_do_about_another_version);
    tcase_add_test(tc, accepts_named_ports);
    tcase_add_loop_test(tc, inputs_and_options_of_type_stream_fit_each_other, 0,
                        sizeof inputs_cases / sizeof inputs_cases[0]);
    tcase_add_loop_test(tc, names_a_mandatory_slot_that_is_null, 0,
                        count_of(sizeof slots, sizeof slots[0]));
    tcase_add_test(tc, judges_the_promise_of_a_sink);
    tcase_add_test(tc, refuses_a_signature_that_cannot_be_read);
    tcase_add_test(tc, refuses_two_factories_of_one_kind_and_name);
    tcase_add_test(tc, refuses_a_list_of_factories_without_end);
    tcase_add_test(tc, never_reads_beyond_a_stated_size);
    suite_add_tcase(s, tc);
    return s;
}
