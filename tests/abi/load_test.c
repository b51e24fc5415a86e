/* SPDX-License-Identifier: MIT */
/*
 * Loads shared objects that were built to be wrong, one way each (plugins/), as weir would load a
 * vendor's file, and compares what it says. Folders and searches too, over files that are right.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <weir/operator.h>

#include "plugin/registry.h"
#include "unit.h"

static struct registry registry;
static struct error error;

static void setup(void)
{
    memset(&error, 0, sizeof error);
    registry_init(&registry);
}

static void teardown(void)
{
    registry_deinit(&registry);
}

/* A static text: used up before the next call. */
static const char *path_of(const char *name)
{
    static char path[2][1024];
    static int turn;
    turn = 1 - turn;
    snprintf(path[turn], sizeof path[turn], "%s/tests/abi/plugins/%s.so", getenv("WEIR_BUILD"),
             name);
    return path[turn];
}

static weir_status load(const char *name)
{
    return registry_load_file(&registry, path_of(name), NULL, &error);
}

static const struct factory *find(const char *name)
{
    return registry_find(&registry, WEIR_KIND_OPERATOR, name, strlen(name));
}

START_TEST(loads_a_right_plugin)
{
    ck_assert_msg(load("good") == WEIR_OK, "%s", error.message);
    const struct factory *factory = find("sample");
    ck_assert_ptr_nonnull(factory);
    ck_assert_str_eq(factory->plugin->entry->id, "org.example.sample");
    ck_assert_str_eq(factory->plugin->path, path_of("good"));
    ck_assert_ptr_null(factory->plugin->warning);
    ck_assert_ptr_eq(find("org.example.sample.sample")->spec, factory->spec);
}
END_TEST

static const struct {
    const char *plugin;
    weir_status status;
    const char *reason; /* the message from there on begins with it */
    const char *hint;
} refusals[] = {
    { "missing", WEIR_E_NOT_FOUND, NULL, "" },
    { "no_symbol", WEIR_E_INVALID, "it does not export weir_plugin_entry_v1",
      "is it a plugin of weir? WEIR_PLUGIN(...) in one of its files defines that" },
    { "function_symbol", WEIR_E_INVALID, "weir_plugin_entry_v1 is not the entry of a plugin",
      "define it with WEIR_PLUGIN(...)" },
    { "undefined_symbol", WEIR_E_INVALID, "undefined symbol: function_that_nobody_has", "" },
    { "wrong_magic", WEIR_E_INVALID, "its entry does not begin with 'weirplug'", "" },
    { "other_major", WEIR_E_UNSUPPORTED, "it is built for ABI 1.3, this weir has 0.3",
      "look for a release of it for ABI 0" },
    { "other_minor", WEIR_E_UNSUPPORTED,
      "it is built for ABI 0.4, this weir has 0.3 and takes no other",
      "rebuild it with the headers of this weir" },
    { "short_entry", WEIR_E_INVALID, "its entry has struct_size 32, expected 88", "" },
    { "long_entry", WEIR_E_INVALID, "its entry is shorter than its struct_size says", "" },
    { "other_layout", WEIR_E_UNSUPPORTED, "it is built for value layout 2, this weir has 1",
      "rebuild it with the headers of this weir" },
    { "short_vtable", WEIR_E_INVALID,
      "factory 'sample': its vtable has struct_size 16, expected 32", "" },
    { "null_slot", WEIR_E_INVALID, "factory 'sample': its slot 'process' is NULL", "" },
    { "bad_options", WEIR_E_INVALID, "factory 'sample': option 'limit' has the unknown type 99",
      "" },
    { "unfed_input", WEIR_E_INVALID, "factory 'sample': no option feeds its input 'right'",
      "add one of that name, of type stream" },
};

START_TEST(refuses_each_defect_with_its_own_sentence)
{
    char expected[2048];
    ck_assert_int_eq(load(refusals[_i].plugin), refusals[_i].status);
    ck_assert_str_eq(error.hint, refusals[_i].hint);
    ck_assert_uint_eq(registry.plugins.count, 0);
    if (refusals[_i].reason != NULL) {
        snprintf(expected, sizeof expected, "could not load plugin '%s': %s",
                 path_of(refusals[_i].plugin), refusals[_i].reason);
        ck_assert_str_eq(error.message, expected);
    }
}
END_TEST

START_TEST(names_both_files_of_one_id)
{
    char expected[2200];
    ck_assert_int_eq(load("good"), WEIR_OK);
    ck_assert_int_eq(load("same_id"), WEIR_E_INVALID);
    snprintf(expected, sizeof expected,
             "two plugins have the id 'org.example.sample': '%s' and '%s'", path_of("good"),
             path_of("same_id"));
    ck_assert_str_eq(error.message, expected);
    ck_assert_ptr_null(find("other"));
}
END_TEST

START_TEST(takes_the_same_file_twice)
{
    ck_assert_int_eq(load("good"), WEIR_OK);
    ck_assert_int_eq(load("good"), WEIR_OK);
    ck_assert(!find("sample")->is_ambiguous);
}
END_TEST

START_TEST(keeps_two_vendors_of_one_name_apart)
{
    ck_assert_int_eq(load("good"), WEIR_OK);
    ck_assert_int_eq(load("same_name"), WEIR_OK);
    ck_assert(find("sample")->is_ambiguous);
    ck_assert_str_eq(find("com.acme.sample.sample")->plugin->path, path_of("same_name"));
}
END_TEST

START_TEST(loads_a_pinned_file_only_if_it_is_that_one)
{
    char command[1200];
    char sha256[65] = "";
    snprintf(command, sizeof command, "sha256sum '%s'", path_of("good"));
    FILE *sum = popen(command, "r");
    ck_assert_ptr_nonnull(sum);
    ck_assert_uint_eq(fread(sha256, 1, 64, sum), 64);
    pclose(sum);
    sha256[0] = sha256[0] == '0' ? '1' : '0';
    ck_assert_int_lt(registry_load_file(&registry, path_of("good"), sha256, &error), 0);
    ck_assert_ptr_nonnull(strstr(error.message, "its sha256 is "));
    ck_assert_uint_eq(registry.plugins.count, 0);
}
END_TEST

START_TEST(loads_what_is_right_in_a_folder_and_notes_the_rest)
{
    char folder[1024];
    snprintf(folder, sizeof folder, "%s/tests/abi/plugins", getenv("WEIR_BUILD"));
    ck_assert_int_eq(registry_load_folder(&registry, folder, &error), WEIR_OK);
    ck_assert_uint_eq(registry.plugins.count, 2);
    const struct plugin_problem *problem = registry_problem(&registry, "null_slot", 9);
    ck_assert_ptr_nonnull(problem);
    ck_assert_ptr_nonnull(strstr(problem->message, "its slot 'process' is NULL"));
    ck_assert_str_eq(problem->id, "org.example.sample");
    ck_assert(!problem->is_duplicate);
    problem = registry_problem(&registry, "same_id", 7);
    ck_assert_ptr_nonnull(problem);
    ck_assert(problem->is_duplicate);
    problem = registry_problem(&registry, "other_minor", 11);
    ck_assert_ptr_nonnull(strstr(problem->message, "; rebuild it with the headers of this weir"));
    ck_assert_ptr_null(problem->id);
}
END_TEST

START_TEST(finds_plugins_by_the_path_variable_before_the_installed_ones)
{
    setenv("WEIR_PLUGIN_PATH", path_of("good"), 1);
    registry_load_default(&registry);
    ck_assert_ptr_nonnull(find("sample"));
    ck_assert_ptr_eq(registry.plugins.entries[0].value, find("sample")->plugin);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("abi_load");
    TCase *tc = tcase_create("load");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_test(tc, loads_a_right_plugin);
    tcase_add_loop_test(tc, refuses_each_defect_with_its_own_sentence, 0,
                        (int)(sizeof refusals / sizeof refusals[0]));
    tcase_add_test(tc, names_both_files_of_one_id);
    tcase_add_test(tc, takes_the_same_file_twice);
    tcase_add_test(tc, keeps_two_vendors_of_one_name_apart);
    tcase_add_test(tc, loads_a_pinned_file_only_if_it_is_that_one);
    tcase_add_test(tc, loads_what_is_right_in_a_folder_and_notes_the_rest);
    tcase_add_test(tc, finds_plugins_by_the_path_variable_before_the_installed_ones);
    suite_add_tcase(s, tc);
    return s;
}
