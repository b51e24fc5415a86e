/* SPDX-License-Identifier: MIT */
/*
 * Verifies what a plugin exports, before any of its code is called. Versions come first, since they
 * decide how the rest is read; no field beyond a stated struct_size is touched. Messages are parts of
 * a sentence about the plugin ("it ..."); whoever loads it puts the path in front.
 */
#include <string.h>

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

#include "base/utf8.h"
#include "expr/signature.h"
#include "plugin/options.h"
#include "plugin/plugin_ports.h"
#include "plugin/refusal.h"
#include "plugin/registry.h"

enum {
    MAX_STRUCT_SIZE = 64 * 1024, /* no struct of the ABI will ever be near it */
    MAX_TEXT = 4096,
    MAX_DOC = 1024 * 1024,
    MAX_NAME = 64,
    MAX_ID = 200,
    MAX_FACTORIES = 1000,
    MAX_PORTS = 64,
    MAX_CONFIG = 1024 * 1024,
    MAX_SLOTS = 4
};

/* A slot that may not be NULL. */
struct slot {
    const char *name;
    size_t offset;
};

struct kind_rule {
    const char *kind;
    size_t vtable_size;
    uint32_t flags; /* that the factory may have */
    struct slot slots[MAX_SLOTS];
};

static const struct kind_rule kind_rules[] = {
    { WEIR_KIND_OPERATOR,
      sizeof(weir_operator_vtable),
      WEIR_OPERATOR_REST_OUTPUT | WEIR_OPERATOR_REPARTITION,
      { { "process", offsetof(weir_operator_vtable, process) } } },
    { WEIR_KIND_SOURCE,
      sizeof(weir_source_vtable),
      0,
      { { "open", offsetof(weir_source_vtable, open) },
        { "poll", offsetof(weir_source_vtable, poll) },
        { "position", offsetof(weir_source_vtable, position) } } },
    { WEIR_KIND_SINK,
      sizeof(weir_sink_vtable),
      WEIR_SINK_PROMISE_MASK | WEIR_SINK_SHARED,
      { { "open", offsetof(weir_sink_vtable, open) },
        { "write", offsetof(weir_sink_vtable, write) },
        { "flush", offsetof(weir_sink_vtable, flush) } } },
    { WEIR_KIND_SERIALIZER,
      sizeof(weir_serializer_vtable),
      0,
      { { "decode", offsetof(weir_serializer_vtable, decode) },
        { "encode", offsetof(weir_serializer_vtable, encode) } } },
    { WEIR_KIND_FUNCTION,
      sizeof(weir_function_vtable),
      0,
      { { "signature", offsetof(weir_function_vtable, signature) },
        { "evaluate", offsetof(weir_function_vtable, evaluate) } } },
};

/* ---- texts and names ------------------------------------------------------------------------- */

/* Valid UTF-8 on one line (`is_doc`: on several), so that it may be shown on a terminal. */
static bool is_showable(const char *text, bool is_doc)
{
    size_t limit = is_doc ? MAX_DOC : MAX_TEXT;
    size_t len = strnlen(text, limit);
    if (len == limit || utf8_valid_prefix(text, len) != len) {
        return false;
    }
    for (const char *at = text; *at != '\0'; at++) {
        bool is_break = is_doc && (*at == '\n' || *at == '\t');
        if (((unsigned char)*at < 0x20 && !is_break) || *at == 0x7f) {
            return false;
        }
    }
    return true;
}

static weir_status check_text(const char *what, const char *text, struct error *error)
{
    if (text == NULL || text[0] == '\0') {
        return refuse(error, "its %s is missing", what);
    }
    if (!is_showable(text, false)) {
        return refuse(error, "its %s is not one line of UTF-8", what);
    }
    return WEIR_OK;
}

static bool is_lower(char c)
{
    return c >= 'a' && c <= 'z';
}

static bool is_lower_or_digit(char c)
{
    return is_lower(c) || (c >= '0' && c <= '9');
}

/* Lower case letters, digits, '_', from a letter on. */
static bool is_name(const char *text)
{
    size_t len = strnlen(text, MAX_NAME + 1);
    if (len == 0 || len > MAX_NAME || !is_lower(text[0])) {
        return false;
    }
    for (size_t i = 1; i < len; i++) {
        if (!is_lower_or_digit(text[i]) && text[i] != '_') {
            return false;
        }
    }
    return true;
}

/* Reverse DNS: at least two parts between dots, each of lower case letters, digits and inner '-'. */
static bool is_id(const char *text)
{
    size_t len = strnlen(text, MAX_ID + 1);
    size_t dots = 0;
    if (len == 0 || len > MAX_ID) {
        return false;
    }
    for (size_t i = 0; i < len; i++) {
        bool is_inner = i > 0 && is_lower_or_digit(text[i - 1]) && is_lower_or_digit(text[i + 1]);
        if (!is_lower_or_digit(text[i]) && !((text[i] == '.' || text[i] == '-') && is_inner)) {
            return false;
        }
        dots += text[i] == '.';
    }
    return dots > 0;
}

/* ---- factories -------------------------------------------------------------------------------- */

static weir_status check_port_names(const char *what, const char *const *names, struct error *error)
{
    for (size_t i = 0; names != NULL && names[i] != NULL; i++) {
        if (i == MAX_PORTS) {
            return refuse(error, "the list of its %s is not ended by NULL", what);
        }
        if (!is_name(names[i])) {
            return refuse(error, "the name of one of its %s is not made of a-z, 0-9 and '_'", what);
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(names[i], names[k]) == 0) {
                return refuse(error, "two of its %s are called '%s'", what, names[i]);
            }
        }
    }
    return WEIR_OK;
}

static const struct kind_rule *find_rule(const char *kind)
{
    for (size_t i = 0; i < sizeof kind_rules / sizeof kind_rules[0]; i++) {
        if (strcmp(kind_rules[i].kind, kind) == 0) {
            return &kind_rules[i];
        }
    }
    return NULL;
}

static bool is_null_slot(const void *vtable, size_t offset)
{
    void *slot;
    memcpy(&slot, (const char *)vtable + offset, sizeof slot);
    return slot == NULL;
}

static weir_status check_vtable(const struct kind_rule *rule, const void *vtable,
                                struct error *error)
{
    if (vtable == NULL) {
        return refuse(error, "its vtable is NULL");
    }
    uint32_t size;
    memcpy(&size, vtable, sizeof size);
    if (size < rule->vtable_size || size > MAX_STRUCT_SIZE) {
        return refuse(error, "its vtable has struct_size %u, expected %zu", size,
                      rule->vtable_size);
    }
    for (size_t i = 0; i < MAX_SLOTS && rule->slots[i].name != NULL; i++) {
        if (is_null_slot(vtable, rule->slots[i].offset)) {
            return refuse(error, "its slot '%s' is NULL", rule->slots[i].name);
        }
    }
    return WEIR_OK;
}

static weir_status check_sink(const weir_factory *factory, struct error *error)
{
    uint32_t promise = factory->flags & WEIR_SINK_PROMISE_MASK;
    const weir_sink_vtable *sink = factory->vtable;
    if (promise > WEIR_SINK_TRANSACTIONAL) {
        return refuse(error, "it makes two promises at once");
    }
    if (promise == WEIR_SINK_TRANSACTIONAL && sink->publish == NULL) {
        return refuse(error, "it promises transactions, but its slot 'publish' is NULL");
    }
    if (promise == WEIR_SINK_TRANSACTIONAL && (factory->flags & WEIR_SINK_SHARED) != 0) {
        return refuse(error, "it promises transactions, but it is shared by all partitions, which "
                             "leaves no place for tokens");
    }
    return WEIR_OK;
}

static weir_status check_function(const weir_factory *factory, struct error *error)
{
    const weir_function_vtable *function = factory->vtable;
    struct signature signature;
    const char *fault = NULL;
    if (check_text("signature", function->signature, error) != WEIR_OK) {
        return WEIR_E_INVALID;
    }
    if (!signature_parse(function->signature, &signature, &fault)) {
        return refuse(error, "its signature '%s' is wrong: %s", function->signature,
                      fault != NULL ? fault : "unknown form");
    }
    return WEIR_OK;
}

/* The topic behind one that gives records another place is named after its one output. */
static weir_status check_operator(const weir_factory *factory, struct error *error)
{
    bool is_named = factory->output_name != NULL && factory->outputs == NULL;
    bool is_repartition = (factory->flags & WEIR_OPERATOR_REPARTITION) != 0;
    return !is_repartition || is_named
               ? WEIR_OK
               : refuse(error,
                        "it is flagged REPARTITION, but output_name does not name its output");
}

static weir_status check_kind(const weir_factory *factory, struct error *error)
{
    const struct kind_rule *rule = find_rule(factory->kind);
    if (rule == NULL) {
        return refuse(error, "its kind '%s' is not known to this weir", factory->kind);
    }
    if ((factory->flags & ~rule->flags) != 0) {
        return refuse(error, "its flags 0x%x are not known to this weir", factory->flags);
    }
    weir_status st = check_vtable(rule, factory->vtable, error);
    if (st == WEIR_OK && strcmp(rule->kind, WEIR_KIND_OPERATOR) == 0) {
        st = check_operator(factory, error);
    } else if (st == WEIR_OK && strcmp(rule->kind, WEIR_KIND_SINK) == 0) {
        st = check_sink(factory, error);
    } else if (st == WEIR_OK && strcmp(rule->kind, WEIR_KIND_FUNCTION) == 0) {
        st = check_function(factory, error);
    }
    return st;
}

static weir_status check_factory_body(const weir_factory *factory, struct error *error)
{
    if (check_text("kind", factory->kind, error) != WEIR_OK ||
        check_text("summary", factory->summary, error) != WEIR_OK) {
        return WEIR_E_INVALID;
    }
    if (factory->doc != NULL && !is_showable(factory->doc, true)) {
        return refuse(error, "its doc is not UTF-8 text");
    }
    if (factory->config_size > MAX_CONFIG) {
        return refuse(error, "its config_size is %llu, at most %d are allowed",
                      (unsigned long long)factory->config_size, MAX_CONFIG);
    }
    if (check_port_names("inputs", factory->inputs, error) != WEIR_OK ||
        check_port_names("outputs", factory->outputs, error) != WEIR_OK ||
        check_kind(factory, error) != WEIR_OK) {
        return WEIR_E_INVALID;
    }
    weir_status st = option_table_check(factory->options, factory->config_size, error);
    return st == WEIR_OK ? plugin_check_ports(factory, error) : st;
}

/* Puts the factory's number or name in front of what is wrong with it. */
static weir_status check_factory(const weir_factory *factory, size_t index, struct error *error)
{
    struct error inner = { .status = WEIR_OK };
    uint32_t size = factory->struct_size;
    if (size < sizeof *factory || size > MAX_STRUCT_SIZE) {
        return refuse(error, "its factory %zu has struct_size %u, expected %zu", index, size,
                      sizeof *factory);
    }
    if (factory->name == NULL || !is_name(factory->name)) {
        return refuse(error, "the name of its factory %zu is not made of a-z, 0-9 and '_'", index);
    }
    if (check_factory_body(factory, &inner) != WEIR_OK) {
        refuse(error, "factory '%s': %s", factory->name, inner.message);
        error_hint(error, "%s", inner.hint);
        return inner.status;
    }
    return WEIR_OK;
}

static weir_status check_factories(const weir_factory *const *factories, struct error *error)
{
    if (factories == NULL || factories[0] == NULL) {
        return refuse(error, "it has no factory");
    }
    for (size_t i = 0; factories[i] != NULL; i++) {
        if (i == MAX_FACTORIES) {
            return refuse(error, "the list of its factories is not ended by NULL");
        }
        weir_status st = check_factory(factories[i], i, error);
        if (st != WEIR_OK) {
            return st;
        }
        for (size_t k = 0; k < i; k++) {
            if (strcmp(factories[i]->kind, factories[k]->kind) == 0 &&
                strcmp(factories[i]->name, factories[k]->name) == 0) {
                return refuse(error, "it has two factories '%s' of kind '%s'", factories[i]->name,
                              factories[i]->kind);
            }
        }
    }
    return WEIR_OK;
}

/* ---- entry ------------------------------------------------------------------------------------ */

/* While the major is 0, minors break each other; later a newer host takes older plugins. */
static bool is_compatible_minor(uint16_t own_major, uint16_t own_minor, uint16_t minor)
{
    return own_major == 0 ? minor == own_minor : minor <= own_minor;
}

static weir_status check_versions(const weir_plugin_entry *entry, struct error *error)
{
    if (memcmp(entry->magic, WEIR_PLUGIN_MAGIC, sizeof entry->magic) != 0) {
        return refuse(error, "its entry does not begin with '" WEIR_PLUGIN_MAGIC "'");
    }
    if (!WEIR_HAS_FIELD(entry, weir_plugin_entry, abi_minor)) {
        return refuse(error, "its entry has struct_size %u, expected %zu", entry->struct_size,
                      sizeof *entry);
    }
    if (entry->abi_major != WEIR_ABI_MAJOR) {
        refuse(error, "it is built for ABI %u.%u, this weir has %d.%d", entry->abi_major,
               entry->abi_minor, WEIR_ABI_MAJOR, WEIR_ABI_MINOR);
        error_hint(error, "look for a release of it for ABI %d", WEIR_ABI_MAJOR);
        return WEIR_E_UNSUPPORTED;
    }
    if (!is_compatible_minor(WEIR_ABI_MAJOR, WEIR_ABI_MINOR, entry->abi_minor)) {
        refuse(error, "it is built for ABI %u.%u, this weir has %d.%d and takes no other",
               entry->abi_major, entry->abi_minor, WEIR_ABI_MAJOR, WEIR_ABI_MINOR);
        error_hint(error, "rebuild it with the headers of this weir");
        return WEIR_E_UNSUPPORTED;
    }
    if (entry->struct_size < sizeof *entry || entry->struct_size > MAX_STRUCT_SIZE) {
        return refuse(error, "its entry has struct_size %u, expected %zu", entry->struct_size,
                      sizeof *entry);
    }
    if (entry->value_layout != WEIR_VALUE_LAYOUT) {
        refuse(error, "it is built for value layout %u, this weir has %d", entry->value_layout,
               WEIR_VALUE_LAYOUT);
        error_hint(error, "rebuild it with the headers of this weir");
        return WEIR_E_UNSUPPORTED;
    }
    return WEIR_OK;
}

static weir_status check_identity(const weir_plugin_entry *entry, struct error *error)
{
    if (check_text("id", entry->id, error) != WEIR_OK) {
        return WEIR_E_INVALID;
    }
    if (!is_id(entry->id)) {
        refuse(error, "its id '%s' is not reverse DNS", entry->id);
        error_hint(error, "lower case letters, digits and '-' between dots: org.example.clamp");
        return WEIR_E_INVALID;
    }
    if (entry->flags != 0) {
        return refuse(error, "its flags 0x%x are not known to this weir", entry->flags);
    }
    if (check_text("name", entry->name, error) != WEIR_OK ||
        check_text("version", entry->version, error) != WEIR_OK ||
        check_text("vendor", entry->vendor, error) != WEIR_OK ||
        check_text("license", entry->license, error) != WEIR_OK ||
        check_text("summary", entry->summary, error) != WEIR_OK) {
        return WEIR_E_INVALID;
    }
    return entry->url != NULL ? check_text("url", entry->url, error) : WEIR_OK;
}

weir_status plugin_check_entry(const weir_plugin_entry *entry, struct error *error)
{
    weir_status st = check_versions(entry, error);
    if (st == WEIR_OK) {
        st = check_identity(entry, error);
    }
    if (st == WEIR_OK) {
        st = check_factories(entry->factories, error);
    }
    return st;
}

const char *plugin_entry_id(const weir_plugin_entry *entry)
{
    bool has_id = check_versions(entry, NULL) == WEIR_OK && entry->id != NULL && is_id(entry->id);
    return has_id ? entry->id : NULL;
}
