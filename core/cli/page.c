/* SPDX-License-Identifier: MIT */
#include "cli/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/json_escape.h"

void page_bytes(struct page *page, const void *bytes, size_t size)
{
    if (page->status == WEIR_OK) {
        page->status = weir_buffer_append(page->out, bytes, size);
    }
}

void page_text(struct page *page, const char *text)
{
    page_bytes(page, text, strlen(text));
}

void page_printf(struct page *page, const char *format, ...)
{
    va_list args;
    va_start(args, format);
    int len = vsnprintf(NULL, 0, format, args);
    va_end(args);
    if (page->status != WEIR_OK || len < 0) {
        return;
    }
    page->status = weir_buffer_reserve(page->out, (uint64_t)len + 1);
    if (page->status == WEIR_OK) {
        va_start(args, format);
        vsnprintf((char *)page->out->data + page->out->size, (size_t)len + 1, format, args);
        va_end(args);
        page->out->size += (uint64_t)len;
    }
}

void page_block(struct page *page, int indent, const char *text)
{
    while (*text != '\0') {
        int len = (int)strcspn(text, "\n");
        page_printf(page, "%*s%.*s\n", len > 0 ? indent : 0, "", len, text);
        text += len;
        text += *text == '\n';
    }
}

void page_json(struct page *page, const char *text)
{
    size_t len = strlen(text);
    size_t size = json_escape_size(text, len);
    page_text(page, "\"");
    if (page->status == WEIR_OK) {
        page->status = weir_buffer_reserve(page->out, size);
    }
    if (page->status == WEIR_OK) {
        page->out->size += json_escape(text, len, (char *)page->out->data + page->out->size);
    }
    page_text(page, "\"");
}
