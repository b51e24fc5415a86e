/* SPDX-License-Identifier: MIT */
/* Texts of options: variables, paths, secrets. */
#include <unistd.h>

#include "plugin/option_sample.h"

static const struct {
    const char *text;
    const char *result; /* NULL: message */
    const char *message;
} variables[] = {
    { "plain", "plain", NULL },
    { "", "", NULL },
    { "$ $$ {}", "$ $$ {}", NULL },
    { "${HOST}", "db", NULL },
    { "tcp://${HOST}:${TEN}/x", "tcp://db:10/x", NULL },
    { "${NO_SUCH:-a b}", "a b", NULL },
    { "${NO_SUCH:-}", "", NULL },
    { "${EMPTY}", "", NULL },
    { "${EMPTY:-x}", "x", NULL },
    { "${HOST:-x}", "db", NULL },
    { "${NESTED}", "${HOST}", NULL },
    { "$${HOST}", "${HOST}", NULL },
    { "$$${HOST}", "$${HOST}", NULL },
    { "a$${b}${HOST}", "a${b}db", NULL },
    { "${NO_SUCH}", NULL,
      "the environment variable 'NO_SUCH' is not set; set it, or write ${NO_SUCH:-default}" },
#define BAD_NAME                                                                                   \
 "this names no environment variable; write ${NAME} or ${NAME:-default}, and $${ for the two "     \
 "characters themselves"
    { "${}", NULL, BAD_NAME },
    { "${1A}", NULL, BAD_NAME },
    { "${HOST", NULL, BAD_NAME },
    { "${HOST-x}", NULL, BAD_NAME },
    { "${HOST:x}", NULL, BAD_NAME },
};

START_TEST(replaces_variables)
{
    size_t len = 999;
    const char *text = option_substitute(&scope, plain(variables[_i].text), &len);
    if (variables[_i].result == NULL) {
        ck_assert_ptr_null(text);
        expect_only(variables[_i].message);
        return;
    }
    expect_silence();
    ck_assert_str_eq(text, variables[_i].result);
    ck_assert_uint_eq(len, strlen(variables[_i].result));
}
END_TEST

START_TEST(reports_every_variable_at_its_place)
{
    size_t len;
    set_source("url: a${X}b${Y}c");
    ck_assert_ptr_null(option_substitute(&scope, plain("a${X}b${Y}c"), &len));
    ck_assert_uint_eq(diagnostics.count, 2);
    ck_assert_uint_eq(diagnostics.list[0].place.offset, 6);
    ck_assert_uint_eq(diagnostics.list[0].place.length, 4);
    ck_assert_uint_eq(diagnostics.list[1].place.offset, 11);
}
END_TEST

START_TEST(reads_what_a_variable_holds_by_the_type)
{
    ck_assert(fill_one("limit", plain("${TEN}")));
    ck_assert_int_eq(config.limit, 10);
    ck_assert(!fill_one("limit", plain("${HOST}")));
    ck_assert_ptr_nonnull(strstr(message_at(0), "found 'db'"));
}
END_TEST

START_TEST(hangs_relative_paths_on_the_folder)
{
    ck_assert(fill(plain("/abs/x")));
    ck_assert_str_eq(config.path.data, "/abs/x");
    ck_assert(fill(plain("././x")));
    ck_assert_str_eq(config.path.data, "/pipes/x");
    ck_assert(fill(plain("./")));
    ck_assert_str_eq(config.path.data, "/pipes/./");
    ck_assert(fill(plain("${HOST}/x")));
    ck_assert_str_eq(config.path.data, "/pipes/db/x");
    expect_silence();
}
END_TEST

START_TEST(warns_of_a_secret_in_the_file)
{
    ck_assert(fill_one("token", plain("hunter2")));
    ck_assert_str_eq(config.token.data, "hunter2");
    ck_assert_uint_eq(diagnostics.count, 1);
    ck_assert_int_eq(diagnostics.list[0].severity, SEVERITY_WARNING);
    ck_assert_ptr_nonnull(strstr(message_at(0), "write ${VARIABLE} or {file: PATH}"));
    ck_assert_ptr_null(strstr(message_at(0), "hunter2"));
}
END_TEST

static const struct {
    const char *content;
    const char *secret;
} secret_files[] = {
    { "hunter2\n", "hunter2" },
    { "hunter2\r\n", "hunter2" },
    { "hunter2", "hunter2" },
    { "two\nlines\n\n", "two\nlines\n" },
    { "\n", "" },
    { "", "" },
};

START_TEST(reads_a_secret_from_a_file)
{
    char path[] = "/tmp/weir-secret-XXXXXX";
    int fd = mkstemp(path);
    size_t len = strlen(secret_files[_i].content);
    ck_assert_int_eq(write(fd, secret_files[_i].content, len), (ssize_t)len);
    close(fd);
    bool is_right = fill_one("token", map_of(1, "file", plain(path)));
    unlink(path);
    ck_assert(is_right);
    expect_silence();
    ck_assert_str_eq(config.token.data, secret_files[_i].secret);
    ck_assert_uint_eq(config.token.size, strlen(secret_files[_i].secret));
}
END_TEST

START_TEST(says_that_a_secret_file_is_missing)
{
    ck_assert(!fill_one("token", map_of(1, "file", plain("nowhere"))));
    ck_assert_ptr_nonnull(strstr(message_at(0), "option 'token' cannot be read from its file: "));
    ck_assert_ptr_nonnull(strstr(message_at(0), "/pipes/nowhere"));
    ck_assert(!fill_one("token", map_of(1, "file", blank())));
    ck_assert_str_eq(message_at(1), "option 'token' needs a path after 'file:'");
    ck_assert(!fill_one("token", map_of(1, "fil", plain("x"))));
    ck_assert_str_eq(message_at(2), "option 'token' expects a text, ${VARIABLE} or {file: PATH}, "
                                    "found a map");
}
END_TEST

#define COUNT(table) ((int)(sizeof table / sizeof table[0]))

Suite *suite(void)
{
    Suite *s = suite_create("option_text");
    TCase *tc = tcase_create("option_text");
    tcase_add_checked_fixture(tc, setup, teardown);
    tcase_add_loop_test(tc, replaces_variables, 0, COUNT(variables));
    tcase_add_test(tc, reports_every_variable_at_its_place);
    tcase_add_test(tc, reads_what_a_variable_holds_by_the_type);
    tcase_add_test(tc, hangs_relative_paths_on_the_folder);
    tcase_add_test(tc, warns_of_a_secret_in_the_file);
    tcase_add_loop_test(tc, reads_a_secret_from_a_file, 0, COUNT(secret_files));
    tcase_add_test(tc, says_that_a_secret_file_is_missing);
    suite_add_tcase(s, tc);
    return s;
}
