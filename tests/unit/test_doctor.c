/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies the finding of each check of doctor, on made-up machines. */
#include "made_up_tree.h"

#include "config_case.h"

#include "../../src/machine/check.h"

static struct checkup checkup;
static struct config *config;

static void use(struct config *new)
{
	config_free(config);
	config = new;
	checkup.input.config = config;
}

/* Makes a machine on which all is well. */
static int set_up(void **state)
{
	if (make_trees(state) < 0)
		return -1;
	checkup = (struct checkup){
		.root = open_folder(""),
		.input = { .daemon = 77 },
		.tried = { .features = { true, true }, .tick_ns = 4000000 },
	};
	put("proc/sys/kernel/osrelease", "6.18.1\n");
	put("proc/sys/kernel/sched_autogroup_enabled", "0\n");
	put("proc/self/mounts", "cgroup2 /cgroup cgroup2 rw 0 0\n");
	put("proc/5/comm", "bash\n");
	put("sys/kernel/security/lockdown", "[none] integrity confidentiality\n");
	put("sys/kernel/sched_ext/state", "disabled\n");
	put("sys/devices/system/cpu/cpufreq/policy0/scaling_governor", "schedutil\n");
	put("sys/block/sda/queue/scheduler", "none [bfq]\n");
	put("run/systemd/system/x", "");
	put("etc/systemd/system/multi-user.target.wants/schedqos.service", "");
	use(GOOD(RULES("{\"make\": {\"qos\": \"QOS_BACKGROUND\"}}")));
	return 0;
}

static int tear_down(void **state)
{
	close(checkup.root);
	findings_clear(&checkup.findings);
	config_free(config);
	config = NULL;
	return remove_trees(state);
}

static const struct finding *finding_named(const char *name)
{
	for (size_t i = 0; i < checkup.findings.count; i++) {
		if (strcmp(checkup.findings.items[i].name, name) == 0)
			return &checkup.findings.items[i];
	}
	return NULL;
}

static void look(void)
{
	findings_clear(&checkup.findings);
	checkup_run(&checkup);
	for (size_t i = 0; i < checkup.findings.count; i++) {
		const struct finding *finding = &checkup.findings.items[i];
		bool is_ok = finding->state == FINDING_OK;

		assert_true(*finding->what);
		assert_int_equal(finding->consequence == NULL, is_ok);
		assert_int_equal(finding->remedy == NULL, is_ok);
	}
}

/* Checks that the first finding of this name has this state and text on the present machine. */
static void says(const char *name, enum finding_state state, const char *what)
{
	const struct finding *finding;

	look();
	finding = finding_named(name);
	if (!finding)
		fail_msg("no finding %s", name);
	if (finding->state != state || !strstr(finding->what, what))
		fail_msg("%s: %s: %s", name, finding_state_name(finding->state), finding->what);
}

static void says_nothing(const char *name)
{
	look();
	assert_null(finding_named(name));
}

#define TEST_DOCTOR_TEST(name) TEST_IN(name, set_up, tear_down)

TEST_DOCTOR_TEST(a_good_machine_has_no_finding)
{
	static const char *const names[] = {
		"kernel",    "configuration", "daemon",	  "unit",     "rivals",	    "namespaces",
		"events",    "ends",	      "hearing",  "slice",    "util-clamp", "tick",
		"sched-ext", "autogroup",     "governor", "lockdown", "borders",
	};

	look();
	assert_int_equal(checkup.findings.count, COUNT(names));
	for (size_t i = 0; i < COUNT(names); i++) {
		assert_string_equal(checkup.findings.items[i].name, names[i]);
		assert_int_equal(checkup.findings.items[i].state, FINDING_OK);
	}
	says("kernel", FINDING_OK, "Linux 6.18.1");
	says("configuration", FINDING_OK, "1 rule, 5 classes, no errors");
}

TEST_DOCTOR_TEST(errors_and_changes_of_the_configuration_are_found)
{
	checkup.input.is_daemons = true;
	checkup.input.n_differences = 2;
	says("in-force", FINDING_NOTE, "2 changes of the files since the daemon read them");
	checkup.input.n_differences = 0;
	checkup.input.n_errors = 3;
	use(NULL);
	says("configuration", FINDING_BAD, "3 errors");
	assert_non_null(strstr(finding_named("configuration")->consequence, "keeps the previous one"));
	/* The finding concerns the files that the daemon reads. */
	assert_non_null(strstr(finding_named("configuration")->remedy, "check --diff"));
	assert_null(finding_named("in-force"));
}

TEST_DOCTOR_TEST(unknown_users_are_found)
{
	const struct config_file file = RULES("{'a': {'match': {'user': 'slow'}}, 'b': {'match': {'user': 'bob'}}}");
	struct config_errors errors = { 0 };
	struct config *unknown = NULL;

	says_nothing("users");
	assert_int_equal(parse(&file, 1, &unknown, &errors), 0);
	config_errors_clear(&errors);
	use(unknown);
	says("users", FINDING_NOTE, "1 cannot be looked up now");
}

TEST_DOCTOR_TEST(a_missing_daemon_and_values_left_behind_are_found)
{
	put("run/schedqos/knobs.json", "");
	says_nothing("leftovers");
	checkup.input.daemon = -EACCES;
	says("daemon", FINDING_NOTE, "only root");
	assert_null(finding_named("leftovers"));
	checkup.input.daemon = 0;
	says("leftovers", FINDING_NOTE, "something to put back");
	says("daemon", FINDING_NOTE, "does not run");
	put("run/schedqos/state.damaged", "");
	says("set-aside", FINDING_NOTE, "could not be used");
}

TEST_DOCTOR_TEST(problems_that_the_daemon_reports_are_found)
{
	char text[] = "/sys/kernel/debug/sched/features: Operation not permitted", *problems[] = { text };

	checkup.input.problems = problems;
	checkup.input.n_problems = 1;
	says("problem", FINDING_NOTE, "sched/features: Operation not permitted");
}

TEST_DOCTOR_TEST(a_disabled_unit_is_found)
{
	take_away("etc/systemd/system/multi-user.target.wants/schedqos.service");
	says("unit", FINDING_NOTE, "not enabled");
	take_away("run/systemd/system/x");
	take_away("run/systemd/system");
	says("unit", FINDING_NOTE, "no systemd");
}

TEST_DOCTOR_TEST(other_daemons_that_set_priorities_are_found)
{
	put("proc/6/comm", "ananicy-cpp\n");
	says("rivals", FINDING_BAD, "ananicy-cpp runs, as pid 6");
	put("proc/6/comm", "tuned\n");
	says("rivals", FINDING_NOTE, "tuned runs, as pid 6");
}

TEST_DOCTOR_TEST(a_container_is_found)
{
	make_folder("proc/self/ns");
	make_link("user:[4026531837]", "proc/self/ns/user");
	says("namespaces", FINDING_OK, "initial");
	make_link("time:[4026532000]", "proc/self/ns/time");
	says("namespaces", FINDING_BAD, "not the initial time namespace");
	make_link("pid:[4026532000]", "proc/self/ns/pid");
	says("namespaces", FINDING_BAD, "not the initial PID namespace");
}

TEST_DOCTOR_TEST(a_kernel_without_events_is_found)
{
	says("events", FINDING_OK, "delivers events");
	checkup.tried.events = -ECONNREFUSED;
	says("events", FINDING_BAD, "no proc connector: Connection refused");
	checkup.tried.events = -EPERM;
	says("events", FINDING_NOTE, "only root");
}

TEST_DOCTOR_TEST(a_kernel_without_taskstats_is_noted)
{
	says("ends", FINDING_OK, "taskstats reports");
	checkup.tried.ends = -ENOENT;
	says("ends", FINDING_NOTE, "no taskstats: unknown here");
	checkup.tried.ends = -EPERM;
	says("ends", FINDING_NOTE, "only root");
}

TEST_DOCTOR_TEST(moves_and_changes_that_are_not_reported_are_found)
{
	put("proc/sys/kernel/perf_event_paranoid", "4\n");
	checkup.input.is_deaf = true;
	says("hearing", FINDING_OK, "none enforces");
	use(GOOD(RULES("{\"game\": {\"match\": {\"cgroup\": \"/x\"}}}")));
	says("hearing", FINDING_BAD, "are not reported: kernel.perf_event_paranoid is 4");
	use(GOOD(RULES("{\"schedqos\": {\"groups\": {\"x\": {\"max\": \"QOS_UTILITY\"}}}}")));
	says("hearing", FINDING_BAD, "are not reported");
	use(GOOD(RULES("{\"game\": {\"qos\": \"QOS_UTILITY\", \"enforce\": true}}")));
	says("hearing", FINDING_BAD, "are not reported");
	/* The daemon's own report counts, not the setting. */
	checkup.input.is_deaf = false;
	says("hearing", FINDING_OK, "are reported");
	checkup.input.daemon = 0;
	says("hearing", FINDING_NOTE, "perf_event_paranoid is 4");
}

TEST_DOCTOR_TEST(missing_slices_and_clamps_are_found)
{
	checkup.tried.features = (struct ksched_features){ 0 };
	checkup.tried.tick_ns = 100000000;
	says("slice", FINDING_NOTE, "no custom slices");
	says("util-clamp", FINDING_NOTE, "not in this kernel");
	/* No slice is shorter than a tick then. */
	says_nothing("tick");
}

TEST_DOCTOR_TEST(a_tick_longer_than_a_slice_is_found)
{
	checkup.tried.tick_ns = 10000000;
	says("tick", FINDING_NOTE, "10 ms, HRTICK unknown: longer than the slice of QOS_USER_INTERACTIVE");
	put("sys/kernel/debug/sched/features", "PLACE_LAG NO_HRTICK HRTICK_DL\n");
	says("tick", FINDING_NOTE, "HRTICK off");
	use(GOOD(RULES("{\"QOS_A\": {\"sched_runtime\": 3000000}, \"QOS_B\": {\"sched_runtime\": 0},"
		       "\"QOS_C\": {\"sched_policy\": \"SCHED_DEADLINE\", \"sched_runtime\": 2000000,"
		       "\"sched_deadline\": 3000000}}")));
	says("tick", FINDING_NOTE, "longer than the slice of QOS_A");
	put("sys/kernel/debug/sched/features", "HRTICK\n");
	says("tick", FINDING_OK, "HRTICK ends slices on time");
}

TEST_DOCTOR_TEST(a_sched_ext_scheduler_is_found)
{
	put("sys/kernel/sched_ext/state", "enabled\n");
	says("sched-ext", FINDING_BAD, "a scheduler is loaded");
	put("sys/kernel/sched_ext/root/ops", "lavd\n");
	says("sched-ext", FINDING_BAD, "lavd is loaded");
	put("sys/kernel/sched_ext/switch_all", "0\n");
	says("sched-ext", FINDING_OK, "leaves fair tasks to the kernel");
	put("sys/kernel/sched_ext/switch_all", "1\n");
	says("sched-ext", FINDING_BAD, "lavd is loaded");
	take_away("sys/kernel/sched_ext/state");
	says("sched-ext", FINDING_OK, "not in this kernel");
}

TEST_DOCTOR_TEST(autogroups_are_found)
{
	put("proc/sys/kernel/sched_autogroup_enabled", "1\n");
	says("autogroup", FINDING_BAD, "on, though the daemon runs");
	checkup.input.daemon = 0;
	says("autogroup", FINDING_NOTE, "on");
	use(GOOD(RULES("{\"schedqos\": {\"autogroup\": \"keep\"}}")));
	says("autogroup", FINDING_BAD, "to be kept");
	take_away("proc/sys/kernel/sched_autogroup_enabled");
	says("autogroup", FINDING_OK, "not in this kernel");
}

#define SHORT_SLICES "{\"QOS_USER_INTERACTIVE\": {\"sched_runtime\": 500000}}"

TEST_DOCTOR_TEST(borders_between_cpu_cgroups_are_found)
{
	put("proc/5/cgroup", "0::/system.slice/a.service\n");
	put("proc/6/cgroup", "4:memory:/\n0::/system.slice/b.service\n");
	says("borders", FINDING_OK, "none");
	put("cgroup/system.slice/cpu.weight", "100\n");
	says("borders", FINDING_BAD, "around cpu cgroups (v2): system.slice");
	assert_null(strchr(finding_named("borders")->what, ','));
	assert_non_null(strstr(finding_named("borders")->consequence, "announcement"));
	assert_non_null(strstr(finding_named("borders")->remedy, "mapping"));
	use(GOOD(RULES(SHORT_SLICES)));
	put("proc/6/cgroup", "0::/\033[2J\n");
	put("cgroup/\033[2J/cpu.weight", "100\n");
	says("borders", FINDING_NOTE, "\\x1b[2J");
	assert_non_null(strstr(finding_named("borders")->remedy, "weights"));
	assert_string_equal(finding_named("borders")->consequence, DOCTOR_BORDER_WORDS);
	/* If the configuration cannot be read, the built-in classes count, which are the announcement's. */
	use(NULL);
	says("borders", FINDING_BAD, "(v2)");
}

TEST_DOCTOR_TEST(borders_of_cgroups_of_version_1_are_found)
{
	char path[64], text[300], name[200] = "";

	put("proc/self/mounts", "cgroup /cgroup cgroup rw,cpu,cpuacct 0 0\n");
	put("proc/5/cgroup", "2:cpuset:/x\n1:cpu,cpuacct:/\n0::/system.slice\n");
	says("borders", FINDING_OK, "none");
	put("cgroup/docker/5d/cpu.shares", "1024\n");
	put("proc/6/cgroup", "1:cpuacct,cpu:/docker/5d\n");
	says("borders", FINDING_BAD, "around cpu cgroups (v1): docker");
	memset(name, 'x', sizeof(name) - 1);
	for (int i = 0; i < 10; i++) {
		snprintf(path, sizeof(path), "proc/%d/cgroup", 10 + i);
		snprintf(text, sizeof(text), "1:cpu:/%d%s\n", i, name);
		put(path, text);
		snprintf(text, sizeof(text), "cgroup/%d%s/cpu.shares", i, name);
		put(text, "1024\n");
	}
	says("borders", FINDING_BAD, ", ...");
}

TEST_DOCTOR_TEST(a_governor_that_ignores_clamps_is_found)
{
	put("sys/devices/system/cpu/cpufreq/policy1/scaling_governor", "powersave\n");
	says("governor", FINDING_BAD, "powersave");
	/* Without util clamp the governor does not matter. */
	checkup.tried.features.util_clamp = false;
	says("governor", FINDING_NOTE, "powersave");
	take_away("sys/devices/system/cpu/cpufreq/policy0/scaling_governor");
	take_away("sys/devices/system/cpu/cpufreq/policy1/scaling_governor");
	says("governor", FINDING_NOTE, "no cpufreq");
}

TEST_DOCTOR_TEST(disks_that_ignore_io_priorities_are_found)
{
	/* The built-in classes give no I/O priority. */
	says_nothing("io-priority");
	put("sys/block/zram0/queue/scheduler", "[none]\n");
	use(GOOD(RULES("{\"QOS_A\": {\"io_class\": \"idle\"}}")));
	says("io-priority", FINDING_OK, "sda: bfq honours it");
	put("sys/block/sda/queue/scheduler", "none [mq-deadline]\n");
	says("io-priority", FINDING_OK, "sda: mq-deadline honours its class, not the level");
	put("sys/block/sda/queue/scheduler", "[none] mq-deadline\n");
	says("io-priority", FINDING_NOTE, "sda: none ignores it");
}

TEST_DOCTOR_TEST(kernel_lockdown_is_found)
{
	const uid_t user = geteuid();

	put("sys/kernel/security/lockdown", "none [integrity] confidentiality\n");
	says("lockdown", FINDING_NOTE, "integrity");
	take_away("sys/kernel/security/lockdown");
	if (user == 0) {
		says("lockdown", FINDING_OK, "not seen");
		assert_int_equal(seteuid(65534), 0);
	}
	look();
	assert_int_equal(seteuid(user), 0);
	assert_int_equal(finding_named("lockdown")->state, FINDING_NOTE);
}
