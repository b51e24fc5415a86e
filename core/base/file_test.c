/* SPDX-License-Identifier: MIT */
/* Whole files and folders, in a folder of the test's own. */
#include "base/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "base/memory.h"
#include "unit.h"

static struct arena arena;
static char folder[] = "/tmp/file_test.XXXXXX";
static char *text;
static size_t size;
static struct error error;

static void start(void)
{
    arena_init(&arena, 0);
    ck_assert_ptr_nonnull(mkdtemp(folder));
}

static void finish(void)
{
    memory_fail_from(0);
    char *command = arena_printf(&arena, "rm -r '%s'", folder);
    ck_assert_int_eq(system(command), 0);
    arena_deinit(&arena);
}

static const char *write_file(const char *name, const char *bytes, size_t count)
{
    const char *path = file_join(&arena, folder, name);
    FILE *file = fopen(path, "w");
    ck_assert_ptr_nonnull(file);
    ck_assert_uint_eq(fwrite(bytes, 1, count, file), count);
    fclose(file);
    return path;
}

START_TEST(a_file_is_read_whole)
{
    const char *path = write_file("a", "x\0y\n", 4);
    ck_assert_int_eq(file_read(path, 100, &arena, &text, &size, &error), WEIR_OK);
    ck_assert_uint_eq(size, 4);
    ck_assert_int_eq(memcmp(text, "x\0y\n", 5), 0);
    path = write_file("empty", "", 0);
    ck_assert_int_eq(file_read(path, 100, &arena, &text, &size, &error), WEIR_OK);
    ck_assert_uint_eq(size, 0);
    ck_assert_str_eq(text, "");
}
END_TEST

START_TEST(the_limit_is_the_largest_size)
{
    const char *path = write_file("a", "12345", 5);
    ck_assert_int_eq(file_read(path, 5, &arena, &text, &size, &error), WEIR_OK);
    text = NULL;
    ck_assert_int_eq(file_read(path, 4, &arena, &text, &size, &error), WEIR_E_LIMIT);
    ck_assert_ptr_null(text);
    ck_assert_ptr_nonnull(strstr(error.message, "larger than 4 bytes"));
    ck_assert_int_eq(file_read(path, 4, &arena, &text, &size, NULL), WEIR_E_LIMIT);
}
END_TEST

START_TEST(files_without_a_size_are_read_to_their_end)
{
    ck_assert_int_eq(file_read("/proc/self/status", 1 << 20, &arena, &text, &size, &error),
                     WEIR_OK);
    ck_assert_ptr_nonnull(strstr(text, "VmPeak"));
    ck_assert_int_eq(file_read("/dev/zero", 100000, &arena, &text, &size, &error), WEIR_E_LIMIT);
}
END_TEST

START_TEST(a_file_that_is_not_there_says_so)
{
    ck_assert_int_eq(file_read("/nowhere/x", 10, &arena, &text, &size, &error), WEIR_E_NOT_FOUND);
    ck_assert_str_eq(error.message, "could not open '/nowhere/x': No such file or directory");
    ck_assert_uint_eq(error.error_class, WEIR_CLASS_NOT_FOUND);
    ck_assert_int_eq(file_read(folder, 10, &arena, &text, &size, &error), WEIR_E_INVALID);
    ck_assert_ptr_nonnull(strstr(error.message, "directory"));
}
END_TEST

START_TEST(no_memory_is_an_error)
{
    const char *path = write_file("a", "12345", 5);
    arena_deinit(&arena);
    char copy[64];
    snprintf(copy, sizeof copy, "%s/a", folder);
    (void)path;
    for (size_t k = 1; k <= 2; k++) {
        memory_fail_from(k);
        ck_assert_int_eq(file_read(copy, 10, &arena, &text, &size, &error), WEIR_E_NOMEM);
        ck_assert_int_eq(error.status, WEIR_E_NOMEM);
    }
    memory_fail_from(1);
    ck_assert_int_eq(file_make_folders("/tmp/x/y", &error), WEIR_E_NOMEM);
}
END_TEST

START_TEST(folders_are_made_with_those_above)
{
    char *path = file_join(&arena, folder, "a//b/c/");
    ck_assert_int_eq(file_make_folders(path, &error), WEIR_OK);
    ck_assert_int_eq(file_make_folders(path, &error), WEIR_OK);
    struct stat facts;
    ck_assert_int_eq(stat(path, &facts), 0);
    ck_assert(S_ISDIR(facts.st_mode));
    ck_assert(file_exists(path));
}
END_TEST

START_TEST(a_file_in_the_way_of_a_folder_is_named)
{
    write_file("a", "", 0);
    ck_assert_int_eq(file_make_folders(file_join(&arena, folder, "a/b"), &error), WEIR_E_INVALID);
    ck_assert_ptr_nonnull(strstr(error.message, "/a'"));
    ck_assert_int_eq(file_make_folders("/proc/x/y", &error), WEIR_E_NOT_FOUND);
    ck_assert_ptr_nonnull(strstr(error.message, "could not make the folder '/proc/x'"));
}
END_TEST

START_TEST(existence_is_told)
{
    ck_assert(file_exists(folder));
    ck_assert(!file_exists("/nowhere/x"));
}
END_TEST

static const struct {
    const char *folder;
    const char *path;
    const char *joined;
} joins[] = {
    { "a", "b", "a/b" }, { "a/", "b", "a/b" }, { "/", "b", "/b" },
    { "a", "/b", "/b" }, { "", "b", "b" },     { ".", "b/c", "b/c" },
};

static const struct {
    const char *path;
    const char *folder;
} folders[] = {
    { "a", "." },         { "a/b", "a" },  { "/a", "/" },
    { "/a/b/c", "/a/b" }, { "a//b", "a" }, { "./a", "." },
};

START_TEST(paths_are_joined_and_taken_apart)
{
    for (size_t i = 0; i < sizeof joins / sizeof joins[0]; i++) {
        ck_assert_str_eq(file_join(&arena, joins[i].folder, joins[i].path), joins[i].joined);
    }
    for (size_t i = 0; i < sizeof folders / sizeof folders[0]; i++) {
        ck_assert_str_eq(file_folder(&arena, folders[i].path), folders[i].folder);
    }
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("file");
    TCase *tests = tcase_create("file");
    tcase_add_checked_fixture(tests, start, finish);
    tcase_add_test(tests, a_file_is_read_whole);
    tcase_add_test(tests, the_limit_is_the_largest_size);
    tcase_add_test(tests, files_without_a_size_are_read_to_their_end);
    tcase_add_test(tests, a_file_that_is_not_there_says_so);
    tcase_add_test(tests, no_memory_is_an_error);
    tcase_add_test(tests, folders_are_made_with_those_above);
    tcase_add_test(tests, a_file_in_the_way_of_a_folder_is_named);
    tcase_add_test(tests, existence_is_told);
    tcase_add_test(tests, paths_are_joined_and_taken_apart);
    suite_add_tcase(suite, tests);
    return suite;
}
