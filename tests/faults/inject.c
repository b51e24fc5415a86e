/* SPDX-License-Identifier: MIT */
/*
 * Preloaded into the program under test: makes the k-th allocation or the k-th I/O call of a run fail, or
 * the whole process die there, and tells at the end how many there were and what was never given back.
 *
 *     INJECT_KIND    "allocation" or "io": what is made to fail; "room": an I/O call that takes room on the
 *                    disk; "kill": in the place of the k-th I/O call the process is killed
 *     INJECT_AT      k, from 1; 0 or not given: only count
 *     INJECT_TIMES   so many fail from the k-th on; 1 where it is not given, 0: every one
 *     INJECT_ERRNO   what a failing I/O call says; EIO where it is not given
 *     INJECT_BELOW   "room" counts what has this folder's name in its path
 *     INJECT_REPORT  file for "allocations N", "io N", "room N", "leaked N", one a line
 *
 * Allocations are those of the program and its plugins, told by the caller's address: what RocksDB or
 * libfyaml do without memory is not ours to mend. I/O calls are those of everybody, RocksDB too, on
 * regular files and folders, on standard input and on standard output.
 */
#include <dirent.h>
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define API __attribute__((visibility("default")))

void *__libc_malloc(size_t size);
void *__libc_calloc(size_t count, size_t size);
void *__libc_realloc(void *memory, size_t size);
void __libc_free(void *memory);

static atomic_uint_fast64_t allocations;
static atomic_uint_fast64_t io_calls;
static atomic_uint_fast64_t room_calls;
static uint64_t allocation_at; /* 0: never */
static uint64_t io_at;
static uint64_t room_at;
static uint64_t times = 1; /* 0: for ever */
static bool kills;
static const char *room_below; /* NULL: no call counts as one that takes room */
static int io_errno = EIO;

static bool is_due(atomic_uint_fast64_t *counter, uint64_t at)
{
    uint64_t number = atomic_fetch_add_explicit(counter, 1, memory_order_relaxed) + 1;
    return at != 0 && number >= at && (times == 0 || number - at < times);
}

/* ---- whose call it is -------------------------------------------------------------------------- */

enum { MODULE_COUNT = 512 };

/* Code of the program and of its plugins. A plugin that is unloaded leaves its range; nothing else
 * takes its place in the short life of a run. */
static struct {
    uintptr_t from, to;
    bool is_ours;
} modules[MODULE_COUNT];
static atomic_uint module_count;
static pthread_mutex_t module_lock = PTHREAD_MUTEX_INITIALIZER;

static bool is_our_file(const char *path)
{
    const char *name = strrchr(path, '/');
    return strcmp(name == NULL ? path : name + 1, "weir") == 0 || strstr(path, "/plugins/") != NULL;
}

/* dladdr looks at every module each time, so the page of a caller is asked for once. */
static bool is_ours(const void *caller)
{
    uintptr_t page = (uintptr_t)caller & ~(uintptr_t)4095;
    unsigned count = atomic_load_explicit(&module_count, memory_order_acquire);
    for (unsigned i = 0; i < count; i++) {
        if (page >= modules[i].from && page < modules[i].to) {
            return modules[i].is_ours;
        }
    }
    Dl_info info;
    bool ours = dladdr(caller, &info) != 0 && info.dli_fname != NULL && is_our_file(info.dli_fname);
    pthread_mutex_lock(&module_lock);
    count = atomic_load_explicit(&module_count, memory_order_relaxed);
    if (count < MODULE_COUNT) {
        modules[count].from = page;
        modules[count].to = page + 4096;
        modules[count].is_ours = ours;
        atomic_store_explicit(&module_count, count + 1, memory_order_release);
    }
    pthread_mutex_unlock(&module_lock);
    return ours;
}

/* ---- what is out ------------------------------------------------------------------------------- */

/* Addresses of blocks that are out, in an open hash table; a block that finds no room is not watched. */
enum { SLOT_COUNT = 1 << 18, PROBES = 64 };
static atomic_uintptr_t slots[SLOT_COUNT];
static atomic_uint_fast64_t unwatched;

static size_t slot_of(uintptr_t address)
{
    return (address >> 4) * UINT64_C(0x9E3779B97F4A7C15) >> 46;
}

static void *watch(void *memory)
{
    uintptr_t address = (uintptr_t)memory;
    for (size_t i = 0; memory != NULL && i < PROBES; i++) {
        uintptr_t empty = 0;
        if (atomic_compare_exchange_strong(&slots[(slot_of(address) + i) % SLOT_COUNT], &empty,
                                           address)) {
            return memory;
        }
    }
    if (memory != NULL) {
        atomic_fetch_add(&unwatched, 1);
    }
    return memory;
}

static void forget(void *memory)
{
    uintptr_t address = (uintptr_t)memory;
    for (size_t i = 0; memory != NULL && i < PROBES; i++) {
        uintptr_t found = address;
        if (atomic_compare_exchange_strong(&slots[(slot_of(address) + i) % SLOT_COUNT], &found,
                                           0)) {
            return;
        }
    }
}

static uint64_t leaked(void)
{
    uint64_t count = 0;
    for (size_t i = 0; i < SLOT_COUNT; i++) {
        count += atomic_load(&slots[i]) != 0;
    }
    return count;
}

/* ---- the heap ---------------------------------------------------------------------------------- */

API void *malloc(size_t size)
{
    if (!is_ours(__builtin_return_address(0))) {
        return __libc_malloc(size);
    }
    return is_due(&allocations, allocation_at) ? NULL : watch(__libc_malloc(size));
}

API void *calloc(size_t count, size_t size)
{
    if (!is_ours(__builtin_return_address(0))) {
        return __libc_calloc(count, size);
    }
    return is_due(&allocations, allocation_at) ? NULL : watch(__libc_calloc(count, size));
}

API void *realloc(void *memory, size_t size)
{
    if (!is_ours(__builtin_return_address(0))) {
        forget(memory);
        return __libc_realloc(memory, size);
    }
    if (is_due(&allocations, allocation_at)) {
        return NULL;
    }
    forget(memory);
    void *grown = __libc_realloc(memory, size);
    if (grown == NULL) {
        watch(memory);
    }
    return watch(grown);
}

API void free(void *memory)
{
    forget(memory);
    __libc_free(memory);
}

/* ---- files ------------------------------------------------------------------------------------- */

static bool fail_io(void)
{
    if (!is_due(&io_calls, io_at)) {
        return false;
    }
    if (kills) {
        raise(SIGKILL);
    }
    errno = io_errno;
    return true;
}

/* What belongs to the system and not to the run is left alone. */
static bool is_path_of_run(const char *path)
{
    static const char *const others[] = { "/proc/", "/sys/", "/dev/", "/etc/", "/usr/", "/lib" };
    for (size_t i = 0; i < sizeof others / sizeof others[0]; i++) {
        if (strncmp(path, others[i], strlen(others[i])) == 0) {
            return false;
        }
    }
    return strstr(path, ".so") == NULL;
}

static bool fail_path(const char *path)
{
    return is_path_of_run(path) && fail_io();
}

/* What a disk that is full refuses, in the folder that is asked for. */
static bool fail_room(const char *path)
{
    if (room_below == NULL || strstr(path, room_below) == NULL || !is_due(&room_calls, room_at)) {
        return false;
    }
    errno = ENOSPC;
    return true;
}

static bool fail_room_of(int fd)
{
    char link[64];
    char path[4096];
    if (room_below == NULL) {
        return false;
    }
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t len = readlink(link, path, sizeof path - 1);
    path[len < 0 ? 0 : len] = '\0';
    return fail_room(path);
}

/* Standard error is how the program tells us; pipes and the like inside the process are no files. */
static bool fail_file(int fd)
{
    struct stat status;
    if (fd == STDERR_FILENO) {
        return false;
    }
    if (fd > STDERR_FILENO && (fstat(fd, &status) != 0 || !S_ISREG(status.st_mode))) {
        return false;
    }
    return fail_io();
}

/* The function behind ours. */
#define NEXT(name)                                                                                 \
 static __typeof__(name) *next;                                                                    \
 if (next == NULL) {                                                                               \
  next = (__typeof__(name) *)dlsym(RTLD_NEXT, #name);                                              \
 }

#define PATH_CALL(type, failure, name, parameters, path, ...)                                      \
 API type name parameters                                                                          \
 {                                                                                                 \
  NEXT(name)                                                                                       \
  return fail_path(path) ? (failure) : next(__VA_ARGS__);                                          \
 }

/* The same for one that takes room. */
#define PATH_ROOM_CALL(type, failure, name, parameters, path, ...)                                 \
 API type name parameters                                                                          \
 {                                                                                                 \
  NEXT(name)                                                                                       \
  return fail_room(path) || fail_path(path) ? (failure) : next(__VA_ARGS__);                       \
 }

#define FILE_CALL(type, name, parameters, fd, ...)                                                 \
 API type name parameters                                                                          \
 {                                                                                                 \
  NEXT(name)                                                                                       \
  return fail_file(fd) ? -1 : next(__VA_ARGS__);                                                   \
 }

#define FILE_ROOM_CALL(type, name, parameters, fd, ...)                                            \
 API type name parameters                                                                          \
 {                                                                                                 \
  NEXT(name)                                                                                       \
  return fail_room_of(fd) || fail_file(fd) ? -1 : next(__VA_ARGS__);                               \
 }

#define OPEN_CALL(name)                                                                            \
 API int name(const char *path, int flags, ...)                                                    \
 {                                                                                                 \
  NEXT(name)                                                                                       \
  va_list args;                                                                                    \
  va_start(args, flags);                                                                           \
  mode_t mode = (flags & O_CREAT) != 0 ? va_arg(args, mode_t) : 0;                                 \
  va_end(args);                                                                                    \
  bool is_full = (flags & O_CREAT) != 0 && fail_room(path);                                        \
  return is_full || fail_path(path) ? -1 : next(path, flags, mode);                                \
 }

OPEN_CALL(open)
OPEN_CALL(open64)
PATH_CALL(DIR *, NULL, opendir, (const char *path), path, path)
PATH_ROOM_CALL(int, -1, mkdir, (const char *path, mode_t mode), path, path, mode)
PATH_CALL(int, -1, unlink, (const char *path), path, path)
PATH_ROOM_CALL(int, -1, rename, (const char *from, const char *to), from, from, to)
PATH_ROOM_CALL(int, -1, renameat2,
               (int from_folder, const char *from, int to_folder, const char *to, unsigned flags),
               from, from_folder, from, to_folder, to, flags)
PATH_ROOM_CALL(int, -1, link, (const char *from, const char *to), from, from, to)
PATH_CALL(int, -1, truncate, (const char *path, off_t size), path, path, size)
FILE_CALL(ssize_t, read, (int fd, void *to, size_t size), fd, fd, to, size)
FILE_CALL(ssize_t, pread, (int fd, void *to, size_t size, off_t at), fd, fd, to, size, at)
FILE_CALL(ssize_t, pread64, (int fd, void *to, size_t size, off64_t at), fd, fd, to, size, at)
FILE_ROOM_CALL(ssize_t, write, (int fd, const void *from, size_t size), fd, fd, from, size)
FILE_ROOM_CALL(ssize_t, pwrite, (int fd, const void *from, size_t size, off_t at), fd, fd, from,
               size, at)
FILE_ROOM_CALL(ssize_t, pwrite64, (int fd, const void *from, size_t size, off64_t at), fd, fd, from,
               size, at)
FILE_ROOM_CALL(ssize_t, writev, (int fd, const struct iovec *parts, int count), fd, fd, parts,
               count)
FILE_CALL(int, fsync, (int fd), fd, fd)
FILE_CALL(int, fdatasync, (int fd), fd, fd)
FILE_CALL(int, ftruncate, (int fd, off_t size), fd, fd, size)
FILE_CALL(int, ftruncate64, (int fd, off64_t size), fd, fd, size)
FILE_CALL(int, fallocate, (int fd, int mode, off_t at, off_t size), fd, fd, mode, at, size)

/* ---- begin and end ----------------------------------------------------------------------------- */

static uint64_t number_of(const char *name)
{
    const char *text = getenv(name);
    return text == NULL ? 0 : strtoull(text, NULL, 10);
}

__attribute__((constructor)) static void begin(void)
{
    const char *kind = getenv("INJECT_KIND");
    uint64_t at = number_of("INJECT_AT");
    times = getenv("INJECT_TIMES") != NULL ? number_of("INJECT_TIMES") : 1;
    room_below = getenv("INJECT_BELOW");
    io_errno = number_of("INJECT_ERRNO") != 0 ? (int)number_of("INJECT_ERRNO") : EIO;
    if (kind != NULL && strcmp(kind, "allocation") == 0) {
        allocation_at = at;
    } else if (kind != NULL && strcmp(kind, "room") == 0) {
        room_at = at;
    } else if (kind != NULL) {
        io_at = at;
        kills = strcmp(kind, "kill") == 0;
    }
}

__attribute__((destructor)) static void end(void)
{
    const char *path = getenv("INJECT_REPORT");
    allocation_at = io_at = room_at = 0;
    uint64_t left = leaked();
    uint64_t allocation_count = atomic_load(&allocations);
    uint64_t io_count = atomic_load(&io_calls);
    FILE *report = path != NULL ? fopen(path, "w") : NULL;
    if (report != NULL) {
        fprintf(report, "allocations %llu\nio %llu\nroom %llu\nleaked %llu\nunwatched %llu\n",
                (unsigned long long)allocation_count, (unsigned long long)io_count,
                (unsigned long long)atomic_load(&room_calls), (unsigned long long)left,
                (unsigned long long)atomic_load(&unwatched));
        fclose(report);
    }
}
