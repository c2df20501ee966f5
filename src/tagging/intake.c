/* SPDX-License-Identifier: GPL-2.0-only */
#include "intake.h"

#include <errno.h>
#include <stdlib.h>
#include <unistd.h>

#include <schedqos/kernel/events.h>
#include <schedqos/util/clock.h>

#define BATCH 64

/* A queue, with events received from it but not yet returned. */
struct queue {
	struct proc_connector *connector; /* NULL if the queue is closed, or is a trace */
	struct trace *trace;		  /* of moves; NULL if closed */
	int head, count;
	bool is_drained; /* it was empty after the last read */
	bool is_ignored; /* not read until it is opened again */
	struct task_event events[BATCH];
};

/*
 * The queues are read in passes. An event is queued before any event that it causes, and its time is taken before it is
 * queued. So when a pass has read all queues, it has every event up to the time at which the pass began, except those
 * of a queue that was not read to its end. Later events stay for the next pass.
 */
struct intake {
	struct queue queues[INTAKE_QUEUES];
	/* the queue that this pass reads next; INTAKE_QUEUES if it has read all */
	int next;
	bool is_under_way; /* a pass has begun since we last ran empty */
	uint64_t until_ns; /* CLOCK_MONOTONIC: all events up to this time have been read */
};

static const struct {
	uint32_t wanted;
	/*
	 * Bytes of receive buffer, used only while we lag behind. In a fork storm of some 20,000 events/s, at 1 KB
	 * each with the kernel's overhead, they hold about half a second. More than a thousand renames at once are a
	 * flood.
	 */
	int buffer;
} kinds[INTAKE_QUEUES] = {
	[INTAKE_EXECS] = { EVENT_EXEC, 16 * 1024 * 1024 },
	[INTAKE_FORKS] = { EVENT_FORK, 16 * 1024 * 1024 },
	[INTAKE_NAMES] = { EVENT_RENAME, 1024 * 1024 },
};

int intake_subscribe(struct intake *intake, enum intake_queue kind)
{
	struct queue *queue = &intake->queues[kind];

	if (queue->connector || queue->trace)
		return 0;
	if (kind == INTAKE_MOVES)
		return cgroup_moves_open(&queue->trace);
	return proc_connector_open(kinds[kind].wanted, kinds[kind].buffer, &queue->connector);
}

void intake_unsubscribe(struct intake *intake, enum intake_queue kind)
{
	struct queue *queue = &intake->queues[kind];

	proc_connector_close(queue->connector);
	trace_close(queue->trace);
	queue->connector = NULL;
	queue->trace = NULL;
	queue->is_drained = true;
	queue->is_ignored = false;
	queue->head = queue->count = 0;
}

int intake_open(struct intake **ret)
{
	struct intake *intake = calloc(1, sizeof(*intake));
	int r;

	if (!intake)
		return -ENOMEM;
	r = intake_subscribe(intake, INTAKE_FORKS);
	if (r == 0)
		r = proc_connector_probe(intake->queues[INTAKE_FORKS].connector);
	if (r < 0) {
		intake_close(intake);
		return r;
	}
	*ret = intake;
	return 0;
}

void intake_close(struct intake *intake)
{
	if (!intake)
		return;
	for (int i = 0; i < INTAKE_QUEUES; i++)
		intake_unsubscribe(intake, i);
	free(intake);
}

void intake_ignore(struct intake *intake, enum intake_queue kind)
{
	intake->queues[kind].is_ignored = true;
}

void intake_heed_moves(struct intake *intake)
{
	struct queue *queue = &intake->queues[INTAKE_MOVES];

	if (queue->trace)
		trace_discard(queue->trace);
	queue->head = queue->count = 0;
	queue->is_drained = true;
	queue->is_ignored = false;
}

int intake_fd(const struct intake *intake, enum intake_queue queue)
{
	const struct queue *from = &intake->queues[queue];

	if (from->trace)
		return trace_fd(from->trace);
	return from->connector ? proc_connector_fd(from->connector) : -1;
}

static bool is_open(const struct queue *queue)
{
	return (queue->connector || queue->trace) && !queue->is_ignored;
}

/* Returns the number of events received, or -errno; then the events received before are lost, too. */
static int receive_moves(struct queue *queue, bool *ret_drained)
{
	struct trace_event moved;
	int n = 0, r = 1;

	while (n < BATCH && (r = trace_next(queue->trace, &moved)) > 0)
		queue->events[n++] = (struct task_event){
			.what = EVENT_MOVE,
			.tid = (pid_t)moved.value,
			.ns = moved.ns,
			.ms = (uint32_t)(moved.ns / 1000000),
		};
	*ret_drained = r == 0;
	return r < 0 ? r : n;
}

static int receive(struct intake *intake, struct queue *queue, bool *ret_drained)
{
	if (queue == &intake->queues[INTAKE_MOVES])
		return receive_moves(queue, ret_drained);
	return proc_connector_receive(queue->connector, queue->events, BATCH, ret_drained);
}

static void begin_pass(struct intake *intake)
{
	intake->next = 0;
	intake->is_under_way = true;
	intake->until_ns = clock_ns(CLOCK_MONOTONIC);
}

uint64_t intake_read_until_us(const struct intake *intake)
{
	return intake->until_ns / 1000;
}

void intake_put_in_order(struct task_event *events, int count, uint64_t now_ns)
{
	uint64_t last_ns = 0;

	for (int i = 0; i < count; i++) {
		if (events[i].ns > now_ns)
			events[i].ns = now_ns;
		if (events[i].ns < last_ns)
			events[i].ns = last_ns;
		last_ns = events[i].ns;
	}
}

/* Returns a time that no event should be after: this one, or if an event is after it, the present time. */
static uint64_t time_after(const struct task_event *events, int count, uint64_t ns)
{
	for (int i = 0; i < count; i++) {
		if (events[i].ns > ns)
			return clock_ns(CLOCK_MONOTONIC);
	}
	return ns;
}

/* Reads the queue, unless some of its events are still there. Returns 0 or -errno. */
static int read_queue(struct intake *intake, struct queue *queue)
{
	if (queue->head == queue->count) {
		bool is_drained;
		int n;

		queue->head = queue->count = 0;
		/* A batch may contain only events that we ignore. */
		do {
			n = receive(intake, queue, &is_drained);
		} while (n == 0 && !is_drained);
		if (n < 0)
			return n;
		intake_put_in_order(queue->events, n, time_after(queue->events, n, intake->until_ns));
		queue->count = n;
		queue->is_drained = is_drained;
	}
	if (!queue->is_drained && queue->events[queue->count - 1].ns < intake->until_ns)
		intake->until_ns = queue->events[queue->count - 1].ns;
	return 0;
}

/*
 * Continues the pass. Returns 0 when all queues have been read; or -errno as read_queue does, with its queue in *ret.
 */
static int read_rest(struct intake *intake, enum intake_queue *ret)
{
	for (; intake->next < INTAKE_QUEUES; intake->next++) {
		struct queue *queue = &intake->queues[intake->next];
		int r = is_open(queue) ? read_queue(intake, queue) : 0;

		*ret = intake->next;
		if (r < 0)
			return r;
	}
	return 0;
}

/* Returns the earliest event of the pass, or NULL. *ret_left tells whether others are left, or may be. */
static struct queue *earliest(struct intake *intake, bool *ret_left)
{
	struct queue *earliest = NULL;

	*ret_left = false;
	for (int i = 0; i < INTAKE_QUEUES; i++) {
		struct queue *queue = &intake->queues[i];

		if (!is_open(queue))
			continue;
		*ret_left |= queue->head < queue->count || !queue->is_drained;
		if (queue->head < queue->count && queue->events[queue->head].ns <= intake->until_ns &&
		    (!earliest || queue->events[queue->head].ns < earliest->events[earliest->head].ns))
			earliest = queue;
	}
	return earliest;
}

static enum intake_result result_of(int error, enum intake_queue which, int *ret_error)
{
	if (error == -ENOBUFS)
		return which == INTAKE_NAMES ? INTAKE_LOST_NAMES :
		       which == INTAKE_MOVES ? INTAKE_LOST_MOVES :
					       INTAKE_LOST;
	*ret_error = -error;
	return INTAKE_ERROR;
}

enum intake_result intake_next(struct intake *intake, struct task_event *ret, int *ret_error)
{
	bool is_left = true;

	while (is_left) {
		enum intake_queue which = INTAKE_EXECS;
		struct queue *queue;
		int r;

		if (!intake->is_under_way)
			begin_pass(intake);
		r = read_rest(intake, &which);
		if (r < 0)
			return result_of(r, which, ret_error);
		queue = earliest(intake, &is_left);
		if (queue) {
			*ret = queue->events[queue->head++];
			return INTAKE_EVENT;
		}
		intake->is_under_way = false;
	}
	return INTAKE_EMPTY;
}
