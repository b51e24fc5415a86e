/* SPDX-License-Identifier: MIT */
#include "file_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/fault.h"

enum { OFFSET_DIGITS = 19, GENERATION_DIGITS = 16 };
#define PART ".part"

/* ---- names ------------------------------------------------------------------------------------- */

bool tree_is_same(const struct tree_file *one, const struct tree_file *other)
{
    return one->partition == other->partition && one->first_offset == other->first_offset &&
           one->generation == other->generation &&
           weir_same_bytes(one->topic, one->topic_len, other->topic, other->topic_len);
}

bool tree_is_topic(const char *topic, uint32_t topic_len)
{
    bool is_dots = topic_len <= 2 && memcmp(topic, "..", topic_len) == 0; /* also the empty name */
    return !is_dots && topic_len <= 255 && memchr(topic, '/', topic_len) == NULL &&
           memchr(topic, '\0', topic_len) == NULL;
}

bool tree_path(char room[TREE_PATH_ROOM], const struct tree *tree, const struct tree_file *file,
               enum tree_name name)
{
    char writer[GENERATION_DIGITS + 2] = "";
    int len = snprintf(room, TREE_PATH_ROOM, "%s/%.*s/%d", tree->root, (int)file->topic_len,
                       file->topic, (int)file->partition);
    if (len < 0 || len >= TREE_PATH_ROOM) {
        return false;
    }
    if (name == TREE_FOLDER) {
        return true;
    }
    if (name == TREE_PART && file->generation != 0) {
        snprintf(writer, sizeof writer, ".%0*" PRIx64, GENERATION_DIGITS, file->generation);
    }
    int left = TREE_PATH_ROOM - len;
    int more = snprintf(room + len, (size_t)left, "/%0*lld%s%s%s", OFFSET_DIGITS,
                        (long long)file->first_offset, tree->ending, writer,
                        name == TREE_PART ? PART : "");
    return more > 0 && more < left;
}

weir_status tree_find(weir_context *ctx, char room[TREE_PATH_ROOM], const struct tree *tree,
                      const struct tree_file *file, enum tree_name name)
{
    if (tree_path(room, tree, file, name)) {
        return WEIR_OK;
    }
    errno = ENAMETOOLONG;
    return fault_errno(ctx, "use a path below", tree->root);
}

/* Digits only, as this sink writes them; -1: the text is no such number. */
static int64_t read_digits(const char *text, size_t len)
{
    int64_t number = 0;
    for (size_t i = 0; i < len; i++) {
        int digit = text[i] - '0';
        if (digit < 0 || digit > 9 || __builtin_mul_overflow(number, 10, &number) ||
            __builtin_add_overflow(number, digit, &number)) {
            return -1;
        }
    }
    return len == 0 ? -1 : number;
}

static bool read_partition_name(const char *name, struct tree_file *file)
{
    size_t len = strlen(name);
    int64_t partition = read_digits(name, len);
    if (partition < 0 || partition > INT32_MAX || (name[0] == '0' && len > 1)) {
        return false;
    }
    file->partition = (int32_t)partition;
    return true;
}

/* Behind a dot; 0: the text does not begin with one. */
static uint64_t read_generation(const char *text)
{
    static const char digits[] = "0123456789abcdef";
    uint64_t generation = 0;
    for (int i = 1; text[0] == '.' && i <= GENERATION_DIGITS; i++) {
        const char *digit = text[i] == '\0' ? NULL : strchr(digits, text[i]);
        if (digit == NULL) {
            return 0;
        }
        generation = generation << 4 | (uint64_t)(digit - digits);
    }
    return generation;
}

static bool read_file_name(const char *name, const char *ending, struct tree_file *file,
                           bool *ret_is_part)
{
    if (strnlen(name, OFFSET_DIGITS) < OFFSET_DIGITS) {
        return false;
    }
    file->first_offset = read_digits(name, OFFSET_DIGITS);
    const char *rest = name + OFFSET_DIGITS;
    size_t len = strlen(ending);
    if (file->first_offset < 0 || strncmp(rest, ending, len) != 0) {
        return false;
    }
    rest += len;
    file->generation = read_generation(rest);
    rest += file->generation == 0 ? 0 : 1 + GENERATION_DIGITS;
    *ret_is_part = strcmp(rest, PART) == 0;
    return *ret_is_part || (file->generation == 0 && rest[0] == '\0');
}

/* ---- folders ----------------------------------------------------------------------------------- */

weir_status tree_sync_folder(weir_context *ctx, const char *path)
{
    int fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return fault_errno_for_now(ctx, "open folder", path);
    }
    weir_status st = fsync(fd) == 0 ? WEIR_OK : fault_errno(ctx, "make folder durable", path);
    close(fd);
    return st;
}

/* Makes durable that a folder is in the one above it. */
static weir_status sync_parent(weir_context *ctx, char *path)
{
    char *slash = strrchr(path, '/');
    if (slash == NULL) {
        return tree_sync_folder(ctx, ".");
    }
    char *end = slash == path ? slash + 1 : slash; /* the root's own name is a slash */
    char cut = *end;
    *end = '\0';
    weir_status st = tree_sync_folder(ctx, path);
    *end = cut;
    return st;
}

/*
 * Makes the folder path[0 .. len); what is above it exists. One that could not be made durable is removed,
 * since the next attempt would take it for one that is.
 */
static weir_status make_one(weir_context *ctx, char *path, size_t len)
{
    char rest = path[len];
    path[len] = '\0';
    weir_status st = WEIR_OK;
    if (mkdir(path, 0777) == 0) {
        st = sync_parent(ctx, path);
        if (st != WEIR_OK) {
            (void)rmdir(path);
        }
    } else if (errno != EEXIST) {
        st = fault_errno_for_now(ctx, "make folder", path);
    }
    path[len] = rest;
    return st;
}

weir_status tree_make_folder(weir_context *ctx, const char *path)
{
    char room[TREE_PATH_ROOM];
    struct stat info;
    if (stat(path, &info) == 0 && S_ISDIR(info.st_mode)) {
        return WEIR_OK;
    }
    size_t len = strlen(path);
    if (len >= sizeof room) {
        errno = ENAMETOOLONG;
        return fault_errno(ctx, "make folder", path);
    }
    memcpy(room, path, len + 1);
    weir_status st = WEIR_OK;
    for (size_t i = 1; i <= len && st == WEIR_OK; i++) {
        if ((room[i] == '/' || room[i] == '\0') && room[i - 1] != '/') {
            st = make_one(ctx, room, i);
        }
    }
    return st;
}

uint64_t tree_identity(const struct tree *tree)
{
    struct statx info;
    if (statx(AT_FDCWD, tree->root, 0, STATX_INO | STATX_BTIME, &info) != 0 ||
        (info.stx_mask & STATX_BTIME) == 0 || info.stx_btime.tv_sec == 0) {
        return 0;
    }
    uint64_t made_ns = (uint64_t)info.stx_btime.tv_sec * 1000000000u + info.stx_btime.tv_nsec;
    return made_ns ^
           (info.stx_ino << 40 | info.stx_ino >> 24); /* the time alone fills the low bits */
}

static bool is_same_file(const char *one, const char *other)
{
    struct stat first;
    struct stat second;
    return lstat(one, &first) == 0 && lstat(other, &second) == 0 && first.st_dev == second.st_dev &&
           first.st_ino == second.st_ino;
}

int tree_rename(const char *from, const char *to)
{
    if (renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE) == 0) {
        return 0;
    }
    if (errno != EINVAL && errno != ENOSYS) {
        return -1;
    }
    /* A file system without that flag. The name that is there already may be that of a failed attempt. */
    if (link(from, to) != 0 && (errno != EEXIST || !is_same_file(from, to))) {
        return -1;
    }
    return unlink(from);
}

/* ---- the walk ---------------------------------------------------------------------------------- */

/* visit: for each file of the pattern that is wanted; NULL: it is removed */
struct walk {
    weir_context *ctx;
    const struct tree *tree;
    const struct tree_scope *scope;
    tree_filter *is_wanted;
    const void *filter;
    tree_visit *visit;
    void *visitor;
    uint64_t removed;
    struct tree_file file;
};

typedef weir_status walk_visit(struct walk *w, int folder, const char *name);

/* Calls `visit` for all names of a folder; takes the descriptor. */
static weir_status walk_folder(struct walk *w, int fd, walk_visit *visit)
{
    DIR *folder = fdopendir(fd);
    if (folder == NULL) {
        weir_status st = fault_errno_for_now(w->ctx, "list folder", w->tree->root);
        close(fd);
        return st;
    }
    weir_status st = WEIR_OK;
    struct dirent *entry;
    while (st == WEIR_OK && (entry = readdir(folder)) != NULL) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0) {
            st = visit(w, dirfd(folder), entry->d_name);
        }
    }
    closedir(folder);
    return st;
}

/*
 * Goes into a folder in a folder, and removes it if it is empty because a file of it was removed.
 * What is no folder, a link or somebody else's is passed over.
 */
static weir_status walk_into(struct walk *w, int parent, const char *name, walk_visit *visit)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0) {
        bool is_other = errno == ENOTDIR || errno == ELOOP || errno == EACCES;
        return is_other ? WEIR_OK : fault_errno_for_now(w->ctx, "open folder", name);
    }
    uint64_t removed = w->removed;
    weir_status st = walk_folder(w, fd, visit);
    if (st == WEIR_OK && w->scope->topic == NULL && w->removed > removed) {
        (void)unlinkat(parent, name, AT_REMOVEDIR); /* fails as long as something is in it */
    }
    return st;
}

static weir_status remove_file(struct walk *w, int folder, const char *name)
{
    if (unlinkat(folder, name, 0) != 0 && errno != ENOENT) {
        return fault_errno_for_now(w->ctx, "remove", name);
    }
    w->removed++;
    return WEIR_OK;
}

static weir_status visit_file(struct walk *w, int folder, const char *name)
{
    struct stat info;
    bool is_part;
    if (!read_file_name(name, w->tree->ending, &w->file, &is_part) ||
        !w->is_wanted(w->filter, &w->file, is_part) ||
        fstatat(folder, name, &info, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(info.st_mode)) {
        return WEIR_OK;
    }
    return w->visit == NULL ? remove_file(w, folder, name) : w->visit(w->visitor, &w->file);
}

static weir_status visit_partition(struct walk *w, int folder, const char *name)
{
    bool is_wanted = read_partition_name(name, &w->file) &&
                     (w->scope->topic == NULL || w->file.partition == w->scope->partition);
    return is_wanted ? walk_into(w, folder, name, visit_file) : WEIR_OK;
}

static weir_status visit_topic(struct walk *w, int folder, const char *name)
{
    w->file.topic = name;
    w->file.topic_len = (uint32_t)strlen(name);
    bool is_for_all = w->scope->topic == NULL;
    if (!is_for_all &&
        !weir_same_bytes(name, w->file.topic_len, w->scope->topic, w->scope->topic_len)) {
        return WEIR_OK;
    }
    return walk_into(w, folder, name, visit_partition);
}

static weir_status walk_root(struct walk *w)
{
    int fd = open(w->tree->root, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0) {
        return errno == ENOENT ? WEIR_OK
                               : fault_errno_for_now(w->ctx, "open folder", w->tree->root);
    }
    return walk_folder(w, fd, visit_topic);
}

weir_status tree_remove(weir_context *ctx, const struct tree *tree, const struct tree_scope *scope,
                        tree_filter *is_wanted, const void *self)
{
    struct walk w = {
        .ctx = ctx, .tree = tree, .scope = scope, .is_wanted = is_wanted, .filter = self
    };
    return walk_root(&w);
}

weir_status tree_list(weir_context *ctx, const struct tree *tree, const struct tree_scope *scope,
                      tree_filter *is_wanted, tree_visit *visit, void *self)
{
    struct walk w = { .ctx = ctx,
                      .tree = tree,
                      .scope = scope,
                      .is_wanted = is_wanted,
                      .filter = self,
                      .visit = visit,
                      .visitor = self };
    return walk_root(&w);
}
