/* SPDX-License-Identifier: MIT */
/*
 * map, filter, any, all: an expression per item of a list. The items of all lanes are laid behind each
 * other and become the lanes of an inner frame, in which the fields of the record stay visible.
 *
 * Lists are taken up one after the other, items in order: the first item that decides (a fault, the
 * first truthy of any) ends its list, as if items were looked at one by one.
 */
#include <string.h>

#include "expr/code.h"

struct items_code {
    struct code code;
    const struct code *list;
    const struct code *body;
    enum form form;
};

/*
 * lanes    those whose list can be walked
 * at       index into lanes: the list under way
 * item     the next item of it to be laid out
 * done     index of the first lane of which results are awaited
 * made     map and filter: items of the list under way, and how many there are so far
 * bytes    map: of the texts made so far
 */
struct walk {
    struct frame *frame;
    const struct items_code *items;
    struct lanes lanes;
    weir_value *out;
    uint32_t at;
    uint32_t item;
    uint32_t done;
    weir_value *made;
    uint32_t made_count;
    uint64_t bytes;
    uint32_t failed;
};

/* Columns of the inner frame. owners: the index into walk->lanes of each inner lane. */
struct inner {
    struct frame frame;
    weir_entry *entries;
    weir_value *items;
    weir_value *indexes;
    weir_value *results;
    uint32_t *owners;
};

/* ---- results ----------------------------------------------------------------------------------- */

static weir_value *out_of(const struct walk *walk, uint32_t owner)
{
    return &walk->out[walk->lanes.at[owner]];
}

/* The result of a list that was walked to its end. */
static void finish(struct walk *walk, uint32_t owner)
{
    weir_value *out = out_of(walk, owner);
    if (walk->items->form == FORM_ANY || walk->items->form == FORM_ALL) {
        *out = weir_bool(walk->items->form == FORM_ALL);
    } else {
        *out = weir_list_value(walk->made, walk->made_count);
    }
    walk->done = owner + 1;
}

/* A list is decided before its end: what it still has is passed over. */
static void decide(struct walk *walk, uint32_t owner, weir_value result)
{
    *out_of(walk, owner) = result;
    walk->failed += result.tag == WEIR_TAG_ERROR;
    walk->done = owner + 1;
    if (walk->at == owner) {
        walk->at++;
        walk->item = 0;
    }
}

static void decide_too_large(struct walk *walk, uint32_t owner)
{
    weir_value failed;
    frame_fail(walk->frame, &walk->items->code.source, &failed,
               "the list of results would have more than 16 MiB");
    decide(walk, owner, failed);
}

/* Takes the result of one item of a list that is not decided yet. */
static void take(struct walk *walk, uint32_t owner, const weir_value *item,
                 const weir_value *result)
{
    if (result->tag == WEIR_TAG_ERROR) {
        decide(walk, owner, *result);
        return;
    }
    bool is_truthy = walk->items->form != FORM_MAP && value_is_truthy(result);
    switch (walk->items->form) {
    case FORM_ANY:
    case FORM_ALL:
        if (is_truthy == (walk->items->form == FORM_ANY)) {
            decide(walk, owner, weir_bool(is_truthy));
        }
        break;
    case FORM_FILTER:
        if (is_truthy) {
            walk->made[walk->made_count++] = *item;
        }
        break;
    default:
        walk->made[walk->made_count++] = *result;
        walk->bytes += result->tag == WEIR_TEXT || result->tag == WEIR_BYTES ? result->len : 0;
        if (walk->bytes > RESULT_MAX_BYTES || walk->made_count > RESULT_MAX_ITEMS) {
            decide_too_large(walk, owner);
        }
        break;
    }
}

/* ---- lists ------------------------------------------------------------------------------------- */

static uint32_t length_of(const struct walk *walk, uint32_t owner)
{
    return out_of(walk, owner)->len;
}

/* Makes ready for the results of the next list. False: no memory. */
static bool start(struct walk *walk, uint32_t owner)
{
    bool is_list = walk->items->form == FORM_MAP || walk->items->form == FORM_FILTER;
    walk->made_count = 0;
    walk->bytes = 0;
    if (is_list) {
        walk->made =
            frame_alloc(walk->frame, (uint64_t)length_of(walk, owner) * sizeof *walk->made);
        return walk->made != NULL;
    }
    return true;
}

/* Lays out as many items as fit; returns how many. */
static uint32_t lay_out(struct walk *walk, struct inner *inner)
{
    uint32_t count = 0;
    while (count < inner->frame.width && walk->at < walk->lanes.count) {
        const weir_value *list = out_of(walk, walk->at);
        if (walk->item == list->len) {
            walk->at++;
            walk->item = 0;
            continue;
        }
        inner->items[count] = list->as.items[walk->item];
        inner->indexes[count] = weir_int(walk->item);
        inner->owners[count] = walk->at;
        if (inner->entries != NULL) {
            inner->entries[count] = walk->frame->entries[walk->lanes.at[walk->at]];
        }
        walk->item++;
        count++;
    }
    return count;
}

/*
 * The owner of the next result, with every list before it finished: lists without items have no
 * results of their own. False: no memory.
 */
static bool come_to(struct walk *walk, uint32_t owner, bool *is_started)
{
    while (walk->done < owner) {
        if (!*is_started && !start(walk, walk->done)) {
            return false;
        }
        finish(walk, walk->done);
        *is_started = false;
    }
    if (walk->done == owner && !*is_started && owner < walk->lanes.count) {
        *is_started = true;
        return start(walk, owner);
    }
    return true;
}

static bool take_results(struct walk *walk, const struct inner *inner, uint32_t count,
                         bool *is_started)
{
    for (uint32_t i = 0; i < count; i++) {
        uint32_t owner = inner->owners[i];
        if (owner < walk->done) {
            continue;
        }
        if (!come_to(walk, owner, is_started)) {
            return false;
        }
        take(walk, owner, &inner->items[i], &inner->results[i]);
        if (walk->done > owner) {
            *is_started = false;
        }
    }
    return true;
}

static bool begin_inner(struct walk *walk, struct inner *inner, uint64_t total)
{
    struct frame *frame = &inner->frame;
    uint32_t width = total < FRAME_LANES ? (uint32_t)total : FRAME_LANES;
    memset(inner, 0, sizeof *inner);
    frame->evaluation = walk->frame->evaluation;
    frame->width = width;
    if (walk->frame->entries != NULL) {
        inner->entries = frame_alloc(frame, width * sizeof *inner->entries);
    }
    inner->items = frame_take_column(frame);
    inner->indexes = frame_take_column(frame);
    inner->results = frame_take_column(frame);
    inner->owners = frame_alloc(frame, width * sizeof *inner->owners);
    frame->entries = inner->entries;
    frame->items = inner->items;
    frame->indexes = inner->indexes;
    return frame->evaluation->status == WEIR_OK;
}

/* Counts against the limit of what may be computed ahead. */
static bool spend(struct evaluation *evaluation, uint64_t items)
{
    if (items > evaluation->item_budget) {
        evaluation->status = WEIR_E_LIMIT;
        return false;
    }
    evaluation->item_budget -= items;
    return true;
}

/* False: the evaluation as a whole has failed. */
static bool walk_lists(struct walk *walk)
{
    struct inner inner;
    uint64_t total = 0;
    bool is_started = false;
    for (uint32_t i = 0; i < walk->lanes.count; i++) {
        total += length_of(walk, i);
    }
    if (total > 0 &&
        (!spend(walk->frame->evaluation, total) || !begin_inner(walk, &inner, total))) {
        return false;
    }
    while (total > 0) {
        uint32_t count = lay_out(walk, &inner);
        if (count == 0) {
            break;
        }
        code_run_lanes(&inner.frame, walk->items->body, lanes_first(count), inner.results);
        if (walk->frame->evaluation->status != WEIR_OK ||
            !take_results(walk, &inner, count, &is_started)) {
            return false;
        }
    }
    return come_to(walk, walk->lanes.count, &is_started);
}

/* ---- the form ---------------------------------------------------------------------------------- */

/* Fails the lanes whose value is no list; returns how many. */
static uint32_t fail_kinds(struct frame *frame, const struct items_code *items, struct lanes lanes,
                           weir_value *out)
{
    uint32_t failed = 0;
    for (uint32_t i = 0; i < lanes.count; i++) {
        weir_value *value = &out[lanes.at[i]];
        if (value->tag == WEIR_LIST || value->tag == WEIR_TAG_ERROR) {
            continue;
        }
        weir_value made;
        frame_fail(frame, &items->list->source, &made, "%s() takes a list, not %s",
                   form_name(items->form), value_kind_name(value));
        frame_hint_null(frame, &made, value, &items->list->source, items->list->is_postfix);
        *value = made;
        failed++;
    }
    return failed;
}

static uint32_t run(struct frame *frame, const struct code *code, struct lanes lanes,
                    weir_value *out)
{
    const struct items_code *items = CODE_OF(code, struct items_code);
    struct selection selection = selection_of(lanes);
    uint32_t failed = code_run_lanes(frame, items->list, lanes, out);
    failed += fail_kinds(frame, items, lanes, out);
    bool is_right = failed == 0 || selection_drop_failed(frame, &selection, out);
    if (is_right) {
        struct walk walk = { .frame = frame, .items = items, .lanes = selection.lanes, .out = out };
        is_right = walk_lists(&walk);
        failed += walk.failed;
    }
    selection_end(frame, &selection);
    return is_right ? failed : frame_fail_all(lanes, out);
}

struct code *code_items(struct arena *arena, struct source source, enum form form,
                        const struct code *list, const struct code *body)
{
    struct items_code *made = arena_zeroed(arena, sizeof *made);
    if (made == NULL) {
        return NULL;
    }
    /* $it and $index inside are this form's own; in the list they are those of the form around. */
    made->code = (struct code){ .run = run,
                                .source = source,
                                .reads = list->reads | (body->reads & ~(uint32_t)READS_ITEM),
                                .is_postfix = true };
    made->list = list;
    made->body = body;
    made->form = form;
    return &made->code;
}
