/* SPDX-License-Identifier: GPL-2.0-only */
#include "daemon_private.h"

#include <string.h>

#include <schedqos/util/log.h>

static bool is_plain(const char *pattern)
{
	return pattern[strspn(pattern, "abcdefghijklmnopqrstuvwxyz")] == '\0' && strlen(pattern) < TASK_COMM_LEN;
}

static bool shows(const struct config *config, const struct rule *rule)
{
	size_t n_tags;
	const struct tag *tags = rules_tags(config->rules, &n_tags);

	return rule->qos && !rule->match && !rule->n_threads && is_plain(rule->pattern) && rule->tag < n_tags &&
	       tags[rule->tag].attr.nice > 0 && task_policy_is_fair(tags[rule->tag].attr.policy);
}

const struct rule *introduction_rule(const struct config *config)
{
	const struct rule *rule, *found = NULL;

	for (size_t i = 0; (rule = rules_nth(config->rules, i)); i++) {
		if (shows(config, rule))
			found = rule;
	}
	return found;
}

void introduction_log(const struct config *config)
{
	const struct rule *rule = introduction_rule(config);

	if (rule)
		log_debug("try this in another terminal:  bash -c 'exec -a %s sleep 60' & sleep 1; "
			  "ps -o pid,cls,ni,args -p $!",
			  rule->pattern);
	log_debug("Ctrl-C puts everything back");
}
