/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Specifies what a configuration may say, and what it means. Each example lists the items in which its files differ
 * from no file at all, with the place of each. Its printed form must have the same meaning.
 */
#include <schedqos/util/text.h>

#include "config_case.h"

#define ANNOUNCEMENT \
	"{\n" \
	"'QOS_USER_INTERACTIVE': {'sched_policy': 'SCHED_NORMAL', 'sched_nice': -4, 'sched_runtime': " \
	"8000000, 'sched_util_max': 1024},\n" \
	"'QOS_USER_INITIATED': {'sched_policy': 'SCHED_NORMAL', 'sched_nice': -2, 'sched_runtime': " \
	"12000000, 'sched_util_max': 768},\n" \
	"'QOS_UTILITY': {'sched_policy': 'SCHED_BATCH', 'sched_nice': 2, 'sched_runtime': 16000000, " \
	"'sched_util_max': 512},\n" \
	"'QOS_BACKGROUND': {'sched_policy': 'SCHED_BATCH', 'sched_nice': 4, 'sched_runtime': 20000000, " \
	"'sched_util_max': 256},\n" \
	"'QOS_DEFAULT': {'sched_policy': 'SCHED_BATCH', 'sched_nice': 2, 'sched_runtime': 16000000, " \
	"'sched_util_max': 512}}"

static const struct example {
	const char *name;
	struct config_file files[FILES_MAX];
	const char *means; /* a line for each difference, with the value in force */
} examples[] = {
	{ "nothing", { { 0 } },
	  "" },
	{ "the announcement: a process",
	  { RULES("{\n"
	      "'chrome': {\n"
	      "'qos': 'QOS_USER_INTERACTIVE'\n"
	      "},\n"
	      "'gcc': {\n"
	      "'qos': 'QOS_BACKGROUND'\n"
	      "}\n"
	      "}\n") },
	  "+rule chrome { 'qos': 'QOS_USER_INTERACTIVE' } # rules.json:2:1\n"
	  "+rule gcc { 'qos': 'QOS_BACKGROUND' } # rules.json:5:1\n" },
	{ "the announcement: threads",
	  { RULES("{\n"
	      "'chrome': {\n"
	      "'thread_qos': {\n"
	      "'chrome': 'QOS_USER_INTERACTIVE',\n"
	      "'some_bg_task': 'QOS_BACKGROUND'\n"
	      "}\n"
	      "}\n"
	      "}\n") },
	  "+rule chrome { 'thread_qos': { 'chrome': 'QOS_USER_INTERACTIVE', 'some_bg_task': 'QOS_BACKGROUND' "
	  "} } # rules.json:2:1\n" },
	{ "the announcement: the mapping, as either file", { MAPPING(ANNOUNCEMENT), RULES(ANNOUNCEMENT) },
	  "" },
	{ "a comment, a schema, a byte order mark", { RULES("\357\273\277// one\n{'$schema': 'x', /* two */ 'a': {}}") },
	  "+rule a {} # rules.json:2:28\n" },
	{ "a class is overridden in part",
	  { MAPPING("{'QOS_UTILITY': {'sched_nice': 3}}"),
	    RULES("{'QOS_UTILITY': {'sched_util_max': 600}}") },
	  "~class QOS_UTILITY { 'sched_policy': 'SCHED_BATCH', 'sched_nice': 3, 'sched_runtime': 16000000, "
	  "'sched_util_max': 600 } # rules.json:1:2\n" },
	{ "a class of a new name, used before it is defined",
	  { RULES("{'make': {'qos': 'QOS_BUILD_2'}}"),
	    RULES("{\n"
	      "'QOS_BUILD_2': {'sched_nice': 19}}") },
	  "+class QOS_BUILD_2 { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': 19 } # rules.json:2:1\n"
	  "+rule make { 'qos': 'QOS_BUILD_2' } # rules.json:1:2\n" },
	{ "every policy, and the limits of its values",
	  { RULES("{'QOS_A': {'sched_policy': 'SCHED_OTHER', 'sched_priority': 0}, 'QOS_B': {'sched_policy': "
	      "'SCHED_IDLE', 'sched_runtime': 0},\n"
	      "'QOS_C': {'sched_policy': 'SCHED_FIFO', 'sched_priority': 99},\n"
	      "'QOS_D': {'sched_policy': 'SCHED_RR', 'sched_priority': 1, 'sched_util_min': 1024},\n"
	      "'QOS_E': {'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 1024, 'sched_deadline': "
	      "9223372036854775807, 'sched_period': 9223372036854775807},\n"
	      "'QOS_F': {'sched_policy': 'SCHED_BATCH', 'sched_runtime': 100000000}, 'QOS_G': "
	      "{'sched_util_min': 5, 'sched_util_max': 5}}") },
	  "+class QOS_A { 'sched_policy': 'SCHED_NORMAL', 'sched_priority': 0 } # rules.json:1:2\n"
	  "+class QOS_B { 'sched_policy': 'SCHED_IDLE', 'sched_runtime': 0 } # rules.json:1:65\n"
	  "+class QOS_C { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 99 } # rules.json:2:1\n"
	  "+class QOS_D { 'sched_policy': 'SCHED_RR', 'sched_priority': 1, 'sched_util_min': 1024 } # rules.json:3:1\n"
	  "+class QOS_E { 'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 1024, 'sched_deadline': "
	  "9223372036854775807, 'sched_period': 9223372036854775807 } # rules.json:4:1\n"
	  "+class QOS_F { 'sched_policy': 'SCHED_BATCH', 'sched_runtime': 100000000 } # rules.json:5:1\n"
	  "+class QOS_G { 'sched_policy': 'SCHED_NORMAL', 'sched_util_min': 5, 'sched_util_max': 5 } # rules.json:5:71\n" },
	{ "made real-time, a class drops what is fair",
	  { RULES("{'QOS_USER_INTERACTIVE': {'sched_policy': 'SCHED_FIFO', 'sched_priority': 3}}") },
	  "~class QOS_USER_INTERACTIVE { 'sched_policy': 'SCHED_FIFO', 'sched_priority': 3, 'sched_util_max': "
	  "1024 } # rules.json:1:2\n" },
	{ "another fair policy keeps all", { RULES("{'QOS_UTILITY': {'sched_policy': 'SCHED_IDLE'}}") },
	  "~class QOS_UTILITY { 'sched_policy': 'SCHED_IDLE', 'sched_nice': 2, 'sched_runtime': 16000000, "
	  "'sched_util_max': 512 } # rules.json:1:2\n" },
	{ "another real-time policy keeps the priority",
	  { RULES("{'QOS_A': {'sched_policy': 'SCHED_FIFO', 'sched_priority': 5, 'sched_util_max': 8}}"),
	    RULES("{\n"
	      "'QOS_A': {'sched_policy': 'SCHED_RR'}}") },
	  "+class QOS_A { 'sched_policy': 'SCHED_RR', 'sched_priority': 5, 'sched_util_max': 8 } # rules.json:2:1\n" },
	{ "SCHED_DEADLINE keeps nothing",
	  { RULES("{'QOS_A': {'sched_nice': 3, 'sched_runtime': 2000000, 'sched_util_max': 8}}"),
	    RULES("{'QOS_A': {'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 1000000, 'sched_deadline': 5000000}}") },
	  "+class QOS_A { 'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 1000000, 'sched_deadline': 5000000 } "
	  "# rules.json:1:2\n" },
	{ "nor is anything kept of it",
	  { RULES("{'QOS_A': {'sched_policy': 'SCHED_DEADLINE', 'sched_runtime': 1000000, 'sched_deadline': 5000000}}"),
	    RULES("{'QOS_A': {'sched_policy': 'SCHED_NORMAL'}}") },
	  "+class QOS_A { 'sched_policy': 'SCHED_NORMAL' } # rules.json:1:2\n" },
	{ "null takes an attribute away", { RULES("{'QOS_UTILITY': {'sched_util_max': null, 'sched_period': null}}") },
	  "~class QOS_UTILITY { 'sched_policy': 'SCHED_BATCH', 'sched_nice': 2, 'sched_runtime': 16000000, "
	  "'sched_util_max': null } # rules.json:1:2\n" },
	{ "an I/O class and its level",
	  { RULES("{'QOS_UTILITY': {'io_class': 'best-effort', 'io_priority': 6}, 'QOS_BACKGROUND': {'io_class': 'idle'},\n"
	      "'QOS_A': {'io_class': 'realtime', 'io_priority': 7}, 'QOS_B': {'io_class': 'none'}, "
	      "'QOS_C': {'io_class': 'best-effort'}}") },
	  "+class QOS_A { 'sched_policy': 'SCHED_NORMAL', 'io_class': 'realtime', 'io_priority': 7 } # rules.json:2:1\n"
	  "+class QOS_B { 'sched_policy': 'SCHED_NORMAL', 'io_class': 'none' } # rules.json:2:54\n"
	  "~class QOS_BACKGROUND { 'sched_policy': 'SCHED_BATCH', 'sched_nice': 4, 'sched_runtime': 20000000, "
	  "'sched_util_max': 256, 'io_class': 'idle' } # rules.json:1:64\n"
	  "+class QOS_C { 'sched_policy': 'SCHED_NORMAL', 'io_class': 'best-effort' } # rules.json:2:85\n"
	  "~class QOS_UTILITY { 'sched_policy': 'SCHED_BATCH', 'sched_nice': 2, 'sched_runtime': 16000000, "
	  "'sched_util_max': 512, 'io_class': 'best-effort', 'io_priority': 6 } # rules.json:1:2\n" },
	{ "a level is overridden alone, or taken away",
	  { RULES("{'QOS_A': {'io_class': 'best-effort', 'io_priority': 6}, 'QOS_B': {'io_class': 'best-effort', "
	      "'io_priority': 6}}"),
	    RULES("{\n"
	      "'QOS_A': {'io_priority': 0}, 'QOS_B': {'io_priority': null}}") },
	  "+class QOS_A { 'sched_policy': 'SCHED_NORMAL', 'io_class': 'best-effort', 'io_priority': 0 } # rules.json:2:1\n"
	  "+class QOS_B { 'sched_policy': 'SCHED_NORMAL', 'io_class': 'best-effort' } # rules.json:2:30\n" },
	{ "another I/O class drops the level, none both",
	  { RULES("{'QOS_A': {'io_class': 'best-effort', 'io_priority': 6}, 'QOS_B': {'io_class': 'best-effort', "
	      "'io_priority': 6}}"),
	    RULES("{\n"
	      "'QOS_A': {'io_class': 'idle'}, 'QOS_B': {'io_class': null}}") },
	  "+class QOS_A { 'sched_policy': 'SCHED_NORMAL', 'io_class': 'idle' } # rules.json:2:1\n"
	  "+class QOS_B { 'sched_policy': 'SCHED_NORMAL' } # rules.json:2:32\n" },
	{ "a preset rests unless it is asked for",
	  { PRESET("laptop", "{'QOS_UTILITY': {'sched_nice': 9}, 'QOS_LAP': {'sched_nice': 1}}"),
	    RULES("{}") },
	  "" },
	{ "a preset replaces whole classes, wherever it is in the list",
	  { RULES("{'QOS_LAP': {'sched_util_max': 8}, 'QOS_UTILITY': {'sched_nice': 10}, 'QOS_MINE': {}}"),
	    RULES("{'QOS_LAP': {'sched_runtime': 200000},\n"
	      "'schedqos': {'mapping': 'laptop'}}"),
	    PRESET("laptop", "{'QOS_UTILITY': {'sched_nice': 9}, 'QOS_LAP': {'sched_nice': 1}}") },
	  "+class QOS_LAP { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': 1, 'sched_runtime': 200000 } # rules.json:1:2\n"
	  "+class QOS_MINE { 'sched_policy': 'SCHED_NORMAL' } # rules.json:1:71\n"
	  "~class QOS_UTILITY { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': 9, 'sched_runtime': null, "
	  "'sched_util_max': null } # mappings/laptop.json:1:2\n" },
	{ "the announcement is a preset",
	  { MAPPING("{'QOS_UTILITY': {'sched_nice': 10}}"),
	    RULES("{'schedqos': {'mapping': 'announcement'}}") },
	  "" },
	{ "of two presets of a name the later one counts",
	  { PRESET("announcement", "{'QOS_UTILITY': {'sched_nice': 11}}"),
	    PRESET("announcement", "{\n"
	      "'QOS_UTILITY': {'sched_nice': 12}}"),
	    RULES("{'schedqos': {'mapping': 'announcement'}}") },
	  "~class QOS_UTILITY { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': 12, 'sched_runtime': null, "
	  "'sched_util_max': null } # mappings/announcement.json:2:1\n" },
	{ "other settings of a later file leave a mapping in force",
	  { PRESET("laptop", "{'QOS_UTILITY': {'sched_nice': 9}, 'QOS_LAP': {'sched_nice': 1}}"),
	    RULES("{\n"
	      "'schedqos': {'mapping': 'laptop'}}"),
	    RULES("{'schedqos': {'default': 'none'}}") },
	  "~setting default 'none'\n"
	  "+class QOS_LAP { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': 1 } # mappings/laptop.json:1:36\n"
	  "~class QOS_UTILITY { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': 9, 'sched_runtime': null, "
	  "'sched_util_max': null } # mappings/laptop.json:1:2\n" },
	{ "an option goes before all",
	  { PRESET("laptop", "{'QOS_UTILITY': {'sched_nice': 9}, 'QOS_LAP': {'sched_nice': 1}}"),
	    RULES("{'schedqos': {'mapping': 'laptop'}}"),
	    RULES("{'QOS_UTILITY': {'sched_nice': 10}}"),
	    CHOICE("announcement") },
	  "+class QOS_LAP { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': 1 } # mappings/laptop.json:1:36\n" },
	{ "settings add up key by key",
	  { RULES("{'schedqos': {'sched_profile': 'throughput', 'default': 'all', 'log': 'debug'}}"),
	    RULES("{'schedqos': {'default': 'none', 'autogroup': 'keep'}}") },
	  "~setting autogroup 'keep'\n"
	  "~setting default 'none'\n"
	  "+setting log 'debug'\n"
	  "~setting sched_profile 'throughput'\n" },
	{ "settings may say what holds already, and no profile",
	  { RULES("{'schedqos': {'sched_profile': null, 'log': 'error', 'autogroup': 'off', 'default': 'pristine'}}") },
	  "+setting log 'error'\n"
	  "~setting sched_profile null\n" },
	{ "what classes use is counted",
	  { RULES("{'schedqos': {'accounting': true}}") },
	  "+setting accounting true\n" },
	{ "the focus is of no account",
	  { RULES("{'schedqos': {'focus': 'QOS_LATER'}, 'QOS_LATER': {'sched_nice': 1}}"),
	    RULES("{'schedqos': {'focus': null}}") },
	  "~setting focus null\n"
	  "+class QOS_LATER { 'sched_policy': 'SCHED_NORMAL', 'sched_nice': 1 } # rules.json:1:38\n" },
	{ "groups add up pattern by pattern",
	  { RULES("{'schedqos': {'groups': {'a': {'max': 'QOS_UTILITY'}, 'b': {'max': 'QOS_UTILITY'}, 'c': "
	      "{'QOS_UTILITY': false}}}}"),
	    RULES("{'schedqos': {'groups': {'b': {'QOS_LATER': false, 'QOS_UTILITY': true}, 'c': null, '/a b': "
	      "{'max': 'QOS_LATER'}}}, 'QOS_LATER': {}}") },
	  "+setting groups { 'a': { 'max': 'QOS_UTILITY' }, 'b': { 'QOS_LATER': false, 'QOS_UTILITY': true "
	  "}, '/a b': { 'max': 'QOS_LATER' } }\n"
	  "+class QOS_LATER { 'sched_policy': 'SCHED_NORMAL' } # rules.json:1:117\n" },
	{ "weights add up pattern by pattern, the first that holds first",
	  { RULES("{'schedqos': {'weights': {'a.slice': 1, 'b-*': 'QOS_UTILITY', 'c.scope': 10000}}}"),
	    RULES("{'schedqos': {'weights': {'a.slice': {'when': 'seat', 'weight': 'QOS_LATER'}, 'c.scope': null, "
	      "'d@*.service': {'weight': 50}, 'e-[0-9]': 7}, 'user_weights': {'a.slice': 500}}, 'QOS_LATER': {}}") },
	  "+setting user_weights { 'a.slice': 500 }\n"
	  "+setting weights { 'a.slice': { 'weight': 'QOS_LATER', 'when': 'seat' }, 'd@*.service': 50, "
	  "'e-[0-9]': 7, 'b-*': 'QOS_UTILITY' }\n"
	  "+class QOS_LATER { 'sched_policy': 'SCHED_NORMAL' } # rules.json:1:177\n" },
	{ "a profile's values are as they were written",
	  { PROFILES("{'mine': {'debugfs': {'base_slice_ns': 3000000,\n"
	      "'features': ['NO_HRTICK', 'NEXT_BUDDY', 7], 'llc_balancing/enabled': 1, 'a/..b/c...': ['x', 'y']},\n"
	      "'cpufreq': {'scaling_governor': 'schedutil', 'energy': 'schedutil', 'big': 9223372036854775807}}}") },
	  "+profile mine { 'debugfs': { 'base_slice_ns': '3000000', 'features': [ 'NO_HRTICK', "
	  "'NEXT_BUDDY', '7' ], 'llc_balancing/enabled': '1', 'a/..b/c...': [ 'x', 'y' ] }, 'cpufreq': "
	  "{ 'scaling_governor': 'schedutil', 'energy': 'schedutil', 'big': '9223372036854775807' } } # profiles.json:1:2\n" },
	{ "a profile with sysctls and block devices",
	  { PROFILES("{'mine': {'sysctl': {'kernel.sched_rt_period_us': 9},\n"
	      "'block': {'vd*': {'scheduler': 'bfq', 'nr_requests': 64}, 'sda': {'scheduler': 'none'}, 'none': {}}}}") },
	  "+profile mine { 'sysctl': { 'kernel.sched_rt_period_us': '9' }, 'block': { 'vd*': { "
	  "'scheduler': 'bfq', 'nr_requests': '64' }, 'sda': { 'scheduler': 'none' } } } # profiles.json:1:2\n" },
	{ "a profile of a later file replaces",
	  { PROFILES("{'qos': {'debugfs': {'a': 1, 'b': 2}}}"),
	    PROFILES("{\n"
	      "'qos': {'cpufreq': {'c': 3}}, 'none': {}}"),
	    RULES("{'schedqos': {'sched_profile': 'none'}}") },
	  "~setting sched_profile 'none'\n"
	  "+profile none {} # profiles.json:2:31\n"
	  "~profile qos { 'cpufreq': { 'c': '3' } } # profiles.json:2:1\n" },
	{ "all keys of a rule",
	  { RULES("{'/opt/x/*': {'qos': 'QOS_UTILITY', 'period': 8000000, 'version': '\\'1.2\\\\', 'inherit': "
	      "true, 'enforce': true,\n"
	      "'match': {'exe': '/opt/*', 'argv': ['-j*', 'all'], 'cgroup': '/x*', 'user': 'alice', "
	      "'parent': 'make', 'user_namespace': 'initial'}}}") },
	  "+rule /opt/x/* { 'qos': 'QOS_UTILITY', 'period': 8000000, 'version': '\\'1.2\\\\', 'inherit': "
	  "true, 'enforce': true, 'match': { 'exe': '/opt/*', 'argv': [ '-j*', 'all' ], 'cgroup': "
	  "'/x*', 'user': 'alice', 'parent': 'make', 'user_namespace': 'initial' } } # rules.json:1:2\n" },
	{ "whether a rule yields, or says nothing of it",
	  { RULES("{'unsaid': {'qos': 'QOS_UTILITY', 'enforce': false}, 'yes': {'yield': true}, 'no': "
	      "{'yield': false, 'enforce': true}}") },
	  "+rule no { 'enforce': true, 'yield': false } # rules.json:1:78\n"
	  "+rule unsaid { 'qos': 'QOS_UTILITY' } # rules.json:1:2\n"
	  "+rule yes { 'yield': true } # rules.json:1:54\n" },
	{ "whether a rule hands on nothing, and several parents",
	  { RULES("{'x': {'inherit': false, 'match': {'parent': ['a', 'b']}}, 'y': {'match': {'parent': ['a']}}}") },
	  "+rule x { 'inherit': false, 'match': { 'parent': [ 'a', 'b' ] } } # rules.json:1:2\n"
	  "+rule y { 'match': { 'parent': 'a' } } # rules.json:1:60\n" },
	{ "short forms of a match",
	  { RULES("{'x': {'match': {'argv': '-v', 'user': 4294967294}}, 'y': {'match': {'user': 'root', "
	      "'user_namespace': 'any'}}}") },
	  "+rule x { 'match': { 'argv': [ '-v' ], 'user': 4294967294 } } # rules.json:1:2\n"
	  "+rule y { 'match': { 'user': 'root', 'user_namespace': 'any' } } # rules.json:1:54\n" },
	{ "what stays while it is hidden", { RULES("{'x': {'qos': 'QOS_UTILITY', 'hidden': 'keep'}}") },
	  "+rule x { 'qos': 'QOS_UTILITY', 'hidden': 'keep' } # rules.json:1:2\n" },
	{ "whom rules raise, by themselves and by a setting of their file",
	  { RULES("{'schedqos': {'raise': 'seat'}, 'x': {}, 'y': {'raise': 'all'}}"), RULES("{'z': {}}") },
	  "+rule x { 'raise': 'seat' } # rules.json:1:33\n"
	  "+rule y { 'raise': 'all' } # rules.json:1:42\n"
	  "+rule z {} # rules.json:1:2\n" },
	{ "a list of rules",
	  { RULES("{'java': [\n"
	      "{'match': {'argv': '*ide*'}, 'qos': 'QOS_UTILITY'},\n"
	      "{'qos': 'QOS_BACKGROUND'}]}") },
	  "+rule java [ { 'qos': 'QOS_UTILITY', 'match': { 'argv': [ '*ide*' ] } }, { 'qos': "
	  "'QOS_BACKGROUND' } ] # rules.json:2:1\n" },
	{ "a rule of a later file replaces",
	  { RULES("{'a': {'qos': 'QOS_UTILITY', 'enforce': true}}"),
	    RULES("{\n"
	      "'a': {'qos': 'QOS_BACKGROUND'}}") },
	  "+rule a { 'qos': 'QOS_BACKGROUND' } # rules.json:2:1\n" },
	{ "null masks", { RULES("{'a': {'qos': 'QOS_UTILITY'}, 'b': {}}"), RULES("{'a': null, 'never was': null}") },
	  "+rule b {} # rules.json:1:31\n" },
	{ "any characters",
	  { RULES("{'q\\'\\n\\u0085\\u00e9\\u202e\360\237\230\200\\udb40\\udc01': {'thread_qos': {'z': 'QOS_UTILITY', "
	      "'a?': 'QOS_DEFAULT'}}}") },
	  "+rule q'\\n\\xc2\\x85\303\251\\xe2\\x80\\xae\360\237\230\200\\xf3\\xa0\\x80\\x81 { 'thread_qos': { "
	  "'z': 'QOS_UTILITY', 'a?': 'QOS_DEFAULT' } } # rules.json:1:2\n" },
};

static void note(void *context, const struct config_change *change)
{
	const char sign = !*change->before ? '+' : !*change->after ? '-' : '~';

	text_buf_printf(context, "%c%s %s%s%s%s%s\n", sign, change->kind, change->name, *change->after ? " " : "", change->after,
			*change->place ? " # " : "", change->place);
}

/* Returns the differences, with ' for ", and their number. */
static char *diff(const struct config *before, const struct config *after, struct config_diff *ret_counts)
{
	struct text_buf text = { 0 };
	char *taken;

	assert_int_equal(config_diff(before, after, note, &text, ret_counts), 0);
	taken = text_buf_take(&text);
	assert_non_null(taken);
	for (char *c = taken; (c = strchr(c, '"'));)
		*c = '\'';
	return taken;
}

/* Checks that the configuration, printed and read again, is the same, as the daemon's answer has to be. */
static void check_print(const char *name, const struct config *config)
{
	char *rules = config_print(config, true), *profiles = config_print_profiles(config), *found, *second;
	struct config *again = GOOD(PROFILES(profiles), RULES(rules));
	struct config_diff counts;

	found = diff(config, again, &counts);
	second = config_print(again, true);
	if (*found || strcmp(rules, second) != 0)
		fail_msg("%s: printed and read again, it differs: %s", name, found);
	free(second);
	free(found);
	free(rules);
	free(profiles);
	config_free(again);
}

TEST(every_example_means_what_it_says)
{
	struct config *nothing = parse_good(NULL, 0);

	for (const struct example *example = examples; example < examples + COUNT(examples); example++) {
		struct config_diff counts;
		struct config *config = parse_good(example->files, FILES_MAX);
		char *found = diff(nothing, config, &counts);

		if (strcmp(found, example->means) != 0)
			fail_msg("%s: means\n%sand not\n%s", example->name, found, example->means);
		check_print(example->name, config);
		free(found);
		config_free(config);
	}
	config_free(nothing);
	config_free(NULL);
}

/* ---- checks beyond the examples ---- */

TEST(without_files_the_built_in_configuration_is_in_force)
{
	struct config *config = parse_good(NULL, 0);

	assert_int_equal(config->n_classes, QOS_BUILTIN_COUNT);
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++) {
		const struct qos_class *class = qos_class_find(config->classes, config->n_classes, qos_builtin[i].name);

		assert_non_null(class);
		assert_true(qos_attr_equal(&class->attr, &qos_builtin[i].attr));
		/* The highest class comes first. */
		assert_true(i == 0 || class_compare(&config->classes[i - 1], &config->classes[i]) <= 0);
	}
	assert_int_equal(config->n_profiles, PROFILE_BUILTIN_COUNT);
	assert_int_equal(config->rules->n_lists, 0);
	assert_string_equal(config->settings.sched_profile, "qos");
	assert_int_equal(config->settings.default_mode, DEFAULT_PRISTINE);
	assert_true(config->settings.autogroup_off);
	config_free(config);
}

static void check_mapping(struct config *config, const char *name, const char *want)
{
	char *place = config_mapping_place(config);

	assert_string_equal(config->settings.mapping, name);
	assert_string_equal(place, want);
	free(place);
	config_free(config);
}

#define LAPTOP PRESET("laptop", "{'QOS_UTILITY': {'sched_nice': 9}}")

TEST(the_place_that_names_the_mapping_is_reported)
{
	check_mapping(GOOD(LAPTOP), "announcement", "built in");
	check_mapping(GOOD(LAPTOP, RULES("{\n'schedqos': {'mapping': 'laptop'}}"), RULES("{'schedqos': {'default': 'none'}}")),
		      "laptop", "rules.json:2:25");
	check_mapping(GOOD(LAPTOP, RULES("{'schedqos': {'mapping': 'laptop'}}"), CHOICE("announcement")), "announcement",
		      "--mapping");
}

TEST(differences_are_counted)
{
	struct config *before = GOOD(RULES("{'a': {'qos': 'QOS_UTILITY'}, 'b': {}, 'z': {}}"));
	struct config *after = GOOD(RULES("{'a': {'period': 5000}, // other\n'b': {}, 'c\\n': {}, 'schedqos': {'log': 'debug'},"
					  "'QOS_UTILITY': {'sched_nice': 3}}"),
				    PROFILES("{'mine': {}}"));
	struct config_diff counts;
	char *found = diff(before, after, &counts);

	assert_int_equal(counts.added, 1);
	assert_int_equal(counts.removed, 1);
	assert_int_equal(counts.changed, 1);
	assert_int_equal(counts.others, 3);
	assert_non_null(strstr(found, "\n-rule z # rules.json:1:40\n"));
	assert_non_null(strstr(found, "\n+rule c\\n {} # rules.json:2:10\n"));
	free(found);
	config_free(before);
	config_free(after);
}

TEST(the_printed_form_is_readable)
{
	static const char want[] = "{\n"
				   "\t\"schedqos\": {\n"
				   "\t\t\"sched_profile\": null,\n"
				   "\t\t\"default\": \"all\",\n"
				   "\t\t\"autogroup\": \"off\",\n"
				   "\t\t\"focus\": \"QOS_USER_INITIATED\"\n"
				   "\t},\n"
				   "\t\"QOS_USER_INTERACTIVE\": {\n"
				   "\t\t\"sched_policy\": \"SCHED_FIFO\",\n"
				   "\t\t\"sched_priority\": 7,\n"
				   "\t\t\"sched_util_max\": 1024\n"
				   "\t},\n";
	struct config *config = GOOD(RULES("{\"QOS_USER_INTERACTIVE\": {\"sched_policy\": \"SCHED_FIFO\", \"sched_priority\": 7},\n"
					   "\"schedqos\": {\"sched_profile\": null, \"default\": \"all\"}, \"app\": [{\"match\": {\"user\": 0}}, {}]}"));
	char *text = config_print(config, true);

	assert_memory_equal(text, want, strlen(want));
	assert_non_null(strstr(text, "\"from\": \"rules.json:2:64\",\n\t\t\t\"match\""));
	assert_non_null(strstr(text, "\"from\": \"rules.json:2:88\"\n"));
	free(text);
	config_free(config);
}

/* Of equally good globs, the one in the later file wins. It must still win after all were printed into one file. */
TEST(the_printed_form_keeps_the_order_of_globs)
{
	struct config *config = GOOD(RULES("{'ab*': {'qos': 'QOS_UTILITY'}}"), RULES("{'a*c': {'qos': 'QOS_BACKGROUND'}}"));
	char *text = config_print(config, false);
	struct config *again = GOOD(RULES(text));
	struct facts facts = {
		.have = FACT_EXE | FACT_ARGV | FACT_COMM,
		.exe = "/bin/abc",
		.argv = "abc",
		.argv_size = 4,
		.comm = "abc",
	};
	int error;

	assert_string_equal(rules_match(config->rules, &facts, &error)->pattern, "a*c");
	assert_string_equal(rules_match(again->rules, &facts, &error)->pattern, "a*c");
	free(text);
	config_free(config);
	config_free(again);
}

TEST(profiles_are_equal_if_they_set_the_same_knobs)
{
	static const char *const variants[] = {
		"{'p': {'block': {'a': {'f': 1}}}}",
		"{'p': {'block': {'b': {'f': 1}}}}",
		"{'p': {'block': {'a': {'g': 1}}}}",
		"{'p': {'block': {'a': {'f': 2}}}}",
		"{'p': {'cpufreq': {'f': 1}}}",
		"{'p': {'debugfs': {'f': [1, 1]}}}",
		"{'p': {}}",
		"{'q': {'block': {'a': {'f': 1}}}}",
	};

	for (size_t i = 0; i < COUNT(variants) * COUNT(variants); i++) {
		const size_t first = i / COUNT(variants), second = i % COUNT(variants);
		struct config *a = GOOD(PROFILES(variants[first])), *b = GOOD(PROFILES("{}"), PROFILES(variants[second]));

		/* The same profile in another file is equal. */
		assert_int_equal(sched_profile_equal(&a->profiles[PROFILE_BUILTIN_COUNT],
						     &b->profiles[PROFILE_BUILTIN_COUNT]),
				 first == second);
		config_free(a);
		config_free(b);
	}
	assert_true(sched_profile_equal(NULL, NULL));
	assert_false(sched_profile_equal(NULL, &profile_builtin[0]));
	assert_false(sched_profile_equal(&profile_builtin[0], NULL));
}
