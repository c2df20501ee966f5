/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies the warnings of `check`: classes that are given to everybody, and globs that never take effect. */
#include "config_case.h"

#define RT "'QOS_RT': {'sched_policy': 'SCHED_RR', 'sched_priority': 7}"
#define DL "'QOS_DL': {'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 2000, 'sched_deadline': 5000}"
#define REMEDY	 "is given to every program with this name or path: match a 'user', or a 'cgroup' outside user.slice"
#define OR_YIELD REMEDY ", or accept that by 'yield': true"
#define OF_RT "warning: QOS_RT (SCHED_RR priority 7) " REMEDY
#define BEATEN "warning: never takes effect: "

static const struct {
	struct config_file files[FILES_MAX];
	const char *want; /* the warnings, a line each, with ' for " */
} examples[] = {
	/* ---- classes with privileges ---- */
	{ { RULES("{" RT ",\n'a': {'qos': 'QOS_RT'}}") }, "rules.json:2:1: a: " OF_RT "\n" },
	{ { RULES("{" DL ",\n'a': {'qos': 'QOS_DL'}}") },
	  "rules.json:2:1: a: warning: QOS_DL (SCHED_DEADLINE) " REMEDY "\n" },
	{ { RULES("{'/x/*': {'qos': 'QOS_USER_INTERACTIVE'}}") },
	  "rules.json:1:2: ['/x/*']: warning: QOS_USER_INTERACTIVE (SCHED_NORMAL nice -4 slice 8 ms) " OR_YIELD "\n" },
	{ { RULES("{'QOS_N': {'sched_policy': 'SCHED_BATCH', 'sched_nice': -1},\n'a': {'qos': 'QOS_N'}}") },
	  "rules.json:2:1: a: warning: QOS_N (SCHED_BATCH nice -1) " REMEDY "\n" },
	{ { RULES("{'QOS_R': {'sched_nice': 3, 'io_class': 'realtime', 'io_priority': 7},\n"
		  "'QOS_B': {'io_class': 'best-effort', 'io_priority': 0},\n"
		  "'b': {'qos': 'QOS_B'},\n"
		  "'a': {'qos': 'QOS_R', 'yield': true}}") },
	  "rules.json:4:1: a: warning: QOS_R (SCHED_NORMAL nice 3 io realtime 7) " REMEDY "\n" },
	{ { RULES("{" RT ",\n'a b': {'qos': 'QOS_UTILITY', 'thread_qos': {'x': 'QOS_UTILITY',\n'audio': 'QOS_RT'}}}") },
	  "rules.json:3:1: ['a b'].thread_qos.audio: " OF_RT "\n" },
	/* ... classes without privileges, and masked rules */
	{ { RULES("{'QOS_I': {'sched_policy': 'SCHED_IDLE'}, 'QOS_ZERO': {'sched_nice': 0, 'sched_runtime': 100000}," RT
		  ", 'i': {'qos': 'QOS_I'}, 'zero': {'qos': 'QOS_ZERO'}, 'b': {'qos': 'QOS_BACKGROUND'}, 'none': {}}") },
	  "" },
	{ { RULES("{" RT ", 'a': {'qos': 'QOS_RT'}}"), RULES("{'a': null}") }, "" },
	/* ---- a rule for one user ---- */
	{ { RULES("{" RT ", 'a': {'qos': 'QOS_RT', 'match': {'user': 0}},"
		  "'b': {'qos': 'QOS_RT', 'match': {'user': 'alice', 'cgroup': '*'}}}") },
	  "" },
	{ { RULES("{" RT ", 'a': [{'qos': 'QOS_RT', 'match': {'user': 0}},\n{'qos': 'QOS_RT',"
		  "'match': {'exe': '/x', 'argv': 'y', 'parent': 'z'}}]}") },
	  "rules.json:2:1: a[1]: " OF_RT "\n" },
	/* ---- one line for each class and file: a line for each rule would hide the other warnings ---- */
	{ { RULES("{" RT ",\n'd': {'qos': 'QOS_RT'},\n'n': {'qos': 'QOS_USER_INITIATED'},\n"
		  "'c': {'qos': 'QOS_RT', 'thread_qos': {'z': 'QOS_RT', 'y': 'QOS_RT'}},\n"
		  "'b': {'qos': 'QOS_RT'},\n'a': {'qos': 'QOS_RT'}}"),
	    RULES("{'e': {'qos': 'QOS_USER_INITIATED'}, 'f': {'qos': 'QOS_USER_INITIATED'}}") },
	  "rules.json:2:1: d: " OF_RT "; the same goes for 5 more in this file\n"
	  "rules.json:3:1: n: warning: QOS_USER_INITIATED (SCHED_NORMAL nice -2 slice 12 ms util 0..768) " OR_YIELD "\n"
	  "rules.json:1:2: e: warning: QOS_USER_INITIATED (SCHED_NORMAL nice -2 slice 12 ms util 0..768) " OR_YIELD
	  "; the same goes for 1 more in this file\n" },
	/* ---- a rule that yields may give nice values of earlier files, but not real time ---- */
	{ { RULES("{'a': {'qos': 'QOS_USER_INITIATED', 'yield': true}}") }, "" },
	{ { RULES("{'a': {'qos': 'QOS_USER_INITIATED', 'yield': false}}") },
	  "rules.json:1:2: a: warning: QOS_USER_INITIATED (SCHED_NORMAL nice -2 slice 12 ms util 0..768) " OR_YIELD
	  "\n" },
	{ { MAPPING("{'QOS_USER_INITIATED': {'sched_nice': -19}}"),
	    RULES("{'a': {'qos': 'QOS_USER_INITIATED', 'yield': true}}") },
	  "" },
	{ { RULES("{'a': {'qos': 'QOS_USER_INITIATED', 'yield': true}}"),
	    MAPPING("{'QOS_USER_INITIATED': {'sched_nice': -19}}") },
	  "rules.json:1:2: a: warning: QOS_USER_INITIATED (SCHED_NORMAL nice -19 slice 12 ms util 0..768 by mapping.json:1) " REMEDY
	  "\n" },
	{ { MAPPING("{" RT "}"), RULES("{'a': {'qos': 'QOS_RT', 'yield': true}}") }, "rules.json:1:2: a: " OF_RT "\n" },
	/* ---- QOS_DEFAULT, unless no task gets it ---- */
	{ { RULES("{'QOS_DEFAULT': {'sched_nice': -1}}") },
	  "rules.json:1:2: QOS_DEFAULT: warning: QOS_DEFAULT (SCHED_BATCH nice -1 slice 16 ms util 0..512) is given to every program that has no rule\n" },
	{ { RULES("{'QOS_DEFAULT': {'sched_nice': -1}, 'schedqos': {'default': 'none'}}") }, "" },
	/* ---- a new class with a name like a built-in one, unless a rule gives it ---- */
	{ { RULES("{'QOS_UTILTY': {'sched_nice': 3}, 'QOS_MINE': {}, 'QOS_UTILITY2': {}, 'a': {'thread_qos': {'b': 'QOS_UTILITY2'}}}") },
	  "rules.json:1:2: QOS_UTILTY: warning: is a new class that no rule assigns (did you mean 'QOS_UTILITY'?)\n" },
	{ { RULES("{'QOS_UTILTY': {}, 'schedqos': {'groups': {'x': {'max': 'QOS_UTILITY'}}}}") },
	  "rules.json:1:2: QOS_UTILTY: warning: is a new class that no rule assigns (did you mean 'QOS_UTILITY'?)\n" },
	/* ---- a path whose last part has an exact rule ---- */
	{ { RULES("{'chrome': {}}"), RULES("{\n'/opt/*/chrome': {}}") },
	  "rules.json:2:1: ['/opt/*/chrome']: " BEATEN
	  "'chrome' of rules.json:1 has no conditions and always comes first, "
	  "since an exact name goes before a glob: write 'chrome' with a 'match' of 'exe'\n" },
	/*
	 * ... but not: an exact path, another name, a glob, a rule with conditions or for sandboxes, a masked rule, a
	 * rule of a later file
	 */
	{ { RULES("{'chrome': {}}"), RULES("{'/opt/chrome': {}, '/opt/*/chromium': {}, '/opt/*/chrome*': {}}") }, "" },
	{ { RULES("{'chrome': {'match': {'argv': 'x'}}}"), RULES("{'/opt/*/chrome': {}}") }, "" },
	{ { RULES("{'chrome': {'match': {'user_namespace': 'initial'}}}"),
	    RULES("{'/app/*/chrome': {'match': {'user_namespace': 'any'}}}") },
	  "" },
	{ { RULES("{'chrome': {}}"), RULES("{'/opt/*/chrome': {}, 'chrome': null}") }, "" },
	{ { RULES("{'/opt/*/chrome': {}}"), RULES("{'chrome': {}}") }, "" },
	{ { RULES("{'chrome': {'qos': 'QOS_USER_INTERACTIVE', 'raise': 'seat'}}"), RULES("{'/opt/*/chrome': {}}") },
	  "" },
};

static void check_warnings(const struct config_file *files, const char *want)
{
	struct config_errors errors = { 0 };
	struct config *config = parse_good(files, FILES_MAX);

	assert_int_equal(config_lint(config, &errors), 0);
	assert_int_equal(errors.n_errors, 0);
	assert_errors(&errors, want);
	config_errors_clear(&errors);
	config_free(config);
}

TEST(each_warning_has_its_place_and_text)
{
	for (size_t i = 0; i < COUNT(examples); i++)
		check_warnings(examples[i].files, examples[i].want);
}

TEST(a_condition_on_a_cgroup_below_user_slice_is_no_boundary)
{
	static const struct {
		const char *cgroup;
		bool is_theirs;
	} cgroups[] = {
		{ "*", true },
		{ "/*", true },
		{ "/user.slice/*", true },
		{ "/user.slice/user-1000.slice/session-2.scope", true },
		{ "*/app-x-*.scope", true },
		{ "/", false },
		{ "/system.slice/*", false },
		{ "/user.slice", false },
		{ "/machine.slice/user@0.service/*", false },
	};
	char text[256];

	for (size_t i = 0; i < COUNT(cgroups); i++) {
		snprintf(text, sizeof(text), "{" RT ",\n'a': {'qos': 'QOS_RT', 'match': {'cgroup': '%s'}}}", cgroups[i].cgroup);
		check_warnings((const struct config_file[]){ RULES(text), { 0 } }, cgroups[i].is_theirs ? "rules.json:2:1: a: " OF_RT "\n" : "");
	}
}
