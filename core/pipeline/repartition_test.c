/* SPDX-License-Identifier: MIT */
/*
 * Steps that give records another place, and the topics behind them.
 */
#include "pipeline/pipeline_fixture.h"

#define HEAD                                                                                       \
 "pipeline: p\n"                                                                                   \
 "topics: {b: {partitions: 2}, a: {partitions: 4}, c: {name: logged}}\n"                           \
 "streams:\n"

static const struct topic *topic_of(size_t stream, size_t step)
{
    const struct topic *topic = fixture.pipeline->streams[stream]->steps[step].repartition;
    ck_assert_ptr_nonnull(topic);
    return topic;
}

static size_t place_of(const struct topic *topic)
{
    for (size_t i = 0; i < fixture.pipeline->topic_count; i++) {
        if (fixture.pipeline->topics[i] == topic) {
            return i;
        }
    }
    ck_abort_msg("topic %s is none of the pipeline's", topic->name);
}

static void load_right(const char *text)
{
    fixture_load(text);
    for (size_t i = 0; i < fixture.diagnostics.count; i++) {
        const char *message = fixture.diagnostics.list[i].message;
        ck_assert_msg(strstr(message, "is not used") != NULL, "%s", message);
    }
}

START_TEST(a_topic_is_named_after_what_comes_in)
{
    load_right(HEAD "  s: {from: {topic: b}, steps: [pass, regroup: item], to: print}\n");
    const struct topic *topic = topic_of(0, 1);
    ck_assert_str_eq(topic->name, "repartition__p--b--item");
    ck_assert_str_eq(topic->log_name, topic->name);
    ck_assert(topic->is_internal && topic->is_read && topic->is_written);
    ck_assert_str_eq(topic->key.factory->spec->name, "json");
    ck_assert_str_eq(topic->value.factory->spec->name, "json");
    ck_assert_uint_eq(topic->partitions, 2);
    ck_assert_uint_eq(topic->fed_by_count, 1);
    ck_assert_str_eq(topic->fed_by[0]->name, "b");
    ck_assert_ptr_null(fixture.pipeline->streams[0]->steps[0].repartition);
}
END_TEST

START_TEST(several_topics_are_sorted_and_the_largest_counts)
{
    load_right(HEAD "  x: {from: {topic: b}}\n"
                    "  y: {from: {topic: a}}\n"
                    "  z: {from: [x, y, w], steps: [{regroup: {key: 1 + n, name: k}}], "
                    "to: print}\n"
                    "  w: {from: x}\n");
    ck_assert_str_eq(topic_of(2, 0)->name, "repartition__p--a--b--k");
    ck_assert_uint_eq(topic_of(2, 0)->partitions, 4);
}
END_TEST

START_TEST(an_open_number_stays_open)
{
    load_right(HEAD "  x: {from: {topic: c}}\n"
                    "  y: {from: {topic: a}}\n"
                    "  z: {from: [x, y], steps: [regroup: k], to: print}\n");
    ck_assert_str_eq(topic_of(2, 0)->name, "repartition__p--a--logged--k");
    ck_assert_uint_eq(topic_of(2, 0)->partitions, 0);
}
END_TEST

/* Whatever stands first in the file. */
START_TEST(topics_of_the_pipeline_itself_are_flattened_and_come_first)
{
    load_right(HEAD "  t: {from: s, steps: [pass, regroup: two, regroup: three], to: print}\n"
                    "  s: {from: {topic: b}, steps: [regroup: one, pass]}\n"
                    "  f: {from: {file: f}, steps: [regroup: one], to: print}\n");
    ck_assert_str_eq(topic_of(1, 0)->name, "repartition__p--b--one");
    ck_assert_str_eq(topic_of(0, 1)->name, "repartition__p--repartition.b.one--two");
    ck_assert_str_eq(topic_of(0, 2)->name,
                     "repartition__p--repartition.repartition.b.one.two--three");
    ck_assert_str_eq(topic_of(2, 0)->name, "repartition__p--source.f--one");
    ck_assert_ptr_eq(topic_of(0, 1)->fed_by[0], topic_of(1, 0));
    ck_assert_uint_lt(place_of(topic_of(1, 0)), place_of(topic_of(0, 1)));
    ck_assert_uint_lt(place_of(topic_of(0, 1)), place_of(topic_of(0, 2)));
    ck_assert_uint_eq(topic_of(0, 2)->partitions, 2);
}
END_TEST

START_TEST(inputs_of_steps_come_in_too)
{
    load_right(HEAD "  x: {from: {topic: b}, steps: [{join: y}, regroup: k], to: print}\n"
                    "  y: {from: z}\n"
                    "  z: {from: {topic: c}, steps: [regroup: k]}\n");
    ck_assert_str_eq(topic_of(0, 1)->name, "repartition__p--b.repartition.logged.k--k");
}
END_TEST

START_TEST(a_topic_had_another_name_where_a_step_had)
{
    load_right(HEAD "  s: {from: {topic: b}, steps: [{regroup: one, was: old}, pass, "
                    "regroup: two], to: print}\n");
    ck_assert_str_eq(topic_of(0, 0)->was, "repartition__p--b--old");
    ck_assert_str_eq(topic_of(0, 2)->was, "repartition__p--repartition.b.old--two");
}
END_TEST

/* What comes to the step may be another than it was. */
START_TEST(a_step_may_name_the_whole_topic_that_it_had)
{
    load_right(HEAD
               "  s: {from: {topic: b}, steps: [{regroup: one, was: repartition__p--a.c--old}, "
               "regroup: two], to: print}\n");
    ck_assert_str_eq(topic_of(0, 0)->was, "repartition__p--a.c--old");
    ck_assert_str_eq(topic_of(0, 1)->was, "repartition__p--repartition.a.c.old--two");
}
END_TEST

/* What meets behind such steps has the numbers of their topics. */
START_TEST(partitions_count_behind_the_step)
{
    load_right(HEAD "  x: {from: {topic: b}}\n"
                    "  y: {from: {topic: a}}\n"
                    "  z: {from: [x, y], steps: [regroup: k]}\n"
                    "  j: {from: y, steps: [{join: z}], to: print}\n");
}
END_TEST

static const struct {
    const char *text;
    uint32_t line;
    uint32_t column;
    const char *part;
} faults[] = {
    { HEAD "  s: {from: {topic: b}, steps: [regroup: 1 + n], to: print}\n", 4, 33,
      "needs the option 'name' where 'key' is no plain field" },
    { HEAD "  s: {from: {topic: b}, steps: [{regroup: {ky: n}}], to: print}\n", 4, 44,
      "has no option 'ky'; did you mean 'key'?" },
    { HEAD "  s: {from: {topic: b}, steps: [{regroup: {key: n, name: a b}}], to: print}\n", 4, 34,
      "invalid name of a step 'a b'" },
    { HEAD "  s: {from: {topic: b}, steps: [regroup: n], to: print}\n"
           "  t: {from: {topic: b}, steps: [{regroup: {key: m, name: n}}], to: print}\n",
      5, 34, "this step and the one in line 4 would share the topic 'repartition__p--b--n'" },
    { HEAD "  s: {from: {topic: b}, steps: [{regroup: n, was: n}], to: print}\n", 4, 51,
      "'n' is what it is now" },
    { HEAD "  s: {from: {topic: b}, steps: [{regroup: n, was: repartition__p--b--n}], to: print}\n",
      4, 51, "'repartition__p--b--n' is what it is now" },
    { HEAD "  s: {from: {topic: b}, steps: [{regroup: n, was: m}], to: print}\n"
           "  t: {from: {topic: b}, steps: [regroup: m], to: print}\n",
      4, 51, "'m' still stands in line 5" },
    { HEAD "  s: {from: {topic: b}, steps: [{regroup: n, was: m.}], to: print}\n", 4, 51,
      "invalid name of a step 'm.'" },
    { HEAD "  x: {from: {topic: b}}\n"
           "  z: {from: {topic: a}, steps: [regroup: k]}\n"
           "  j: {from: x, steps: [{join: z}], to: print}\n",
      6, 31, "topic 'b' has 2 partitions and topic 'repartition__p--a--k' 4" },
};

/* Beside warnings of topics that a text leaves unused. */
static const struct diagnostic *only_error(const char *text)
{
    const struct diagnostic *error = NULL;
    fixture_load(text);
    ck_assert_uint_eq(fixture.diagnostics.error_count, 1);
    for (size_t i = 0; i < fixture.diagnostics.count; i++) {
        if (fixture.diagnostics.list[i].severity == SEVERITY_ERROR) {
            error = &fixture.diagnostics.list[i];
        }
    }
    return error;
}

START_TEST(a_fault_has_its_place)
{
    const struct diagnostic *error = only_error(faults[_i].text);
    struct document_position position = document_position(error->place);
    ck_assert_msg(strstr(error->message, faults[_i].part) != NULL, "%s", error->message);
    ck_assert_uint_eq(position.line, faults[_i].line);
    ck_assert_uint_eq(position.column, faults[_i].column);
}
END_TEST

START_TEST(a_long_name_cannot_become_a_topic)
{
    char name[200];
    memset(name, 't', sizeof name);
    name[sizeof name - 1] = '\0';
    char *text = arena_printf(&fixture.arena,
                              "pipeline: a-pipeline-with-a-name-of-its-own\n"
                              "topics: [%s]\n"
                              "streams: {s: {from: {topic: %s}, steps: [regroup: k], to: print}}\n",
                              name, name);
    ck_assert_ptr_nonnull(strstr(only_error(text)->message, "at most 249"));
}
END_TEST

/* Where streams form a loop, that is what is told. */
START_TEST(a_loop_names_nothing)
{
    const struct diagnostic *error = only_error(HEAD "  s: {from: t, steps: [regroup: k]}\n"
                                                     "  t: {from: s, to: print}\n");
    ck_assert_ptr_nonnull(strstr(error->message, "form a loop"));
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("repartition");
    tcase_add_checked_fixture(cases, fixture_set_up, fixture_tear_down);
    tcase_add_test(cases, a_topic_is_named_after_what_comes_in);
    tcase_add_test(cases, several_topics_are_sorted_and_the_largest_counts);
    tcase_add_test(cases, an_open_number_stays_open);
    tcase_add_test(cases, topics_of_the_pipeline_itself_are_flattened_and_come_first);
    tcase_add_test(cases, inputs_of_steps_come_in_too);
    tcase_add_test(cases, a_topic_had_another_name_where_a_step_had);
    tcase_add_test(cases, a_step_may_name_the_whole_topic_that_it_had);
    tcase_add_test(cases, partitions_count_behind_the_step);
    tcase_add_loop_test(cases, a_fault_has_its_place, 0, sizeof faults / sizeof faults[0]);
    tcase_add_test(cases, a_long_name_cannot_become_a_topic);
    tcase_add_test(cases, a_loop_names_nothing);
    Suite *made = suite_create("repartition");
    suite_add_tcase(made, cases);
    return made;
}
