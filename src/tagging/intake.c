/* SPDX-License-Identifier: GPL-2.0-only */
#include "intake.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <unistd.h>

#include <schedqos/kernel/cgroup_moves.h>
#include <schedqos/kernel/proc_connector.h>
#include <schedqos/kernel/sched_calls.h>

#define BATCH 64

/* More than the rings hold: whoever fills them can go on doing so. */
#define DROPPED_MAX 16384

/* One queue, with the events received from it that have not been returned yet. */
struct queue {
	struct proc_connector *connector; /* NULL: the queue is closed, or a trace */
	struct trace *trace;		  /* moves, changes; NULL: closed */
	bool is_paused;
	uint64_t foreign;		  /* datagrams of connectors closed since, not from the kernel */
	int head, count;
	bool is_dry; /* it was empty when last read, and no other queue has received anything since */
	struct task_event events[BATCH];
};

struct intake {
	struct queue queues[INTAKE_QUEUES];
	struct sched_calls calls; /* whose ends are changes */
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

static int open_queue(struct intake *intake, enum intake_queue kind)
{
	struct queue *queue = &intake->queues[kind];

	return proc_connector_open(kinds[kind].wanted, kinds[kind].buffer, &queue->connector);
}

static void close_queue(struct queue *queue)
{
	if (queue->connector)
		queue->foreign += proc_connector_foreign(queue->connector);
	proc_connector_close(queue->connector);
	trace_close(queue->trace);
	queue->connector = NULL;
	queue->trace = NULL;
	queue->is_paused = false;
	queue->head = queue->count = 0;
}

int intake_open(struct intake **ret)
{
	struct intake *intake = calloc(1, sizeof(*intake));
	int r;

	if (!intake)
		return -ENOMEM;
	r = open_queue(intake, INTAKE_EXECS);
	if (r == 0)
		r = open_queue(intake, INTAKE_FORKS);
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
		close_queue(&intake->queues[i]);
	free(intake);
}

int intake_subscribe_names(struct intake *intake, bool subscribe)
{
	struct queue *names = &intake->queues[INTAKE_NAMES];

	if (!subscribe)
		close_queue(names);
	return !subscribe || names->connector ? 0 : open_queue(intake, INTAKE_NAMES);
}

int intake_subscribe_moves(struct intake *intake, bool subscribe)
{
	struct queue *moves = &intake->queues[INTAKE_MOVES];

	if (!subscribe)
		close_queue(moves);
	return !subscribe || moves->trace ? 0 : cgroup_moves_open(&moves->trace);
}

int intake_subscribe_changes(struct intake *intake, bool subscribe)
{
	struct queue *changes = &intake->queues[INTAKE_CHANGES];

	if (!subscribe)
		close_queue(changes);
	intake->calls = (struct sched_calls){ 0 };
	return !subscribe || changes->trace ? 0 : sched_calls_open(gettid(), &changes->trace);
}

void intake_pause_changes(struct intake *intake, bool pause)
{
	struct queue *changes = &intake->queues[INTAKE_CHANGES];
	struct trace_event dropped;

	changes->is_paused = pause;
	changes->head = changes->count = 0;
	/* Of what has begun the end may be among what is dropped. */
	intake->calls = (struct sched_calls){ 0 };
	for (int i = 0; !pause && changes->trace && i < DROPPED_MAX && trace_next(changes->trace, &dropped); i++)
		;
}

uint64_t intake_foreign(const struct intake *intake)
{
	uint64_t count = 0;

	for (int i = 0; i < INTAKE_QUEUES; i++) {
		const struct queue *queue = &intake->queues[i];

		count += queue->foreign + (queue->connector ? proc_connector_foreign(queue->connector) : 0);
	}
	return count;
}

int intake_fd(const struct intake *intake, enum intake_queue queue)
{
	const struct queue *from = &intake->queues[queue];

	if (from->trace)
		return trace_fd(from->trace);
	return from->connector ? proc_connector_fd(from->connector) : -1;
}

void intake_wait(const struct intake *intake, int timeout_ms)
{
	struct pollfd fds[INTAKE_QUEUES];

	/* poll ignores negative descriptors. */
	for (int i = 0; i < INTAKE_QUEUES; i++)
		fds[i] = (struct pollfd){ .fd = intake ? intake_fd(intake, i) : -1, .events = POLLIN };
	poll(fds, INTAKE_QUEUES, timeout_ms);
}

static bool is_open(const struct queue *queue)
{
	return (queue->connector || queue->trace) && !queue->is_paused;
}

/* Whether it has an event or is known to have none. */
static bool is_ready(const struct queue *queue)
{
	return queue->head < queue->count || queue->is_dry || !is_open(queue);
}

/* Returns how many events were received, or -errno; then those received before are lost, too. */
static int receive_moves(struct queue *queue, bool *ret_drained)
{
	struct trace_event moved;
	int n = 0, r = 1;

	while (n < BATCH && (r = trace_next(queue->trace, &moved)) > 0)
		queue->events[n++] = (struct task_event){
			.what = EVENT_MOVE,
			.tid = (pid_t)moved.fields[0],
			.ns = moved.ns,
			.ms = (uint32_t)(moved.ns / 1000000),
		};
	*ret_drained = r == 0;
	return r < 0 ? r : n;
}

static int receive_changes(struct intake *intake, struct queue *queue, bool *ret_drained)
{
	struct trace_event event;
	struct sched_call call;
	int n = 0, r = 1;

	while (n < BATCH && (r = trace_next(queue->trace, &event)) > 0) {
		if (sched_calls_pair(&intake->calls, &event, &call))
			queue->events[n++] = (struct task_event){
				.what = call.has_ended ? EVENT_CHANGE : EVENT_CHANGE_BEGINS,
				.tid = call.task,
				.by = call.caller,
				.ns = call.ns,
				.ms = (uint32_t)(call.ns / 1000000),
			};
	}
	*ret_drained = r == 0;
	return r < 0 ? r : n;
}

static int receive(struct intake *intake, struct queue *queue, bool *ret_drained)
{
	if (queue == &intake->queues[INTAKE_MOVES])
		return receive_moves(queue, ret_drained);
	if (queue == &intake->queues[INTAKE_CHANGES])
		return receive_changes(intake, queue, ret_drained);
	return proc_connector_receive(queue->connector, queue->events, BATCH, ret_drained);
}

/*
 * Makes sure that the queue has an event or is known to be dry. The cause of an event is queued before it; so when
 * this queue has received something, the others have to be read again. Returns 0 or -errno: -EAGAIN when there were
 * datagrams but no event in them, which somebody could send for ever.
 */
static int refill(struct intake *intake, struct queue *queue)
{
	bool drained;
	int n;

	queue->head = queue->count = 0;
	n = receive(intake, queue, &drained);
	if (n < 0)
		return n;
	queue->count = n;
	for (int i = 0; n > 0 && i < INTAKE_QUEUES; i++)
		intake->queues[i].is_dry = false;
	queue->is_dry = n == 0 && drained;
	return n > 0 || drained ? 0 : -EAGAIN;
}

/* Returns 0 when each queue has an event or is known to be dry; or -errno as refill does, with the queue in *ret. */
static int refill_all(struct intake *intake, enum intake_queue *ret)
{
	int i = 0, r = 0;

	while (r == 0 && i < INTAKE_QUEUES) {
		if (is_ready(&intake->queues[i])) {
			i++;
			continue;
		}
		*ret = i;
		r = refill(intake, &intake->queues[i]);
		i = 0;
	}
	return r;
}

static struct queue *earliest(struct intake *intake)
{
	struct queue *earliest = NULL;

	for (int i = 0; i < INTAKE_QUEUES; i++) {
		struct queue *queue = &intake->queues[i];

		if (queue->head < queue->count &&
		    (!earliest || queue->events[queue->head].ns < earliest->events[earliest->head].ns))
			earliest = queue;
	}
	return earliest;
}

enum intake_result intake_next(struct intake *intake, struct task_event *ret, int *ret_error)
{
	enum intake_queue which = INTAKE_EXECS;
	int r = refill_all(intake, &which);
	struct queue *queue;

	if (r == -EAGAIN)
		return INTAKE_NOISE;
	if (r == -ENOBUFS && which == INTAKE_CHANGES)
		return INTAKE_LOST_CHANGES;
	if (r == -ENOBUFS)
		return which == INTAKE_NAMES ? INTAKE_LOST_NAMES : INTAKE_LOST;
	if (r < 0) {
		*ret_error = -r;
		return INTAKE_ERROR;
	}
	queue = earliest(intake);
	if (queue) {
		*ret = queue->events[queue->head++];
		return INTAKE_EVENT;
	}
	for (int i = 0; i < INTAKE_QUEUES; i++)
		intake->queues[i].is_dry = false;
	return INTAKE_EMPTY;
}
