/* SPDX-License-Identifier: MIT */
/*
 * Standard output, all of a buffer at a time. A reader that has gone is an answer, not a signal.
 */
#ifndef PRINT_OUTPUT_H
#define PRINT_OUTPUT_H

#include <weir/abi.h>

/*
 * Writes the buffer and empties it. WEIR_END: nobody reads any more. WEIR_E_IO: errno tells why.
 */
weir_status output_write(weir_buffer *buffer);

#endif
