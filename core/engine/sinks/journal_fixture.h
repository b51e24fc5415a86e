/* SPDX-License-Identifier: MIT */
/*
 * For tests with sinks that they have written: a journal of what those were asked, one word a call, in the
 * order of the calls. Several threads may write into it.
 */
#ifndef ENGINE_JOURNAL_FIXTURE_H
#define ENGINE_JOURNAL_FIXTURE_H

#include <pthread.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

#include <weir/abi.h>

#include "unit.h"

struct journal {
    pthread_mutex_t lock;
    char text[2000];
};

static inline void journal_init(struct journal *journal)
{
    pthread_mutex_init(&journal->lock, NULL);
    journal->text[0] = '\0';
}

static inline void journal_deinit(struct journal *journal)
{
    pthread_mutex_destroy(&journal->lock);
}

static inline void journal_tell(struct journal *journal, const char *text)
{
    pthread_mutex_lock(&journal->lock);
    size_t size = strlen(journal->text);
    snprintf(journal->text + size, sizeof journal->text - size, "%s%s", size > 0 ? " " : "", text);
    pthread_mutex_unlock(&journal->lock);
}

/* "open(TOKEN)" */
static inline void journal_tell_token(struct journal *journal, const char *slot, weir_slice token)
{
    char text[100];
    snprintf(text, sizeof text, "%s(%.*s)", slot, (int)token.size, (const char *)token.data);
    journal_tell(journal, text);
}

static inline bool journal_has(struct journal *journal, const char *text)
{
    pthread_mutex_lock(&journal->lock);
    bool has = strstr(journal->text, text) != NULL;
    pthread_mutex_unlock(&journal->lock);
    return has;
}

static inline void journal_forget(struct journal *journal)
{
    pthread_mutex_lock(&journal->lock);
    journal->text[0] = '\0';
    pthread_mutex_unlock(&journal->lock);
}

static inline void journal_expect(struct journal *journal, const char *text)
{
    pthread_mutex_lock(&journal->lock);
    ck_assert_str_eq(journal->text, text);
    pthread_mutex_unlock(&journal->lock);
}

/* Between two looks at something that another thread is to do. */
static inline void pause_briefly(void)
{
    struct timespec pause = { 0, 1000000 };
    nanosleep(&pause, NULL);
}

#endif
