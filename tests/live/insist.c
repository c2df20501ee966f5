/* SPDX-License-Identifier: GPL-2.0-only */
/*
 *   insist UID TID NICE SLICE
 *
 * Becomes that user, says "ready", and sets the attributes of the thread to these, SCHED_NORMAL, again and again, until it
 * is killed or there is no such thread.
 */
#include <errno.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/prctl.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

/* struct sched_attr, which not every C library has */
struct attributes {
	uint32_t size, policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime, deadline, period;
	uint32_t util_min, util_max;
};

int main(int argc, char **argv)
{
	struct attributes attr = { .size = sizeof(attr) };
	uid_t uid;
	pid_t tid;

	if (argc != 5)
		return 2;
	uid = (uid_t)strtoul(argv[1], NULL, 10);
	tid = (pid_t)strtol(argv[2], NULL, 10);
	attr.nice = (int32_t)strtol(argv[3], NULL, 10);
	attr.runtime = strtoull(argv[4], NULL, 10);
	if (setresgid(uid, uid, uid) < 0 || setresuid(uid, uid, uid) < 0)
		return 1;
	/* Not before the change of user, which clears it. */
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	if (puts("ready") < 0 || fflush(stdout) < 0)
		return 1;
	while (syscall(SYS_sched_setattr, tid, &attr, 0) == 0 || errno != ESRCH)
		;
	return 0;
}
