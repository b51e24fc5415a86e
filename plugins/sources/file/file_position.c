/* SPDX-License-Identifier: MIT */
#include "file_position.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { VERSION = 1, WORDS = 6, SIZE = 1 + WORDS * 8 };

/* FNV-1a, 64 bits: it tells a changed file from the same one, and stays what it is for ever. */
uint64_t file_position_hash(const char *bytes, size_t size)
{
    uint64_t hash = 0xCBF29CE484222325u;
    for (size_t i = 0; i < size; i++) {
        hash = (hash ^ (uint8_t)bytes[i]) * 0x100000001B3u;
    }
    return hash;
}

/* A version byte, then words, least significant byte first. */
weir_status file_position_write(const struct file_position *position, weir_buffer *out)
{
    const uint64_t words[WORDS] = { position->bytes,     position->lines,     position->records,
                                    position->head_hash, position->tail_hash, position->flags };
    uint8_t bytes[SIZE] = { VERSION };
    for (size_t i = 0; i < WORDS * 8; i++) {
        bytes[1 + i] = (uint8_t)(words[i / 8] >> (i % 8 * 8));
    }
    return weir_buffer_append(out, bytes, sizeof bytes);
}

bool file_position_read(weir_slice bytes, struct file_position *ret_position)
{
    if (bytes.size != SIZE || bytes.data[0] != VERSION) {
        return false;
    }
    uint64_t words[WORDS] = { 0 };
    for (size_t i = 0; i < WORDS * 8; i++) {
        words[i / 8] |= (uint64_t)bytes.data[1 + i] << (i % 8 * 8);
    }
    ret_position->bytes = words[0];
    ret_position->lines = words[1];
    ret_position->records = words[2];
    ret_position->head_hash = words[3];
    ret_position->tail_hash = words[4];
    ret_position->flags = (uint32_t)words[5];
    return true;
}

/* True with `size` bytes read; otherwise errno is 0 where the file ended before them. */
static bool read_at(int fd, uint64_t offset, char *room, size_t size)
{
    size_t done = 0;
    while (done < size) {
        ssize_t got = pread(fd, room + done, size - done, (off_t)(offset + done));
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            errno = got == 0 ? 0 : errno;
            return false;
        }
        done += (size_t)got;
    }
    return true;
}

enum file_change file_position_compare(const struct file_position *position, int fd,
                                       uint64_t file_bytes, char *head, char *tail)
{
    if (file_bytes < position->bytes) {
        return FILE_REPLACED;
    }
    size_t edge = file_position_edge(position->bytes);
    if (!read_at(fd, 0, head, edge) || !read_at(fd, position->bytes - edge, tail, edge)) {
        return errno == 0 ? FILE_REPLACED : FILE_UNREADABLE;
    }
    if (file_position_hash(head, edge) != position->head_hash ||
        file_position_hash(tail, edge) != position->tail_hash) {
        return FILE_REPLACED;
    }
    return file_bytes == position->bytes ? FILE_UNCHANGED : FILE_LONGER;
}
