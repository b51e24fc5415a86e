/* SPDX-License-Identifier: MIT */
/*
 * What is known of kinds before any record: sets of enum value_kind. A result of 0 means that no pair
 * of kinds fits, so that the operation can only fail.
 */
#ifndef EXPR_KINDS_H
#define EXPR_KINDS_H

#include <stdbool.h>
#include <stdint.h>

#include "expr/tree.h"
#include "value/value.h"

enum { KIND_SIZED = KIND_TEXT | KIND_BYTES | KIND_LIST };

/* Kinds of `left op right`: arithmetic and relations. */
uint32_t kinds_binary(enum operation op, uint32_t left, uint32_t right);
/* Kinds of `-x`, `+x`, `not x`. */
uint32_t kinds_unary(enum operation op, uint32_t operand);
/* Kinds of `x.name`, `x[index]`, `x[a:b]`. */
uint32_t kinds_member(uint32_t container);
uint32_t kinds_index(uint32_t container, uint32_t index);
uint32_t kinds_slice(uint32_t container);

/* "text", "int or float", "any"; returns room. */
enum { KINDS_ROOM = 96 };
const char *kinds_text(uint32_t kinds, char room[KINDS_ROOM]);

/*
 * Why kinds do not fit an operation: "cannot compute text + int". The texts are names of kinds; left
 * is NULL for an operation of one operand. Returns room.
 */
enum { KINDS_FAULT_ROOM = 2 * KINDS_ROOM + 64 };
const char *kinds_fault(enum operation op, const char *left, const char *right,
                        char room[KINDS_FAULT_ROOM]);

#endif
