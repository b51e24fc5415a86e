/* SPDX-License-Identifier: MIT */
/*
 * Paths: a base and steps into maps, lists, texts and bytes. A step on a missing or null container is
 * missing; on any other wrong container it is a fault, also where missing paths are forgiven.
 */
#include "expr/field_path.h"

#include <stdio.h>

#include "expr/lexer.h"

/* ---- what is not there ------------------------------------------------------------------------- */

const char *path_container_text(const struct step_run *run, char room[CONTAINER_ROOM])
{
    if (run->index == 0 && run->path->base == NULL) {
        return "the value";
    }
    const struct source *source =
        run->index > 0 ? &run->path->steps[run->index - 1].code.source : &run->path->base->source;
    char text[EXCERPT_ROOM];
    excerpt(source->text, source->from, source->to, text);
    snprintf(room, CONTAINER_ROOM, "'%s'", text);
    return room;
}

/* ---- the whole path ---------------------------------------------------------------------------- */

/* One step for all lanes; false: no memory. */
static bool run_step(const struct step_run *run, struct selection *selection, weir_value *out,
                     uint32_t *failed)
{
    uint32_t before = *failed;
    bool is_first = run->index == 0 && run->path->base == NULL;
    bool is_last = run->index + 1 == run->path->count;
    bool has_memory = true;
    if (run->step->code.kind == STEP_MEMBER) {
        *failed += run->unboxed != NULL && is_last && *failed == 0
                       ? path_run_member_unboxed(run, selection->lanes, is_first, out)
                       : path_run_member(run, selection->lanes, is_first, out);
    } else {
        for (uint32_t i = 0; is_first && i < selection->lanes.count; i++) {
            uint8_t lane = selection->lanes.at[i];
            out[lane] = run->frame->entries[lane].record->value;
        }
        has_memory = run->step->code.kind == STEP_INDEX
                         ? path_run_index(run, selection->lanes, out, failed)
                         : path_run_slice(run, selection->lanes, out, failed);
    }
    return has_memory &&
           (*failed == before || is_last || selection_drop_failed(run->frame, selection, out));
}

static uint32_t run_path(struct frame *frame, const struct path_code *path, struct lanes lanes,
                         bool is_forgiving, weir_value *out, struct unboxed *unboxed)
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
        struct step_run run = { frame, path, i, &path->steps[i], is_forgiving, unboxed };
        has_memory = run_step(&run, &selection, out, &failed);
    }
    selection_end(frame, &selection);
    return has_memory ? failed : frame_fail_all(lanes, out);
}

static uint32_t run_strict(struct frame *frame, const struct code *code, struct lanes lanes,
                           weir_value *out)
{
    return run_path(frame, CODE_OF(code, struct path_code), lanes, false, out, NULL);
}

static uint32_t run_unboxed(struct frame *frame, const struct code *code, struct lanes lanes,
                            weir_value *out, struct unboxed *ret)
{
    return run_path(frame, CODE_OF(code, struct path_code), lanes, false, out, ret);
}

static uint32_t run_forgiving(struct frame *frame, const struct code *code, struct lanes lanes,
                              weir_value *out)
{
    return run_path(frame, CODE_OF(code, struct path_code), lanes, true, out, NULL);
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
        *step->slot = step->symbol != WEIR_SYMBOL_NONE ? 0 : UINT32_MAX;
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
    if (copy[count - 1].code.kind == STEP_MEMBER) {
        made->code.run_unboxed = run_unboxed;
    }
    return &made->code;
}
