/* SPDX-License-Identifier: MIT */
/*
 * Rows of cells that become aligned lines of text. Cells are copied in: a table does not hold on to
 * batches. Columns only ever join; what a row has no cell for stays empty.
 */
#ifndef PRINT_TABLE_H
#define PRINT_TABLE_H

#include <stdbool.h>
#include <stdint.h>

#include <weir/abi.h>

enum {
    TABLE_ROWS = 20,    /* that are kept for finding out widths */
    TABLE_COLUMNS = 64, /* further ones are not shown */
    TABLE_WIDTH = 40,   /* code points of a cell; a longer one is cut */
    TABLE_NAME = 128    /* bytes of a column's name */
};

struct table_column {
    char name[TABLE_NAME];
    uint32_t name_len;
    uint32_t width;   /* code points, header included; never shrinks */
    bool has_numbers; /* of the rows that are kept: */
    bool has_others;
};

/* In table.texts. len 0: nothing to show. */
struct table_cell {
    uint64_t begin;
    uint32_t len;
    uint32_t width;
    bool is_number;
};

struct table {
    struct table_column columns[TABLE_COLUMNS];
    struct table_cell cells[TABLE_ROWS][TABLE_COLUMNS];
    weir_buffer texts;
    uint32_t column_count;
    uint32_t row_count;
    uint32_t headed_count; /* columns under the last header; 0: none was written */
};

/* Zeroed memory. */
void table_init(struct table *table);
void table_deinit(struct table *table);

/*
 * The column of this name, made if need be; `hint` is where it probably is. TABLE_COLUMNS: there is
 * no room for it. Names are the same where their first TABLE_NAME bytes are.
 */
uint32_t table_column(struct table *table, const char *name, uint64_t len, uint32_t hint);

/* Begins an empty row; there must be room (table_is_full). */
void table_add_row(struct table *table);
static inline bool table_is_full(const struct table *table)
{
    return table->row_count == TABLE_ROWS;
}
/*
 * Puts text into a cell of the last row: cut to TABLE_WIDTH code points, control characters made
 * visible. text: valid UTF-8.
 */
weir_status table_put(struct table *table, uint32_t column, const char *text, uint64_t len,
                      bool is_number);

/*
 * Appends the rows as lines, under a header where columns have joined since the last one, and
 * forgets them. title: stands above the first header; NULL: none.
 */
weir_status table_render(struct table *table, const char *title, weir_buffer *out);

#endif
