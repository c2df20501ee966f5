/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies that all errors are reported, in order and safe for a terminal, and the limits of a configuration. */
#include <errno.h>

#include "config_case.h"

static const struct {
	struct config_file files[FILES_MAX];
	const char *want; /* all errors, one per line, with ' for " */
} reports[] = {
	/* Errors are in the order of files and places, although presets are read first and names are looked up last. */
	{ { { .path = "1",
	      .text = "{'a': {'qos': 'QOS_LATE', 'x': 1},\n'b': {'qos': 'QOS_NO'},\n'schedqos': {'sched_profile': 'late', 'log': 1}}" },
	    { .path = "2", .text = "{'QOS_LATE': {}\n\n,," },
	    { .path = "3", .text = "{'QOS_X': {'y': 1}}", .kind = CONFIG_PRESET },
	    { .path = "4", .text = "{'QOS_LATE': {'sched_nice': 99}, 'c': []}" } },
	  "1:1:27: a.x: unknown key 'x': must be qos, thread_qos, period, version, inherit, enforce, hidden, yield, raise, match or from\n"
	  "1:2:14: b.qos: unknown class 'QOS_NO': must be QOS_USER_INTERACTIVE, QOS_USER_INITIATED, QOS_UTILITY, QOS_BACKGROUND, "
	  "QOS_DEFAULT or QOS_LATE\n"
	  "1:3:31: schedqos.sched_profile: unknown sched_profile 'late': must be throughput, interactive, qos or qos-preempt\n"
	  "1:3:46: schedqos.log: must be error, warning, notice, info or debug, not a number\n"
	  "2:3:2: a key expected, not ,\n"
	  "3:1:12: QOS_X.y: unknown attribute 'y': must be sched_policy, sched_nice, sched_priority, sched_runtime, sched_deadline, "
	  "sched_period, sched_util_min, sched_util_max, io_class or io_priority\n"
	  "4:1:29: QOS_LATE.sched_nice: must be between -20 and 19\n"
	  "4:1:39: c: must not be empty: write null to mask the rules of earlier files\n" },
	/* A preset with errors is still known, and suggested. */
	{ { PRESET("laptop", "{"), RULES("{'schedqos': {'mapping': 'laptop'}}") },
	  "mappings/laptop.json:1:2: the text ends, but the '{' opened at 1:1 is not closed\n" },
	{ { PRESET("laptop", "{}"), RULES("{'schedqos': {'mapping': 'latpop'}}") },
	  "rules.json:1:26: schedqos.mapping: unknown mapping 'latpop' (did you mean 'laptop'?)\n" },
	{ { PRESET("laptop", "{}"), CHOICE("latop") }, "--mapping: unknown mapping 'latop' (did you mean 'laptop'?)\n" },
};

TEST(all_errors_come_in_order)
{
	for (size_t i = 0; i < COUNT(reports); i++) {
		struct config_errors errors = { 0 };
		struct config *config = NULL;

		assert_int_equal(parse(reports[i].files, FILES_MAX, &config, &errors), -EINVAL);
		assert_null(config);
		assert_int_equal(errors.n_errors, errors.count);
		assert_errors(&errors, reports[i].want);
		config_errors_clear(&errors);
	}
}

/* Earlier errors stay before those of this configuration. */
TEST(earlier_errors_do_not_make_a_good_configuration_bad)
{
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	config_error_add(&errors, "other", "cannot be read: %s", "no");
	assert_int_equal(config_parse(NULL, 0, NULL, NULL, &config, &errors), 0);
	config_free(config);
	assert_int_equal(parse(&(struct config_file)RULES("{'a': 1}"), 1, &config, &errors), -EINVAL);
	assert_errors(&errors, "other: cannot be read: no\nrules.json:1:7: a: must be an object, a list of objects or null, not a number\n");
	config_errors_clear(&errors);
}

TEST(error_text_is_safe_for_a_terminal)
{
	struct config_file file = {
		.path = "\x1b]0;f\x07.json",
		.text = "{'\\u001b[2J\\n': {'\xc2\x85\\u202e': 1, 'qos': '\\u0007\u00e9'}}",
		.kind = CONFIG_RULES,
	};
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	assert_int_equal(parse(&file, 1, &config, &errors), -EINVAL);
	/* These are two errors, and a warning about the bracket. */
	assert_int_equal(errors.count, 3);
	for (size_t i = 0; i < errors.count; i++) {
		const char *text = errors.items[i].text;

		for (const char *c = text; *c; c++)
			assert_true((unsigned char)*c >= 0x20);
		assert_null(strstr(text, "\xc2\x85"));
		assert_null(strstr(text, "\u202e"));
		assert_non_null(strstr(text, "[\"\\x1b[2J\\n\"]"));
	}
	assert_non_null(strstr(errors.items[2].text, ".qos: unknown class \"\\x07\u00e9\""));
	config_errors_clear(&errors);
}

/* ---- limits ---- */

/* Returns an object with n members, made from a format with one %d. */
static char *many(const char *format, int n)
{
	size_t size = n * (strlen(format) + 16) + 8, len = 0;
	char *text = malloc(size);

	assert_non_null(text);
	for (int i = 0; i < n; i++) {
		text[len++] = i ? ',' : '{';
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wformat-nonliteral"
		len += snprintf(text + len, size - len, format, i);
#pragma GCC diagnostic pop
	}
	strcpy(text + len, "}");
	return text;
}

TEST(a_configuration_may_have_many_rules)
{
	char *text = many("\n'app-%d': {'qos': 'QOS_UTILITY'}", 15000), name[16];
	struct config *config = GOOD(RULES(text));

	free(text);
	assert_int_equal(config->rules->n_lists, 15000);
	for (uint32_t i = 0; i < 15000; i++) {
		snprintf(name, sizeof(name), "app-%u", i);
		assert_int_equal(rule_for(config, name)->source.line, i + 2);
	}
	config_free(config);
}

/* Programs write JSON without line breaks. */
TEST(a_configuration_may_be_one_long_line)
{
	char text[200000];
	const struct rule *first, *second;
	struct config *config;

	snprintf(text, sizeof(text), "{%100000s'?b': {'qos': 'QOS_UTILITY'}, 'a?': {'qos': 'QOS_BACKGROUND'}, 'x': []}", "");
	assert_refused(text, "rules.json:1:100070: x: must not be empty");
	strcpy(strstr(text, ", 'x'"), "}");
	config = GOOD(RULES(text));
	first = rule_for(config, "?b");
	second = rule_for(config, "a?");
	assert_int_equal(first->source.column, 100002);
	assert_true(source_compare(&first->source, &second->source) < 0);
	config_free(config);
}

TEST(the_numbers_of_rules_and_classes_are_limited)
{
	char *rules = many("'%d':{}", UINT16_MAX + 1), *classes = many("'QOS_%d': {}", 1020);

	assert_refused(rules, "more than 65535 rules");
	assert_refused(classes, " QOS_1019: more than 1024 classes");
	free(rules);
	free(classes);
}
