/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A group of tasks that does what a script says, for the test of the oracle.
 *
 *   actor conduct USER FOLDER NAME  takes the steps of the script from stdin, each when it comes, and prints the results
 *   NAME SLOT                       a task of the group, after an exec
 *
 * A step is a line "[!]SLOT WORD [NUMBER or NAME] ...". Tasks have slots in memory that all
 * share: a task waits in its own for its next step, does it, and reports it. With a ! the conductor,
 * who is root and outside of the group, does it to the task. A step of an empty slot is skipped. An
 * empty line ends the script. Lines of the answer:
 *
 *   S errno BEFORE AFTER   a step, and twice: policy, nice value, slice, priority, flags
 *   T slot tid             at the end, for each slot that was ever used
 *   end
 *
 * Then it waits for the end of stdin, and ends the group.
 */
#include <errno.h>
#include <fcntl.h>
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
#include <time.h>
#include <unistd.h>

#define SLOTS	      64
#define NUMBERS	      4
#define BOARD_FD      60
#define PATIENCE      20 /* s */
#define STACK_SIZE    (64 * 1024)
#define RESET_ON_FORK 0x40000000 /* as a bit of a policy */
#define FLAG_CLAMPS   0x60	 /* as flags of sched_setattr: util_min and util_max */
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
	WORD_STORM, /* so many renames */
	/* What changes attributes comes last. */
	WORD_NICE,
	WORD_POLICY, /* policy, priority; what else there is stays */
	WORD_SLICE,
	WORD_ATTR,  /* policy, nice value, slice: all at once */
	WORD_RESET, /* reset-on-fork: 1 or 0 */
	WORD_CLAMP, /* util_min, util_max */
	WORD_COUNT,
};

static const char *const words[WORD_COUNT] = {
	"fork",	 "sibling", "double", "spawn", "thread", "exec",  "rename", "exit",    "leave",
	"storm", "nice",    "policy", "slice", "attr",	 "reset", "clamp",
};

struct step {
	uint32_t slot;
	bool outside;
	enum word word;
	long number[NUMBERS];
	char name[64];
};

struct slot {
	uint32_t ordered; /* steps; one more than done while a step is being done */
	uint32_t done;
	int32_t tid; /* of the task that has the slot now */
	int32_t error;
	struct step step;
};

/* Mapped by all; BOARD_FD is its file, so that it survives an exec. */
static struct board {
	char folder[PATH_MAX]; /* with a link to this program for each name */
	struct slot slot[SLOTS];
} * board;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "actor: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void wake(uint32_t *word)
{
	syscall(SYS_futex, word, FUTEX_WAKE, INT_MAX, NULL, NULL, 0);
}

/* As waiting.py has it, where that is more than ours: in a virtual machine without KVM. */
static time_t patience_s(void)
{
	const char *text = getenv("PATIENCE");
	const int seconds = text ? atoi(text) : 0;

	return seconds > PATIENCE ? seconds : PATIENCE;
}

/* Waits until *word is no longer value. False on timeout. */
static bool wait_while(uint32_t *word, uint32_t value)
{
	struct timespec patience = { .tv_sec = patience_s() };

	while (__atomic_load_n(word, __ATOMIC_ACQUIRE) == value)
		if (syscall(SYS_futex, word, FUTEX_WAIT, value, &patience, NULL, 0) < 0 &&
		    errno == ETIMEDOUT)
			return false;
	return true;
}

static int get_attributes(pid_t tid, struct attributes *attr)
{
	memset(attr, 0, sizeof(*attr));
	return syscall(SYS_sched_getattr, tid, attr, sizeof(*attr), 0) < 0 ? -errno : 0;
}

static int set_policy(pid_t tid, int policy, int priority, bool reset)
{
	struct sched_param param = { .sched_priority = priority };

	return syscall(SYS_sched_setscheduler, tid, policy | (reset ? RESET_ON_FORK : 0), &param);
}

/* Returns 0 or an errno. */
static int choose(pid_t tid, const struct step *step)
{
	struct attributes attr;
	const long *number = step->number;
	bool reset;
	int r = get_attributes(tid, &attr);

	if (r < 0)
		return -r;
	reset = attr.flags & FLAG_RESET;
	attr.flags = reset ? FLAG_RESET : 0;
	switch (step->word) {
	case WORD_NICE:
		r = setpriority(PRIO_PROCESS, (id_t)tid, (int)number[0]);
		break;
	case WORD_POLICY:
		r = set_policy(tid, (int)number[0], (int)number[1], reset);
		break;
	case WORD_RESET:
		r = set_policy(tid, (int)attr.policy, (int)attr.priority, number[0]);
		break;
	case WORD_SLICE:
		attr.runtime = (uint64_t)number[0];
		r = (int)syscall(SYS_sched_setattr, tid, &attr, 0);
		break;
	case WORD_ATTR:
		attr.policy = (uint32_t)number[0];
		attr.priority = 0;
		attr.nice = (int32_t)number[1];
		attr.runtime = (uint64_t)number[2];
		r = (int)syscall(SYS_sched_setattr, tid, &attr, 0);
		break;
	case WORD_CLAMP:
		attr.flags |= FLAG_CLAMPS;
		attr.util_min = (uint32_t)number[0];
		attr.util_max = (uint32_t)number[1];
		r = (int)syscall(SYS_sched_setattr, tid, &attr, 0);
		break;
	default:
		return EINVAL;
	}
	return r < 0 ? errno : 0;
}

static void finish(struct slot *slot, int error)
{
	slot->error = error;
	__atomic_store_n(&slot->done, slot->ordered, __ATOMIC_RELEASE);
	wake(&slot->done);
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
static int make_child(const struct step *step)
{
	uint32_t number = (uint32_t)step->number[0];
	pid_t child = step->word == WORD_SIBLING
			      ? (pid_t)syscall(SYS_clone, CLONE_PARENT | SIGCHLD, 0, 0, 0, 0)
			      : fork();

	if (child)
		return child < 0 ? errno : 0;
	if (step->word == WORD_DOUBLE && fork())
		_exit(0);
	if (step->word == WORD_SPAWN) {
		become(number, step->name);
		_exit(1);
	}
	play(number);
}

/* Returns 0 or an errno; or not at all. */
static int act(uint32_t number, const struct step *step)
{
	switch (step->word) {
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
	case WORD_STORM:
		for (long i = 0; i < step->number[0]; i++)
			prctl(PR_SET_NAME, i % 2 ? "odd" : "even", 0, 0, 0);
		return 0;
	case WORD_EXIT:
		finish(&board->slot[number], 0);
		_exit(0);
	case WORD_LEAVE:
		finish(&board->slot[number], 0);
		syscall(SYS_exit, 0);
		return 0;
	default:
		return choose(0, step);
	}
}

/* A task that enters a slot, by fork or by exec, begins here: the step that made it is done. */
static _Noreturn void play(uint32_t number)
{
	struct slot *slot = &board->slot[number];
	int error = 0;

	slot->tid = (int32_t)syscall(SYS_gettid);
	for (;;) {
		finish(slot, error);
		if (!wait_while(&slot->ordered, slot->done))
			_exit(0);
		error = act(number, &slot->step);
	}
}

static bool open_board(void)
{
	board = mmap(NULL, sizeof(*board), PROT_READ | PROT_WRITE, MAP_SHARED, BOARD_FD, 0);
	return board != MAP_FAILED;
}

/* -- the conductor -- */

static bool parse_step(char *line, struct step *step)
{
	unsigned count = 0;
	char *rest, *word;

	memset(step, 0, sizeof(*step));
	step->outside = *line == '!';
	word = strtok_r(line + step->outside, " \n", &rest);
	if (!word)
		return false;
	step->slot = (uint32_t)strtoul(word, NULL, 10) % SLOTS;
	word = strtok_r(NULL, " \n", &rest);
	while (word && step->word < WORD_COUNT && strcmp(word, words[step->word]) != 0)
		step->word++;
	if (!word || step->word == WORD_COUNT)
		return false;
	while ((word = strtok_r(NULL, " \n", &rest))) {
		char *end;
		long number = strtol(word, &end, 10);

		if (*end)
			snprintf(step->name, sizeof(step->name), "%s", word);
		else if (count < NUMBERS)
			step->number[count++] = number;
	}
	return true;
}

static void await(struct slot *slot, uint32_t before)
{
	if (!wait_while(&slot->done, before)) {
		fprintf(stderr, "actor: no answer of %d\n", slot->tid);
		_exit(1);
	}
}

static bool makes_one_more(enum word word)
{
	return word <= WORD_THREAD;
}

/* The slot of the task that the step creates, if any, starts at zero; its creation counts as its first step. */
static void order(const struct step *step)
{
	struct slot *slot = &board->slot[step->slot];
	struct slot *born = &board->slot[(uint32_t)step->number[0] % SLOTS];
	uint32_t before = slot->done;

	if (makes_one_more(step->word)) {
		memset(born, 0, sizeof(*born));
		born->ordered = 1;
	}
	slot->step = *step;
	slot->error = 0;
	__atomic_store_n(&slot->ordered, before + 1, __ATOMIC_RELEASE);
	wake(&slot->ordered);
	await(slot, before);
	if (makes_one_more(step->word) && !slot->error)
		await(born, 0);
}

/* Including the nice value that a real-time policy hides. */
static void look(pid_t tid, struct attributes *attr)
{
	if (tid && get_attributes(tid, attr) == 0)
		attr->nice = getpriority(PRIO_PROCESS, (id_t)tid);
}

static void print_attributes(const struct attributes *attr)
{
	printf(" %u %d %llu %u %llu", attr->policy, attr->nice, (unsigned long long)attr->runtime,
	       attr->priority, (unsigned long long)attr->flags);
}

static void run_step(const struct step *step)
{
	struct slot *slot = &board->slot[step->slot];
	struct attributes before = { 0 }, after = { 0 };

	look(slot->tid, &before);
	if (!slot->tid)
		slot->error = ESRCH;
	else if (step->outside)
		slot->error = choose(slot->tid, step);
	else
		order(step);
	printf("S %d", slot->error);
	look(slot->tid, &after);
	print_attributes(&before);
	print_attributes(&after);
	putchar('\n');
	fflush(stdout);
}

static void run_script(void)
{
	struct step step;
	char line[128];

	while (fgets(line, sizeof(line), stdin) && *line != '\n') {
		if (!parse_step(line, &step)) {
			fprintf(stderr, "actor: not understood: %s\n", line);
			_exit(2);
		}
		run_step(&step);
	}
}

/* Irrevocably. A user given as "65534+" keeps the right to set any scheduling attribute. */
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

static void begin_group(const char *user, const char *name)
{
	struct slot *first = &board->slot[0];
	pid_t child;

	first->ordered = 1;
	child = fork();
	if (child < 0)
		die("fork");
	if (child == 0) {
		if (!become_user(user))
			die("becoming another user");
		become(0, name);
		die(name);
	}
	await(first, 0);
}

static void end_group(void)
{
	for (unsigned i = 0; i < SLOTS; i++)
		if (board->slot[i].tid)
			kill(board->slot[i].tid, SIGKILL);
}

static int conduct(char **argv)
{
	int file = memfd_create("board", 0);

	if (file < 0 || ftruncate(file, sizeof(*board)) < 0 || dup2(file, BOARD_FD) < 0 ||
	    close(file) < 0 || !open_board())
		die("the board");
	snprintf(board->folder, sizeof(board->folder), "%s", argv[1]);
	/* Orphans are reparented to us, and reaped by the kernel. */
	prctl(PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0);
	signal(SIGCHLD, SIG_IGN);
	begin_group(argv[0], argv[2]);
	run_script();
	for (unsigned i = 0; i < SLOTS; i++)
		if (board->slot[i].tid)
			printf("T %u %d\n", i, board->slot[i].tid);
	puts("end");
	fflush(stdout);
	while (getchar() != EOF)
		;
	end_group();
	return 0;
}

int main(int argc, char **argv)
{
	if (argc == 5 && strcmp(argv[1], "conduct") == 0)
		return conduct(argv + 2);
	if (argc == 2 && open_board())
		play((uint32_t)strtoul(argv[1], NULL, 10) % SLOTS);
	fprintf(stderr, "usage: actor conduct USER FOLDER NAME\n");
	return 2;
}
