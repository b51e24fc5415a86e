/* SPDX-License-Identifier: MIT */
/*
 * Record locks are not inherited over a fork and end with their process, but they do not hold
 * against the process itself, and closing any descriptor of the file gives them up. So a list of what
 * this process owns is asked before the file is opened.
 */
#include "log/embedded/local/owner.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static pthread_mutex_t owners_lock = PTHREAD_MUTEX_INITIALIZER;
static struct owner *owners;

void owner_init(struct owner *owner)
{
    *owner = (struct owner){ .fd = -1 };
}

/* A child of a fork has the list of its parent, and owns nothing of it. */
static bool is_owned_here(const char *path)
{
    struct stat file;
    if (stat(path, &file) != 0) {
        return false;
    }
    for (const struct owner *o = owners; o != NULL; o = o->next) {
        if (o->pid == getpid() && o->device == file.st_dev && o->inode == file.st_ino) {
            return true;
        }
    }
    return false;
}

static weir_status refuse(struct error *error, const char *name, pid_t pid)
{
    weir_status st;
    if (pid == getpid()) {
        st = error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                       "the log in '%s' is already open in this process", name);
    } else if (pid > 0) {
        st = error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                       "the log in '%s' is in use by process %ld", name, (long)pid);
    } else {
        st = error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                       "the log in '%s' is in use by another process", name);
    }
    error_hint(error, "stop it first, or give this run a folder of its own with --log local:DIR");
    return st;
}

/* The pid that the owner has written; 0: none. */
static pid_t read_pid(int fd)
{
    char text[32];
    ssize_t n = pread(fd, text, sizeof text - 1, 0);
    if (n <= 0) {
        return 0;
    }
    text[n] = '\0';
    return (pid_t)strtol(text, NULL, 10);
}

/* The kernel's word for the owner; the file's where the kernel cannot name it (another container). */
static pid_t find_owner(int fd)
{
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(fd, F_GETLK, &lock) == 0 && lock.l_type != F_UNLCK && lock.l_pid > 0) {
        return lock.l_pid;
    }
    return read_pid(fd);
}

/* The lock holds whether or not the pid could be written. */
static void write_pid(int fd)
{
    char text[32];
    int n = snprintf(text, sizeof text, "%ld\n", (long)getpid());
    if (ftruncate(fd, 0) != 0 || pwrite(fd, text, (size_t)n, 0) != n) {
        return;
    }
}

static weir_status lock_file(struct owner *owner, const char *name, const char *path,
                             struct error *error)
{
    int fd = open(path, O_RDWR | O_CREAT | O_CLOEXEC, 0644);
    if (fd < 0) {
        return error_from_errno(error, "open the lock file", path);
    }
    weir_status st = WEIR_OK;
    struct stat file;
    struct flock lock = { .l_type = F_WRLCK, .l_whence = SEEK_SET };
    if (fcntl(fd, F_SETLK, &lock) != 0) {
        bool is_busy = errno == EACCES || errno == EAGAIN;
        st = is_busy ? refuse(error, name, find_owner(fd))
                     : error_from_errno(error, "lock the file", path);
    } else if (fstat(fd, &file) != 0) {
        st = error_from_errno(error, "look at the lock file", path);
    }
    if (st != WEIR_OK) {
        close(fd);
        return st;
    }
    write_pid(fd);
    *owner = (struct owner){
        .fd = fd, .pid = getpid(), .device = file.st_dev, .inode = file.st_ino, .next = owners
    };
    owners = owner;
    return WEIR_OK;
}

weir_status owner_take(struct owner *owner, const char *name, const char *path, struct error *error)
{
    pthread_mutex_lock(&owners_lock);
    weir_status st =
        is_owned_here(path) ? refuse(error, name, getpid()) : lock_file(owner, name, path, error);
    pthread_mutex_unlock(&owners_lock);
    return st;
}

weir_status owner_check(const struct owner *owner, const char *name, struct error *error)
{
    struct stat file;
    if (fstat(owner->fd, &file) == 0 && file.st_nlink > 0) {
        return WEIR_OK;
    }
    weir_status st =
        error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                  "the log in '%s' was removed, or its file 'lock', while it was in use", name);
    error_hint(error, "what this run wrote since then is lost; start it again");
    return st;
}

void owner_release(struct owner *owner)
{
    if (owner->fd < 0) {
        return;
    }
    pthread_mutex_lock(&owners_lock);
    for (struct owner **link = &owners; *link != NULL; link = &(*link)->next) {
        if (*link == owner) {
            *link = owner->next;
            break;
        }
    }
    close(owner->fd);
    owner->fd = -1;
    pthread_mutex_unlock(&owners_lock);
}
