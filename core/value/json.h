/* SPDX-License-Identifier: MIT */
/*
 * Values as JSON text. (Reading JSON is a plugin's business.)
 */
#ifndef VALUE_JSON_H
#define VALUE_JSON_H

#include <weir/host.h>

enum { JSON_DEFAULT_DEPTH = 254 };

/* weir_values_api.write_json: contract in weir/host.h. */
weir_status json_write(const weir_value *v, uint32_t flags, uint32_t max_depth, weir_buffer *out,
                       const char **ret_fault);
/* A JSON string of any text, quotes included; bytes that are not UTF-8 become U+FFFD. */
weir_status json_write_text(const char *text, size_t len, weir_buffer *out);

#endif
