/* SPDX-License-Identifier: MIT */
/* The one place of the version. */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define WEIR_VERSION "0.1.0"

#endif
