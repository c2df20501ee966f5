/* SPDX-License-Identifier: GPL-2.0-only */
#include "seconds.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int parse_seconds(const char *text, double least, double most, uint64_t *ret_ns)
{
	double seconds;
	char *end;

	/* strtod would take signs, hexadecimal digits and infinity as well. */
	if (!*text || text[strspn(text, "0123456789.")])
		return -EINVAL;
	seconds = strtod(text, &end);
	if (*end || end == text)
		return -EINVAL;
	if (seconds < least || seconds > most)
		return -ERANGE;
	*ret_ns = (uint64_t)(seconds * 1e9);
	return 0;
}
