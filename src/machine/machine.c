/* SPDX-License-Identifier: GPL-2.0-only */
/* Decides which sched profile is in force and when another is applied, and logs the result. */
#include <schedqos/machine/machine.h>

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/timerfd.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "profile_run.h"

struct machine {
	int root; /* of the knobs, see knobs.h */
	int folder; /* of the record */
	struct items items; /* as recorded */
	struct knobs_names refusals;

	/* Used only by a daemon. */
	const struct config *config;
	bool has_failed; /* a reload could not apply its profile: the next one tries again */
	void (*base_slice_changed)(void *context);
	void (*processors_changed)(void *context);
	void *context;
};

/* Reads the record. Returns 0 if the machine can go on, or -errno. */
static int take_over_items(struct machine *machine, bool set_aside)
{
	int fault = items_read(machine->folder, &machine->items);

	/* Knobs do not survive a boot, so a record from an earlier boot needs no work. */
	if (fault == -ESTALE)
		return 0;
	return set_aside ? state_file_set_aside(machine->folder, STATE_KNOBS, "the record of knobs", fault) : fault;
}

int machine_new_at(int root, int folder, bool set_aside, struct machine **ret)
{
	struct machine *machine = calloc(1, sizeof(*machine));
	int r;

	if (!machine)
		return -ENOMEM;
	machine->root = root;
	machine->folder = folder;
	r = take_over_items(machine, set_aside);
	if (r < 0)
		machine_free(machine);
	else
		*ret = machine;
	return r;
}

int machine_new(bool set_aside, struct machine **ret)
{
	int folder = state_folder_open();

	return folder < 0 ? folder : machine_new_at(AT_FDCWD, folder, set_aside, ret);
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	close(machine->folder);
	if (machine->root >= 0)
		close(machine->root);
	items_clear(&machine->items);
	knobs_names_clear(&machine->refusals);
	free(machine);
}

const char *machine_profile(const struct machine *machine)
{
	return machine->items.profile;
}

char *const *machine_refusals(const struct machine *machine, size_t *ret_count)
{
	*ret_count = machine->refusals.count;
	return machine->refusals.items;
}

size_t machine_count_changed(const struct machine *machine)
{
	return machine->items.count;
}

void machine_set_config(struct machine *machine, const struct config *config)
{
	machine->config = config;
}

void machine_on_change(struct machine *machine, void (*base_slice)(void *context), void (*processors)(void *context),
		       void *context)
{
	machine->base_slice_changed = base_slice;
	machine->processors_changed = processors;
	machine->context = context;
}

/* ---- applying and logging ---- */

static bool has_line(const struct knobs_names *lines, const char *line)
{
	for (size_t i = 0; i < lines->count; i++) {
		if (strcmp(lines->items[i], line) == 0)
			return true;
	}
	return false;
}

static void log_result(const char *name, const struct profile_result *result)
{
	char safe[256], refused[32] = "";

	text_escape_to(safe, sizeof(safe), name, strlen(name));
	if (result->refused)
		snprintf(refused, sizeof(refused), ", refused %zu", result->refused);
	log_info("sched profile %s: knobs set %zu, already right %zu, put back %zu%s", *safe ? safe : "(none)",
		 result->set, result->already, result->put_back, refused);
}

static int run_profile(struct machine *machine, const struct profile_wish *wish, struct profile_result *ret)
{
	struct knobs_names lines = { 0 };
	struct profile_run run = {
		.wish = wish,
		.root = machine->root,
		.folder = machine->folder,
		.items = &machine->items,
		.refusals = &lines,
	};
	int r = profile_run(&run);

	*ret = run.result;
	if (r < 0) {
		log_warning("no knob is set, because the previous values cannot be recorded in " STATE_FOLDER ": %s",
			    strerror(-r));
		knobs_names_clear(&lines);
		return r;
	}
	/* A refusal that was logged the last time is not logged again. */
	for (size_t i = 0; i < lines.count; i++) {
		if (has_line(&machine->refusals, lines.items[i]))
			continue;
		log_warning("%s", lines.items[i]);
		if (wish->only_new)
			knobs_names_add(&machine->refusals, strdup(lines.items[i]));
	}
	knobs_names_clear(wish->only_new ? &lines : &machine->refusals);
	if (!wish->only_new)
		machine->refusals = lines;
	if (ret->base_slice && machine->base_slice_changed)
		machine->base_slice_changed(machine->context);
	return 0;
}

int machine_apply(struct machine *machine, const struct sched_profile *profile, bool autogroup_off,
		  struct profile_result *ret)
{
	const struct profile_wish wish = { .profile = profile, .autogroup_off = autogroup_off };

	return run_profile(machine, &wish, ret);
}

/* Applies a profile; NULL for none. */
static int apply(struct machine *machine, const struct sched_profile *profile)
{
	struct profile_result result;
	int r = machine_apply(machine, profile, machine->config->settings.autogroup_off, &result);

	if (r == 0 && (profile || result.set || result.already || result.put_back || result.refused))
		log_result(profile ? profile->name : "", &result);
	return r;
}

static const struct sched_profile *find_profile(const struct config *config, const char *name)
{
	return name ? sched_profile_find(config->profiles, config->n_profiles, name) : NULL;
}

/* Returns the profile in force as the present configuration defines it; NULL if none. */
static const struct sched_profile *current(const struct machine *machine)
{
	return find_profile(machine->config, machine->items.profile);
}

void machine_reload(struct machine *machine, const struct config *config)
{
	const struct config *old = machine->config;
	const struct sched_profile *profile = find_profile(config, config->settings.sched_profile);

	machine->config = config;
	/* A profile chosen with machine_switch stays until the configuration asks for another. */
	if (machine->has_failed || !sched_profile_equal(find_profile(old, old->settings.sched_profile), profile))
		machine->has_failed = apply(machine, profile) < 0;
	else if (old->settings.autogroup_off != config->settings.autogroup_off)
		apply(machine, current(machine));
}

int machine_switch(struct machine *machine, const char *name)
{
	const struct sched_profile *profile = *name ? find_profile(machine->config, name) : NULL;

	int r = *name && !profile ? -ENOENT : apply(machine, profile);

	if (r == 0)
		machine->has_failed = false;
	return r;
}

void machine_refresh(struct machine *machine)
{
	const struct profile_wish wish = { .profile = current(machine), .only_new = true };
	struct profile_result result;

	if (wish.profile && run_profile(machine, &wish, &result) == 0 && result.set)
		log_result(wish.profile->name, &result);
}

void machine_put_back(struct machine *machine)
{
	struct profile_result result;

	if (machine_apply(machine, NULL, false, &result) == 0 && result.put_back)
		log_info("knobs put back: %zu", result.put_back);
}

/* ---- CPUs that come and go, and a suspend ---- */

static int on_cpu_uevent(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct machine *machine = userdata;

	(void)source;
	(void)revents;
	uevent_drain(fd);
	machine_refresh(machine);
	if (machine->processors_changed)
		machine->processors_changed(machine->context);
	return 0;
}

/*
 * Opens a timer that never expires, on a clock that is set after a suspend: a suspend takes all CPUs but one offline
 * without a uevent. A suspend shorter than one second goes unnoticed.
 */
static int jumps_open(void)
{
	const struct itimerspec never = { .it_value.tv_sec = 8589934592LL }; /* the year 2242 */
	int r, fd = timerfd_create(CLOCK_REALTIME, TFD_NONBLOCK | TFD_CLOEXEC);

	if (fd < 0 || timerfd_settime(fd, TFD_TIMER_ABSTIME | TFD_TIMER_CANCEL_ON_SET, &never, NULL) == 0)
		return fd < 0 ? -errno : fd;
	r = -errno;
	close(fd);
	return r;
}

/*
 * Watches a descriptor for the lifetime of the loop; `fd` may be a -errno if it could not be opened. The daemon starts
 * even if this fails.
 */
static void watch_cpus(struct machine *machine, sd_event *event, int fd)
{
	int r = fd < 0 ? fd : sd_event_add_io(event, NULL, fd, EPOLLIN, on_cpu_uevent, machine);

	if (r < 0)
		log_warning("CPUs that come online are not noticed: %s", strerror(-r));
}

void machine_start(struct machine *machine, sd_event *event)
{
	watch_cpus(machine, event, uevent_open());
	watch_cpus(machine, event, jumps_open());
	apply(machine, find_profile(machine->config, machine->config->settings.sched_profile));
}
