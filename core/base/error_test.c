/* SPDX-License-Identifier: MIT */
/* Error details: classes, system errors, cutting. */
#include "base/error.h"

#include <errno.h>
#include <string.h>

#include "unit.h"

START_TEST(details_are_stored_and_old_ones_forgotten)
{
    struct error error = { .is_retriable = true, .hint = "old" };
    ck_assert_int_eq(error_set(&error, WEIR_E_DATA, WEIR_CLASS_DATA, "field '%s' is %d", "a", 5),
                     WEIR_E_DATA);
    ck_assert_int_eq(error.status, WEIR_E_DATA);
    ck_assert_uint_eq(error.error_class, WEIR_CLASS_DATA);
    ck_assert_str_eq(error.message, "field 'a' is 5");
    ck_assert_str_eq(error.hint, "");
    ck_assert(!error.is_retriable);
    error_hint(&error, "write %s", "x");
    ck_assert_str_eq(error.hint, "write x");
}
END_TEST

START_TEST(without_storage_the_status_still_comes_back)
{
    ck_assert_int_eq(error_set(NULL, WEIR_E_LIMIT, WEIR_CLASS_DATA, "x"), WEIR_E_LIMIT);
    error_hint(NULL, "x");
    ck_assert_int_eq(error_no_memory(NULL), WEIR_E_NOMEM);
    errno = ENOENT;
    ck_assert_int_eq(error_from_errno(NULL, "open", "x"), WEIR_E_NOT_FOUND);
}
END_TEST

START_TEST(a_message_may_be_made_from_itself)
{
    struct error error;
    error_set(&error, WEIR_E_DATA, WEIR_CLASS_DATA, "inner");
    error_set(&error, WEIR_E_DATA, WEIR_CLASS_DATA, "outer: %s", error.message);
    ck_assert_str_eq(error.message, "outer: inner");
}
END_TEST

START_TEST(long_messages_are_cut_at_a_whole_code_point)
{
    struct error error;
    for (size_t shift = 0; shift < 4; shift++) {
        char text[1000] = "xxx";
        for (size_t i = shift; i + 4 < sizeof text; i += 4) {
            memcpy(text + i, "\xf0\x9f\x98\x80", 4);
        }
        error_set(&error, WEIR_E_DATA, WEIR_CLASS_DATA, "%s", text);
        size_t len = strlen(error.message);
        ck_assert_uint_gt(len, sizeof error.message - 5);
        ck_assert_uint_eq((len - shift) % 4, 0);
    }
    char exact[sizeof error.message] = { 0 };
    memset(exact, 'a', sizeof exact - 1);
    memcpy(exact + sizeof exact - 3, "\xc3\xa9", 2);
    error_set(&error, WEIR_E_DATA, WEIR_CLASS_DATA, "%s", exact);
    ck_assert_str_eq(error.message, exact);
}
END_TEST

START_TEST(a_message_is_one_line)
{
    struct error error;
    error_set(&error, WEIR_E_DATA, WEIR_CLASS_DATA, "a\nb\tc\x1b[1md\x7f");
    ck_assert_str_eq(error.message, "a b c [1md ");
}
END_TEST

static const struct {
    int code;
    weir_status status;
    uint32_t error_class;
    bool is_retriable;
} system_errors[] = {
    { ENOENT, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, false },
    { EACCES, WEIR_E_IO, WEIR_CLASS_AUTH, false },
    { ENOSPC, WEIR_E_IO, WEIR_CLASS_RESOURCE, false },
    { EIO, WEIR_E_IO, WEIR_CLASS_RESOURCE, false },
    { ENOMEM, WEIR_E_NOMEM, WEIR_CLASS_RESOURCE, false },
    { ECONNREFUSED, WEIR_E_IO, WEIR_CLASS_NETWORK, true },
    { ETIMEDOUT, WEIR_E_TIMEOUT, WEIR_CLASS_NETWORK, true },
    { EISDIR, WEIR_E_INVALID, WEIR_CLASS_CONFIG, false },
};

START_TEST(system_errors_get_their_class)
{
    struct error error;
    errno = system_errors[_i].code;
    ck_assert_int_eq(error_from_errno(&error, "open", "data.txt"), system_errors[_i].status);
    ck_assert_int_eq(error.status, system_errors[_i].status);
    ck_assert_uint_eq(error.error_class, system_errors[_i].error_class);
    ck_assert_int_eq(error.is_retriable, system_errors[_i].is_retriable);
    ck_assert_ptr_nonnull(strstr(error.message, strerror(system_errors[_i].code)));
    ck_assert_int_eq(strncmp(error.message, "could not open 'data.txt': ", 27), 0);
}
END_TEST

START_TEST(classes_have_names)
{
    ck_assert_str_eq(error_class_name(WEIR_CLASS_NONE), "none");
    ck_assert_str_eq(error_class_name(WEIR_CLASS_CONFIG), "config");
    ck_assert_str_eq(error_class_name(WEIR_CLASS_NOT_FOUND), "not_found");
    ck_assert_str_eq(error_class_name(WEIR_CLASS_BUG), "bug");
    ck_assert_str_eq(error_class_name(WEIR_CLASS_BUG + 1), "unknown");
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("error");
    TCase *tests = tcase_create("error");
    tcase_add_test(tests, details_are_stored_and_old_ones_forgotten);
    tcase_add_test(tests, without_storage_the_status_still_comes_back);
    tcase_add_test(tests, a_message_may_be_made_from_itself);
    tcase_add_test(tests, long_messages_are_cut_at_a_whole_code_point);
    tcase_add_test(tests, a_message_is_one_line);
    tcase_add_loop_test(tests, system_errors_get_their_class, 0,
                        sizeof system_errors / sizeof system_errors[0]);
    tcase_add_test(tests, classes_have_names);
    suite_add_tcase(suite, tests);
    return suite;
}
