/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's life: start, scan, handle events, put everything back. */
#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/daemon/instance.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/version.h>

#include "bus.h"
#include "daemon_private.h"

static void daemon_clear(struct daemon *daemon)
{
	bus_server_free(daemon->bus);
	for (unsigned i = 0; i < USE_READERS; i++)
		free(daemon->readers[i].name);
	users_end(daemon);
	tagger_free(daemon->tagger);
	config_free(daemon->config);
	machine_free(daemon->machine);
	sd_event_unref(daemon->event);
	free(daemon->mapping);
	free(daemon->reload_error);
	if (daemon->proc >= 0)
		close(daemon->proc);
}

/* Logs a failure. Returns 0 or an exit status. */
static int check(int r, const char *what)
{
	if (r < 0)
		log_error("%s: %s", what, strerror(-r));
	return r < 0 ? EXIT_FAILURE : 0;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	_cleanup_free_ char *text = NULL, *summary = NULL;
	struct daemon *daemon = userdata;

	(void)source;
	(void)info;
	/* The terminal on which we were started is gone. */
	if (daemon->on_terminal && !isatty(STDERR_FILENO))
		return sd_event_exit(daemon->event, 0);
	daemon_reload(daemon, NULL, &text, &summary);
	return 0;
}

static int init_loop(struct daemon *daemon)
{
	int r = sd_event_new(&daemon->event);

	if (r >= 0)
		r = sd_event_add_signal(daemon->event, NULL, SIGTERM | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_signal(daemon->event, NULL, SIGINT | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_signal(daemon->event, NULL, SIGHUP | SD_EVENT_SIGNAL_PROCMASK, on_hangup, daemon);
	if (r >= 0)
		r = sd_event_set_watchdog(daemon->event, 1);
	return check(r, "cannot make the event loop");
}

/*
 * Returns whether we run outside the initial namespaces, and logs it. We refuse to run there:
 *	- In another network namespace the kernel ignores our subscription. We would not even notice if another
 *	  program on the machine has subscribed.
 *	- The root of a user namespace may tag its creator's tasks, but not put them back.
 *	- In a time namespace our clocks and the start times in /proc are shifted, but the times of events are not, so
 *	  that we would recognise no task.
 */
static bool is_elsewhere(void)
{
	const char *other = host_other_namespace(AT_FDCWD);

	if (other)
		log_error("this is not the initial %s namespace (a container?)", other);
	return other;
}

static int init_proc(struct daemon *daemon)
{
	daemon->proc = procfs_open();
	if (daemon->proc != -ENODEV)
		return check(daemon->proc, "cannot read /proc");
	log_error("cannot read /proc: another file system is mounted there");
	return EXIT_FAILURE;
}

static void follow_base_slice(void *context)
{
	struct daemon *daemon = context;

	tagger_follow_base_slice(daemon->tagger);
}

static void follow_cpus(void *context)
{
	struct daemon *daemon = context;

	tagger_follow_processors(daemon->tagger);
}

static int init_machine(struct daemon *daemon)
{
	int r = machine_new(true, &daemon->machine);

	if (r < 0) {
		log_error("cannot read the record of knobs of an earlier run, " STATE_FOLDER "/" STATE_KNOBS
			  ": %s: it is left as it is",
			  state_file_fault(r));
		return EXIT_FAILURE;
	}
	machine_set_config(daemon->machine, daemon->config);
	machine_on_change(daemon->machine, follow_base_slice, follow_cpus, daemon);
	return 0;
}

/* Does everything up to and including the first scan. Returns 0 or an exit status. */
static int start_daemon(struct daemon *daemon, const struct daemon_options *options)
{
	int status;

	if (is_elsewhere() || instance_lock(true, NULL) < 0)
		return EXIT_FAILURE;
	/* We hold the lock: no other daemon writes to the log. */
	if (!log_sink_open(options->detach))
		log_warning("no syslog runs: once in the background nothing is logged, unless "
			    "standard error is a file");
	status = daemon_load_config(daemon);
	if (!status)
		status = init_loop(daemon);
	if (!status)
		status = init_proc(daemon);
	if (!status && tagger_new(daemon->event, daemon->config, daemon->proc, &daemon->tagger) < 0)
		status = EXIT_FAILURE;
	if (!status)
		status = init_machine(daemon);
	if (!status)
		status = check(bus_server_new(daemon, BUS_SOCKET, &daemon->bus), "cannot open the control socket");
	if (status)
		return status;
	malloc_trim(0);
	tagger_start(daemon->tagger);
	machine_start(daemon->machine, daemon->event);
	users_begin(daemon, NULL);
	daemon->since_us = clock_ns(CLOCK_REALTIME) / 1000;
	return 0;
}

static void announce(const struct daemon *daemon)
{
	const size_t rules = daemon->config->rules->n_lists;

	log_info("schedqos %s is listening: %zu rule%s, %zu tasks, %" PRIu64 " changed", version_text, rules,
		 rules == 1 ? "" : "s", tagger_records(daemon->tagger), tagger_counters(daemon->tagger)->set);
	daemon_notify_ready(daemon, "");
}

static void finish_daemon(struct daemon *daemon)
{
	const struct problem *problems;
	uint64_t count;
	size_t n, n_faults;

	sd_notify(0, "STOPPING=1");
	users_end(daemon);
	held_leave(daemon);
	/* Put back knobs before tasks: tasks without a custom slice then get the base slice of before our start. */
	machine_put_back(daemon->machine);
	count = tagger_undo(daemon->tagger);
	problems = tagger_problems(daemon->tagger, &n, &n_faults);
	for (size_t i = 0; i < n; i++)
		problem_summary(&problems[i]);
	problem_summary(&daemon->bus_problem);
	log_info("stopped: %" PRIu64 " task%s put back", count, count == 1 ? "" : "s");
}

/* ---- the background: the caller waits until the daemon is ready or has failed ---- */

/*
 * Forks. Returns 0 in the child, with a descriptor for detach_done in *ret_ready; 1 in the caller, with the child's
 * exit status in *ret_status (0: the child is ready and goes on running); or -errno.
 */
static int detach(int *ret_ready, int *ret_status)
{
	_cleanup_close_ int heard = -1, told = -1;
	int ends[2];
	uint8_t status;
	ssize_t n;
	pid_t child;

	/* Close inherited descriptors: a caller's lock or pipe must not stay open as long as we live. */
	close_range(STDERR_FILENO + 1, ~0U, 0);
	if (pipe2(ends, O_CLOEXEC) < 0)
		return -errno;
	heard = ends[0];
	told = ends[1];
	child = fork();
	if (child < 0)
		return -errno;
	if (child == 0) {
		setsid();
		*ret_ready = take_fd(told);
		return 0;
	}
	close(take_fd(told));
	do {
		n = read(heard, &status, 1);
	} while (n < 0 && errno == EINTR);
	/* If the pipe was closed without a status, the child died. */
	*ret_status = n == 1 ? status : EXIT_FAILURE;
	return 1;
}

/*
 * Sends the status to the waiting caller. If the start succeeded, first redirects the standard streams to /dev/null,
 * except stderr if keep_stderr. Returns whether the caller still waits.
 */
static bool detach_done(int ready, int status, bool keep_stderr)
{
	uint8_t byte = (uint8_t)status;
	_cleanup_close_ int null = -1;
	ssize_t n;

	if (status == 0) {
		null = open("/dev/null", O_RDWR | O_CLOEXEC);
		for (int fd = 0; fd <= (keep_stderr ? STDOUT_FILENO : STDERR_FILENO) && null >= 0; fd++)
			dup2(null, fd);
		if (chdir("/") < 0)
			byte = EXIT_FAILURE;
	}
	do {
		n = write(ready, &byte, 1);
	} while (n < 0 && errno == EINTR);
	close(ready);
	return n == 1;
}

/* Runs the daemon, in the process that detach() has made or in the caller's. */
static int run_daemon(const struct daemon_options *options, int ready)
{
	struct daemon daemon = {
		.proc = -1,
		.lookup = USER_LOOKUP_INIT,
		.paths = options->paths,
		.verbose = options->verbose,
		.on_terminal = !options->detach && isatty(STDERR_FILENO),
	};
	int status = start_daemon(&daemon, options);
	bool keep_stderr = true;

	if (status == 0) {
		/* Log this while the waiting caller still shares stderr. */
		announce(&daemon);
		keep_stderr = log_sink_ready();
	}
	/* A caller that was interrupted has failed, so the daemon must not go on, either. */
	if (ready >= 0 && !detach_done(ready, status, keep_stderr) && status == 0)
		sd_event_exit(daemon.event, EXIT_FAILURE);
	if (status == 0) {
		status = check(tagger_loop(daemon.tagger), "the event loop failed");
		finish_daemon(&daemon);
	}
	daemon_clear(&daemon);
	return status;
}

int daemon_run(const struct daemon_options *options)
{
	int ready = -1, status = 0;

	if (options->detach) {
		int r = detach(&ready, &status);

		if (r != 0)
			return r < 0 ? check(r, "cannot go to the background") : status;
	}
	return run_daemon(options, ready);
}
