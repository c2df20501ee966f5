/* SPDX-License-Identifier: GPL-2.0-only */
/* The state file while a daemon writes it, and the room for it comes and goes: what the next one finds in it. */
#include "made_up_tree.h"

#include <dlfcn.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include <schedqos/util/state_folder.h>

#include "../../src/tagging/state_private.h"

#define FILE_NAME "run/state"
#define NEW_NAME  "run/state.new"

/* ---- what the kernel does ---- */

static int no_room;	 /* the error of taking more room; 0: there is some */
static int rooms = -1;	 /* so often there is some, and then ENOSPC; -1: always */
static unsigned stopped; /* so often it is interrupted first */
static unsigned fuse;	 /* kills this process at the nth thing it does to the file or its memory; 0: never */

static void burn(void)
{
	if (fuse && --fuse == 0)
		raise(SIGKILL);
}

/* Instead of the C library's, which state.c calls. */
int posix_fallocate(int fd, off_t offset, off_t length)
{
	static int (*next)(int fd, off_t offset, off_t length);

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "posix_fallocate");
	burn();
	if (stopped) {
		stopped--;
		return EINTR;
	}
	if (no_room || rooms == 0)
		return no_room ? no_room : ENOSPC;
	if (rooms > 0)
		rooms--;
	return next(fd, offset, length);
}

void *mremap(void *from, size_t from_size, size_t to_size, int flags, ...)
{
	static void *(*next)(void *from, size_t from_size, size_t to_size, int flags, void *to);
	va_list args;
	void *to;

	va_start(args, flags);
	to = va_arg(args, void *);
	va_end(args);
	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "mremap");
	burn();
	to = next(from, from_size, to_size, flags, to);
	burn();
	return to;
}

int renameat(int from_folder, const char *from, int to_folder, const char *to)
{
	static int (*next)(int from_folder, const char *from, int to_folder, const char *to);
	int r;

	if (!next)
		*(void **)&next = dlsym(RTLD_NEXT, "renameat");
	burn();
	r = next(from_folder, from, to_folder, to);
	burn();
	return r;
}

/* ---- a daemon, as far as it keeps records ---- */

static int folder;
static struct state *state_now;
static struct tasks *tasks;
static struct given given;
static struct state_legacy legacy;

static void begin(bool replaces)
{
	struct tasks_memory memory;

	assert_int_equal(state_new(folder, 1000, replaces, &state_now), 0);
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
	no_room = stopped = fuse = 0;
	rooms = -1;
	make_folder("run");
	folder = open_folder("run");
	begin(false);
	return given_add(&given, &qos_builtin[0].attr);
}

static int tear_down(void **state)
{
	end();
	given_clear(&given);
	state_legacy_clear(&legacy);
	close(folder);
	return remove_trees(state);
}

static void add(pid_t first, unsigned count)
{
	struct task task = { .had = task_attr_pristine, .known = task_attr_pristine, .before = task_attr_pristine };

	for (unsigned i = 0; i < count; i++) {
		task.tid = task.tgid = first + (pid_t)i;
		task.start = (uint32_t)task.tid * 2;
		assert_non_null(tasks_put(tasks, &task));
	}
}

static int keep(void)
{
	int r = state_keep(state_now, &given);

	assert_int_equal(state_error(state_now), r);
	return r;
}

/* Reads what the next one would find: so many records. */
static void assert_left(size_t n_records)
{
	state_legacy_clear(&legacy);
	assert_int_equal(state_read(folder, &legacy), 0);
	assert_int_equal(legacy.n_records, n_records);
	for (size_t i = 0; i < n_records; i++)
		assert_int_equal(legacy.records[i].start, legacy.records[i].tid * 2);
}

static void all_that_is_kept_is_found(void **state)
{
	(void)state;
	assert_int_equal(state_error(state_now), -EAGAIN);
	add(10, 3);
	assert_int_equal(keep(), 0);
	assert_null(get(NEW_NAME));
	assert_left(3);
	assert_int_equal(legacy.start, 1000);
	assert_int_equal(legacy.n_tags, 1);
	add(100, 2 * TASKS_CHUNK);
	assert_int_equal(state_error(state_now), 0);
	assert_left(3 + 2 * TASKS_CHUNK);
	tasks_remove(tasks, tasks_find(tasks, 12));
	assert_left(2 + 2 * TASKS_CHUNK);
}

static void an_interruption_is_no_shortage(void **state)
{
	(void)state;
	stopped = 3;
	add(10, 1);
	assert_int_equal(keep(), 0);
	stopped = 2;
	add(100, TASKS_CHUNK);
	assert_int_equal(state_error(state_now), 0);
	assert_left(1 + TASKS_CHUNK);
}

static void what_had_no_room_is_kept_when_there_is_some(void **state)
{
	const struct task *before[3];

	(void)state;
	add(10, 1);
	assert_int_equal(keep(), 0);
	no_room = ENOSPC;
	add(100, 3 * TASKS_CHUNK);
	assert_int_equal(state_error(state_now), -ENOSPC);
	assert_left(TASKS_CHUNK);
	assert_int_equal(keep(), -ENOSPC);
	for (int i = 0; i < 3; i++)
		before[i] = tasks_find(tasks, 1000 + i * TASKS_CHUNK);
	no_room = 0;
	assert_int_equal(keep(), 0);
	assert_left(1 + 3 * TASKS_CHUNK);
	/* Who had a record still has it, and what becomes of it is kept. */
	for (int i = 0; i < 3; i++)
		assert_ptr_equal(tasks_find(tasks, 1000 + i * TASKS_CHUNK), before[i]);
	tasks_remove(tasks, tasks_find(tasks, 1000));
	assert_left(3 * TASKS_CHUNK);
}

static void a_file_that_could_not_be_made_is_made_later(void **state)
{
	(void)state;
	no_room = ENOSPC;
	add(10, 5);
	assert_int_equal(keep(), -ENOSPC);
	assert_null(get(NEW_NAME));
	assert_left(0);
	add(100, TASKS_CHUNK);
	no_room = EFBIG;
	assert_int_equal(keep(), -EFBIG);
	no_room = 0;
	assert_int_equal(keep(), 0);
	assert_left(5 + TASKS_CHUNK);
	assert_int_equal(legacy.n_tags, 1);
}

/* A second daemon, after one that was killed with three records. */
static void after_a_crash(void)
{
	add(10, 3);
	assert_int_equal(keep(), 0);
	end();
	begin(true);
	add(10, 4);
}

static void an_earlier_file_stays_until_the_new_one_holds_all(void **state)
{
	(void)state;
	after_a_crash();
	add(100, TASKS_CHUNK);
	/* Its header, and one chunk of two. */
	rooms = 2;
	assert_int_equal(keep(), -ENOSPC);
	assert_left(3);
	rooms = -1;
	assert_int_equal(keep(), 0);
	assert_left(4 + TASKS_CHUNK);
}

static void one_that_ended_early_leaves_the_earlier_file(void **state)
{
	(void)state;
	after_a_crash();
	assert_left(3);
	assert_null(get(NEW_NAME));
}

static void more_tags_than_there_is_room_for_are_told(void **state)
{
	struct qos_attr attr = qos_builtin[1].attr;

	(void)state;
	for (uint32_t i = 1; i < STATE_TAGS_MAX; i++) {
		attr.runtime = 1000000 + i;
		assert_int_equal(given_add(&given, &attr), 0);
	}
	assert_int_equal(keep(), 0);
	assert_left(0);
	assert_int_equal(legacy.n_tags, STATE_TAGS_MAX);
	attr.runtime = 1;
	assert_int_equal(given_add(&given, &attr), 0);
	assert_int_equal(keep(), -E2BIG);
	assert_int_equal(keep(), -E2BIG);
	assert_left(0);
	assert_int_equal(legacy.n_tags, STATE_TAGS_MAX);
	/* And what can be mended comes first. */
	no_room = ENOSPC;
	add(10, 1);
	assert_int_equal(keep(), -ENOSPC);
}

/* In a process of its own. Returns whether it lived. */
static bool live_until(unsigned when)
{
	pid_t child = fork();
	int status;

	if (child == 0) {
		end();
		begin(true);
		add(10, 3 + TASKS_CHUNK);
		no_room = ENOSPC;
		keep();
		no_room = 0;
		fuse = when;
		keep();
		_exit(0);
	}
	assert_int_equal(waitpid(child, &status, 0), child);
	return WIFEXITED(status);
}

static void killed_at_any_moment_it_leaves_the_one_or_the_other(void **state)
{
	unsigned when = 0, n_old = 0, n_new = 0;
	bool lived;

	(void)state;
	add(10, 3);
	assert_int_equal(keep(), 0);
	do {
		lived = live_until(++when);
		state_legacy_clear(&legacy);
		assert_int_equal(state_read(folder, &legacy), 0);
		n_old += legacy.n_records == 3;
		n_new += legacy.n_records == 3 + TASKS_CHUNK;
	} while (!lived && when < 100);
	assert_true(lived);
	assert_true(when > 5 && n_old >= 4 && n_new >= 2);
	assert_int_equal(n_old + n_new, when);
}

static void one_that_cannot_be_read_now_is_not_said_to_be_void(void **state)
{
	struct rlimit limit, none;
	int r;

	(void)state;
	add(10, 1);
	assert_int_equal(keep(), 0);
	assert_int_equal(getrlimit(RLIMIT_NOFILE, &limit), 0);
	none = limit;
	none.rlim_cur = 0;
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &none), 0);
	r = state_read(folder, &legacy);
	assert_int_equal(setrlimit(RLIMIT_NOFILE, &limit), 0);
	assert_int_equal(r, -EMFILE);
	assert_false(state_file_is_void(r));
	assert_int_equal(state_read(-ENFILE, &legacy), -ENFILE);
	assert_left(1);
}

static void one_that_is_void_is_said_to_be(void **state)
{
	(void)state;
	put(FILE_NAME, "x");
	assert_int_equal(state_read(folder, &legacy), -EPERM);
	assert_int_equal(fchmodat(folder, "state", 0600, 0), 0);
	assert_int_equal(state_read(folder, &legacy), -EBADMSG);
	take_away(FILE_NAME);
	make_link("elsewhere", FILE_NAME);
	assert_int_equal(state_read(folder, &legacy), -EPERM);
	assert_true(state_file_is_void(-EPERM) && state_file_is_void(-EBADMSG) && state_file_is_void(-EPROTONOSUPPORT));
	assert_false(state_file_is_void(0) || state_file_is_void(-EIO) || state_file_is_void(-EACCES));
}

static void the_first_that_is_set_aside_stays(void **state)
{
	(void)state;
	put(FILE_NAME, "one");
	assert_int_equal(state_file_set_aside(folder, "state"), 0);
	assert_null(get(FILE_NAME));
	assert_string_equal(get("run/state.damaged"), "one");
	put(FILE_NAME, "two");
	assert_int_equal(state_file_set_aside(folder, "state"), 1);
	assert_null(get(FILE_NAME));
	assert_string_equal(get("run/state.damaged"), "one");
}

static void what_is_removed_leaves_nothing(void **state)
{
	(void)state;
	assert_int_equal(keep(), 0);
	put(NEW_NAME, "of one that was killed");
	state_remove(folder);
	assert_null(get(FILE_NAME));
	assert_null(get(NEW_NAME));
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
	const struct CMUnitTest tests[] = {
		TEST(all_that_is_kept_is_found),
		TEST(an_interruption_is_no_shortage),
		TEST(what_had_no_room_is_kept_when_there_is_some),
		TEST(a_file_that_could_not_be_made_is_made_later),
		TEST(an_earlier_file_stays_until_the_new_one_holds_all),
		TEST(one_that_ended_early_leaves_the_earlier_file),
		TEST(more_tags_than_there_is_room_for_are_told),
		TEST(killed_at_any_moment_it_leaves_the_one_or_the_other),
		TEST(one_that_cannot_be_read_now_is_not_said_to_be_void),
		TEST(one_that_is_void_is_said_to_be),
		TEST(the_first_that_is_set_aside_stays),
		TEST(what_is_removed_leaves_nothing),
	};

	return cmocka_run_group_tests(tests, NULL, NULL);
}
