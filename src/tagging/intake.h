/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads several subscriptions as one, in chronological order.
 *
 * An exec has to be handled at once. A fork need not, because the child inherits the right attributes; it only has to
 * be booked before the next exec or rename is decided. So forks have a queue of their own, which may fill up for a
 * while: a fork storm then wakes us a hundred times a second, not twenty thousand times.
 *
 * Renames cost the task that makes them less than they cost us, and only some rules need them. So their queue can be
 * closed, and so can that of moves between cgroups, which come from a tracepoint. The order of moves among forks is
 * exact: the kernel moves no process in the middle of a fork (cgroup_threadgroup_rwsem, held until after the event of
 * the fork; copy_process in fork.c, 6.18).
 */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <schedqos/tagging/tagger.h>
#include <schedqos/util/terms.h>

/*
 * Renames or moves per second that are a flood. A rename costs us 2 us, and the renamed task less. A move costs us 5 us
 * even if its process is not matched again: see spending_note_move.
 */
#define FLOOD_RATE 5000

enum intake_queue {
	INTAKE_EXECS,
	INTAKE_FORKS,
	INTAKE_NAMES,
	INTAKE_MOVES,
	INTAKE_QUEUES,
};

struct intake;

enum intake_result {
	INTAKE_EVENT, /* *ret is filled in */
	INTAKE_EMPTY, /* nothing is queued */
	INTAKE_LOST,  /* the kernel has dropped events; the queues can still be read */
	INTAKE_ERROR, /* *ret_error is set; nothing more for now */
};

/* Maximum number of paces that are reported at once: each queue has a descriptor and a timer. */
#define INTAKE_READY_MAX (2 * INTAKE_QUEUES)

/*
 * Subscribes to execs and forks, and checks that the kernel sends events. Has the epoll instance report the pace of
 * each queue that is to be read: see pace_open. Counts events in *counters. Both must outlive the intake. Returns 0 or
 * -errno, as proc_connector_open does.
 */
int intake_open(int epoll, struct tagger_counters *counters, struct intake **ret);
void intake_close(struct intake *intake);

/*
 * Opens a queue, unless it is open. Returns 0 or -errno, as proc_connector_open or, for moves, cgroup_moves_open does.
 */
int intake_subscribe(struct intake *intake, enum intake_queue kind);

/* Closes a queue, and drops its events. */
void intake_unsubscribe(struct intake *intake, enum intake_queue kind);

/*
 * Returns whether there is a flood of renames or moves, or some were lost: then that queue is no longer read. Close it,
 * or pause and resume it. *ret_last: the task or process of the last event; 0 if unknown.
 */
bool intake_is_flooded(const struct intake *intake, enum intake_queue kind, pid_t *ret_last);

/* Stops waking the loop for a queue of which there is a flood. */
void intake_pause(struct intake *intake, enum intake_queue kind);

/* Drops the events of a paused queue, and reads it again from now on. */
void intake_resume(struct intake *intake, enum intake_queue kind);

/* Returns the next event by time: never a later one while an earlier one that could have caused it is unread. */
enum intake_result intake_next(struct intake *intake, struct task_event *ret, int *ret_error);

/*
 * Returns when the last pass over the queues began: CLOCK_MONOTONIC in us. Once intake_next has returned INTAKE_EMPTY,
 * it has returned all events up to then.
 */
uint64_t intake_read_until_us(const struct intake *intake);

/*
 * Makes the times of events from one queue ascend, none later than now (CLOCK_MONOTONIC). Two CPUs may take the times
 * in one order and queue their events in the other; the difference is microseconds, and the order of the queue is kept.
 * Without this, an event could wait forever for a time that its queue has passed.
 */
void intake_put_in_order(struct task_event *events, int count, uint64_t now_ns);
