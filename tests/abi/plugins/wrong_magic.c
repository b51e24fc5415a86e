/* SPDX-License-Identifier: MIT */
/* An entry that begins with something else. */
#define MAGIC                                                                                      \
 {                                                                                                 \
  'w', 'e', 'i', 'r', 'p', 'l', 'u', 'm'                                                           \
 }
#include "sample.h"
