/* SPDX-License-Identifier: MIT */
/*
 * Topics: serializers and options, names, and what cannot be declared.
 */
#include "pipeline/pipeline_fixture.h"

/* Its own fault, at the end of the file, keeps unused topics from being a warning. */
#define STREAMS "streams: {a: {from: {topic: t}, to: prnt}}\n"

START_TEST(a_topic_has_defaults_and_options)
{
    const struct pipeline *pipeline =
        fixture_load_right("pipeline: p\n"
                           "topics:\n"
                           "  t:\n"
                           "  u: {key: json, value: text, event_time: ts, partitions: 3, name: v,\n"
                           "      partitioner: fnv1a}\n"
                           "streams: {a: {from: {topic: t}, to: {topic: u}}}\n");
    const struct topic *t = pipeline->topics[0];
    ck_assert_ptr_eq(t->key.factory->spec, &text_factory);
    ck_assert_ptr_eq(t->value.factory->spec, &json_factory);
    ck_assert_str_eq(t->value.label, "topics.t.value (json)");
    ck_assert_str_eq(t->value.id, "json");
    ck_assert_str_eq(t->log_name, "t");
    ck_assert_uint_eq(t->partitions, 0);
    ck_assert_int_eq(t->partitioner, PARTITIONER_NONE);
    ck_assert_ptr_null(t->event_time);
    ck_assert(!t->is_internal);
    const struct topic *u = pipeline->topics[1];
    ck_assert_ptr_eq(u->key.factory->spec, &json_factory);
    ck_assert_ptr_eq(u->value.factory->spec, &text_factory);
    ck_assert_str_eq(u->value.id, "text");
    ck_assert_str_eq(u->name, "u");
    ck_assert_str_eq(u->log_name, "v");
    ck_assert_uint_eq(u->partitions, 3);
    ck_assert_int_eq(u->partitioner, PARTITIONER_FNV1A);
    ck_assert_ptr_nonnull(u->event_time);
}
END_TEST

START_TEST(what_a_topic_keeps_is_given_or_left_open)
{
    const struct pipeline *pipeline =
        fixture_load_right("pipeline: p\n"
                           "topics:\n"
                           "  t:\n"
                           "  u: {retention: 36h, retention_size: 1MiB, compact: true,\n"
                           "      tombstone_retention: 0}\n"
                           "streams: {a: {from: {topic: t}, to: {topic: u}}}\n");
    const struct topic_keeping *t = &pipeline->topics[0]->keeping;
    ck_assert_int_lt(t->retention_ms, 0);
    ck_assert_int_lt(t->retention_bytes, 0);
    ck_assert_int_lt(t->tombstone_ms, 0);
    ck_assert_uint_eq(t->is_compacted, KEEPING_OPEN);
    const struct topic_keeping *u = &pipeline->topics[1]->keeping;
    ck_assert_int_eq(u->retention_ms, 36 * 3600 * 1000);
    ck_assert_int_eq(u->retention_bytes, 1 << 20);
    ck_assert_int_eq(u->tombstone_ms, 0);
    ck_assert_uint_eq(u->is_compacted, 1);
}
END_TEST

static const struct {
    const char *topics;
    uint32_t line;
    uint32_t column;
    const char *part;
} faults[] = {
    { "topics: [t, t]\n", 2, 13, "topic 't' is declared twice" },
    { "topics: [t, {u: 1}]\n", 2, 13, "holds names only" },
    { "topics: {t: json}\n", 2, 13, "the options of topic 't' are a map" },
    { "topics: {t: {valeu: json}}\n", 2, 14, "unknown option 'valeu' of topic 't'" },
    { "topics: {t: {value: jsn}}\n", 2, 21, "unknown serializer 'jsn'; did you mean 'json'?" },
    { "topics: {t: {value: filter}}\n", 2, 21, "'filter' is an operator" },
    { "topics: {t: {value: {json: {depth: 3}}}}\n", 2, 29, "has no option 'depth'" },
    { "topics: {t: {value: {json: {}, id: x}}}\n", 2, 32, "unknown key 'id' beside 'json'" },
    { "topics: {t: {partitions: 0}}\n", 2, 26, "between 1 and" },
    { "topics: {t: {partitions: two}}\n", 2, 26, "expects a whole number" },
    { "topics: {t: {key: }}\n", 2, 14, "'key' has no value" },
    { "topics: {t: {partitioner: murmur}}\n", 2, 27, "did you mean 'murmur2'?" },
    { "topics: {t: {retention: 7}}\n", 2, 25, "expects a duration" },
    { "topics: {t: {retention_size: many}}\n", 2, 30, "expects a size" },
    { "topics: {t: {compact: maybe}}\n", 2, 23, "expects true or false" },
    { "topics: {t: {idle_advance: 5s}}\n", 2, 14, "comes with a later version" },
    { "topics: {t: {name: 'a b'}}\n", 2, 20, "invalid topic name 'a b'" },
    { "topics: {t: {name: source__x}}\n", 2, 20, "begin with 'source__'" },
    { "topics: {t: {}, u: {name: t}}\n", 2, 27, "'t' and 'u' are both 't' in the log" },
    { "topics: {t: {}, __u: {}}\n", 2, 17, "begin with '__'" },
    { "topics: {t: {}, repartition__u: {}}\n", 2, 17, "begin with 'repartition__'" },
    { "topics: {t: {}, changelog__u: {}}\n", 2, 17, "begin with 'changelog__'" },
    { "topics: {t: {}, t/u: {}}\n", 2, 17, "invalid topic name 't/u'" },
};

START_TEST(a_fault_of_a_topic_has_its_place)
{
    char *text = arena_printf(&fixture.arena, "pipeline: p\n%s" STREAMS, faults[_i].topics);
    fixture_load(text);
    fixture_expect(0, SEVERITY_ERROR, faults[_i].line, faults[_i].column, faults[_i].part);
    ck_assert_uint_eq(fixture.diagnostics.error_count, 2);
}
END_TEST

START_TEST(a_name_has_a_limit)
{
    char name[202];
    memset(name, 'n', sizeof name);
    name[201] = '\0';
    char *text = arena_printf(&fixture.arena, "pipeline: p\ntopics: [t, %s]\n" STREAMS, name);
    fixture_load(text);
    fixture_expect(0, SEVERITY_ERROR, 2, 13, "has 201 bytes; at most 200");
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("topics");
    tcase_add_checked_fixture(cases, fixture_set_up, fixture_tear_down);
    tcase_add_test(cases, a_topic_has_defaults_and_options);
    tcase_add_test(cases, what_a_topic_keeps_is_given_or_left_open);
    tcase_add_loop_test(cases, a_fault_of_a_topic_has_its_place, 0,
                        sizeof faults / sizeof faults[0]);
    tcase_add_test(cases, a_name_has_a_limit);
    Suite *made = suite_create("topics");
    suite_add_tcase(made, cases);
    return made;
}
