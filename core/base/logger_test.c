/* SPDX-License-Identifier: MIT */
/* The log's lines, read back through a pipe or a pseudo terminal in the place of standard error. */
#include "base/logger.h"

#include <fcntl.h>
#include <poll.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/units.h"
#include "base/utf8.h"
#include "unit.h"

static int reading;
static char text[1 << 20];

static void start(void)
{
    int ends[2];
    ck_assert_int_eq(pipe(ends), 0);
    ck_assert_int_ge(fcntl(ends[1], F_SETPIPE_SZ, 1 << 20), 0);
    ck_assert_int_eq(dup2(ends[1], STDERR_FILENO), STDERR_FILENO);
    close(ends[1]);
    reading = ends[0];
    ck_assert_int_eq(fcntl(reading, F_SETFL, O_NONBLOCK), 0);
}

/* Everything that was written so far. */
static const char *written(void)
{
    ssize_t got = read(reading, text, sizeof text - 1);
    text[got > 0 ? got : 0] = '\0';
    return text;
}

/* The line behind its time of day, which must be one. */
static const char *after_time(const char *line)
{
    int64_t ms;
    ck_assert(units_time_ms(line, 24, &ms, NULL));
    ck_assert_int_eq(line[24], ' ');
    return line + 25;
}

START_TEST(a_text_line_has_time_level_subject_message)
{
    logger_write(LOGGER_WARNING, "streams.late", "%d records", 5);
    ck_assert_str_eq(after_time(written()), "warning streams.late: 5 records\n");
    logger_write(LOGGER_ERROR, NULL, "it stops");
    ck_assert_str_eq(after_time(written()), "error it stops\n");
    logger_write(LOGGER_INFO, NULL, "go");
    ck_assert_str_eq(after_time(written()), "info go\n");
    logger_write(LOGGER_INFO, NULL, "%.1f s of %d, %s", 1.5, 7, "so far");
    ck_assert_str_eq(after_time(written()), "info 1.5 s of 7, so far\n");
}
END_TEST

START_TEST(a_message_that_is_too_long_ends_with_an_ellipsis)
{
    char message[6000];
    for (size_t i = 0; i < sizeof message; i += 2) {
        memcpy(message + i, "\xC3\xBC", 2);
    }
    message[sizeof message - 2] = '\0';
    for (int shift = 0; shift < 2; shift++) {
        logger_write(LOGGER_INFO, NULL, "%s%s", shift == 0 ? "" : "x", message);
        const char *line = after_time(written());
        size_t len = strlen(line);
        ck_assert_uint_gt(len, 4000);
        ck_assert_str_eq(line + len - 6, "\xC3\xBC\xE2\x80\xA6\n");
        ck_assert_uint_eq(utf8_valid_prefix(line, len), len);
    }
}
END_TEST

START_TEST(what_is_below_the_level_is_not_written)
{
    logger_write(LOGGER_DEBUG, NULL, "x");
    ck_assert_str_eq(written(), "");
    logger_configure(LOGGER_ERROR, false, false);
    logger_write(LOGGER_WARNING, NULL, "x");
    ck_assert_str_eq(written(), "");
    logger_configure(LOGGER_DEBUG, false, false);
    logger_write(LOGGER_DEBUG, NULL, "x");
    ck_assert_str_eq(after_time(written()), "debug x\n");
}
END_TEST

START_TEST(a_json_line_is_one_object)
{
    logger_configure(LOGGER_INFO, true, false);
    logger_write(LOGGER_WARNING, "a \"b\"", "c\n\xff");
    const char *line = written();
    ck_assert_int_eq(strncmp(line, "{\"ts\":\"", 7), 0);
    int64_t ms;
    ck_assert(units_time_ms(line + 7, 24, &ms, NULL));
    ck_assert_str_eq(line + 31, "\",\"level\":\"warning\",\"subject\":\"a \\\"b\\\"\","
                                "\"message\":\"c\\n\xef\xbf\xbd\"}\n");
    logger_write(LOGGER_ERROR, NULL, "x");
    ck_assert_str_eq(written() + 31, "\",\"level\":\"error\",\"message\":\"x\"}\n");
}
END_TEST

START_TEST(a_text_line_stays_one_line_and_acts_on_no_terminal)
{
    logger_write(LOGGER_INFO, "s\n",
                 "a\r\nb\x1b[2J\x7f\xc2\x9b"
                 "c\xff");
    ck_assert_str_eq(after_time(written()), "info s : a  b [2J  c\xef\xbf\xbd\n");
}
END_TEST

START_TEST(colour_stands_around_the_level)
{
    logger_configure(LOGGER_INFO, false, true);
    logger_write(LOGGER_ERROR, NULL, "x");
    ck_assert_str_eq(after_time(written()), "\033[31merror\033[0m x\n");
}
END_TEST

START_TEST(a_line_that_is_too_long_is_cut_but_ends)
{
    char *message = malloc(100000);
    memset(message, 0x01, 99999);
    message[99999] = '\0';
    for (int is_json = 0; is_json < 2; is_json++) {
        logger_configure(LOGGER_INFO, is_json != 0, false);
        logger_write(LOGGER_INFO, message, "%s", message);
        const char *line = written();
        size_t len = strlen(line);
        ck_assert_uint_gt(len, 4000);
        ck_assert_uint_lt(len, 30000);
        ck_assert_ptr_eq(strchr(line, '\n'), line + len - 1);
        ck_assert_int_eq(line[len - 2] == '}', is_json);
    }
    free(message);
}
END_TEST

enum { THREADS = 4, LINES = 200 };

static void *write_lines(void *letter)
{
    char message[80];
    memset(message, *(const char *)letter, sizeof message - 1);
    message[sizeof message - 1] = '\0';
    for (int i = 0; i < LINES; i++) {
        logger_write(LOGGER_INFO, NULL, "%s", message);
    }
    return NULL;
}

START_TEST(lines_of_several_threads_do_not_mix)
{
    static char letters[THREADS] = { 'a', 'b', 'c', 'd' };
    pthread_t threads[THREADS];
    for (int i = 0; i < THREADS; i++) {
        ck_assert_int_eq(pthread_create(&threads[i], NULL, write_lines, &letters[i]), 0);
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    int count = 0;
    char *rest = NULL;
    (void)written();
    for (char *line = strtok_r(text, "\n", &rest); line != NULL;
         line = strtok_r(NULL, "\n", &rest)) {
        const char *message = after_time(line) + strlen("info ");
        ck_assert_uint_eq(strlen(message), 79);
        ck_assert_uint_eq(strspn(message, (char[2]){ message[0], '\0' }), 79);
        count++;
    }
    ck_assert_int_eq(count, THREADS * LINES);
}
END_TEST

START_TEST(progress_is_silent_without_a_terminal)
{
    logger_progress("50 %");
    logger_write(LOGGER_INFO, NULL, "x");
    ck_assert_str_eq(after_time(written()), "info x\n");
}
END_TEST

/* Puts a pseudo terminal in the place of standard error. */
static void use_terminal(void)
{
    int master = posix_openpt(O_RDWR | O_NOCTTY);
    ck_assert_int_ge(master, 0);
    ck_assert_int_eq(grantpt(master), 0);
    ck_assert_int_eq(unlockpt(master), 0);
    int slave = open(ptsname(master), O_RDWR | O_NOCTTY);
    ck_assert_int_ge(slave, 0);
    dup2(slave, STDERR_FILENO);
    close(slave);
    close(reading);
    reading = master;
    ck_assert_int_eq(fcntl(reading, F_SETFL, O_NONBLOCK), 0);
}

/* So many bytes, and what has come with them: a terminal passes on what is written in its own time. */
static const char *shown(size_t wanted)
{
    size_t size = 0;
    struct pollfd ready = { .fd = reading, .events = POLLIN };
    while (size < wanted && poll(&ready, 1, 60000) > 0) {
        ssize_t got = read(reading, text + size, sizeof text - 1 - size);
        size += got > 0 ? (size_t)got : 0;
    }
    text[size] = '\0';
    return text;
}

START_TEST(progress_is_wiped_before_a_line_and_drawn_again_after)
{
    use_terminal();
    logger_progress("50 %");
    ck_assert_str_eq(shown(8), "\r\033[K50 %");
    logger_write(LOGGER_INFO, NULL, "x");
    const char *line = shown(4 + 25 + 12);
    ck_assert_int_eq(strncmp(line, "\r\033[K", 4), 0);
    ck_assert_str_eq(after_time(line + 4), "info x\r\n50 %");
    logger_progress("done\n");
    ck_assert_str_eq(shown(9), "\r\033[Kdone ");
    logger_progress(NULL);
    ck_assert_str_eq(shown(4), "\r\033[K");
    logger_progress("");
    ck_assert_str_eq(written(), "");
    logger_write(LOGGER_INFO, NULL, "y");
    ck_assert_str_eq(after_time(shown(25 + 8)), "info y\r\n");
}
END_TEST

Suite *suite(void)
{
    Suite *suite = suite_create("logger");
    TCase *tests = tcase_create("logger");
    tcase_add_checked_fixture(tests, start, NULL);
    tcase_add_test(tests, a_text_line_has_time_level_subject_message);
    tcase_add_test(tests, a_message_that_is_too_long_ends_with_an_ellipsis);
    tcase_add_test(tests, what_is_below_the_level_is_not_written);
    tcase_add_test(tests, a_json_line_is_one_object);
    tcase_add_test(tests, a_text_line_stays_one_line_and_acts_on_no_terminal);
    tcase_add_test(tests, colour_stands_around_the_level);
    tcase_add_test(tests, a_line_that_is_too_long_is_cut_but_ends);
    tcase_add_test(tests, lines_of_several_threads_do_not_mix);
    tcase_add_test(tests, progress_is_silent_without_a_terminal);
    tcase_add_test(tests, progress_is_wiped_before_a_line_and_drawn_again_after);
    suite_add_tcase(suite, tests);
    return suite;
}
