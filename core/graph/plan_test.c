/* SPDX-License-Identifier: MIT */
/*
 * Plans of small graphs, written as one text each: the nodes in order with their inputs.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "graph/plan.h"
#include "unit.h"

enum { STREAMS = 8, ENDS = 3 };

static struct topic in = { .name = "in", .is_read = true };
static struct topic out = { .name = "out", .is_written = true };
static struct topic other = { .name = "other", .is_written = true };
static struct topic between = { .name = "between", .is_read = true, .is_written = true };
static struct topic *topics[] = { &in, &out, &other, &between };

static const weir_factory spec = { .struct_size = sizeof spec, .name = "step" };
static const struct factory factory = { .spec = &spec };
static const char *const output_names[] = { "x", "y", "z", NULL };
static struct plugin_use steps[2] = {
    { .factory = &factory, .id = "step", .label = "step" },
    { .factory = &factory, .id = "step", .label = "step" },
};
static struct plugin_use regroup[2] = {
    { .factory = &factory, .id = "regroup", .label = "regroup", .repartition = &between },
    { .factory = &factory, .id = "step", .label = "step" },
};
static struct plugin_use split = {
    .factory = &factory, .id = "split", .label = "split", .outputs = output_names, .output_count = 3
};

/*
 * A stream by what the plan looks at. parents: names of streams, one letter each, with a digit behind
 * it the number of the output; "": the topic. steps: -1 is one step with three outputs, -2 are
 * two, the first of which goes through the topic 'between'. ends: 's' a
 * sink, 't' the topic 'out', 'c' one of 'out' and 'other'. Behind '|', and the numbers of a step and
 * of its input, stands what comes in there.
 */
struct shape {
    const char *name;
    const char *parents;
    int steps;
    const char *ends;
};

struct graph {
    struct pipeline pipeline;
    struct stream streams[STREAMS];
    struct stream *order[STREAMS];
    struct stream_input inputs[STREAMS][STREAMS];
    struct end ends[STREAMS][ENDS];
    struct arena arena;
};

/* "ab2": the streams a and b, of which it is the third output; to the end or a '|'. */
static void read_inputs(struct graph *g, struct stream *stream, const char *names)
{
    for (const char *p = names; *p != 0 && *p != '|'; p++) {
        struct stream_input *input = &stream->inputs[stream->input_count++];
        *input = (struct stream_input){ .stream = g->streams };
        while (input->stream->name[0] != *p) {
            input->stream++;
        }
        if (p[1] >= '0' && p[1] <= '9') {
            input->output = (uint32_t)(*++p - '0');
        }
    }
}

static void build(struct graph *g, const struct shape *shapes)
{
    *g = (struct graph){ .pipeline = { .topics = topics, .topic_count = 4 } };
    arena_init(&g->arena, 0);
    for (size_t i = 0; shapes[i].name != NULL; i++) {
        struct stream *s = &g->streams[i];
        *s = (struct stream){ .name = shapes[i].name,
                              .steps = shapes[i].steps == -1   ? &split
                                       : shapes[i].steps == -2 ? regroup
                                                               : steps,
                              .step_count = (size_t)abs(shapes[i].steps),
                              .ends = g->ends[i],
                              .inputs = g->inputs[i] };
        for (const char *e = shapes[i].ends; *e != 0; e++) {
            struct end *end = &g->ends[i][s->end_count++];
            *end = (struct end){ .kind = *e == 's' ? END_SINK : END_TOPIC };
            if (*e != 's') {
                end->topics = &topics[1];
                end->topic_count = *e == 'c' ? 2 : 1;
            }
        }
        g->order[i] = s;
        g->pipeline.stream_count++;
    }
    g->pipeline.streams = g->order;
    for (size_t i = 0; i < g->pipeline.stream_count; i++) {
        struct stream *s = &g->streams[i];
        read_inputs(g, s, shapes[i].parents);
        s->from_count = s->input_count;
        for (const char *at = strchr(shapes[i].parents, '|'); at != NULL;
             at = strchr(at + 1, '|')) {
            struct stream_input *input = &s->inputs[s->input_count];
            read_inputs(g, s, at + 3);
            for (; input < s->inputs + s->input_count; input++) {
                input->step = (size_t)(at[1] - '0');
                input->port = (uint32_t)(at[2] - '0');
            }
        }
        s->topic = s->from_count == 0 ? &in : NULL;
    }
}

/* "input; branch(0)#; step a(1.0); ...": '#' marks a numbering branch point, '*' a step with
 * several inputs; behind a merge in front of it their numbers: "merge(1.0,1.1)[0,1]". */
static void print_plan(const struct plan *plan, char *room, size_t size)
{
    static const char *const names[] = { "input", "step", "branch", "merge", "end", "write" };
    size_t used = 0;
    room[0] = 0;
    for (uint32_t i = 0; i < plan->node_count; i++) {
        const struct plan_node *node = &plan->nodes[i];
        used +=
            (size_t)snprintf(room + used, size - used, "%s%s", i > 0 ? " " : "", names[node->kind]);
        if (node->stream != NULL) {
            used += (size_t)snprintf(room + used, size - used, ":%s", node->stream->name);
        }
        for (uint32_t k = 0; k < node->input_count; k++) {
            used += (size_t)snprintf(room + used, size - used, "%s%u.%u", k == 0 ? "(" : ",",
                                     node->inputs[k].node, node->inputs[k].output);
        }
        used +=
            (size_t)snprintf(room + used, size - used, "%s%s%s", node->input_count > 0 ? ")" : "",
                             node->is_numbering ? "#" : "", node->has_ports ? "*" : "");
        bool is_in_front_of_step = node->ports != NULL && plan->nodes[i + 1].kind == PLAN_STEP;
        for (uint32_t k = 0; is_in_front_of_step && k < node->input_count; k++) {
            used += (size_t)snprintf(room + used, size - used, "%s%u%s", k == 0 ? "[" : ",",
                                     node->ports[k], k + 1 == node->input_count ? "]" : "");
        }
    }
}

struct plan_case {
    const char *title;
    struct shape shapes[STREAMS];
    const char *wanted;
};

static const struct plan_case cases[] = {
    { "a chain has no branch",
      { { "a", "", 2, "t" } },
      "input step:a(0.0) step:a(1.0) end:a(2.0) write(3.0)" },
    { "ends come before the streams that read, those in the order of the file",
      { { "a", "", 0, "s" }, { "b", "a", 0, "s" }, { "c", "a", 1, "s" } },
      "input branch(0.0) end:a(1.0) end:b(1.1) step:c(1.2) end:c(4.0)" },
    { "a parent that stands later in the file is built first",
      { { "b", "a", 0, "s" }, { "a", "", 1, "" } },
      "input step:a(0.0) end:b(1.0)" },
    { "branches that meet again are numbered",
      { { "a", "", 0, "" }, { "b", "a", 1, "" }, { "c", "a", 0, "" }, { "m", "cb", 0, "s" } },
      "input branch(0.0)# step:b(1.0) merge(1.1,2.0) end:m(3.0)" },
    { "two ends on one topic are merged",
      { { "a", "", 0, "t" }, { "b", "a", 1, "t" } },
      "input branch(0.0)# end:a(1.0) step:b(1.1) end:b(3.0) merge(2.0,4.0) write(5.0)" },
    { "only the branch point where the paths part is numbered",
      { { "a", "", 0, "" }, { "b", "a", 0, "ss" }, { "c", "a", 0, "" }, { "m", "bc", 0, "s" } },
      "input branch(0.0)# branch(1.0) end:b(2.0) end:b(2.1) merge(2.2,1.1) end:m(5.0)" },
    { "several streams on one topic branch at the input",
      { { "a", "", 0, "s" }, { "b", "", 0, "s" } },
      "input branch(0.0) end:a(1.0) end:b(1.1)" },
    { "each output is read by itself, and nobody need read one",
      { { "a", "", -1, "" }, { "b", "a2", 0, "s" }, { "c", "a0", 0, "s" } },
      "input step:a(0.0) end:b(1.2) end:c(1.0)" },
    { "an output that several read branches",
      { { "a", "", -1, "" }, { "b", "a1", 0, "s" }, { "c", "a1", 0, "s" }, { "d", "a0", 0, "s" } },
      "input step:a(0.0) branch(1.1) end:b(2.0) end:c(2.1) end:d(1.0)" },
    { "outputs that meet again are numbered",
      { { "a", "", -1, "" }, { "b", "a0", 1, "" }, { "m", "a2b", 0, "s" } },
      "input step:a(0.0)# step:b(1.0) merge(1.2,2.0) end:m(3.0)" },
    { "so are those of one list, and of one topic",
      { { "a", "", -1, "" }, { "m", "a1a0", 0, "t" }, { "n", "a2", 0, "t" } },
      "input step:a(0.0)# merge(1.1,1.0) end:m(2.0) end:n(1.2) merge(3.0,4.0) write(5.0)" },
    { "an end that chooses among topics has an output for each",
      { { "a", "", 0, "c" }, { "b", "a", 1, "t" } },
      "input branch(0.0)# end:a(1.0) step:b(1.1) end:b(3.0) merge(2.0,4.0) write(5.0) write(2.1)" },
    { "two that choose among the same are merged at each topic",
      { { "a", "", 0, "cc" } },
      "input branch(0.0)# end:a(1.0) end:a(1.1) merge(2.0,3.0) write(4.0) merge(2.1,3.1) "
      "write(6.0)" },
    { "branches of one output that meet again do not number the step",
      { { "a", "", -1, "" }, { "b", "a0", 0, "" }, { "c", "a0", 0, "" }, { "m", "bc", 0, "s" } },
      "input step:a(0.0) branch(1.0)# merge(2.0,2.1) end:m(3.0)" },
    { "what an option reads is merged in front of its step",
      { { "a", "", 0, "" }, { "b", "a|11c", 2, "s" }, { "c", "a", 1, "" } },
      "input branch(0.0)# step:b(1.0) step:c(1.1) merge(2.0,3.0)[0,1] step:b(4.0)* end:b(5.0)" },
    { "a stream that comes in at two inputs comes to the first one first",
      { { "a", "", 0, "s" }, { "b", "a|01a", 1, "s" }, { "c", "a", 0, "s" } },
      "input branch(0.0)# end:a(1.0) merge(1.1,1.2)[0,1] step:b(3.0)* end:b(4.0) end:c(1.3)" },
    { "readers count in the order of the file, whether by 'from' or an option",
      { { "b", "x|01a|02a", 1, "s" }, { "a", "", 0, "" }, { "x", "a", 0, "" } },
      "input branch(0.0)# merge(1.2,1.0,1.1)[0,1,2] step:b(2.0)* end:b(3.0)" },
    { "an input may be left out, and one may take several streams",
      { { "a", "", -1, "" }, { "b", "a0|02a1a2", 1, "s" } },
      "input step:a(0.0)# merge(1.0,1.1,1.2)[0,2,2] step:b(2.0)* end:b(3.0)" },
    { "steps behind each other have inputs of their own",
      { { "a", "|01b|11c", 2, "s" }, { "b", "", 0, "" }, { "c", "b", 0, "" } },
      "input branch(0.0)# branch(1.1)# merge(1.0,2.0)[0,1] step:a(3.0)* merge(4.0,2.1)[0,1] "
      "step:a(5.0)* end:a(6.0)" },
    { "a step that gives records another place writes its topic, and the stream goes on from that",
      { { "a", "", 0, "" }, { "b", "a", -2, "s" }, { "c", "a", 0, "" }, { "m", "bc", 0, "s" } },
      "input branch(0.0) step:b(1.0) write(2.0) input step:b(4.0) branch(5.0) end:b(6.0) "
      "merge(6.1,1.1) end:m(8.0)" },
};

START_TEST(plans_stand_as_drawn)
{
    const struct plan_case *c = &cases[_i];
    static struct graph g;
    char text[2048];
    build(&g, c->shapes);
    struct plan *plan = plan_create(&g.pipeline, NULL, &g.arena);
    ck_assert_ptr_nonnull(plan);
    print_plan(plan, text, sizeof text);
    ck_assert_msg(strcmp(text, c->wanted) == 0, "%s:\n  %s\nwanted\n  %s", c->title, text,
                  c->wanted);
    arena_deinit(&g.arena);
}
END_TEST

START_TEST(a_topic_is_left_out_where_records_need_not_go_through_it)
{
    static const struct shape shapes[STREAMS] = { { "a", "", -2, "s" } };
    static struct graph g;
    static const struct {
        uint32_t partitions;
        bool is_given;
        bool is_left_out[4];
        const char *wanted;
    } wanted[] = {
        { 0, false, { false }, "input step:a(0.0) write(1.0) input step:a(3.0) end:a(4.0)" },
        { 4, false, { false }, "input step:a(0.0) write(1.0) input step:a(3.0) end:a(4.0)" },
        { 1, false, { false }, "input step:a(0.0) step:a(1.0) end:a(2.0)" },
        { 4, true, { false, false, false, true }, "input step:a(0.0) step:a(1.0) end:a(2.0)" },
        { 1, true, { false }, "input step:a(0.0) write(1.0) input step:a(3.0) end:a(4.0)" },
    };
    for (size_t i = 0; i < sizeof wanted / sizeof wanted[0]; i++) {
        char text[256];
        build(&g, shapes);
        between.partitions = wanted[i].partitions;
        struct plan *plan =
            plan_create(&g.pipeline, wanted[i].is_given ? wanted[i].is_left_out : NULL, &g.arena);
        ck_assert_ptr_nonnull(plan);
        print_plan(plan, text, sizeof text);
        ck_assert_str_eq(text, wanted[i].wanted);
        ck_assert_uint_eq(plan->route_count, strstr(text, "write") != NULL ? 2 : 1);
        arena_deinit(&g.arena);
    }
    between.partitions = 0;
}
END_TEST

START_TEST(a_writer_knows_which_end_a_record_is_from)
{
    static const struct shape shapes[STREAMS] = { { "a", "", 0, "t" }, { "b", "a", 0, "t" } };
    static struct graph g;
    build(&g, shapes);
    struct plan *plan = plan_create(&g.pipeline, NULL, &g.arena);
    ck_assert_ptr_nonnull(plan);
    const struct plan_node *write = &plan->nodes[plan->node_count - 1];
    ck_assert_int_eq(write->kind, PLAN_WRITE);
    ck_assert_uint_eq(write->writer_count, 2);
    for (uint32_t i = 0; i < 2; i++) {
        ck_assert_int_eq(plan->nodes[write->writers[i]].kind, PLAN_END);
        ck_assert_uint_eq(plan->nodes[write->inputs[0].node].inputs[i].node, write->writers[i]);
    }
    static const uint16_t wanted[] = { 0, 1 };
    const struct plan_node *merge = &plan->nodes[write->inputs[0].node];
    ck_assert_mem_eq(merge->ports, wanted, sizeof wanted);
    arena_deinit(&g.arena);
}
END_TEST

Suite *suite(void)
{
    Suite *s = suite_create("plan");
    TCase *tc = tcase_create("plan");
    tcase_add_loop_test(tc, plans_stand_as_drawn, 0, (int)(sizeof cases / sizeof cases[0]));
    tcase_add_test(tc, a_topic_is_left_out_where_records_need_not_go_through_it);
    tcase_add_test(tc, a_writer_knows_which_end_a_record_is_from);
    suite_add_tcase(s, tc);
    return s;
}
