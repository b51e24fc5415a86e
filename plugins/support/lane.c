/* SPDX-License-Identifier: MIT */
#include "support/lane.h"

#include <string.h>

#include "support/kind.h"

weir_status lane_fail(weir_call *call, uint32_t lane, const char *format, ...)
{
    char message[512];
    va_list args;
    va_start(args, format);
    vsnprintf(message, sizeof message, format, args);
    va_end(args);
    call->fail(call, lane, message);
    return WEIR_E_DATA;
}

/* Copies a text, cut short to the room; control characters become blanks. */
static size_t copy_short(char *room, uint32_t size, const char *text, size_t len)
{
    size_t n = (size_t)kind_excerpt(text, len, size);
    for (size_t i = 0; i < n; i++) {
        room[i] = (unsigned char)text[i] < 0x20 || text[i] == 0x7F ? ' ' : text[i];
    }
    return n;
}

static void excerpt_text(struct lane_excerpt *excerpt, const weir_value *v)
{
    size_t n = copy_short(excerpt->text + 1, 60, v->as.text, v->len);
    excerpt->text[0] = '\'';
    memcpy(excerpt->text + 1 + n, n < v->len ? "...'" : "'", n < v->len ? 5 : 2);
}

struct lane_excerpt lane_excerpt(const weir_value *v)
{
    struct lane_excerpt excerpt = { { 0 } };
    switch (v->tag) {
    case WEIR_TEXT:
        excerpt_text(&excerpt, v);
        break;
    case WEIR_INT:
        snprintf(excerpt.text, sizeof excerpt.text, "%lld", (long long)v->as.i64);
        break;
    case WEIR_FLOAT:
        snprintf(excerpt.text, sizeof excerpt.text, "%.17g", v->as.f64);
        break;
    case WEIR_BOOL:
        snprintf(excerpt.text, sizeof excerpt.text, "%s", v->as.i64 != 0 ? "true" : "false");
        break;
    case WEIR_NUMBER:
        excerpt.text[copy_short(excerpt.text, 60, v->as.text, v->len)] = '\0';
        break;
    default:
        snprintf(excerpt.text, sizeof excerpt.text, "%s", kind_name(v));
        break;
    }
    return excerpt;
}

weir_status lane_number(weir_call *call, uint32_t lane, const char *function, const weir_value *v,
                        weir_value *ret)
{
    switch (v->tag) {
    case WEIR_INT:
    case WEIR_FLOAT:
        *ret = *v;
        ret->flags = 0;
        return WEIR_OK;
    case WEIR_BOOL:
        *ret = weir_int(v->as.i64);
        return WEIR_OK;
    case WEIR_NUMBER:
        return lane_fail(call, lane, "%s: %s does not fit in 64 bits", function,
                         lane_excerpt(v).text);
    default:
        return lane_fail(call, lane, "%s needs a number, not %s", function, kind_name(v));
    }
}

weir_status lane_double(weir_call *call, uint32_t lane, const char *function, const weir_value *v,
                        double *ret)
{
    weir_value number = weir_null();
    weir_status st = lane_number(call, lane, function, v, &number);
    if (st == WEIR_OK) {
        *ret = number.tag == WEIR_INT ? (double)number.as.i64 : number.as.f64;
    }
    return st;
}

weir_status lane_int(weir_call *call, uint32_t lane, const char *function, const weir_value *v,
                     int64_t *ret)
{
    if (v->tag == WEIR_INT) {
        *ret = v->as.i64;
        return WEIR_OK;
    }
    if (v->tag == WEIR_NUMBER) {
        return lane_fail(call, lane, "%s: %s does not fit in 64 bits", function,
                         lane_excerpt(v).text);
    }
    return lane_fail(call, lane, "%s needs an int, not %s", function, kind_name(v));
}

weir_status lane_room(weir_call *call, uint32_t lane, const char *function, uint64_t size,
                      char **ret)
{
    if (size > LANE_RESULT_LIMIT) {
        return lane_fail(call, lane, "%s: the result is larger than 16 MiB", function);
    }
    char *room = weir_alloc(call->ctx, size > 0 ? size : 1);
    if (room == NULL) {
        return WEIR_E_NOMEM;
    }
    *ret = room;
    return WEIR_OK;
}

weir_status lane_items(weir_call *call, uint64_t count, weir_value **ret)
{
    weir_value *items = weir_alloc(call->ctx, (count > 0 ? count : 1) * sizeof *items);
    if (items == NULL) {
        return WEIR_E_NOMEM;
    }
    *ret = items;
    return WEIR_OK;
}

weir_status lane_members(weir_call *call, uint64_t count, weir_member **ret)
{
    weir_member *members = weir_alloc(call->ctx, (count > 0 ? count : 1) * sizeof *members);
    if (members == NULL) {
        return WEIR_E_NOMEM;
    }
    *ret = members;
    return WEIR_OK;
}

weir_status lane_copy_text(weir_call *call, uint32_t lane, const char *function, const char *bytes,
                           uint64_t size, weir_value *ret)
{
    char *room = NULL;
    weir_status st = lane_room(call, lane, function, size, &room);
    if (st == WEIR_OK) {
        memcpy(room, bytes, (size_t)size);
        *ret = weir_text_value(room, (uint32_t)size);
    }
    return st;
}

/* The old block stays behind in the arena: doubling keeps the waste below the result's own size. */
static weir_status grow_in_batch(weir_buffer *base, uint64_t more)
{
    struct lane_buffer *buffer = (struct lane_buffer *)base;
    if (more > base->limit - base->size) {
        return WEIR_E_LIMIT;
    }
    uint64_t capacity = base->capacity < 128 ? 256 : base->capacity * 2;
    if (capacity < base->size + more) {
        capacity = base->size + more;
    }
    uint8_t *data = weir_alloc(buffer->ctx, capacity);
    if (data == NULL) {
        return WEIR_E_NOMEM;
    }
    if (base->size > 0) {
        memcpy(data, base->data, (size_t)base->size);
    }
    base->data = data;
    base->capacity = capacity;
    return WEIR_OK;
}

void lane_buffer_init(struct lane_buffer *buffer, weir_context *ctx)
{
    *buffer = (struct lane_buffer){ .base = { .limit = LANE_RESULT_LIMIT, .grow = grow_in_batch },
                                    .ctx = ctx };
}

weir_status lane_buffer_status(weir_call *call, uint32_t lane, const char *function, weir_status st)
{
    if (st == WEIR_E_LIMIT) {
        return lane_fail(call, lane, "%s: the result is larger than 16 MiB", function);
    }
    return st;
}

weir_status lane_prepare_values(const weir_host *host, const weir_value *const *literals,
                                uint32_t count, void **ret_state, weir_error_info *fault)
{
    (void)literals;
    (void)count;
    const void *api = host->get_extension(host, WEIR_VALUES);
    if (api == NULL) {
        fault->status = WEIR_E_UNSUPPORTED;
        fault->message = "the host has no '" WEIR_VALUES "'";
        return WEIR_E_UNSUPPORTED;
    }
    *ret_state = (void *)(uintptr_t)api; /* handed back as const void * and never written to */
    return WEIR_OK;
}

void *lane_prepare_memory(const weir_host *host, uint64_t size)
{
    const weir_memory_api *memory = host->get_extension(host, WEIR_MEMORY);
    return memory != NULL ? memory->alloc(host, size) : NULL;
}

weir_status lane_prepare_fault(const weir_host *host, weir_error_info *fault, uint32_t arg,
                               const char *format, ...)
{
    enum { ROOM = 256 };
    char *message = lane_prepare_memory(host, ROOM);
    if (message == NULL) {
        return WEIR_E_NOMEM;
    }
    va_list args;
    va_start(args, format);
    vsnprintf(message, ROOM, format, args);
    va_end(args);
    fault->status = WEIR_E_INVALID;
    fault->error_class = WEIR_CLASS_CONFIG;
    fault->record_index = arg;
    fault->message = message;
    return WEIR_E_INVALID;
}
