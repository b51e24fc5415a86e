/* SPDX-License-Identifier: MIT */
/*
 * What a stream reads by the options of its steps.
 */
#include "pipeline/pipeline_fixture.h"

static struct stream *stream_named(const char *name)
{
    for (size_t i = 0; i < fixture.pipeline->stream_count; i++) {
        if (strcmp(fixture.pipeline->streams[i]->name, name) == 0) {
            return fixture.pipeline->streams[i];
        }
    }
    ck_abort_msg("no stream %s", name);
}

static void expect_input(const struct stream_input *input, const char *name, size_t step,
                         uint32_t port)
{
    ck_assert_str_eq(input->stream->name, name);
    ck_assert_uint_eq(input->step, step);
    ck_assert_uint_eq(input->port, port);
}

START_TEST(options_read_streams_behind_from_by_step_and_port)
{
    fixture_load("pipeline: p\ntopics: [t]\nstreams:\n"
                 "  a: {from: [c, d], to: print, steps: [{join: b}, pass,\n"
                 "      {join: {others: [e.bad, c, e.good], right: b}}]}\n"
                 "  b: {from: {topic: t}}\n"
                 "  c: {from: b}\n"
                 "  d: {from: b}\n"
                 "  e: {from: b, steps: [split]}\n");
    ck_assert_uint_eq(fixture.diagnostics.count, 0);
    const struct stream *a = stream_named("a");
    ck_assert_uint_eq(a->from_count, 2);
    ck_assert_uint_eq(a->input_count, 7);
    static const struct {
        const char *name;
        size_t step;
        uint32_t port;
    } wanted[] = { { "c", 0, 0 }, { "d", 0, 0 }, { "b", 0, 1 }, { "b", 2, 1 },
                   { "e", 2, 2 }, { "c", 2, 2 }, { "e", 2, 2 } };
    for (size_t i = 0; i < a->input_count; i++) {
        expect_input(&a->inputs[i], wanted[i].name, wanted[i].step, wanted[i].port);
    }
    ck_assert_uint_eq(a->inputs[4].output, 1);
    ck_assert_uint_eq(a->inputs[6].output, 0);
    ck_assert_uint_eq(document_position(a->inputs[4].place).column, 24);
    ck_assert_ptr_null(stream_input_port(a, &a->inputs[1]));
    ck_assert_str_eq(stream_input_port(a, &a->inputs[5]), "others");
    ck_assert(stream_named("b")->is_read && stream_named("e")->is_read);
    const struct join_config *config = a->steps[2].config;
    ck_assert_str_eq(config->right.data, "b");
    ck_assert_uint_eq(config->others.count, 3);
    ck_assert_str_eq(config->others.items[0].text.data, "e.bad");
}
END_TEST

/* Whatever else is wrong with the step. */
START_TEST(every_wrong_stream_of_a_step_is_told)
{
    fixture_load("pipeline: p\ntopics: [t]\nstreams:\n"
                 "  a: {from: {topic: t}, to: print,\n"
                 "      steps: [{join: {right: bb, odd: 1, others: [a, t]}}]}\n"
                 "  bbb: {from: {topic: t}, to: print}\n");
    ck_assert_ptr_null(fixture.pipeline);
    static const char *const parts[] = { "did you mean 'bbb'?", "has no option 'odd'",
                                         "stream 'a' reads stream 'a' as 'others'",
                                         "'t' is a topic" };
    ck_assert_uint_eq(fixture.diagnostics.count, 4);
    for (size_t i = 0; i < 4; i++) {
        ck_assert_ptr_nonnull(strstr(fixture.diagnostics.list[i].message, parts[i]));
    }
}
END_TEST

/* A source that stands alone in front of its topic fills it directly, unless an option reads it. */
START_TEST(a_stream_that_an_option_reads_is_no_direct_source)
{
    fixture_load("pipeline: p\ntopics: [t, u]\nstreams:\n"
                 "  a: {from: {topic: u}, steps: [{join: feed}], to: print}\n"
                 "  feed: {from: {file: in}, to: {topic: t}}\n");
    ck_assert_ptr_nonnull(fixture.pipeline);
    ck_assert(!stream_named("feed")->is_direct);
}
END_TEST

/* ---- partitions --------------------------------------------------------------------------------- */

#define JOINED "streams:\n  a: {from: {topic: t}, steps: [pass, {join: b}], to: print}\n"

static const struct {
    const char *text;
    const char *part; /* NULL: it is right */
} partitions[] = {
    { "topics: {t: {partitions: 2}, u: {partitions: 2}}\n" JOINED "  b: {from: {topic: u}}\n",
      NULL },
    { "topics: {t: {partitions: 2}, u: }\n" JOINED "  b: {from: {topic: u}}\n", NULL },
    { "topics: {t: {partitions: 2}, u: {partitions: 3}}\n" JOINED "  b: {from: {topic: u}}\n",
      "topic 't' has 2 partitions and topic 'u' 3, and both come to operator 'join'" },
    { "topics: {t: {partitions: 2}}\n" JOINED "  b: {from: {file: in}}\n", NULL },
    { "topics: {t: {partitions: 2}}\n" JOINED "  b: {from: {file: in, partitions: 3}}\n",
      "topic 't' has 2 partitions and topic 'source__p--b' 3" },
    /* Behind other streams, beside others at one input, and at an earlier step. */
    { "topics: {t: {partitions: 2}, u: {partitions: 2}, v: {partitions: 4}}\n" JOINED
      "  b: {from: [c, d]}\n"
      "  c: {from: {topic: u}}\n"
      "  d: {from: {topic: v}}\n",
      "topic 't' has 2 partitions and topic 'v' 4" },
    { "topics: {t: , u: {partitions: 2}, v: {partitions: 4}}\n" JOINED
      "  b: {from: c, steps: [pass, {join: d}]}\n"
      "  c: {from: {topic: u}}\n"
      "  d: {from: {topic: v}}\n",
      "topic 'u' has 2 partitions and topic 'v' 4" },
    /* A topic between them parts the records anew. */
    { "topics: {t: {partitions: 2}, u: {partitions: 3}, v: {partitions: 2}}\n" JOINED
      "  b: {from: {topic: v}}\n"
      "  c: {from: {topic: u}, to: {topic: v}}\n",
      NULL },
};

/* part NULL: it is right. */
static void judge(const char *topics_and_streams, const char *part)
{
    fixture_load(arena_printf(&fixture.arena, "pipeline: p\n%s", topics_and_streams));
    if (part == NULL) {
        ck_assert_ptr_nonnull(fixture.pipeline);
        return;
    }
    ck_assert_ptr_null(fixture.pipeline);
    ck_assert_ptr_nonnull(strstr(fixture.diagnostics.list[0].message, part));
}

START_TEST(topics_that_meet_have_equal_partition_counts)
{
    judge(partitions[_i].text, partitions[_i].part);
}
END_TEST

/* ---- partitioners ------------------------------------------------------------------------------- */

#define PLACED(t, u) "topics: {t: " t ", u: " u "}\n" JOINED "  b: {from: {topic: u}}\n"

static const struct {
    const char *text;
    const char *part; /* NULL: it is right */
} partitioners[] = {
    { PLACED("{partitioner: fnv1a}", "{partitioner: fnv1a_random}"), NULL },
    { PLACED("{partitioner: consistent}", "{partitioner: murmur2}"),
      "topic 't' has its keys placed by 'consistent' and topic 'u' by 'murmur2', and both come to "
      "operator 'join'" },
    { PLACED("{partitioner: random}", "{partitioner: random}"), "by 'random' and topic 'u' by" },
    /* Of one who says nothing only what weir fills is known. */
    { PLACED("{partitioner: consistent}", ""), NULL },
    { "topics: {t: {partitioner: consistent}}\n" JOINED "  b: {from: {file: in}}\n",
      "by 'consistent' and topic 'source__p--b' by 'murmur2'" },
    { "topics: {t: {partitioner: murmur2}}\n" JOINED "  b: {from: {file: in}}\n", NULL },
    /* All keys meet in the only partition. */
    { PLACED("{partitioner: consistent, partitions: 1}", "{partitioner: murmur2, partitions: 1}"),
      NULL },
    /* One topic comes twice. */
    { "topics: {t: {partitioner: random}, u: }\n" JOINED
      "  b: {from: c}\n  c: {from: {topic: t}}\n  d: {from: {topic: u}, to: print}\n",
      NULL },
};

START_TEST(topics_that_meet_place_keys_alike)
{
    judge(partitioners[_i].text, partitioners[_i].part);
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("inputs");
    tcase_add_checked_fixture(cases, fixture_set_up, fixture_tear_down);
    tcase_add_test(cases, options_read_streams_behind_from_by_step_and_port);
    tcase_add_test(cases, every_wrong_stream_of_a_step_is_told);
    tcase_add_test(cases, a_stream_that_an_option_reads_is_no_direct_source);
    tcase_add_loop_test(cases, topics_that_meet_have_equal_partition_counts, 0,
                        sizeof partitions / sizeof partitions[0]);
    tcase_add_loop_test(cases, topics_that_meet_place_keys_alike, 0,
                        sizeof partitioners / sizeof partitioners[0]);
    Suite *made = suite_create("inputs");
    suite_add_tcase(made, cases);
    return made;
}
