/* SPDX-License-Identifier: GPL-2.0-only */
/* Implements `schedqos restore`: puts back tasks and knobs while no daemon runs. */
#include <schedqos/daemon/daemon.h>
#include <schedqos/daemon/instance.h>

#include <fcntl.h>
#include <stdbool.h>
#include <stdlib.h>

#include <schedqos/kernel/host.h>
#include <schedqos/machine/machine.h>
#include <schedqos/tagging/tagger.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>

/* Returns whether nothing is left to do. Sets *ret_done if there was something to do. */
static bool restore_knobs(bool *ret_done)
{
	_cleanup_(machine_freep) struct machine *machine = NULL;
	struct profile_result result;
	int r = machine_new(false, &machine);

	if (r < 0) {
		log_error(STATE_FOLDER "/" STATE_KNOBS ": %s: no knob is put back", state_file_fault(r));
		return false;
	}
	if (!machine_count_changed(machine) && !machine_profile(machine))
		return true;
	r = machine_apply(machine, NULL, false, &result);
	log_info("knobs put back: %zu", result.put_back);
	*ret_done = true;
	return r == 0 && !result.refused;
}

int restore_run(void)
{
	bool good, done = false;
	const char *other = host_other_namespace(AT_FDCWD);

	/*
	 * In another namespace the ids or start times of tasks differ from the records: all tasks would seem to be
	 * gone.
	 */
	if (other) {
		log_error("this is not the initial %s namespace (a container?): nothing is put back", other);
		return EXIT_FAILURE;
	}
	if (instance_lock(false, "'schedqos stop' puts everything back") < 0)
		return EXIT_FAILURE;
	/* Restore in the reverse of the order in which a daemon sets things. */
	good = restore_knobs(&done);
	good = tagger_restore(&done) && good;
	if (good && !done)
		log_info("nothing to put back");
	return good ? 0 : EXIT_FAILURE;
}
