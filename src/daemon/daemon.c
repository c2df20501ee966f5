/* SPDX-License-Identifier: GPL-2.0-only */
/* The daemon's life: start, scan, handle events, put everything back. */
#include <schedqos/daemon/daemon.h>

#include <errno.h>
#include <inttypes.h>
#include <malloc.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-daemon.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/instance.h>
#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/tagging/watch.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>

#include "bus.h"
#include "daemon_private.h"
#include "detach.h"
#include "introduction.h"
#include "log_sink.h"
#include "takeover.h"
#include "user_server.h"

static struct daemon *daemon_new(const struct daemon_options *options, int ready)
{
	struct daemon *daemon = calloc(1, sizeof(*daemon));

	if (!daemon)
		return NULL;
	daemon->options = options;
	daemon->ready = ready;
	daemon->paths = options->paths;
	daemon->on_terminal = !options->detach && isatty(STDERR_FILENO);
	daemon->verbose = options->verbose;
	daemon->proc = -1;
	return daemon;
}

static void daemon_free(struct daemon *daemon)
{
	if (!daemon)
		return;
	watch_stop();
	held_free(daemon);
	user_server_free(daemon->user_server);
	bus_server_free(daemon->bus);
	users_end(daemon);
	tagger_free(daemon->tagger);
	config_free(daemon->config);
	machine_free(daemon->machine);
	sd_event_unref(daemon->event);
	free(daemon->reload_error);
	free(daemon->reload_summary);
	if (daemon->proc >= 0)
		close(daemon->proc);
	free(daemon);
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
	const char *other = host_other_namespace();

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

static void on_scanned(void *context)
{
	struct daemon *daemon = context;

	daemon_reloaded(daemon);
	bus_server_reloaded(daemon->bus);
}

static int init_tagger(struct daemon *daemon)
{
	const struct tagger_setup setup = {
		.event = daemon->event,
		.config = daemon->config,
		.proc = daemon->proc,
		.hung = daemon->hung,
		.scanned = on_scanned,
		.context = daemon,
	};

	return tagger_new(&setup, &daemon->tagger) < 0 ? EXIT_FAILURE : 0;
}

static int init_listening(struct daemon *daemon)
{
	return tagger_listen(daemon->tagger) < 0 ? EXIT_FAILURE : 0;
}

static int init_instance(struct daemon *daemon)
{
	(void)daemon;
	return instance_lock(true, NULL) < 0 ? EXIT_FAILURE : 0;
}

static takeover_t take_over;

/*
 * After init_tagger, which sets us to nice -20, so that the watching thread does not wait for other tasks either.
 */
static int init_watch(struct daemon *daemon)
{
	int r = takeover_prepare(daemon, take_over);

	if (r < 0)
		log_warning("nobody watches whether looking at a process hangs: %s", strerror(-r));
	return 0;
}

static int init_bus(struct daemon *daemon)
{
	int r = bus_server_new(daemon, BUS_SOCKET, &daemon->bus);

	if (r < 0)
		log_error("opening the control socket: %s", strerror(-r));
	return r < 0 ? EXIT_FAILURE : 0;
}

/* Root is served without. */
static int init_user_server(struct daemon *daemon)
{
	int r = user_server_new(daemon, &daemon->user_server);

	if (r < 0)
		log_warning("ordinary users cannot ask for classes: %s", strerror(-r));
	return 0;
}

static void on_base_slice(void *context)
{
	struct daemon *daemon = context;

	tagger_follow_base_slice(daemon->tagger);
}

static int init_machine(struct daemon *daemon)
{
	/* machine_start handles a state file that cannot be read. */
	int r = machine_new(&daemon->machine);

	if (!daemon->machine) {
		log_error("looking at the machine's knobs: %s", strerror(-r));
		return EXIT_FAILURE;
	}
	machine_set_config(daemon->machine, daemon->config);
	machine_on_base_slice(daemon->machine, on_base_slice, daemon);
	return 0;
}

/* Called once it is certain that no other daemon writes to the log. */
static void open_log(const struct daemon_options *options)
{
	int r = 0;

	if (options->detach)
		r = log_sink_background();
	else
		log_sink_foreground();
	if (r < 0)
		log_warning("no log file: %s", strerror(-r));
}

/* Everything up to the first scan. Returns 0 or an exit status. */
static int start(struct daemon *daemon, const struct daemon_options *options)
{
	static int (*const steps[])(struct daemon *) = {
		check_namespaces, init_instance,  daemon_load_config, init_loop, init_proc,
		init_tagger,	  init_watch,	  init_listening,     init_machine, init_bus,
		init_user_server,
	};

	for (size_t i = 0; i < array_size(steps); i++) {
		int status = steps[i](daemon);

		if (status)
			return status;
		if (steps[i] == init_instance && !daemon->hung)
			open_log(options);
	}
	malloc_trim(0);
	tagger_start(daemon->tagger);
	if (daemon->before)
		held_take_over(daemon, daemon->before);
	machine_start(daemon->machine, daemon->event, &daemon->problems[PROBLEM_KNOBS]);
	users_begin(daemon, NULL);
	daemon->since_us = clock_ns(CLOCK_REALTIME) / 1000;
	return 0;
}

static void announce(const struct daemon *daemon)
{
	char rules[32], tasks[32];
	const struct log_field fields[] = {
		{ "EVENT", "start" }, { "RULES", rules }, { "TASKS", tasks }, { NULL, NULL }
	};

	snprintf(rules, sizeof(rules), "%zu", rules_count(daemon->config->rules));
	snprintf(tasks, sizeof(tasks), "%zu", tagger_records(daemon->tagger));
	log_write(LOG_INFO, fields,
		  "schedqos %s is listening: %s rules, %s tasks, %" PRIu64 " changed", VERSION,
		  rules, tasks, tagger_counters(daemon->tagger)->set);
	sd_notifyf(0, "READY=1\nSTATUS=%s rules, %s tasks", rules, tasks);
	if (!log_enabled(LOG_DEBUG))
		return;
	tagger_log_summary(daemon->tagger);
	if (daemon->verbose && !daemon->options->detach)
		introduction_log(daemon->config);
}

static void log_problems(const struct problem *problems, size_t count)
{
	for (size_t i = 0; i < count; i++)
		problem_summary(&problems[i]);
}

static void finish(struct daemon *daemon)
{
	static const struct log_field fields[] = { { "EVENT", "stop" }, { NULL, NULL } };
	const struct problem *problems;
	uint64_t count;
	size_t n;

	sd_notify(0, "STOPPING=1");
	user_server_free(take_ptr(daemon->user_server));
	users_end(daemon);
	tagger_wind_down(daemon->tagger);
	/* Before the tasks: those without a custom slice then get the base slice of before our start. */
	machine_put_back(daemon->machine);
	count = tagger_undo(daemon->tagger);
	problems = tagger_problems(daemon->tagger, &n);
	log_problems(problems, n);
	log_problems(daemon->problems, DAEMON_PROBLEMS);
	log_write(LOG_INFO, fields, "stopped: %" PRIu64 " tasks put back", count);
}

static int loop(struct daemon *daemon)
{
	int r = sd_event_loop(daemon->event);

	if (r < 0)
		log_error("the event loop failed: %s", strerror(-r));
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}

/* Runs in the process that is to be the daemon. */
static int run(struct daemon *daemon)
{
	const int ready = daemon ? daemon->ready : -1;
	int status = daemon ? start(daemon, daemon->options) : EXIT_FAILURE;

	if (status == 0) {
		log_sink_ready();
		announce(daemon);
	}
	if (ready >= 0) {
		detach_done(ready, status);
		daemon->ready = -1;
	}
	if (status == 0) {
		if (!daemon->stop_at_once)
			status = loop(daemon);
		finish(daemon);
	}
	daemon_free(daemon);
	return status;
}

static int take_over(struct daemon *before, pid_t hung, const char *cause, bool stop)
{
	struct daemon *daemon = daemon_new(before->options, before->ready);

	/*
	 * The hung thread was in the middle of a decision, so of before only what that does not touch is used, and
	 * nothing is freed: the configuration and the list of overrides.
	 */
	if (daemon) {
		daemon->config = before->config;
		daemon->on_terminal = before->on_terminal;
		daemon->stop_at_once = stop;
		daemon->hung = hung;
		daemon->before = before;
		problem_report(&daemon->problems[PROBLEM_HUNG],
			       "looking at process %s took for ever: started anew, with more care for an hour",
			       cause);
	}
	return run(daemon);
}

int daemon_run(const struct daemon_options *options)
{
	int ready = -1, status, r;

	if (!options->detach)
		return run(daemon_new(options, -1));
	r = detach(&ready, &status);
	if (r < 0)
		log_error("going to the background: %s", strerror(-r));
	if (r != 0)
		return r < 0 ? EXIT_FAILURE : status;
	return run(daemon_new(options, ready));
}
