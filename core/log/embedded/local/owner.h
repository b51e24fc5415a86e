/* SPDX-License-Identifier: MIT */
/*
 * Who may write to a folder: one process at a time. The kernel's record lock on the file `lock`
 * decides, so that the lock of a process that died is nobody's; the pid inside is for people.
 */
#ifndef LOG_LOCAL_OWNER_H
#define LOG_LOCAL_OWNER_H

#include <sys/types.h>

#include "base/error.h"

struct owner {
    int fd; /* -1: holds nothing */
    pid_t pid;
    dev_t device;
    ino_t inode;
    struct owner *next; /* of this process's owners */
};

void owner_init(struct owner *owner);
/*
 * name  the folder as the user wrote it; path: of the lock file
 * WEIR_E_IO, class resource: another process, or this one, owns it already
 */
weir_status owner_take(struct owner *owner, const char *name, const char *path,
                       struct error *error);
/* WEIR_E_IO where the lock file is gone: the folder was removed, or somebody else may own it by now. */
weir_status owner_check(const struct owner *owner, const char *name, struct error *error);
void owner_release(struct owner *owner);

#endif
