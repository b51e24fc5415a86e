/* SPDX-License-Identifier: MIT */
/*
 * RocksDB names the file, and mostly the place in it, when a table is damaged. For its journals (the
 * write-ahead logs and the MANIFEST) it says only that there is damage: those are looked through here.
 *
 * A journal consists of blocks of 32 KiB, a block of records: checksum (4, CRC-32C, masked), length
 * (2), type (1), bytes. What is behind the last whole record is a write that a crash has cut off.
 */
#include "log/embedded/local/damage.h"

#include <dirent.h>
#include <endian.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/arena.h"
#include "base/file.h"

enum {
    BLOCK_BYTES = 32 * 1024,
    RECORD_HEAD = 7,
    TYPE_LAST = 4,
    CRC_POLYNOMIAL_BITS = 8,
    PATH_BYTES = 4096
};
#define JOURNAL_LIMIT  ((size_t)1 << 31)
#define CRC_POLYNOMIAL 0x82f63b78u /* Castagnoli, reflected */
#define CRC_MASK       0xa282ead8u

/* ---- journals ------------------------------------------------------------------------------------- */

/* Slow and small: only a damaged journal is looked through. */
static uint32_t masked_crc(const uint8_t *bytes, size_t size)
{
    uint32_t crc = UINT32_MAX;
    for (size_t i = 0; i < size; i++) {
        crc ^= bytes[i];
        for (int bit = 0; bit < CRC_POLYNOMIAL_BITS; bit++) {
            crc = (crc >> 1) ^ (CRC_POLYNOMIAL & -(crc & 1));
        }
    }
    crc = ~crc;
    return ((crc >> 15) | (crc << 17)) + CRC_MASK;
}

static uint32_t load32(const uint8_t *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return le32toh(n);
}

enum record { RECORD_WHOLE, RECORD_END, RECORD_DAMAGED };

/* What stands at a place; *ret_next: the place of the next record. */
static enum record look_at(const uint8_t *bytes, size_t size, size_t at, size_t *ret_next)
{
    size_t block_end = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
    if (block_end - at < RECORD_HEAD) {
        *ret_next = block_end; /* filled up with zeros */
        return block_end < size ? RECORD_WHOLE : RECORD_END;
    }
    if (size - at < RECORD_HEAD) {
        return RECORD_END;
    }
    size_t length = bytes[at + 4] | (size_t)bytes[at + 5] << 8;
    uint8_t type = bytes[at + 6];
    if (type == 0 && length == 0) {
        *ret_next = block_end;
        return block_end < size ? RECORD_WHOLE : RECORD_END;
    }
    *ret_next = at + RECORD_HEAD + length;
    if (*ret_next > size && size < block_end) {
        return RECORD_END;
    }
    bool is_right = type <= TYPE_LAST && *ret_next <= block_end && *ret_next <= size &&
                    load32(bytes + at) == masked_crc(bytes + at + 6, length + 1);
    return is_right ? RECORD_WHOLE : RECORD_DAMAGED;
}

/* The place of the first damaged record; < 0: there is none. */
static int64_t damaged_place(const uint8_t *bytes, size_t size)
{
    size_t at = 0;
    while (at < size) {
        size_t next = at;
        switch (look_at(bytes, size, at, &next)) {
        case RECORD_WHOLE:
            at = next;
            break;
        case RECORD_DAMAGED:
            return (int64_t)at;
        case RECORD_END:
        default:
            return -1;
        }
    }
    return -1;
}

static int64_t damage_in_journal(const char *database, const char *file)
{
    char path[PATH_BYTES];
    struct arena arena;
    char *bytes = NULL;
    size_t size = 0;
    int64_t place = -1;
    arena_init(&arena, 0);
    snprintf(path, sizeof path, "%s/%s", database, file);
    if (file_read(path, JOURNAL_LIMIT, &arena, &bytes, &size, NULL) == WEIR_OK) {
        place = damaged_place((const uint8_t *)bytes, size);
    }
    arena_deinit(&arena);
    return place;
}

static bool is_journal(const char *name)
{
    size_t len = strlen(name);
    return strncmp(name, "MANIFEST-", 9) == 0 || (len > 4 && strcmp(name + len - 4, ".log") == 0);
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
