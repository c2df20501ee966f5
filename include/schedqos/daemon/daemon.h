/* SPDX-License-Identifier: GPL-2.0-only */
/* What the command line needs of the daemon: its configuration, start, lock and control interface. */
#pragma once

#include <stdbool.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/file.h>

/* ---- finds and reads the configuration's files in order, and has them parsed ---- */

/* Where to look. NULL members mean the default paths. */
struct config_paths {
	const char *folder; /* instead of both /usr/share/schedqos and /etc/schedqos */
	const char *file;   /* instead of /etc/schedqos.json; must exist then */
	const char *mapping; /* instead of the one that the files name */
	/*
	 * Instead of all files: these files and folders, in this order, up to NULL. The name of one tells whether it
	 * holds a mapping, profiles, or rules.
	 */
	char *const *only;
};

/*
 * How long to wait for the lookup of all users named in rules: while tasks wait for the daemon, and while a person
 * waits for a command. A few local users take some milliseconds.
 */
#define CONFIG_USERS_MS	       100
#define CONFIG_USERS_PEOPLE_MS 5000

/*
 * Reads all layers. A user who cannot be looked up within users_ms is pending: see struct rule_user. Returns 0 and the
 * configuration, -EINVAL if anything is wrong with a file, or -ENOMEM. Errors and warnings are appended to errors.
 */
int config_load(const struct config_paths *paths, unsigned users_ms, struct config **ret,
		struct config_errors *errors);

/* The administrator's file that config_load reads with these paths, whether it exists or not. */
const char *config_own_file(const struct config_paths *paths);

/* Parses texts that were not read from files. Looks up users, and returns, as config_load does. */
int config_load_texts(const struct config_file *files, size_t n_files, unsigned users_ms, struct config **ret,
		      struct config_errors *errors);

/* Exit status of a program whose configuration is wrong (sysexits.h). */
#define EXIT_CONFIG 78

struct daemon_options {
	struct config_paths paths;
	bool detach;  /* go to the background after the first scan */
	bool verbose; /* log at debug level, whatever the configuration says */
};

/*
 * Runs the daemon until it is told to stop and has put everything back; with detach, returns in the calling process
 * once the daemon is ready or has failed. Returns an exit status: 0, 1 or EXIT_CONFIG. Prints errors to stderr.
 */
int daemon_run(const struct daemon_options *options);

/*
 * Repairs what a killed daemon, or a sched profile applied without one, has left behind: puts back everything that
 * nobody has changed since, and removes the records. Refuses while a daemon runs. Returns 0
 * if nothing is left to do, else 1; logs what was done and what went wrong.
 */
int restore_run(void);

/* ---- ensures that at most one daemon runs on a machine, or one verb that does a daemon's work without it ---- */

/*
 * Makes the runtime folder and takes the lock in it, which is held until the process ends. Waits up to 8 s for a verb
 * that holds it. Returns 0, or logs the error and returns -errno: -EEXIST if a daemon holds it, -EBUSY if a verb
 * still does. remedy: what the log should suggest if a daemon holds it, or NULL.
 */
int instance_lock(bool as_daemon, const char *remedy);

/* The pid of the running daemon, 0 if there is none, or -errno. */
pid_t instance_owner(void);

/* ---- the control interface, on the private socket ---- */

#define BUS_SOCKET STATE_FOLDER "/bus"
#define BUS_PATH "/org/schedqos1"

/* Connects to the daemon as a client, without waiting for it to answer. 0 or -errno. */
int bus_connect(sd_bus **ret);

/* Beside root only the bridge may connect, which runs as this user. */
#define BUS_BRIDGE_USER "schedqos"

#define BUS_INTERFACE "org.schedqos1.Manager"	      /* methods */
#define BUS_OVERRIDES_INTERFACE \
	"org.schedqos1.Overrides" /* by root, or by the bridge in a user's name: methods, a signal */

/* Returned by Reload if the configuration has errors; the message holds all of them, one a line. */
#define BUS_ERROR_CONFIG "org.schedqos1.Error.Config"
#define BUS_ERROR_FAILED "org.schedqos1.Error.Failed"

/* Returned where a class is named that there is not; the message names those that there are. */
#define BUS_ERROR_UNKNOWN_CLASS "org.schedqos1.Error.UnknownClass"

/*
 * Returned for what is not the user's; and for a class higher than what rules give, where it was not said that this is
 * meant.
 */
#define BUS_ERROR_NOT_YOURS "org.schedqos1.Error.NotYours"
#define BUS_ERROR_NEEDS_RAISE "org.schedqos1.Error.NeedsRaise"

/* Returned by SetSchedProfile for a name that no profile has. */
#define BUS_ERROR_UNKNOWN_PROFILE "org.schedqos1.Error.UnknownProfile"

/* Returned by Explain for a task that does not exist. */
#define BUS_ERROR_NO_TASK "org.schedqos1.Error.NoTask"

/* What ListTasks returns of each task: so many numbers, of which these are no class, and bits. */
#define BUS_TASK_NUMBERS 9
#define BUS_NO_CLASS 0xffff
enum bus_task_flag {
	BUS_TASK_LIMITED = 1 << 0, /* its cgroup's group allows no higher class */
	BUS_TASK_DIFFERS = 1 << 1, /* it carries something else than its class means */
	BUS_TASK_RAISED = 1 << 2,  /* its app has the focus, and so it has more than its rule gives */
	BUS_TASK_FOCUSED = 1 << 3, /* its app has the focus, or is played */
	BUS_TASK_HIDDEN = 1 << 4,  /* its app's windows are */
};
