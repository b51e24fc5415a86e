/* SPDX-License-Identifier: MIT */
/*
 * What must hold for every input: where it does not, the target ends and the input is kept.
 */
#ifndef FUZZ_FUZZ_H
#define FUZZ_FUZZ_H

#include <stdio.h>
#include <stdlib.h>

#define CHECK(condition)                                                                           \
 do {                                                                                              \
  if (!(condition)) {                                                                              \
   fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);                                 \
   abort();                                                                                        \
  }                                                                                                \
 } while (0)

#endif
