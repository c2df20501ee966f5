/* SPDX-License-Identifier: GPL-2.0-only */
/* Checks the daemon, its configuration and unit, and other daemons with the same purpose. */
#include "check.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

static void check_release(struct checkup *checkup)
{
	char release[128];

	checkup_read(checkup, "/proc/sys/kernel/osrelease", release, sizeof(release));
	found_ok(checkup, "kernel", "Linux %s", *release ? release : "?");
}

static void check_configuration(struct checkup *checkup)
{
	const struct doctor_input *input = &checkup->input;
	const size_t rules = input->config ? input->config->rules->n_lists : 0;

	if (input->config)
		found_ok(checkup, "configuration", "%zu rule%s, %zu classes, no errors", rules, rules == 1 ? "" : "s",
			 input->config->n_classes);
	else if (input->is_unreadable)
		found_note(checkup, "configuration", "its rules and settings are unknown here", "run this as root",
			   "a file cannot be read");
	else
		found_bad(checkup, "configuration",
			  input->is_daemons
				  ? "the daemon keeps the previous one, and would not start again with this one"
				  : "the daemon does not start with it",
			  input->is_daemons ? "'schedqos check --diff' shows each error and its place"
					    : "'schedqos check' shows each error and its place",
			  "%zu error%s", input->n_errors, input->n_errors == 1 ? "" : "s");
	if (input->n_differences)
		found_note(checkup, "in-force", "the daemon still uses the configuration that it read before",
			   "'schedqos check --diff' shows them, 'schedqos reload' puts them in force",
			   "%zu change%s of the files since the daemon read them", input->n_differences,
			   input->n_differences == 1 ? "" : "s");
}

static void check_users(struct checkup *checkup)
{
	const struct config *config = checkup->input.config;
	size_t count = 0;

	for (const struct rule_user *user = config ? config->users : NULL; user; user = user->next)
		count += rule_user_is_pending(user);
	if (count)
		found_note(checkup, "users", "rules for these users match nothing until they can be looked up",
			   "'schedqos check' names them; check passwd in nsswitch.conf", "%zu cannot be looked up now",
			   count);
}

static void check_daemon(struct checkup *checkup)
{
	if (checkup->input.daemon < 0)
		found_note(checkup, "daemon", "unknown whether it runs", "run this as root",
			   "only root can ask for it");
	else if (checkup->input.daemon)
		found_ok(checkup, "daemon", "runs as pid %d", (int)checkup->input.daemon);
	else
		found_note(checkup, "daemon", "no task is given a class",
			   "'systemctl start schedqos'; without systemd 'schedqos start -d'", "does not run");
}

static bool exists(const struct checkup *checkup, const char *path)
{
	return faccessat(checkup->root, host_path(checkup->root, path), F_OK, AT_SYMLINK_NOFOLLOW) == 0;
}

static bool has_state(const struct checkup *checkup, const char *suffix)
{
	static const char *const names[] = { STATE_KNOBS, STATE_TASKS };
	bool has = false;

	for (size_t i = 0; i < array_size(names); i++) {
		char path[128];

		snprintf(path, sizeof(path), STATE_FOLDER "/%s%s", names[i], suffix);
		has |= exists(checkup, path);
	}
	return has;
}

static void check_leftovers(struct checkup *checkup)
{
	if (!checkup->input.daemon && has_state(checkup, ""))
		found_note(checkup, "leftovers",
			   "tasks or knobs still have values that a killed daemon, or a sched profile, has set",
			   "'schedqos restore', or start the daemon, which puts them back when it stops",
			   "there is something to put back");
	if (has_state(checkup, STATE_DAMAGED))
		found_note(
			checkup, "set-aside",
			"values that a killed daemon has set stay: on tasks until they end, in knobs until the next boot",
			"rename the file without .damaged and run 'schedqos restore' of the version that wrote it; or remove the file",
			"a record of values to put back could not be used: see " STATE_FOLDER);
}

static void check_problems(struct checkup *checkup)
{
	for (size_t i = 0; i < checkup->input.n_problems; i++)
		found_note(checkup, "problem", "the daemon goes on without it",
			   "see its log, and 'schedqos status'", "%s", checkup->input.problems[i]);
}

static void check_service_unit(struct checkup *checkup)
{
	static const char consequence[] = "nothing starts the daemon at boot";

	if (!exists(checkup, "/run/systemd/system"))
		found_note(checkup, "unit", consequence, "have this machine's init run 'schedqos start'",
			   "no systemd here");
	else if (!exists(checkup, "/etc/systemd/system/multi-user.target.wants/schedqos.service"))
		found_note(checkup, "unit", consequence, "systemctl enable schedqos",
			   "schedqos.service is not enabled");
	else
		found_ok(checkup, "unit", "schedqos.service is enabled");
}

/* Names as in comm: truncated to 15 bytes. */
static const struct rival {
	const char *comm;
	enum finding_state state;
	const char *consequence, *remedy;
} rivals[] = {
	{ "ananicy", FINDING_BAD, "it sets nice values of the same tasks; the later one wins",
	  "systemctl disable --now ananicy" },
	{ "ananicy-cpp", FINDING_BAD, "it sets nice values of the same tasks; the later one wins",
	  "systemctl disable --now ananicy-cpp" },
	{ "system76-schedu", FINDING_BAD, "it sets nice values and base slices, too; the later one wins",
	  "systemctl disable --now com.system76.Scheduler" },
	{ "schedqosd", FINDING_BAD, "two daemons decide about the same tasks", "end one of them" },
	{ "gamemoded", FINDING_NOTE, "it renices games while they run, and they keep that value",
	  "set renice=0 and ioprio=off in gamemode.ini, and give the game a rule" },
	{ "uresourced", FINDING_NOTE, "it gives the active user's cgroup more weight than others",
	  "systemctl disable --now uresourced, if classes are to rank tasks across users" },
	{ "tuned", FINDING_NOTE, "it writes the same knobs as a sched profile; the later one wins",
	  "set \"sched_profile\": null, or leave those knobs out of tuned's profile" },
};

static const struct rival *find_rival(const char *comm)
{
	for (size_t i = 0; i < array_size(rivals); i++) {
		if (strcmp(rivals[i].comm, comm) == 0)
			return &rivals[i];
	}
	return NULL;
}

static void check_rivals(struct checkup *checkup)
{
	_cleanup_close_ int proc = checkup_open(checkup, "/proc");
	_cleanup_closedir_ DIR *list = NULL;
	bool is_found[array_size(rivals)] = { false }, is_any = false;
	char comm[16];
	uid_t owner;
	pid_t pid;

	if (proc < 0 || procfs_list(proc, 0, &list) < 0)
		return;
	while ((pid = procfs_next(list))) {
		const struct rival *rival = procfs_comm(proc, pid, comm) < 0 ? NULL : find_rival(comm);

		/* Anybody can give a program such a name, but only root's changes the tasks of all. */
		if (!rival || is_found[rival - rivals] || procfs_owner(proc, pid, &owner) < 0 ||
		    (rival->state == FINDING_BAD && owner != 0 && owner != geteuid()))
			continue;
		found(checkup, rival->state, "rivals", rival->consequence, rival->remedy, "%s runs, as pid %d",
		      rival->comm, (int)pid);
		is_found[rival - rivals] = is_any = true;
	}
	if (!is_any)
		found_ok(checkup, "rivals", "none of the daemons that are known to set priorities runs");
}

void check_service(struct checkup *checkup)
{
	check_release(checkup);
	check_configuration(checkup);
	check_users(checkup);
	check_daemon(checkup);
	check_leftovers(checkup);
	check_problems(checkup);
	check_service_unit(checkup);
	check_rivals(checkup);
}
