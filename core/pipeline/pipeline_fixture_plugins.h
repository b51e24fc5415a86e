/* SPDX-License-Identifier: MIT */
/*
 * Small plugins of every kind for tests of resolving. Nothing of them is ever called.
 */
#ifndef PIPELINE_PIPELINE_FIXTURE_PLUGINS_H
#define PIPELINE_PIPELINE_FIXTURE_PLUGINS_H

#include <weir/function.h>
#include <weir/operator.h>
#include <weir/plugin.h>
#include <weir/serializer.h>
#include <weir/sink.h>
#include <weir/source.h>

static weir_status no_process(void *self, weir_context *ctx, const weir_batch *in)
{
    (void)self, (void)ctx, (void)in;
    return WEIR_OK;
}

static weir_status no_open_source(void *self, weir_context *ctx, weir_slice position,
                                  uint32_t flags)
{
    (void)self, (void)ctx, (void)position, (void)flags;
    return WEIR_OK;
}

static weir_status no_poll(void *self, weir_context *ctx, uint32_t max_records, int64_t timeout_ms)
{
    (void)self, (void)ctx, (void)max_records, (void)timeout_ms;
    return WEIR_END;
}

static weir_status no_position(void *self, weir_context *ctx, weir_buffer *out)
{
    (void)self, (void)ctx, (void)out;
    return WEIR_OK;
}

static weir_status no_open_sink(void *self, weir_context *ctx, weir_slice token)
{
    (void)self, (void)ctx, (void)token;
    return WEIR_OK;
}

static weir_status no_flush(void *self, weir_context *ctx, int64_t deadline_ns, uint32_t flags,
                            weir_buffer *ret_token)
{
    (void)self, (void)ctx, (void)deadline_ns, (void)flags, (void)ret_token;
    return WEIR_OK;
}

static weir_status no_decode(void *self, weir_context *ctx, const weir_slice *payloads,
                             uint32_t count, weir_value *out)
{
    (void)self, (void)ctx, (void)payloads, (void)count, (void)out;
    return WEIR_OK;
}

static weir_status no_encode(void *self, weir_context *ctx, const weir_value *const *values,
                             uint32_t count, weir_buffer *out, uint64_t *ends)
{
    (void)self, (void)ctx, (void)values, (void)count, (void)out, (void)ends;
    return WEIR_OK;
}

static weir_status no_evaluate(weir_call *call)
{
    (void)call;
    return WEIR_OK;
}

static const weir_operator_vtable operator_vtable = { .struct_size = sizeof operator_vtable,
                                                      .process = no_process };
static const weir_source_vtable source_vtable = { .struct_size = sizeof source_vtable,
                                                  .open = no_open_source,
                                                  .poll = no_poll,
                                                  .position = no_position };
static const weir_sink_vtable sink_vtable = {
    .struct_size = sizeof sink_vtable, .open = no_open_sink, .write = no_process, .flush = no_flush
};
static const weir_serializer_vtable serializer_vtable = { .struct_size = sizeof serializer_vtable,
                                                          .decode = no_decode,
                                                          .encode = no_encode };
static const weir_function_vtable function_vtable = { .struct_size = sizeof function_vtable,
                                                      .signature = "(text) text",
                                                      .example = "upper(\"a\")",
                                                      .example_result = "\"A\"",
                                                      .evaluate = no_evaluate };

struct where_config {
    const weir_expression *where;
};
static const weir_option where_options[] = {
    { .name = "where",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct where_config, where),
      .summary = "Which records pass" },
    WEIR_OPTIONS_END,
};

struct path_config {
    weir_text path;
    int64_t limit;
};
static const weir_option path_options[] = {
    { .name = "path",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY | WEIR_OPTION_PATH,
      .offset = offsetof(struct path_config, path),
      .summary = "Where it lies" },
    { .name = "limit",
      .type = WEIR_OPTION_INT,
      .default_text = "7",
      .offset = offsetof(struct path_config, limit),
      .summary = "How many" },
    WEIR_OPTIONS_END,
};

static const weir_factory filter_factory = { .struct_size = sizeof filter_factory,
                                             .kind = WEIR_KIND_OPERATOR,
                                             .name = "filter",
                                             .summary = "Passes some",
                                             .options = where_options,
                                             .config_size = sizeof(struct where_config),
                                             .vtable = &operator_vtable };
static const weir_factory pass_factory = { .struct_size = sizeof pass_factory,
                                           .kind = WEIR_KIND_OPERATOR,
                                           .name = "pass",
                                           .summary = "Passes all",
                                           .vtable = &operator_vtable };
static const char *const split_outputs[] = { "good", "bad", NULL };
static const weir_factory split_factory = { .struct_size = sizeof split_factory,
                                            .kind = WEIR_KIND_OPERATOR,
                                            .name = "split",
                                            .summary = "Parts them",
                                            .outputs = split_outputs,
                                            .vtable = &operator_vtable };
/* Its outputs are named by its options. */
struct parts_config {
    weir_option_list names;
};
static const weir_option parts_element = { .name = "name",
                                           .type = WEIR_OPTION_TEXT,
                                           .summary = "One" };
static const weir_option parts_options[] = {
    { .name = "names",
      .type = WEIR_OPTION_LIST,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct parts_config, names),
      .element = &parts_element,
      .summary = "What they are called" },
    WEIR_OPTIONS_END,
};
static weir_status parts_output_name(const void *data, uint32_t index, weir_text *ret_name)
{
    const struct parts_config *config = data;
    if (index >= config->names.count) {
        return WEIR_END;
    }
    *ret_name = config->names.items[index].text;
    return WEIR_OK;
}
static const weir_factory parts_factory = { .struct_size = sizeof parts_factory,
                                            .kind = WEIR_KIND_OPERATOR,
                                            .name = "parts",
                                            .summary = "Parts them by name",
                                            .options = parts_options,
                                            .config_size = sizeof(struct parts_config),
                                            .vtable = &operator_vtable,
                                            .output_name = parts_output_name };
/* Gives records another place. */
struct regroup_config {
    const weir_expression *key;
    weir_text name;
};
static const weir_option regroup_options[] = {
    { .name = "key",
      .type = WEIR_OPTION_EXPRESSION,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct regroup_config, key),
      .summary = "What they are placed by" },
    { .name = "name",
      .type = WEIR_OPTION_TEXT,
      .flags = WEIR_OPTION_FIELD_NAME,
      .offset = offsetof(struct regroup_config, name),
      .summary = "What that is called" },
    WEIR_OPTIONS_END,
};
static weir_status regroup_output_name(const void *data, uint32_t index, weir_text *ret_name)
{
    *ret_name = ((const struct regroup_config *)data)->name;
    return index == 0 ? WEIR_OK : WEIR_END;
}
static const weir_factory regroup_factory = { .struct_size = sizeof regroup_factory,
                                              .flags = WEIR_OPERATOR_REPARTITION,
                                              .kind = WEIR_KIND_OPERATOR,
                                              .name = "regroup",
                                              .summary = "Places them anew",
                                              .options = regroup_options,
                                              .config_size = sizeof(struct regroup_config),
                                              .vtable = &operator_vtable,
                                              .output_name = regroup_output_name };
/* Further streams come in by its options. */
struct join_config {
    weir_text right;
    weir_option_list others;
    const weir_expression *on;
};
static const weir_option join_element = { .name = "other",
                                          .type = WEIR_OPTION_STREAM,
                                          .summary = "One" };
static const weir_option join_options[] = {
    { .name = "on",
      .type = WEIR_OPTION_EXPRESSION,
      .offset = offsetof(struct join_config, on),
      .summary = "What is equal" },
    { .name = "others",
      .type = WEIR_OPTION_LIST,
      .offset = offsetof(struct join_config, others),
      .element = &join_element,
      .summary = "More streams" },
    { .name = "right",
      .type = WEIR_OPTION_STREAM,
      .flags = WEIR_OPTION_REQUIRED | WEIR_OPTION_BODY,
      .offset = offsetof(struct join_config, right),
      .summary = "The other stream" },
    WEIR_OPTIONS_END,
};
static const char *const join_inputs[] = { "left", "right", "others", NULL };
static const weir_factory join_factory = { .struct_size = sizeof join_factory,
                                           .kind = WEIR_KIND_OPERATOR,
                                           .name = "join",
                                           .summary = "Brings streams together",
                                           .options = join_options,
                                           .config_size = sizeof(struct join_config),
                                           .inputs = join_inputs,
                                           .vtable = &operator_vtable };
static const weir_factory file_source = { .struct_size = sizeof file_source,
                                          .kind = WEIR_KIND_SOURCE,
                                          .name = "file",
                                          .summary = "Reads a file",
                                          .options = path_options,
                                          .config_size = sizeof(struct path_config),
                                          .vtable = &source_vtable };
static const weir_factory file_sink = { .struct_size = sizeof file_sink,
                                        .kind = WEIR_KIND_SINK,
                                        .name = "file",
                                        .summary = "Writes files",
                                        .options = path_options,
                                        .config_size = sizeof(struct path_config),
                                        .vtable = &sink_vtable };
static const weir_factory print_sink = { .struct_size = sizeof print_sink,
                                         .kind = WEIR_KIND_SINK,
                                         .name = "print",
                                         .summary = "Shows them",
                                         .vtable = &sink_vtable };
static const weir_factory json_factory = { .struct_size = sizeof json_factory,
                                           .kind = WEIR_KIND_SERIALIZER,
                                           .name = "json",
                                           .summary = "JSON",
                                           .vtable = &serializer_vtable };
static const weir_factory text_factory = { .struct_size = sizeof text_factory,
                                           .kind = WEIR_KIND_SERIALIZER,
                                           .name = "text",
                                           .summary = "Text",
                                           .vtable = &serializer_vtable };
static const weir_factory upper_factory = { .struct_size = sizeof upper_factory,
                                            .kind = WEIR_KIND_FUNCTION,
                                            .name = "upper",
                                            .summary = "Upper case",
                                            .vtable = &function_vtable };
static const weir_factory *const fixture_factories[] = { &filter_factory,
                                                         &pass_factory,
                                                         &split_factory,
                                                         &parts_factory,
                                                         &regroup_factory,
                                                         &file_source,
                                                         &file_sink,
                                                         &print_sink,
                                                         &json_factory,
                                                         &text_factory,
                                                         &upper_factory,
                                                         &join_factory,
                                                         NULL };
static const weir_factory *const rival_factories[] = { &pass_factory, &upper_factory, NULL };

#define FIXTURE_ENTRY(ID, FACTORIES)                                                               \
 {                                                                                                 \
  .magic = { 'w', 'e', 'i', 'r', 'p', 'l', 'u', 'g' }, .struct_size = sizeof(weir_plugin_entry),   \
  .abi_major = WEIR_ABI_MAJOR, .abi_minor = WEIR_ABI_MINOR, .value_layout = WEIR_VALUE_LAYOUT,     \
  .id = (ID), .name = "fixture", .version = "1.0.0", .vendor = "Example", .license = "MIT",        \
  .summary = "For tests", .factories = (FACTORIES)                                                 \
 }
static const weir_plugin_entry fixture_entry =
    FIXTURE_ENTRY("org.example.fixture", fixture_factories);
static const weir_plugin_entry rival_entry = FIXTURE_ENTRY("org.example.rival", rival_factories);

#endif
