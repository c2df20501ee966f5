/* SPDX-License-Identifier: GPL-2.0-only */
#include "fake_process.h"

static int fetch(struct facts *facts, enum fact fact)
{
	struct process *process = (struct process *)facts;

	process->fetched |= fact;
	if (process->missing & fact)
		return process->error;
	switch (fact) {
	case FACT_COMM:
		snprintf(facts->comm, sizeof(facts->comm), "%s", process->comm);
		break;
	case FACT_EXE:
		facts->exe = process->exe;
		break;
	case FACT_ARGV:
		facts->argv = process->unread ? "" : process->argv;
		facts->argv_size = process->unread ? 0 : process->argv_size;
		facts->argv_is_unread = process->unread;
		break;
	case FACT_CGROUP:
		facts->cgroup = process->cgroup ? process->cgroup : "";
		break;
	case FACT_UID:
		facts->uid = process->uid;
		break;
	case FACT_USERNS:
		facts->initial_userns = !process->sandboxed;
		break;
	case FACT_PARENT:
		if (process->parent) {
			process->parent->facts = (struct facts){ .fetch = fetch };
			facts->parent = &process->parent->facts;
		}
		break;
	case FACT_ATTR:
	case FACT_BASE:
	case FACT_STAT:
		fail_msg("rules have no use for attributes");
	}
	facts->have |= fact;
	return 0;
}

#define TEXT_MAX 2048

static const char *json(const char *text, char buf[TEXT_MAX])
{
	assert_in_range(snprintf(buf, TEXT_MAX, "{ %s }", text), 0, TEXT_MAX - 1);
	for (char *p = buf; (p = strchr(p, '\''));)
		*p = '"';
	return buf;
}

struct config *rules_file(const char *text)
{
	char buf[TEXT_MAX];

	return GOOD(RULES(json(text, buf)));
}

struct config *two_files(const char *text, const char *later)
{
	char buf[TEXT_MAX], later_buf[TEXT_MAX];

	return GOOD(RULES(json(text, buf)), RULES(json(later, later_buf)));
}

const struct rule *process_match(const struct config *config, struct process *process, int *error)
{
	process->facts = (struct facts){ .fetch = fetch };
	process->fetched = 0;
	return rules_match(config->rules, &process->facts, error);
}

const struct rule *check_matches(const struct config *config, struct process *process,
				 const char *pattern, const char *file, int line)
{
	int error;
	const struct rule *rule = process_match(config, process, &error);

	_assert_int_equal(error, 0, file, line);
	_assert_string_equal(rule ? rule->pattern : "none", pattern ? pattern : "none", file, line);
	return rule;
}

const char *matched_by_path(const struct config *config, const char *path)
{
	const char *base = strrchr(path, '/');
	struct process process = { .exe = path, .comm = base ? base + 1 : path, .argv = path };
	const struct rule *rule;
	int error;

	process.argv_size = strlen(path) + 1;
	rule = process_match(config, &process, &error);
	assert_int_equal(error, 0);
	return rule ? rule->pattern : "none";
}
