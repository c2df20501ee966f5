/* SPDX-License-Identifier: GPL-2.0-only */
/* Which programs are interpreters. */

#include <errno.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/pattern.h>
#include <schedqos/util/cleanup.h>

const char *const interpreters_default[] = {
	"python",  "python[0-9]*", "platform-python*", "pypy*",	   "perl",	 "perl[0-9]*", "ruby",	 "ruby[0-9]*",
	"node",	   "nodejs",	   "sh",	       "bash",	   "dash",	 "ash",	       "zsh",	 "zsh[0-9-]*",
	"ksh*",	   "mksh",	   "yash",	       "fish",	   "php",	 "php[0-9]*",  "lua",	 "lua[0-9]*",
	"luajit*", "java",	   "mono",	       "mono-sgen*", "tclsh*",	 "wish",       "wish[0-9]*", "gjs*",
	"wine*",   "busybox*",	   "toybox*",	       "ld-linux*", "ld-musl-*",
};
const size_t interpreters_default_count = array_size(interpreters_default);

struct interpreters {
	uint16_t from[UCHAR_MAX + 2]; /* where the patterns of each first byte begin; 0: those that begin with a wildcard */
	struct {
		const char *text;
		size_t literal; /* bytes before the first special one: nearly always these rule a name out */
	} patterns[INTERPRETERS_MAX];
};

static unsigned bucket_of(const char *pattern)
{
	return strchr("*?[\\", *pattern) ? 0 : (unsigned char)*pattern;
}

int interpreters_new(const char *const *patterns, size_t n, struct interpreters **ret)
{
	struct interpreters *interpreters = calloc(1, sizeof(*interpreters));
	uint16_t count = 0;

	if (!interpreters)
		return -ENOMEM;
	for (unsigned bucket = 0; bucket <= UCHAR_MAX; bucket++) {
		interpreters->from[bucket] = count;
		for (size_t i = 0; i < n && count < INTERPRETERS_MAX; i++) {
			if (bucket_of(patterns[i]) != bucket)
				continue;
			interpreters->patterns[count].text = patterns[i];
			interpreters->patterns[count++].literal = strcspn(patterns[i], "*?[\\");
		}
	}
	interpreters->from[UCHAR_MAX + 1] = count;
	*ret = interpreters;
	return 0;
}

void interpreters_free(struct interpreters *interpreters)
{
	free(interpreters);
}

static bool bucket_has(const struct interpreters *interpreters, unsigned bucket, const char *exe)
{
	for (uint16_t i = interpreters->from[bucket]; i < interpreters->from[bucket + 1]; i++) {
		const char *text = interpreters->patterns[i].text;

		if (strncmp(text, exe, interpreters->patterns[i].literal) == 0 && pattern_match(text, exe))
			return true;
	}
	return false;
}

bool interpreters_has(const struct interpreters *interpreters, const char *exe)
{
	return interpreters && (bucket_has(interpreters, (unsigned char)*exe, exe) || bucket_has(interpreters, 0, exe));
}
