/* SPDX-License-Identifier: MIT */
/*
 * Log lines are built on the stack and written at once, under a lock that also keeps the progress
 * line: nothing is allocated and no two lines mix. What does not fit in a line is cut.
 */
#include "base/logger.h"

#include <errno.h>
#include <pthread.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/json_escape.h"
#include "base/units.h"
#include "base/utf8.h"

enum { MESSAGE_ROOM = 4096, SUBJECT_ROOM = 512, PROGRESS_ROOM = 256 };
/* Escaped text is at most six times as long; the rest is for the frame and the progress line. */
enum { LINE_ROOM = (MESSAGE_ROOM + SUBJECT_ROOM) * 6 + 2 * PROGRESS_ROOM };

static struct {
    enum logger_level level;
    bool is_json;
    bool has_color;
} settings = { LOGGER_INFO, false, false };

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static char progress[PROGRESS_ROOM]; /* under the lock */

struct line {
    char bytes[LINE_ROOM];
    size_t size;
};

static void put(struct line *line, const char *text, size_t len)
{
    size_t room = sizeof line->bytes - line->size;
    size_t taken = len < room ? len : room;
    memcpy(line->bytes + line->size, text, taken);
    line->size += taken;
}

static void put_text(struct line *line, const char *text)
{
    put(line, text, strlen(text));
}

/* Text for a terminal: one line, no control characters, valid UTF-8. */
static void put_clean(struct line *line, const char *text)
{
    size_t len = strlen(text);
    uint32_t point = 0;
    for (size_t taken, at = 0; at < len; at += taken) {
        char room[4];
        taken = utf8_read(text + at, len - at, &point);
        bool is_control = point < 0x20 || (point >= 0x7f && point < 0xa0);
        put(line, room, utf8_write(is_control ? ' ' : point, room));
    }
}

static void put_json(struct line *line, const char *text)
{
    char room[MESSAGE_ROOM * 6];
    size_t len = strlen(text);
    put(line, "\"", 1);
    put(line, room, json_escape(text, len < MESSAGE_ROOM ? len : MESSAGE_ROOM, room));
    put(line, "\"", 1);
}

static void put_now(struct line *line)
{
    char room[40];
    put(line, room, units_format_time(clock_wall_ms(), 3, room));
}

static const char *level_name(enum logger_level level)
{
    static const char *const names[] = { "error", "error", "warning", "info", "debug" };
    return names[level <= LOGGER_DEBUG ? level : LOGGER_DEBUG];
}

static const char *level_color(enum logger_level level)
{
    switch (level) {
    case LOGGER_ERROR:
        return "\033[31m";
    case LOGGER_WARNING:
        return "\033[33m";
    default:
        return "\033[2m";
    }
}

static void put_text_line(struct line *line, enum logger_level level, const char *subject,
                          const char *message)
{
    put_now(line);
    put_text(line, " ");
    put_text(line, settings.has_color ? level_color(level) : "");
    put_text(line, level_name(level));
    put_text(line, settings.has_color ? "\033[0m" : "");
    put_text(line, " ");
    if (subject != NULL) {
        put_clean(line, subject);
        put_text(line, ": ");
    }
    put_clean(line, message);
}

static void put_json_line(struct line *line, enum logger_level level, const char *subject,
                          const char *message)
{
    put_text(line, "{\"ts\":\"");
    put_now(line);
    put_text(line, "\",\"level\":\"");
    put_text(line, level_name(level));
    put_text(line, "\"");
    if (subject != NULL) {
        put_text(line, ",\"subject\":");
        put_json(line, subject);
    }
    put_text(line, ",\"message\":");
    put_json(line, message);
    put_text(line, "}");
}

/* What cannot be written is lost: there is nobody left to tell. */
static void write_all(const struct line *line)
{
    for (size_t done = 0; done < line->size;) {
        ssize_t wrote = write(STDERR_FILENO, line->bytes + done, line->size - done);
        if (wrote < 0 && errno != EINTR) {
            return;
        }
        done += wrote > 0 ? (size_t)wrote : 0;
    }
}

void logger_configure(enum logger_level level, bool is_json, bool has_color)
{
    settings.level = level;
    settings.is_json = is_json;
    settings.has_color = has_color;
}

/* What is too long is cut behind a whole code point, and ends with an ellipsis. */
__attribute__((format(printf, 2, 0))) static void format_message(char room[MESSAGE_ROOM],
                                                                 const char *format, va_list args)
{
    static const char ellipsis[] = "\xE2\x80\xA6";
    int len = vsnprintf(room, MESSAGE_ROOM, format, args);
    if (len < 0) {
        room[0] = '\0';
    } else if (len >= MESSAGE_ROOM) {
        size_t at = MESSAGE_ROOM - sizeof ellipsis;
        while (at > 0 && ((unsigned char)room[at] & 0xC0) == 0x80) {
            at--;
        }
        memcpy(room + at, ellipsis, sizeof ellipsis);
    }
}

/*
 * Its frame is large. In one with variable arguments Clang 14, which touches each page of such a frame
 * (-fstack-clash-protection), does not keep the floating ones: hence no part of logger_write.
 */
__attribute__((noinline, format(printf, 3, 0))) static void write_message(enum logger_level level,
                                                                          const char *subject,
                                                                          const char *format,
                                                                          va_list args)
{
    int saved_errno = errno;
    char message[MESSAGE_ROOM];
    format_message(message, format, args);
    char short_subject[SUBJECT_ROOM];
    if (subject != NULL) {
        snprintf(short_subject, sizeof short_subject, "%s", subject);
        subject = short_subject;
    }
    struct line line;
    line.size = 0;
    pthread_mutex_lock(&lock);
    if (progress[0] != '\0') {
        put_text(&line, "\r\033[K");
    }
    if (settings.is_json) {
        put_json_line(&line, level, subject, message);
    } else {
        put_text_line(&line, level, subject, message);
    }
    put_text(&line, "\n");
    put_text(&line, progress);
    write_all(&line);
    pthread_mutex_unlock(&lock);
    errno = saved_errno;
}

void logger_write(enum logger_level level, const char *subject, const char *format, ...)
{
    va_list args;
    if (level > settings.level) {
        return;
    }
    va_start(args, format);
    write_message(level, subject, format, args);
    va_end(args);
}

void logger_progress(const char *text)
{
    if (isatty(STDERR_FILENO) != 1) {
        return;
    }
    struct line line;
    line.size = 0;
    put_clean(&line, text == NULL ? "" : text);
    size_t len = line.size < sizeof progress - 1 ? line.size : sizeof progress - 1;
    /* Not in the middle of a code point. */
    while (len < line.size && ((uint8_t)line.bytes[len] & 0xC0) == 0x80) {
        len--;
    }
    pthread_mutex_lock(&lock);
    bool was_shown = progress[0] != '\0';
    memcpy(progress, line.bytes, len);
    progress[len] = '\0';
    line.size = 0;
    if (was_shown || len > 0) {
        put_text(&line, "\r\033[K");
        put_text(&line, progress);
        write_all(&line);
    }
    pthread_mutex_unlock(&lock);
}
