/* SPDX-License-Identifier: GPL-2.0-only */
/* The running daemon: its loop, its clients, its configuration. It owns one tagger and one machine. */
#pragma once

#include <stdbool.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/user_lookup.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/machine/machine.h>
#include <schedqos/policy/config.h>
#include <schedqos/policy/overrides.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/log.h>

struct bus_server;

/*
 * Lookups of users named in rules who could not be looked up in time. Rules for such a user match nothing until the
 * user is known.
 */
struct users {
	/* the user being looked up, part of the configuration in force; NULL if none */
	struct rule_user *asked;
	sd_event_source *timer; /* ends the wait for an answer */
	uint64_t wait_us;
};

struct daemon {
	sd_event *event;
	int proc;  /* descriptor of /proc */
	struct config_paths paths;
	char *mapping; /* owns the mapping of `paths` if it was chosen after the start; else NULL */
	struct config *config;
	struct user_lookup lookup;
	struct users users;
	struct tagger *tagger;
	struct machine *machine;
	struct bus_server *bus;
	sd_event_source *changed; /* once enabled, tells clients that the configuration or sched profile has changed */

	bool verbose;	   /* log at debug level, whatever the configuration says */
	bool on_terminal;  /* started in the foreground of a terminal */

	uint64_t since_us; /* CLOCK_REALTIME when it became ready */
	uint64_t reloads, reloads_failed;
	char *reload_error; /* of the last reload, or NULL */
	struct problem bus_problem; /* a client could not be served */
	/* The readers of what tasks use, by their number; bus is NULL for a free entry. */
	struct use_reader {
		sd_bus *bus;
		char *name; /* name of the bridge's caller, or NULL */
		uid_t uid;
	} readers[USE_READERS];
};

/* reload.c: tells the service manager that we are ready; appends remark to the status that users see. */
void daemon_notify_ready(const struct daemon *daemon, const char *remark);

/* reload.c: reads the configuration and logs its errors. Returns 0 or an exit status. */
int daemon_load_config(struct daemon *daemon);

/*
 * reload.c: reads the configuration again, puts it in force, and returns when all tasks have been decided by it.
 * mapping replaces the one that the files name, from now on; NULL keeps the present choice. Returns 0 with the warnings
 * in *ret_text and a summary of changes for users in *ret_summary; or -errno with the errors in *ret_text. Either may
 * be NULL on return; the caller frees them.
 */
int daemon_reload(struct daemon *daemon, const char *mapping, char **ret_text, char **ret_summary);

/*
 * ---- log_sink.c: where the log goes ----
 *
 * Readers of the log never block the daemon: a line that cannot be written at once is dropped and counted.
 */

/*
 * Makes the log go to stderr; in the background to the syslog, whose socket the journal provides, too, else to stderr
 * if that is a file. Until log_sink_ready, lines go to stderr in any case. Returns whether there is a place for lines
 * after that.
 */
bool log_sink_open(bool background);

/*
 * Ends the start: from now on no caller waits for messages on stderr, and writing there must not block. Returns whether
 * lines still go to stderr, which then has to stay open.
 */
bool log_sink_ready(void);

/* Returns the number of lines that were dropped. */
uint64_t log_sink_lost(void);

/*
 * ---- held.c: watches what ends the overrides in force, and limits their number per user; the tagger stores them ----
 */

/*
 * Puts an override in force. It ends with its process or cgroup, and with the holder's connection if it has a holder.
 * It replaces the same user's override for the same target; a limit of root's only if the same client holds that. The
 * caller need not fill in the process's start. Sets *ret_lowered as tagger_override does.
 *
 * Returns 0 once the tasks have been set, or -errno:
 *	- -ENOENT: there is no such class;
 *	- -ESRCH: there is no such process, or we never touch it;
 *	- -ENOTDIR: there is no such cgroup;
 *	- -EPERM: the process does not belong to the user, or not to the user alone;
 *	- -EACCES: the override would raise the process, and the user has not said that this is intended;
 *	- -EDQUOT: the user holds too many.
 */
int held_put(struct daemon *daemon, struct override override, uint64_t *ret_lowered);

/*
 * Ends the overrides of the same kind and target that belong to the same user; those of all users if like->uid is root.
 * Returns their number.
 */
size_t held_end(struct daemon *daemon, const struct override *like);

/*
 * Ends the overrides and unit classes that the client holds. If whom has a name, only those held for that caller of the
 * bridge. Call it before the client's connection is closed.
 */
void held_drop(struct daemon *daemon, const struct holder *whom);

/* Ends overrides with a class that the new configuration lacks, and logs their number. */
void held_reloaded(struct daemon *daemon);

/* Stops watching for the end of overrides, at the daemon's stop. Leaves the tasks as they are. */
void held_leave(struct daemon *daemon);

/* ---- bus_use.c: readers of what tasks use ---- */

/* Ends the readers of this client; if whom has a name, only that caller of the bridge. */
void use_drop(struct daemon *daemon, const struct holder *whom);

/* ---- users.c: the pending users of the configuration ---- */

/*
 * Starts to look up the pending users of daemon->config; ends the lookups of before. Until its answer, a user keeps the
 * uid that it has in `before`, the previous configuration (or NULL), which is used during the call only.
 */
void users_begin(struct daemon *daemon, const struct config *before);

/* Ends the lookups. */
void users_end(struct daemon *daemon);
