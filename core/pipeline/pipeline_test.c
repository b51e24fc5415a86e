/* SPDX-License-Identifier: MIT */
/*
 * A whole file: the values of the top level, what expressions may refer to, and files that cannot be
 * read.
 */
#include "pipeline/pipeline.h"

#include "base/memory.h"
#include "pipeline/pipeline_fixture.h"

#define STREAMS                                                                                    \
 "streams:\n"                                                                                      \
 "  a:\n"                                                                                          \
 "    from: {topic: t}\n"                                                                          \
 "    to: print\n"
#define REST "topics: [t]\n" STREAMS

START_TEST(a_short_file_gets_all_defaults)
{
    const struct pipeline *pipeline = fixture_load_right("pipeline: p.1\n" REST);
    ck_assert_str_eq(pipeline->name, "p.1");
    ck_assert_str_eq(pipeline->log_url, "local:weir-data");
    ck_assert_int_eq(pipeline->checkpoint_interval_ms, 5000);
    ck_assert_int_eq(pipeline->checkpoint_records, 0);
    ck_assert_int_eq(pipeline->threads, 0);
    ck_assert_int_eq(pipeline->shutdown_timeout_ms, 30000);
    ck_assert_str_eq(pipeline->folder, fixture.folder);
    ck_assert_str_eq(pipeline->file, fixture.path);
}
END_TEST

START_TEST(values_of_the_top_level_are_read)
{
    const struct pipeline *pipeline =
        fixture_load_right("x-anything: [1, 2]\n"
                           "pipeline: p\n"
                           "log: memory\n"
                           "guarantee: exactly-once\n"
                           "checkpoint: {interval: 250ms, records: 9}\n"
                           "threads: 3\n"
                           "shutdown_timeout: 1m\n"
                           "on_error: skip\n" REST);
    ck_assert_str_eq(pipeline->log_url, "memory");
    ck_assert_int_eq(pipeline->checkpoint_interval_ms, 250);
    ck_assert_int_eq(pipeline->checkpoint_records, 9);
    ck_assert_int_eq(pipeline->threads, 3);
    ck_assert_int_eq(pipeline->shutdown_timeout_ms, 60000);
    ck_assert_int_eq(pipeline->streams[0]->ends[0].plugin.on_error, ON_ERROR_SKIP);
    ck_assert_int_eq(pipeline->topics[0]->value.on_error, ON_ERROR_SKIP);
}
END_TEST

START_TEST(a_checkpoint_keeps_the_default_of_what_it_does_not_name)
{
    const struct pipeline *pipeline = fixture_load_right("pipeline: p\n"
                                                         "checkpoint: {records: 9}\n" REST);
    ck_assert_int_eq(pipeline->checkpoint_interval_ms, 5000);
    ck_assert_int_eq(pipeline->checkpoint_records, 9);
}
END_TEST

START_TEST(variables_are_replaced_in_names)
{
    ck_assert_int_eq(setenv("WEIR_TEST_NAME", "t", 1), 0);
    const struct pipeline *pipeline =
        fixture_load_right("pipeline: p-${WEIR_TEST_NAME}\n"
                           "log: ${WEIR_TEST_NONE:-memory}\n"
                           "topics: [t]\n"
                           "streams: {a: {from: {topic: \"${WEIR_TEST_NAME}\"}, to: print}}\n");
    ck_assert_str_eq(pipeline->name, "p-t");
    ck_assert_str_eq(pipeline->log_url, "memory");
}
END_TEST

START_TEST(expressions_find_functions_by_name_and_qualified_name)
{
    const struct pipeline *pipeline = fixture_load_right("pipeline: p\n" REST);
    const struct expr_env *env = &pipeline->env;
    static const char *const names[] = { "upper", "org.example.fixture.upper" };
    for (size_t i = 0; i < 2; i++) {
        const struct expr_function *function =
            env->find_function(env->self, names[i], strlen(names[i]));
        ck_assert_ptr_nonnull(function);
        ck_assert_ptr_eq(function->vtable, &function_vtable);
        ck_assert_ptr_eq(function->host, &pipeline->function_host.host);
    }
    ck_assert_ptr_null(env->find_function(env->self, "uper", 4));
    struct nearest search;
    nearest_start(&search, "uper", 4);
    env->offer_functions(env->self, &search);
    ck_assert_str_eq(nearest_found(&search), "upper");
    ck_assert_int_eq(setenv("WEIR_TEST_NAME", "x", 1), 0);
    ck_assert_str_eq(env->get_env(env->self, "WEIR_TEST_NAME"), "x");
    ck_assert_ptr_eq(pipeline->services.symbols, &pipeline->symbols);
}
END_TEST

START_TEST(a_file_that_is_not_there_is_a_fault_without_place)
{
    ck_assert_ptr_null(pipeline_load("/nowhere/p.yaml", &fixture.registry, &fixture.diagnostics));
    ck_assert_uint_eq(fixture.diagnostics.error_count, 1);
    ck_assert_ptr_null(fixture.diagnostics.list[0].place.file);
    ck_assert_ptr_nonnull(strstr(fixture.diagnostics.list[0].message, "'/nowhere/p.yaml'"));
}
END_TEST

START_TEST(a_file_that_is_no_yaml_has_no_other_fault)
{
    fixture_expect_only("piepline: p\nstreams: [\n", SEVERITY_ERROR, 2, 10, "never closed");
}
END_TEST

START_TEST(all_faults_are_found_in_one_run_and_in_order)
{
    ck_assert_ptr_null(fixture_load("pipeline: p\n"
                                    "treads: 3\n"
                                    "topics: [t, u]\n"
                                    "streams:\n"
                                    "  a:\n"
                                    "    from: {topic: t}\n"
                                    "    steps:\n"
                                    "      - pas\n"
                                    "    to: prnt\n"
                                    "memory: 5MiB\n"));
    ck_assert_uint_eq(fixture.diagnostics.error_count, 4);
    fixture_expect(0, SEVERITY_ERROR, 2, 1, "did you mean 'threads'?");
    fixture_expect(1, SEVERITY_ERROR, 8, 9, "did you mean 'pass'?");
    fixture_expect(2, SEVERITY_ERROR, 9, 9, "did you mean 'print'?");
    fixture_expect(3, SEVERITY_ERROR, 10, 9, "'memory'");
}
END_TEST

START_TEST(a_misspelt_key_is_read_as_what_it_means)
{
    ck_assert_ptr_null(
        fixture_load("pipelin: p\n"
                     "topcs: {t: {valeu: jsn}}\n"
                     "streems: {a: {form: {topic: t}, stepps: [pas], to: print}}\n"));
    ck_assert_uint_eq(fixture.diagnostics.count, 8);
    fixture_expect(0, SEVERITY_ERROR, 1, 1, "'pipelin'");
    fixture_expect(1, SEVERITY_ERROR, 2, 1, "'topcs'");
    fixture_expect(2, SEVERITY_ERROR, 2, 13, "'valeu'");
    fixture_expect(3, SEVERITY_ERROR, 2, 20, "'jsn'");
    fixture_expect(4, SEVERITY_ERROR, 3, 1, "'streems'");
    fixture_expect(5, SEVERITY_ERROR, 3, 15, "'form'");
    fixture_expect(6, SEVERITY_ERROR, 3, 33, "'stepps'");
    fixture_expect(7, SEVERITY_ERROR, 3, 42, "'pas'");
}
END_TEST

START_TEST(warnings_alone_leave_a_pipeline)
{
    ck_assert_ptr_nonnull(fixture_load("pipeline: p\ntopics: [t, u]\n" STREAMS));
    ck_assert_uint_eq(fixture.diagnostics.warning_count, 1);
}
END_TEST

START_TEST(without_plugins_only_that_is_said)
{
    registry_deinit(&fixture.registry);
    registry_init(&fixture.registry);
    fixture_expect_only("pipeline: p\n" REST, SEVERITY_ERROR, 1, 1, "no plugins are found");
}
END_TEST

START_TEST(a_plugin_that_cannot_be_loaded_is_named_with_its_reason)
{
    char *broken = arena_printf(&fixture.arena, "%s/broken.so", fixture.folder);
    FILE *file = fopen(broken, "we");
    ck_assert_ptr_nonnull(file);
    ck_assert_int_ge(fputs("this is no shared object", file), 0);
    ck_assert_int_eq(fclose(file), 0);
    fixture_load("pipeline: p\n"
                 "plugins: [.]\n"
                 "topics: [t]\n"
                 "streams: {a: {from: {topic: t}, steps: [broken], to: print}}\n");
    ck_assert_int_eq(unlink(broken), 0);
    ck_assert_uint_eq(fixture.diagnostics.count, 2);
    fixture_expect(0, SEVERITY_WARNING, 2, 11, "broken.so");
    fixture_expect(1, SEVERITY_ERROR, 4, 41, "operator 'broken' cannot be used: ");
}
END_TEST

START_TEST(two_plugins_of_one_id_are_a_fault_wherever_they_were_found)
{
    struct registry *registry = &fixture.registry;
    registry->problems = memory_zeroed(1, sizeof *registry->problems);
    ck_assert_ptr_nonnull(registry->problems);
    registry->problem_count = registry->problem_capacity = 1;
    registry->problems[0] = (struct plugin_problem){
        .path = "b.so", .message = "'a.so' and 'b.so' are one", .id = "x", .is_duplicate = true
    };
    fixture_expect_only("pipeline: p\n" REST, SEVERITY_ERROR, 1, 1, "'a.so' and 'b.so' are one");
}
END_TEST

/* Each allocation fails once: no crash, and nobody takes half a pipeline for a whole one. */
START_TEST(no_memory_is_an_answer_too)
{
    static const char text[] =
        "pipeline: p\n"
        "checkpoint: {interval: 1s}\n"
        "topics: {t: {event_time: ts, name: \"${WEIR_TEST_NONE:-x}\"}, u: {}}\n"
        "streams:\n"
        "  a: {from: {file: f}, steps: [pass, filter: a > 1], to: [{topic: "
        "t}, file: o]}\n"
        "  b: {from: [a, c], to: print}\n"
        "  c:\n"
        "    from: {topic: u}\n"
        "    steps:\n"
        "      - filter: |\n"
        "          a\n"
        "            + upper(b) == 'C'\n"
        "        id: one\n";
    const struct document_file file = { "/tmp/p.yaml", text, sizeof text - 1 };
    bool is_done = false;
    for (size_t k = 1; !is_done && k < 2000; k++) {
        struct arena arena;
        struct diagnostics diagnostics;
        arena_init(&arena, 0);
        diagnostics_init(&diagnostics, &arena);
        memory_fail_from(k);
        struct pipeline *pipeline = pipeline_read(&file, &fixture.registry, &diagnostics);
        memory_fail_from(0);
        is_done = pipeline != NULL;
        ck_assert_msg(is_done || diagnostics.is_out_of_memory || diagnostics.error_count > 0,
                      "allocation %zu: neither a pipeline nor a fault", k);
        pipeline_destroy(pipeline);
        diagnostics_deinit(&diagnostics);
        arena_deinit(&arena);
    }
    ck_assert(is_done);
}
END_TEST

static const struct {
    const char *file;
    uint32_t line;
    uint32_t column;
    const char *part;
} faults[] = {
    { REST, 1, 1, "'pipeline' is missing" },
    { "pipeline: p\n", 1, 1, "'streams' is missing" },
    { "[a]\n", 1, 1, "a pipeline file is a map" },
    { "pipeline: a b\n" REST, 1, 11, "invalid pipeline name 'a b'" },
    { "pipeline: ..\n" REST, 1, 11, "invalid pipeline name '..'" },
    { "pipeline:\n" REST, 1, 1, "'pipeline' has no value" },
    { "pipeline: [p]\n" REST, 1, 11, "option 'pipeline' expects a text" },
    { "pipeline: p\nlog: kafka://h:x\n" REST, 2, 6, "'x' is no port" },
    { "pipeline: p\nlog: local\n" REST, 2, 6, "unknown log 'local'" },
    { "pipeline: p\nlog: 'local:'\n" REST, 2, 6, "folder is missing" },
    { "pipeline: p\nguarantee: exactly_once\n" REST, 2, 12, "did you mean 'exactly-once'?" },
    { "pipeline: p\nthreads: 1025\n" REST, 2, 10, "between 0 and 1024" },
    { "pipeline: p\nthreads: many\n" REST, 2, 10, "expects a whole number" },
    { "pipeline: p\ncheckpoint: {interval: 5}\n" REST, 2, 24, "write its unit too" },
    { "pipeline: p\ncheckpoint: {every: 5s}\n" REST, 2, 14, "'every'" },
    { "pipeline: p\non_error: skipp\n" REST, 2, 11, "did you mean 'skip'?" },
    { "pipeline: p\non_error: dead_letter\n" REST, 2, 11, "needs an end for the letters" },
    { "pipeline: p\non_error: dead_letter\ndead_letters: [print]\n" REST, 3, 15,
      "one end, not a list" },
    { "pipeline: p\nlog: kafka://h\nkafka: {a: b}\n" REST, 3, 9, "unknown property 'a'" },
    { "pipeline: p\nstate: {a: b}\n" REST, 2, 1, "comes with a later version" },
    { "pipeline: p\nmemory: 1MiB\n" REST, 2, 9, "too little; the least" },
    { "pipeline: p\nplugins: nowhere.so\n" REST, 2, 10, "nowhere.so" },
    { "pipeline: p\nplugins: [{path: ., sha256: abc}]\n" REST, 2, 11, "is a folder" },
    { "pipeline: p\nplugins: [{sha256: abc}]\n" REST, 2, 11, "needs the option 'path'" },
    { "pipeline: p\ntopics: t\n" STREAMS, 2, 9, "'topics' is a map" },
    { "pipeline: p\nstreams: {}\n", 2, 10, "there is no stream here" },
    { "pipeline: p\nstreams: [a]\n", 2, 10, "'streams' is a map" },
};

START_TEST(a_fault_of_the_top_level_has_its_place)
{
    fixture_load(faults[_i].file);
    fixture_expect(0, SEVERITY_ERROR, faults[_i].line, faults[_i].column, faults[_i].part);
}
END_TEST

Suite *suite(void)
{
    TCase *cases = tcase_create("pipeline");
    tcase_add_checked_fixture(cases, fixture_set_up, fixture_tear_down);
    tcase_add_test(cases, a_short_file_gets_all_defaults);
    tcase_add_test(cases, values_of_the_top_level_are_read);
    tcase_add_test(cases, a_checkpoint_keeps_the_default_of_what_it_does_not_name);
    tcase_add_test(cases, variables_are_replaced_in_names);
    tcase_add_test(cases, expressions_find_functions_by_name_and_qualified_name);
    tcase_add_test(cases, a_file_that_is_not_there_is_a_fault_without_place);
    tcase_add_test(cases, a_file_that_is_no_yaml_has_no_other_fault);
    tcase_add_test(cases, all_faults_are_found_in_one_run_and_in_order);
    tcase_add_test(cases, a_misspelt_key_is_read_as_what_it_means);
    tcase_add_test(cases, warnings_alone_leave_a_pipeline);
    tcase_add_test(cases, without_plugins_only_that_is_said);
    tcase_add_test(cases, a_plugin_that_cannot_be_loaded_is_named_with_its_reason);
    tcase_add_test(cases, two_plugins_of_one_id_are_a_fault_wherever_they_were_found);
    tcase_add_test(cases, no_memory_is_an_answer_too);
    tcase_add_loop_test(cases, a_fault_of_the_top_level_has_its_place, 0,
                        sizeof faults / sizeof faults[0]);
    Suite *made = suite_create("pipeline");
    suite_add_tcase(made, cases);
    return made;
}
