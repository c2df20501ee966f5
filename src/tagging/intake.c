/* SPDX-License-Identifier: GPL-2.0-only */
#include "intake.h"

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <unistd.h>

#include <schedqos/kernel/events.h>
#include <schedqos/util/clock.h>

#include "flood.h"
#include "pace.h"

#define BATCH 64

/* A queue, with events received from it but not yet returned. */
struct queue {
	struct proc_connector *connector; /* NULL if the queue is closed, or is a trace */
	struct trace *trace;		  /* of moves; NULL if closed */
	int head, count;
	bool is_drained;   /* it was empty after the last read */
	bool is_flooded;   /* not read until it is opened again, or resumed */
	uint64_t *counted; /* number of events returned */
	struct flood flood;
	struct pace pace;
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
	bool is_under_way;     /* a pass has begun since we last ran empty */
	uint64_t until_ns;     /* CLOCK_MONOTONIC: all events up to this time have been read */
	bool knows_suspends;   /* suspended_ns is right in this pass */
	uint64_t suspended_ns; /* since boot: CLOCK_BOOTTIME - CLOCK_MONOTONIC */
	uint64_t wall_ns;      /* CLOCK_REALTIME - CLOCK_MONOTONIC when suspended_ns was read */
	uint64_t tick_ns;      /* length of a clock tick of /proc/PID/stat */
	int epoll;
};

static const struct {
	uint32_t wanted;
	/*
	 * Bytes of receive buffer, used only while we lag behind. In a fork storm of some 20,000 events/s, at 1 KB
	 * each with the kernel's overhead, they hold about half a second. More than a thousand renames at once are a
	 * flood.
	 */
	int buffer;
	bool can_flood; /* it may be ignored in a flood */
	struct pace_limits pace;
} kinds[INTAKE_QUEUES] = {
	/*
	 * Each exec wakes us, because a program may fork, or read its attributes, at once. In a storm of execs all
	 * programs then had their class when main began. With one wake-up for two execs 30 % had it, and the daemon's
	 * cost was 6 % lower (lab, 6.12). While we are busy, further execs queue up and share a pass anyway.
	 */
	[INTAKE_EXECS] = { EVENT_EXEC, 16 * 1024 * 1024, false, { .many = UINT_MAX, .share = 2, .longest_us = 2000 } },
	/*
	 * Forks can wait, because a child is born with the right attributes. But an exec waits until all earlier forks
	 * are booked, at 1 us each. If two or more come within 10 ms, they are read at ticks of at most 20 ms, shorter
	 * if more than 32 would come in that time. Where programs start one after the other, the wake-up for an exec
	 * then also reads the forks before it.
	 */
	[INTAKE_FORKS] = { EVENT_FORK, 16 * 1024 * 1024, false, { .many = 1, .share = 32, .longest_us = 20000 } },
	/* A program names its threads one after the other when it starts, and each waits for its class. */
	[INTAKE_NAMES] = { EVENT_RENAME, 1024 * 1024, true, { .many = 16, .share = 16, .longest_us = 10000 } },
	/*
	 * The ring of a CPU has room for only 32 moves with long paths. A user needs more CPU time to fill it than we
	 * need for the walk that follows (heard_moves.c).
	 */
	[INTAKE_MOVES] = { EVENT_MOVE, 0, true, { .many = 16, .share = 16, .longest_us = 10000 } },
};

static int subscribe(struct queue *queue, enum intake_queue kind)
{
	if (kind == INTAKE_MOVES)
		return cgroup_moves_open(&queue->trace);
	return proc_connector_open(kinds[kind].wanted, kinds[kind].buffer, &queue->connector);
}

/* Returns the descriptor to poll. */
static int queue_fd(const struct queue *queue)
{
	return queue->trace ? trace_fd(queue->trace) : proc_connector_fd(queue->connector);
}

int intake_subscribe(struct intake *intake, enum intake_queue kind)
{
	struct queue *queue = &intake->queues[kind];
	int r;

	if (queue->connector || queue->trace)
		return 0;
	r = subscribe(queue, kind);
	if (r == 0)
		r = pace_open(&queue->pace, intake->epoll, queue_fd(queue));
	if (r < 0)
		intake_unsubscribe(intake, kind);
	return r;
}

void intake_unsubscribe(struct intake *intake, enum intake_queue kind)
{
	struct queue *queue = &intake->queues[kind];

	pace_close(&queue->pace);
	proc_connector_close(queue->connector);
	trace_close(queue->trace);
	queue->connector = NULL;
	queue->trace = NULL;
	queue->is_drained = true;
	queue->is_flooded = false;
	queue->head = queue->count = 0;
}

int intake_open(int epoll, struct tagger_counters *counters, struct intake **ret)
{
	uint64_t *const counted[INTAKE_QUEUES] = {
		[INTAKE_EXECS] = &counters->execs,
		[INTAKE_FORKS] = &counters->forks,
		[INTAKE_NAMES] = &counters->renames,
		[INTAKE_MOVES] = &counters->moves,
	};
	struct intake *intake = calloc(1, sizeof(*intake));
	int r;

	if (!intake)
		return -ENOMEM;
	intake->epoll = epoll;
	intake->tick_ns = clock_tick_ns();
	for (int i = 0; i < INTAKE_QUEUES; i++) {
		intake->queues[i].counted = counted[i];
		pace_init(&intake->queues[i].pace, counted[i], kinds[i].pace);
	}
	r = intake_subscribe(intake, INTAKE_FORKS);
	if (r == 0)
		r = proc_connector_probe(intake->queues[INTAKE_FORKS].connector);
	if (r == 0)
		r = intake_subscribe(intake, INTAKE_EXECS);
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

bool intake_is_flooded(const struct intake *intake, enum intake_queue kind, pid_t *ret_last)
{
	*ret_last = intake->queues[kind].flood.tid;
	return intake->queues[kind].is_flooded;
}

void intake_pause(struct intake *intake, enum intake_queue kind)
{
	pace_pause(&intake->queues[kind].pace);
}

void intake_resume(struct intake *intake, enum intake_queue kind)
{
	struct queue *queue = &intake->queues[kind];

	if (queue->trace)
		trace_discard(queue->trace);
	queue->head = queue->count = 0;
	queue->is_drained = true;
	queue->is_flooded = false;
	queue->flood.count = 0;
	pace_resume(&queue->pace);
}

static bool is_wanted(const struct queue *queue)
{
	return (queue->connector || queue->trace) && !queue->is_flooded;
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
	intake->knows_suspends = false;
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
		int r = is_wanted(queue) ? read_queue(intake, queue) : 0;

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

		if (!is_wanted(queue))
			continue;
		*ret_left |= queue->head < queue->count || !queue->is_drained;
		if (queue->head < queue->count && queue->events[queue->head].ns <= intake->until_ns &&
		    (!earliest || queue->events[queue->head].ns < earliest->events[earliest->head].ns))
			earliest = queue;
	}
	return earliest;
}

/*
 * Finds out for how long the machine has been suspended since its boot. The two clocks are read again only after the
 * wall clock was set, as each resume does (__timekeeping_inject_sleeptime in timekeeping.c, 6.18): reading a clock may
 * be a system call, but the coarse ones never are.
 */
static void note_suspends(struct intake *intake)
{
	const uint64_t wall_ns = clock_ns(CLOCK_REALTIME_COARSE) - clock_ns(CLOCK_MONOTONIC_COARSE);
	uint64_t monotonic_ns;

	intake->knows_suspends = true;
	if (wall_ns == intake->wall_ns)
		return;
	intake->wall_ns = wall_ns;
	monotonic_ns = clock_ns(CLOCK_MONOTONIC);
	intake->suspended_ns = clock_ns(CLOCK_BOOTTIME) - monotonic_ns;
}

/*
 * Returns the start of a new task in ticks since boot. Events carry CLOCK_MONOTONIC, which stands still while the
 * machine is suspended; start times in /proc are of CLOCK_BOOTTIME. A delay between reading the two clocks makes a
 * start later, and so does a suspend since the event: a start may be late by any time.
 */
static uint32_t start_of(struct intake *intake, uint64_t ns)
{
	if (!intake->knows_suspends)
		note_suspends(intake);
	return (uint32_t)((ns + intake->suspended_ns) / intake->tick_ns);
}

/* Takes the next event of the queue, and counts it. */
static void take(struct intake *intake, struct queue *queue, struct task_event *ret)
{
	*ret = queue->events[queue->head++];
	++*queue->counted;
	if (ret->what == EVENT_FORK)
		ret->start = start_of(intake, ret->ns);
	if (kinds[queue - intake->queues].can_flood &&
	    flood_count(&queue->flood, FLOOD_RATE, ret->tgid ? ret->tgid : ret->tid, ret->ms))
		queue->is_flooded = true;
}

/* Handles an error of reading a queue: lost renames or moves are a flood of them. Returns whether to go on. */
static bool is_flood(struct intake *intake, enum intake_queue kind, int error)
{
	struct queue *queue = &intake->queues[kind];

	if (error != -ENOBUFS || !kinds[kind].can_flood)
		return false;
	/* Nobody knows whose events were lost. */
	queue->flood.tid = 0;
	queue->is_flooded = true;
	return true;
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
		if (r < 0 && is_flood(intake, which, r))
			continue;
		if (r < 0) {
			*ret_error = -r;
			return r == -ENOBUFS ? INTAKE_LOST : INTAKE_ERROR;
		}
		queue = earliest(intake, &is_left);
		if (queue) {
			take(intake, queue, ret);
			return INTAKE_EVENT;
		}
		intake->is_under_way = false;
	}
	return INTAKE_EMPTY;
}
