/* SPDX-License-Identifier: GPL-2.0-only */
/* What the doctor assert_finding to which facts. */
#include "config_case.h"

#include <schedqos/machine/doctor.h>

static struct doctor_facts facts;
static struct config *config;
static struct findings findings;

/* A machine on which all is well. */
static int set_up(void **state)
{
	(void)state;
	facts = (struct doctor_facts){
		.root = true,
		.release = "6.18.1",
		.events = DOCTOR_YES,
		.event_filter = true,
		.slice = DOCTOR_YES,
		.util_clamp = DOCTOR_YES,
		.sched_ext = DOCTOR_NO,
		.autogroup = DOCTOR_NO,
		.governors = "schedutil",
		.schedutil = DOCTOR_YES,
		.energy = DOCTOR_NONE,
		.tick_ns = 4000000,
		.hrtick = DOCTOR_YES,
		.parity = DOCTOR_YES,
		.llc_balancing = DOCTOR_YES,
		.sched_cache = DOCTOR_YES,
		.sched_cache_source = "debugfs",
		.lockdown = "none",
		.systemd = true,
		.unit_active = "active",
		.unit_enabled = "enabled",
		.daemon = 77,
	};
	config = GOOD(RULES("{\"make\": {\"qos\": \"QOS_BACKGROUND\"}}"));
	return 0;
}

static int tear_down(void **state)
{
	(void)state;
	config_free(config);
	findings_clear(&findings);
	return 0;
}

static void judge_as(const struct doctor_config *of_files)
{
	findings_clear(&findings);
	assert_int_equal(doctor_judge(&facts, of_files, &findings), 0);
}

static void judge(struct config *config_in_force)
{
	const struct doctor_config of_files = { .config = config_in_force, .n_errors = config_in_force ? 0 : 3 };

	judge_as(&of_files);
}

static void check_texts(const struct finding *finding)
{
	bool is_ok = finding->state == FINDING_OK;

	assert_true(finding->what && *finding->what);
	assert_int_equal(finding->consequence == NULL, is_ok);
	assert_int_equal(finding->remedy == NULL, is_ok);
}

static const struct finding *finding_named(const char *name)
{
	for (size_t i = 0; i < findings.count; i++) {
		if (strcmp(findings.items[i].name, name) == 0)
			return &findings.items[i];
	}
	return NULL;
}

/* With the facts as they are now, this finding is of this state, and assert_finding this. */
static void assert_finding(const char *name, enum finding_state state, const char *what)
{
	const struct finding *finding;

	judge(config);
	for (size_t i = 0; i < findings.count; i++)
		check_texts(&findings.items[i]);
	finding = finding_named(name);
	if (!finding)
		fail_msg("no finding %s", name);
	if (finding->state != state || !strstr(finding->what, what))
		fail_msg("%s: %s: %s", name, finding_state_name(finding->state), finding->what);
}

/* The same, with one more fact as given. */
#define WITH(change, name, state, what) ((void)(facts.change), assert_finding(name, state, what))

static void all_well(void **state)
{
	static const char *const names[] = {
		"kernel",   "configuration", "daemon",	 "unit",	  "namespaces",	 "events",
		"moves",    "changes",	     "slice",	     "util-clamp", "tick",	  "sched-ext",	 "autogroup",
		"cgroups",  "governor",	     "energy",	 "lockdown",	  "run-to-parity", "sched-cache",
		"unread",   "rivals",
	};

	(void)state;
	judge(config);
	assert_int_equal(findings.count, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_string_equal(findings.items[i].name, names[i]);
		assert_int_equal(findings.items[i].state, FINDING_OK);
		check_texts(&findings.items[i]);
	}
	assert_string_equal(findings.items[0].what, "Linux 6.18.1");
	assert_string_equal(findings.items[1].what, "1 rules, 5 classes, no errors");
}

static void configuration_errors(void **state)
{
	const struct finding *finding;

	(void)state;
	facts.hrtick = DOCTOR_NO;
	facts.tick_ns = 10000000;
	judge(NULL);
	finding = finding_named("configuration");
	assert_int_equal(finding->state, FINDING_BAD);
	assert_string_equal(finding->what, "3 errors");
	/* The built-in classes are judged all the same. */
	assert_non_null(strstr(finding_named("tick")->what, "QOS_USER_INTERACTIVE"));
}

static void files_of_a_running_daemon(void **state)
{
	struct doctor_config of_daemon = { .config = config, .is_daemons = true };

	(void)state;
	judge_as(&of_daemon);
	assert_null(finding_named("in-force"));
	of_daemon.n_differences = 2;
	judge_as(&of_daemon);
	assert_int_equal(finding_named("in-force")->state, FINDING_NOTE);
	assert_string_equal(finding_named("in-force")->what, "2 changes of the files since the daemon read them");
	check_texts(finding_named("in-force"));
	of_daemon = (struct doctor_config){ .n_errors = 1, .is_daemons = true };
	judge_as(&of_daemon);
	assert_string_equal(finding_named("configuration")->what, "1 error");
	assert_non_null(strstr(finding_named("configuration")->consequence, "keeps to an earlier one"));
}

static void daemon_and_unit(void **state)
{
	(void)state;
	WITH(daemon = 0, "daemon", FINDING_NOTE, "does not run");
	assert_null(finding_named("leftovers"));
	WITH(leftovers = true, "leftovers", FINDING_NOTE, "something to put back");
	facts.daemon = 77;
	judge(config);
	assert_null(finding_named("leftovers"));
	WITH(unit_enabled = "disabled", "unit", FINDING_NOTE, "active and disabled");
	WITH(unit_enabled = "enabled-runtime", "unit", FINDING_OK, "enabled-runtime");
	WITH(unit_active = "failed", "unit", FINDING_NOTE, "failed");
	WITH(unit_enabled = "", "unit", FINDING_NOTE, "not installed");
	WITH(unit_enabled = NULL, "unit", FINDING_NOTE, "not installed");
	WITH(systemd = false, "unit", FINDING_NOTE, "no systemd");
}

static void events(void **state)
{
	(void)state;
	WITH(event_filter = false, "events", FINDING_NOTE, "without a filter");
	facts.events = DOCTOR_NO;
	WITH(events_fault = "Connection refused", "events", FINDING_BAD,
	     "no proc connector: Connection refused");
	WITH(events = DOCTOR_UNKNOWN, "events", FINDING_NOTE, "root's");
	WITH(other_namespace = "PID", "namespaces", FINDING_BAD, "not the initial PID namespace");
}

static void attributes(void **state)
{
	(void)state;
	WITH(util_clamp = DOCTOR_NO, "util-clamp", FINDING_NOTE, "not in this kernel");
	WITH(slice = DOCTOR_NO, "slice", FINDING_NOTE, "no custom slices");
	/* Then no slice can be shorter than a tick. */
	facts.tick_ns = 100000000;
	facts.hrtick = DOCTOR_NO;
	judge(config);
	assert_null(finding_named("tick"));
}

static void slices_against_the_tick(void **state)
{
	(void)state;
	facts.hrtick = DOCTOR_NO;
	WITH(tick_ns = 8000000, "tick", FINDING_OK, "8 ms: no class has a shorter slice");
	WITH(tick_ns = 10000000, "tick", FINDING_BAD,
	     "10 ms, HRTICK off: longer than the slice of QOS_USER_INTERACTIVE");
	assert_null(strstr(finding_named("tick")->what, "QOS_USER_INITIATED"));
	WITH(hrtick = DOCTOR_UNKNOWN, "tick", FINDING_NOTE, "HRTICK unknown");
	WITH(hrtick = DOCTOR_YES, "tick", FINDING_OK, "HRTICK ends slices on time");
	facts.hrtick = DOCTOR_NO;
	facts.tick_ns = 4000000;
	config_free(config);
	config = GOOD(RULES("{\"QOS_A\": {\"sched_runtime\": 3000000},"
			    "\"QOS_B\": {\"sched_runtime\": 0},"
			    "\"QOS_C\": {\"sched_policy\": \"SCHED_DEADLINE\", \"sched_runtime\": "
			    "2000000, \"sched_deadline\": 3000000},"
			    "\"QOS_D\": {\"sched_runtime\": 1000000}}"));
	assert_finding("tick", FINDING_BAD, "longer than the slice of QOS_A, QOS_D");
	facts.tick_ns = 0;
	judge(config);
	assert_null(finding_named("tick"));
}

static void other_schedulers(void **state)
{
	(void)state;
	WITH(sched_ext = DOCTOR_NONE, "sched-ext", FINDING_OK, "not in this kernel");
	WITH(sched_ext = DOCTOR_YES, "sched-ext", FINDING_BAD, "a scheduler is loaded");
	WITH(sched_ext_name = "lavd", "sched-ext", FINDING_BAD, "lavd is loaded");
}

static void autogroup(void **state)
{
	(void)state;
	WITH(autogroup = DOCTOR_NONE, "autogroup", FINDING_OK, "not in this kernel");
	WITH(autogroup = DOCTOR_UNKNOWN, "autogroup", FINDING_NOTE, "cannot be read");
	WITH(autogroup = DOCTOR_YES, "autogroup", FINDING_BAD, "on, though the daemon runs");
	WITH(daemon = 0, "autogroup", FINDING_NOTE, "on");
	config_free(config);
	config = GOOD(RULES("{\"schedqos\": {\"autogroup\": \"keep\"}}"));
	assert_finding("autogroup", FINDING_BAD, "to be kept");
	WITH(autogroup = DOCTOR_NO, "autogroup", FINDING_OK, "off");
}

static void moves(void **state)
{
	(void)state;
	facts.moves_fault = "no tracefs";
	WITH(moves = DOCTOR_NO, "moves", FINDING_OK, "no rule and no group asks for cgroups");
	config_free(config);
	config = GOOD(RULES("{\"game\": {\"match\": {\"cgroup\": \"/x\"}}}"));
	WITH(moves = DOCTOR_NO, "moves", FINDING_BAD, "cannot be heard: no tracefs");
	config_free(config);
	config = GOOD(RULES("{\"schedqos\": {\"groups\": {\"x\": {\"max\": \"QOS_UTILITY\"}}}}"));
	WITH(moves = DOCTOR_NO, "moves", FINDING_BAD, "cannot be heard");
	WITH(moves = DOCTOR_UNKNOWN, "moves", FINDING_NOTE, "unknown");
	WITH(moves = DOCTOR_YES, "moves", FINDING_OK, "heard");
}

static void changes(void **state)
{
	(void)state;
	facts.changes_fault = "no tracefs";
	WITH(changes = DOCTOR_NO, "changes", FINDING_OK, "no rule enforces");
	config_free(config);
	config = GOOD(RULES("{\"game\": {\"qos\": \"QOS_UTILITY\", \"enforce\": \"program\"}}"));
	WITH(changes = DOCTOR_NO, "changes", FINDING_BAD, "cannot be heard: no tracefs");
	WITH(changes = DOCTOR_UNKNOWN, "changes", FINDING_NOTE, "unknown");
	/* It costs something. */
	WITH(changes = DOCTOR_YES, "changes", FINDING_NOTE, "heard");
}

static void cgroups(void **state)
{
	(void)state;
	facts.cpu_groups = 2;
	facts.cpu_group_names = "a.service, b.scope";
	WITH(cpu_cgroup_version = 2, "cgroups", FINDING_BAD, "(v2) divides 2: a.service, b.scope");
	assert_non_null(strstr(finding_named("cgroups")->remedy, "DisableControllers"));
	WITH(cpu_cgroup_version = 1, "cgroups", FINDING_BAD, "(v1) divides 2");
}

static void governors(void **state)
{
	(void)state;
	facts.schedutil = DOCTOR_NO;
	WITH(governors = "schedutil, powersave", "governor", FINDING_BAD, "schedutil, powersave");
	/* Without util clamp the governor does not matter. */
	WITH(util_clamp = DOCTOR_NO, "governor", FINDING_NOTE, "schedutil, powersave");
	WITH(governors = NULL, "governor", FINDING_NOTE, "no cpufreq");
	WITH(energy = DOCTOR_YES, "energy", FINDING_OK, "is on");
	WITH(energy = DOCTOR_NO, "energy", FINDING_OK, "is off");
}

static void disks(void **state)
{
	static const struct doctor_disk bfq = { "sda", "bfq" }, deadline = { "vda", "mq-deadline" };
	static const struct doctor_disk none = { "nvme0n1", "none" }, several[] = { { "a", "kyber" }, { "b", "bfq" } };

	(void)state;
	judge(config);
	assert_null(finding_named("io-priority"));
	facts.n_disks = 1;
	WITH(disks = &bfq, "io-priority", FINDING_OK, "sda: bfq honours it");
	WITH(disks = &deadline, "io-priority", FINDING_OK, "vda: mq-deadline honours its class, not the level");
	WITH(disks = &none, "io-priority", FINDING_OK, "nvme0n1: none ignores it; no class gives one");
	/* The built-in classes give none. */
	judge(NULL);
	assert_int_equal(finding_named("io-priority")->state, FINDING_OK);
	config_free(config);
	config = GOOD(RULES("{\"QOS_A\": {\"io_class\": \"idle\"}}"));
	assert_finding("io-priority", FINDING_NOTE, "nvme0n1: none ignores it");
	facts.n_disks = 2;
	WITH(disks = several, "io-priority", FINDING_NOTE, "a: kyber ignores it");
	for (size_t i = 1; i < findings.count; i++) {
		if (strcmp(findings.items[i - 1].name, "io-priority") == 0 && findings.items[i - 1].state == FINDING_NOTE)
			assert_string_equal(findings.items[i].what, "b: bfq honours it");
	}
}

static void lockdown(void **state)
{
	(void)state;
	WITH(lockdown = "integrity", "lockdown", FINDING_NOTE, "integrity");
	WITH(lockdown = NULL, "lockdown", FINDING_OK, "not seen");
	WITH(debugfs_closed = true, "lockdown", FINDING_NOTE, "does not let root in");
	WITH(root = false, "lockdown", FINDING_OK, "not seen");
}

/* A configuration with a profile of this debugfs in force. */
static void use_debugfs(const char *debugfs)
{
	char text[256];

	config_free(config);
	snprintf(text, sizeof(text), "{\"mine\": {\"debugfs\": %s}}", debugfs);
	config = GOOD(PROFILES(text), RULES("{\"schedqos\": {\"sched_profile\": \"mine\"}}"));
}

static void run_to_parity(void **state)
{
	(void)state;
	WITH(parity = DOCTOR_YES, "run-to-parity", FINDING_OK, "on; the sched profile qos-preempt");
	WITH(parity = DOCTOR_NO, "run-to-parity", FINDING_OK, "off");
	/* Of concern only where it is asked for. */
	WITH(parity = DOCTOR_NONE, "run-to-parity", FINDING_OK, "not in this kernel");
	facts.parity = DOCTOR_UNKNOWN;
	WITH(debugfs_closed = true, "run-to-parity", FINDING_OK, "cannot be told: debugfs is closed");
	use_debugfs("{\"features\": [\"HRTICK\", \"RUN_TO_PARITY_2\"], \"RUN_TO_PARITY\": 1}");
	assert_finding("run-to-parity", FINDING_OK, "cannot be told");
	use_debugfs("{\"features\": [\"HRTICK\", \"NO_RUN_TO_PARITY\"]}");
	assert_finding("run-to-parity", FINDING_NOTE, "debugfs is closed");
	assert_string_equal(finding_named("run-to-parity")->remedy, "see lockdown");
	WITH(debugfs_closed = false, "run-to-parity", FINDING_NOTE, "debugfs cannot be opened");
	WITH(root = false, "run-to-parity", FINDING_NOTE, "debugfs is root's");
	assert_string_equal(finding_named("run-to-parity")->remedy, "run this as root");
	WITH(parity = DOCTOR_NONE, "run-to-parity", FINDING_NOTE, "not in this kernel");
	WITH(parity = DOCTOR_YES, "run-to-parity", FINDING_OK, "on");
	use_debugfs("{\"features\": \"RUN_TO_PARITY\"}");
	WITH(parity = DOCTOR_NONE, "run-to-parity", FINDING_NOTE, "not in this kernel");
	/* With errors in the configuration nothing is known of what it asks for. */
	judge(NULL);
	assert_int_equal(finding_named("run-to-parity")->state, FINDING_OK);
}

static void cache_aware_scheduling(void **state)
{
	(void)state;
	WITH(llc_balancing = DOCTOR_YES, "sched-cache", FINDING_OK,
	     "CONFIG_SCHED_CACHE, says debugfs; llc_balancing/enabled is on");
	WITH(llc_balancing = DOCTOR_NO, "sched-cache", FINDING_OK, "llc_balancing/enabled is off");
	use_debugfs("{\"llc_balancing/enabled\": 1}");
	assert_finding("sched-cache", FINDING_OK, "llc_balancing/enabled is off");
	facts.llc_balancing = DOCTOR_UNKNOWN;
	facts.debugfs_closed = true;
	WITH(llc_balancing_closed = true, "sched-cache", FINDING_NOTE,
	     "says debugfs; llc_balancing/enabled exists: debugfs is closed");
	facts.llc_balancing_closed = false;
	facts.llc_balancing = DOCTOR_NONE;
	facts.sched_cache_source = "/proc/config.gz";
	WITH(sched_cache = DOCTOR_NO, "sched-cache", FINDING_NOTE,
	     "no CONFIG_SCHED_CACHE, says /proc/config.gz; llc_balancing/enabled does not exist");
	assert_non_null(strstr(finding_named("sched-cache")->remedy, "CONFIG_SCHED_CACHE"));
	facts.sched_cache = DOCTOR_UNKNOWN;
	WITH(sched_cache_source = NULL, "sched-cache", FINDING_NOTE, "CONFIG_SCHED_CACHE unknown");
	facts.debugfs_closed = facts.root = false;
	WITH(llc_balancing = DOCTOR_UNKNOWN, "sched-cache", FINDING_NOTE, "cannot be read: debugfs is root's");
	use_debugfs("{\"llc_balancing/enabled_2\": 1}");
	assert_finding("sched-cache", FINDING_OK, "cannot be read: debugfs is root's");
}

static void unreadable_processes(void **state)
{
	static const struct doctor_unread unread[] = { { 5, "app" }, { 6, "a\\x1b" } };

	(void)state;
	WITH(n_unread = 0, "unread", FINDING_OK, "every process's arguments");
	facts.unread = unread;
	WITH(n_unread = 1, "unread", FINDING_NOTE, "app, pid 5, keeps");
	facts.n_unread = COUNT(unread);
	judge(config);
	assert_string_equal(findings.items[findings.count - 2].name, "unread");
	assert_non_null(strstr(findings.items[findings.count - 2].what, "a\\x1b, pid 6"));
}

static void other_daemons(void **state)
{
	static const struct doctor_rival rivals[] = {
		{ 5, "ananicy-cpp" },
		{ 6, "tuned" },
		{ 7, "system76-schedu" },
	};
	static const char *const known[] = {
		"ananicy",    "ananicy-cpp", "system76-schedu", "gamemoded",
		"uresourced", "tuned",	     "schedqos",
	};

	(void)state;
	facts.rivals = rivals;
	WITH(n_rivals = 1, "rivals", FINDING_BAD, "ananicy-cpp runs, as pid 5");
	facts.n_rivals = COUNT(rivals);
	judge(config);
	assert_int_equal(findings.items[findings.count - 3].state, FINDING_BAD);
	assert_int_equal(findings.items[findings.count - 2].state, FINDING_NOTE);
	assert_string_equal(findings.items[findings.count - 2].what, "tuned runs, as pid 6");
	assert_int_equal(findings.items[findings.count - 1].state, FINDING_BAD);
	for (size_t i = 0; i < COUNT(known); i++) {
		assert_true(doctor_knows_rival(known[i]));
		/* It must fit into comm. */
		assert_true(strlen(known[i]) < 16);
	}
	assert_false(doctor_knows_rival("bash"));
	assert_false(doctor_knows_rival(""));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	static const struct CMUnitTest tests[] = {
		TEST(all_well),	TEST(configuration_errors),
		TEST(files_of_a_running_daemon),
		TEST(daemon_and_unit),	TEST(events),
		TEST(attributes),	TEST(slices_against_the_tick),
		TEST(other_schedulers), TEST(autogroup),
		TEST(moves), TEST(changes),		TEST(cgroups),		TEST(governors),
		TEST(disks),
		TEST(lockdown),		TEST(other_daemons),
		TEST(unreadable_processes), TEST(run_to_parity),
		TEST(cache_aware_scheduling),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
