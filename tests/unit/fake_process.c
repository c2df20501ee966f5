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
		if (process->deferred && !facts->argv_matters) {
			facts->argv = "";
			facts->argv_is_deferred = true;
			break;
		}
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
	case FACT_SEAT:
		facts->at_seat = !process->elsewhere;
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
	case FACT_OWNER:
		fail_msg("rules have no use for attributes");
	}
	facts->have |= fact;
	return 0;
}

#define TEXT_MAX 2048

static const char *json(const char *text, char buf[TEXT_MAX])
{
	int n = snprintf(buf, TEXT_MAX, "{ ");

	if (strchr(text, ':') || !*text)
		n += snprintf(buf + n, TEXT_MAX - n, "%s", text);
	else
		for (const char *end; *text; text = end + (*end == '|')) {
			end = strchrnul(text, '|');
			n += snprintf(buf + n, TEXT_MAX - n, "'%.*s': { 'qos': 'QOS_UTILITY' }%s", (int)(end - text), text,
				      *end ? ", " : "");
		}
	n += snprintf(buf + n, TEXT_MAX - n, " }");
	assert_in_range(n, 0, TEXT_MAX - 1);
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
	const char *base = strrchr(process->exe, '/');

	process->facts = (struct facts){ .fetch = fetch };
	process->fetched = 0;
	if (!process->comm)
		process->comm = base ? base + 1 : process->exe;
	if (!process->argv) {
		process->argv = process->exe;
		process->argv_size = strlen(process->exe) + 1;
	}
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
