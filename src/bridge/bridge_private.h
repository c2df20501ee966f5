/* SPDX-License-Identifier: GPL-2.0-only */
/* Shared by the bridge's files: its connections, its callers and their calls. */
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
	sd_bus *bus;		/* the system bus */
	sd_bus *daemon;		/* NULL if not connected */
	clockid_t daemon_clock; /* its CPU time; 0 if unavailable */
	uint8_t cpu_mode;
	uint32_t interface_version;
	char *properties[N_PROPERTIES]; /* as the daemon reported last; "" before that */
	bool is_asking;			/* for the properties: there is no answer yet */
	uint64_t answered_us;		/* the daemon's CPU time at its last answer */
	struct accounts accounts;
	struct call *calls;
	struct caller *callers;
	struct caller *dropped; /* callers that are gone, for which the daemon still holds something; oldest first */
	uint64_t drop_asked_us; /* the daemon's CPU time when it was asked about the first of them */
};

/* ---- methods.c ---- */

/* Offers org.schedqos1 and com.system76.Scheduler on the system bus. Returns 0 or -errno. */
int methods_offer(struct bridge *bridge);

/* ---- calls.c: passes a call by way of polkit to the daemon, and its answer back ---- */

enum method_flags {
	METHOD_FOR_USER = 1 << 0,  /* the daemon gets the caller's uid and name first; root is refused */
	METHOD_HOLDS = 1 << 1,	   /* the daemon drops the result when the caller disconnects */
	METHOD_SHOWS = 1 << 2,	   /* polkit's permission stays valid until polkit reports a change */
	METHOD_IS_LOGGED = 1 << 3, /* calls are logged, because they change the machine */
};

struct method {
	const char *name;    /* its name on the system bus */
	const char *daemons; /* the daemon's name for it */
	const char *action;  /* polkit's action; NULL if everybody may call it */
	unsigned flags;
	/* Called before the daemon is asked; NULL for nothing. Returns 0 or -errno. */
	int (*before)(struct call *call, struct caller *caller, sd_bus_error *error);
	/* Appends arguments after the caller's; NULL if there are none. Returns 0 or -errno. */
	int (*put_more)(sd_bus_message *question);
	/* Answers the caller after the daemon has answered without an error; NULL to pass on the daemon's answer. */
	int (*answer)(struct call *call, sd_bus_message *reply, sd_bus_error *error);
};

struct call {
	struct call *next;
	struct bridge *bridge;
	const struct method *method;
	sd_bus_message *message;
	sd_bus_slot *waits; /* waits for polkit or the daemon */
	uid_t uid;
	struct account *account; /* NULL for root */
	bool may_raise;
	bool is_queued;	   /* waits until the daemon has answered another call of the same uid */
	bool is_asked;	   /* the daemon works on it */
	uint64_t asked_us; /* the daemon's CPU time when it was asked */
};

/* Accepts a call, which is answered later, or at once with an error. Returns the value for a handler of sd-bus. */
int call_begin(struct bridge *bridge, const struct method *method, sd_bus_message *message, sd_bus_error *error);

/* Begins to charge each call from the bus to its uid, or to refuse it. Returns 0 or -errno. */
int calls_charge(struct bridge *bridge);

/* Begins to clear callers' `may_show` when polkit reports a change, or ends. Returns 0 or -errno. */
int calls_follow_polkit(struct bridge *bridge);

/* Frees a call; pays back what is charged for it in advance. */
void call_end(struct call *call);

/* ---- link.c: the connection to the daemon; the bridge ends with it ---- */

/* Connects if there is no connection, without waiting for an answer. Returns 0 or -errno. */
int link_need(struct bridge *bridge);

/*
 * Connects if there is a daemon, and waits some seconds for the values of the properties. Without a daemon, makes the
 * bridge end soon. Returns 0 or -errno.
 */
int link_begin(struct bridge *bridge);

/* Returns the CPU time that the daemon has used, in microseconds; 0 if unavailable. */
uint64_t link_daemon_us(const struct bridge *bridge);

/*
 * Returns the CPU time that the daemon spent on a question that it has just answered. It answers our questions one
 * after the other, so work on one begins after the answer to the previous one. Its other work in that time counts as
 * well: see ACCOUNT_SPENT_MAX_US.
 */
uint64_t link_worked_us(struct bridge *bridge, uint64_t asked_us);

void link_end(struct bridge *bridge);

/* ---- callers.c ---- */

/* A program that has called, as long as it is connected to the bus. */
struct caller {
	struct caller *next;
	uid_t uid;
	bool holds;	     /* the daemon keeps an override or the like for it, and is told when it disconnects */
	bool may_show;	     /* polkit has allowed it, and has reported no change since */
	uint32_t foreground; /* for com.system76.Scheduler: the process that was in front last; 0 if none */
	char name[];
};

/* Begins to forget callers when they disconnect. Returns 0 or -errno. */
int callers_follow(struct bridge *bridge);

/* Returns the caller of that name; NULL if it has not called, or has disconnected. */
struct caller *caller_find(const struct bridge *bridge, const char *name);

/* Finds or adds the sender of the message. Returns 0 or -errno. */
int caller_get(struct bridge *bridge, sd_bus_message *message, struct caller **ret);

/* Returns the number of callers of that uid for which the daemon keeps an override or the like. */
unsigned callers_holding(const struct bridge *bridge, uid_t uid);

void callers_free(struct bridge *bridge);
