/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's life: start, scan, handle events, put everything back. */
#include <schedqos/daemon/daemon.h>

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

#include "bus.h"
#include "daemon_private.h"
#include "held.h"
#include "log_sink.h"

static void daemon_clear(struct daemon *daemon)
{
	bus_server_free(daemon->bus);
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

static int init_loop(struct daemon *daemon)
{
	int r = sd_event_new(&daemon->event);

	if (r >= 0)
		r = signals_init(daemon);
	if (r >= 0)
		r = sd_event_set_watchdog(daemon->event, 1);
	if (r < 0)
		log_error("making the event loop: %s", strerror(-r));
	return r < 0 ? EXIT_FAILURE : 0;
}

/*
 * In another network namespace the kernel ignores our subscription, which we would not notice if somebody else on the
 * machine is subscribed. The root of a user namespace may tag its creator's tasks, but not put them back. In a time
 * namespace our clocks and the starts in /proc are shifted, but the times of events are not: no task would be
 * recognised.
 */
static int check_namespaces(struct daemon *daemon)
{
	const char *other = host_other_namespace(AT_FDCWD);

	(void)daemon;
	if (other)
		log_error("this is not the initial %s namespace (a container?)", other);
	return other ? EXIT_FAILURE : 0;
}

static int init_proc(struct daemon *daemon)
{
	int r = daemon->proc = procfs_open();

	if (r < 0)
		log_error("reading /proc: %s", r == -ENODEV ? "what is mounted there is no procfs" : strerror(-r));
	return r < 0 ? EXIT_FAILURE : 0;
}

static int init_tagger(struct daemon *daemon)
{
	return tagger_new(daemon->event, daemon->config, daemon->proc, &daemon->tagger) < 0 ? EXIT_FAILURE : 0;
}

static int init_instance(struct daemon *daemon)
{
	(void)daemon;
	return instance_lock(true, NULL) < 0 ? EXIT_FAILURE : 0;
}

static int init_bus(struct daemon *daemon)
{
	int r = bus_server_new(daemon, BUS_SOCKET, &daemon->bus);

	if (r < 0)
		log_error("opening the control socket: %s", strerror(-r));
	return r < 0 ? EXIT_FAILURE : 0;
}

static void on_base_slice(void *context)
{
	struct daemon *daemon = context;

	tagger_follow_base_slice(daemon->tagger);
}

static void on_processors(void *context)
{
	struct daemon *daemon = context;

	tagger_follow_processors(daemon->tagger);
}

static int init_machine(struct daemon *daemon)
{
	int r = machine_new(true, &daemon->machine);

	if (r < 0) {
		log_error("the record of what knobs held before an earlier run, " STATE_FOLDER "/" STATE_KNOBS
			  ", cannot be read: %s: it stays as it is",
			  state_file_fault(r));
		return EXIT_FAILURE;
	}
	machine_set_config(daemon->machine, daemon->config);
	machine_on_change(daemon->machine, on_base_slice, on_processors, daemon);
	return 0;
}

/* Called once it is certain that no other daemon writes to the log. */
static void open_log(const struct daemon_options *options)
{
	if (!options->detach)
		log_sink_foreground();
	else if (!log_sink_background())
		log_warning("no syslog runs: once in the background nothing is logged, unless "
			    "standard error is a file");
}

/* Everything up to the first scan. Returns 0 or an exit status. */
static int start(struct daemon *daemon, const struct daemon_options *options)
{
	static int (*const steps[])(struct daemon *) = {
		check_namespaces, init_instance,  daemon_load_config, init_loop, init_proc,
		init_tagger,	  init_machine,	  init_bus,
	};

	for (size_t i = 0; i < array_size(steps); i++) {
		int status = steps[i](daemon);

		if (status)
			return status;
		if (steps[i] == init_instance)
			open_log(options);
	}
	malloc_trim(0);
	tagger_start(daemon->tagger);
	machine_start(daemon->machine, daemon->event);
	users_begin(daemon, NULL);
	daemon->since_us = clock_ns(CLOCK_REALTIME) / 1000;
	return 0;
}

static void announce(const struct daemon *daemon)
{
	char rules[32], tasks[32];

	snprintf(rules, sizeof(rules), "%zu", rules_count(daemon->config->rules));
	snprintf(tasks, sizeof(tasks), "%zu", tagger_records(daemon->tagger));
	log_info("schedqos %s is listening: %s rules, %s tasks, %" PRIu64 " changed", VERSION, rules, tasks,
		 tagger_counters(daemon->tagger)->set);
	sd_notifyf(0, "READY=1\nSTATUS=%s rules, %s tasks", rules, tasks);
}

static void finish(struct daemon *daemon)
{
	const struct problem *problems;
	uint64_t count;
	size_t n;

	sd_notify(0, "STOPPING=1");
	users_end(daemon);
	held_leave(daemon);
	/* Before the tasks: those without a custom slice then get the base slice of before our start. */
	machine_put_back(daemon->machine);
	count = tagger_undo(daemon->tagger);
	problems = tagger_problems(daemon->tagger, &n);
	for (size_t i = 0; i < n; i++)
		problem_summary(&problems[i]);
	problem_summary(&daemon->bus_problem);
	log_info("stopped: %" PRIu64 " tasks put back", count);
}

static int loop(struct daemon *daemon)
{
	int r = sd_event_loop(daemon->event);

	if (r < 0)
		log_error("the event loop failed: %s", strerror(-r));
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Runs in the process that is to be the daemon. */
static int run(const struct daemon_options *options, int ready)
{
	struct daemon daemon = {
		.proc = -1,
		.paths = options->paths,
		.verbose = options->verbose,
		.on_terminal = !options->detach && isatty(STDERR_FILENO),
	};
	int status = start(&daemon, options);

	if (status == 0) {
		log_sink_ready();
		announce(&daemon);
	}
	if (ready >= 0)
		detach_done(ready, status, log_sink_is_stderr());
	if (status == 0) {
		status = loop(&daemon);
		finish(&daemon);
	}
	daemon_clear(&daemon);
	return status;
}

int daemon_run(const struct daemon_options *options)
{
	int ready = -1, status, r;

	if (!options->detach)
		return run(options, -1);
	r = detach(&ready, &status);
	if (r < 0)
		log_error("going to the background: %s", strerror(-r));
	if (r != 0)
		return r < 0 ? EXIT_FAILURE : status;
	return run(options, ready);
}
