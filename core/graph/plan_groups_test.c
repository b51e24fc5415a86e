/* SPDX-License-Identifier: MIT */
/*
 * Which routes meet, and how deep their groups are, in plans that are written down by hand.
 */
#include <stdio.h>
#include <string.h>

#include "graph/plan_paths.h"
#include "unit.h"

enum { NODES = 24, TOPICS = 8 };

static struct topic topics[TOPICS];

/* A node as a text: "i0" the INPUT of topic 0, "s", "m", "w2" a WRITE to topic 2, then the numbers of the
 * nodes that it reads. */
static const char *const shapes[][NODES] = {
    { "i0", "s 0", "w1 1" },
    { "i0", "i1", "m 0 1", "s 2" },
    { "i0", "i1", "s 0", "s 1", "m 2 3", "w2 4" },
    { "i0", "i1", "i2", "m 1 2", "m 0 3" },
    { "i0", "i1", "i2", "i3", "m 2 3", "m 0 1", "m 5 4" },
    { "i0", "i1", "i2", "m 0 2", "i3", "m 1 4" },
    { "i0", "w1 0", "i1", "w2 2", "i2", "i3", "m 4 5" },
    { "i2", "i0", "w1 1", "i1", "m 3 0", "s 4", "w4 5", "i4" },
    { "i0", "w1 0", "i1", "w0 2" },
};

/* Each group: its routes by the topic, '@' its depth. */
static const char *const wanted[] = {
    "0@0",       "01@0",         "0@0 1@0",      "012@0",   "0123@0",
    "02@0 13@0", "0@0 1@1 23@2", "21@1 0@0 4@2", "0@3 1@4",
};

_Static_assert(sizeof shapes / sizeof shapes[0] == sizeof wanted / sizeof wanted[0],
               "a text for each graph");

static void build(const char *const *shape, struct plan *plan, struct arena *arena)
{
    plan->nodes = arena_zeroed(arena, NODES * sizeof *plan->nodes);
    for (; shape[plan->node_count] != NULL; plan->node_count++) {
        const char *text = shape[plan->node_count];
        struct plan_node *node = &plan->nodes[plan->node_count];
        struct plan_edge *inputs = arena_zeroed(arena, NODES * sizeof *inputs);
        bool has_topic = text[1] >= '0' && text[1] <= '9';
        *node = (struct plan_node){ .kind = text[0] == 'i'   ? PLAN_INPUT
                                            : text[0] == 's' ? PLAN_STEP
                                            : text[0] == 'm' ? PLAN_MERGE
                                                             : PLAN_WRITE,
                                    .inputs = inputs,
                                    .output_count = 1,
                                    .topic = has_topic ? &topics[text[1] - '0'] : NULL };
        for (const char *at = strchr(text, ' '); at != NULL; at = strchr(at + 1, ' ')) {
            inputs[node->input_count++].node = (uint32_t)(at[1] - '0');
        }
    }
}

static void print(const struct plan *plan, char *out, size_t room)
{
    size_t used = 0;
    out[0] = '\0';
    for (uint32_t i = 0; i < plan->group_count; i++) {
        const struct plan_group *group = &plan->groups[i];
        used += (size_t)snprintf(out + used, room - used, "%s", i > 0 ? " " : "");
        for (uint32_t k = 0; k < group->route_count; k++) {
            const struct topic *topic = plan->routes[group->routes[k]].topic;
            used += (size_t)snprintf(out + used, room - used, "%d", (int)(topic - topics));
        }
        used += (size_t)snprintf(out + used, room - used, "@%u", group->depth);
    }
}

START_TEST(routes_that_meet_are_a_group)
{
    struct arena arena;
    struct plan plan = { .node_count = 0 };
    const struct pipeline pipeline = { .topic_count = TOPICS };
    char got[128];
    arena_init(&arena, 0);
    build(shapes[_i], &plan, &arena);
    ck_assert(plan_find_paths(&plan, &pipeline, &arena));
    print(&plan, got, sizeof got);
    ck_assert_msg(strcmp(got, wanted[_i]) == 0, "graph %d: %s, wanted %s", _i, got, wanted[_i]);
    arena_deinit(&arena);
}
END_TEST

Suite *suite(void)
{
    Suite *made = suite_create("plan_groups");
    TCase *tests = tcase_create("plan_groups");
    tcase_add_loop_test(tests, routes_that_meet_are_a_group, 0, sizeof shapes / sizeof shapes[0]);
    suite_add_tcase(made, tests);
    return made;
}
