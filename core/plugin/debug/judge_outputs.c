/* SPDX-License-Identifier: MIT */
#include <inttypes.h>
#include <stdio.h>

#include "plugin/debug/judge.h"

enum { PLACE_ROOM = 64 };

/* One entry at an output. */
struct emitted {
    struct visit *visit;
    const weir_batch *batch;
    uint32_t output;
    uint32_t index;
    const weir_entry *entry;
    const char *place;
};

static bool judge_entry(const struct emitted *emitted)
{
    struct visit *visit = emitted->visit;
    const weir_entry *entry = emitted->entry;
    if (emitted->batch == NULL) {
        if (entry->ordinal != 0 || entry->input != 0 || entry->origin != 0) {
            visit_breach(visit, RULE_ENTRY,
                         "emitted an entry that was not made by weir_produce (%s)", emitted->place);
            return false;
        }
        return true;
    }
    uint32_t number = entry->ordinal - visit->first_ordinal;
    const weir_entry *lent = number < visit->input_count ? &emitted->batch->entries[number] : NULL;
    if (lent == NULL || lent->input != entry->input || lent->origin != entry->origin) {
        visit_breach(visit, RULE_ENTRY, "emitted an entry that does not come from its batch (%s)",
                     emitted->place);
        return false;
    }
    if (visit_has_failed(visit, number)) {
        visit_breach(visit, RULE_FAIL_EMIT,
                     "emitted something for record %" PRIu32 ", which it has failed (%s)", number,
                     emitted->place);
        return false;
    }
    return true;
}

static bool judge_headers(const struct emitted *emitted)
{
    struct visit *visit = emitted->visit;
    const weir_record *record = emitted->entry->record;
    if (record->header_count > 0 && record->headers == NULL) {
        visit_breach(visit, RULE_POINTER, "emitted %" PRIu32 " headers at NULL (%s)",
                     record->header_count, emitted->place);
        return false;
    }
    struct judge_place place = { emitted->place, "a header" };
    for (uint32_t i = 0; i < record->header_count; i++) {
        const weir_member *header = &record->headers[i];
        if (header->value.tag != WEIR_BYTES && header->value.tag != WEIR_TEXT &&
            header->value.tag != WEIR_NULL) {
            visit_breach(visit, RULE_HEADERS, "emitted a header of tag %d (%s)", header->value.tag,
                         emitted->place);
            return false;
        }
        weir_value name = weir_text_value(header->key, header->key_len);
        if (!judge_value(visit, &place, &name) || !judge_value(visit, &place, &header->value)) {
            return false;
        }
    }
    return true;
}

static bool judge_fields(const struct emitted *emitted)
{
    struct visit *visit = emitted->visit;
    const weir_record *record = emitted->entry->record;
    if (record->flags != 0) {
        visit_breach(visit, RULE_FLAGS, "emitted a record with flags %" PRIu32 " (%s)",
                     record->flags, emitted->place);
        return false;
    }
    if (emitted->batch == NULL) {
        return true;
    }
    const weir_record *lent =
        emitted->batch->entries[emitted->entry->ordinal - visit->first_ordinal].record;
    if (record->offset != lent->offset) {
        visit_breach(visit, RULE_OFFSET, "emitted offset %" PRId64 " for offset %" PRId64 " (%s)",
                     record->offset, lent->offset, emitted->place);
        return false;
    }
    if (record->timestamp == WEIR_NO_TIMESTAMP && lent->timestamp != WEIR_NO_TIMESTAMP) {
        visit_breach(visit, RULE_TIMESTAMP, "took a record's timestamp away (%s)", emitted->place);
        return false;
    }
    return true;
}

static bool judge_record(const struct emitted *emitted)
{
    struct visit *visit = emitted->visit;
    const weir_record *record = emitted->entry->record;
    if (record == NULL || (uintptr_t)record % _Alignof(weir_record) != 0) {
        visit_breach(visit, RULE_RECORD, "emitted a record at %s (%s)",
                     record == NULL ? "NULL" : "an address that is not aligned", emitted->place);
        return false;
    }
    weir_value itself = weir_bytes_value(record, sizeof *record);
    struct judge_place places[] = { { emitted->place, NULL },
                                    { emitted->place, "key" },
                                    { emitted->place, "value" } };
    return judge_value(visit, &places[0], &itself) && judge_fields(emitted) &&
           judge_value(visit, &places[1], &record->key) &&
           judge_value(visit, &places[2], &record->value) && judge_headers(emitted);
}

bool judge_outputs(struct visit *visit, const weir_batch *batch)
{
    for (uint32_t k = 0; k < visit->page->call.output_count; k++) {
        const weir_output *output = &visit->page->outputs[k];
        for (uint32_t i = 0; i < output->count; i++) {
            char place[PLACE_ROOM];
            snprintf(place, sizeof place, "output %" PRIu32 ", record %" PRIu32, k, i);
            struct emitted emitted = { visit, batch, k, i, &output->entries[i], place };
            if (!judge_entry(&emitted) || !judge_record(&emitted)) {
                return false;
            }
        }
    }
    return true;
}
