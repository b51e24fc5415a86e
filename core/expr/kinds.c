/* SPDX-License-Identifier: MIT */
/*
 * The table of operators, seen from the kinds alone.
 */
#include "expr/kinds.h"

#include <stdio.h>
#include <string.h>

enum { KIND_WHOLE = KIND_BOOL | KIND_INT };

/* int where both can be whole, float where one can be a float. */
static uint32_t numbers(uint32_t left, uint32_t right)
{
    bool has_whole = (left & KIND_WHOLE) != 0 && (right & KIND_WHOLE) != 0;
    bool has_float = ((left & KIND_FLOAT) != 0 && (right & KIND_NUM) != 0) ||
                     ((right & KIND_FLOAT) != 0 && (left & KIND_NUM) != 0);
    return (has_whole ? (uint32_t)KIND_INT : 0) | (has_float ? (uint32_t)KIND_FLOAT : 0);
}

static uint32_t repetition(uint32_t sized, uint32_t times)
{
    return (times & KIND_INT) != 0 ? sized & KIND_SIZED : 0;
}

static uint32_t contains(uint32_t item, uint32_t container)
{
    bool fits = (container & (KIND_LIST | KIND_MAP)) != 0 ||
                ((container & KIND_TEXT) != 0 && (item & KIND_TEXT) != 0) ||
                ((container & KIND_BYTES) != 0 && (item & (KIND_INT | KIND_BYTES)) != 0);
    return fits ? KIND_BOOL : 0;
}

static uint32_t order(uint32_t left, uint32_t right)
{
    uint32_t same = left & right & (KIND_TEXT | KIND_BYTES | KIND_LIST | KIND_TIMESTAMP);
    bool are_numbers = (left & KIND_NUM) != 0 && (right & KIND_NUM) != 0;
    return same != 0 || are_numbers ? KIND_BOOL : 0;
}

uint32_t kinds_binary(enum operation op, uint32_t left, uint32_t right)
{
    uint32_t both_numbers = numbers(left, right);
    switch (op) {
    case OP_ADD:
        return both_numbers | (left & right & KIND_SIZED);
    case OP_SUBTRACT:
    case OP_FLOOR:
    case OP_MODULO:
        return both_numbers;
    case OP_MULTIPLY:
        return both_numbers | repetition(left, right) | repetition(right, left);
    case OP_DIVIDE:
        return both_numbers != 0 ? KIND_FLOAT : 0;
    case OP_POWER:
        return (both_numbers & KIND_INT) != 0 ? KIND_INT | KIND_FLOAT : both_numbers;
    case OP_LESS:
    case OP_LESS_EQUAL:
    case OP_GREATER:
    case OP_GREATER_EQUAL:
        return order(left, right);
    case OP_IN:
    case OP_NOT_IN:
        return contains(left, right);
    default:
        return KIND_BOOL;
    }
}

uint32_t kinds_unary(enum operation op, uint32_t operand)
{
    return op == OP_NOT ? (uint32_t)KIND_BOOL : numbers(operand, operand);
}

/* A container that can be null is a missing path, not a wrong read. */
uint32_t kinds_member(uint32_t container)
{
    return (container & (KIND_MAP | KIND_NULL)) != 0 ? KIND_ANY : 0;
}

uint32_t kinds_index(uint32_t container, uint32_t index)
{
    uint32_t kinds = 0;
    if ((container & KIND_NULL) != 0) {
        return KIND_ANY;
    }
    if ((index & KIND_INT) != 0) {
        kinds |= container & KIND_TEXT;
        kinds |= (container & KIND_BYTES) != 0 ? (uint32_t)KIND_INT : 0;
        kinds |= (container & KIND_LIST) != 0 ? (uint32_t)KIND_ANY : 0;
    }
    if ((index & KIND_TEXT) != 0 && (container & KIND_MAP) != 0) {
        kinds = KIND_ANY;
    }
    return kinds;
}

/* Of a null container the slice is missing: what follows may then be forgiven. */
uint32_t kinds_slice(uint32_t container)
{
    return container & (KIND_SIZED | KIND_NULL);
}

const char *kinds_text(uint32_t kinds, char room[KINDS_ROOM])
{
    static const char *const names[] = { "null",  "bool", "int", "float",    "text",
                                         "bytes", "list", "map", "timestamp" };
    if (kinds == KIND_ANY) {
        snprintf(room, KINDS_ROOM, "any");
        return room;
    }
    size_t len = 0;
    room[0] = '\0';
    for (unsigned i = 0; i < sizeof names / sizeof names[0]; i++) {
        if ((kinds & (1u << i)) == 0) {
            continue;
        }
        uint32_t rest = kinds >> (i + 1);
        const char *joint = len == 0 ? "" : rest == 0 ? " or " : ", ";
        len += (size_t)snprintf(room + len, KINDS_ROOM - len, "%s%s", joint, names[i]);
    }
    return room;
}

const char *kinds_fault(enum operation op, const char *left, const char *right,
                        char room[KINDS_FAULT_ROOM])
{
    const char *sign = operator_text(op);
    if (left == NULL) {
        snprintf(room, KINDS_FAULT_ROOM, "cannot compute %s%s", sign, right);
    } else if (op == OP_IN || op == OP_NOT_IN) {
        bool is_text = strcmp(right, "text") == 0 || strcmp(right, "bytes") == 0;
        snprintf(room, KINDS_FAULT_ROOM,
                 is_text ? "cannot look for %s in %s"
                         : "cannot look for %s in %s: that is no list, map, text or bytes",
                 left, right);
    } else {
        snprintf(room, KINDS_FAULT_ROOM, "cannot %s %s %s %s",
                 op >= OP_LESS && op <= OP_GREATER_EQUAL ? "compare" : "compute", left, sign,
                 right);
    }
    return room;
}
