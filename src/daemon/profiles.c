/* SPDX-License-Identifier: GPL-2.0-only */
/* Which sched profile the running daemon has applied, and the telling of it. */
#include "daemon_private.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/kernel/uevent.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

static void log_refusals(const struct system_profile *system)
{
	size_t count;
	const struct refusal *refusals = system_profile_refusals(system, &count);

	for (size_t i = 0; i < count; i++) {
		if (refusals[i].is_new)
			log_warning("%s", refusals[i].text);
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

/* profile: NULL for none. */
static int apply(struct daemon *daemon, const struct sched_profile *profile)
{
	struct profile_result result;
	int r = system_profile_apply(daemon->system, profile,
				     daemon->config->settings.autogroup_off, &result);

	if (r < 0) {
		log_warning("no sched profile is applied, since it cannot be recorded in " RUNDIR
			    "/schedqos how to put it back: %s",
			    strerror(-r));
		return r;
	}
	log_refusals(daemon->system);
	if (profile || result.set || result.already || result.put_back || result.refused)
		log_result(profile ? profile->name : "", &result);
	if (result.base_slice)
		tagger_follow_base_slice(daemon->tagger);
	return 0;
}

static const struct sched_profile *configured(const struct config *config)
{
	const char *name = config->settings.sched_profile;

	return name ? sched_profile_find(config->profiles, config->n_profiles, name) : NULL;
}

/* The one in force, as the present configuration has it; NULL for none. */
static const struct sched_profile *current(const struct daemon *daemon)
{
	const char *name = system_profile_name(daemon->system);

	return name ? sched_profile_find(daemon->config->profiles, daemon->config->n_profiles, name)
		    : NULL;
}

static void refresh(struct daemon *daemon)
{
	const struct sched_profile *profile = current(daemon);
	struct profile_result result;
	int r = profile ? system_profile_refresh(daemon->system, profile, &result) : 0;

	if (r < 0)
		log_warning("no sched profile is given to processors that came online: %s", strerror(-r));
	if (!profile || r < 0)
		return;
	log_refusals(daemon->system);
	if (result.set)
		log_result(profile->name, &result);
}

static int on_processors(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)revents;
	uevent_drain(fd);
	refresh(userdata);
	return 0;
}

/* Processors that come online later are no reason not to start. */
static void watch_processors(struct daemon *daemon)
{
	sd_event_source *source = NULL;
	int fd = uevent_open();
	int r = fd < 0 ? fd : sd_event_add_io(daemon->event, &source, fd, EPOLLIN, on_processors, daemon);

	if (r < 0) {
		if (fd >= 0)
			close(fd);
		log_warning("processors that come online get no sched profile: %s", strerror(-r));
		return;
	}
	/* The event loop owns both from here on. */
	sd_event_source_set_io_fd_own(source, true);
	sd_event_source_set_floating(source, true);
	sd_event_source_unref(source);
}

void profiles_start(struct daemon *daemon)
{
	watch_processors(daemon);
	apply(daemon, configured(daemon->config));
}

void profiles_reload(struct daemon *daemon, const struct config *old)
{
	const struct sched_profile *was = configured(old), *is = configured(daemon->config);

	/* One that was asked for by hand stays until the configuration asks for another. */
	if (!sched_profile_equal(was, is))
		apply(daemon, is);
	else if (old->settings.autogroup_off != daemon->config->settings.autogroup_off)
		apply(daemon, current(daemon));
}

int profiles_switch(struct daemon *daemon, const char *name)
{
	const struct config *config = daemon->config;
	const struct sched_profile *profile = NULL;

	if (*name) {
		profile = sched_profile_find(config->profiles, config->n_profiles, name);
		if (!profile)
			return -ENOENT;
	}
	return apply(daemon, profile);
}

void profiles_stop(struct daemon *daemon)
{
	struct profile_result result;
	int r = system_profile_apply(daemon->system, NULL, false, &result);

	if (r < 0)
		log_error("no knob is put back, since that cannot be recorded in " RUNDIR
			  "/schedqos: %s",
			  strerror(-r));
	log_refusals(daemon->system);
	if (result.put_back)
		log_info("knobs put back: %zu", result.put_back);
	if (result.base_slice)
		tagger_follow_base_slice(daemon->tagger);
}
