/* SPDX-License-Identifier: GPL-2.0-only */
/* The executed half of the probe: how long until its attributes are those of its class? */
#include "probe.h"

#include <unistd.h>

#include "bench.h"

/* argv: START_NS ATTRIBUTES DESCRIPTOR */
int main(int argc, char **argv)
{
	struct probe_sample sample = { .main_ns = now_ns() };
	struct bench_attr first = { 0 }, want;
	const bool has_first = attr_get(0, &first);
	int fd;

	/* Parsing takes 20 to 40 us, because of its page faults, so the first look comes before it. */
	sample.tagged_ns = now_ns();
	if (argc != 4)
		return 2;
	want = parse_attr(argv[2]);
	if (!has_first || !attr_is(&first, &want)) {
		sample.timed_out = !attr_await(0, &want);
		sample.tagged_ns = now_ns();
	}
	sample.start_ns = parse_number(argv[1], UINT64_MAX);
	fd = (int)parse_number(argv[3], 1 << 20);
	return write(fd, &sample, sizeof(sample)) == sizeof(sample) ? 0 : 1;
}
