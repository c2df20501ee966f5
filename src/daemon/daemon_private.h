/* SPDX-License-Identifier: GPL-2.0-only */
/* The running daemon: its loop, its clients, its configuration. It owns one tagger and one machine. */
#pragma once

#include <stdbool.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/machine/machine.h>
#include <schedqos/policy/config.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/log.h>

#include "users.h"

struct bus_server;

struct daemon {
	sd_event *event;
	int proc;  /* descriptor of /proc */
	struct config_paths paths;
	char *mapping;	/* the one in paths, if it was chosen since the start; or NULL */
	struct config *config;
	struct users users;
	struct tagger *tagger;
	struct machine *machine;
	struct bus_server *bus;
	sd_event_source *changed; /* once enabled tells clients that another configuration or sched profile is in force */

	bool verbose;	   /* log at debug level, whatever the configuration says */
	bool on_terminal;  /* started in the foreground of a terminal */

	uint64_t since_us; /* CLOCK_REALTIME when it became ready */
	uint64_t reloads, reloads_failed;
	char *reload_error; /* of the last reload, or NULL */
	struct problem bus_problem; /* a client could not be served */
};

/* signals.c: adds the signals that stop and reload to the event loop. Returns a negative errno on failure. */
int signals_init(struct daemon *daemon);

/* reload.c: reads the configuration, and logs its errors. Returns 0 or an exit status. */
int daemon_load_config(struct daemon *daemon);

/*
 * reload.c: reads the configuration again, puts it in force, and returns when all tasks are as it has them. mapping: the
 * one to have from now on, whatever the files say; NULL: as before.
 * Returns 0 with the warnings in *ret_text and, for people, what has changed in *ret_summary; or -errno with the errors in
 * *ret_text. Either may be NULL; the caller frees them.
 */
int daemon_reload(struct daemon *daemon, const char *mapping, char **ret_text, char **ret_summary);

/* ---- goes to the background, while the caller waits until the daemon is ready or has failed ---- */

/*
 * Forks. Returns 0 in the child, with a descriptor for detach_done in *ret_ready; 1 in the caller, with the child's
 * exit status (0: it is ready and goes on running) in *ret_status; or -errno.
 */
int detach(int *ret_ready, int *ret_status);

/*
 * Sends the exit status to the waiting caller; with 0, also releases the standard streams, but for standard error where
 * it is kept, and the working directory.
 */
void detach_done(int ready, int status, bool keep_stderr);
