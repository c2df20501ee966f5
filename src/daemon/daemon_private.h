/* SPDX-License-Identifier: GPL-2.0-only */
/* The running daemon: its loop, its clients, its configuration. It owns one tagger and one machine. */
#pragma once

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/machine/machine.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/problem.h>

#include "users.h"

enum daemon_problem {
	PROBLEM_BUS,   /* a client could not be served */
	PROBLEM_HUNG,  /* a daemon before this one, in the same program, hung */
	PROBLEM_KNOBS, /* no knob is set, since an earlier run's record cannot be read */
	DAEMON_PROBLEMS,
};

struct bus_server;

struct daemon {
	sd_event *event;
	const struct daemon_options *options;
	int ready; /* who waits for us to be ready, or -1: see detach.h */
	int proc;  /* descriptor of /proc */
	struct config_paths paths;
	struct config *config;
	struct users users;
	struct tagger *tagger;
	struct machine *machine; /* its knobs */
	struct bus_server *bus;

	bool verbose;	   /* log at debug level, whatever the configuration says */
	bool on_terminal;  /* in the foreground of one */
	pid_t hung;	   /* it takes over from one that hung at this process, with its configuration and log */
	bool stop_at_once; /* that had been told to stop */

	uint64_t since_us; /* CLOCK_REALTIME when it became ready */
	uint64_t reloads, reloads_failed;
	char *reload_error;    /* of the last reload, or NULL */
	bool reload_is_unseen; /* the last reload is in force, but not all tasks have been looked at since */
	struct problem problems[DAEMON_PROBLEMS];
};

/* signals.c: has the event loop handle the signals that stop and reload. Returns a negative errno on failure. */
int signals_init(struct daemon *daemon);

/* reload.c: reads the configuration, and logs what is wrong with it. Returns 0 or an exit status. */
int daemon_load_config(struct daemon *daemon);

/*
 * reload.c: reads the configuration again, puts it in force, and asks for a scan, after which daemon_reloaded is to be
 * called. Returns 0 with warnings, or -errno with the errors, in *ret_text, to be freed.
 */
int daemon_reload(struct daemon *daemon, char **ret_text);

/* reload.c: every task has been looked at; tells of the reload that asked for it, if one did. */
void daemon_reloaded(struct daemon *daemon);
