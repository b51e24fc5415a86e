/* SPDX-License-Identifier: MIT */
/*
 * RocksDB names the file, and mostly the place in it, when a table is damaged. For its journals (the
 * write-ahead logs and the MANIFEST) it says only that there is damage: those are looked through here.
 *
 * What is behind the last whole record of a journal is a write that a crash has cut off, or one whose length
 * is damaged; RocksDB goes on with the next journal in both cases. Where that does not begin with the
 * change that follows, something that was committed is missing.
 */
#include "log/embedded/local/damage.h"

#include <dirent.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/arena.h"
#include "base/file.h"
#include "log/embedded/local/journal.h"

enum { PATH_BYTES = 4096 };

/* ---- journals ------------------------------------------------------------------------------------- */

/* RocksDB only ever adds to them. *ret_size 0: it is empty, or cannot be read. */
static const uint8_t *map_journal(const char *database, const char *file, size_t *ret_size)
{
    char path[PATH_BYTES];
    struct stat facts;
    snprintf(path, sizeof path, "%s/%s", database, file);
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    *ret_size = fd >= 0 && fstat(fd, &facts) == 0 ? (size_t)facts.st_size : 0;
    void *bytes = *ret_size > 0 ? mmap(NULL, *ret_size, PROT_READ, MAP_PRIVATE, fd, 0) : NULL;
    if (fd >= 0) {
        close(fd);
    }
    if (bytes == MAP_FAILED) {
        *ret_size = 0;
    }
    return bytes;
}

static void unmap_journal(const uint8_t *bytes, size_t size)
{
    if (size > 0) {
        munmap((void *)(uintptr_t)bytes, size);
    }
}

static int64_t damage_in_journal(const char *database, const char *file)
{
    size_t size = 0;
    const uint8_t *bytes = map_journal(database, file, &size);
    int64_t place = journal_damaged_place(bytes, size);
    unmap_journal(bytes, size);
    return place;
}

static bool is_write_ahead_log(const char *name)
{
    size_t len = strlen(name);
    return len > 4 && strcmp(name + len - 4, ".log") == 0;
}

static bool is_journal(const char *name)
{
    return strncmp(name, "MANIFEST-", 9) == 0 || is_write_ahead_log(name);
}

/* ---- a write that is missing ------------------------------------------------------------------------ */

static int compare_numbers(const void *a, const void *b)
{
    uint64_t x = *(const uint64_t *)a;
    uint64_t y = *(const uint64_t *)b;
    return (x > y) - (x < y);
}

/* The numbers of the write-ahead logs, rising. NULL: none, or no memory. */
static uint64_t *list_numbers(const char *database, struct arena *arena, size_t *ret_count)
{
    uint64_t *numbers = NULL;
    size_t count = 0;
    size_t room = 0;
    DIR *folder = opendir(database);
    if (folder == NULL) {
        return NULL;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL; entry = readdir(folder)) {
        if (!is_write_ahead_log(entry->d_name)) {
            continue;
        }
        if (count == room) {
            room = room == 0 ? 16 : 2 * room;
            uint64_t *grown = arena_alloc(arena, room * sizeof *grown);
            if (grown == NULL) {
                break;
            }
            if (count > 0) {
                memcpy(grown, numbers, count * sizeof *grown);
            }
            numbers = grown;
        }
        numbers[count++] = strtoull(entry->d_name, NULL, 10);
    }
    closedir(folder);
    if (count > 0) {
        qsort(numbers, count, sizeof *numbers, compare_numbers);
    }
    *ret_count = count;
    return numbers;
}

static struct journal_span span_of(const char *database, const char *file)
{
    size_t size = 0;
    const uint8_t *bytes = map_journal(database, file, &size);
    struct journal_span span = journal_span(bytes, size);
    unmap_journal(bytes, size);
    return span;
}

void damage_cut_text(const struct damage_cut *cut, char *text, size_t size)
{
    text[0] = '\0';
    if (cut->file[0] != '\0') {
        snprintf(text, size,
                 "file 'log/%s' at offset %" PRId64 ": what was written there is not whole; ",
                 cut->file, cut->place);
    }
}

void damage_find_cuts(const char *database, struct damage_cuts *ret)
{
    struct damage_cut last = { .place = -1 };
    struct arena arena;
    uint64_t next = 0; /* the change that follows; 0: not known */
    size_t count = 0;
    *ret = (struct damage_cuts){ last, last };
    arena_init(&arena, 0);
    const uint64_t *numbers = list_numbers(database, &arena, &count);
    for (size_t i = 0; i < count; i++) {
        char file[sizeof last.file];
        snprintf(file, sizeof file, "%06" PRIu64 ".log", numbers[i]);
        struct journal_span span = span_of(database, file);
        if (last.place >= 0 && next > 0 && span.first > next && ret->missing.place < 0) {
            ret->missing = last;
        }
        if (span.first > 0) {
            next = span.next;
            last = (struct damage_cut){ .place = -1 };
        }
        if (span.cut_place >= 0) {
            memcpy(last.file, file, sizeof file);
            last.place = span.cut_place;
        }
    }
    ret->newest = last;
    arena_deinit(&arena);
}

/* ---- the file -------------------------------------------------------------------------------------- */

/* What is wrong with which file; place < 0: not known. */
struct damage {
    char file[256];
    int64_t place;
    const char *fault;
};

/* The first damaged journal. */
static bool search_journals(const char *database, struct damage *ret)
{
    DIR *folder = opendir(database);
    bool is_found = false;
    if (folder == NULL) {
        return false;
    }
    for (struct dirent *entry = readdir(folder); entry != NULL && !is_found;
         entry = readdir(folder)) {
        int64_t place = is_journal(entry->d_name) ? damage_in_journal(database, entry->d_name) : -1;
        if (place >= 0) {
            snprintf(ret->file, sizeof ret->file, "%s", entry->d_name);
            ret->place = place;
            ret->fault = "its checksum is not that of its bytes";
            is_found = true;
        }
    }
    closedir(folder);
    return is_found;
}

bool damage_is_current_right(const char *database)
{
    char path[PATH_BYTES];
    char text[64] = "";
    snprintf(path, sizeof path, "%s/CURRENT", database);
    FILE *file = fopen(path, "re");
    size_t size = file == NULL ? 0 : fread(text, 1, sizeof text - 1, file);
    if (file != NULL) {
        fclose(file);
    }
    size_t len = strcspn(text, "\n");
    text[len] = '\0';
    snprintf(path, sizeof path, "%s/%s", database, text);
    return size == len + 1 && strncmp(text, "MANIFEST-", 9) == 0 && file_exists(path);
}

static bool check_current(const char *database, struct damage *ret)
{
    if (damage_is_current_right(database)) {
        return false;
    }
    *ret = (struct damage){ "CURRENT", -1, "it does not name a MANIFEST that is there" };
    return true;
}

static bool has_ending(const char *name, size_t len, const char *ending)
{
    size_t size = strlen(ending);
    return len > size && strncmp(name + len - size, ending, size) == 0;
}

/* The first name with the ending in RocksDB's words; "": of a MANIFEST. */
static bool find_name(const char *text, const char *ending, struct damage *ret)
{
    for (const char *at = strchr(text, '/'); at != NULL; at = strchr(at + 1, '/')) {
        const char *name = at + 1;
        size_t len = strcspn(name, " :/,");
        bool is_name =
            ending[0] != '\0' ? has_ending(name, len, ending) : strncmp(name, "MANIFEST-", 9) == 0;
        if (is_name && len < sizeof ret->file) {
            memcpy(ret->file, name, len);
            ret->file[len] = '\0';
            return true;
        }
    }
    return false;
}

/* A table: "Corruption: block checksum mismatch: ... in /path/000012.sst offset 1234 size 99". */
static bool find_in_words(const char *text, struct damage *ret)
{
    const char *offset = strstr(text, " offset ");
    ret->place = offset == NULL ? -1 : strtoll(offset + strlen(" offset "), NULL, 10);
    ret->fault = strstr(text, "No such file") != NULL ? "it is missing"
                 : strstr(text, "checksum") != NULL   ? "its checksum is not that of its bytes"
                                                      : NULL;
    /* A MANIFEST is also named where it tells of a table that is not there. */
    if (find_name(text, ".ldb", ret)) { /* what it looks for last: tables were once called so */
        memcpy(ret->file + strlen(ret->file) - 3, "sst", 3);
        return true;
    }
    return find_name(text, ".sst", ret) || find_name(text, ".log", ret) || find_name(text, "", ret);
}

static bool is_about_damage(const char *text)
{
    return strncmp(text, "Corruption", strlen("Corruption")) == 0 ||
           strstr(text, "No such file or directory") != NULL;
}

bool damage_tell(const char *name, const char *database, const char *text, struct error *error)
{
    struct damage damage = { .place = -1 };
    char place[48] = "";
    if (!is_about_damage(text)) {
        return false;
    }
    bool is_named = check_current(database, &damage) || find_in_words(text, &damage) ||
                    search_journals(database, &damage);
    if (is_named && damage.place >= 0) {
        snprintf(place, sizeof place, " at offset %" PRId64, damage.place);
    }
    if (is_named) {
        error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE,
                  "the log in '%s' is damaged: file 'log/%s'%s: %s", name, damage.file, place,
                  damage.fault != NULL ? damage.fault : text);
    } else {
        error_set(error, WEIR_E_IO, WEIR_CLASS_RESOURCE, "the log in '%s' is damaged: %s", name,
                  text);
    }
    error_hint(error, "keep a copy of the folder; bring the file back from a backup, or start with "
                      "another folder");
    return true;
}
