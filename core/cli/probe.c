/* SPDX-License-Identifier: MIT */
/*
 * The child writes one byte when it begins to load, one when it begins to read the tables, then the
 * answer: one byte that tells which ('+' a description, '-' a fault) and the text. It is the leader
 * of a process group, so that what it started ends with it.
 */
#include "cli/probe.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include "base/buffer.h"
#include "base/clock.h"

enum { ANSWER_LIMIT = 16 * 1024 * 1024 };

static const char marks[] = "LR"; /* loading, reading the tables */
static const char *const phases[] = { "before loading", "while loading",
                                      "while its tables were read" };

struct question {
    const char *path;
    enum description_format format;
    const char *kind;
    const char *name;
};

/* ---- the child --------------------------------------------------------------------------------
 */

/* False: the parent is gone. */
static bool send_bytes(int descriptor, const void *bytes, size_t size)
{
    const char *rest = bytes;
    while (size > 0) {
        ssize_t written = write(descriptor, rest, size);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return false;
        }
        rest += written;
        size -= (size_t)written;
    }
    return true;
}

static void answer(int descriptor, char mark, const void *bytes, size_t size)
{
    (void)(send_bytes(descriptor, &mark, 1) && send_bytes(descriptor, bytes, size));
}

/* The file is named wherever a fault is shown, so its message need not begin with it. */
static void answer_error(int descriptor, const char *path, const struct error *error)
{
    char text[sizeof error->message + sizeof error->hint + 2];
    char head[sizeof error->message];
    size_t head_len = (size_t)snprintf(head, sizeof head, "could not load plugin '%s': ", path);
    bool has_head = strncmp(error->message, head, head_len) == 0;
    int len = snprintf(text, sizeof text, "%s%s%s", error->message + (has_head ? head_len : 0),
                       error->hint[0] != '\0' ? "; " : "", error->hint);
    answer(descriptor, '-', text, len > 0 ? (size_t)len : 0);
}

/* What a plugin prints while it is loaded belongs nowhere. */
static void silence(void)
{
    struct rlimit none = { 0, 0 };
    int nowhere = open("/dev/null", O_RDWR);
    if (nowhere >= 0) {
        dup2(nowhere, STDIN_FILENO);
        dup2(nowhere, STDOUT_FILENO);
        dup2(nowhere, STDERR_FILENO);
    }
    setrlimit(RLIMIT_CORE, &none);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    setpgid(0, 0);
}

static bool has_wanted(const struct description *description)
{
    const weir_factory *const *factory = description->plugin->entry->factories;
    while (*factory != NULL && !description_has(description, *factory)) {
        factory++;
    }
    return *factory != NULL;
}

/* Fills `out` with what is asked, once the plugin is loaded. */
static weir_status describe_plugin(const struct question *question, struct registry *registry,
                                   weir_buffer *out, struct error *error)
{
    struct description description = { .plugin = registry->plugins.entries[0].value,
                                       .kind = question->kind,
                                       .name = question->name,
                                       .arena = &registry->arena };
    if (!has_wanted(&description)) {
        return error_set(error, WEIR_E_NOT_FOUND, WEIR_CLASS_NOT_FOUND, "it offers no %s",
                         question->kind != NULL ? question->kind : "such thing");
    }
    weir_status st = describe(&description, question->format, out);
    return st == WEIR_OK ? st
                         : error_set(error, st, WEIR_CLASS_RESOURCE, "its description is too long");
}

_Noreturn static void be_child(const struct question *question, int descriptor)
{
    struct registry registry;
    struct error error = { 0 };
    weir_buffer out;
    silence();
    registry_init(&registry);
    buffer_init(&out, ANSWER_LIMIT);
    send_bytes(descriptor, &marks[0], 1);
    weir_status st = registry_load_file(&registry, question->path, NULL, &error);
    if (st != WEIR_OK || registry.plugins.count == 0) {
        answer_error(descriptor, question->path, &error);
        _exit(0);
    }
    send_bytes(descriptor, &marks[1], 1);
    st = describe_plugin(question, &registry, &out, &error);
    if (st == WEIR_OK) {
        answer(descriptor, '+', out.data, out.size);
    } else {
        answer_error(descriptor, question->path, &error);
    }
    _exit(0);
}

/* ---- the parent -------------------------------------------------------------------------------
 */

static int left_ms(int64_t deadline_ns)
{
    int64_t left = (deadline_ns - clock_monotonic_ns() + 999999) / 1000000;
    return left > 0 ? (int)left : 0;
}

/* Reads until the child closes the pipe; false: the deadline passed first, or no memory. */
static bool read_answer(int descriptor, int64_t deadline_ns, weir_buffer *ret_answer)
{
    char chunk[4096];
    for (;;) {
        struct pollfd ready = { .fd = descriptor, .events = POLLIN };
        int count = poll(&ready, 1, left_ms(deadline_ns));
        if (count == 0) {
            return false;
        }
        ssize_t size = count > 0 ? read(descriptor, chunk, sizeof chunk) : -1;
        if (size < 0 && errno == EINTR) {
            continue;
        }
        if (size <= 0) {
            return true;
        }
        if (weir_buffer_append(ret_answer, chunk, (size_t)size) != WEIR_OK) {
            return false;
        }
    }
}

/* Waits for its end; kills it at the deadline. False: it had to be killed. */
static bool wait_child(pid_t child, bool is_late, int64_t deadline_ns, int *ret_status)
{
    const struct timespec nap = { 0, 1000000 };
    while (!is_late) {
        pid_t ended = waitpid(child, ret_status, WNOHANG);
        if (ended == child) {
            kill(-child, SIGKILL); /* what it has started */
            return true;
        }
        is_late = left_ms(deadline_ns) == 0;
        nanosleep(&nap, NULL);
    }
    kill(-child, SIGKILL);
    kill(child, SIGKILL); /* had it no group yet */
    while (waitpid(child, ret_status, 0) < 0 && errno == EINTR) {
    }
    return false;
}

/* Terminals obey control characters (C0, DEL, and C1 as UTF-8). */
static void clean(char *text, size_t size)
{
    for (size_t i = 0; i < size; i++) {
        unsigned char byte = (unsigned char)text[i];
        bool is_c1 = byte == 0xc2 && i + 1 < size && ((unsigned char)text[i + 1] & 0xe0) == 0x80;
        if ((byte < 0x20 && byte != '\n' && byte != '\0') || byte == 0x7f || is_c1) {
            text[i] = '?';
        }
        if (is_c1) {
            text[++i] = '?';
        }
    }
}

/* How a child ended that gave no answer. */
static const char *describe_end(int status, const char *phase, struct arena *arena)
{
    if (WIFSIGNALED(status)) {
        const char *name = sigabbrev_np(WTERMSIG(status));
        return arena_printf(arena, "ended by signal %d (SIG%s) %s", WTERMSIG(status),
                            name != NULL ? name : "?", phase);
    }
    return arena_printf(arena, "ended with status %d %s", WEXITSTATUS(status), phase);
}

/* False: no memory. */
static bool read_probe(struct probe *probe, const weir_buffer *got, bool is_late, int status,
                       struct arena *arena)
{
    const char *bytes = (const char *)got->data;
    size_t at = 0;
    while (at < sizeof marks - 1 && at < got->size && bytes[at] == marks[at]) {
        at++;
    }
    bool is_answered = at < got->size && (bytes[at] == '+' || bytes[at] == '-');
    if (is_late) {
        probe->fault = arena_printf(arena, "did not answer within %d s", PROBE_LIMIT_MS / 1000);
        return probe->fault != NULL;
    }
    if (!is_answered || !WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        probe->fault = describe_end(status, phases[at], arena);
        return probe->fault != NULL;
    }
    char *text = arena_copy(arena, bytes + at + 1, got->size - at - 1);
    if (text == NULL) {
        return false;
    }
    probe->size = got->size - at - 1;
    clean(text, probe->size);
    *(bytes[at] == '+' ? &probe->text : &probe->fault) = text;
    return true;
}

static bool fault_from_errno(struct probe *probe, const char *what, struct arena *arena)
{
    probe->fault = arena_printf(arena, "could not %s: %s", what, strerror(errno));
    return probe->fault != NULL;
}

bool probe_plugin(struct probe *probe, const char *path, enum description_format format,
                  const char *kind, const char *name, struct arena *arena)
{
    const struct question question = { path, format, kind, name };
    int64_t deadline_ns = clock_monotonic_ns() + (int64_t)PROBE_LIMIT_MS * 1000000;
    int ends[2];
    int status = 0;
    weir_buffer got;
    *probe = (struct probe){ 0 };
    if (pipe2(ends, O_CLOEXEC) != 0) {
        return fault_from_errno(probe, "open a pipe", arena);
    }
    pid_t child = fork();
    if (child == 0) {
        close(ends[0]);
        be_child(&question, ends[1]);
    }
    close(ends[1]);
    if (child < 0) {
        close(ends[0]);
        return fault_from_errno(probe, "start a process", arena);
    }
    buffer_init(&got, ANSWER_LIMIT + 16);
    bool is_late = !read_answer(ends[0], deadline_ns, &got);
    close(ends[0]);
    is_late = !wait_child(child, is_late, deadline_ns, &status);
    bool has_memory = read_probe(probe, &got, is_late, status, arena);
    buffer_deinit(&got);
    return has_memory;
}
