/* SPDX-License-Identifier: MIT */
/*
 * Text that is put together piece by piece. The first fault sticks: after it nothing is added, so
 * that only the end needs a look at the status.
 */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include <weir/abi.h>

struct page {
    weir_buffer *out; /* borrowed */
    weir_status status;
};

void page_bytes(struct page *page, const void *bytes, size_t size);
void page_text(struct page *page, const char *text);
void page_printf(struct page *page, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Each line of a text behind so many spaces; a line break at the end. */
void page_block(struct page *page, int indent, const char *text);
/* A JSON string. */
void page_json(struct page *page, const char *text);

#endif
