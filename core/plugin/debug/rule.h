/* SPDX-License-Identifier: MIT */
/*
 * The rules that the debug host checks: where each stands, in the words of its header.
 */
#ifndef PLUGIN_DEBUG_RULE_H
#define PLUGIN_DEBUG_RULE_H

enum rule_id {
    RULE_STATUS,
    RULE_UNKNOWN_STATUS,
    RULE_STATUS_SIGN,
    RULE_FAULT_STATUS,
    RULE_IMMUTABLE,
    RULE_INPUT_LIFETIME,
    RULE_CONTEXT_LIFETIME,
    RULE_BATCH_MEMORY,
    RULE_INSTANCE_MEMORY,
    RULE_READ_ONLY,
    RULE_CONFIG,
    RULE_HOST_LIFETIME,
    RULE_CONTEXT,
    RULE_CONTEXT_THREAD,
    RULE_NO_MEMORY,
    RULE_OUTPUT,
    RULE_ENTRY,
    RULE_OFFSET,
    RULE_RECORD,
    RULE_TIMESTAMP,
    RULE_HEADERS,
    RULE_TAG,
    RULE_INNER_TAG,
    RULE_FLAGS,
    RULE_PLAIN,
    RULE_SOURCE,
    RULE_NULL,
    RULE_BOOL,
    RULE_TEXT,
    RULE_NUMBER,
    RULE_TIME_DIGITS,
    RULE_POINTER,
    RULE_LIFETIME,
    RULE_SYMBOL,
    RULE_KEY_ONCE,
    RULE_DEPTH,
    RULE_FAIL_INDEX,
    RULE_FAIL_TWICE,
    RULE_FAIL_EMIT,
    RULE_FAIL_INFO,
    RULE_FAIL_CLASS,
    RULE_FAIL_VALUE,
    RULE_BUFFER,
    RULE_MEMORY_THREAD,
    RULE_CONTROL_THREAD,
    RULE_METRICS_THREAD,
    RULE_EVALUATE,
    RULE_LOG,
    RULE_POLL_COUNT,
    RULE_TOKEN,
    RULE_PUBLISH_TWICE,
    RULE_SINK_ORDER,
    RULE_SINK_COMMITTED,
    RULE_FLUSH_AGAIN,
    RULE_SINK_OUTCOME,
    RULE_SOURCE_ORDER,
    RULE_DECODE_LANE,
    RULE_ENCODE_ENDS,
    RULE_ENCODE_FAILED,
    RULE_FUNCTION_RESULT,
    RULE_COUNT
};

struct rule {
    const char *header; /* "weir/value.h" */
    const char *words;  /* as they stand there, line breaks and asterisks left out */
};

extern const struct rule rules[RULE_COUNT];

#endif
