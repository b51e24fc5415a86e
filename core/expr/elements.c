/* SPDX-License-Identifier: MIT */
/*
 * Indexes and slices: elements of lists, texts and bytes by their position, members of maps by a text
 * that is computed.
 */
#include <inttypes.h>

#include "base/utf8.h"
#include "expr/field_path.h"
#include "expr/number_operand.h"

/* ---- indexes ----------------------------------------------------------------------------------- */

static uint32_t fail_index(const struct step_run *run, const weir_value *container,
                           const weir_value *index, weir_value *out)
{
    char room[CONTAINER_ROOM];
    weir_value made;
    const char *subject = path_container_text(run, room);
    const char *kind = value_kind_name(container);
    const struct source *source = &run->step->code.source;
    if (container->tag == WEIR_MAP) {
        frame_fail(run->frame, source, &made, "%s is a map, its index is a text, not %s", subject,
                   value_kind_name(index));
    } else if (container->tag == WEIR_TEXT || container->tag == WEIR_BYTES ||
               container->tag == WEIR_LIST) {
        frame_fail(run->frame, source, &made, "%s is %s, its index is an int, not %s", subject,
                   kind, value_kind_name(index));
    } else {
        frame_fail(run->frame, source, &made, "%s is %s, it has no items", subject, kind);
    }
    *out = made;
    return 1;
}

/* An index as int64: an int, which a bool is not. False after a fault. */
static bool read_index(const struct step_run *run, const weir_value *container,
                       const weir_value *index, weir_value *out, int64_t *ret)
{
    weir_value number;
    if (value_kind(index) != KIND_INT || !value_number(index, &number)) {
        fail_index(run, container, index, out);
        return false;
    }
    if (number.tag != WEIR_INT) {
        number_fail_beyond(run->frame, &run->step->code.source, &number, out);
        return false;
    }
    *ret = number.as.i64;
    return true;
}

static int64_t length_of(const weir_value *container)
{
    return container->tag == WEIR_TEXT ? (int64_t)utf8_length(container->as.text, container->len)
                                       : (int64_t)container->len;
}

/* The position from the beginning, or -1 where there is none. */
static int64_t position_of(const weir_value *container, int64_t index)
{
    if (index < 0) {
        index = index < -(int64_t)UINT32_MAX ? -1 : index + length_of(container);
        return index < 0 ? -1 : index;
    }
    return index < container->len ? index : -1;
}

static bool take_character(const weir_value *text, int64_t position, weir_value *out)
{
    size_t at = utf8_offset(text->as.text, text->len, (size_t)position);
    uint32_t point = 0;
    size_t size = utf8_read(text->as.text + at, text->len - at, &point);
    if (size == 0) {
        return false;
    }
    weir_value made = weir_text_value(text->as.text + at, (uint32_t)size);
    made.flags = text->flags & WEIR_VALUE_PLAIN;
    *out = made;
    return true;
}

static uint32_t fail_missing_index(const struct step_run *run, const weir_value *container,
                                   int64_t index, weir_value *out)
{
    char room[CONTAINER_ROOM];
    char source[EXCERPT_ROOM];
    weir_value made;
    int64_t length = length_of(container);
    const struct source *place = &run->step->code.source;
    frame_fail(run->frame, place, &made, "%s has no index %" PRId64 ": its length is %" PRId64,
               path_container_text(run, room), index, length);
    frame_hint(run->frame, &made, "write '%s ?? ...'",
               excerpt(place->text, place->from, place->to, source));
    *out = made;
    return 1;
}

static uint32_t take_position(const struct step_run *run, const weir_value *container,
                              int64_t index, weir_value *out)
{
    int64_t position = position_of(container, index);
    bool is_there = position >= 0;
    weir_value whole = *container;
    if (is_there && whole.tag == WEIR_TEXT) {
        is_there = take_character(&whole, position, out);
    } else if (is_there && whole.tag == WEIR_BYTES) {
        *out = weir_int((unsigned char)whole.as.text[position]);
    } else if (is_there) {
        *out = whole.as.items[position];
    }
    if (is_there) {
        return 0;
    }
    return run->is_forgiving ? path_set_missing(run, out)
                             : fail_missing_index(run, &whole, index, out);
}

static uint32_t take_index(const struct step_run *run, const weir_value *index, weir_value *out)
{
    const weir_value *container = out;
    if (container->tag == WEIR_TAG_ERROR || index->tag == WEIR_TAG_ERROR) {
        *out = container->tag == WEIR_TAG_ERROR ? *container : *index;
        return 1;
    }
    if (path_is_nothing(container)) {
        return path_set_missing(run, out);
    }
    if (container->tag == WEIR_MAP && index->tag == WEIR_TEXT) {
        const weir_member *member = path_find_bytes(container, index->as.text, index->len);
        if (member == NULL) {
            return path_set_missing(run, out);
        }
        *out = member->value;
        return 0;
    }
    int64_t i = 0;
    if (container->tag == WEIR_TEXT || container->tag == WEIR_BYTES ||
        container->tag == WEIR_LIST) {
        return read_index(run, container, index, out, &i) ? take_position(run, container, i, out)
                                                          : 1;
    }
    return fail_index(run, container, index, out);
}

bool path_run_index(const struct step_run *run, struct lanes lanes, weir_value *out,
                    uint32_t *failed)
{
    struct operand index;
    uint32_t index_failed = 0;
    if (!operand_begin(run->frame, run->step->code.low, lanes, &index, &index_failed)) {
        return false;
    }
    for (uint32_t i = 0; i < lanes.count; i++) {
        uint8_t lane = lanes.at[i];
        *failed += take_index(run, operand_at(&index, lane), &out[lane]);
    }
    operand_end(run->frame, &index);
    return true;
}

/* ---- slices ------------------------------------------------------------------------------------ */

/* The byte offset, or item, of a bound that is clamped to the container. */
static uint32_t clamp(const weir_value *container, int64_t bound)
{
    if (bound < 0) {
        int64_t length = length_of(container);
        bound = bound < -length ? 0 : bound + length;
    }
    if (container->tag == WEIR_TEXT) {
        size_t points = bound > container->len ? container->len : (size_t)bound;
        return (uint32_t)utf8_offset(container->as.text, container->len, points);
    }
    return bound > container->len ? container->len : (uint32_t)bound;
}

static void cut(const weir_value *whole, uint32_t from, uint32_t to, weir_value *out)
{
    weir_value made = { .tag = whole->tag, .len = from < to ? to - from : 0 };
    if (whole->tag == WEIR_LIST) {
        made.as.items = made.len == 0 ? whole->as.items : whole->as.items + from;
    } else {
        made.flags = whole->flags & WEIR_VALUE_PLAIN;
        made.as.text = made.len == 0 ? "" : whole->as.text + from;
    }
    *out = made;
}

static bool read_bound(const struct step_run *run, const weir_value *bound, weir_value *out,
                       int64_t *ret)
{
    weir_value number;
    if (value_kind(bound) == KIND_INT && value_number(bound, &number)) {
        if (number.tag == WEIR_INT) {
            *ret = number.as.i64;
            return true;
        }
        number_fail_beyond(run->frame, &run->step->code.source, &number, out);
        return false;
    }
    weir_value made;
    frame_fail(run->frame, &run->step->code.source, &made, "the bound of a slice is an int, not %s",
               value_kind_name(bound));
    *out = made;
    return false;
}

/* low, high: NULL where the bound was left out. */
static uint32_t take_slice(const struct step_run *run, const weir_value *low,
                           const weir_value *high, weir_value *out)
{
    weir_value whole = *out;
    if (whole.tag == WEIR_TAG_ERROR) {
        return 1;
    }
    const weir_value *failed = low != NULL && low->tag == WEIR_TAG_ERROR     ? low
                               : high != NULL && high->tag == WEIR_TAG_ERROR ? high
                                                                             : NULL;
    if (failed != NULL) {
        *out = *failed;
        return 1;
    }
    if (path_is_nothing(&whole)) {
        return path_set_missing(run, out);
    }
    if (whole.tag != WEIR_TEXT && whole.tag != WEIR_BYTES && whole.tag != WEIR_LIST) {
        char room[CONTAINER_ROOM];
        frame_fail(run->frame, &run->step->code.source, out, "%s is %s, it has no slices",
                   path_container_text(run, room), value_kind_name(&whole));
        return 1;
    }
    int64_t from = 0;
    int64_t to = whole.len;
    if ((low != NULL && !read_bound(run, low, out, &from)) ||
        (high != NULL && !read_bound(run, high, out, &to))) {
        return 1;
    }
    uint32_t start = clamp(&whole, from);
    cut(&whole, start, high == NULL ? whole.len : clamp(&whole, to), out);
    return 0;
}

/* A bound that was left out is a constant that nobody reads. False: no memory. */
static bool begin_bound(const struct step_run *run, const struct code *bound, struct lanes lanes,
                        struct operand *ret)
{
    uint32_t failed = 0;
    *ret = (struct operand){ .values = NULL };
    return bound == NULL || operand_begin(run->frame, bound, lanes, ret, &failed);
}

bool path_run_slice(const struct step_run *run, struct lanes lanes, weir_value *out,
                    uint32_t *failed)
{
    struct operand low;
    struct operand high = { .values = NULL };
    if (!begin_bound(run, run->step->code.low, lanes, &low) ||
        !begin_bound(run, run->step->code.high, lanes, &high)) {
        return false;
    }
    for (uint32_t i = 0; i < lanes.count; i++) {
        uint8_t lane = lanes.at[i];
        const weir_value *from = low.values == NULL ? NULL : operand_at(&low, lane);
        const weir_value *to = high.values == NULL ? NULL : operand_at(&high, lane);
        *failed += take_slice(run, from, to, &out[lane]);
    }
    operand_end(run->frame, &low);
    operand_end(run->frame, &high);
    return true;
}
