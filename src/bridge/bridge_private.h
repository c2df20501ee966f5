/* SPDX-License-Identifier: GPL-2.0-only */
/* The bridge: what it has of the bus, of the daemon, and of those who call it. */
#pragma once

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>
#include <time.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/bridge/bridge.h>
#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/log.h>

#include "accounts.h"

#define SYSTEM76_NAME "com.system76.Scheduler"
#define SYSTEM76_PATH "/com/system76/Scheduler"

enum daemon_property {
	PROPERTY_VERSION,
	PROPERTY_PROFILE,
	PROPERTY_MAPPING,
	PROPERTY_FOCUS,
	N_PROPERTIES,
};

struct bridge {
	sd_event *event;
	sd_bus *bus;	/* the system's */
	sd_bus *daemon; /* NULL: not connected */
	clockid_t daemon_clock; /* its CPU time; 0 if that is not to be had */
	uint8_t cpu_mode;
	uint32_t interface_version;
	char *properties[N_PROPERTIES]; /* as the daemon last said; "" while there is none */
	uint64_t answered_us;		/* the daemon's CPU time at its last answer */
	struct accounts accounts;
	struct call *calls;
	struct caller *callers;
};

/* ---- methods.c ---- */

/* Offers on the system bus what there is: org.schedqos1, and com.system76.Scheduler. 0 or -errno. */
int methods_offer(struct bridge *bridge);

/* ---- calls.c: a call of somebody's, on its way past polkit to the daemon and back ---- */

enum method_flags {
	METHOD_HOLDS = 1 << 0,	   /* the caller has something while he is on the bus */
	METHOD_SHOWS = 1 << 1,	   /* a yes of polkit's counts until something has changed there */
	METHOD_IS_LOGGED = 1 << 2, /* it changes the machine */
};

struct method {
	const char *name;      /* on the system bus */
	const char *daemons;   /* the daemon's name for it, among its overrides if the first argument is the uid */
	const char *action;    /* of polkit; NULL: anybody may */
	const char *arguments; /* that the daemon gets: one for each letter, see put_argument */
	unsigned flags;
	/* Before the daemon is asked; NULL: there is nothing to do. */
	int (*before)(struct call *call, struct caller *caller, sd_bus_error *error);
	/* When it has answered without an error: answers the caller. NULL: as the daemon did. */
	int (*answer)(struct call *call, sd_bus_message *reply, sd_bus_error *error);
};

struct call {
	struct call *next;
	struct bridge *bridge;
	const struct method *method;
	sd_bus_message *message;
	sd_bus_slot *waits; /* for polkit or for the daemon */
	uid_t uid;	    /* the caller's */
	struct account *account; /* NULL: root's */
	bool may_raise;
	bool is_queued;	   /* until the daemon has answered another call of the same uid */
	bool is_asked;	   /* in the daemon */
	uint64_t asked_us; /* the daemon's CPU time when it was asked */
};

/* Takes a call; it is answered later, or with the error. Returns as a handler of sd-bus. */
int call_begin(struct bridge *bridge, const struct method *method, sd_bus_message *message, sd_bus_error *error);

/* From here on each call from the bus is charged to its uid, or refused. 0 or -errno. */
int calls_charge(struct bridge *bridge);

/* From here on `may_show` ends when polkit says that something has changed, or ends. 0 or -errno. */
int calls_follow_polkit(struct bridge *bridge);

/* It is over. */
void call_end(struct call *call);

/* ---- link.c: the connection to the daemon, with which the bridge ends ---- */

/* Connects if there is no connection, without waiting for an answer. 0 or -errno. */
int link_need(struct bridge *bridge);

/*
 * Connects, if there is a daemon, and waits some seconds for it to say what the properties are. The bridge soon ends if
 * there is none. 0 or -errno.
 */
int link_begin(struct bridge *bridge);

/* The CPU time that the daemon has used, in microseconds; 0 where that cannot be told. */
uint64_t link_daemon_us(const struct bridge *bridge);

/*
 * Returns how long the daemon has worked for a question that it has answered now. It answers our questions one after
 * the other, so the work for one begins with the answer to the one before. Its other work meanwhile counts as well: it
 * is little beside what could be a burden.
 */
uint64_t link_worked_us(struct bridge *bridge, uint64_t asked_us);

void link_end(struct bridge *bridge);

/* ---- callers.c ---- */

/* Who has called, as long as he is on the bus. */
struct caller {
	struct caller *next;
	uid_t uid;
	bool holds;	     /* the daemon has something of his, and is told when his connection ends */
	bool may_show;	     /* polkit has agreed, and nothing has changed there since */
	uint32_t foreground; /* com.system76.Scheduler: the process that was in front last; 0: none */
	char name[];
};

/* From here on callers are forgotten when their connections end. 0 or -errno. */
int callers_follow(struct bridge *bridge);

/* NULL: he has not called, or is not on the bus any more. */
struct caller *caller_find(const struct bridge *bridge, const char *name);

/* Who has sent the message. 0 or -errno. */
int caller_get(struct bridge *bridge, sd_bus_message *message, struct caller **ret);

/* How many of that uid hold something. */
unsigned callers_holding(const struct bridge *bridge, uid_t uid);

void callers_free(struct bridge *bridge);
