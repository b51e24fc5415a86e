/* SPDX-License-Identifier: MIT */
/*
 * What the compiler finds wrong with one expression: collected while it works, delivered in the order
 * of the text. (What fails while a record is evaluated is a struct expr_fault: frame.h.)
 */
#ifndef EXPR_FAULT_LIST_H
#define EXPR_FAULT_LIST_H

#include <stdint.h>

#include "base/arena.h"
#include "expr/expr.h"

struct compile_fault;

struct faults {
    struct arena *arena;        /* keeps the messages until they are delivered */
    struct compile_fault *list; /* sorted by place; among equals in the order of finding */
    uint32_t count;
    uint32_t error_count;
    bool is_out_of_memory;
};

void faults_init(struct faults *faults, struct arena *arena);
/* Bytes [from, to) of the expression. What lies beyond a limit of 50 is counted and not kept. */
void faults_error(struct faults *faults, uint32_t from, uint32_t to, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
void faults_warning(struct faults *faults, uint32_t from, uint32_t to, const char *format, ...)
    __attribute__((format(printf, 4, 5)));
/* Memory ran out: nothing that was found can be trusted. */
void faults_no_memory(struct faults *faults);
/* Reports everything; true where nothing stands against the expression. */
bool faults_deliver(const struct faults *faults, const struct expr_reporter *reporter,
                    uint32_t len);

/* A piece of the expression's text for a message: one line, cut at EXCERPT_BYTES. Returns room. */
enum { EXCERPT_BYTES = 60, EXCERPT_ROOM = EXCERPT_BYTES + 4 };
const char *excerpt(const char *text, uint32_t from, uint32_t to, char room[EXCERPT_ROOM]);

#endif
