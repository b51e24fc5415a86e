/* SPDX-License-Identifier: MIT */
/*
 * Positions that the broker does not take, since it knows no such topic: one that is read was deleted, or the broker
 * has just begun and has yet to hear of it. It is not left out, for the position would be lost where the topic is
 * there after all; and it is not waited for without end.
 */
#ifndef LOG_KAFKA_ABSENCE_H
#define LOG_KAFKA_ABSENCE_H

#include "base/error.h"

struct kafka_member;

/* The broker has taken positions. */
void kafka_absence_end(struct kafka_member *member);
/*
 * It has not. Sets the error, which names the topic that no broker knows, where there is one: retriable until that
 * has lasted for as long as an answer is waited for.
 */
weir_status kafka_absence_judge(struct kafka_member *member, struct error *error);

#endif
