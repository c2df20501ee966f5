/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies what the next daemon finds in the state file, also after a kill during a write or without room. */
#include "made_up_tree.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

#include <schedqos/util/file.h>

#include "../../src/tagging/state.h"

#define FILE_NAME "run/state"
#define NEW_NAME  "run/state.new"

/* ---- system calls that fail on request ---- */

static bool is_full;	 /* posix_fallocate fails */
static unsigned interrupted; /* it is interrupted this many times first */
static unsigned fuse;	 /* kills this process at the nth change of the file or its memory; 0: never */

static void burn_fuse(void)
{
	if (fuse && --fuse == 0)
		raise(SIGKILL);
}

/* Replaces the C library's function, which state.c calls. */
int posix_fallocate(int fd, off_t offset, off_t length)
{
	static int (*next)(int fd, off_t offset, off_t length);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "posix_fallocate");
	burn_fuse();
	if (interrupted) {
		interrupted--;
		return EINTR;
	}
	return is_full ? ENOSPC : next(fd, offset, length);
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	static int (*next)(int from_folder, const char *from, int to_folder, const char *to);
	int r;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "renameat");
	burn_fuse();
	r = next(from_folder, from, to_folder, to);
	burn_fuse();
	return r;
}

/* ---- the part of a daemon that keeps records ---- */

static int folder;
static struct state *state_now;
static struct tasks *tasks;
static struct tasks_memory memory;
static struct given given;
static struct state_legacy legacy;

static void begin(void)
{
	assert_int_equal(state_new(folder, 1000, &state_now), 0);
	memory = state_memory(state_now);
	tasks = tasks_new(&memory);
	assert_non_null(tasks);
}

static void end(void)
{
	tasks_free(tasks);
	tasks = NULL;
	state_free(state_now);
	state_now = NULL;
}

static int set_up(void **state)
{
	if (make_trees(state) < 0)
		return -1;
	interrupted = fuse = 0;
	is_full = false;
	make_folder("run");
	folder = open_folder("run");
	begin();
	given_init(&given);
	given_add(&given, &qos_builtin[0].attr);
	return 0;
}

static int tear_down(void **state)
{
	end();
	state_legacy_clear(&legacy);
	close(folder);
	return remove_trees(state);
}

static void add(pid_t first, unsigned count)
{
	struct task task = { .had = task_attr_pristine, .known = task_attr_pristine };

	for (unsigned i = 0; i < count; i++) {
		task.tid = task.tgid = first + (pid_t)i;
		task.start = (uint32_t)task.tid * 2;
		assert_non_null(tasks_put(tasks, &task));
	}
}

static void keep(void)
{
	*memory.given = given;
	assert_int_equal(state_publish(state_now), 0);
}

/* Reads the file as the next daemon would, and expects this many records. */
static void assert_left(size_t n_records)
{
	state_legacy_clear(&legacy);
	assert_int_equal(state_read(folder, &legacy), 0);
	assert_int_equal(legacy.n_records, n_records);
	for (size_t i = 0; i < n_records; i++)
		assert_int_equal(legacy.records[i].start, legacy.records[i].tid * 2);
}

#define TEST_STATE_TEST(name) TEST_IN(name, set_up, tear_down)

TEST_STATE_TEST(records_are_read_back)
{
	add(10, 3);
	keep();
	assert_null(get(NEW_NAME));
	assert_left(3);
	assert_int_equal(legacy.start, 1000);
	assert_int_equal(legacy.given->lowest_nice, -4);
	add(100, 2 * TASKS_CHUNK);
	assert_left(3 + 2 * TASKS_CHUNK);
	tasks_remove(tasks, tasks_find(tasks, 12));
	assert_left(2 + 2 * TASKS_CHUNK);
}

TEST_STATE_TEST(an_interrupted_allocation_is_retried)
{
	interrupted = 3;
	add(10, 1);
	keep();
	interrupted = 2;
	add(100, TASKS_CHUNK);
	assert_left(1 + TASKS_CHUNK);
}

/* Starts a second daemon after one that was killed with three records. */
static void restart_after_crash(void)
{
	add(10, 3);
	keep();
	end();
	begin();
	add(10, 4);
}

TEST_STATE_TEST(an_earlier_file_is_replaced)
{
	restart_after_crash();
	add(100, TASKS_CHUNK);
	keep();
	assert_left(4 + TASKS_CHUNK);
}

TEST_STATE_TEST(a_record_without_room_is_refused)
{
	struct task task = { .tid = 2000, .tgid = 2000, .had = task_attr_pristine, .known = task_attr_pristine };

	add(10, TASKS_CHUNK);
	keep();
	is_full = true;
	assert_null(tasks_put(tasks, &task));
	assert_left(TASKS_CHUNK);
	is_full = false;
	add(2000, 1);
	assert_left(1 + TASKS_CHUNK);
}

/* Each task needs a record to be put back. */
TEST_STATE_TEST(at_the_end_records_need_no_room_in_the_file)
{
	add(10, TASKS_CHUNK);
	keep();
	is_full = true;
	state_ending(state_now);
	add(2000, TASKS_CHUNK);
	assert_left(TASKS_CHUNK);
}

TEST_STATE_TEST(without_room_no_file_is_made)
{
	struct state *none = NULL;

	add(10, 3);
	keep();
	end();
	is_full = true;
	assert_int_equal(state_new(folder, 1000, &none), -ENOSPC);
	assert_null(get(NEW_NAME));
	assert_left(3);
	is_full = false;
	begin();
}

TEST_STATE_TEST(an_early_end_leaves_the_earlier_file)
{
	restart_after_crash();
	end();
	assert_left(3);
	assert_null(get(NEW_NAME));
	begin();
}

/* Keeps records in another process, which is killed at the nth change. Returns whether it survived. */
static bool survives(unsigned n)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		end();
		fuse = n;
		begin();
		add(10, 3 + TASKS_CHUNK);
		keep();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status);
}

TEST_STATE_TEST(a_kill_leaves_the_old_or_the_new_file)
{
	unsigned n = 0, n_old = 0, n_new = 0;
	bool survived;

	add(10, 3);
	keep();
	do {
		survived = survives(++n);
		state_legacy_clear(&legacy);
		assert_int_equal(state_read(folder, &legacy), 0);
		n_old += legacy.n_records == 3;
		n_new += legacy.n_records == 3 + TASKS_CHUNK;
	} while (!survived && n < 100);
	assert_true(survived);
	assert_true(n > 5 && n_old >= 4 && n_new >= 2);
	assert_int_equal(n_old + n_new, n);
}

TEST_STATE_TEST(a_file_that_cannot_be_read_now_is_kept)
{
	struct rlimit limit, none;
	int r;

	add(10, 1);
	keep();
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	r = state_read(folder, &legacy);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(r, -EMFILE);
	assert_int_equal(state_file_set_aside(folder, "state", "it", r), r);
	assert_int_equal(state_read(-ENFILE, &legacy), -ENFILE);
	assert_left(1);
}

TEST_STATE_TEST(a_damaged_or_foreign_file_cannot_be_used)
{
	put(FILE_NAME, "x");
	assert_int_equal(state_read(folder, &legacy), -EPERM);
	assert_int_equal(fchmodat(folder, "state", 0600, 0), 0);
	assert_int_equal(state_read(folder, &legacy), -EBADMSG);
	take_away(FILE_NAME);
	make_link("elsewhere", FILE_NAME);
	assert_int_equal(state_read(folder, &legacy), -EPERM);
}

TEST_STATE_TEST(setting_aside_keeps_the_first_file)
{
	put(FILE_NAME, "one");
	assert_int_equal(state_file_set_aside(folder, "state", "it", -EBADMSG), 0);
	assert_null(get(FILE_NAME));
	assert_string_equal(get("run/state.damaged"), "one");
	put(FILE_NAME, "two");
	/* A file that may be readable later stays. */
	assert_int_equal(state_file_set_aside(folder, "state", "it", -EIO), -EIO);
	assert_int_equal(state_file_set_aside(folder, "state", "it", -EACCES), -EACCES);
	assert_string_equal(get(FILE_NAME), "two");
	assert_int_equal(state_file_set_aside(folder, "state", "it", -EPERM), 0);
	assert_null(get(FILE_NAME));
	assert_string_equal(get("run/state.damaged"), "one");
}

TEST_STATE_TEST(after_a_stop_the_file_has_another_name)
{
	add(10, 2);
	keep();
	assert_left(2);
	assert_false(legacy.stopped);
	state_stopped(folder);
	assert_null(get(FILE_NAME));
	assert_left(2);
	assert_true(legacy.stopped);
	state_remove(folder, false);
	assert_non_null(get("run/" STATE_STOPPED));
	state_remove(folder, true);
	assert_null(get("run/" STATE_STOPPED));
}

/* The unit has a memory limit, which the records of a million tasks would exceed. */
TEST_STATE_TEST(reading_needs_no_private_memory)
{
	const struct rlimit little = { .rlim_cur = 1 << 20, .rlim_max = RLIM_INFINITY };
	struct rlimit before;

	add(10, 64 * TASKS_CHUNK);
	keep();
	assert_int_equal(getrlimit(RLIMIT_DATA, &before), 0);
	assert_int_equal(setrlimit(RLIMIT_DATA, &little), 0);
	state_legacy_clear(&legacy);
	assert_int_equal(state_read(folder, &legacy), 0);
	assert_int_equal(setrlimit(RLIMIT_DATA, &before), 0);
	assert_int_equal(legacy.n_records, 64 * TASKS_CHUNK);
}

TEST_STATE_TEST(removing_the_records_leaves_no_files)
{
	keep();
	put(NEW_NAME, "of one that was killed");
	state_remove(folder, true);
	assert_null(get(FILE_NAME));
	assert_null(get(NEW_NAME));
}
