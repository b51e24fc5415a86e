/* SPDX-License-Identifier: MIT */
/*
 * The words that all descriptions of a plugin share, and its rows for lists.
 */
#include "cli/describe.h"

#include <inttypes.h>
#include <string.h>

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/sink.h>

const char *describe_kind(const weir_factory *factory, struct arena *arena)
{
    static const char prefix[] = "weir.";
    const char *kind = factory->kind;
    const char *slash = strrchr(kind, '/');
    if (strncmp(kind, prefix, sizeof prefix - 1) != 0 || slash == NULL) {
        return kind;
    }
    kind += sizeof prefix - 1;
    const char *word = arena_copy(arena, kind, (size_t)(slash - kind));
    return word != NULL ? word : factory->kind;
}

const char *describe_promise(const weir_factory *factory)
{
    if (strcmp(factory->kind, WEIR_KIND_SINK) != 0) {
        return NULL;
    }
    switch (factory->flags & WEIR_SINK_PROMISE_MASK) {
    case WEIR_SINK_TRANSACTIONAL:
        return "transactional";
    case WEIR_SINK_IDEMPOTENT:
        return "idempotent";
    default:
        return "at-least-once";
    }
}

const char *describe_named_outputs(const weir_factory *factory)
{
    bool is_one = strcmp(factory->kind, WEIR_KIND_OPERATOR) == 0 &&
                  (factory->flags & WEIR_OPERATOR_REPARTITION) != 0; /* its topic bears the name */
    return factory->output_name != NULL && !is_one ? "named by its options" : NULL;
}

const weir_function_vtable *describe_function(const weir_factory *factory)
{
    return strcmp(factory->kind, WEIR_KIND_FUNCTION) == 0 ? factory->vtable : NULL;
}

struct unit {
    const char *name;
    int64_t size;
};

static const struct unit times[] = {
    { "d", 86400000 }, { "h", 3600000 }, { "m", 60000 }, { "s", 1000 }, { "ms", 1 }
};
static const struct unit sizes[] = { { "TiB", INT64_C(1) << 40 },
                                     { "GiB", INT64_C(1) << 30 },
                                     { "MiB", INT64_C(1) << 20 },
                                     { "KiB", INT64_C(1) << 10 },
                                     { "B", 1 } };
static const struct unit ones[] = { { "", 1 } };

/* With the largest unit that leaves no rest. */
static const char *amount(int64_t number, uint32_t type, struct arena *arena)
{
    const struct unit *unit = type == WEIR_OPTION_DURATION ? times
                              : type == WEIR_OPTION_SIZE   ? sizes
                                                           : ones;
    while (unit->size > 1 && (number == 0 || number % unit->size != 0)) {
        unit++;
    }
    const char *text = arena_printf(arena, "%" PRId64 "%s", number / unit->size, unit->name);
    return text != NULL ? text : "";
}

static const char *enum_list(const weir_option *option, struct arena *arena)
{
    const char *list = "";
    for (const char *const *name = option->enum_names; *name != NULL && list != NULL; name++) {
        list = arena_printf(arena, "%s%s%s", list, list[0] != '\0' ? ", " : "", *name);
    }
    return list != NULL ? list : "";
}

const char *describe_limits(const weir_option *option, struct arena *arena)
{
    bool is_container = option->type == WEIR_OPTION_LIST || option->type == WEIR_OPTION_MAP;
    const char *noun = is_container ? " elements" : "";
    if (option->type == WEIR_OPTION_ENUM && option->enum_names != NULL) {
        return enum_list(option, arena);
    }
    if (option->min == 0 && option->max == 0) {
        return is_container && option->element != NULL ? describe_limits(option->element, arena)
                                                       : "";
    }
    const char *low = amount(option->min, option->type, arena);
    const char *text = NULL;
    if (option->max == INT64_MAX) {
        text = arena_printf(arena, "at least %s%s", low, noun);
    } else if (option->min == INT64_MIN) {
        text = arena_printf(arena, "at most %s%s", amount(option->max, option->type, arena), noun);
    } else {
        text =
            arena_printf(arena, "%s to %s%s", low, amount(option->max, option->type, arena), noun);
    }
    return text != NULL ? text : "";
}

const weir_option *describe_nested(const weir_option *option)
{
    return option->element != NULL ? option->element->fields : option->fields;
}

bool description_has(const struct description *description, const weir_factory *factory)
{
    const weir_plugin_entry *entry = description->plugin->entry;
    const char *name = description->name;
    if (description->kind != NULL &&
        strcmp(describe_kind(factory, description->arena), description->kind) != 0) {
        return false;
    }
    return name == NULL || strcmp(name, factory->name) == 0 || strcmp(name, entry->id) == 0 ||
           strcmp(name, entry->name) == 0;
}

static weir_status describe_rows(const struct description *description, weir_buffer *out)
{
    const weir_plugin_entry *entry = description->plugin->entry;
    const char *warning = description->plugin->warning;
    weir_status st = WEIR_OK;
    for (const weir_factory *const *factory = entry->factories; *factory != NULL; factory++) {
        const char *fields[DESCRIPTION_FIELDS] = { describe_kind(*factory, description->arena),
                                                   (*factory)->name,
                                                   entry->id,
                                                   entry->name,
                                                   entry->version,
                                                   entry->license,
                                                   warning != NULL ? warning : "" };
        for (size_t i = 0; i < DESCRIPTION_FIELDS && st == WEIR_OK; i++) {
            st = weir_buffer_append(out, fields[i], strlen(fields[i]) + 1);
        }
    }
    return st;
}

weir_status describe(const struct description *description, enum description_format format,
                     weir_buffer *out)
{
    switch (format) {
    case DESCRIBE_TEXT:
        return describe_text(description, out);
    case DESCRIBE_JSON:
        return describe_json(description, out);
    case DESCRIBE_MARKDOWN:
        return describe_markdown(description, out);
    case DESCRIBE_FAULTS:
        return describe_faults(description, out);
    case DESCRIBE_ROWS:
    default:
        return describe_rows(description, out);
    }
}
