/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes any bytes as a datagram of taskstats: it must be a record, ignored, an error or refused, without a read
 * beyond its end.
 */
#include <errno.h>

#include <schedqos/kernel/taskstats.h>

#include "fuzz.h"

/* The family's number in the seeds. */
#define FAMILY 31

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = { bytes, size };
	size_t taken;
	uint8_t *datagram = take_bytes(&input, size, &taken);
	struct task_use use;
	int r = taskstats_decode(datagram, taken, FAMILY, &use);

	check(r <= 1);
	check(r != 1 || (use.tid > 0 && use.tgid > 0 && use.ppid >= 0 && use.comm[sizeof(use.comm) - 1] == '\0'));
	free(datagram);
	return 0;
}
