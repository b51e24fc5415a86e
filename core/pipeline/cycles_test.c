/* SPDX-License-Identifier: MIT */
/*
 * Loops over streams are faults, loops over topics are warnings; each is named whole.
 */
#include "base/buffer.h"
#include "pipeline/pipeline_fixture.h"

#define HEAD                                                                                       \
 "pipeline: p\n"                                                                                   \
 "topics: [t, u]\n"                                                                                \
 "streams:\n"
#define OTHER "  other: {from: {topic: t}, to: {topic: u}}\n"

static const struct {
    const char *streams;
    enum severity severity;
    uint32_t line;
    uint32_t column;
    const char *part;
} loops[] = {
    { "  a: {from: a, to: print}\n", SEVERITY_ERROR, 4, 13,
      "form a loop: stream 'a' reads stream 'a';" },
    { "  a: {from: b, to: print}\n"
      "  b: {from: a, to: print}\n",
      SEVERITY_ERROR, 5, 13, "form a loop: stream 'a' reads stream 'b', which reads stream 'a';" },
    { "  a: {from: [other, b], to: print}\n"
      "  b: {from: [other, c]}\n"
      "  c: {from: b}\n",
      SEVERITY_ERROR, 6, 13, "form a loop: stream 'b' reads stream 'c', which reads stream 'b';" },
    { "  a: {from: other, steps: [{join: a}], to: print}\n", SEVERITY_ERROR, 4, 35,
      "form a loop: stream 'a' reads stream 'a' as 'right';" },
    { "  a: {from: other, steps: [pass, {join: {right: other, others: [other, b]}}], to: print}\n"
      "  b: {from: other, steps: [{join: c}]}\n"
      "  c: {from: a}\n",
      SEVERITY_ERROR, 6, 13,
      "stream 'a' reads stream 'b' as 'others', which reads stream 'c' as 'right', which reads "
      "stream "
      "'a';" },
    { "  a: {from: {topic: t}, steps: [{join: b}], to: {topic: u}}\n"
      "  b: {from: {topic: u}}\n",
      SEVERITY_WARNING, 4, 50,
      "stream 'a' reads stream 'b' as 'right', which reads topic 'u', filled by stream 'a';" },
    { "  a: {from: {topic: u}, to: {topic: u}}\n", SEVERITY_WARNING, 4, 30,
      "round for ever: stream 'a' reads topic 'u', filled by stream 'a';" },
    { "  a: {from: {topic: u}, to: {topic: t}}\n", SEVERITY_WARNING, 4, 30,
      "stream 'a' reads topic 'u', filled by stream 'other', which reads topic 't', filled by "
      "stream 'a';" },
};

START_TEST(a_loop_is_named_whole_where_it_closes)
{
    char *text = arena_printf(&fixture.arena, HEAD "%s" OTHER, loops[_i].streams);
    fixture_expect_only(text, loops[_i].severity, loops[_i].line, loops[_i].column, loops[_i].part);
    ck_assert(loops[_i].severity == SEVERITY_WARNING || fixture.pipeline == NULL);
}
END_TEST

START_TEST(streams_that_meet_again_are_no_loop)
{
    fixture_load_right(HEAD "  a: {from: other}\n"
                            "  b: {from: other}\n"
                            "  c: {from: [a, b], to: [{topic: u}, {topic: u}]}\n" OTHER);
}
END_TEST

START_TEST(two_loops_are_two_faults)
{
    fixture_load(HEAD "  a: {from: a}\n"
                      "  b: {from: b}\n" OTHER);
    ck_assert_uint_eq(fixture.diagnostics.error_count, 2);
}
END_TEST

/* The search may not use the stack of the machine. */
START_TEST(a_chain_of_many_streams_is_walked)
{
    enum { STREAMS = 20000 };
    weir_buffer text;
    buffer_init(&text, 4 * 1024 * 1024);
    (void)buffer_text(&text, HEAD OTHER "  s0: {from: s1, to: print}\n");
    for (int i = 1; i < STREAMS; i++) {
        (void)buffer_printf(&text, "  s%d: {from: s%d}\n", i, i + 1);
    }
    ck_assert_int_eq(buffer_printf(&text, "  s%d: {from: other}\n", STREAMS), WEIR_OK);
    fixture_load_right(buffer_c_string(&text));
    ck_assert_uint_eq(fixture.pipeline->stream_count, STREAMS + 2);
    buffer_deinit(&text);
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("cycles");
    tcase_add_checked_fixture(cases, fixture_set_up, fixture_tear_down);
    tcase_add_loop_test(cases, a_loop_is_named_whole_where_it_closes, 0,
                        sizeof loops / sizeof loops[0]);
    tcase_add_test(cases, streams_that_meet_again_are_no_loop);
    tcase_add_test(cases, two_loops_are_two_faults);
    tcase_add_test(cases, a_chain_of_many_streams_is_walked);
    Suite *made = suite_create("cycles");
    suite_add_tcase(made, cases);
    return made;
}
