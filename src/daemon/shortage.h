/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * No more descriptors, or no memory: a task cannot be looked at then, nor a client be served. Some descriptors are kept
 * for that time, and what was missed is looked at again.
 */
#pragma once

#include <stddef.h>

#include <systemd/sd-event.h>

/* A scan has up to three open at once; the others are for clients. */
#define SHORTAGE_RESERVE 8

struct daemon;

struct shortage {
	int reserve[SHORTAGE_RESERVE]; /* open descriptors of no use, the first n */
	size_t n;
	uint64_t records_failed; /* tasks_failed when last looked at */
	sd_event_source *timer;
};

/* Needs daemon->event and daemon->proc. Returns a negative errno on failure. */
int shortage_init(struct daemon *daemon);
void shortage_free(struct daemon *daemon);

/*
 * Takes any -errno, or 0. If it means a shortage: counts it, gives the reserve up, and has everything looked at again,
 * at once or, if there was no reserve any more, a second later.
 */
void shortage_note(struct daemon *daemon, int error);

/* The same for what went wrong unseen, while tasks were looked at. */
void shortage_check(struct daemon *daemon);

/* Gives the reserve up. */
void shortage_release(struct daemon *daemon);
