/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/facts.h>

#include <errno.h>
#include <string.h>

int facts_need(struct facts *facts, enum fact fact)
{
	if (facts->have & fact)
		return 0;
	if (!facts->fetch)
		return -ENODATA;
	return facts->fetch(facts, fact);
}

const char *facts_next_arg(const struct facts *facts, const char *arg)
{
	const char *next = arg + strlen(arg) + 1;

	return next < facts->argv + facts->argv_size ? next : NULL;
}

const char *path_base(const char *path)
{
	const char *base = path;

	for (const char *p = path; *p; p++) {
		if (*p == '/' || *p == '\\')
			base = p + 1;
	}
	return base;
}
