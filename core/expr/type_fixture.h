/* SPDX-License-Identifier: MIT */
/* What tests of types share: types from their text and back. */
#ifndef EXPR_TYPE_FIXTURE_H
#define EXPR_TYPE_FIXTURE_H

#include "base/buffer.h"
#include "expr/kinds.h"
#include "expr/type.h"
#include "unit.h"

static struct {
    struct arena arena;
    struct type_room room;
    weir_buffer text;
} types;

static inline void types_set_up(void)
{
    arena_init(&types.arena, 0);
    types.room = (struct type_room){ &types.arena, TYPE_BUDGET, false };
    buffer_init(&types.text, 1 << 20);
}

static inline void types_tear_down(void)
{
    buffer_deinit(&types.text);
    arena_deinit(&types.arena);
}

static inline const weir_type *type_named(const char *text)
{
    struct type_fault fault;
    const weir_type *type = type_parse(&types.room, text, strlen(text), " in topic 'flights'",
                                       "is not declared in topic 'flights'", &fault);
    ck_assert_msg(type != NULL, "%s: %s", text, fault.message);
    return type;
}

/* `{a: int, b: text?, ...}`: "..." where other members may be there; "+null" where null may be. */
static inline void write_type(const weir_type *type)
{
    char room[KINDS_ROOM];
    uint32_t kinds = type->kinds & ~(uint32_t)KIND_NULL;
    if (type->kinds == KIND_ANY) {
        buffer_printf(&types.text, "any");
    } else if (kinds == KIND_LIST && type->items != NULL) {
        buffer_printf(&types.text, "[");
        write_type(type->items);
        buffer_printf(&types.text, "]");
    } else if (kinds == KIND_MAP && (!type->is_open || type->member_count > 0)) {
        buffer_printf(&types.text, "{");
        for (uint32_t i = 0; i < type->member_count; i++) {
            buffer_printf(&types.text, "%s%s: ", i > 0 ? ", " : "", type->members[i].name);
            write_type(type->members[i].type);
        }
        buffer_printf(&types.text, type->is_open ? ", ...}" : "}");
    } else {
        buffer_printf(&types.text, "%s", kinds_text(kinds, room));
    }
    bool is_null = type->kinds != KIND_ANY && (type->kinds & KIND_NULL) != 0;
    buffer_printf(&types.text, "%s", type->is_optional ? "?" : is_null ? "+null" : "");
}

static inline const char *type_text(const weir_type *type)
{
    buffer_clear(&types.text);
    write_type(type);
    return buffer_c_string(&types.text);
}

#define CHECK_TYPE(type, expected) ck_assert_str_eq(type_text(type), expected)

#endif
