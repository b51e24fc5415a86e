/* SPDX-License-Identifier: MIT */
/*
 * The ground of the plugin ABI: versions, statuses, errors, byte slices.
 *
 * Every struct that one side fills and the other reads begins with `struct_size`. The reader tests
 * it before it touches a field that was added later (WEIR_HAS_FIELD). Structs without that member
 * are frozen: they never grow within a major version.
 *
 * Thread tags used in all headers (a state word may follow, as in [task & open]):
 *   [load]     while the plugin is being loaded, one call at a time in the process
 *   [control]  while a pipeline is being built or torn down, or a partition comes or goes; never beside
 *              another call on the instance
 *   [task]     calls for one instance never overlap, but may move between OS threads
 *   [lane]     a thread that belongs to this source or sink alone; calls never overlap
 *   [any]      any thread, at any time between create and destroy
 */
#ifndef WEIR_ABI_H
#define WEIR_ABI_H

#include <stddef.h>
#include <stdint.h>

/* ABI version. While the major is 0 a plugin loads only into a host of exactly this version. */
#define WEIR_ABI_MAJOR 0
#define WEIR_ABI_MINOR 3

/* Version of the layout of weir_value, weir_member, weir_record, weir_entry, weir_batch. */
#define WEIR_VALUE_LAYOUT 1

#define WEIR_EXPORT __attribute__((visibility("default")))

#ifdef __cplusplus
# define WEIR_BEGIN_C extern "C" {
# define WEIR_END_C   }
#else
# define WEIR_BEGIN_C
# define WEIR_END_C
#endif

/* True where the sender's struct is long enough to hold FIELD. */
#define WEIR_HAS_FIELD(ptr, type, field)                                                           \
 ((ptr)->struct_size >= offsetof(type, field) + sizeof((ptr)->field))

WEIR_BEGIN_C

/*
 * Result of a call: 0 is success, positive values are ordinary outcomes, negative ones are faults.
 * A negative value that the reader does not know counts as WEIR_E_INTERNAL, as does a positive one where
 * the call does not name it.
 */
typedef int32_t weir_status;

enum {
    WEIR_OK = 0,
    WEIR_AGAIN = 1,   /* nothing to do now; call again later */
    WEIR_END = 2,     /* a source has no more records and will never have any */
    WEIR_PENDING = 3, /* reserved: the call goes on and ends with a resume */

    WEIR_E_INVALID = -1,      /* an argument or a configuration is wrong */
    WEIR_E_DATA = -2,         /* a record cannot be handled */
    WEIR_E_LIMIT = -3,        /* a declared limit is exceeded */
    WEIR_E_NOMEM = -4,        /* no memory */
    WEIR_E_IO = -5,           /* a file, a device or a peer failed */
    WEIR_E_UNSUPPORTED = -6,  /* known, but not offered here */
    WEIR_E_INTERNAL = -7,     /* a defect of the callee */
    WEIR_E_BACKPRESSURE = -8, /* come back after retry_after_ms */
    WEIR_E_NOT_FOUND = -9,    /* the thing named does not exist */
    WEIR_E_TIMEOUT = -10      /* the deadline passed first */
};

/* What kind of fault it is, and so who can do something about it. */
enum {
    WEIR_CLASS_NONE = 0,
    WEIR_CLASS_CONFIG = 1,    /* the pipeline file */
    WEIR_CLASS_AUTH = 2,      /* credentials or permissions */
    WEIR_CLASS_NOT_FOUND = 3, /* a file, topic, table, bucket */
    WEIR_CLASS_NETWORK = 4,   /* a peer is away */
    WEIR_CLASS_DATA = 5,      /* this record; the step's on_error decides what happens */
    WEIR_CLASS_RESOURCE = 6,  /* memory, disk, quota */
    WEIR_CLASS_BUG = 7        /* a defect of the reporter */
};

enum {
    WEIR_ERROR_RETRIABLE = 1u /* the same call may succeed later */
};

/* Bytes that belong to somebody else. data may be NULL where size is 0. */
typedef struct weir_slice {
    const uint8_t *data;
    uint64_t size;
} weir_slice;

/*
 * Details of a fault. The receiver copies everything before its function returns.
 *
 * status          one of WEIR_E_*
 * error_class     one of WEIR_CLASS_*
 * flags           WEIR_ERROR_*
 * record_index    index into the batch of the call, or -1: no single record is to blame
 * retry_after_ms  0 = the host chooses
 * message         what is wrong, one sentence without full stop; UTF-8, never NULL
 * hint            what to do about it; may be NULL
 * input           of a source: the bytes that it could not read as a record, for the dead letter;
 *                 data NULL: not known
 * input_size      of all of it, where `input` is only its beginning; UINT64_MAX: nobody knows; 0: it is all.
 *                 From ABI 0.3 on
 */
typedef struct weir_error_info {
    uint32_t struct_size;
    weir_status status;
    uint32_t error_class;
    uint32_t flags;
    int64_t record_index;
    int64_t retry_after_ms;
    const char *message;
    const char *hint;
    weir_slice input;
    uint64_t input_size;
} weir_error_info;

/*
 * Text of a configuration: UTF-8 and, beyond its length, a NUL for the convenience of C.
 * An option that was not given has data NULL.
 */
typedef struct weir_text {
    const char *data;
    uint64_t size; /* bytes, without the NUL */
} weir_text;

/*
 * A growing buffer with a limit. Whoever made it owns it; the borrower appends only.
 *
 * grow  makes room for at least `more` further bytes, or returns WEIR_E_NOMEM or WEIR_E_LIMIT and
 *       leaves the buffer as it was
 */
typedef struct weir_buffer {
    uint8_t *data;
    uint64_t size;
    uint64_t capacity;
    uint64_t limit;
    weir_status (*grow)(struct weir_buffer *buffer, uint64_t more);
} weir_buffer;

/* Room for `more` bytes behind data + size. Cost: one comparison while there is room. */
static inline weir_status weir_buffer_reserve(weir_buffer *buffer, uint64_t more)
{
    if (buffer->capacity - buffer->size >= more) {
        return WEIR_OK;
    }
    return buffer->grow(buffer, more);
}

/* Appends bytes. Errors: WEIR_E_NOMEM, WEIR_E_LIMIT; then nothing was appended. */
static inline weir_status weir_buffer_append(weir_buffer *buffer, const void *bytes, uint64_t size)
{
    weir_status st = weir_buffer_reserve(buffer, size);
    if (st == WEIR_OK && size > 0) {
        __builtin_memcpy(buffer->data + buffer->size, bytes, (size_t)size);
        buffer->size += size;
    }
    return st;
}

WEIR_END_C

#endif
