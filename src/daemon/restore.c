/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/restore.h>

#include <errno.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/daemon/instance.h>
#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/machine/machine.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/state_folder.h>

#include "daemon_private.h"

/* Parts return whether all is well, and set *ret_done if there was something to do. */
static bool restore_knobs(bool *ret_done)
{
	_cleanup_(machine_freep) struct machine *machine = NULL;
	struct profile_result result;
	const struct refusal *refusals;
	size_t count;
	int r = machine_new(&machine);

	if (r < 0) {
		log_error(RUNDIR "/schedqos/knobs.json: %s: no knob is put back",
			  state_file_fault(r));
		return false;
	}
	if (!machine_count_changed(machine) && !machine_profile(machine))
		return true;
	machine_apply(machine, NULL, false, &result);
	refusals = machine_refusals(machine, &count);
	for (size_t i = 0; i < count; i++)
		log_error("%s", refusals[i].text);
	log_info("knobs put back: %zu", result.put_back);
	*ret_done = true;
	return count == 0;
}

/* A daemon that hears nothing and only knows what the dead one had set. Returns 0 or -errno. */
static int revive(struct daemon *daemon, const struct state_legacy *legacy)
{
	struct config_errors errors = { 0 };
	struct ksched_features features;
	int r = ksched_probe(&features);

	daemon->applier.ops = &sched_ops_kernel;
	if (r == 0) {
		daemon->applier.caps.slice = features.slice;
		daemon->applier.caps.util_clamp = features.util_clamp;
		r = applier_init(&daemon->applier);
	}
	if (r == 0)
		r = config_parse(NULL, 0, NULL, NULL, &daemon->config, &errors);
	config_errors_clear(&errors);
	if (r < 0)
		return r;
	daemon->proc = procfs_open();
	if (daemon->proc < 0)
		return daemon->proc;
	daemon->facts = live_facts_new(daemon->proc, &daemon->applier, &daemon->arguments);
	daemon->plan = plan_new(&daemon->applier.caps, getpid(), legacy->start, NULL);
	if (!daemon->facts || !daemon->plan)
		return -ENOMEM;
	r = plan_adopt(daemon->plan, legacy->records, legacy->n_records, legacy->tags,
		       legacy->n_tags);
	return r < 0 ? r : plan_set_config(daemon->plan, daemon->config);
}

static void bury(struct daemon *daemon)
{
	plan_free(daemon->plan);
	live_facts_free(daemon->facts);
	config_free(daemon->config);
	if (daemon->proc >= 0)
		close(daemon->proc);
}

static bool restore_tasks(bool *ret_done)
{
	_cleanup_(state_legacy_clear) struct state_legacy legacy = { 0 };
	_cleanup_(bury) struct daemon daemon = { .proc = -1 };
	_cleanup_close_ int folder = state_folder_open();
	int r = state_read(folder, &legacy);

	if (r < 0) {
		log_error(RUNDIR "/schedqos/" STATE_TASKS ": %s: no task is put back", state_file_fault(r));
		return false;
	}
	if (legacy.n_records)
		r = revive(&daemon, &legacy);
	if (r < 0) {
		log_error("putting tasks back: %s", strerror(-r));
		return false;
	}
	if (legacy.n_changed) {
		log_info("tasks put back: %" PRIu64, undo_all(&daemon));
		*ret_done = true;
	}
	/* Kept, for a restore that is allowed to. */
	if (daemon.problems[PROBLEM_REFUSED].count)
		return false;
	state_remove(folder);
	return true;
}

/* In the opposite order of how a daemon sets them. */
static bool (*const parts[])(bool *ret_done) = { restore_knobs, restore_tasks };

int restore_run(void)
{
	bool good = true, done = false;
	const char *other = host_other_namespace();

	/* There, tasks have other ids or other starts than on record: all would seem to be gone. */
	if (other) {
		log_error("this is not the initial %s namespace (a container?): nothing is put back",
			  other);
		return EXIT_FAILURE;
	}
	if (instance_lock(false, "'schedqos stop' puts everything back") < 0)
		return EXIT_FAILURE;
	for (size_t i = 0; i < array_size(parts); i++)
		good = parts[i](&done) && good;
	if (good && !done)
		log_info("nothing to put back");
	return good ? 0 : EXIT_FAILURE;
}
