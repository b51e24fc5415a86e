/* SPDX-License-Identifier: MIT */
#include "engine/letter_box.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "engine/dead_letters.h"
#include "engine/run_faults.h"
#include "value/letter.h"

enum { FIRST_CAPACITY = 16 };

void letter_box_init(struct letter_box *box, struct dead_letters *letters)
{
    *box = (struct letter_box){ .letters = letters };
}

void letter_box_deinit(struct letter_box *box)
{
    letter_box_empty(box);
    memory_free(box->kept);
    box->kept = NULL;
    box->capacity = 0;
}

void letter_box_empty(struct letter_box *box)
{
    if (box->root != NULL) {
        root_release(box->root);
        box->root = NULL;
    }
    box->count = 0;
}

static bool make_room(struct letter_box *box)
{
    if (box->root == NULL) {
        box->root = root_acquire(&box->letters->pool);
    }
    if (box->count == box->capacity) {
        uint32_t capacity = box->capacity == 0 ? FIRST_CAPACITY : box->capacity * 2;
        struct kept_letter *kept = memory_resize(box->kept, capacity * sizeof *kept);
        if (kept == NULL) {
            return false;
        }
        box->kept = kept;
        box->capacity = capacity;
    }
    return box->root != NULL;
}

static weir_value bytes_or_null(weir_slice slice)
{
    return slice.size == LOG_ABSENT ? weir_null()
                                    : weir_bytes_value(slice.data, (uint32_t)slice.size);
}

/* False: no memory. */
static bool read_headers(struct arena *arena, const struct log_message *from,
                         struct letter_message *ret)
{
    weir_member *headers = arena_zeroed(arena, (from->header_count + 1u) * sizeof *headers);
    for (uint32_t i = 0; headers != NULL && i < from->header_count; i++) {
        headers[i].key = from->headers[i].name;
        headers[i].key_len = from->headers[i].name_len;
        headers[i].value = bytes_or_null(from->headers[i].value);
    }
    ret->headers = headers;
    ret->header_count = from->header_count;
    return headers != NULL;
}

/* What came in: a message of the log, or what a source could not read. False: no memory. */
static bool describe_message(const struct letter_box *box, const struct failed_record *failed,
                             const struct call_failure *failure, struct letter_message *ret,
                             const struct letter_message **ret_message)
{
    *ret = (struct letter_message){ .offset = failed->offset };
    *ret_message = ret;
    if (failed->message != NULL && failed->origin != NULL) {
        ret->topic = dead_letters_log_name(box->letters, failed->origin);
        ret->topic_len = (uint32_t)strlen(ret->topic);
        ret->partition = failed->origin->partition;
        ret->timestamp = failed->message->timestamp;
        ret->key = bytes_or_null(failed->message->key);
        ret->value = bytes_or_null(failed->message->value);
        return read_headers(&box->root->arena, failed->message, ret);
    }
    if (failure->input.data != NULL) {
        ret->value = weir_bytes_value(failure->input.data, (uint32_t)failure->input.size);
        return true;
    }
    *ret_message = NULL;
    return true;
}

static struct record_line describe_record(const struct failed_record *failed)
{
    struct record_line line = { .partition = -1 };
    if (failed->record == NULL) {
        return line;
    }
    line.record = *failed->record;
    line.record.offset = failed->offset;
    if (failed->origin != NULL) {
        line.topic = failed->origin->topic;
        line.topic_len = failed->origin->topic_len;
        line.partition = failed->origin->partition;
    }
    return line;
}

static bool make_letter(struct letter_box *box, const struct failed_record *failed,
                        const struct call_failure *failure, weir_value *ret)
{
    struct letter_message message;
    struct record_line record = describe_record(failed);
    struct letter letter = { .time_ms = clock_wall_ms(),
                             .error_class = error_class_name(failure->error_class),
                             .error = failure->message,
                             .hint = failure->hint,
                             .place = failed->use->label,
                             .stream = failed->use->stream,
                             .step = failed->use->id,
                             .record = failed->record != NULL ? &record : NULL };
    return describe_message(box, failed, failure, &message, &letter.message) &&
           letter_make(&box->root->arena, &letter, ret);
}

/* The key's own copy: the message may be gone before the letter is sent. False: no memory. */
static bool keep_key(struct arena *arena, const struct failed_record *failed,
                     struct kept_letter *kept)
{
    kept->key = (weir_slice){ NULL, LOG_ABSENT };
    if (failed->message == NULL || failed->message->key.size == LOG_ABSENT) {
        return true;
    }
    size_t size = (size_t)failed->message->key.size;
    const char *copy = arena_copy(arena, (const char *)failed->message->key.data, size);
    kept->key = (weir_slice){ (const uint8_t *)copy, size };
    return copy != NULL;
}

bool letter_box_add(struct letter_box *box, const struct failed_record *failed,
                    const struct call_failure *failure)
{
    if (!make_room(box)) {
        return false;
    }
    struct kept_letter *kept = &box->kept[box->count];
    *kept =
        (struct kept_letter){ .offset = failed->origin != NULL ? failed->offset : -1,
                              .partition = failed->origin != NULL ? failed->origin->partition : 0,
                              .number = box->count };
    if (!keep_key(&box->root->arena, failed, kept) ||
        !make_letter(box, failed, failure, &kept->value)) {
        return false;
    }
    bool has_time = failed->record != NULL && failed->record->timestamp != WEIR_NO_TIMESTAMP;
    kept->timestamp = failed->message != NULL ? failed->message->timestamp
                      : has_time              ? failed->record->timestamp
                                              : clock_wall_ms();
    box->count++;
    return true;
}

static int by_message(const void *a, const void *b)
{
    const struct kept_letter *left = a;
    const struct kept_letter *right = b;
    if (left->offset != right->offset) {
        return left->offset < right->offset ? -1 : 1;
    }
    return left->number < right->number ? -1 : left->number > right->number;
}

void letter_box_sort(struct letter_box *box)
{
    if (box->count > 1) {
        qsort(box->kept, box->count, sizeof *box->kept, by_message);
    }
    for (uint32_t i = 0; i < box->count; i++) {
        bool is_next = i > 0 && box->kept[i].offset == box->kept[i - 1].offset;
        box->kept[i].number = is_next ? box->kept[i - 1].number + 1 : 0;
    }
}
