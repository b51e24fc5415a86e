/* SPDX-License-Identifier: MIT */
/* What the search meets in folders that the test makes. */
#include "plugin/search.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "unit.h"

static struct arena arena;
static char folder[64];
static char met[2048]; /* one line for each file and fault */

static void note_file(void *self, const char *path)
{
    (void)self;
    const char *name = strncmp(path, folder, strlen(folder)) == 0 ? path + strlen(folder) : path;
    size_t len = strlen(met);
    snprintf(met + len, sizeof met - len, "%s\n", name);
}

static void note_fault(void *self, const char *path, const struct error *error)
{
    note_file(self, path);
    size_t len = strlen(met);
    snprintf(met + len, sizeof met - len, "  fault %d\n", error->status == WEIR_OK ? 0 : 1);
}

static const struct search_visitor visitor = { NULL, note_file, note_fault };

static void make(const char *name)
{
    char path[128];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    if (strrchr(path, '/')[1] == '\0') {
        ck_assert_int_eq(mkdir(path, 0755), 0);
        return;
    }
    int file = open(path, O_CREAT | O_WRONLY, 0644);
    ck_assert_int_ge(file, 0);
    close(file);
}

static void start(void)
{
    static const char *const names[] = { "a/",        "b/",        "a/two.so", "a/one.so",
                                         "a/.bad.so", "a/one.txt", "a/.so",    "b/one.so" };
    arena_init(&arena, 0);
    met[0] = '\0';
    snprintf(folder, sizeof folder, "/tmp/search-test-XXXXXX");
    ck_assert_ptr_nonnull(mkdtemp(folder));
    for (size_t i = 0; i < sizeof names / sizeof names[0]; i++) {
        make(names[i]);
    }
}

static void stop(void)
{
    char command[128];
    snprintf(command, sizeof command, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    arena_deinit(&arena);
}

static const char *in_folder(const char *name)
{
    return arena_printf(&arena, "%s/%s", folder, name);
}

START_TEST(meets_plugins_of_a_folder_in_the_order_of_names)
{
    struct error error = { 0 };
    ck_assert_int_eq(search_folder(in_folder("a"), &arena, &visitor, &error), WEIR_OK);
    ck_assert_str_eq(met, "/a/one.so\n/a/two.so\n");
}
END_TEST

START_TEST(tells_that_a_folder_is_not_there)
{
    struct error error = { 0 };
    ck_assert_int_eq(search_folder(in_folder("c"), &arena, &visitor, &error), WEIR_E_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "could not open plugin folder"));
    ck_assert_str_eq(met, "");
}
END_TEST

START_TEST(follows_the_variable_through_folders_and_files)
{
    const char *list =
        arena_printf(&arena, "%s/b::%s/a/two.so:%s/none:%s/a", folder, folder, folder, folder);
    static const char wanted[] = "/b/one.so\n/a/two.so\n/none\n  fault 1\n/a/one.so\n/a/two.so\n";
    setenv("WEIR_PLUGIN_PATH", list, 1);
    search_default(&arena, &visitor);
    ck_assert_msg(strncmp(met, wanted, sizeof wanted - 1) == 0, "%s", met);
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("search");
    TCase *cases = tcase_create("search");
    tcase_add_checked_fixture(cases, start, stop);
    tcase_add_test(cases, meets_plugins_of_a_folder_in_the_order_of_names);
    tcase_add_test(cases, tells_that_a_folder_is_not_there);
    tcase_add_test(cases, follows_the_variable_through_folders_and_files);
    suite_add_tcase(suite, cases);
    return suite;
}
