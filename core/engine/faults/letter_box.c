/* SPDX-License-Identifier: MIT */
#include "engine/faults/letter_box.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/memory.h"
#include "base/utf8.h"
#include "engine/faults/dead_letters.h"
#include "engine/faults/run_faults.h"
#include "value/letter.h"

enum { FIRST_CAPACITY = 16, UTF8_LONGEST = 4 };
/* Bytes of one message in the letters that one place makes of it; further ones are cut. */
#define RUN_LIMIT (UINT64_C(16) << 20)

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
    box->run = (struct letter_run){ .use = NULL };
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

/* A message of the log: its own copy, since it may be gone before the letter is sent. False: no memory. */
static bool copy_message(struct letter_box *box, const struct failed_record *failed)
{
    struct arena *arena = &box->root->arena;
    const struct log_message *from = failed->message;
    const char *topic = dead_letters_log_name(box->letters, failed->origin);
    struct letter_message message = { .topic = topic,
                                      .topic_len = (uint32_t)strlen(topic),
                                      .partition = failed->origin->partition,
                                      .offset = failed->offset,
                                      .timestamp = from->timestamp,
                                      .key = bytes_or_null(from->key),
                                      .value = bytes_or_null(from->value) };
    box->run =
        (struct letter_run){ .use = failed->use, .message = from, .key = { NULL, LOG_ABSENT } };
    if (from->key.size != LOG_ABSENT) {
        size_t size = (size_t)from->key.size;
        const char *key = arena_copy(arena, (const char *)from->key.data, size);
        box->run.key = (weir_slice){ (const uint8_t *)key, size };
    }
    return (from->key.size == LOG_ABSENT || box->run.key.data != NULL) &&
           read_headers(arena, from, &message) &&
           letter_make_message(arena, &message, &box->run.value);
}

static uint64_t payload_size(weir_slice slice)
{
    return slice.size == LOG_ABSENT ? 0 : slice.size;
}

/* As much as a letter that is cut holds, no code point in half. */
static weir_slice beginning_of(weir_slice input)
{
    uint32_t size = input.size < LETTER_KEPT ? (uint32_t)input.size : LETTER_KEPT;
    uint32_t valid = (uint32_t)utf8_valid_prefix((const char *)input.data, size);
    return (weir_slice){ input.data, size - valid < UTF8_LONGEST ? valid : size };
}

/*
 * What came in: a message of the log, which goes into box->run, or what a source could not read. *ret_message:
 * NULL where nothing is known. False: no memory.
 */
static bool describe_message(struct letter_box *box, const struct failed_record *failed,
                             const struct call_failure *failure, const weir_value **ret_message)
{
    struct letter_run *run = &box->run;
    *ret_message = NULL;
    if (failed->message != NULL && failed->origin != NULL) {
        bool is_same = run->use == failed->use && run->message == failed->message;
        if (!is_same && !copy_message(box, failed)) {
            return false;
        }
        run->letters++;
        run->bytes += payload_size(failed->message->key) + payload_size(failed->message->value);
        *ret_message = &run->value;
        return true;
    }
    *run = (struct letter_run){ .use = NULL };
    if (failure->input.data == NULL) {
        return true;
    }
    weir_slice bytes = failure->input_size != 0 ? beginning_of(failure->input) : failure->input;
    struct letter_message input = { .value = weir_bytes_value(bytes.data, (uint32_t)bytes.size) };
    *ret_message = &run->value;
    return letter_make_message(&box->root->arena, &input, &run->value);
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

/* One message that fails a thousand times is kept a thousand times only as long as it is small. */
static bool is_too_much(const struct letter_run *run)
{
    return run->letters > 1 && run->bytes > RUN_LIMIT;
}

static bool make_letter(struct letter_box *box, const struct failed_record *failed,
                        const struct call_failure *failure, weir_value *ret)
{
    struct arena *arena = &box->root->arena;
    struct record_line record = describe_record(failed);
    struct letter letter = { .time_ms = clock_wall_ms(),
                             .error_class = error_class_name(failure->error_class),
                             .error = failure->message,
                             .hint = failure->hint,
                             .place = failed->use->label,
                             .stream = failed->use->stream,
                             .step = failed->use->id,
                             .whole_value = failure->input_size };
    if (!describe_message(box, failed, failure, &letter.message)) {
        return false;
    }
    letter.is_without_record = failed->record != NULL && is_too_much(&box->run);
    letter.record = failed->record != NULL && !letter.is_without_record ? &record : NULL;
    weir_value made;
    enum letter_form form = is_too_much(&box->run) ? LETTER_CUT : LETTER_WHOLE;
    return letter_make(arena, &letter, &made) && letter_reduce(arena, &made, form, ret);
}

bool letter_box_add(struct letter_box *box, const struct failed_record *failed,
                    const struct call_failure *failure)
{
    if (!make_room(box)) {
        return false;
    }
    struct kept_letter *kept = &box->kept[box->count];
    box->origin = failed->origin != NULL ? *failed->origin : (weir_origin){ NULL, 0, 0 };
    *kept =
        (struct kept_letter){ .offset = failed->origin != NULL ? failed->offset : -1,
                              .partition = failed->origin != NULL ? failed->origin->partition : 0,
                              .number = box->count };
    if (!make_letter(box, failed, failure, &kept->value)) {
        return false;
    }
    kept->key = box->run.use != NULL ? box->run.key : (weir_slice){ NULL, LOG_ABSENT };
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
