/* SPDX-License-Identifier: MIT */
/* The sink `file`: an instance that was taken for dead wakes beside its successors, at any moment. */
#include "file_replicas.h"

/*
 * The old instance has committed offsets 1 and 2. It does a first step, is stopped, and does the others after
 * `wakes` and `ends` steps of those who come after it: FIRST, which dies after `lives` steps of its ten, and
 * SECOND, which lives. Whatever comes when, each record is there once.
 */
struct story {
    int stops; /* after so many steps of its own */
    bool has_committed;
    int lives;
    int wakes;
    int ends;
};

enum { OLD_STEPS = 3, LIFE = 10 };

static int read_up_to; /* the offset behind the last one that was committed */

/* write, flush, end; where it has committed: publish, write, end. */
static void step_old(const struct story *story, int step)
{
    static const char *const bad[] = { "3:93 4:94", "4:94 5:95" };
    struct fixture *old = &made[OLD];
    const char *answer = "";
    if (step == 2) {
        end(OLD);
    } else if (story->has_committed && step == 0) {
        answer = publish_of(old, &tokens[OLD]);
    } else if (story->has_committed || step == 0) {
        answer = write_records_to(old, bad[story->has_committed]);
    } else {
        answer = flush_of(old, &tokens[OLD], 0);
    }
    /* `answer` is of an instance that is gone where it has ended. */
    ck_assert_msg(step == 2 || answer[0] == '\0' || old->call.whole.is_retriable, "%s", answer);
}

/* Up to offset `end`, from where the log says. */
static void write_rest(int one, int end)
{
    char records[64];
    for (int offset = read_up_to; offset < end; offset++) {
        snprintf(records, sizeof records, "%d:%d", offset, offset);
        write_to(one, records);
    }
}

static void commit_up_to(int one, int end)
{
    commit(one);
    read_up_to = end > read_up_to ? end : read_up_to;
}

static void step_new(int one, int step)
{
    switch (step) {
    case 0:
        begin(one);
        break;
    case 1:
        write_rest(one, 5);
        break;
    case 2:
        flush(one, 0);
        break;
    case 3:
        commit_up_to(one, 5);
        break;
    case 4:
        show(one);
        break;
    case 5:
        write_rest(one, 7);
        break;
    case 6:
        flush(one, WEIR_FLUSH_FINAL);
        break;
    case 7:
        commit_up_to(one, 7);
        break;
    case 8:
        show(one);
        break;
    default:
        end(one);
        break;
    }
}

/* What the files hold, in the order of their offsets. */
static void join_contents(char *room, size_t size, bool *ret_has_parts)
{
    size_t used = 0;
    *ret_has_parts = strstr(list(), ".part") != NULL;
    for (const char *line = listed; *line != '\0'; line = strchr(line, '\n') + 1) {
        const char *text = strstr(line, ": ") + 2;
        size_t length = strcspn(text, "\n");
        ck_assert_uint_lt(used + length, size);
        memcpy(room + used, text, length);
        used += length;
    }
    room[used] = '\0';
}

static void check_published(const struct story *story)
{
    char all[256];
    bool has_parts;
    join_contents(all, sizeof all, &has_parts);
    ck_assert_msg(!has_parts && strcmp(all, "1 2 3 4 5 6 ") == 0,
                  "stops %d, has committed %d, lives %d, wakes %d, ends %d:\n%s", story->stops,
                  story->has_committed, story->lives, story->wakes, story->ends, listed);
}

static void begin_story(const struct story *story)
{
    begin(OLD);
    write_to(OLD, "1:1 2:2");
    settle(OLD, 0);
    read_up_to = 3;
    if (story->has_committed) {
        write_to(OLD, "3:3");
        flush(OLD, 0);
        commit_up_to(OLD, 4);
    }
    for (int step = 0; step < story->stops; step++) {
        step_old(story, step);
    }
}

static void tell(const struct story *story)
{
    int step = story->stops;
    begin_story(story);
    for (int i = 0; i <= story->lives + LIFE; i++) {
        if (i == story->wakes && step < 2) {
            step_old(story, step++);
        }
        if (i == story->ends) {
            while (step < OLD_STEPS) {
                step_old(story, step++);
            }
        }
        if (i == story->lives && made[FIRST].instance != NULL) {
            kill_one(FIRST);
        }
        if (i < story->lives) {
            step_new(FIRST, i);
        } else if (i < story->lives + LIFE) {
            step_new(SECOND, i - story->lives);
        }
    }
    begin(FIRST); /* finds what the old one has left since */
    settle(FIRST, WEIR_FLUSH_FINAL);
    end(FIRST);
    check_published(story);
    buffer_clear(&stored);
    teardown();
    setup();
}

START_TEST(has_each_record_once_wherever_the_old_one_wakes)
{
    static const int lives[] = { 0, 2, 3, 4, 5, 8 };
    rolling = _i % 2 == 0 ? "" : "roll_size: 4";
    struct story story = { .stops = _i / 2 % 2, .has_committed = _i / 4 == 1 };
    for (size_t i = 0; i < sizeof lives / sizeof lives[0]; i++) {
        story.lives = lives[i];
        for (story.wakes = 0; story.wakes <= story.lives + LIFE; story.wakes += 1) {
            for (story.ends = story.wakes; story.ends <= story.lives + LIFE; story.ends += 3) {
                tell(&story);
            }
        }
    }
}
END_TEST

/* In memory, since stories are many and each waits for the disk often. */
static void setup_stories(void)
{
    struct stat info;
    if (stat("/dev/shm", &info) == 0 && S_ISDIR(info.st_mode)) {
        place = "/dev/shm";
    }
}

Suite *suite(void)
{
    Suite *all = suite_create("sink_file_wake");
    TCase *tests = tcase_create("sink_file_wake");
    tcase_set_timeout(tests, 120);
    tcase_add_checked_fixture(tests, setup_stories, NULL);
    tcase_add_checked_fixture(tests, setup_all, teardown_all);
    tcase_add_loop_test(tests, has_each_record_once_wherever_the_old_one_wakes, 0, 8);
    suite_add_tcase(all, tests);
    return all;
}
