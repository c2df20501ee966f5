/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies the message and place of each error in a configuration. With the argument --examples it prints the texts
 * instead, one JSON object per line, for tests/schema.
 */
#include <errno.h>

#include <schedqos/util/json_writer.h>

#include "config_case.h"

static void print_example(enum config_kind kind, const struct bad *bad)
{
	static const char *const kinds[] = {
		[CONFIG_RULES] = "rules_file",
		[CONFIG_MAPPING] = "mapping_file",
		[CONFIG_PRESET] = "mapping_file",
		[CONFIG_PROFILES] = "profiles_file",
	};
	struct json_writer json = { 0 };
	char *line;

	json_begin_in_line(&json, NULL, '{');
	json_put_text(&json, "kind", kinds[kind]);
	json_put_text(&json, "text", with_quotes(bad->text, 0));
	json_put_text(&json, "message", bad->message);
	json_end(&json, '}');
	line = json_take(&json);
	printf("%s", line);
	free(line);
}

#define FIFO "'sched_policy': 'SCHED_FIFO', 'sched_priority': 1"
#define DL   "'sched_policy': 'SCHED_DEADLINE'"
#define GROUPS(text) "{'schedqos': {'groups': " text "}}"
#define WEIGHTS(text) "{'schedqos': {'weights': " text "}}"

static const struct bad in_any[] = {
	/* JSON */
	{ "", 1, 1, "", "empty: write {} for no rules" },
	{ "{'a': {}\n 'b': {}}", 2, 2, "", "a comma is missing before this" },
	{ "{'a': {},}", 1, 9, "", "trailing comma" },
	{ "{a: {}}", 1, 2, "", "keys must be in double quotes" },
	{ "{'a': {\n", 2, 1, "", "\"{\" opened at 1:7 is not closed" },
	{ "{'a': {'period': +10}}", 1, 18, "", "not a number" },
	/* the outermost value */
	{ "[]", 1, 1, "", "must be an object, not a list" },
	{ " null", 1, 2, "", "must be an object, not null" },
	{ "\n'x'", 2, 1, "", "must be an object, not a string" },
};

/* Errors in any kind of file that defines classes. */
static const struct bad in_classes[] = {
	{ "{'QOS_A': {'sched_nise': 1}}", 1, 12, "QOS_A.sched_nise",
	  "unknown attribute \"sched_nise\" (did you mean \"sched_nice\"?)" },
	{ "{'QOS_A': {'nonsense': 1}}", 1, 12, "QOS_A.nonsense", "unknown attribute \"nonsense\"" },
	{ "{'QOS_A': {'sched_policy': 3}}", 1, 28, "QOS_A.sched_policy", "SCHED_RR or SCHED_DEADLINE, not a number" },
	{ "{'QOS_A': {'sched_policy': null}}", 1, 28, "QOS_A.sched_policy",
	  "must be SCHED_NORMAL, SCHED_OTHER, SCHED_BATCH, " },
	{ "{'QOS_A': {'sched_policy': 'SCHED_BACH'}}", 1, 28, "QOS_A.sched_policy",
	  "unknown policy \"SCHED_BACH\" (did you mean \"SCHED_BATCH\"?)" },
	{ "{'QOS_A': {'sched_policy': 'SCHED_EXT'}}", 1, 28, "QOS_A.sched_policy", "unknown policy \"SCHED_EXT\"" },
	{ "{'QOS_A': {'sched_nice': '3'}}", 1, 26, "QOS_A.sched_nice", "must be a whole number, not a string, so without quotes" },
	{ "{'QOS_A': {'sched_nice': 1.5}}", 1, 26, "QOS_A.sched_nice", "must be a whole number" },
	{ "{'QOS_A': {'sched_nice': ''}}", 1, 26, "QOS_A.sched_nice", "must be a whole number, not a string" },
	{ "{'QOS_A': {'sched_runtime': 1e6}}", 1, 29, "QOS_A.sched_runtime", "must be a whole number of nanoseconds" },
	{ "{'QOS_A': {'sched_runtime': '3ms'}}", 1, 29, "QOS_A.sched_runtime", "must be a whole number of nanoseconds, not a string" },
	{ "{'QOS_A': {'sched_nice': 20}}", 1, 26, "QOS_A.sched_nice", "must be between -20 and 19" },
	{ "{'QOS_A': {'sched_nice': 4294967295}}", 1, 26, "QOS_A.sched_nice", "must be between -20 and 19" },
	{ "{'QOS_A': {'sched_util_max': 1025}}", 1, 30, "QOS_A.sched_util_max", "must be between 0 and 1024" },
	{ "{'QOS_A': {'sched_util_min': -1}}", 1, 30, "QOS_A.sched_util_min", "must be between 0 and 1024" },
	{ "{'QOS_A': {'sched_priority': 100}}", 1, 30, "QOS_A.sched_priority", "must be between 0 and 99" },
	{ "{'QOS_A': {'sched_runtime': 99999}}", 1, 29, "QOS_A.sched_runtime", "must be between 100000 and 100000000" },
	{ "{'QOS_A': {'sched_runtime': 100000001}}", 1, 29, "QOS_A.sched_runtime",
	  "must be between 100000 and 100000000" },
	{ "{'QOS_A': {'sched_deadline': 9223372036854775808}}", 1, 30,
	  "QOS_A.sched_deadline", "must be between 0 and 9223372036854775807" },
};

static const struct bad in_mappings[] = {
	{ "{'QSO_UTILITY': {}}", 1, 2, "QSO_UTILITY", "did you mean \"QOS_UTILITY\"?" },
	{ "{'make': {}}", 1, 2, "make", "names here begin with QOS_" },
	{ "{'schedqos': {}}", 1, 2, "schedqos", "names here begin with QOS_" },
};

static const struct bad in_rules[] = {
	/* duplicates */
	{ "{'a': {},\n'b': {}, '\\u0061': {}}", 2, 10, "a", "already defined at 1:2" },
	{ "{'a': {'qos': 'QOS_UTILITY', 'qos': 'QOS_UTILITY'}}", 1, 30, "a.qos", "already defined at 1:8" },
	{ "{'a': {'thread_qos': {'t': 'QOS_UTILITY',\n't': 'QOS_DEFAULT'}}}", 2, 1, "a.thread_qos.t",
	  "already defined at 1:23" },
	{ "{'a':{},'b':{},'c':{},'d':{},'e':{},'f':{},'g':{},'h':{},\n'i':{}, 'b':{}}", 2, 9, "b",
	  "already defined at 1:9" },
	{ "{'QOS_UTILITY': {},\n 'QOS_UTILITY': {}}", 2, 2, "QOS_UTILITY", "already defined at 1:2" },
	{ "{'a': {'thread_qos': {'t': 'QOS_UTILITY'}, 'thread_qos': {'u': 'QOS_UTILITY'}}}", 1, 44, "a.thread_qos",
	  "already defined at 1:8" },
	{ "{'schedqos': {},\n 'schedqos': {}}", 2, 2, "schedqos", "already defined at 1:2" },
	/* names of classes */
	{ "{'QOS_utility': {}}", 1, 2, "QOS_utility", "did you mean \"QOS_UTILITY\"?" },
	{ "{'QOS_': {}}", 1, 2, "QOS_", "unknown class \"QOS_\"" },
	{ "{'QOS_A-B': {}}", 1, 2, "QOS_A-B", "only capital letters, digits and _" },
	{ "{'QOS_A': []}", 1, 11, "QOS_A", "must be an object, not a list" },
	{ "{'QOS_A': null}", 1, 11, "QOS_A", "must be an object, not null" },
	/* attributes that contradict each other, or the class of an earlier file */
	{ "{'QOS_UTILITY': {" FIFO ",\n'sched_nice': 1}}", 2, 15, "QOS_UTILITY.sched_nice",
	  "SCHED_FIFO has no sched_nice" },
	{ "{'QOS_A': {" FIFO ",\n'sched_runtime': 200000}}", 2, 18, "QOS_A.sched_runtime",
	  "SCHED_FIFO has no sched_runtime" },
	{ "{'QOS_A': {" FIFO ",\n'sched_deadline': 200000}}", 2, 19, "QOS_A.sched_deadline", "for SCHED_DEADLINE" },
	{ "{'QOS_A': {" FIFO ",\n'sched_period': 200000}}", 2, 17, "QOS_A.sched_period", "for SCHED_DEADLINE" },
	{ "{'QOS_UTILITY': {'sched_policy': 'SCHED_RR'}}", 1, 34, "QOS_UTILITY.sched_policy",
	  "SCHED_RR needs a sched_priority of 1 to 99" },
	{ "{'QOS_A': {'sched_policy': 'SCHED_RR',\n'sched_priority': 0}}", 2, 19, "QOS_A.sched_priority",
	  "SCHED_RR needs a sched_priority of 1 to 99" },
	{ "{'QOS_UTILITY': {'sched_priority': 5}}", 1, 36, "QOS_UTILITY.sched_priority",
	  "SCHED_BATCH has no sched_priority" },
	{ "{'QOS_UTILITY': {'sched_deadline': 5}}", 1, 36, "QOS_UTILITY.sched_deadline",
	  "SCHED_BATCH has no sched_deadline" },
	{ "{'QOS_UTILITY': {'sched_period': 5}}", 1, 34, "QOS_UTILITY.sched_period",
	  "SCHED_BATCH has no sched_period" },
	{ "{'QOS_A': {" DL ", 'sched_runtime': 2000, 'sched_deadline': 3000,\n'sched_nice': 0}}", 2, 15,
	  "QOS_A.sched_nice", "SCHED_DEADLINE has no sched_nice" },
	{ "{'QOS_A': {" DL ", 'sched_runtime': 2000, 'sched_deadline': 3000,\n'sched_priority': 0}}", 2, 19,
	  "QOS_A.sched_priority", "SCHED_DEADLINE has no sched_priority" },
	{ "{'QOS_A': {\n" DL ", 'sched_deadline': 3000}}", 2, 17, "QOS_A.sched_policy", "needs a sched_runtime" },
	{ "{'QOS_A': {\n" DL ", 'sched_runtime': 3000}}", 2, 17, "QOS_A.sched_policy", "needs a sched_deadline" },
	{ "{'QOS_A': {" DL ", 'sched_deadline': 3000,\n'sched_runtime': 1023}}", 2, 18, "QOS_A.sched_runtime",
	  "must be at least 1024" },
	{ "{'QOS_A': {" DL ", 'sched_deadline': 3000,\n'sched_runtime': 3001}}", 2, 18, "QOS_A.sched_runtime",
	  "sched_runtime 3001 is longer than sched_deadline" },
	{ "{'QOS_A': {" DL ", 'sched_runtime': 3000, 'sched_period': 3001,\n'sched_deadline': 3002}}", 2, 19,
	  "QOS_A.sched_deadline", "sched_deadline 3002 is longer than sched_period" },
	{ "{'QOS_A': {'sched_util_min': 2, 'sched_util_max': 1}}", 1, 30, "QOS_A.sched_util_min",
	  "sched_util_min 2 is greater than sched_util_max 1" },
	{ "{'QOS_BACKGROUND': {'sched_util_min': 257}}", 1, 39, "QOS_BACKGROUND.sched_util_min",
	  "greater than sched_util_max 256" },
	/* I/O */
	{ "{'QOS_A': {'io_class': 'ilde'}}", 1, 24, "QOS_A.io_class",
	  "unknown I/O class \"ilde\" (did you mean \"idle\"?)" },
	{ "{'QOS_A': {'io_class': 'x'}}", 1, 24, "QOS_A.io_class",
	  "unknown I/O class \"x\": must be none, realtime, best-effort or idle" },
	{ "{'QOS_A': {'io_class': 3}}", 1, 24, "QOS_A.io_class",
	  "must be none, realtime, best-effort or idle, not a number" },
	{ "{'QOS_A': {'io_clas': 'idle'}}", 1, 12, "QOS_A.io_clas", "did you mean \"io_class\"?" },
	{ "{'QOS_A': {'ioprio': 1}}", 1, 12, "QOS_A.ioprio", "unknown attribute \"ioprio\"" },
	{ "{'QOS_A': {'io_class': 'best-effort', 'io_priority': 8}}", 1, 54, "QOS_A.io_priority",
	  "must be between 0 and 7" },
	{ "{'QOS_A': {'io_priority': 1}}", 1, 27, "QOS_A.io_priority",
	  "io_priority needs an io_class: best-effort or realtime" },
	{ "{'QOS_A': {'io_class': null, 'io_priority': 1}}", 1, 45, "QOS_A.io_priority",
	  "io_priority needs an io_class: best-effort or realtime" },
	{ "{'QOS_A': {'io_class': 'realtime'}}", 1, 24, "QOS_A.io_class",
	  "io_class realtime needs an io_priority of 0 to 7" },
	{ "{'QOS_A': {'io_class': 'none',\n'io_priority': 4}}", 2, 16, "QOS_A.io_priority",
	  "io_class none has no io_priority: that is for best-effort and realtime" },
	{ "{'QOS_A': {'io_priority': 4,\n'io_class': 'idle'}}", 1, 27, "QOS_A.io_priority",
	  "io_class idle has no io_priority" },
	{ "{'io_class': 'idle'}", 1, 14, "io_class", "must be" },
	/* settings */
	{ "{'schedqos': []}", 1, 14, "schedqos", "must be an object, not a list" },
	{ "{'schedqos': {'sched_profil': 1}}", 1, 15, "schedqos.sched_profil",
	  "unknown setting \"sched_profil\" (did you mean \"sched_profile\"?)" },
	{ "{'schedqos': {'sched_profile': 'trougput'}}", 1, 32, "schedqos.sched_profile",
	  "unknown sched_profile \"trougput\" (did you mean \"throughput\"?)" },
	{ "{'schedqos': {'sched_profile': 'none'}}", 1, 32, "schedqos.sched_profile",
	  "unknown sched_profile \"none\": for none write null" },
	{ "{'schedqos': {'sched_profile': 'off'}}", 1, 32, "schedqos.sched_profile",
	  "unknown sched_profile \"off\": for none write null" },
	{ "{'schedqos': {'sched_profile': 5}}", 1, 32, "schedqos.sched_profile", "must be a string, not a number" },
	{ "{'schedqos': {'sched_profile': ''}}", 1, 32, "schedqos.sched_profile", "must not be empty" },
	{ "{'schedqos': {'default': 'prestine'}}", 1, 26, "schedqos.default",
	  "unknown default \"prestine\" (did you mean \"pristine\"?)" },
	{ "{'schedqos': {'default': true}}", 1, 26, "schedqos.default", "not true or false" },
	{ "{'schedqos': {'focus': 'QOS_UTILTY'}}", 1, 24, "schedqos.focus", "did you mean \"QOS_UTILITY\"?" },
	{ "{'schedqos': {'focus': 'none'}}", 1, 24, "schedqos.focus",
	  "unknown class \"none\": for none write null, without quotes" },
	{ "{'schedqos': {'focus': false}}", 1, 24, "schedqos.focus", "must be the name of a class, not true or false" },
	{ "{'schedqos': {'accounting': 'on'}}", 1, 29, "schedqos.accounting", "must be true or false, not a string" },
	{ "{'schedqos': {'autogroup': 'disabled'}}", 1, 28, "schedqos.autogroup",
	  "unknown autogroup \"disabled\": must be off or keep" },
	{ "{'schedqos': {'log': 'verbose'}}", 1, 22, "schedqos.log",
	  "unknown log \"verbose\": must be error, warning, notice, info or debug" },
	{ "{'schedqos': {'mapping': 'anouncement'}}", 1, 26, "schedqos.mapping",
	  "unknown mapping \"anouncement\" (did you mean \"announcement\"?)" },
	{ "{'schedqos': {'mapping': null}}", 1, 26, "schedqos.mapping", "must be a string, not null" },
	/* rules */
	{ "{'': {}}", 1, 2, "[\"\"]", "a pattern must not be empty" },
	{ "{'a': 'QOS_UTILITY'}", 1, 7, "a", "write {\"qos\": \"QOS_UTILITY\"}" },
	{ "{'a': 'high'}", 1, 7, "a", "write {\"qos\": \"QOS_...\"}" },
	{ "{'//': 'of mine'}", 1, 2, "[\"//\"]", "is taken for a program's name: a comment begins with // outside" },
	{ "{'groups': {'a': {'max': 'QOS_UTILITY'}}}", 1, 13, "groups.a",
	  "unknown key \"a\": its object is a setting, which belongs inside \"schedqos\"" },
	{ "{'qos': 'QOS_UTILITY'}", 1, 9, "qos", "not a string: \"qos\" belongs inside a rule" },
	{ "{'type': 'BG_CPUIO'}", 1, 2, "type", "looks like a rule of ananicy: \"schedqos import ananicy DIR\"" },
	{ "{'default': 'all'}", 1, 13, "default", "the setting \"default\" belongs inside \"schedqos\"" },
	{ "{'a': 1}", 1, 7, "a", "a list of objects or null, not a number" },
	{ "{'$schema': {}}", 1, 13, "[\"$schema\"]", "must be a string, not an object" },
	{ "{'a': []}", 1, 7, "a", "must not be empty" },
	{ "{'a': [1]}", 1, 8, "a[0]", "must be an object, not a number" },
	{ "{'a': [null]}", 1, 8, "a[0]", "must be an object, not null" },
	{ "{'a': {'quos': 1}}", 1, 8, "a.quos", "unknown key \"quos\" (did you mean \"qos\"?)" },
	{ "{'UTILITY': {'sched_nice': 1}}", 1, 14, "UTILITY.sched_nice",
	  "unknown key \"sched_nice\": that is for classes, whose names begin with QOS_" },
	{ "{'a': {'Period': 5000000}}", 1, 8, "a.Period", "did you mean \"period\"?" },
	{ "{'a': {'nice': 5}}", 1, 8, "a.nice",
	  "unknown key \"nice\": that is for classes, whose names begin with QOS_" },
	{ "{'a': {'peroid': 5}}", 1, 8, "a.peroid", "unknown key \"peroid\" (did you mean \"period\"?)" },
	/* keys in the wrong place */
	{ "{'a': {'user': 'root'}}", 1, 8, "a.user", "unknown key \"user\": that belongs inside \"match\"" },
	{ "{'a': {'match': {'qos': 'QOS_UTILITY'}}}", 1, 18, "a.match.qos",
	  "that belongs beside \"match\", not into it" },
	{ "{'shedqos': {'log': 'debug'}}", 1, 14, "shedqos.log",
	  "that is a setting, which belongs inside \"schedqos\"" },
	{ "{'make': {'debugfs': {}}}", 1, 11, "make.debugfs", "sched profiles belong in a file sched_profiles.json" },
	{ "{'rules': {'make': {}}}", 1, 12, "rules.make", "the rule of another program belongs beside this one" },
	{ "{'schedqos': {'QOS_X': {}}}", 1, 15, "schedqos.QOS_X", "a class belongs beside \"schedqos\", not into it" },
	{ "{'a': {'qos': 1}}", 1, 15, "a.qos", "must be the name of a class, not a number" },
	{ "{'a': {'qos': 'QOS_BACKGRUOND'}}", 1, 15, "a.qos",
	  "unknown class \"QOS_BACKGRUOND\" (did you mean \"QOS_BACKGROUND\"?)" },
	{ "{'a': {'qos': 'background'}}", 1, 15, "a.qos",
	  "unknown class \"background\" (did you mean \"QOS_BACKGROUND\"?)" },
	{ "{'a': {'inherit': true, 'qos': 'QOS_NONE'}}", 1, 32, "a.qos", "unknown class \"QOS_NONE\"" },
	{ "{'a': {'thread_qos': []}}", 1, 22, "a.thread_qos", "must be an object, not a list" },
	{ "{'a': {'thread_qos': {'t': null}}}", 1, 28, "a.thread_qos.t", "must be the name of a class, not null" },
	{ "{'a': {'thread_qos': {'': 'QOS_UTILITY'}}}", 1, 23, "a.thread_qos[\"\"]", "a pattern must not be empty" },
	{ "{'a': {'thread_qos': {'t x': 'QOS_UTILTY'}}}", 1, 30, "a.thread_qos[\"t x\"]",
	  "did you mean \"QOS_UTILITY\"?" },
	{ "{'a': {'period': 999}}", 1, 18, "a.period", "must be between 1000 and 10000000000 nanoseconds" },
	{ "{'a': {'period': 10000000001}}", 1, 18, "a.period", "must be between 1000 and 10000000000" },
	{ "{'a': {'period': 016}}", 1, 18, "a.period",
	  "must be a whole number of nanoseconds, without a fraction, an exponent or leading zeroes" },
	{ "{'a': {'version': 2}}", 1, 19, "a.version", "must be a string" },
	{ "{'a': {'inherit': 'yes'}}", 1, 19, "a.inherit", "must be true or false, not a string" },
	{ "{'a': {'inherit': true}}", 1, 19, "a.inherit", "without \"qos\"" },
	{ "{'a': {'qos': 'QOS_UTILITY', 'enforce': true, 'yield': true}}", 1, 56, "a.yield",
	  "cannot both yield to others and enforce" },
	{ "{'a': {'yield': null}}", 1, 17, "a.yield", "must be true or false, not null" },
	{ "{'a': {'hidden': true}}", 1, 18, "a.hidden", "must be keep, not true or false" },
	{ "{'a': {'hidden': 'limit'}}", 1, 18, "a.hidden", "must be keep" },
	{ "{'a': {'raise': 'seats'}}", 1, 17, "a.raise", "unknown raise \"seats\" (did you mean \"seat\"?)" },
	{ "{'schedqos': {'raise': 'sat'}}", 1, 24, "schedqos.raise", "unknown raise \"sat\" (did you mean \"seat\"?)" },
	{ "{'a': {'enforce': 'program'}}", 1, 19, "a.enforce", "must be true or false, not a string" },
	/* conditions */
	{ "{'a': {'match': []}}", 1, 17, "a.match", "must be an object" },
	{ "{'a': {'match': {}}}", 1, 17, "a.match", "must not be empty" },
	{ "{'a': {'match': {'arg': 'x'}}}", 1, 18, "a.match.arg", "unknown key \"arg\" (did you mean \"argv\"?)" },
	{ "{'a': {'match': {'user_namespaces': 'any'}}}", 1, 18, "a.match.user_namespaces",
	  "unknown key \"user_namespaces\" (did you mean \"user_namespace\"?)" },
	{ "{'a': {'match': {'user_namespace': 'initail'}}}", 1, 36, "a.match.user_namespace",
	  "unknown user namespace \"initail\" (did you mean \"initial\"?)" },
	{ "{'a': {'match': {'user_namespace': '\u00fc\u00fc\u00fc'}}}", 1, 36, "a.match.user_namespace",
	  "must be initial or any" },
	{ "{'a': {'match': {'user_namespace': false}}}", 1, 36, "a.match.user_namespace", "not true or false" },
	{ "{'a': {'match': {'exe': 1}}}", 1, 25, "a.match.exe", "must be a string" },
	{ "{'a': {'match': {'exe': ''}}}", 1, 25, "a.match.exe", "must not be empty" },
	{ "{'a': {'match': {'argv': {}}}}", 1, 26, "a.match.argv",
	  "must be a string or a list of strings, not an object" },
	{ "{'a': {'match': {'argv': []}}}", 1, 26, "a.match.argv", "must not be empty" },
	{ "{'a': {'match': {'argv': ['x', 1]}}}", 1, 32, "a.match.argv[1]", "must be a string, not a number" },
	{ "{'a': {'match': {'cgroup': true}}}", 1, 28, "a.match.cgroup", "must be a string" },
	{ "{'a': {'match': {'user': ['root']}}}", 1, 26, "a.match.user",
	  "one user's name or number: write a list of rules" },
	{ "{'a': {'match': {'user': false}}}", 1, 26, "a.match.user", "must be a string" },
	{ "{'a': {'match': {'user': 4294967295}}}", 1, 26, "a.match.user", "must be between 0 and 4294967294" },
	{ "{'a': {'match': {'parent': null}}}", 1, 28, "a.match.parent",
	  "must be a string or a list of strings, not null" },
	{ "{'a': {'match': {'parent': []}}}", 1, 28, "a.match.parent", "must not be empty" },
	{ "{'a': {'match': {'parent': ['x', '']}}}", 1, 34, "a.match.parent[1]", "must not be empty" },
	/* groups */
	{ GROUPS("[]"), 1, 25, "schedqos.groups", "must be an object, not a list" },
	{ GROUPS("{'': {'max': 'QOS_UTILITY'}}"), 1, 26, "schedqos.groups[\"\"]", "a pattern must not be empty" },
	{ GROUPS("{'a': 'QOS_UTILITY'}"), 1, 31, "schedqos.groups.a", "must be an object, not a string" },
	{ GROUPS("{'a': {}}"), 1, 31, "schedqos.groups.a", "must not be empty" },
	{ GROUPS("{'a': {'max': 1}}"), 1, 39, "schedqos.groups.a.max", "must be the name of a class" },
	{ GROUPS("{'a': {'max': 'QOS_UTILTY'}}"), 1, 39, "schedqos.groups.a.max",
	  "unknown class \"QOS_UTILTY\" (did you mean \"QOS_UTILITY\"?)" },
	{ GROUPS("{'a': {'QOS_UTILTY': false}}"), 1, 32, "schedqos.groups.a.QOS_UTILTY",
	  "unknown class \"QOS_UTILTY\" (did you mean \"QOS_UTILITY\"?)" },
	{ GROUPS("{'a': {'QOS_UTILITY': null}}"), 1, 47, "schedqos.groups.a.QOS_UTILITY", "must be true or false" },
	{ GROUPS("{'a': {'maximum': 'QOS_UTILITY'}}"), 1, 32, "schedqos.groups.a.maximum",
	  "unknown key \"maximum\": must be \"max\" or the name of a class" },
	{ GROUPS("{'a': {'UTILITY': false}}"), 1, 32, "schedqos.groups.a.UTILITY", "unknown key \"UTILITY\"" },
	{ GROUPS("{'a': {'max': 'QOS_UTILITY'}, 'a': null}"), 1, 55, "schedqos.groups.a", "already defined at 1:26" },
	/* weights */
	{ WEIGHTS("7"), 1, 26, "schedqos.weights", "must be an object, not a number" },
	{ WEIGHTS("{'a.slice': 'QOS_UTILTY'}"), 1, 38, "schedqos.weights[\"a.slice\"]",
	  "unknown class \"QOS_UTILTY\" (did you mean \"QOS_UTILITY\"?)" },
	{ WEIGHTS("{'a.slice': 0}"), 1, 38, "schedqos.weights[\"a.slice\"]", "must be between 1 and 10000" },
	{ WEIGHTS("{'a.slice': 10001}"), 1, 38, "schedqos.weights[\"a.slice\"]", "must be between 1 and 10000" },
	{ WEIGHTS("{'a.slice': '50'}"), 1, 38, "schedqos.weights[\"a.slice\"]", "not a string, so without quotes" },
	{ WEIGHTS("{'a.slice': 1.5}"), 1, 38, "schedqos.weights[\"a.slice\"]", "must be a whole number" },
	{ WEIGHTS("{'a.slice': true}"), 1, 38, "schedqos.weights[\"a.slice\"]",
	  "must be the name of a class, or a number between 1 and 10000, not true" },
	{ WEIGHTS("{'a.slice': {}}"), 1, 38, "schedqos.weights[\"a.slice\"]", "must have a \"weight\"" },
	{ WEIGHTS("{'a.slice': {'weight': 1, 'when': 'seats'}}"), 1, 60, "schedqos.weights[\"a.slice\"].when",
	  "unknown condition \"seats\" (did you mean \"seat\"?)" },
	{ WEIGHTS("{'a.slice': {'weihgt': 1, 'weight': 1}}"), 1, 39, "schedqos.weights[\"a.slice\"].weihgt",
	  "unknown key \"weihgt\" (did you mean \"weight\"?)" },
	{ WEIGHTS("{'': 1}"), 1, 27, "schedqos.weights[\"\"]", "a pattern must not be empty" },
	{ WEIGHTS("{'user': 1}"), 1, 27, "schedqos.weights.user",
	  "can name no unit with tasks: a name ends with .service, .slice or .scope" },
	{ WEIGHTS("{'*.timer': 1}"), 1, 27, "schedqos.weights[\"*.timer\"]", "can name no unit with tasks" },
	{ WEIGHTS("{'user@.service': 1}"), 1, 27, "schedqos.weights[\"user@.service\"]", "write \"user@*.service\"" },
};

static const struct bad in_profiles[] = {
	{ "{'': {}}", 1, 2, "[\"\"]", "a profile needs a name" },
	{ "{'a': null}", 1, 7, "a", "must be an object, not null" },
	{ "{'a': {'debugf': {}}}", 1, 8, "a.debugf", "unknown key \"debugf\" (did you mean \"debugfs\"?)" },
	{ "{'a': {'debugfs': []}}", 1, 19, "a.debugfs", "must be an object" },
	{ "{'a': {'debugfs': {'..': 1}}}", 1, 20, "a.debugfs[\"..\"]", "must be a path beneath" },
	{ "{'a': {'debugfs': {'.': 1}}}", 1, 20, "a.debugfs[\".\"]", "must be a path beneath" },
	{ "{'a': {'debugfs': {'': 1}}}", 1, 20, "a.debugfs[\"\"]", "must be a path beneath" },
	{ "{'a': {'debugfs': {'x': true}}}", 1, 25, "a.debugfs.x",
	  "must be a string or a whole number, not true or false" },
	{ "{'a': {'debugfs': {'x': []}}}", 1, 25, "a.debugfs.x", "must not be empty" },
	{ "{'a': {'debugfs': {'x': [1, 1.5]}}}", 1, 29, "a.debugfs.x[1]", "must be a whole number" },
	{ "{'a': {'debugfs': {'x': ''}}}", 1, 25, "a.debugfs.x", "must not be empty" },
	{ "{'a': {'cpufreq': {'a/b': 1}}}", 1, 20, "a.cpufreq[\"a/b\"]", "must be a file's name, without a path" },
	{ "{'a': {'cpufreq': {'x': [1]}}}", 1, 25, "a.cpufreq.x", "must be a string or a whole number, not a list" },
	{ "{'a': {'cpufreq': {'x': '1\\n2'}}}", 1, 25, "a.cpufreq.x", "must be one line" },
	{ "{'a': {'sysctls': {}}}", 1, 8, "a.sysctls", "unknown key \"sysctls\" (did you mean \"sysctl\"?)" },
	{ "{'a': {'sysctl': {'kernel.x': [1]}}}", 1, 31, "a.sysctl[\"kernel.x\"]",
	  "must be a string or a whole number, not a list" },
	{ "{'a': {'sysctl': {'kernel/sched_x': 1}}}", 1, 19,
	  "a.sysctl[\"kernel/sched_x\"]", "must be a sysctl's name, without a path, such as kernel.sched_rt_runtime_us" },
	{ "{'a': {'sysctl': {'/proc/sys/vm/swappiness': 1}}}", 1, 19,
	  "a.sysctl[\"/proc/sys/vm/swappiness\"]", "must be a sysctl's name, without a path" },
	{ "{'a': {'sysctl': {'kernel': 1}}}", 1, 19, "a.sysctl.kernel",
	  "must be a sysctl's name, without a path, such as" },
	{ "{'a': {'sysctl': {'../x.y': 1}}}", 1, 19, "a.sysctl[\"../x.y\"]",
	  "must be a sysctl's name, without a path, such as" },
	{ "{'a': {'sysctl': {'a..b': 1}}}", 1, 19, "a.sysctl[\"a..b\"]",
	  "must be a sysctl's name, without a path, such as" },
	{ "{'a': {'sysctl': {'kernel.': 1}}}", 1, 19, "a.sysctl[\"kernel.\"]",
	  "must be a sysctl's name, without a path, such as" },
	{ "{'a': {'block': {'vda': 'bfq'}}}", 1, 25, "a.block.vda", "must be an object, not a string" },
	{ "{'a': {'block': {'scheduler': {}, '../x': {}}}}", 1, 35,
	  "a.block[\"../x\"]", "must be a glob of block devices' names" },
	{ "{'a': {'block': {'..': {}}}}", 1, 18, "a.block[\"..\"]", "must be a glob of block devices' names" },
	{ "{'a': {'block': {'vd*': {'iosched/x': 1}}}}", 1, 26,
	  "a.block[\"vd*\"][\"iosched/x\"]", "must be a file's name, without a path" },
	{ "{'a': {'block': {'vd*': {'scheduler': null}}}}", 1, 39,
	  "a.block[\"vd*\"].scheduler", "must be a string or a whole number, not null" },
};

/* Checks that the text has exactly this error. */
static void check_bad(enum config_kind kind, const struct bad *bad)
{
	struct config_file file = { .path = "f.json", .text = bad->text, .kind = kind };
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	if (getenv("EXAMPLES"))
		print_example(kind, bad);
	assert_int_equal(parse(&file, 1, &config, &errors), -EINVAL);
	assert_only(&errors, "f.json", bad, false);
	assert_null(config);
	config_errors_clear(&errors);
}

TEST(each_error_is_reported_at_its_place)
{
	static const struct {
		enum config_kind kind;
		const struct bad *cases;
		size_t n;
	} tables[] = {
		{ CONFIG_RULES, in_any, COUNT(in_any) },
		{ CONFIG_MAPPING, in_any, COUNT(in_any) },
		{ CONFIG_PRESET, in_any, COUNT(in_any) },
		{ CONFIG_PROFILES, in_any, COUNT(in_any) },
		{ CONFIG_RULES, in_classes, COUNT(in_classes) },
		{ CONFIG_MAPPING, in_classes, COUNT(in_classes) },
		{ CONFIG_PRESET, in_classes, COUNT(in_classes) },
		{ CONFIG_MAPPING, in_mappings, COUNT(in_mappings) },
		/* A preset has no other class to suggest. */
		{ CONFIG_PRESET, in_mappings + 1, COUNT(in_mappings) - 1 },
		{ CONFIG_RULES, in_rules, COUNT(in_rules) },
		{ CONFIG_PROFILES, in_profiles, COUNT(in_profiles) },
	};

	for (size_t i = 0; i < COUNT(tables); i++) {
		for (size_t k = 0; k < tables[i].n; k++)
			check_bad(tables[i].kind, &tables[i].cases[k]);
	}
}

/* An earlier file may contradict a later one: the error is reported at the later one. */
TEST(contradictions_between_files_are_reported_at_the_later_file)
{
	static const struct bad cases[] = {
		{ "{'QOS_DL': {'sched_deadline': 1500}}", 1, 31, "QOS_DL.sched_deadline",
		  "sched_runtime 2000 is longer than sched_deadline 1500" },
		{ "{'QOS_DL': {'sched_period': 2500}}", 1, 29, "QOS_DL.sched_period",
		  "sched_deadline 3000 is longer than sched_period 2500" },
		{ "{'QOS_DL': {'sched_runtime': null}}", 1, 30, "QOS_DL.sched_runtime", "needs a sched_runtime" },
		{ "{'QOS_MIN': {'sched_util_max': 99}}", 1, 32, "QOS_MIN.sched_util_max",
		  "sched_util_min 100 is greater than sched_util_max 99" },
		{ "{'QOS_RT': {'sched_priority': null}}", 1, 31, "QOS_RT.sched_priority", "needs a sched_priority" },
		{ "{'QOS_RT': {'sched_nice': 1}}", 1, 27, "QOS_RT.sched_nice", "SCHED_FIFO has no sched_nice" },
		{ "{'QOS_IO': {'io_class': 'realtime'}}", 1, 25, "QOS_IO.io_class", "io_class realtime needs an io_priority" },
		{ "{'QOS_RT': {'io_priority': 1}}", 1, 28, "QOS_RT.io_priority", "io_class idle has no io_priority" },
	};

	for (size_t i = 0; i < COUNT(cases); i++) {
		struct config_file files[] = {
			MAPPING("{'QOS_DL': {" DL ", 'sched_runtime': 2000, 'sched_deadline':"
				" 3000}, 'QOS_MIN': {'sched_util_min': 100},"
				" 'QOS_IO': {'io_class': 'best-effort', 'io_priority': 3},"
				" 'QOS_RT': {'io_class': 'idle', " FIFO "}}"),
			RULES(cases[i].text),
		};
		struct config_errors errors = { 0 };
		struct config *config = NULL;

		assert_int_equal(parse(files, 2, &config, &errors), -EINVAL);
		assert_only(&errors, "rules.json", &cases[i], false);
		config_errors_clear(&errors);
	}
}

/* A name in debugfs may have folders, but must not lead out of the tree. */
TEST(paths_in_debugfs_do_not_lead_out_of_it)
{
	static const char *const bad[] = {
		"../x", "a/../x", "a/..", "./x", "a/./x", "a/.", "/x", "/", "a//x", "a/", "//", "a/b/../../../x",
		"/etc/passwd", "/sys/kernel/debug/sched", "/sys/kernel/debug/sched/x", "features HRTICK",
	};
	char text[1024], where[512], long_name[300];
	struct bad one = { text, 2, 3, where, "beneath /sys/kernel/debug/sched, such as llc_balancing/enabled" };

	for (size_t i = 0; i < COUNT(bad); i++) {
		snprintf(text, sizeof(text), "{'a': {'debugfs': {\n  '%s': 1}}}", bad[i]);
		snprintf(where, sizeof(where), "a.debugfs[\"%s\"]", bad[i]);
		check_bad(CONFIG_PROFILES, &one);
	}
	/* No file system has names longer than 255 bytes. */
	memset(long_name, 'x', sizeof(long_name));
	long_name[256] = '\0';
	snprintf(text, sizeof(text), "{'a': {'debugfs': {\n  'a/%s': 1}}}", long_name);
	snprintf(where, sizeof(where), "a.debugfs[\"a/%s\"]", long_name);
	check_bad(CONFIG_PROFILES, &one);
}
