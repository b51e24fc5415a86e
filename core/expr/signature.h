/* SPDX-License-Identifier: MIT */
/*
 * Signatures of functions as weir/function.h writes them: "(text, int[, text]) text".
 */
#ifndef EXPR_SIGNATURE_H
#define EXPR_SIGNATURE_H

#include <stdbool.h>
#include <stdint.h>

enum { SIGNATURE_MAX_PARAMS = 16 };

/*
 * kinds     of each parameter: sets of enum value_kind
 * required  how many must be given
 * repeats   the last parameter stands for any number of arguments, none included
 */
struct signature {
    uint32_t kinds[SIGNATURE_MAX_PARAMS];
    uint32_t count;
    uint32_t required;
    bool repeats;
    uint32_t result;
};

/* False: not a signature. *ret_fault, if not NULL, says why in a static text. */
bool signature_parse(const char *text, struct signature *ret, const char **ret_fault);

/* The kinds alone, as of one parameter: "text|bytes?". False: they are none. */
bool signature_read_kinds(const char *text, uint32_t *ret);

/* Kinds of the i-th argument, which must be one that the signature takes. */
static inline uint32_t signature_kinds(const struct signature *signature, uint32_t i)
{
    return signature->kinds[i < signature->count ? i : signature->count - 1];
}

static inline bool signature_takes(const struct signature *signature, uint32_t count)
{
    return count >= signature->required && (signature->repeats || count <= signature->count);
}

#endif
