/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sched profile is in force, when another is applied, and what is logged about it. */
#include <schedqos/machine/machine.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/clock_jumps.h>
#include <schedqos/kernel/uevent.h>
#include <schedqos/util/log.h>
#include <schedqos/util/state_folder.h>
#include <schedqos/util/text.h>

#include "machine_private.h"

#define RETRY_MIN_US 1000000ULL
#define RETRY_MAX_US (64 * RETRY_MIN_US)

int machine_new_at(const struct knobs *knobs, int folder, struct machine **ret)
{
	struct machine *machine = calloc(1, sizeof(*machine));

	if (!machine)
		return -ENOMEM;
	machine->knobs = *knobs;
	machine->keeps_trees = true;
	machine->folder = folder;
	machine->takeover_error = -EAGAIN;
	*ret = machine;
	return machine_take_over(machine);
}

int machine_new(struct machine **ret)
{
	struct knobs knobs;
	int r;

	knobs_init(&knobs);
	r = machine_new_at(&knobs, state_folder_open(), ret);
	if (*ret)
		(*ret)->keeps_trees = false;
	return r;
}

void machine_free(struct machine *machine)
{
	if (!machine)
		return;
	sd_event_source_disable_unref(machine->processors);
	sd_event_source_disable_unref(machine->jumps);
	sd_event_source_disable_unref(machine->retry);
	knobs_close(&machine->knobs);
	if (machine->folder >= 0)
		close(machine->folder);
	knob_records_clear(&machine->records);
	knobs_names_clear(&machine->seen);
	refusals_clear(&machine->refusals);
	free(machine);
}

const char *machine_profile(const struct machine *machine)
{
	return machine->records.profile;
}

const struct refusal *machine_refusals(const struct machine *machine, size_t *ret_count)
{
	*ret_count = machine->refusals.count;
	return machine->refusals.items;
}

size_t machine_count_changed(const struct machine *machine)
{
	return machine->records.count;
}

void machine_set_config(struct machine *machine, const struct config *config)
{
	machine->config = config;
}

void machine_on_base_slice(struct machine *machine, void (*changed)(void *context), void *context)
{
	machine->base_slice_changed = changed;
	machine->context = context;
}

/* ---- applying and logging ---- */

static void log_refusals(const struct machine *machine)
{
	const struct refusals *refusals = &machine->refusals;

	for (size_t i = 0; i < refusals->count; i++) {
		if (refusals->items[i].is_new)
			log_warning("%s", refusals->items[i].text);
	}
}

static void log_result(const char *name, const struct profile_result *result)
{
	char safe[256], refused[32] = "";
	const struct log_field fields[] = { { "EVENT", "profile" }, { "PROFILE", safe }, { 0 } };

	text_escape_to(safe, sizeof(safe), name, strlen(name));
	if (result->refused)
		snprintf(refused, sizeof(refused), ", refused %zu", result->refused);
	log_write(LOG_INFO, fields,
		  "sched profile %s: knobs set %zu, right already %zu, put back %zu%s",
		  *safe ? safe : "(none)", result->set, result->already, result->put_back, refused);
}

static void notify_base_slice(const struct machine *machine, const struct profile_result *result)
{
	if (result->base_slice && machine->base_slice_changed)
		machine->base_slice_changed(machine->context);
}

/* profile: NULL for none. */
static int apply(struct machine *machine, const struct sched_profile *profile)
{
	struct profile_result result;
	int r = machine_apply(machine, profile, machine->config->settings.autogroup_off, &result);

	if (r < 0) {
		log_warning("no sched profile is applied, since it cannot be recorded in " STATE_FOLDER
			    " how to put it back: %s",
			    strerror(-r));
		return r;
	}
	log_refusals(machine);
	if (profile || result.set || result.already || result.put_back || result.refused)
		log_result(profile ? profile->name : "", &result);
	notify_base_slice(machine, &result);
	return 0;
}

static const struct sched_profile *find(const struct config *config, const char *name)
{
	return name ? sched_profile_find(config->profiles, config->n_profiles, name) : NULL;
}

static const struct sched_profile *configured(const struct config *config)
{
	return find(config, config->settings.sched_profile);
}

/* The profile in force, as the present configuration defines it; NULL for none. */
static const struct sched_profile *current(const struct machine *machine)
{
	return find(machine->config, machine->records.profile);
}

void machine_reload(struct machine *machine, const struct config *config)
{
	const struct config *old = machine->config;
	const struct sched_profile *profile = configured(config);

	machine->config = config;
	/* A profile set by machine_switch stays until the configuration asks for another. */
	if (!sched_profile_equal(configured(old), profile))
		apply(machine, profile);
	else if (old->settings.autogroup_off != config->settings.autogroup_off)
		apply(machine, current(machine));
}

int machine_switch(struct machine *machine, const char *name)
{
	const struct sched_profile *profile = *name ? find(machine->config, name) : NULL;

	return *name && !profile ? -ENOENT : apply(machine, profile);
}

void machine_put_back(struct machine *machine)
{
	struct profile_result result;
	int r = machine_apply(machine, NULL, false, &result);

	if (r < 0)
		log_error("no knob is put back, since that cannot be recorded in " STATE_FOLDER ": %s",
			  strerror(-r));
	log_refusals(machine);
	if (result.put_back)
		log_info("knobs put back: %zu", result.put_back);
	notify_base_slice(machine, &result);
}

/* ---- processors that come and go, and a suspend ---- */

static void refresh(struct machine *machine)
{
	const struct sched_profile *profile = current(machine);
	struct profile_result result;
	int r;

	if (!profile)
		return;
	r = machine_refresh(machine, profile, &result);
	if (r < 0) {
		log_warning("no sched profile is given to processors that came online: %s", strerror(-r));
		return;
	}
	log_refusals(machine);
	if (result.set)
		log_result(profile->name, &result);
	notify_base_slice(machine, &result);
}

static int on_processors(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)revents;
	uevent_drain(fd);
	refresh(userdata);
	return 0;
}

static int on_jump(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)revents;
	clock_jumps_drain(fd);
	refresh(userdata);
	return 0;
}

/* fd: a -errno where it could not be opened. The daemon starts even if this fails. */
static void watch(sd_event *event, sd_event_source **source, int fd, sd_event_io_handler_t on_event,
		  struct machine *machine)
{
	int r = fd < 0 ? fd : sd_event_add_io(event, source, fd, EPOLLIN, on_event, machine);

	if (r < 0) {
		if (fd >= 0)
			close(fd);
		log_warning("processors that come online get no sched profile: %s", strerror(-r));
		return;
	}
	sd_event_source_set_io_fd_own(*source, true);
}

/* ---- a state file that is unusable, or cannot be read yet ---- */

/* Returns 0 when nothing stands in the way any more, or the -errno of the file that stays. */
static int set_aside_state(struct machine *machine)
{
	const int fault = machine->takeover_error;
	int r;

	if (!state_file_is_void(fault))
		return fault;
	r = state_file_set_aside(machine->folder, STATE_KNOBS);
	if (r < 0)
		return r;
	state_file_log_set_aside("the record of knobs", STATE_KNOBS, fault, r);
	return machine_take_over(machine);
}

static int on_retry(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct machine *machine = userdata;

	(void)usec;
	if (machine_take_over(machine) == 0) {
		apply(machine, configured(machine->config));
		return 0;
	}
	machine->retry_us = machine->retry_us < RETRY_MAX_US / 2 ? machine->retry_us * 2 : RETRY_MAX_US;
	sd_event_source_set_time_relative(source, machine->retry_us);
	return sd_event_source_set_enabled(source, SD_EVENT_ONESHOT);
}

static void retry_later(struct machine *machine, sd_event *event)
{
	int r;

	machine->retry_us = RETRY_MIN_US;
	r = sd_event_add_time_relative(event, &machine->retry, CLOCK_MONOTONIC, RETRY_MIN_US, RETRY_MIN_US / 4,
				       on_retry, machine);
	if (r < 0)
		log_warning("the record of knobs is not read again: %s", strerror(-r));
}

void machine_start(struct machine *machine, sd_event *event, struct problem *unread)
{
	int r = set_aside_state(machine);

	if (r < 0) {
		problem_report(unread,
			       "the record of knobs of an earlier run cannot be read: %s: it stays; "
			       "until then no knob is set",
			       state_file_fault(r));
		retry_later(machine, event);
	}
	watch(event, &machine->processors, uevent_open(), on_processors, machine);
	watch(event, &machine->jumps, clock_jumps_open(), on_jump, machine);
	apply(machine, configured(machine->config));
}
