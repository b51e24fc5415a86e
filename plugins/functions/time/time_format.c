/* SPDX-License-Identifier: MIT */
#include "time_format.h"

#include <string.h>

size_t time_format_valid_prefix(const char *format, size_t len)
{
    static const char letters[] = "YmdHMSfzjab%";
    for (size_t i = 0; i < len; i++) {
        if (format[i] != '%') {
            continue;
        }
        if (i + 1 == len || format[i + 1] == '\0' || strchr(letters, format[i + 1]) == NULL) {
            return i;
        }
        i++;
    }
    return len;
}

#define WRONG_FORMAT                                                                               \
 "the format %s is wrong at byte %zu; %%Y %%m %%d %%H %%M %%S %%f %%z %%j %%a %%b %%%% are known"

weir_status time_format_prepare(const weir_host *host, const weir_value *const *literals,
                                uint32_t count, uint32_t arg, weir_error_info *fault)
{
    if (arg >= count || literals[arg] == NULL || literals[arg]->tag != WEIR_TEXT) {
        return WEIR_OK;
    }
    const weir_value *format = literals[arg];
    size_t valid = time_format_valid_prefix(format->as.text, format->len);
    if (valid == format->len) {
        return WEIR_OK;
    }
    return lane_prepare_fault(host, fault, arg, WRONG_FORMAT, lane_excerpt(format).text, valid);
}

weir_status time_format_check(weir_call *call, uint32_t lane, const char *function,
                              const weir_value *format)
{
    size_t valid = time_format_valid_prefix(format->as.text, format->len);
    if (valid == format->len) {
        return WEIR_OK;
    }
    return lane_fail(call, lane, "%s: " WRONG_FORMAT, function, lane_excerpt(format).text, valid);
}
