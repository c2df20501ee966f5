/* SPDX-License-Identifier: GPL-2.0-only */
/* The running daemon: its loop, its clients, its configuration. It owns one tagger and one machine. */
#pragma once

#include <stdbool.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/machine/machine.h>
#include <schedqos/policy/config.h>
#include <schedqos/policy/overrides.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/log.h>

struct bus_server;

/* Users named in rules who could not be looked up yet: their rules match nothing until they are known. */
struct users {
	struct rule_user *asked; /* the one being looked up, of the configuration in force; NULL: none */
	sd_event_source *timer;	 /* ends the wait for an answer; NULL: none is to be looked up */
	uint64_t wait_us;
};

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
	sd_event_source *changed; /* once enabled tells clients of another configuration or sched profile */

	bool verbose;	   /* log at debug level, whatever the configuration says */
	bool on_terminal;  /* started in the foreground of a terminal */

	uint64_t since_us; /* CLOCK_REALTIME when it became ready */
	uint64_t reloads, reloads_failed;
	char *reload_error; /* of the last reload, or NULL */
	struct problem bus_problem; /* a client could not be served */
	/* Those who read what tasks use, by their number; bus NULL: nobody. */
	struct use_reader {
		sd_bus *bus;
		char *name; /* of the bridge's caller, or NULL */
	} readers[USE_READERS];
};

/* reload.c: tells the service manager, with a remark for people. */
void daemon_notify_ready(const struct daemon *daemon, const char *remark);

/* reload.c: reads the configuration, and logs its errors. Returns 0 or an exit status. */
int daemon_load_config(struct daemon *daemon);

/*
 * reload.c: reads the configuration again, puts it in force, and returns when all tasks are as it has them. mapping:
 * the one to have from now on, whatever the files say; NULL: as before. Returns 0 with the warnings in *ret_text and,
 * for people, what has changed in *ret_summary; or -errno with the errors in *ret_text. Either may be NULL; the caller
 * frees them.
 */
int daemon_reload(struct daemon *daemon, const char *mapping, char **ret_text, char **ret_summary);

/*
 * ---- log_sink.c: where the log goes. Who reads it never blocks the daemon: a line that cannot be written at once is
 * dropped and counted ----
 */

/*
 * Logs to stderr; in the background to the syslog, whose socket the journal has, too, else to stderr if that is a file.
 * Until log_sink_ready, lines go to stderr in any case. Returns whether they go anywhere later.
 */
bool log_sink_open(bool background);

/*
 * The start has succeeded: from now on nobody waits for messages on stderr, and writing there must not block. Returns
 * whether lines go there, which then has to stay open.
 */
bool log_sink_ready(void);

/* The number of lines that were dropped. */
uint64_t log_sink_lost(void);

/* ---- held.c: the overrides in force, which the tagger has: how many a user may have, and what ends them ---- */

/*
 * Puts an override in force, which ends with the holder's connection, unless nobody holds it. In any case it ends with
 * its process or cgroup; the process's start need not be filled in. It takes the place of the same user's for the same
 * target, but of a limit of root's only if the same client holds that. Returns 0 when the tasks carry it, or -errno:
 * -ENOENT: no such class; -ESRCH: no such process, or one that is never touched; -EPERM: a user's is for a process that
 * is not his, or not his alone; -ENOTDIR: no such cgroup; -EDQUOT: the user holds too many; -EACCES: a user's would
 * raise the process, and does not say so. *ret_lowered: as of tagger_override.
 */
int held_put(struct daemon *daemon, struct override override, uint64_t *ret_lowered);

/*
 * Ends those of the same kind and target that are the same user's, or anybody's if it is root's. Returns their number.
 */
size_t held_end(struct daemon *daemon, const struct override *like);

/*
 * Ends what the client holds and has said of units, or if there is a name for whom. Call it before its connection is
 * closed.
 */
void held_drop(struct daemon *daemon, const struct holder *whom);

/* Ends those whose class the configuration lacks, and logs it. */
void held_reloaded(struct daemon *daemon);

/* Nothing tells of their end any more; the tasks are left. */
void held_leave(struct daemon *daemon);

/* ---- bus_use.c ---- */

/* The client, or if there is a name that one of the bridge's callers, reads no more of what tasks use. */
void use_drop(struct daemon *daemon, const struct holder *whom);

/* ---- users.c: the users named in rules ---- */

/*
 * Looks one up by a helper (helper.h), since where a network is asked (sssd, LDAP) it may take minutes, and getpwnam
 * cannot be interrupted. Returns 0, the uid, and the gid of his own group; -ENOENT: there is no such user; -ETIMEDOUT:
 * there is no answer yet; or another -errno: the name service has failed.
 */
int user_lookup(const char *name, int timeout_ms, uid_t *ret, gid_t *ret_gid);

/*
 * Starts looking up the pending users of daemon->config, after users_end. Until there is an answer they keep the uid
 * that they have in before, the previous configuration (or NULL).
 */
void users_begin(struct daemon *daemon, const struct config *before);

/* Before the configuration is freed, or user_lookup called. */
void users_end(struct daemon *daemon);
