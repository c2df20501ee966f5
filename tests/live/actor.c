/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Plays a group of tasks that follow a script: see groups.py.
 *
 *   actor conduct USER NAME  makes the group's first task, and ends the group when stdin ends
 *   NAME SLOT                plays a task of the group after an exec
 *
 * Each task has a slot in memory that all tasks share; BOARD has the number of its file's descriptor. A task waits in
 * its slot for the next step, does it, and reports the result there.
 */
#include <errno.h>
#include <grp.h>
#include <limits.h>
#include <linux/capability.h>
#include <linux/futex.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#define SLOTS	      64
#define NUMBERS	      4
#define STACK_SIZE    (64 * 1024)
#define RESET_ON_FORK 0x40000000 /* as a bit of a policy */
#define FLAG_RESET    0x01	 /* as a flag of sched_setattr */

struct attributes {
	uint32_t size;
	uint32_t policy;
	uint64_t flags;
	int32_t nice;
	uint32_t priority;
	uint64_t runtime;
	uint64_t deadline;
	uint64_t period;
	uint32_t util_min;
	uint32_t util_max;
};
_Static_assert(sizeof(struct attributes) == 56, "struct sched_attr");

/* In the order of WORDS in groups.py. */
enum word {
	WORD_FORK,    /* a child */
	WORD_SIBLING, /* a child of our parent's */
	WORD_DOUBLE,  /* a grandchild whose parent ends at once */
	WORD_SPAWN,   /* a child that execs at once */
	WORD_THREAD,
	WORD_EXEC,
	WORD_RENAME,
	WORD_EXIT,  /* the whole process */
	WORD_LEAVE, /* only this thread */
	WORD_NICE,
	WORD_POLICY, /* policy, priority; the other attributes stay */
	WORD_SLICE,
	WORD_RESET, /* reset-on-fork: 1 or 0 */
};

struct slot {
	uint32_t ordered; /* steps; one more than done while a step is being done */
	uint32_t done;
	int32_t tid; /* of the task that has the slot now */
	int32_t error;
	/* The step. */
	uint32_t word;
	char name[64];
	int64_t number[NUMBERS];
};

static struct board {
	char folder[PATH_MAX]; /* with a link to this program for each name */
	struct slot slot[SLOTS];
} * board;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "actor: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static int set_policy(int policy, int priority, bool reset)
{
	struct sched_param param = { .sched_priority = priority };

	return (int)syscall(SYS_sched_setscheduler, 0, policy | (reset ? RESET_ON_FORK : 0),
			    &param);
}

/* Returns 0 or an errno. */
static int choose(const struct slot *step)
{
	struct attributes attr = { 0 };
	const int64_t *number = step->number;
	bool reset;
	int r;

	if (syscall(SYS_sched_getattr, 0, &attr, sizeof(attr), 0) < 0)
		return errno;
	reset = attr.flags & FLAG_RESET;
	attr.flags = reset ? FLAG_RESET : 0;
	switch ((enum word)step->word) {
	case WORD_NICE:
		return setpriority(PRIO_PROCESS, 0, (int)number[0]) < 0 ? errno : 0;
	case WORD_POLICY:
		return set_policy((int)number[0], (int)number[1], reset) < 0 ? errno : 0;
	case WORD_RESET:
		return set_policy((int)attr.policy, (int)attr.priority, number[0]) < 0 ? errno : 0;
	case WORD_SLICE:
		attr.runtime = (uint64_t)number[0];
		break;
	default:
		return EINVAL;
	}
	r = (int)syscall(SYS_sched_setattr, 0, &attr, 0);
	return r < 0 ? errno : 0;
}

static void finish(struct slot *slot, int error)
{
	slot->error = error;
	__atomic_store_n(&slot->done, slot->ordered, __ATOMIC_RELEASE);
}

static void become(uint32_t number, const char *name)
{
	char path[PATH_MAX + 96], first[64], slot[16];
	char *argv[] = { first, slot, NULL };

	snprintf(path, sizeof(path), "%s/%s", board->folder, name);
	snprintf(first, sizeof(first), "%s", name);
	snprintf(slot, sizeof(slot), "%u", number);
	execv(path, argv);
}

/* Reports, in place of the task that was to get the slot, that it could not be made. */
static _Noreturn void fail_birth(uint32_t number)
{
	finish(&board->slot[number], errno);
	_exit(1);
}

static _Noreturn void play(uint32_t number);

static void *play_thread(void *slot)
{
	play((uint32_t)((struct slot *)slot - board->slot));
	return NULL;
}

static int make_thread(uint32_t number)
{
	pthread_attr_t attr;
	pthread_t thread;
	int r;

	pthread_attr_init(&attr);
	pthread_attr_setstacksize(&attr, STACK_SIZE);
	pthread_attr_setdetachstate(&attr, PTHREAD_CREATE_DETACHED);
	r = pthread_create(&thread, &attr, play_thread, &board->slot[number]);
	pthread_attr_destroy(&attr);
	return r;
}

/* Returns 0 or an errno. */
static int make_child(const struct slot *step)
{
	uint32_t number = (uint32_t)step->number[0];
	pid_t child = step->word == WORD_SIBLING
			      ? (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)
			      : fork();

	if (child)
		return child < 0 ? errno : 0;
	child = step->word == WORD_DOUBLE ? fork() : 0;
	if (child > 0)
		_exit(0);
	if (step->word == WORD_SPAWN)
		become(number, step->name);
	if (child < 0 || step->word == WORD_SPAWN)
		fail_birth(number);
	play(number);
}

/* Does the step. Returns 0 or an errno, or does not return. */
static int act(uint32_t number)
{
	const struct slot *step = &board->slot[number];

	switch ((enum word)step->word) {
	case WORD_FORK:
	case WORD_SIBLING:
	case WORD_DOUBLE:
	case WORD_SPAWN:
		return make_child(step);
	case WORD_THREAD:
		return make_thread((uint32_t)step->number[0]);
	case WORD_EXEC:
		become(number, step->name);
		return errno;
	case WORD_RENAME:
		return prctl(PR_SET_NAME, step->name, 0, 0, 0) < 0 ? errno : 0;
	case WORD_EXIT:
		finish(&board->slot[number], 0);
		_exit(0);
	case WORD_LEAVE:
		finish(&board->slot[number], 0);
		syscall(SYS_exit, 0);
		return 0;
	default:
		return choose(step);
	}
}

/*
 * Plays the task of a slot. A task that enters the slot, by fork or exec, begins here, since the step that made it is
 * done.
 */
static _Noreturn void play(uint32_t number)
{
	struct slot *slot = &board->slot[number];
	int error = 0;

	slot->tid = (int32_t)syscall(SYS_gettid);
	for (;;) {
		finish(slot, error);
		while (__atomic_load_n(&slot->ordered, __ATOMIC_ACQUIRE) == slot->done)
			syscall(SYS_futex, &slot->ordered, FUTEX_WAIT, slot->done, NULL, NULL, 0);
		error = act(number);
	}
}

static void open_board(void)
{
	const char *file = getenv("BOARD");

	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED,
		     file ? atoi(file) : -1, 0);
	if (board == MAP_FAILED)
		die("the board");
}

/* Becomes the user for good. A user given as "65534+" keeps the right to set any scheduling attribute. */
static bool become_user(const char *user)
{
	struct __user_cap_header_struct header = { .version = _LINUX_CAPABILITY_VERSION_3 };
	const uint32_t nice = 1u << CAP_SYS_NICE;
	struct __user_cap_data_struct caps[2] = {
		{ .effective = nice, .permitted = nice, .inheritable = nice }
	};
	char *end;
	uid_t uid = (uid_t)strtoul(user, &end, 10);

	if (!uid)
		return true;
	if (prctl(PR_SET_KEEPCAPS, *end == '+', 0, 0, 0) || setgroups(0, NULL) ||
	    setresgid(uid, uid, uid) || setresuid(uid, uid, uid))
		return false;
	return *end != '+' ||
	       (syscall(SYS_capset, &header, caps) == 0 &&
		prctl(PR_CAP_AMBIENT, PR_CAP_AMBIENT_RAISE, CAP_SYS_NICE, 0, 0) == 0);
}

static int conduct(const char *user, const char *name)
{
	pid_t child;

	/* Orphans are reparented to us, and reaped by the kernel. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	signal(SIGCHLD, SIG_IGN);
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		setpgid(0, 0);
		if (become_user(user))
			become(0, name);
		fail_birth(0);
	}
	while (getchar() != EOF)
		;
	kill(-child, SIGKILL);
	return 0;
}

int main(int argc, char **argv)
{
	open_board();
	if (argc == 4 && strcmp(argv[1], "conduct") == 0)
		return conduct(argv[2], argv[3]);
	if (argc == 2)
		play((uint32_t)strtoul(argv[1], NULL, 10) % SLOTS);
	return 2;
}
