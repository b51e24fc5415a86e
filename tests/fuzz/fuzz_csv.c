/* SPDX-License-Identifier: MIT */
/*
 * Any bytes as CSV; the first is the delimiter. Wherever the input is cut between two scans, records
 * end at the same places; what can be split is written and split again to the same fields.
 */
#include <stdlib.h>
#include <string.h>

#include <weir/value.h>

#include "base/buffer.h"
#include "fuzz.h"
#include "support/csv.h"

enum { FIELDS = 64 };

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Memory of exactly this size, so that a sanitizer sees one byte too much. */
static char *copy_of(const char *text, size_t size)
{
    char *copy = malloc(size > 0 ? size : 1);
    CHECK(copy != NULL);
    memcpy(copy, text, size);
    return copy;
}

/* The record's end, found in two steps with a cut at every place. */
static void check_cuts(const char *text, size_t size, char delimiter, size_t end,
                       enum csv_state last)
{
    for (size_t cut = 0; cut <= size; cut++) {
        enum csv_state state = CSV_START;
        size_t found = csv_scan(text, cut, delimiter, &state);
        if (found == cut) {
            found = cut + csv_scan(text + cut, size - cut, delimiter, &state);
        }
        CHECK(found == end);
        CHECK(state == last);
    }
}

static void check_written(const struct csv_field *fields, uint32_t count, char delimiter)
{
    weir_buffer out;
    struct csv_field again[FIELDS];
    struct csv_fault fault;
    uint32_t again_count = 0;
    enum csv_state state = CSV_START;
    buffer_init(&out, 1 << 28);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(i == 0 || weir_buffer_append(&out, &delimiter, 1) == WEIR_OK);
        CHECK(csv_append(&out, fields[i].text, fields[i].size, delimiter, fields[i].was_quoted) ==
              WEIR_OK);
    }
    char *copy = copy_of(out.data == NULL ? "" : (const char *)out.data, out.size);
    CHECK(csv_scan(copy, out.size, delimiter, &state) == out.size);
    CHECK(csv_split(copy, out.size, delimiter, again, FIELDS, &again_count, &fault));
    CHECK(again_count == count);
    for (uint32_t i = 0; i < count; i++) {
        CHECK(weir_same_bytes(again[i].text, again[i].size, fields[i].text, fields[i].size));
        CHECK(again[i].was_quoted || !fields[i].was_quoted);
    }
    free(copy);
    buffer_deinit(&out);
}

static void check_record(const char *text, size_t size, char delimiter)
{
    struct csv_field fields[FIELDS];
    struct csv_fault fault;
    uint32_t count = 0;
    char *copy = copy_of(text, size);
    if (csv_split(copy, size, delimiter, fields, FIELDS, &count, &fault)) {
        CHECK(count > 0);
        if (count <= FIELDS) {
            check_written(fields, count, delimiter);
        }
    } else {
        CHECK(fault.byte < size);
        CHECK(fault.message != NULL);
    }
    free(copy);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    if (size == 0 || size > 2048 || !csv_is_delimiter((const char *)data, 1)) {
        return 0;
    }
    char delimiter = (char)data[0];
    const char *text = (const char *)data + 1;
    size--;
    for (;;) {
        enum csv_state state = CSV_START;
        size_t end = csv_scan(text, size, delimiter, &state);
        check_cuts(text, end < size ? end + 1 : size, delimiter, end, state);
        check_record(text, end, delimiter);
        if (end == size) {
            return 0;
        }
        text += end + 1;
        size -= end + 1;
    }
}
