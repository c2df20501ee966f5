/* SPDX-License-Identifier: GPL-2.0-only */
/* What rules hand out to everybody, as a specification. */
#include "config_case.h"

#define RT "'QOS_RT': {'sched_policy': 'SCHED_RR', 'sched_priority': 7}"
#define DL                                                                             \
	"'QOS_DL': {'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 2000, " \
	"'sched_deadline': 5000}"
#define REMEDY                                                                                \
	"goes to whoever takes this name or path: match a \"user\", or a \"cgroup\" outside " \
	"user@.service"
#define OR_YIELD REMEDY ", or accept that by \"yield\": true"
#define NONE NULL

/* The warnings for the files are these, up to a NULL. */
static void check_warnings(const struct config_file *files, size_t n, const char *const *want)
{
	struct config *config = parse_good(files, n);
	struct config_errors errors = { 0 };
	size_t i;

	assert_int_equal(config_lint(config, &errors), 0);
	for (i = 0; want[i]; i++) {
		char *text;

		if (i == errors.count)
			fail_msg("no more warnings, but wanted: %s", want[i]);
		text = config_error_text(&errors.items[i]);
		assert_true(errors.items[i].warning);
		assert_string_equal(text, want[i]);
		free(text);
	}
	if (i < errors.count)
		fail_msg("not wanted: %s: %s", errors.items[i].path, errors.items[i].message);
	assert_int_equal(errors.n_errors, 0);
	config_errors_clear(&errors);
	config_free(config);
}

#define WARNS(text, ...)                                               \
	check_warnings((const struct config_file[]){ RULES(text) }, 1, \
		       (const char *const[]){ __VA_ARGS__, NULL })

static void classes_that_take_from_others_are_told(void **state)
{
	(void)state;
	WARNS("{" RT ",\n'a': {'qos': 'QOS_RT'}}",
	      "rules.json:2:1: a: warning: QOS_RT (SCHED_RR 7) " REMEDY);
	WARNS("{" DL ",\n'a': {'qos': 'QOS_DL'}}",
	      "rules.json:2:1: a: warning: QOS_DL (SCHED_DEADLINE) " REMEDY);
	WARNS("{'/x/*': {'qos': 'QOS_USER_INTERACTIVE'}}",
	      "rules.json:1:2: [\"/x/*\"]: warning: QOS_USER_INTERACTIVE (nice -4) " OR_YIELD);
	WARNS("{'QOS_N': {'sched_policy': 'SCHED_BATCH', 'sched_nice': -1},\n"
	      "'a': {'qos': 'QOS_N'}}",
	      "rules.json:2:1: a: warning: QOS_N (nice -1) " REMEDY);
}

static void real_time_io_is_told(void **state)
{
	(void)state;
	WARNS("{'QOS_R': {'sched_nice': 3, 'io_class': 'realtime', 'io_priority': 7},\n"
	      "'QOS_B': {'io_class': 'best-effort', 'io_priority': 0},\n"
	      "'b': {'qos': 'QOS_B'},\n"
	      "'a': {'qos': 'QOS_R', 'yield': true}}",
	      "rules.json:4:1: a: warning: QOS_R (nice 3, io_class realtime) " REMEDY);
}

static void classes_that_take_nothing_are_not(void **state)
{
	(void)state;
	WARNS("{'QOS_I': {'sched_policy': 'SCHED_IDLE', 'sched_nice': -5},"
	      "'QOS_ZERO': {'sched_nice': 0, 'sched_runtime': 100000}," RT ","
	      "'i': {'qos': 'QOS_I'}, 'zero': {'qos': 'QOS_ZERO'},'b': {'qos': 'QOS_BACKGROUND'}, 'none': {}}",
	      NONE);
}

static void threads_are_told_by_their_names(void **state)
{
	(void)state;
	WARNS("{" RT
	      ",\n'a b': {'qos': 'QOS_UTILITY', 'thread_qos': {'x': 'QOS_UTILITY',\n"
	      "'audio': 'QOS_RT'}}}",
	      "rules.json:3:1: [\"a b\"].thread_qos.audio: warning: QOS_RT (SCHED_RR 7) " REMEDY);
}

static void a_rule_for_one_user_gives_no_warning(void **state)
{
	(void)state;
	WARNS("{" RT ", 'a': {'qos': 'QOS_RT', 'match': {'user': 0}},"
	      "'b': {'qos': 'QOS_RT', 'match': {'user': 'alice', 'cgroup': '*'}}}",
	      NONE);
	WARNS("{" RT
	      ", 'a': [{'qos': 'QOS_RT', 'match': {'user': 0}},\n{'qos': 'QOS_RT',"
	      "'match': {'exe': '/x', 'argv': 'y', 'parent': 'z'}}]}",
	      "rules.json:2:1: a[1]: warning: QOS_RT (SCHED_RR 7) " REMEDY);
}

static void a_cgroup_that_users_can_make_is_everybody_s(void **state)
{
	static const char *const theirs[] = {
		"*",
		"/*",
		"/user.slice/*",
		"/user.slice/user-[0-9]*/session-*",
		"/user.slice/user-1000.slice/*",
		"/user.slice/user-1000.slice/user@1000.service",
		"/user.slice/user-1000.slice/user@1000.service/*",
		"/user.slice/user-1000.slice/user@1000.service/app.slice/app-x.scope",
		"*/app-x-*.scope",
	};
	static const char *const others[] = {
		"/",
		"/system.slice/*",
		"/system.slice/jack.service",
		"/user.slice",
		"/user.slice/user-1000.slice/session-*",
		"/user.slice/user-1000.slice/session-2.scope",
		"/user.slice/user-x*",
		"/user.slice/user-1000.slice/user@1000.servicex/*",
		"/machine.slice/user@0.service/*",
	};
	char text[256];

	(void)state;
	for (size_t i = 0; i < COUNT(theirs) + COUNT(others); i++) {
		bool is_theirs = i < COUNT(theirs);

		snprintf(text, sizeof(text),
			 "{" RT ",\n'a': {'qos': 'QOS_RT', 'match': {'cgroup': '%s'}}}",
			 is_theirs ? theirs[i] : others[i - COUNT(theirs)]);
		WARNS(text,
		      is_theirs ? "rules.json:2:1: a: warning: QOS_RT (SCHED_RR 7) " REMEDY : NONE);
	}
}

/* A line for each rule would hide the other warnings. */
static void one_warning_tells_of_a_class_and_a_file(void **state)
{
	static const struct config_file files[] = {
		{ .path = "1",
		  .text = "{" RT ",\n'd': {'qos': 'QOS_RT'},\n'n': {'qos': 'QOS_USER_INITIATED'},\n"
			  "'c': {'qos': 'QOS_RT', 'thread_qos': {'z': 'QOS_RT', 'y': 'QOS_RT'}},\n"
			  "'b': {'qos': 'QOS_RT'},\n'a': {'qos': 'QOS_RT'}}" },
		{ .path = "2",
		  .text = "{'e': {'qos': 'QOS_USER_INITIATED'}, 'f': {'qos': 'QOS_USER_INITIATED'},"
			  "'g': {'qos': 'QOS_USER_INITIATED'}, 'h': {'qos': 'QOS_USER_INITIATED'},"
			  "'i': {'qos': 'QOS_USER_INITIATED'}}" },
		{ .path = "3", .text = "{'k': {'qos': 'QOS_RT'}, 'l': {'qos': 'QOS_RT'}}" },
	};

	(void)state;
	check_warnings(files, COUNT(files),
		       (const char *const[]){
			       "1:2:1: d: warning: QOS_RT (SCHED_RR 7) " REMEDY
			       "; 5 more of this file do the same",
			       "1:3:1: n: warning: QOS_USER_INITIATED (nice -2) " OR_YIELD,
			       "2:1:2: e: warning: QOS_USER_INITIATED (nice -2) " OR_YIELD
			       "; 4 more of this file do the same",
			       "3:1:2: k: warning: QOS_RT (SCHED_RR 7) " REMEDY "; 1 more of this file do the same",
			       NULL,
		       });
}

static void a_masked_rule_is_none(void **state)
{
	static const struct config_file files[] = {
		RULES("{" RT ", 'a': {'qos': 'QOS_RT'}}"),
		RULES("{'a': null}"),
	};

	(void)state;
	check_warnings(files, COUNT(files), (const char *const[]){ NULL });
}

/* As the shipped ones are: they came with the classes that they name. */
static void a_yielding_rule_may_give_nice_values_of_earlier_files(void **state)
{
	static const char yielding[] =
		"{'a': {'qos': 'QOS_USER_INITIATED', 'yield': true}}";
	static const char dearer[] = "{'QOS_USER_INITIATED': {'sched_nice': -19}}";
	static const struct config_file before[] = { MAPPING(dearer), RULES(yielding) };
	static const struct config_file after[] = { RULES(yielding), MAPPING(dearer) };

	(void)state;
	WARNS(yielding, NONE);
	check_warnings(before, COUNT(before), (const char *const[]){ NULL });
	check_warnings(after, COUNT(after),
		       (const char *const[]){
			       "rules.json:1:2: a: warning: QOS_USER_INITIATED (nice -19 by mapping.json:1) " REMEDY,
			       NULL,
		       });
	WARNS("{'a': {'qos': 'QOS_USER_INITIATED', 'yield': false}}",
	      "rules.json:1:2: a: warning: QOS_USER_INITIATED (nice -2) " OR_YIELD);
}

static void a_yielding_rule_may_not_give_real_time(void **state)
{
	static const struct config_file files[] = {
		MAPPING("{" RT "}"),
		RULES("{'a': {'qos': 'QOS_RT', 'yield': true}}"),
	};

	(void)state;
	check_warnings(files, COUNT(files),
		       (const char *const[]){
			       "rules.json:1:2: a: warning: QOS_RT (SCHED_RR 7) " REMEDY,
			       NULL,
		       });
}

int main(void)
{
	static const struct CMUnitTest tests[] = {
		cmocka_unit_test(classes_that_take_from_others_are_told),
		cmocka_unit_test(real_time_io_is_told),
		cmocka_unit_test(classes_that_take_nothing_are_not),
		cmocka_unit_test(threads_are_told_by_their_names),
		cmocka_unit_test(a_rule_for_one_user_gives_no_warning),
		cmocka_unit_test(a_cgroup_that_users_can_make_is_everybody_s),
		cmocka_unit_test(one_warning_tells_of_a_class_and_a_file),
		cmocka_unit_test(a_masked_rule_is_none),
		cmocka_unit_test(a_yielding_rule_may_give_nice_values_of_earlier_files),
		cmocka_unit_test(a_yielding_rule_may_not_give_real_time),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
