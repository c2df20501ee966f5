/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/util/text.h>

#include <errno.h>

int parse_u64(const char *text, size_t len, uint64_t max, uint64_t *ret)
{
	uint64_t value = 0;

	if (len == 0)
		return -EINVAL;
	for (size_t i = 0; i < len; i++) {
		unsigned digit = (unsigned char)text[i] - '0';

		if (digit > 9)
			return -EINVAL;
		if (__builtin_mul_overflow(value, 10, &value) ||
		    __builtin_add_overflow(value, digit, &value))
			return -ERANGE;
	}
	if (value > max)
		return -ERANGE;
	*ret = value;
	return 0;
}
