/* SPDX-License-Identifier: GPL-2.0-only */
/* Create a thread, which gives itself a name and ends. */
#include "storm.h"

#include <errno.h>
#include <pthread.h>
#include <stdio.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

#include "bench.h"

#define STACK_BYTES (64 * 1024)

struct thread {
	pthread_t id;
	char name[STORM_NAME_MAX];
};

const bool storm_needs_program = false;

/* One name of an exact rule, one of a glob, one that no thread rule has. */
static void give_name(char name[STORM_NAME_MAX], uint64_t n)
{
	switch (n % 3) {
	case 0:
		snprintf(name, STORM_NAME_MAX, "render");
		break;
	case 1:
		snprintf(name, STORM_NAME_MAX, "io-%u", (unsigned)(n / 3 % 1000));
		break;
	case 2:
		snprintf(name, STORM_NAME_MAX, "other");
		break;
	}
}

static void *run(void *argument)
{
	struct thread *thread = argument;

	prctl(PR_SET_NAME, thread->name);
	return NULL;
}

static void create(struct thread *thread)
{
	pthread_attr_t attr;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_BYTES);
	errno = pthread_create(&thread->id, &attr, run, thread);
	if (errno)
		die("pthread_create");
	pthread_attr_destroy(&attr);
}

void storm_pass(const char *program, uint64_t n)
{
	struct thread thread = { 0 };

	(void)program;
	give_name(thread.name, n);
	create(&thread);
	pthread_join(thread.id, NULL);
}
