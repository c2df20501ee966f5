/* SPDX-License-Identifier: GPL-2.0-only */
/* A program that does not run, to ask what would become of it. */
#pragma once

#include <stddef.h>
#include <sys/types.h>

struct explain_name {
	const char *name;	 /* argv[0] */
	const char *thread;	 /* the task's name; NULL: as exec names it */
	const char *exe;	 /* the executable's full path; NULL: not known, and called like the program */
	const char *const *argv; /* the arguments after argv[0] */
	size_t n_argv;
	const char *cgroup; /* NULL: the root */
	uid_t uid;
};
