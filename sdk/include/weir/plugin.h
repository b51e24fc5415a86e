/* SPDX-License-Identifier: MIT */
/*
 * The one symbol that a plugin exports, and what hangs on it. All of it is static and const: a host
 * can read, check and document a plugin without running any of its code.
 *
 * The smallest operator:
 *
 *     #include <weir/operator.h>
 *     #include <weir/plugin.h>
 *
 *     static weir_status process(void *self, weir_context *ctx, const weir_batch *in)
 *     {
 *         (void)self;
 *         WEIR_EACH (ctx, in, entry) {
 *             weir_status st = weir_pass(ctx, 0, entry);
 *             if (st != WEIR_OK) {
 *                 return st;
 *             }
 *         }
 *         return WEIR_OK;
 *     }
 *
 *     static const weir_operator_vtable vtable = { .struct_size = sizeof vtable, .process = process };
 *     WEIR_OPERATOR_PLUGIN("org.example.noop", "noop", "1.0.0", "Example", "MIT",
 *                          "Passes every record on", NULL, 0, &vtable);
 */
#ifndef WEIR_PLUGIN_H
#define WEIR_PLUGIN_H

#include "host.h"
#include "types.h"

WEIR_BEGIN_C

#define WEIR_PLUGIN_MAGIC "weirplug" /* eight bytes, the NUL is not part of it */

/*
 * One thing that a plugin can make. The kinds have a header each.
 *
 * kind         WEIR_KIND_*
 * name         what the pipeline file calls it: lower case letters, digits, '_'
 * summary      one line; doc: markdown, may be NULL
 * options      table ended by WEIR_OPTIONS_END; NULL = none
 * config_size  sizeof the config struct that the options fill; 0 = none
 * inputs, outputs
 *              names of ports, NULL-terminated; NULL = one without a name. Each input from the second on
 *              is fed by the option of its name, of type WEIR_OPTION_STREAM or list of it
 * flags        of the kind, such as WEIR_SINK_TRANSACTIONAL
 * vtable       of the kind
 * validate     may be NULL. [control] Judges options that depend on each other, after each has been
 *              checked by itself: `weir check` reports fault->message (a static text: what is wrong,
 *              then "; " and the cure) where it does not return WEIR_OK. Must do nothing else
 * output_name  may be NULL. [control] Of an operator whose outputs depend on its options, in the place
 *              of `outputs`: WEIR_OK with the name of the output of this index, WEIR_END behind the
 *              last. The name is the config's or static. Called after validate; must do nothing else
 * types        of operators; may be NULL. [control] The type of the values that go out, at every
 *              output, from that of the values that come in, for `weir check`; must do nothing else.
 *              It gives each expression of the config to types->of or types->where. Without it the
 *              expressions are judged for what comes in, and of what goes out nothing is known.
 *              in: at the first input; types->input gives that of the others. Of an operator with
 *              several inputs and without it, expressions are judged for values of any type, since the
 *              host does not know which input each is evaluated for
 *
 * Only operators have several inputs or outputs, and only where two names or more are given.
 */
typedef struct weir_factory {
    uint32_t struct_size;
    uint32_t flags;
    const char *kind;
    const char *name;
    const char *summary;
    const char *doc;
    const weir_option *options;
    uint64_t config_size;
    const char *const *inputs;
    const char *const *outputs;
    const void *vtable;
    weir_status (*validate)(const void *config, weir_error_info *fault);
    weir_status (*output_name)(const void *config, uint32_t index, weir_text *ret_name);
    const weir_type *(*types)(const void *config, const weir_types *types, const weir_type *in);
} weir_factory;

/*
 * magic        WEIR_PLUGIN_MAGIC without its NUL
 * abi_major, abi_minor, value_layout
 *              those of the headers that it was built with
 * id           reverse DNS, unique: lower case letters, digits, '.', '-'
 * license      SPDX expression
 * url          may be NULL
 * factories    NULL-terminated, at least one
 */
typedef struct weir_plugin_entry {
    char magic[8];
    uint32_t struct_size;
    uint16_t abi_major;
    uint16_t abi_minor;
    uint32_t value_layout;
    uint32_t flags;
    const char *id;
    const char *name;
    const char *version;
    const char *vendor;
    const char *license;
    const char *url;
    const char *summary;
    const weir_factory *const *factories;
} weir_plugin_entry;

#define WEIR_PLUGIN_SYMBOL "weir_plugin_entry_v1"

#ifdef __cplusplus
# define WEIR_ENTRY_LINKAGE extern "C"
#else
# define WEIR_ENTRY_LINKAGE extern
#endif

/* clang-format off */
/* Defines the exported entry. Arguments: designated initialisers of weir_plugin_entry from id on. */
#define WEIR_PLUGIN(...)                                                                           \
    WEIR_ENTRY_LINKAGE WEIR_EXPORT const weir_plugin_entry weir_plugin_entry_v1;                   \
    const weir_plugin_entry weir_plugin_entry_v1 = {                                               \
        .magic = { 'w', 'e', 'i', 'r', 'p', 'l', 'u', 'g' },                                       \
        .struct_size = sizeof(weir_plugin_entry),                                                  \
        .abi_major = WEIR_ABI_MAJOR,                                                               \
        .abi_minor = WEIR_ABI_MINOR,                                                               \
        .value_layout = WEIR_VALUE_LAYOUT,                                                         \
        .flags = 0,                                                                                \
        __VA_ARGS__                                                                                \
    }
/* clang-format on */

/*
 * The whole of a plugin that offers one thing: factory and entry. kind: WEIR_KIND_*; flags: of that kind;
 * options: a table, or NULL; vtable: address of one of that kind.
 */
#define WEIR_ONLY_PLUGIN(plugin_kind, plugin_flags, plugin_id, only_name, plugin_version,          \
                         plugin_vendor, plugin_license, plugin_summary, option_table,              \
                         size_of_config, only_vtable)                                              \
 static const weir_factory weir_only_factory = { .struct_size = sizeof(weir_factory),              \
                                                 .flags = plugin_flags,                            \
                                                 .kind = plugin_kind,                              \
                                                 .name = only_name,                                \
                                                 .summary = plugin_summary,                        \
                                                 .doc = NULL,                                      \
                                                 .options = option_table,                          \
                                                 .config_size = size_of_config,                    \
                                                 .inputs = NULL,                                   \
                                                 .outputs = NULL,                                  \
                                                 .vtable = only_vtable };                          \
 static const weir_factory *const weir_only_factories[] = { &weir_only_factory, NULL };            \
 WEIR_PLUGIN(.id = plugin_id, .name = only_name, .version = plugin_version,                        \
             .vendor = plugin_vendor, .license = plugin_license, .url = NULL,                      \
             .summary = plugin_summary, .factories = weir_only_factories)

/* One operator. */
#define WEIR_OPERATOR_PLUGIN(plugin_id, only_name, plugin_version, plugin_vendor, plugin_license,  \
                             plugin_summary, option_table, size_of_config, only_vtable)            \
 WEIR_ONLY_PLUGIN("weir.operator/1", 0, plugin_id, only_name, plugin_version, plugin_vendor,       \
                  plugin_license, plugin_summary, option_table, size_of_config, only_vtable)

/* One sink. plugin_flags: WEIR_SINK_* */
#define WEIR_SINK_PLUGIN(plugin_flags, plugin_id, only_name, plugin_version, plugin_vendor,        \
                         plugin_license, plugin_summary, option_table, size_of_config,             \
                         only_vtable)                                                              \
 WEIR_ONLY_PLUGIN("weir.sink/1", plugin_flags, plugin_id, only_name, plugin_version,               \
                  plugin_vendor, plugin_license, plugin_summary, option_table, size_of_config,     \
                  only_vtable)

WEIR_END_C

#endif
