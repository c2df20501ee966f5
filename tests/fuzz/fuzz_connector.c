/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Decodes any bytes as a datagram of the proc connector: it must be an event, ignored or refused, without a read beyond
 * its end.
 */
#include <errno.h>

#include <schedqos/kernel/events.h>

#include "fuzz.h"

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	struct input input = { bytes, size };
	size_t taken;
	uint8_t *datagram = take_bytes(&input, size, &taken);
	struct task_event event;
	int r = proc_connector_decode(datagram, taken, &event);

	check(r == 1 || r == 0 || r == -EBADMSG);
	check(r != 1 || (event.tid > 0 && event.tgid > 0 && event.comm[sizeof(event.comm) - 1] == '\0'));
	free(datagram);
	return 0;
}
