/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Tagging is suspended for as long as our connection lasts, so that the daemon resumes however we
 * end. Probes take their attributes themselves: what a task chooses for itself stays as it is.
 */
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/measure/machine_load.h>
#include <schedqos/measure/probe.h>
#include <schedqos/measure/sampler.h>
#include <schedqos/measure/stats.h>
#include <schedqos/policy/attr.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/log.h>
#include <schedqos/util/number.h>

#include "class_list.h"
#include "client.h"
#include "impact_report.h"
#include "seconds.h"
#include "text_table.h"
#include "top_frame.h"
#include "verb.h"

#define ROUNDS_DEFAULT	6
#define ROUNDS_MAX	1000
#define SECONDS_DEFAULT 20
#define SECONDS_MIN	0.1
#define SECONDS_MAX	3600

/* How often exits are taken from the kernel's queue, which has room for some 20,000. */
#define DRAIN_NS (NS_PER_S / 4)

struct impact {
	const struct command *command;
	size_t n_rounds;
	uint64_t round_ns;
	sigset_t ending;
	sd_bus *bus;
	struct class_list classes;
	const char **names; /* of the classes */
	struct probe_attr *attrs[IMPACT_STATES];
	struct probe_result *results;
	struct probes *probes;
	struct sampler *sampler;
	struct impact_report report;
};

/* ---- one half of a round ---- */

static int set_tagging(const struct impact *impact, int state)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	int r = sd_bus_call_method(impact->bus, NULL, BUS_PATH, BUS_INTERFACE,
				   state == IMPACT_ON ? "Resume" : "Suspend", &error, NULL, NULL);

	if (r < 0)
		log_error("asking the daemon: %s", error.message ? error.message : strerror(-r));
	sd_bus_error_free(&error);
	return r < 0 ? r : 0;
}

/* The frame's strings are the list's. */
static int look(const struct impact *impact, struct task_list *list, struct top_frame *ret)
{
	static const struct task_filter everything;
	_cleanup_free_ pid_t *living = NULL;
	struct sample_frame samples;
	size_t count = 0;
	int r = sampler_drain(impact->sampler);

	if (r == 0)
		r = task_list_read(impact->bus, true, list);
	if (r < 0)
		return r;
	living = calloc(list->n_tasks + 1, sizeof(*living));
	if (!living)
		return -ENOMEM;
	for (size_t i = 0; i < list->n_tasks; i++) {
		if (!(list->tasks[i].flags & BUS_TASK_ENDED))
			living[count++] = list->tasks[i].tid;
	}
	r = sampler_look(impact->sampler, living, count, clock_ns(CLOCK_MONOTONIC), &samples);
	return r < 0 ? r : top_frame_make(list, &samples, &everything, ret);
}

static int begin_looking(const struct impact *impact)
{
	struct task_list list = { 0 };
	struct top_frame frame = { 0 };
	int r = look(impact, &list, &frame);

	top_frame_clear(&frame);
	task_list_clear(&list);
	return r;
}

/* Lets the time pass. -EINTR when told to end. */
static int let_run(const struct impact *impact)
{
	const uint64_t end = clock_ns(CLOCK_MONOTONIC) + impact->round_ns;
	uint64_t now;
	int r = 0;

	while (r == 0 && (now = clock_ns(CLOCK_MONOTONIC)) < end) {
		const uint64_t left = end - now < DRAIN_NS ? end - now : DRAIN_NS;
		const struct timespec wait = { 0, (long)left };

		if (sigtimedwait(&impact->ending, NULL, &wait) > 0)
			return -EINTR;
		r = sampler_drain(impact->sampler);
	}
	return r;
}

struct class_sum {
	uint64_t run_ns, delay_ns, waits;
};

/* Of what runs in the class, but for ourselves. */
static struct class_sum sum_class(const struct top_frame *frame, const char *class)
{
	struct class_sum sum = { 0 };

	for (size_t i = 0; i < frame->n_tasks; i++) {
		const struct top_sum *task = &frame->tasks[i];

		if (task->tgid == getpid() || !task->class || strcmp(task->class, class) != 0)
			continue;
		sum.run_ns += task->run_ns;
		sum.delay_ns += task->delay_ns;
		sum.waits += task->waits;
	}
	return sum;
}

static void note_classes(struct impact *impact, size_t round, int state,
			 const struct top_frame *frame)
{
	struct impact_report *report = &impact->report;
	const double ns = (double)frame->samples.ns;

	for (size_t i = 0; i < report->n_classes; i++) {
		double *values = &report->values[state][impact_at(report, round, i, 0)];
		const struct class_sum sum = sum_class(frame, report->classes[i]);
		const struct probe_result *probe = &impact->results[i];

		values[IMPACT_P50] = probe->count ? probe->p50 : NAN;
		values[IMPACT_P99] = probe->count ? probe->p99 : NAN;
		values[IMPACT_MAX] = probe->count ? probe->max : NAN;
		values[IMPACT_DELAY] =
			sum.waits ? (double)sum.delay_ns / 1e3 / (double)sum.waits : NAN;
		values[IMPACT_SHARE] = sum.run_ns ? (double)sum.run_ns * 100 / ns : NAN;
	}
	report->busy += (double)frame->all.run_ns / ns / (double)sysconf(_SC_NPROCESSORS_ONLN);
}

static void note_machine(struct impact *impact, size_t round, int state,
			 const struct machine_load *before, double ns)
{
	struct impact_report *report = &impact->report;
	double *values = &report->values[state][impact_at(report, round, report->n_classes, 0)];
	struct machine_load now;

	machine_load_read(&now);
	values[IMPACT_PRESSURE] =
		before->has_pressure && now.has_pressure
			? (double)(now.pressure_us - before->pressure_us) * 1e5 / ns
			: NAN;
	values[IMPACT_SWITCHES] = before->has_switches && now.has_switches
					  ? (double)(now.switches - before->switches) * 1e9 / ns
					  : NAN;
}

/* The daemon may have been restarted meanwhile, and then everything is tagged. */
static int check_tagging(const struct impact *impact, int state)
{
	int suspended = 0;
	int r = sd_bus_get_property_trivial(impact->bus, NULL, BUS_PATH, BUS_STATUS_INTERFACE,
					    "Suspended", NULL, 'b', &suspended);

	if (r >= 0 && suspended != (state == IMPACT_OFF))
		r = -ESTALE;
	if (r < 0)
		log_error("the daemon: %s", strerror(-r));
	return r < 0 ? r : 0;
}

static int measure(struct impact *impact, size_t round, int state)
{
	struct machine_load load;
	struct task_list list = { 0 };
	struct top_frame frame = { 0 };
	int r = set_tagging(impact, state);

	if (r < 0)
		return r;
	r = probes_begin(impact->probes, impact->attrs[state]);
	if (r < 0)
		log_error("a probe's attributes: %s", strerror(-r));
	machine_load_read(&load);
	if (r == 0)
		r = begin_looking(impact);
	if (r == 0)
		r = let_run(impact);
	probes_end(impact->probes, impact->results);
	if (r == 0)
		r = look(impact, &list, &frame);
	if (r == 0)
		r = check_tagging(impact, state);
	if (r == 0) {
		note_classes(impact, round, state, &frame);
		note_machine(impact, round, state, &load, (double)frame.samples.ns);
	}
	top_frame_clear(&frame);
	task_list_clear(&list);
	return r;
}

/* ---- all rounds ---- */

static int run_rounds(struct impact *impact)
{
	uint64_t random = impact->report.seed;
	int r = 0;

	for (size_t round = 0; round < impact->n_rounds && r == 0; round++) {
		const int first = (int)(stats_random(&random) % IMPACT_STATES);

		for (int i = 0; i < IMPACT_STATES && r == 0; i++) {
			const int state = i ? !first : first;

			fprintf(stderr, "round %zu of %zu: tagging %s\n", round + 1,
				impact->n_rounds, state == IMPACT_ON ? "on" : "off");
			r = measure(impact, round, state);
		}
		impact->report.n_rounds += r == 0;
	}
	return r;
}

static int print_report(struct impact *impact)
{
	_cleanup_free_ char *text = NULL;

	impact->report.busy /= (double)impact->report.n_rounds * IMPACT_STATES;
	text = option_given(impact->command, OPTION_JSON)
		       ? impact_json(&impact->report)
		       : impact_text(&impact->report, terminal_width());
	return text && fputs(text, stdout) >= 0 ? 0 : EXIT_FAILURE;
}

/* However far it got: what has been measured is worth something. */
static int run(struct impact *impact)
{
	const int r = run_rounds(impact);
	const bool is_connected = sd_bus_is_open(impact->bus) > 0;
	const bool is_resumed = is_connected && set_tagging(impact, IMPACT_ON) == 0;

	if (r == -EINTR)
		fprintf(stderr, "interrupted%s\n", is_resumed ? ": tagging goes on as before" : "");
	else if (!is_connected)
		log_error("the daemon has ended, or was started anew: nothing more can be measured");
	if (!impact->report.n_rounds)
		return EXIT_FAILURE;
	return print_report(impact) || r < 0 ? EXIT_FAILURE : 0;
}

/* ---- preparing ---- */

static struct probe_attr attr_of(const struct listed_class *class)
{
	/* The budget of such a class is nothing to share with a probe. */
	if (class->policy == POLICY_DEADLINE)
		return (struct probe_attr){ .policy = POLICY_NORMAL };
	return (struct probe_attr){
		.policy = class->policy,
		.priority = class->priority,
		.nice = task_policy_is_fair(class->policy) ? class->nice : 0,
		.slice_ns = task_policy_is_fair(class->policy) ? class->slice_ns : 0,
	};
}

static int prepare_classes(struct impact *impact)
{
	const size_t n = impact->classes.count;
	struct impact_report *report = &impact->report;

	impact->names = calloc(n + 1, sizeof(*impact->names));
	impact->results = calloc(n + 1, sizeof(*impact->results));
	for (int state = 0; state < IMPACT_STATES; state++) {
		impact->attrs[state] = calloc(n + 1, sizeof(*impact->attrs[state]));
		report->values[state] =
			calloc(impact->n_rounds * impact_count(n), sizeof(*report->values[state]));
		if (!impact->attrs[state] || !report->values[state])
			return -ENOMEM;
	}
	if (!impact->names || !impact->results)
		return -ENOMEM;
	for (size_t i = 0; i < n; i++) {
		impact->names[i] = impact->classes.classes[i].name;
		impact->attrs[IMPACT_ON][i] = attr_of(&impact->classes.classes[i]);
	}
	report->classes = impact->names;
	report->n_classes = n;
	report->round_ns = impact->round_ns;
	return 0;
}

static void block_signals(struct impact *impact)
{
	sigemptyset(&impact->ending);
	sigaddset(&impact->ending, SIGINT);
	sigaddset(&impact->ending, SIGTERM);
	sigaddset(&impact->ending, SIGHUP);
	sigaddset(&impact->ending, SIGQUIT);
	sigprocmask(SIG_BLOCK, &impact->ending, NULL);
}

static int prepare(struct impact *impact)
{
	int r = class_list_read(impact->bus, &impact->classes);

	if (r < 0)
		return r;
	block_signals(impact);
	r = prepare_classes(impact);
	if (r == 0)
		r = sampler_open(&impact->sampler);
	if (r == 0)
		r = probes_start(impact->classes.count, impact->round_ns * 2, &impact->probes);
	if (r == 0 && getrandom(&impact->report.seed, sizeof(impact->report.seed), 0) < 0)
		r = -errno;
	if (r < 0)
		log_error("preparing: %s", strerror(-r));
	return r;
}

static void clean_up(struct impact *impact)
{
	probes_free(impact->probes);
	sampler_free(impact->sampler);
	for (int state = 0; state < IMPACT_STATES; state++) {
		free(impact->attrs[state]);
		free(impact->report.values[state]);
	}
	free(impact->names);
	free(impact->results);
	class_list_clear(&impact->classes);
	sd_bus_flush_close_unref(impact->bus);
}

static int parse_options(struct impact *impact)
{
	const struct command *command = impact->command;
	const char *rounds = option_value(command, OPTION_ROUNDS),
		   *seconds = option_value(command, OPTION_SECONDS);
	uint64_t count = ROUNDS_DEFAULT;

	impact->round_ns = SECONDS_DEFAULT * NS_PER_S;
	if (rounds && (parse_u64(rounds, strlen(rounds), ROUNDS_MAX, &count) < 0 || !count))
		return usage_error(command->verb, "--rounds takes 1 to %d", ROUNDS_MAX);
	if (seconds && parse_seconds(seconds, SECONDS_MIN, SECONDS_MAX, &impact->round_ns) < 0)
		return usage_error(command->verb, "--seconds takes 0.1 to %d", SECONDS_MAX);
	impact->n_rounds = count;
	return 0;
}

int cmd_impact(const struct command *command)
{
	struct impact impact = { .command = command };
	int status = parse_options(&impact);

	if (status)
		return status;
	if (client_open(&impact.bus) < 0)
		return EXIT_FAILURE;
	status = prepare(&impact) < 0 ? EXIT_FAILURE : run(&impact);
	clean_up(&impact);
	return status;
}
