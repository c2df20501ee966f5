/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/daemon/restore.h>

#include <errno.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/instance.h>
#include <schedqos/daemon/system_profile.h>
#include <schedqos/kernel/machine.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/state_folder.h>

static void cleanup_system(struct system_profile **system)
{
	system_profile_free(*system);
}

/* Parts return whether all is well, and set *ret_done if there was something to do. */
static bool restore_knobs(bool *ret_done)
{
	_cleanup_(cleanup_system) struct system_profile *system = NULL;
	struct profile_result result;
	const struct refusal *refusals;
	size_t count;
	int r = system_profile_new(&system);

	if (r < 0) {
		log_error(STATE_FOLDER "/" STATE_KNOBS ": %s: no knob is put back",
			  state_file_fault(r));
		return false;
	}
	if (!system_profile_count(system) && !system_profile_name(system))
		return true;
	system_profile_apply(system, NULL, false, &result);
	refusals = system_profile_refusals(system, &count);
	for (size_t i = 0; i < count; i++)
		log_error("%s", refusals[i].text);
	log_info("knobs put back: %zu", result.put_back);
	*ret_done = true;
	return count == 0;
}

/* In the opposite order of how a daemon sets them. */
static bool (*const parts[])(bool *ret_done) = { restore_knobs, tagger_restore };

int restore_run(void)
{
	bool good = true, done = false;
	pid_t owner = 0;
	const char *other = machine_other_namespace();
	int r;

	/* There, tasks have other ids or other starts than on record: all would seem to be gone. */
	if (other) {
		log_error("this is not the initial %s namespace (a container?): nothing is put back",
			  other);
		return EXIT_FAILURE;
	}
	r = instance_lock(false, &owner);
	if (r < 0) {
		if (r == -EEXIST)
			log_error("a daemon runs, as pid %d: 'schedqos stop' puts everything back",
				  (int)owner);
		else if (r == -EBUSY)
			log_error("another schedqos is at work, as pid %d: try again", (int)owner);
		else if (r == -EACCES || r == -EPERM)
			log_error("must be run as root");
		else
			log_error(STATE_FOLDER ": %s", strerror(-r));
		return EXIT_FAILURE;
	}
	for (size_t i = 0; i < array_size(parts); i++)
		good = parts[i](&done) && good;
	if (good && !done)
		log_info("nothing to put back");
	return good ? 0 : EXIT_FAILURE;
}
