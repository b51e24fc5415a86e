/* SPDX-License-Identifier: MIT */
/*
 * The keys of a pipeline file as a page of the reference, from the tables by which it is read. Nothing in
 * it depends on the machine: librdkafka's properties are not here, since each version has its own.
 */
#include "cli/describe.h"
#include "cli/page.h"
#include "cli/schema.h"
#include "kafka/properties.h"
#include "pipeline/tables.h"

static const char *const shape_texts[] = {
    [SHAPE_ANY] = "any",
    [SHAPE_NAME] = "name",
    [SHAPE_NAMES] = "name or list of names",
    [SHAPE_TEXT] = "text",
    [SHAPE_ON_ERROR] = "fail, skip, dead_letter",
    [SHAPE_RETRY_TIMEOUT] = "duration or forever",
    [SHAPE_PLUGINS] = "path, {path, sha256} or list of them",
    [SHAPE_TOPICS] = "map of names to [options](#topics), or list of names",
    [SHAPE_STREAMS] = "map of names to [streams](#streams)",
    [SHAPE_SERIALIZER] = "serializer",
    [SHAPE_FIELDS] = "map of names to types",
    [SHAPE_FROM] = "stream, list of streams, {topic: NAME} or [source](#sources)",
    [SHAPE_STEPS] = "list of [operators](#steps)",
    [SHAPE_ENDS] = "[end](#ends) or list of ends",
    [SHAPE_LETTERS] = "[end](#dead-letters)",
    [SHAPE_KAFKA] = "map of [properties](#kafka)",
};

static void put_head(struct page *page, const char *title, const char *text)
{
    page_printf(page, "\n## %s\n\n%s\n\n| key | type | default | meaning |\n|---|---|---|---|\n",
                title, text);
}

/* Of a key that an option describes; what is inside it follows. */
static void put_option(struct page *page, const struct key_rule *rule, struct arena *arena)
{
    weir_option option = *rule->option;
    const weir_option *nested = describe_nested(&option);
    const char *path = arena_printf(arena, "%s.", rule->name);
    option.flags |= rule->is_required ? WEIR_OPTION_REQUIRED : 0;
    describe_option_row(page, "", &option, arena);
    if (nested != NULL && path != NULL) {
        describe_option_rows(page, path, nested, arena);
    }
}

static void put_keys(struct page *page, const struct key_rule *rules, struct arena *arena)
{
    for (const struct key_rule *rule = rules; rule->name != NULL; rule++) {
        if (rule->refusal != NULL) {
            continue;
        }
        if (rule->option != NULL) {
            put_option(page, rule, arena);
            continue;
        }
        page_printf(page, "| `%s` | %s | %s | ", rule->name, shape_texts[rule->shape],
                    rule->is_required ? "required" : "");
        describe_cell(page, rule->summary != NULL ? rule->summary : "");
        page_text(page, " |\n");
    }
}

static void put_owned(struct page *page)
{
    page_text(page, "\n### What weir sets itself\n\n| property | instead |\n|---|---|\n");
    for (const struct kafka_owned *owned = kafka_owned_properties; owned->name != NULL; owned++) {
        page_printf(page, "| `%s` | ", owned->name);
        describe_cell(page, owned->cure);
        page_text(page, " |\n");
    }
}

static void put_kafka(struct page *page, struct arena *arena)
{
    put_head(page, "Kafka",
             "Under `kafka:` stand the properties of librdkafka by their own names, such as "
             "`security.protocol: SASL_SSL`. `weir check` knows those of the installed version and "
             "lets it judge their values; `weir schema` lists them. A property of consumers or of "
             "producers goes to the clients that it is for. Passwords, keys and certificates in "
             "PEM are secrets: `${VARIABLE}` or `{file: PATH}`, and never shown. Beside them:");
    describe_option_rows(page, "", kafka_options, arena);
    describe_option_docs(page, "", kafka_options, arena);
    put_owned(page);
}

void schema_markdown(struct page *page, struct arena *arena)
{
    page_text(page, "# Pipeline file\n");
    put_head(page, "Top level",
             "Keys that begin with `x-` are ignored: a place for anchors of YAML.");
    put_keys(page, top_level_keys, arena);
    put_head(page, "Topics", "Under `topics:`, behind the name of each.");
    put_keys(page, topic_keys, arena);
    put_head(page, "Streams", "Under `streams:`, behind the name of each.");
    put_keys(page, stream_keys, arena);
    put_head(page, "Sources", "Beside the name of a source.");
    put_keys(page, source_spot.siblings, arena);
    put_head(page, "Steps", "Beside the name of an operator.");
    put_keys(page, operator_spot.siblings, arena);
    put_head(page, "Ends", "Beside `topic: NAME` or the name of a sink.");
    put_keys(page, sink_spot.siblings, arena);
    put_head(page, "Dead letters", "Beside `topic: NAME` or the name of a sink.");
    put_keys(page, letters_spot.siblings, arena);
    put_head(page, "Computed topics", "Of `topic: {expr: ..., among: ...}` at an end.");
    put_keys(page, choice_keys, arena);
    put_kafka(page, arena);
}
