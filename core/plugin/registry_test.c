/* SPDX-License-Identifier: MIT */
/*
 * Files that may not be loaded, and the answers of a registry. Shared objects that load, or fail to,
 * are tested in tests/abi.
 */
#include "plugin/registry.h"

#include <elf.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/sink.h>

#include "unit.h"

static char folder[] = "/tmp/weir-registry-XXXXXX";
static char file[128];
static struct registry registry;
static struct error error;

static void setup(void)
{
    memcpy(folder + strlen(folder) - 6, "XXXXXX", 6);
    ck_assert_ptr_nonnull(mkdtemp(folder));
    snprintf(file, sizeof file, "%s/plugin.so", folder);
    memset(&error, 0, sizeof error);
    unsetenv("WEIR_PLUGIN_PATH");
    registry_init(&registry);
}

static void teardown(void)
{
    char command[128];
    registry_deinit(&registry);
    snprintf(command, sizeof command, "rm -r %s", folder);
    ck_assert_int_eq(system(command), 0);
}

static void write_file(const char *path, const void *bytes, size_t size)
{
    FILE *out = fopen(path, "wb");
    ck_assert_ptr_nonnull(out);
    ck_assert_uint_eq(fwrite(bytes, 1, size, out), size);
    ck_assert_int_eq(fclose(out), 0);
    ck_assert_int_eq(chmod(path, 0644), 0);
}

/* The ELF header of a shared object for this machine. */
static Elf64_Ehdr good_header(void)
{
    Elf64_Ehdr header;
    FILE *own = fopen("/proc/self/exe", "rb");
    ck_assert_ptr_nonnull(own);
    ck_assert_uint_eq(fread(&header, sizeof header, 1, own), 1);
    fclose(own);
    header.e_type = ET_DYN;
    return header;
}

static weir_status check(const char **ret_warning)
{
    *ret_warning = NULL;
    memset(&error, 0, sizeof error);
    return plugin_check_file(file, ret_warning, &error);
}

static void expect_refusal(const char *reason)
{
    char expected[256];
    const char *warning;
    ck_assert_int_lt(check(&warning), 0);
    snprintf(expected, sizeof expected, "could not load plugin '%s': %s", file, reason);
    ck_assert_str_eq(error.message, expected);
}

/* One byte of the header changed. */
static const struct {
    size_t offset;
    uint8_t byte;
    const char *reason;
} headers[] = {
    { 1, 'L', "it is not an ELF file" },
    { EI_CLASS, ELFCLASS32, "it is not built for 64 bits" },
    { EI_DATA, ELFDATANONE, "it is built for another byte order" },
    { offsetof(Elf64_Ehdr, e_machine), EM_SPARC, "it is built for another processor" },
    { offsetof(Elf64_Ehdr, e_type), ET_REL, "it is not a shared object" },
    { offsetof(Elf64_Ehdr, e_type), ET_EXEC, "it is not a shared object" },
};

START_TEST(refuses_what_is_no_shared_object_for_this_machine)
{
    Elf64_Ehdr header = good_header();
    const char *warning;
    write_file(file, &header, sizeof header);
    ck_assert_msg(check(&warning) == WEIR_OK, "%s", error.message);
    ck_assert_ptr_null(warning);
    ((uint8_t *)&header)[headers[_i].offset] = headers[_i].byte;
    write_file(file, &header, sizeof header);
    expect_refusal(headers[_i].reason);
}
END_TEST

START_TEST(refuses_files_that_are_too_short)
{
    Elf64_Ehdr header = good_header();
    write_file(file, &header, 0);
    expect_refusal("it is not an ELF file");
    write_file(file, &header, 40);
    expect_refusal("the file is cut off");
}
END_TEST

START_TEST(refuses_what_is_not_there_or_no_file)
{
    const char *warning;
    ck_assert_int_eq(check(&warning), WEIR_E_NOT_FOUND);
    ck_assert_int_eq(mkdir(file, 0755), 0);
    expect_refusal("it is not a regular file");
    ck_assert_int_eq(rmdir(file), 0);
    ck_assert_int_eq(mkfifo(file, 0644), 0);
    expect_refusal("it is not a regular file");
}
END_TEST

START_TEST(refuses_what_everybody_may_write)
{
    Elf64_Ehdr header = good_header();
    write_file(file, &header, sizeof header);
    ck_assert_int_eq(chmod(file, 0646), 0);
    expect_refusal("everybody may write to it");
    ck_assert_str_eq(error.hint, "take that right away with chmod o-w");
    ck_assert_int_eq(chmod(file, 0644), 0);
    ck_assert_int_eq(chmod(folder, 01777), 0);
    expect_refusal("everybody may write to its folder");
}
END_TEST

START_TEST(judges_the_folder_behind_a_link)
{
    Elf64_Ehdr header = good_header();
    char inner[128];
    char target[160];
    const char *warning;
    snprintf(inner, sizeof inner, "%s/open", folder);
    snprintf(target, sizeof target, "%s/target.so", inner);
    ck_assert_int_eq(mkdir(inner, 0755), 0);
    write_file(target, &header, sizeof header);
    ck_assert_int_eq(symlink("open/target.so", file), 0);
    ck_assert_int_eq(check(&warning), WEIR_OK);
    ck_assert_int_eq(chmod(inner, 0777), 0);
    expect_refusal("everybody may write to its folder");
}
END_TEST

START_TEST(warns_of_what_a_group_may_write)
{
    Elf64_Ehdr header = good_header();
    const char *warning;
    write_file(file, &header, sizeof header);
    ck_assert_int_eq(chmod(folder, 0775), 0);
    ck_assert_int_eq(check(&warning), WEIR_OK);
    ck_assert_str_eq(warning, "its folder can be written by its group");
    ck_assert_int_eq(chmod(file, 0664), 0);
    ck_assert_int_eq(check(&warning), WEIR_OK);
    ck_assert_str_eq(warning, "it can be written by its group");
}
END_TEST

/* Only root can give files away: registered for root alone. */
START_TEST(refuses_what_belongs_to_somebody_else)
{
    Elf64_Ehdr header = good_header();
    const char *warning;
    write_file(file, &header, sizeof header);
    ck_assert_int_eq(chown(file, 12345, 0), 0);
    expect_refusal("it belongs neither to root nor to you");
    ck_assert_int_eq(chown(file, 0, 0), 0);
    ck_assert_int_eq(check(&warning), WEIR_OK);
    ck_assert_int_eq(chown(folder, 12345, 0), 0);
    expect_refusal("its folder belongs neither to root nor to you");
}
END_TEST

/* The hash of "abc" and of nothing, from FIPS 180-4. */
#define SHA_ABC   "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
#define SHA_EMPTY "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"

START_TEST(compares_the_pinned_hash)
{
    write_file(file, "abc", 3);
    ck_assert_int_eq(plugin_check_sha256(file, SHA_ABC, &error), WEIR_OK);
    ck_assert_int_eq(plugin_check_sha256(file,
                                         "BA7816BF8F01CFEA414140DE5DAE2223"
                                         "B00361A396177A9CB410FF61F20015AD",
                                         &error),
                     WEIR_OK);
    ck_assert_int_lt(plugin_check_sha256(file, SHA_EMPTY, &error), 0);
    ck_assert_ptr_nonnull(strstr(error.message, "its sha256 is " SHA_ABC ", not " SHA_EMPTY));
    write_file(file, "", 0);
    ck_assert_int_eq(plugin_check_sha256(file, SHA_EMPTY, &error), WEIR_OK);
}
END_TEST

static const char *const bad_hashes[] = { "", "abc", (SHA_ABC "0"), ("x" SHA_EMPTY) };

START_TEST(refuses_what_is_no_hash)
{
    write_file(file, "abc", 3);
    ck_assert_int_lt(plugin_check_sha256(file, bad_hashes[_i], &error), 0);
    ck_assert_ptr_nonnull(strstr(error.message, "its sha256 must be 64 hex digits"));
}
END_TEST

/* ---- answers ---------------------------------------------------------------------------------- */

static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self;
    (void)ctx;
    (void)in;
    return WEIR_OK;
}

static weir_status evaluate(weir_call *call)
{
    (void)call;
    return WEIR_OK;
}

static const weir_operator_vtable operator_vtable = { .struct_size = sizeof operator_vtable,
                                                      .process = process };
static const weir_function_vtable function_vtable = { .struct_size = sizeof function_vtable,
                                                      .signature = "(num) num",
                                                      .evaluate = evaluate };

#define OPERATOR(text)                                                                             \
 {                                                                                                 \
  .struct_size = sizeof(weir_factory), .kind = WEIR_KIND_OPERATOR, .name = (text),                 \
  .summary = "Works", .vtable = &operator_vtable                                                   \
 }
#define FUNCTION(text)                                                                             \
 {                                                                                                 \
  .struct_size = sizeof(weir_factory), .kind = WEIR_KIND_FUNCTION, .name = (text),                 \
  .summary = "Computes", .vtable = &function_vtable                                                \
 }
#define ENTRY(text, list)                                                                          \
 {                                                                                                 \
  .magic = { 'w', 'e', 'i', 'r', 'p', 'l', 'u', 'g' }, .struct_size = sizeof(weir_plugin_entry),   \
  .abi_major = WEIR_ABI_MAJOR, .abi_minor = WEIR_ABI_MINOR, .value_layout = WEIR_VALUE_LAYOUT,     \
  .id = (text), .name = "x", .version = "1", .vendor = "x", .license = "MIT", .summary = "x",      \
  .factories = (list)                                                                              \
 }

static const weir_factory clamp = OPERATOR("clamp");
static const weir_factory other_clamp = OPERATOR("clamp");
static const weir_factory clamp_function = FUNCTION("clamp");
static const weir_factory distance = FUNCTION("distance");
static const weir_factory *const first_list[] = { &clamp, &clamp_function, NULL };
static const weir_factory *const second_list[] = { &other_clamp, &distance, NULL };
static const weir_plugin_entry first = ENTRY("org.example.first", first_list);
static const weir_plugin_entry second = ENTRY("com.acme.geo-tools", second_list);
static const weir_plugin_entry impostor = ENTRY("org.example.first", second_list);

static const struct factory *find(const char *kind, const char *name)
{
    return registry_find(&registry, kind, name, strlen(name));
}

static void add(const weir_plugin_entry *entry, const char *path)
{
    ck_assert_msg(registry_add(&registry, entry, path, &error) == WEIR_OK, "%s", error.message);
}

START_TEST(answers_by_kind_and_name)
{
    add(&first, "first.so");
    ck_assert_ptr_eq(find(WEIR_KIND_OPERATOR, "clamp")->spec, &clamp);
    ck_assert_ptr_eq(find(WEIR_KIND_FUNCTION, "clamp")->spec, &clamp_function);
    ck_assert_ptr_eq(find(WEIR_KIND_OPERATOR, "org.example.first.clamp")->spec, &clamp);
    ck_assert_str_eq(find(WEIR_KIND_OPERATOR, "clamp")->plugin->path, "first.so");
    ck_assert(!find(WEIR_KIND_OPERATOR, "clamp")->is_ambiguous);
    ck_assert_ptr_null(find(WEIR_KIND_SINK, "clamp"));
    ck_assert_ptr_null(find(WEIR_KIND_OPERATOR, "clam"));
    ck_assert_ptr_null(find(WEIR_KIND_OPERATOR, "org.example.second.clamp"));
    ck_assert_ptr_null(find(WEIR_KIND_OPERATOR, ""));
    ck_assert_ptr_eq(registry_find(&registry, WEIR_KIND_OPERATOR, "clamps", 5)->spec, &clamp);
}
END_TEST

START_TEST(refuses_a_name_of_any_length)
{
    char *name = malloc(100000);
    memset(name, 'a', 100000);
    add(&first, "first.so");
    ck_assert_ptr_null(registry_find(&registry, WEIR_KIND_OPERATOR, name, 100000));
    ck_assert_ptr_null(registry_find(&registry, WEIR_KIND_OPERATOR, name, 500));
    free(name);
}
END_TEST

START_TEST(asks_for_the_qualified_name_where_two_offer_one)
{
    add(&first, "first.so");
    add(&second, "second.so");
    const struct factory *plain = find(WEIR_KIND_OPERATOR, "clamp");
    ck_assert(plain->is_ambiguous);
    ck_assert_str_eq(plain->plugin->entry->id, "org.example.first");
    ck_assert_str_eq(plain->rival->entry->id, "com.acme.geo-tools");
    ck_assert(!find(WEIR_KIND_FUNCTION, "clamp")->is_ambiguous);
    const struct factory *qualified = find(WEIR_KIND_OPERATOR, "com.acme.geo-tools.clamp");
    ck_assert_ptr_eq(qualified->spec, &other_clamp);
    ck_assert(!qualified->is_ambiguous);
    ck_assert(!find(WEIR_KIND_OPERATOR, "org.example.first.clamp")->is_ambiguous);
}
END_TEST

START_TEST(finds_a_function_whose_id_has_a_minus)
{
    add(&second, "second.so");
    ck_assert_ptr_eq(find(WEIR_KIND_FUNCTION, "com.acme.geo_tools.distance")->spec, &distance);
    ck_assert_ptr_eq(find(WEIR_KIND_FUNCTION, "com.acme.geo-tools.distance")->spec, &distance);
    ck_assert_ptr_null(find(WEIR_KIND_OPERATOR, "com.acme.geo_tools.clamp"));
}
END_TEST

START_TEST(names_both_paths_of_one_id)
{
    add(&first, "first.so");
    ck_assert_int_lt(registry_add(&registry, &impostor, "impostor.so", &error), 0);
    ck_assert_str_eq(error.message, "two plugins have the id 'org.example.first': 'first.so' and "
                                    "'impostor.so'");
    ck_assert_ptr_null(find(WEIR_KIND_FUNCTION, "distance"));
}
END_TEST

START_TEST(takes_the_same_plugin_twice)
{
    add(&first, "first.so");
    add(&first, "again.so");
    ck_assert_uint_eq(registry.plugins.count, 1);
    ck_assert(!find(WEIR_KIND_OPERATOR, "clamp")->is_ambiguous);
}
END_TEST

START_TEST(adds_nothing_that_is_not_right)
{
    weir_plugin_entry bad = first;
    bad.value_layout = 7;
    ck_assert_int_lt(registry_add(&registry, &bad, "bad.so", &error), 0);
    ck_assert_str_eq(error.message, "could not load plugin 'bad.so': it is built for value layout "
                                    "7, this weir has 1");
    ck_assert_uint_eq(registry.plugins.count, 0);
    ck_assert_uint_eq(registry.factories.count, 0);
}
END_TEST

START_TEST(offers_the_names_of_a_kind)
{
    struct nearest search;
    add(&first, "first.so");
    add(&second, "second.so");
    nearest_start(&search, "distnace", 8);
    registry_offer(&registry, WEIR_KIND_FUNCTION, &search);
    ck_assert_str_eq(nearest_found(&search), "distance");
    nearest_start(&search, "distnace", 8);
    registry_offer(&registry, WEIR_KIND_OPERATOR, &search);
    ck_assert_ptr_null(nearest_found(&search));
}
END_TEST

/* ---- folders ---------------------------------------------------------------------------------- */

static void write_in_folder(const char *name)
{
    char path[160];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    write_file(path, "text", 4);
}

static const char *problem_message(const char *name)
{
    const struct plugin_problem *problem = registry_problem(&registry, name, strlen(name));
    return problem != NULL ? problem->message : "";
}

START_TEST(keeps_what_a_folder_holds_and_cannot_be_loaded)
{
    write_in_folder("operator_zebra.so");
    write_in_folder("ape.so");
    write_in_folder("readme.txt");
    write_in_folder(".hidden.so");
    ck_assert_int_eq(registry_load_folder(&registry, folder, &error), WEIR_OK);
    ck_assert_uint_eq(registry.problem_count, 2);
    ck_assert_ptr_nonnull(strstr(registry.problems[0].path, "/ape.so"));
    ck_assert_ptr_nonnull(strstr(registry.problems[1].path, "/operator_zebra.so"));
    ck_assert_ptr_nonnull(strstr(problem_message("ape"), "it is not an ELF file; "));
    ck_assert_ptr_nonnull(strstr(problem_message("zebra"), "operator_zebra.so"));
    ck_assert_str_eq(problem_message("bra"), "");
    ck_assert_str_eq(problem_message(""), "");
    ck_assert(!registry.problems[0].is_duplicate);
}
END_TEST

START_TEST(says_that_a_folder_is_missing)
{
    ck_assert_int_eq(registry_load_folder(&registry, "/nowhere/plugins", &error), WEIR_E_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "/nowhere/plugins"));
    ck_assert_uint_eq(registry.problem_count, 0);
}
END_TEST

START_TEST(looks_through_the_path_variable_in_order)
{
    char path[400];
    write_in_folder("b.so");
    write_in_folder("a.so");
    snprintf(path, sizeof path, ":/nowhere/plugins:%s/b.so::%s", folder, folder);
    setenv("WEIR_PLUGIN_PATH", path, 1);
    registry_load_default(&registry);
    ck_assert_uint_ge(registry.problem_count, 4);
    ck_assert_str_eq(registry.problems[0].path, "/nowhere/plugins");
    ck_assert_ptr_nonnull(strstr(registry.problems[1].path, "/b.so"));
    ck_assert_ptr_nonnull(strstr(registry.problems[2].path, "/a.so"));
    ck_assert_ptr_nonnull(strstr(registry.problems[3].path, "/b.so"));
}
END_TEST

static int count_of(size_t bytes, size_t element)
{
    return (int)(bytes / element);
}

static TCase *file_tests(void)
{
    TCase *tc = tcase_create("file");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, refuses_what_is_no_shared_object_for_this_machine, 0,
                        count_of(sizeof headers, sizeof headers[0]));
    tcase_add_test(tc, refuses_files_that_are_too_short);
    tcase_add_test(tc, refuses_what_is_not_there_or_no_file);
    tcase_add_test(tc, refuses_what_everybody_may_write);
    tcase_add_test(tc, judges_the_folder_behind_a_link);
    tcase_add_test(tc, warns_of_what_a_group_may_write);
    if (geteuid() == 0) {
        tcase_add_test(tc, refuses_what_belongs_to_somebody_else);
    }
    tcase_add_test(tc, compares_the_pinned_hash);
    tcase_add_loop_test(tc, refuses_what_is_no_hash, 0,
                        count_of(sizeof bad_hashes, sizeof bad_hashes[0]));
    return tc;
}

Suite *suite(void)
{
    Suite *s = suite_create("registry");
    TCase *tc = tcase_create("answers");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, answers_by_kind_and_name);
    tcase_add_test(tc, refuses_a_name_of_any_length);
    tcase_add_test(tc, asks_for_the_qualified_name_where_two_offer_one);
    tcase_add_test(tc, finds_a_function_whose_id_has_a_minus);
    tcase_add_test(tc, names_both_paths_of_one_id);
    tcase_add_test(tc, takes_the_same_plugin_twice);
    tcase_add_test(tc, adds_nothing_that_is_not_right);
    tcase_add_test(tc, offers_the_names_of_a_kind);
    tcase_add_test(tc, keeps_what_a_folder_holds_and_cannot_be_loaded);
    tcase_add_test(tc, says_that_a_folder_is_missing);
    tcase_add_test(tc, looks_through_the_path_variable_in_order);
    suite_add_tcase(s, file_tests());
    suite_add_tcase(s, tc);
    return s;
}
