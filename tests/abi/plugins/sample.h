/* SPDX-License-Identifier: MIT */
/*
 * A right plugin whose parts can be replaced: each file beside this one sets what is wrong with it
 * and includes it. Written without WEIR_PLUGIN, which would not let it be wrong.
 */
#include <weir/operator.h>
#include <weir/plugin.h>

#ifndef MAGIC
# define MAGIC                                                                                     \
  {                                                                                                \
   'w', 'e', 'i', 'r', 'p', 'l', 'u', 'g'                                                          \
  }
#endif
#ifndef ENTRY_SIZE
# define ENTRY_SIZE sizeof(weir_plugin_entry)
#endif
#ifndef MAJOR
# define MAJOR WEIR_ABI_MAJOR
#endif
#ifndef MINOR
# define MINOR WEIR_ABI_MINOR
#endif
#ifndef LAYOUT
# define LAYOUT WEIR_VALUE_LAYOUT
#endif
#ifndef ID
# define ID "org.example.sample"
#endif
#ifndef NAME
# define NAME "sample"
#endif
#ifndef VTABLE_SIZE
# define VTABLE_SIZE sizeof(weir_operator_vtable)
#endif
#ifndef PROCESS
# define PROCESS process
#endif
#ifndef OPTION_TYPE
# define OPTION_TYPE WEIR_OPTION_INT
#endif
#ifndef INPUTS
# define INPUTS "records"
#endif

struct config {
    int64_t limit;
};

__attribute__((unused)) static weir_status process(void *self, weir_context *ctx,
                                                   const weir_batch *in)
{
    (void)self;
    (void)ctx;
    (void)in;
    return WEIR_OK;
}

static const weir_option options[] = { { .name = "limit",
                                         .type = OPTION_TYPE,
                                         .offset = offsetof(struct config, limit),
                                         .summary = "A number" },
                                       WEIR_OPTIONS_END };
static const char *const inputs[] = { INPUTS, NULL };
static const weir_operator_vtable vtable = { .struct_size = VTABLE_SIZE, .process = PROCESS };
static const weir_factory factory = { .struct_size = sizeof factory,
                                      .kind = WEIR_KIND_OPERATOR,
                                      .name = NAME,
                                      .summary = "A sample",
                                      .options = options,
                                      .config_size = sizeof(struct config),
                                      .inputs = inputs,
                                      .vtable = &vtable };
static const weir_factory *const factories[] = { &factory, NULL };

extern WEIR_EXPORT const weir_plugin_entry weir_plugin_entry_v1;
const weir_plugin_entry weir_plugin_entry_v1 = { .magic = MAGIC,
                                                 .struct_size = ENTRY_SIZE,
                                                 .abi_major = MAJOR,
                                                 .abi_minor = MINOR,
                                                 .value_layout = LAYOUT,
                                                 .id = ID,
                                                 .name = NAME,
                                                 .version = "1.0.0",
                                                 .vendor = "Example",
                                                 .license = "MIT",
                                                 .summary = "A sample",
                                                 .factories = factories };
