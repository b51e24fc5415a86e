/* SPDX-License-Identifier: MIT */
/*
 * Streams that are right: what their parts become. And one table of everything that can be wrong
 * with them.
 */
#include "pipeline/pipeline_fixture.h"

#define HEAD                                                                                       \
 "pipeline: p\n"                                                                                   \
 "topics: [t, u]\n"                                                                                \
 "streams:\n"
/* Uses both topics, so that a test can look at another stream alone. */
#define OTHER "  other: {from: {topic: t}, to: {topic: u}}\n"

static const struct stream *stream_named(const char *name)
{
    for (size_t i = 0; i < fixture.pipeline->stream_count; i++) {
        if (strcmp(fixture.pipeline->streams[i]->name, name) == 0) {
            return fixture.pipeline->streams[i];
        }
    }
    ck_abort_msg("no stream '%s'", name);
}

static const struct topic *topic_named(const char *name)
{
    for (size_t i = 0; i < fixture.pipeline->topic_count; i++) {
        if (strcmp(fixture.pipeline->topics[i]->name, name) == 0) {
            return fixture.pipeline->topics[i];
        }
    }
    ck_abort_msg("no topic '%s'", name);
}

START_TEST(streams_read_topics_and_each_other_in_any_order)
{
    fixture_load_right(HEAD "  b: {from: [a, other], to: print}\n"
                            "  a: {from: {topic: t}}\n" OTHER);
    const struct stream *b = stream_named("b");
    ck_assert_uint_eq(b->from_count, 2);
    ck_assert_ptr_eq(b->inputs[0].stream, stream_named("a"));
    ck_assert_ptr_eq(b->inputs[1].stream, stream_named("other"));
    ck_assert_uint_eq(document_position(b->inputs[1].place).column, 17);
    ck_assert_ptr_null(b->topic);
    ck_assert_ptr_null(b->source);
    ck_assert(!b->is_read);
    ck_assert_ptr_eq(stream_named("a")->topic, topic_named("t"));
    ck_assert(stream_named("a")->is_read);
    ck_assert_ptr_eq(fixture.pipeline->streams[0], b);
    ck_assert(topic_named("t")->is_read && !topic_named("t")->is_written);
    ck_assert(topic_named("u")->is_written && !topic_named("u")->is_read);
}
END_TEST

START_TEST(steps_keep_their_order_options_ids_and_labels)
{
    fixture_load_right(HEAD OTHER "  a:\n"
                                  "    from: {topic: t}\n"
                                  "    steps:\n"
                                  "      - pass\n"
                                  "      - filter: a > 1\n"
                                  "        on_error: skip\n"
                                  "      - filter: {where: b}\n"
                                  "        id: second\n"
                                  "      - filter: c\n"
                                  "    to: print\n");
    const struct stream *a = stream_named("a");
    ck_assert_uint_eq(a->step_count, 4);
    static const char *const ids[] = { "pass", "filter", "second", "filter#2" };
    for (size_t i = 0; i < 4; i++) {
        ck_assert_str_eq(a->steps[i].id, ids[i]);
    }
    ck_assert_str_eq(a->steps[1].label, "streams.a.steps[1] (filter)");
    ck_assert_int_eq(a->steps[1].on_error, ON_ERROR_SKIP);
    ck_assert_int_eq(a->steps[2].on_error, ON_ERROR_FAIL);
    ck_assert_ptr_null(a->steps[0].config);
    const struct where_config *config = a->steps[2].config;
    ck_assert_ptr_nonnull(config->where);
    ck_assert_ptr_eq(a->steps[1].factory->spec, &filter_factory);
    ck_assert_uint_eq(document_position(a->steps[1].place).line, 9);
}
END_TEST

START_TEST(an_end_may_choose_its_topic)
{
    fixture_load_right("pipeline: p\n"
                       "topics: [t, u, v]\n"
                       "streams:\n"
                       "  a:\n"
                       "    from: {topic: t}\n"
                       "    to: {topic: {expr: 'if x then \"u\" else \"v\"', among: [v, u]}, "
                       "key: x}\n");
    const struct end *end = &stream_named("a")->ends[0];
    ck_assert_int_eq(end->kind, END_TOPIC);
    ck_assert_uint_eq(end->topic_count, 2);
    ck_assert_ptr_eq(end->topics[0], topic_named("v"));
    ck_assert_ptr_eq(end->topics[1], topic_named("u"));
    ck_assert_ptr_nonnull(end->choice);
    ck_assert_ptr_nonnull(end->key);
    ck_assert_str_eq(end->plugin.id, "topic");
    ck_assert_str_eq(end->plugin.label, "streams.a.to (one of 2 topics)");
    ck_assert(topic_named("u")->is_written && topic_named("v")->is_written);
}
END_TEST

START_TEST(dead_letters_are_an_end_of_no_stream)
{
    const struct pipeline *pipeline = fixture_load_right(
        "pipeline: p\n"
        "on_error: dead_letter\n"
        "dead_letters: {topic: lost}\n"
        "topics:\n"
        "  t: {value: {json: {}, on_error: skip}}\n"
        "  lost:\n"
        "streams:\n"
        "  a: {from: {topic: t}, steps: [{filter: x}], to: {print: {}, on_error: fail}}\n");
    ck_assert_ptr_nonnull(pipeline->dead_letters);
    ck_assert_ptr_eq(pipeline->dead_letters->topics[0], topic_named("lost"));
    ck_assert_str_eq(pipeline->dead_letters->plugin.label, "dead_letters (topic lost)");
    ck_assert_int_eq(pipeline->dead_letters->plugin.on_error, ON_ERROR_FAIL);
    ck_assert(topic_named("lost")->is_written);
    const struct stream *a = stream_named("a");
    ck_assert_int_eq(a->steps[0].on_error, ON_ERROR_DEAD_LETTER);
    ck_assert(!a->steps[0].has_on_error);
    ck_assert_str_eq(a->steps[0].stream, "a");
    ck_assert_int_eq(a->ends[0].plugin.on_error, ON_ERROR_FAIL);
    ck_assert(a->ends[0].plugin.has_on_error);
    ck_assert_int_eq(topic_named("t")->value.on_error, ON_ERROR_SKIP);
    ck_assert_int_eq(topic_named("t")->key.on_error, ON_ERROR_DEAD_LETTER);
}
END_TEST

START_TEST(ends_are_topics_and_sinks)
{
    fixture_load_right(HEAD "  a:\n"
                            "    from: {topic: t}\n"
                            "    to:\n"
                            "      - {topic: u, key: x, on_error: skip}\n"
                            "      - print\n"
                            "      - file: {path: out, limit: 2}\n"
                            "        id: keep\n"
                            "      - print\n"
                            "      - topic: u\n");
    const struct stream *a = stream_named("a");
    ck_assert_uint_eq(a->end_count, 5);
    ck_assert_int_eq(a->ends[0].kind, END_TOPIC);
    ck_assert_ptr_eq(a->ends[0].topics[0], topic_named("u"));
    ck_assert_ptr_nonnull(a->ends[0].key);
    ck_assert_int_eq(a->ends[0].plugin.on_error, ON_ERROR_SKIP);
    ck_assert_str_eq(a->ends[0].plugin.label, "streams.a.to[0] (topic u)");
    ck_assert_int_eq(a->ends[1].kind, END_SINK);
    ck_assert_str_eq(a->ends[1].plugin.label, "streams.a.to[1] (print)");
    static const char *const ids[] = { "topic", "print", "keep", "print#2", "topic#2" };
    for (size_t i = 0; i < 5; i++) {
        ck_assert_str_eq(a->ends[i].plugin.id, ids[i]);
    }
    const struct path_config *config = a->ends[2].plugin.config;
    ck_assert_int_eq(config->limit, 2);
    char *expected = arena_printf(&fixture.arena, "%s/out", fixture.folder);
    ck_assert_str_eq(config->path.data, expected);
}
END_TEST

START_TEST(a_given_id_keeps_its_name_from_others)
{
    fixture_load_right(HEAD "  a:\n"
                            "    from: {topic: t}\n"
                            "    to: [print, {topic: u}, {print: {}, id: print}]\n");
    const struct stream *a = stream_named("a");
    ck_assert_str_eq(a->ends[0].plugin.id, "print#2");
    ck_assert_str_eq(a->ends[2].plugin.id, "print");
}
END_TEST

/* ---- sources ------------------------------------------------------------------------------------ */

START_TEST(a_source_alone_in_front_of_a_topic_fills_it)
{
    fixture_load_right(HEAD "  a:\n"
                            "    from: {file: f.jsonl}\n"
                            "    to: {topic: t, key: x}\n" OTHER);
    const struct stream *a = stream_named("a");
    ck_assert(a->is_direct);
    ck_assert_uint_eq(a->end_count, 0);
    ck_assert_ptr_eq(a->source->topic, topic_named("t"));
    ck_assert_ptr_eq(a->topic, topic_named("t"));
    ck_assert_ptr_nonnull(a->source->key);
    ck_assert(topic_named("t")->is_written);
    ck_assert_str_eq(a->source->plugin.label, "streams.a.from (file)");
    ck_assert_str_eq(a->source->plugin.id, "file");
    ck_assert_uint_eq(fixture.pipeline->topic_count, 2);
}
END_TEST

START_TEST(a_source_keeps_the_on_error_of_the_end_that_it_fills)
{
    fixture_load_right(HEAD "  a: {from: {file: f}, to: {topic: t, on_error: skip}}\n" OTHER);
    const struct stream *a = stream_named("a");
    ck_assert(a->is_direct);
    ck_assert_int_eq(a->source->plugin.on_error, ON_ERROR_FAIL);
    ck_assert_int_eq(a->source->writing.on_error, ON_ERROR_SKIP);
}
END_TEST

START_TEST(every_other_source_gets_a_topic_of_its_own)
{
    static const char *const streams[] = {
        "  a: {from: {file: f}, steps: [pass], to: {topic: t}}\n",
        "  a: {from: {file: f}, to: [{topic: t}, print]}\n",
        "  a: {from: {file: f}, to: print}\n",
        "  a: {from: {file: f, key: x}, to: {topic: t, key: y}}\n",
        ("  a: {from: {file: f}, to: {topic: t}}\n"
         "  b: {from: a, to: print}\n"),
    };
    char *text = arena_printf(&fixture.arena, HEAD "%s" OTHER, streams[_i]);
    fixture_load_right(text);
    const struct stream *a = stream_named("a");
    ck_assert(!a->is_direct);
    ck_assert_uint_gt(a->end_count, 0);
    ck_assert_uint_eq(fixture.pipeline->topic_count, 3);
    const struct topic *own = topic_named("source__p--a");
    ck_assert_ptr_eq(a->source->topic, own);
    ck_assert_ptr_eq(a->topic, own);
    ck_assert(own->is_internal && own->is_read && own->is_written);
    ck_assert_str_eq(own->log_name, own->name);
    ck_assert_ptr_eq(own->key.factory->spec, &json_factory);
    ck_assert_ptr_eq(own->value.factory->spec, &json_factory);
}
END_TEST

START_TEST(siblings_of_a_source_are_kept)
{
    fixture_load_right(HEAD "  a:\n"
                            "    from:\n"
                            "      file: {path: f, limit: 3}\n"
                            "      id: reader\n"
                            "      on_error: skip\n"
                            "      key: x\n"
                            "      event_time: ts\n"
                            "      partitions: 4\n"
                            "    to: print\n" OTHER);
    const struct stream *a = stream_named("a");
    ck_assert_str_eq(a->source->plugin.id, "reader");
    ck_assert_int_eq(a->source->plugin.on_error, ON_ERROR_SKIP);
    ck_assert_ptr_nonnull(a->source->key);
    ck_assert_ptr_nonnull(a->source->event_time);
    ck_assert_uint_eq(a->source->topic->partitions, 4);
    const struct path_config *config = a->source->plugin.config;
    ck_assert_int_eq(config->limit, 3);
}
END_TEST

/* ---- faults --------------------------------------------------------------------------------------- */

/* Lines count from the first stream's, which is the fourth of the file; OTHER stands behind. */
static const struct {
    const char *streams;
    uint32_t line;
    uint32_t column;
    const char *part;
} faults[] = {
    /* the stream itself */
    { "  a:\n", 4, 3, "stream 'a' is a map" },
    { "  a: [x]\n", 4, 6, "stream 'a' is a map" },
    { "  a: {to: print}\n", 4, 3, "stream 'a' has no 'from'" },
    { "  a: {from: other, too: print}\n", 4, 20, "did you mean 'to'?" },
    { "  a: {from: other, with: print}\n", 4, 20, "there are: from, steps, to" },
    { "  a.b: {from: other, to: print}\n", 4, 3, "invalid stream name 'a.b'" },
    { "  a: {from: other, to: }\n", 4, 20, "'to' has no value" },
    /* from */
    { "  a: {from: othr, to: print}\n", 4, 13, "did you mean 'other'?" },
    { "  a: {from: t, to: print}\n", 4, 13, "'t' is a topic" },
    { "  a: {from: file, to: print}\n", 4, 13, "'file' is a source" },
    { "  a: {from: quite_another, to: print}\n", 4, 13, "unknown stream 'quite_another'" },
    { "  a: {from: other.late, to: print}\n", 4, 13, "has no output 'late'" },
    { "  a: {from: [], to: print}\n", 4, 13, "list of streams is empty" },
    { "  a: {from: [other, other], to: print}\n", 4, 21, "'other' stands twice" },
    { "  a: {from: [other, {topic: t}], to: print}\n", 4, 21, "a stream of its own" },
    { "  a: {from: {topic: tt}, to: print}\n", 4, 21, "did you mean 't'?" },
    { "  a: {from: {topic: [t]}, to: print}\n", 4, 21, "the name of a topic" },
    { "  a: {from: {topic: }, to: print}\n", 4, 14, "'topic' names no topic" },
    { "  a: {from: {topic: t, key: x}, to: print}\n", 4, 24, "'key' is for sources" },
    { "  a: {from: {id: x}, to: print}\n", 4, 13, "names no source" },
    { "  a: {from: {fil: x}, to: print}\n", 4, 14, "unknown source 'fil'; did you mean 'file'?" },
    { "  a: {from: {file: f, evnt_time: x}, to: print}\n", 4, 23, "did you mean 'event_time'?" },
    { "  a: {from: {file: f, partitions: 0}, to: print}\n", 4, 35, "between 1 and" },
    { "  a: {from: {file: f, partitions: 2}, to: {topic: t}}\n", 4, 23,
      "write 'partitions' there" },
    { "  a: {from: {print: f}, to: print}\n", 4, 14, "'print' is a sink; write it under 'to'" },
    /* steps */
    { "  a: {from: other, steps: pass, to: print}\n", 4, 27, "'steps' is a list" },
    { "  a: {from: other, steps: [pas], to: print}\n", 4, 28, "did you mean 'pass'?" },
    { "  a: {from: other, steps: [print], to: print}\n", 4, 28, "'print' is a sink" },
    { "  a: {from: other, steps: [file], to: print}\n", 4, 28,
      "'file' is a source; write it under 'from'; or as a sink, write it under 'to'" },
    { "  a: {from: other, steps: [json], to: print}\n", 4, 28, "'json' is a serializer" },
    { "  a: {from: other, steps: [upper: x], to: print}\n", 4, 28, "'upper' is a function" },
    { "  a: {from: other, steps: [nothing_like_it], to: print}\n", 4, 28, "'weir plugin list'" },
    { "  a: {from: other, steps: [filter], to: print}\n", 4, 28, "needs the option 'where'" },
    { "  a: {from: other, steps: [split], to: print}\n", 4, 36,
      "the last step of stream 'a' has several outputs (good, bad)" },
    { "  a: {from: other, steps: [split, pass], to: print}\n", 4, 28,
      "'split' has several outputs (good, bad), so no step can follow it" },
    { "  a: {from: othr.late, to: print}\n", 4, 13,
      "unknown stream 'othr'; did you mean 'other'?" },
    { "  a: {from: other, steps: [{parts: [x-y, 'x y']}]}\n", 4, 29,
      "invalid name of an output 'x y'" },
    { "  a: {from: other, steps: [{parts: [x, y, x]}]}\n", 4, 29,
      "two outputs of operator 'parts' are called 'x'" },
    { "  a: {from: other, steps: [[pass]], to: print}\n", 4, 28, "this step is a list" },
    { "  a: {from: other, steps: [{filter: x, pass: {}}], to: print}\n", 4, 40,
      "'pass' is a second step beside 'filter'" },
    { "  a: {from: other, steps: [{filter: , where: x}], to: print}\n", 4, 39,
      "indent it below 'filter:'" },
    { "  a: {from: other, steps: [{filter: {where: x, on_error: skip}}], to: print}\n", 4, 48,
      "'on_error' stands beside the plugin's name" },
    { "  a: {from: other, steps: [{filter: x, on_eror: skip}], to: print}\n", 4, 40,
      "unknown key 'on_eror' beside 'filter'; did you mean 'on_error'?" },
    { "  a: {from: other, steps: [{filter: x, on_error: never}], to: print}\n", 4, 50,
      "one of 'fail', 'skip'" },
    { "  a: {from: other, steps: [{filter: x, on_error: dead_letter}], to: print}\n", 4, 50,
      "needs an end for the letters" },
    { "  a: {from: other, steps: [{filter: x, id: 'y z'}], to: print}\n", 4, 44,
      "invalid id 'y z'" },
    { "  a: {from: other, steps: [{pass: {}, id: y}, {filter: x, id: y}], to: print}\n", 4, 48,
      "id 'y' is taken by line 4" },
    /* to */
    { "  a: {from: other, to: prnt}\n", 4, 24, "unknown sink 'prnt'; did you mean 'print'?" },
    { "  a: {from: other, to: t}\n", 4, 24, "'t' is a topic" },
    { "  a: {from: other, to: other}\n", 4, 24, "'other' is a stream" },
    { "  a: {from: other, to: []}\n", 4, 24, "list of ends is empty" },
    { "  a: {from: other, to: pass}\n", 4, 24, "'pass' is an operator; write it under 'steps'" },
    { "  a: {from: other, to: {topic: uu}}\n", 4, 32, "did you mean 'u'?" },
    { "  a: {from: other, to: {topic: {expr: x, among: []}}}\n", 4, 49, "this list is empty" },
    { "  a: {from: other, to: {topic: {expr: x}}}\n", 4, 32, "'among' is missing" },
    { "  a: {from: {topic: {expr: x, among: [t, u]}}, to: print}\n", 4, 21,
      "a topic that is read stands here by its name" },
    { "  a: {from: other, to: {file: o, key: x}}\n", 4, 34, "'key' is for topics" },
    { "  a: {from: other, to: [{file: o}, {file: ./o/}]}\n", 4, 37, "both write to" },
    { "  a: {from: other, to: [print, [print]]}\n", 4, 32, "this end is a list" },
    { "  a: {from: other, to: {print: {colour: red}}}\n", 4, 33, "has no option 'colour'" },
};

START_TEST(a_fault_of_a_stream_has_its_place)
{
    char *text = arena_printf(&fixture.arena, HEAD "%s" OTHER, faults[_i].streams);
    fixture_expect_only(text, SEVERITY_ERROR, faults[_i].line, faults[_i].column, faults[_i].part);
}
END_TEST

START_TEST(outputs_are_read_by_name_also_before_they_stand_in_the_file)
{
    fixture_load("pipeline: p\ntopics: [t]\nstreams:\n"
                 "  c: {from: [b.x, a.bad, b.y, b.z], to: print}\n"
                 "  d: {from: a.good, to: print}\n"
                 "  a: {from: {topic: t}, steps: [split]}\n"
                 "  b: {from: {topic: t}, steps: [pass, {parts: [y, z, x]}]}\n");
    ck_assert_uint_eq(fixture.diagnostics.count, 0);
    const struct stream *c = stream_named("c");
    ck_assert_uint_eq(c->inputs[0].output, 2);
    ck_assert_uint_eq(c->inputs[1].output, 1);
    ck_assert_uint_eq(c->inputs[2].output, 0);
    ck_assert_uint_eq(stream_named("d")->inputs[0].output, 0);
    ck_assert_uint_eq(stream_named("b")->steps[1].output_count, 3);
    ck_assert_str_eq(stream_named("b")->steps[1].outputs[1], "z");
    ck_assert_uint_eq(stream_named("b")->steps[0].output_count, 0);
}
END_TEST

START_TEST(an_output_that_no_stream_reads_is_a_warning)
{
    fixture_load("pipeline: p\ntopics: [t]\nstreams:\n"
                 "  a: {from: {topic: t}, steps: [{parts: [x, y]}]}\n"
                 "  b: {from: a.x, to: print}\n");
    fixture_expect(0, SEVERITY_WARNING, 4, 34,
                   "the records at output 'y' of 'parts' go nowhere: no stream reads 'a.y'");
    ck_assert_uint_eq(fixture.diagnostics.count, 1);
}
END_TEST

/* One name is as good as none: the stream is read by its own. */
START_TEST(a_single_output_has_no_name)
{
    fixture_load("pipeline: p\ntopics: [t]\nstreams:\n"
                 "  a: {from: {topic: t}, steps: [{parts: [x]}], to: print}\n"
                 "  b: {from: a, to: print}\n");
    ck_assert_uint_eq(fixture.diagnostics.count, 0);
    ck_assert_uint_eq(stream_named("a")->steps[0].output_count, 0);
}
END_TEST

static const struct {
    const char *from;
    const char *part;
} output_faults[] = {
    { "a.god", "stream 'a' has no output 'god'; did you mean 'a.good'?" },
    { "a.others", "stream 'a' has no output 'others'; its outputs are: good, bad" },
    { "a", "stream 'a' has several outputs; write one of: a.good, a.bad" },
    { "[a.good, a.good]", "'a.good' stands twice" },
};

START_TEST(a_reader_says_which_output_it_means)
{
    char *text = arena_printf(&fixture.arena,
                              HEAD "  a: {from: {topic: t}, steps: [split]}\n"
                                   "  b: {from: %s, to: print}\n" OTHER,
                              output_faults[_i].from);
    uint32_t column = output_faults[_i].from[0] == '[' ? 22 : 13;
    fixture_expect_only(text, SEVERITY_ERROR, 5, column, output_faults[_i].part);
}
END_TEST

START_TEST(event_time_stands_once)
{
    fixture_expect_only("pipeline: p\n"
                        "topics: {t: {event_time: ts}}\n"
                        "streams:\n"
                        "  a: {from: {file: f, event_time: ts}, to: {topic: t}}\n",
                        SEVERITY_ERROR, 4, 23, "'event_time' stands here and at topic 't'");
}
END_TEST

START_TEST(a_name_that_two_plugins_bring_must_be_qualified)
{
    fixture_add_rival();
    fixture_load(HEAD OTHER "  a: {from: other, steps: [pass, org.example.rival.pass], to: "
                            "print}\n");
    ck_assert_uint_eq(fixture.diagnostics.count, 1);
    fixture_expect(0, SEVERITY_ERROR, 5, 28,
                   "write 'org.example.fixture.pass' or 'org.example.rival.pass'");
}
END_TEST

START_TEST(a_function_that_two_plugins_bring_must_be_qualified)
{
    fixture_add_rival();
    fixture_load(HEAD OTHER "  a: {from: other, steps: [{filter: upper(x) == 'A'}], to: print}\n");
    ck_assert_uint_eq(fixture.diagnostics.count, 1);
    fixture_expect(0, SEVERITY_ERROR, 5, 37,
                   "two plugins bring a function 'upper'; write 'org.example.fixture.upper' or "
                   "'org.example.rival.upper'");
}
END_TEST

START_TEST(what_does_nothing_is_a_warning)
{
    fixture_load("pipeline: p\n"
                 "topics: [t, u]\n"
                 "streams:\n"
                 "  a: {from: {topic: t}, steps: [pass]}\n");
    ck_assert_uint_eq(fixture.diagnostics.count, 2);
    fixture_expect(0, SEVERITY_WARNING, 2, 13, "topic 'u' is not used");
    fixture_expect(1, SEVERITY_WARNING, 4, 3, "stream 'a' goes nowhere");
}
END_TEST

START_TEST(a_long_name_cannot_become_a_topic)
{
    char name[200];
    memset(name, 's', sizeof name);
    name[sizeof name - 1] = '\0';
    char *text = arena_printf(&fixture.arena,
                              "pipeline: a-pipeline-with-a-name-of-its-own-of-50-characters\n"
                              "streams: {%s: {from: {file: f}, to: print}}\n",
                              name);
    fixture_expect_only(text, SEVERITY_ERROR, 2, 11, "at most 249");
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("streams");
    tcase_add_test(cases, an_end_may_choose_its_topic);
    tcase_add_checked_fixture(cases, fixture_set_up, fixture_tear_down);
    tcase_add_test(cases, streams_read_topics_and_each_other_in_any_order);
    tcase_add_test(cases, steps_keep_their_order_options_ids_and_labels);
    tcase_add_test(cases, dead_letters_are_an_end_of_no_stream);
    tcase_add_test(cases, ends_are_topics_and_sinks);
    tcase_add_test(cases, a_given_id_keeps_its_name_from_others);
    tcase_add_test(cases, a_source_alone_in_front_of_a_topic_fills_it);
    tcase_add_loop_test(cases, every_other_source_gets_a_topic_of_its_own, 0, 5);
    tcase_add_test(cases, a_source_keeps_the_on_error_of_the_end_that_it_fills);
    tcase_add_test(cases, siblings_of_a_source_are_kept);
    tcase_add_loop_test(cases, a_fault_of_a_stream_has_its_place, 0,
                        sizeof faults / sizeof faults[0]);
    tcase_add_test(cases, outputs_are_read_by_name_also_before_they_stand_in_the_file);
    tcase_add_test(cases, a_single_output_has_no_name);
    tcase_add_test(cases, an_output_that_no_stream_reads_is_a_warning);
    tcase_add_loop_test(cases, a_reader_says_which_output_it_means, 0,
                        sizeof output_faults / sizeof output_faults[0]);
    tcase_add_test(cases, event_time_stands_once);
    tcase_add_test(cases, a_name_that_two_plugins_bring_must_be_qualified);
    tcase_add_test(cases, a_function_that_two_plugins_bring_must_be_qualified);
    tcase_add_test(cases, what_does_nothing_is_a_warning);
    tcase_add_test(cases, a_long_name_cannot_become_a_topic);
    Suite *made = suite_create("streams");
    suite_add_tcase(made, cases);
    return made;
}
