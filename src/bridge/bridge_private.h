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
#include <schedqos/daemon/daemon.h>
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

struct call;
struct holder;

struct bridge {
	sd_event *event;
	int proc;	/* descriptor of /proc */
	sd_bus *bus;	/* the system's */
	sd_bus *daemon; /* NULL: not connected */
	clockid_t daemon_clock; /* its CPU time; 0 if that is not to be had */
	bool is_system76;
	bool is_leaving; /* the name is given back */
	sd_event_source *idle, *retry;
	uint8_t cpu_mode;
	char *properties[N_PROPERTIES]; /* as the daemon last said; "" while there is none */
	struct accounts accounts;
	struct call *calls;
	struct holder *holders;
};

/* So long after the last call, if nobody holds anything, the bus has to start another one. */
#define BRIDGE_IDLE_US (30 * 1000000ULL)

/* Has it look, after a while, whether it is still needed. One that nothing starts stays. */
static inline void bridge_may_leave(struct bridge *bridge)
{
	if (bridge->is_system76)
		return;
	sd_event_source_set_time_relative(bridge->idle, bridge->is_leaving ? 0 : BRIDGE_IDLE_US);
	sd_event_source_set_enabled(bridge->idle, SD_EVENT_ONESHOT);
}

/* ---- methods.c ---- */

/* Offers on the system bus what there is: org.schedqos1, or com.system76.Scheduler. 0 or -errno. */
int methods_offer(struct bridge *bridge);

/* ---- link.c: the connection to the daemon ---- */

/* Connects if there is no connection, without waiting for an answer. 0 or -errno. */
int link_need(struct bridge *bridge);

/* Connects, if there is a daemon, and waits some seconds for it to say what the properties are. 0 or -errno. */
int link_begin(struct bridge *bridge);

/* The CPU time that the daemon has used, in microseconds; 0 where that cannot be told. */
uint64_t link_daemon_us(const struct bridge *bridge);

void link_end(struct bridge *bridge);

/* ---- holders.c: those who hold what ends with their connection ---- */

/* A caller of whom the daemon has something. */
struct holder {
	struct holder *next;
	struct bridge *bridge;
	sd_bus_track *track;
	uid_t uid;
	uint32_t foreground; /* com.system76.Scheduler: the process that was in front last; 0: none */
	bool may_show; /* polkit has agreed, and nothing has changed there since */
	char name[];
};

/* NULL: none of that name, or not any more. */
struct holder *holder_find(const struct bridge *bridge, const char *name);

/*
 * From here on the daemon is told when the caller's connection ends. 0; -EDQUOT: too many of this uid's; -ESRCH: it has
 * ended; or another -errno.
 */
int holder_need(struct bridge *bridge, const char *name, uid_t uid);

void holders_free(struct bridge *bridge);

/* ---- polkit.c ---- */

/* From here on `may_show` ends when polkit says that something has changed, or ends. 0 or -errno. */
int polkit_follow(struct bridge *bridge);

/* Asks polkit about who has sent the message. 0 or -errno. */
int polkit_ask(sd_bus_message *message, const char *action, sd_bus_message_handler_t answered, void *userdata, sd_bus_slot **ret);

/* Whether its answer is yes; if not, why. */
bool polkit_agrees(sd_bus_message *answer, sd_bus_error *error);
