/* SPDX-License-Identifier: MIT */
/*
 * Smaller forms of a letter. They work on the value alone, so that whoever has the letter in hand when
 * its end refuses it can make them.
 */
#include "base/utf8.h"
#include "value/letter_parts.h"

/* A copy of a map of letter_make's with another value for one of its members. */
static weir_value with(struct maker *m, const weir_value *map, const char *name, weir_value value)
{
    struct draft draft = { .count = 0 };
    for (uint32_t i = 0; i < map->len && i < LETTER_MEMBERS; i++) {
        draft.members[draft.count++] = map->as.members[i];
    }
    for (uint32_t i = 0; i < draft.count; i++) {
        if (weir_same_bytes(draft.members[i].key, draft.members[i].key_len, name,
                            (uint32_t)strlen(name))) {
            draft.members[i].value = value;
        }
    }
    return maker_finish(m, &draft);
}

static uint64_t decoded_size(const weir_value *base64)
{
    uint64_t size = (uint64_t)base64->len / 4 * 3;
    for (uint32_t i = base64->len; i > 0 && base64->as.text[i - 1] == '='; i--) {
        size--;
    }
    return size;
}

/* The first bytes of a payload. *ret_size: of all of it, where it was cut. */
static weir_value cut_payload(struct maker *m, const weir_value *v, uint64_t *ret_size)
{
    const weir_value *base64 = letter_base64(v);
    if (v->tag == WEIR_TEXT && v->len > LETTER_KEPT) {
        *ret_size = v->len;
        return weir_text_value(v->as.text, (uint32_t)utf8_valid_prefix(v->as.text, LETTER_KEPT));
    }
    if (base64 != NULL && decoded_size(base64) > LETTER_KEPT) {
        *ret_size = decoded_size(base64);
        return with(m, v, "$bytes", weir_text_value(base64->as.text, LETTER_KEPT / 3 * 4));
    }
    return *v;
}

static uint64_t payload_size(const weir_value *v)
{
    const weir_value *base64 = letter_base64(v);
    return base64 != NULL ? decoded_size(base64) : v->tag == WEIR_TEXT ? v->len : 0;
}

static uint64_t headers_size(const weir_value *list)
{
    uint64_t size = 0;
    for (uint32_t i = 0; list->tag == WEIR_LIST && i < list->len; i++) {
        const weir_value *pair = &list->as.items[i];
        size += payload_size(&pair->as.items[0]) + payload_size(&pair->as.items[1]);
    }
    return size;
}

/* Cuts one part of a map and notes its full size under `note`. */
static void cut_part(struct maker *m, weir_value *map, const char *name, const char *note,
                     struct draft *cut)
{
    const weir_value *part = letter_find(map, name);
    uint64_t size = 0;
    if (part == NULL) {
        return;
    }
    weir_value left = cut_payload(m, part, &size);
    if (size > 0) {
        *map = with(m, map, name, left);
        draft_put(cut, note, weir_int((int64_t)size));
    }
}

static void cut_headers(struct maker *m, weir_value *message, struct draft *cut)
{
    const weir_value *list = letter_find(message, "headers");
    uint64_t size = list != NULL ? headers_size(list) : 0;
    if (size > LETTER_KEPT) {
        *message = with(m, message, "headers", weir_list_value(NULL, 0));
        draft_put(cut, "headers", weir_int((int64_t)size));
    }
}

static void cut_all(struct maker *m, weir_value *letter, struct draft *cut)
{
    const weir_value *found = letter_find(letter, "message");
    weir_value message = found != NULL ? *found : weir_null();
    cut_part(m, &message, "key", "key", cut);
    cut_part(m, &message, "value", "value", cut);
    cut_headers(m, &message, cut);
    *letter = with(m, letter, "message", message);
    found = letter_find(letter, "error");
    weir_value error = found != NULL ? *found : weir_null();
    cut_part(m, &error, "message", "error", cut);
    cut_part(m, &error, "hint", "hint", cut);
    *letter = with(m, letter, "error", error);
}

static bool was_cut(const weir_value *letter, const char *part)
{
    const weir_value *cut = letter_find(letter, "cut");
    return cut != NULL && letter_find(cut, part) != NULL;
}

/* More than the record: no form is smaller. */
static bool is_cut(const weir_value *letter)
{
    const weir_value *cut = letter_find(letter, "cut");
    return cut != NULL && cut->tag == WEIR_MAP && (cut->len > 1 || !was_cut(letter, "record"));
}

bool letter_reduce(struct arena *arena, const weir_value *letter, enum letter_form form,
                   weir_value *ret)
{
    struct maker m = { arena, true };
    struct draft cut = { .count = 0 };
    const weir_value *record = letter_find(letter, "record");
    *ret = *letter;
    if (form == LETTER_WHOLE || is_cut(letter)) {
        return true;
    }
    bool has_record = record != NULL && record->tag != WEIR_NULL;
    if (has_record || was_cut(letter, "record")) {
        draft_put(&cut, "record", weir_bool(true));
        *ret = with(&m, ret, "record", weir_null());
    }
    if (form == LETTER_CUT) {
        cut_all(&m, ret, &cut);
    }
    *ret = with(&m, ret, "cut", cut.count > 0 ? maker_finish(&m, &cut) : weir_null());
    return m.has_memory;
}
