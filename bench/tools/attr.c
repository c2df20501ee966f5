/* SPDX-License-Identifier: GPL-2.0-only */
/* Runs a program with scheduling attributes. */
#include <stdio.h>
#include <unistd.h>

#include "bench.h"

int main(int argc, char **argv)
{
	struct bench_attr attr, kept;

	if (argc < 3) {
		fprintf(stderr, "usage: %s POLICY:NICE:SLICE_NS PROGRAM [ARGUMENT ...]\n", argv[0]);
		return 2;
	}
	attr = parse_attr(argv[1]);
	if (!attr_set(0, &attr))
		die("sched_setattr");
	if (!attr_get(0, &kept) || !attr_is(&kept, &attr)) {
		fprintf(stderr, "%s: the kernel has not kept %s\n", argv[0], argv[1]);
		return 1;
	}
	execvp(argv[2], argv + 2);
	die(argv[2]);
}
