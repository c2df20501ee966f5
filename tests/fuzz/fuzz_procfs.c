/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Parses any bytes as files of /proc and /sys. Numbers must be within bounds; names that a task chose must match a rule
 * or none, and be safe to print once escaped.
 */
#include <errno.h>

#include <schedqos/kernel/knobs.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/policy/rules.h>
#include <schedqos/util/text.h>

#include "fuzz.h"

static const char rules[] =
	"{ \"a*\": { \"qos\": \"QOS_UTILITY\", \"thread_qos\": { \"?b*\": \"QOS_BACKGROUND\" } },"
	"  \"*/x[0-9]\": { \"qos\": \"QOS_BACKGROUND\" },"
	"  \"c\": [ { \"match\": { \"argv\": [\"*y*z*\"] }, \"qos\": \"QOS_UTILITY\" },"
	"           { \"match\": { \"cgroup\": \"/u*.slice\", \"exe\": \"*q*\" }, \"qos\": "
	"\"QOS_UTILITY\" } ] }";

static const struct config *parse_rules(void)
{
	static struct config *config;
	const struct config_file file = { .path = "rules.json",
					  .text = rules,
					  .size = strlen(rules) };
	struct config_errors errors = { 0 };

	if (!config)
		check(config_parse(&file, 1, NULL, NULL, &config, &errors) == 0);
	return config;
}

static void check_escaped(const char *text, size_t len)
{
	char cut[8], *whole = text_escape(text, len);

	check(whole);
	check_printable(whole);
	check_printable(text_escape_to(cut, sizeof(cut), text, len));
	check(strncmp(cut, whole, strlen(cut)) == 0);
	free(whole);
}

static void parse_stat(const char *text)
{
	struct procfs_stat stat;
	const int r = procfs_parse_stat(text, &stat);

	check(r == 0 || r == -EBADMSG);
	if (r < 0)
		return;
	check(stat.ppid >= 0 && stat.state);
	check(memchr(stat.comm, '\0', sizeof(stat.comm)));
	check_escaped(stat.comm, strlen(stat.comm));
}

/* Parses one file as each kind of file. */
static void parse_task(struct input *input)
{
	const uint8_t which = take_byte(input) % 5;
	char *text = take_text(input, SIZE_MAX);
	struct procfs_status status;
	const char *path;
	size_t length;
	int r = 0;

	switch (which) {
	case 0:
		parse_stat(text);
		break;
	case 1:
		r = procfs_parse_status(text, &status);
		break;
	case 2:
		path = procfs_parse_cgroup(text, "name=systemd", &length);
		check(!path || (path > text && length <= strlen(path)));
		break;
	case 3:
		check_escaped(text, strlen(text));
		break;
	}
	check(r == 0 || r == -EBADMSG);
	free(text);
}

/* The name must be a part of an argument, and no path. */
static void find_script(const struct facts *facts)
{
	const char *script = interpreter_script(facts);

	check(!script || (script > facts->argv && script < facts->argv + facts->argv_size));
	check(!script || (*script && path_base(script) == script));
}

static void match(struct input *input)
{
	const struct config *config = parse_rules();
	struct facts facts = {
		.have = FACT_EXE | FACT_ARGV | FACT_CGROUP | FACT_COMM | FACT_USERNS | FACT_SEAT,
		.initial_userns = true,
	};
	char *comm = take_text(input, TASK_COMM_LEN - 1), *exe = take_text(input, 64);
	char *cgroup = take_text(input, 64), *argv;
	const struct rule *rule;
	size_t size;
	int r;

	/* Arguments end with a NUL or are empty, as the reader returns them. */
	argv = (char *)take_bytes(input, 256, &size);
	if (size)
		argv[size - 1] = '\0';
	strcpy(facts.comm, comm);
	facts.exe = exe;
	facts.cgroup = cgroup;
	facts.argv = size ? argv : "";
	facts.argv_size = size;
	find_script(&facts);
	rule = rules_match(config->rules, &facts, &r);
	check(r == 0 && (!rule || rules_by_id(config->rules, rule->id) == rule));
	if (rule)
		rule_thread(rule, comm);
	free(comm);
	free(exe);
	free(cgroup);
	free(argv);
}

static void parse_knob(struct input *input, uint8_t which)
{
	static const char *const paths[] = { "vda/scheduler", "preempt", "features", "x" };
	char *word = which & 8 ? take_text(input, 16) : NULL;
	char *text = take_text(input, SIZE_MAX);
	const size_t len = strlen(text);
	char path[64];

	snprintf(path, sizeof(path), "%s%s%s", paths[which >> 4 & 3], word ? " " : "", word ? word : "");
	check(knobs_parse(which % KNOB_TREES, path, text) < 0 || strlen(text) <= len);
	free(word);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = { bytes, size };
	uint8_t what = take_byte(&input);

	if (what < 0x80)
		parse_task(&input);
	else if (what < 0xc0)
		match(&input);
	else
		parse_knob(&input, what & 0x3f);
	return 0;
}
