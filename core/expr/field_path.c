/* SPDX-License-Identifier: MIT */
/*
 * Paths: a base and steps into maps, lists, texts and bytes. A step on a missing or null container is
 * missing; on any other wrong container it is a fault, also where missing paths are forgiven.
 *
 * Reading a field is one comparison while records look alike: each member step remembers the slot
 * where it found its name last. The slot is a hint that threads share without order: whatever it
 * holds, the name there is compared.
 */
#include <inttypes.h>
#include <string.h>

#include "base/utf8.h"
#include "expr/code.h"
#include "expr/fault_list.h"
#include "expr/lexer.h"
#include "expr/number_operand.h"

/*
 * subject   what the messages call the path up to this step: `m.q`
 * missing   the fault of a strict read that finds nothing here
 * slot      of a member step: the shared hint
 */
struct step {
    struct code_step code;
    const char *subject;
    struct expr_fault missing;
    uint32_t symbol;
    uint32_t *slot;
};

struct path_code {
    struct code code;
    const struct code *base;
    const struct step *steps;
    uint32_t count;
};

/* One step at work. */
struct step_run {
    struct frame *frame;
    const struct path_code *path;
    uint32_t index;
    const struct step *step;
    bool is_forgiving;
};

/* ---- what is not there ------------------------------------------------------------------------- */

/* What the step is taken on, for messages. */
static const char *container_text(const struct step_run *run, char room[EXCERPT_ROOM])
{
    if (run->index == 0 && run->path->base == NULL) {
        return "the value";
    }
    const struct source *source =
        run->index > 0 ? &run->path->steps[run->index - 1].code.source : &run->path->base->source;
    char text[EXCERPT_ROOM];
    excerpt(source->text, source->from, source->to, text);
    snprintf(room, EXCERPT_ROOM, "'%.*s'", EXCERPT_BYTES, text);
    return room;
}

static uint32_t set_missing(const struct step_run *run, weir_value *out)
{
    if (run->is_forgiving) {
        *out = (weir_value){ .tag = WEIR_TAG_MISSING };
        return 0;
    }
    value_set_fault(out, &run->step->missing);
    return 1;
}

static bool is_nothing(const weir_value *container)
{
    return container->tag == WEIR_NULL || container->tag == WEIR_TAG_MISSING;
}

/* ---- members ----------------------------------------------------------------------------------- */

static uint32_t fail_member(const struct step_run *run, const weir_value *container,
                            weir_value *out)
{
    char room[EXCERPT_ROOM];
    char name[EXCERPT_ROOM];
    weir_value made;
    frame_fail(run->frame, &run->step->code.source, &made, "%s is %s, it has no field '%s'",
               container_text(run, room), value_kind_name(container),
               excerpt(run->step->code.name, 0, run->step->code.name_len, name));
    *out = made;
    return 1;
}

/* A map's member by the bytes of its name: for names that are not interned. */
static const weir_member *find_bytes(const weir_value *map, const char *name, uint32_t len)
{
    for (uint32_t i = 0; i < map->len; i++) {
        const weir_member *member = &map->as.members[i];
        if (weir_same_bytes(member->key, member->key_len, name, len)) {
            return member;
        }
    }
    return NULL;
}

static inline const weir_member *find_member(const struct step *step, const weir_value *map,
                                             uint32_t *slot)
{
    return step->symbol != WEIR_SYMBOL_NONE
               ? weir_map_find(map, step->symbol, step->code.name, step->code.name_len, slot)
               : find_bytes(map, step->code.name, step->code.name_len);
}

static inline uint32_t take_member(const struct step_run *run, const weir_value *container,
                                   uint32_t *slot, weir_value *out)
{
    if (container->tag == WEIR_MAP) {
        const weir_member *member = find_member(run->step, container, slot);
        if (member == NULL) {
            return set_missing(run, out);
        }
        *out = member->value;
        return 0;
    }
    if (is_nothing(container)) {
        return set_missing(run, out);
    }
    if (container->tag == WEIR_TAG_ERROR) {
        *out = *container;
        return 1;
    }
    return fail_member(run, container, out);
}

static uint32_t run_member(const struct step_run *run, struct lanes lanes, bool is_first,
                           weir_value *out)
{
    const weir_entry *entries = run->frame->entries;
    uint32_t hint = __atomic_load_n(run->step->slot, __ATOMIC_RELAXED);
    uint32_t slot = hint;
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        uint8_t lane = lanes.at[i];
        const weir_value *container = is_first ? &entries[lane].record->value : &out[lane];
        failed += take_member(run, container, &slot, &out[lane]);
    }
    if (slot != hint) {
        __atomic_store_n(run->step->slot, slot, __ATOMIC_RELAXED);
    }
    return failed;
}

/* ---- indexes ----------------------------------------------------------------------------------- */

static uint32_t fail_index(const struct step_run *run, const weir_value *container,
                           const weir_value *index, weir_value *out)
{
    char room[EXCERPT_ROOM];
    weir_value made;
    const char *subject = container_text(run, room);
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
    char room[EXCERPT_ROOM];
    char source[EXCERPT_ROOM];
    weir_value made;
    int64_t length = length_of(container);
    const struct source *place = &run->step->code.source;
    frame_fail(run->frame, place, &made, "%s has no index %" PRId64 ": its length is %" PRId64,
               container_text(run, room), index, length);
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
    return run->is_forgiving ? set_missing(run, out) : fail_missing_index(run, &whole, index, out);
}

static uint32_t take_index(const struct step_run *run, const weir_value *index, weir_value *out)
{
    const weir_value *container = out;
    if (container->tag == WEIR_TAG_ERROR || index->tag == WEIR_TAG_ERROR) {
        *out = container->tag == WEIR_TAG_ERROR ? *container : *index;
        return 1;
    }
    if (is_nothing(container)) {
        return set_missing(run, out);
    }
    if (container->tag == WEIR_MAP && index->tag == WEIR_TEXT) {
        const weir_member *member = find_bytes(container, index->as.text, index->len);
        if (member == NULL) {
            return set_missing(run, out);
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

/* False: no memory. */
static bool run_index(const struct step_run *run, struct lanes lanes, weir_value *out,
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
    if (is_nothing(&whole)) {
        return set_missing(run, out);
    }
    if (whole.tag != WEIR_TEXT && whole.tag != WEIR_BYTES && whole.tag != WEIR_LIST) {
        char room[EXCERPT_ROOM];
        frame_fail(run->frame, &run->step->code.source, out, "%s is %s, it has no slices",
                   container_text(run, room), value_kind_name(&whole));
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
    *ret = (struct operand){ NULL, 0, NULL };
    return bound == NULL || operand_begin(run->frame, bound, lanes, ret, &failed);
}

static bool run_slice(const struct step_run *run, struct lanes lanes, weir_value *out,
                      uint32_t *failed)
{
    struct operand low;
    struct operand high = { NULL, 0, NULL };
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

/* ---- the whole path ---------------------------------------------------------------------------- */

/* One step for all lanes; false: no memory. */
static bool run_step(const struct step_run *run, struct selection *selection, weir_value *out,
                     uint32_t *failed)
{
    uint32_t before = *failed;
    bool is_first = run->index == 0 && run->path->base == NULL;
    bool has_memory = true;
    if (run->step->code.kind == STEP_MEMBER) {
        *failed += run_member(run, selection->lanes, is_first, out);
    } else {
        for (uint32_t i = 0; is_first && i < selection->lanes.count; i++) {
            uint8_t lane = selection->lanes.at[i];
            out[lane] = run->frame->entries[lane].record->value;
        }
        has_memory = run->step->code.kind == STEP_INDEX
                         ? run_index(run, selection->lanes, out, failed)
                         : run_slice(run, selection->lanes, out, failed);
    }
    bool is_last = run->index + 1 == run->path->count;
    return has_memory &&
           (*failed == before || is_last || selection_drop_failed(run->frame, selection, out));
}

static uint32_t run_path(struct frame *frame, const struct path_code *path, struct lanes lanes,
                         bool is_forgiving, weir_value *out)
{
    struct selection selection = selection_of(lanes);
    uint32_t failed = 0;
    bool has_memory = true;
    if (path->base != NULL) {
        failed = is_forgiving ? code_run_forgiving(frame, path->base, lanes, out)
                              : code_run_lanes(frame, path->base, lanes, out);
        has_memory = failed == 0 || selection_drop_failed(frame, &selection, out);
    }
    for (uint32_t i = 0; has_memory && i < path->count && selection.lanes.count > 0; i++) {
        struct step_run run = { frame, path, i, &path->steps[i], is_forgiving };
        has_memory = run_step(&run, &selection, out, &failed);
    }
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

static uint32_t run_strict(struct frame *frame, const struct code *code, struct lanes lanes,
                           weir_value *out)
{
    return run_path(frame, CODE_OF(code, struct path_code), lanes, false, out);
}

static uint32_t run_forgiving(struct frame *frame, const struct code *code, struct lanes lanes,
                              weir_value *out)
{
    return run_path(frame, CODE_OF(code, struct path_code), lanes, true, out);
}

/* ---- maker ------------------------------------------------------------------------------------- */

/* What messages call a path of members from the value: `m.q`, not `$value["m"]["q"]`. */
static const char *member_subject(struct arena *arena, const struct step *previous,
                                  const struct code_step *step)
{
    char name[EXCERPT_ROOM];
    excerpt(step->name, 0, step->name_len, name);
    return previous == NULL ? arena_printf(arena, "%s", name)
                            : arena_printf(arena, "%.300s.%s", previous->subject, name);
}

static const char *step_subject(struct arena *arena, const struct path_code *path, uint32_t index,
                                bool *is_plain)
{
    const struct step *step = &path->steps[index];
    char room[EXCERPT_ROOM];
    *is_plain &= step->code.kind == STEP_MEMBER && path->base == NULL;
    if (*is_plain) {
        return member_subject(arena, index > 0 ? step - 1 : NULL, &step->code);
    }
    const struct source *source = &step->code.source;
    return arena_printf(arena, "%s", excerpt(source->text, source->from, source->to, room));
}

/* The fault of a strict read, made once: it is the same for every record. */
static bool make_missing(struct arena *arena, struct step *step, bool is_alone)
{
    char room[EXCERPT_ROOM];
    const struct source *source = &step->code.source;
    const char *keyword =
        is_alone ? lexer_keyword_in_lower_case(step->code.name, step->code.name_len) : NULL;
    const char *kind = step->code.kind == STEP_MEMBER  ? "field"
                       : step->code.kind == STEP_INDEX ? "item"
                                                       : "slice";
    excerpt(source->text, source->from, source->to, room);
    step->missing.from = source->from;
    step->missing.to = source->to;
    step->missing.message = arena_printf(arena, "%s '%s' is missing", kind, step->subject);
    step->missing.hint =
        keyword != NULL
            ? arena_printf(arena, "keywords are lower case: write '%s'", keyword)
            : arena_printf(arena, "write '%s ?? ...' or filter on has(%s) first", room, room);
    return step->missing.message != NULL && step->missing.hint != NULL;
}

static bool make_step(struct arena *arena, struct symbols *symbols, const struct path_code *path,
                      struct step *step, uint32_t index, bool *is_plain)
{
    step->subject = step_subject(arena, path, index, is_plain);
    if (step->subject == NULL) {
        return false;
    }
    if (step->code.kind == STEP_MEMBER) {
        step->symbol = symbols_intern(symbols, step->code.name, step->code.name_len);
        step->slot = arena_zeroed(arena, sizeof *step->slot);
        if (step->slot == NULL) {
            return false;
        }
    }
    return make_missing(arena, step, *is_plain && path->count == 1);
}

struct code *code_path(struct arena *arena, struct symbols *symbols, struct source source,
                       const struct code *base, const struct code_step *steps, uint32_t count)
{
    struct path_code *made = arena_zeroed(arena, sizeof *made);
    struct step *copy = arena_zeroed(arena, count * sizeof *copy);
    if (made == NULL || copy == NULL) {
        return NULL;
    }
    made->code = (struct code){ .run = run_strict,
                                .run_forgiving = run_forgiving,
                                .source = source,
                                .reads = base == NULL ? READS_RECORD : base->reads,
                                .is_postfix = true };
    made->base = base;
    made->steps = copy;
    made->count = count;
    bool is_plain = true;
    for (uint32_t i = 0; i < count; i++) {
        copy[i].code = steps[i];
        made->code.reads |= steps[i].low == NULL ? 0 : steps[i].low->reads;
        made->code.reads |= steps[i].high == NULL ? 0 : steps[i].high->reads;
        if (!make_step(arena, symbols, made, &copy[i], i, &is_plain)) {
            return NULL;
        }
    }
    return &made->code;
}
