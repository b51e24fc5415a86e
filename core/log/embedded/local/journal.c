/* SPDX-License-Identifier: MIT */
#include "log/embedded/local/journal.h"

#include <endian.h>
#include <string.h>

enum {
    BLOCK_BYTES = 32 * 1024,
    RECORD_HEAD = 7,
    TYPE_WHOLE = 1,
    TYPE_FIRST = 2,
    TYPE_LAST = 4,
    WRITE_HEAD = 12,
    CRC_POLYNOMIAL_BITS = 8
};
#define CRC_POLYNOMIAL 0x82f63b78u /* Castagnoli, reflected */
#define CRC_MASK       0xa282ead8u

static uint32_t load32(const uint8_t *at)
{
    uint32_t n;
    memcpy(&n, at, sizeof n);
    return le32toh(n);
}

static uint64_t load64(const uint8_t *at)
{
    uint64_t n;
    memcpy(&n, at, sizeof n);
    return le64toh(n);
}

/* ---- records --------------------------------------------------------------------------------------- */

enum kind { RECORD, FILLING, END, WRONG };

/* next: the place behind it */
struct record {
    const uint8_t *head;
    size_t length;
    uint8_t type;
    size_t next;
};

/* What stands at a place, by its length and type. END: nothing, or a record that is cut off. */
static enum kind look_at(const uint8_t *bytes, size_t size, size_t at, struct record *ret)
{
    size_t block_end = (at / BLOCK_BYTES + 1) * BLOCK_BYTES;
    if (block_end - at < RECORD_HEAD) { /* filled up with zeros */
        ret->next = block_end;
        return block_end < size ? FILLING : END;
    }
    if (size - at < RECORD_HEAD) {
        return END;
    }
    ret->head = bytes + at;
    ret->length = bytes[at + 4] | (size_t)bytes[at + 5] << 8;
    ret->type = bytes[at + 6];
    if (ret->type == 0 && ret->length == 0) {
        ret->next = block_end;
        return block_end < size ? FILLING : END;
    }
    ret->next = at + RECORD_HEAD + ret->length;
    if (ret->next > size && size < block_end) {
        return END;
    }
    bool is_possible = ret->type <= TYPE_LAST && ret->next <= block_end && ret->next <= size;
    return is_possible ? RECORD : WRONG;
}

/* ---- checksums ------------------------------------------------------------------------------------- */

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

int64_t journal_damaged_place(const uint8_t *bytes, size_t size)
{
    struct record record;
    for (size_t at = 0; at < size; at = record.next) {
        enum kind kind = look_at(bytes, size, at, &record);
        if (kind == END) {
            return -1;
        }
        bool is_wrong =
            kind == RECORD && load32(record.head) != masked_crc(record.head + 6, record.length + 1);
        if (kind == WRONG || is_wrong) {
            return (int64_t)at;
        }
    }
    return -1;
}

/* ---- numbers of changes ---------------------------------------------------------------------------- */

/* A write whose records are being put together; only its head is. */
struct write {
    bool is_open;
    size_t place;
    uint8_t head[WRITE_HEAD];
    size_t size;
};

static void open_write(struct write *write, size_t place)
{
    write->is_open = true;
    write->place = place;
    write->size = 0;
}

static void add_record(struct write *write, const struct record *record)
{
    size_t room = WRITE_HEAD - write->size;
    size_t taken = record->length < room ? record->length : room;
    memcpy(write->head + write->size, record->head + RECORD_HEAD, taken);
    write->size += taken;
}

static void close_write(struct write *write, struct journal_span *span)
{
    write->is_open = false;
    if (write->size < WRITE_HEAD) {
        return;
    }
    uint64_t number = load64(write->head);
    if (span->first == 0) {
        span->first = number;
    }
    span->next = number + load32(write->head + sizeof number);
}

struct journal_span journal_span(const uint8_t *bytes, size_t size)
{
    struct journal_span span = { .cut_place = -1 };
    struct write write = { .is_open = false };
    struct record record;
    size_t at = 0;
    enum kind kind = END;
    for (; at < size; at = record.next) {
        kind = look_at(bytes, size, at, &record);
        if (kind == END || kind == WRONG) {
            break;
        }
        if (kind == FILLING) {
            continue;
        }
        if (record.type == TYPE_WHOLE || record.type == TYPE_FIRST) {
            open_write(&write, at);
        }
        add_record(&write, &record);
        if (write.is_open && (record.type == TYPE_WHOLE || record.type == TYPE_LAST)) {
            close_write(&write, &span);
        }
    }
    if (write.is_open) {
        span.cut_place = (int64_t)write.place;
    } else if (at < size) {
        span.cut_place = (int64_t)at;
    }
    return span;
}
