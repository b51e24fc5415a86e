/* SPDX-License-Identifier: MIT */
#include "table.h"

#include <stdio.h>
#include <string.h>

#include "support/code_point.h"
#include "support/heap_buffer.h"
#include "support/kind.h"

#define ELLIPSIS "\xE2\x80\xA6"
#define BETWEEN  "  "

void table_init(struct table *table)
{
    heap_buffer_init(&table->texts, UINT32_MAX);
}

void table_deinit(struct table *table)
{
    heap_buffer_deinit(&table->texts);
}

/* ---- filling ----------------------------------------------------------------------------------- */

static bool is_control(uint32_t point)
{
    return point < 0x20 || (point >= 0x7F && point < 0xA0);
}

/*
 * Appends at most `limit` code points' worth of text, for a terminal: control characters as escapes.
 * Returns WEIR_OK with the width in *ret_width.
 */
static weir_status put_visible(weir_buffer *out, const char *text, uint64_t len, uint32_t limit,
                               uint32_t *ret_width)
{
    uint32_t width = 0;
    weir_status st = WEIR_OK;
    for (uint64_t i = 0; i < len && st == WEIR_OK;) {
        char escape[8];
        const char *shown = text + i;
        uint32_t point = code_point_read(shown);
        size_t size = code_point_size(*shown);
        size_t shown_len = size;
        uint32_t shown_width = 1;
        if (is_control(point)) {
            const char *name = point == '\n' ? "\\n" : point == '\t' ? "\\t" : NULL;
            shown_len = (size_t)(name != NULL ? snprintf(escape, sizeof escape, "%s", name)
                                              : snprintf(escape, sizeof escape, "\\u%04x", point));
            shown = escape;
            shown_width = (uint32_t)shown_len;
        }
        bool is_last = i + size == len;
        if (width + shown_width + !is_last > limit) {
            st = weir_buffer_append(out, ELLIPSIS, sizeof ELLIPSIS - 1);
            width++;
            break;
        }
        st = weir_buffer_append(out, shown, shown_len);
        width += shown_width;
        i += size;
    }
    *ret_width = width;
    return st;
}

static bool is_named(const struct table_column *column, const char *name, uint64_t len)
{
    return column->name_len == len && memcmp(column->name, name, len) == 0;
}

uint32_t table_column(struct table *table, const char *name, uint64_t len, uint32_t hint)
{
    uint32_t cut = (uint32_t)kind_excerpt(name, len, TABLE_NAME);
    if (hint < table->column_count && is_named(&table->columns[hint], name, cut)) {
        return hint;
    }
    for (uint32_t i = 0; i < table->column_count; i++) {
        if (is_named(&table->columns[i], name, cut)) {
            return i;
        }
    }
    if (table->column_count == TABLE_COLUMNS) {
        return TABLE_COLUMNS;
    }
    struct table_column *column = &table->columns[table->column_count];
    memcpy(column->name, name, cut);
    column->name_len = cut;
    return table->column_count++;
}

void table_add_row(struct table *table)
{
    memset(table->cells[table->row_count], 0, sizeof table->cells[0]);
    table->row_count++;
}

weir_status table_put(struct table *table, uint32_t column_index, const char *text, uint64_t len,
                      bool is_number)
{
    struct table_column *column = &table->columns[column_index];
    struct table_cell *cell = &table->cells[table->row_count - 1][column_index];
    uint64_t begin = table->texts.size;
    weir_status st = put_visible(&table->texts, text, len, TABLE_WIDTH, &cell->width);
    if (st != WEIR_OK) {
        return st;
    }
    cell->begin = begin;
    cell->len = (uint32_t)(table->texts.size - begin);
    cell->is_number = is_number;
    column->width = cell->width > column->width ? cell->width : column->width;
    column->has_numbers |= is_number;
    column->has_others |= !is_number;
    return WEIR_OK;
}

/* ---- lines ------------------------------------------------------------------------------------- */

static weir_status put_blanks(weir_buffer *out, uint64_t count)
{
    weir_status st = weir_buffer_reserve(out, count);
    if (st == WEIR_OK && count > 0) {
        memset(out->data + out->size, ' ', count);
        out->size += count;
    }
    return st;
}

/*
 * The blanks before a text, and in *owed those behind it, which are only written if something
 * follows: no line ends with blanks.
 */
static weir_status put_aligned(weir_buffer *out, const void *text, uint64_t len, uint32_t width,
                               uint32_t room, bool is_right, uint64_t *owed)
{
    uint64_t before = *owed + (is_right ? room - width : 0);
    *owed = sizeof BETWEEN - 1 + (is_right ? 0 : room - width);
    if (len == 0) {
        *owed += before;
        return WEIR_OK;
    }
    weir_status st = put_blanks(out, before);
    return st == WEIR_OK ? weir_buffer_append(out, text, len) : st;
}

static weir_status render_row(const struct table *table, const struct table_cell *cells,
                              weir_buffer *out)
{
    uint64_t owed = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        const struct table_cell *cell = &cells[i];
        weir_status st = put_aligned(out, table->texts.data + cell->begin, cell->len, cell->width,
                                     table->columns[i].width, cell->is_number, &owed);
        if (st != WEIR_OK) {
            return st;
        }
    }
    return weir_buffer_append(out, "\n", 1);
}

/* The names as they are shown go through the same buffer as cells, behind those. */
static weir_status render_header(struct table *table, weir_buffer *out)
{
    uint64_t owed = 0;
    uint64_t mark = table->texts.size;
    weir_status st = WEIR_OK;
    for (uint32_t i = 0; i < table->column_count && st == WEIR_OK; i++) {
        struct table_column *column = &table->columns[i];
        uint32_t width;
        table->texts.size = mark;
        st = put_visible(&table->texts, column->name, column->name_len, TABLE_WIDTH, &width);
        if (st == WEIR_OK) {
            column->width = width > column->width ? width : column->width;
            st = put_aligned(out, table->texts.data + mark, table->texts.size - mark, width,
                             column->width, column->has_numbers && !column->has_others, &owed);
        }
    }
    table->texts.size = mark;
    return st == WEIR_OK ? weir_buffer_append(out, "\n", 1) : st;
}

static weir_status render_head(struct table *table, const char *title, weir_buffer *out)
{
    weir_status st = WEIR_OK;
    bool is_first = table->headed_count == 0;
    if (table->headed_count == table->column_count) {
        return WEIR_OK;
    }
    if (is_first && title != NULL) {
        st = weir_buffer_append(out, title, strlen(title));
    }
    if (st == WEIR_OK && (!is_first || title != NULL)) {
        st = weir_buffer_append(out, "\n", 1);
    }
    table->headed_count = table->column_count;
    return st == WEIR_OK ? render_header(table, out) : st;
}

weir_status table_render(struct table *table, const char *title, weir_buffer *out)
{
    if (table->row_count == 0) {
        return WEIR_OK;
    }
    weir_status st = render_head(table, title, out);
    for (uint32_t i = 0; i < table->row_count && st == WEIR_OK; i++) {
        st = render_row(table, table->cells[i], out);
    }
    table->row_count = 0;
    table->texts.size = 0;
    for (uint32_t i = 0; i < table->column_count; i++) {
        table->columns[i].has_numbers = false;
        table->columns[i].has_others = false;
    }
    return st;
}
