/* SPDX-License-Identifier: GPL-2.0-only */
#include "intake.h"

#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#define BATCH 64

/*
 * Room for about half a second of a fork storm (20,000 events/s of some 1 KB each with the kernel's overhead); the
 * memory is used only while we are behind.
 */
#define RECEIVE_BUFFER (16 * 1024 * 1024)

/* One queue: what was received of it and not yet handed out. */
struct queue {
	struct proc_connector *connector; /* NULL: there is no such queue */
	int head, count;
	bool is_dry; /* it was empty after all that the other queue now has was received */
	struct proc_news news[BATCH];
};

struct intake {
	struct queue urgent, forks;
};

static int open_queue(struct queue *queue, uint32_t wanted)
{
	int r = proc_connector_open(wanted, RECEIVE_BUFFER, &queue->connector);

	return r < 0 ? r : proc_connector_prove(queue->connector);
}

int intake_open(struct intake **ret)
{
	struct intake *intake = calloc(1, sizeof(*intake));
	int r;

	if (!intake)
		return -ENOMEM;
	if (proc_connector_has_filter()) {
		r = open_queue(&intake->urgent, PROC_EXEC | PROC_COMM);
		if (r == 0)
			r = open_queue(&intake->forks, PROC_FORK);
	} else {
		r = open_queue(&intake->urgent, PROC_FORK | PROC_EXEC | PROC_COMM);
	}
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
	proc_connector_close(intake->urgent.connector);
	proc_connector_close(intake->forks.connector);
	free(intake);
}

uint64_t intake_foreign(const struct intake *intake)
{
	const struct proc_connector *forks = intake->forks.connector;

	return proc_connector_foreign(intake->urgent.connector) +
	       (forks ? proc_connector_foreign(forks) : 0);
}

int intake_urgent_fd(const struct intake *intake)
{
	return proc_connector_fd(intake->urgent.connector);
}

int intake_fork_fd(const struct intake *intake)
{
	return intake->forks.connector ? proc_connector_fd(intake->forks.connector) : -1;
}

void intake_wait(const struct intake *intake, int timeout_ms)
{
	/* poll passes over a negative descriptor. */
	struct pollfd fds[] = {
		{ .fd = intake ? intake_urgent_fd(intake) : -1, .events = POLLIN },
		{ .fd = intake ? intake_fork_fd(intake) : -1, .events = POLLIN },
	};

	poll(fds, 2, timeout_ms);
}

/*
 * Makes sure that the queue has an event or is known to be dry. An event can only be caused by one that was queued
 * before it; so the other queue has to be looked at again when this one has received something new.
 * Returns 0 or -errno: -EAGAIN when what was received holds no event, which somebody could go on sending for ever.
 */
static int refill(struct queue *queue, struct queue *other)
{
	bool drained;
	int n;

	if (queue->head < queue->count || queue->is_dry)
		return 0;
	if (!queue->connector) {
		queue->is_dry = true;
		return 0;
	}
	queue->head = queue->count = 0;
	n = proc_connector_receive(queue->connector, queue->news, BATCH, &drained);
	if (n < 0)
		return n;
	queue->count = n;
	queue->is_dry = n == 0 && drained;
	if (n > 0)
		other->is_dry = false;
	return n > 0 || drained ? 0 : -EAGAIN;
}

static bool is_settled(const struct queue *queue)
{
	return queue->head < queue->count || queue->is_dry;
}

static struct queue *earlier(struct queue *a, struct queue *b)
{
	if (a->head == a->count || b->head == b->count)
		return a->head < a->count ? a : b;
	return a->news[a->head].ns <= b->news[b->head].ns ? a : b;
}

enum intake_result intake_next(struct intake *intake, struct proc_news *ret, int *ret_error)
{
	struct queue *urgent = &intake->urgent, *forks = &intake->forks, *queue;

	while (!is_settled(urgent) || !is_settled(forks)) {
		int r = refill(urgent, forks);

		if (r == 0)
			r = refill(forks, urgent);
		if (r == -EAGAIN)
			return INTAKE_NOISE;
		if (r < 0) {
			*ret_error = -r;
			return r == -ENOBUFS ? INTAKE_LOST : INTAKE_ERROR;
		}
	}
	queue = earlier(forks, urgent);
	if (queue->head < queue->count) {
		*ret = queue->news[queue->head++];
		return INTAKE_EVENT;
	}
	urgent->is_dry = forks->is_dry = false;
	return INTAKE_EMPTY;
}
