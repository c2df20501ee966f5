/* SPDX-License-Identifier: GPL-2.0-only */
/* A call of somebody's, on its way to the daemon and back. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

#include "bridge_private.h"

enum method_flags {
	METHOD_AS_USER = 1 << 0,   /* of the daemon's overrides: the uid goes before the arguments */
	METHOD_HOLDS = 1 << 1,	   /* and then the caller's name: what it asks for may end with him */
	METHOD_IS_LIMIT = 1 << 2,  /* and then a cgroup or a process, where the caller's first argument is one of these */
	METHOD_MAY_RAISE = 1 << 3, /* and after them, whether polkit has allowed more than the rules give */
	METHOD_SHOWS = 1 << 4,	   /* a yes of polkit's counts until something has changed there */
	METHOD_FOLLOWS = 1 << 5,   /* the caller wants to hear of changes: the bridge stays as long as he does */
};

struct call;

struct method {
	const char *name;	 /* on the system bus */
	const char *daemons;	 /* the daemon's name for it */
	const char *action;	 /* of polkit; NULL: anybody may */
	unsigned flags;
	/* Before the daemon is asked: adds the arguments to what is sent to it. NULL: they are as the caller gave them. */
	int (*put_arguments)(struct call *call, sd_bus_message *question, sd_bus_error *error);
	/* When it has answered without an error: answers the caller. NULL: as the daemon did. */
	int (*answer)(struct call *call, sd_bus_message *reply, sd_bus_error *error);
};

struct call {
	struct call *next;
	struct bridge *bridge;
	const struct method *method;
	sd_bus_message *message;
	sd_bus_slot *waits; /* for polkit or for the daemon */
	uid_t uid;
	bool may_raise;
	uint64_t asked_us, daemon_us; /* the daemon's CPU time when it was asked, and what it has used since */
};

/* Takes a call; it is answered later, or with the error. Returns as a handler of sd-bus. */
int call_begin(struct bridge *bridge, const struct method *method, sd_bus_message *message, sd_bus_error *error);

/* For what has nothing to say but that it is done. */
int call_answer_nothing(struct call *call, sd_bus_message *reply, sd_bus_error *error);

/* Those that are under way. */
void calls_free(struct bridge *bridge);
