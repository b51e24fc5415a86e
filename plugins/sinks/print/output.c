/* SPDX-License-Identifier: MIT */
#include "output.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <time.h>
#include <unistd.h>

static bool wait_for_room(void)
{
    struct pollfd out = { .fd = STDOUT_FILENO, .events = POLLOUT };
    return poll(&out, 1, -1) >= 0 || errno == EINTR;
}

/* 0, or the fault's errno. */
static int write_all(const uint8_t *bytes, uint64_t size)
{
    while (size > 0) {
        ssize_t done = write(STDOUT_FILENO, bytes, size);
        if (done >= 0) {
            bytes += done;
            size -= (uint64_t)done;
        } else if (errno == EAGAIN) {
            if (!wait_for_room()) {
                return errno;
            }
        } else if (errno != EINTR) {
            return errno;
        }
    }
    return 0;
}

/* A plugin cannot say what signals do in the process: SIGPIPE is held back and taken away here. */
weir_status output_write(weir_buffer *buffer)
{
    sigset_t pipe_set;
    sigset_t old_set;
    sigset_t waiting;
    sigemptyset(&pipe_set);
    sigaddset(&pipe_set, SIGPIPE);
    sigpending(&waiting);
    bool was_waiting = sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &pipe_set, &old_set);
    int fault = write_all(buffer->data, buffer->size);
    if (fault == EPIPE && !was_waiting) {
        const struct timespec now = { 0 };
        sigtimedwait(&pipe_set, NULL, &now);
    }
    pthread_sigmask(SIG_SETMASK, &old_set, NULL);
    buffer->size = 0;
    errno = fault;
    return fault == 0 ? WEIR_OK : fault == EPIPE ? WEIR_END : WEIR_E_IO;
}
