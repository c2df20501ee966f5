/* SPDX-License-Identifier: GPL-2.0-only */
/* What the facts mean for classes. Pure: no I/O. */
#include <schedqos/machine/doctor.h>

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "doctor_judge_kernel.h"
#include "findings.h"

/* Names as comm has them: cut to 15 bytes. */
static const struct {
	const char *comm;
	enum finding_state state;
	const char *consequence, *remedy;
} rivals[] = {
	{ "ananicy", FINDING_BAD, "it sets nice values of the same tasks; the later one wins",
	  "systemctl disable --now ananicy" },
	{ "ananicy-cpp", FINDING_BAD, "it sets nice values of the same tasks; the later one wins",
	  "systemctl disable --now ananicy-cpp" },
	{ "system76-schedu", FINDING_BAD,
	  "it sets nice values and base slices, too; the later one wins",
	  "systemctl disable --now com.system76.Scheduler" },
	{ "schedqos", FINDING_BAD, "two daemons decide about the same tasks", "end one of them" },
	{ "schedqosd", FINDING_BAD, "two daemons decide about the same tasks", "end one of them" },
	{ "gamemoded", FINDING_NOTE, "it renices a game while it runs, which then keeps that value",
	  "set renice=0 and ioprio=off in gamemode.ini, and give the game a rule" },
	{ "uresourced", FINDING_NOTE, "it gives the active user's cgroup more weight than others",
	  "systemctl disable --now uresourced, if classes are to rank tasks across users" },
	{ "tuned", FINDING_NOTE, "it writes the same knobs as a sched profile; the later one wins",
	  "set \"sched_profile\": null, or leave those knobs out of tuned's profile" },
};

bool doctor_knows_rival(const char *comm)
{
	for (size_t i = 0; i < sizeof(rivals) / sizeof(rivals[0]); i++) {
		if (strcmp(rivals[i].comm, comm) == 0)
			return true;
	}
	return false;
}

static void judge_config(const struct doctor_config *config, struct findings *findings)
{
	const struct config *good = config->config;

	if (good)
		add_ok(findings, "configuration", "%zu rules, %zu classes, no errors", rules_count(good->rules),
		       good->n_classes);
	else
		findings_add(findings, "configuration", FINDING_BAD,
			     config->is_daemons ? "the daemon keeps to an earlier one, and does not start again with it" :
						  "the daemon does not start with it",
			     "'schedqos check' shows every error at its place", "%zu error%s", config->n_errors,
			     config->n_errors == 1 ? "" : "s");
	if (config->n_differences)
		findings_add(findings, "in-force", FINDING_NOTE, "the daemon works with what it read before",
			     "'schedqos check --diff' shows them, 'schedqos reload' puts them in force",
			     "%zu change%s of the files since the daemon read them", config->n_differences,
			     config->n_differences == 1 ? "" : "s");
}

static void judge_users(const struct config *config, struct findings *findings)
{
	size_t count = 0;

	for (const struct rule_user *user = config->users; user; user = user->next)
		count += rule_user_is_pending(user);
	if (count)
		findings_add(findings, "users", FINDING_NOTE,
			     "rules that ask for them match nothing until the daemon knows them",
			     "'schedqos check' tells who it is; see to passwd in nsswitch.conf",
			     "%zu cannot be looked up now", count);
}

static void judge_daemon(const struct doctor_facts *facts, struct findings *findings)
{
	if (facts->daemon)
		add_ok(findings, "daemon", "runs as pid %d", (int)facts->daemon);
	else
		findings_add(findings, "daemon", FINDING_NOTE, "no task is given a class",
			     facts->systemd ? "systemctl start schedqos" : "schedqos start -d",
			     "does not run");
	if (!facts->daemon && facts->leftovers)
		findings_add(findings, "leftovers", FINDING_NOTE,
			     "tasks or knobs are still as a daemon that was killed, or a sched profile, set "
			     "them",
			     "'schedqos restore', or start the daemon, which puts them back when it stops",
			     "there is something to put back");
	if (facts->set_aside)
		findings_add(findings, "set-aside", FINDING_NOTE,
			     "what an earlier daemon set before it was killed stays: tasks until they end, "
			     "knobs until the next boot",
			     "without .damaged at the file's end, 'schedqos restore' of the version that "
			     "wrote it; or remove the file",
			     "a record of what to put back could not be used: see /run/schedqos");
}

static void judge_unit(const struct doctor_facts *facts, struct findings *findings)
{
	const char *active = facts->unit_active ? facts->unit_active : "unknown";
	const char *enabled = facts->unit_enabled ? facts->unit_enabled : "";

	if (!facts->systemd)
		findings_add(findings, "unit", FINDING_NOTE, "nothing starts the daemon at boot",
			     "have this machine's init run 'schedqos start'", "no systemd here");
	else if (!*enabled)
		findings_add(findings, "unit", FINDING_NOTE, "nothing starts the daemon at boot",
			     "make install", "schedqos.service is not installed");
	else if (strcmp(active, "failed") == 0)
		findings_add(findings, "unit", FINDING_NOTE, "the service has ended with an error",
			     "journalctl -u schedqos", "schedqos.service has failed");
	else if (strncmp(enabled, "enabled", 7) != 0)
		findings_add(findings, "unit", FINDING_NOTE, "the daemon is not there after the next boot",
			     "systemctl enable schedqos", "schedqos.service is %s and %s", active, enabled);
	else
		add_ok(findings, "unit", "schedqos.service is %s and %s", active, enabled);
}

static void judge_rivals(const struct doctor_facts *facts, struct findings *findings)
{
	for (size_t i = 0; i < facts->n_rivals; i++) {
		for (size_t k = 0; k < sizeof(rivals) / sizeof(rivals[0]); k++) {
			if (strcmp(facts->rivals[i].comm, rivals[k].comm) == 0)
				findings_add(findings, "rivals", rivals[k].state, rivals[k].consequence,
					     rivals[k].remedy, "%s runs, as pid %d", rivals[k].comm,
					     (int)facts->rivals[i].pid);
		}
	}
	if (!facts->n_rivals)
		add_ok(findings, "rivals", "no other daemon known to set priorities runs");
}

static void judge_unread(const struct doctor_facts *facts, struct findings *findings)
{
	for (size_t i = 0; i < facts->n_unread; i++)
		findings_add(findings, "unread", FINDING_NOTE,
			     "its rule is found by its name and executable alone; ps and the like hang on it",
			     "end it, or have the file system answer that it waits for (NFS, FUSE)",
			     "%s, pid %d, keeps whoever reads its arguments waiting", facts->unread[i].name,
			     (int)facts->unread[i].pid);
	if (!facts->n_unread)
		add_ok(findings, "unread", "every process's arguments can be read");
}

static void judge_namespaces(const struct doctor_facts *facts, struct findings *findings)
{
	if (!facts->other_namespace)
		add_ok(findings, "namespaces", "the initial ones");
	else
		findings_add(findings, "namespaces", FINDING_BAD,
			     "the daemon does not start: its tasks would not be those that events tell of",
			     "run it on the host", "a container: not the initial %s namespace",
			     facts->other_namespace);
}

int doctor_judge(const struct doctor_facts *facts, const struct doctor_config *config, struct findings *ret)
{
	struct findings findings = { 0 };

	add_ok(&findings, "kernel", "Linux %s", facts->release ? facts->release : "?");
	judge_config(config, &findings);
	if (config->config)
		judge_users(config->config, &findings);
	judge_daemon(facts, &findings);
	judge_unit(facts, &findings);
	judge_namespaces(facts, &findings);
	doctor_judge_kernel(facts, config->config, &findings);
	judge_unread(facts, &findings);
	judge_rivals(facts, &findings);
	if (findings.no_memory) {
		findings_clear(&findings);
		return -ENOMEM;
	}
	*ret = findings;
	return 0;
}
