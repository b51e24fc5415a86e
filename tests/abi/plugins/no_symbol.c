/* SPDX-License-Identifier: MIT */
/* A shared object, but no plugin. */
extern __attribute__((visibility("default"))) const int something_else;
const int something_else = 1;
