/* SPDX-License-Identifier: GPL-2.0-only */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

#define STATE_TASKS_NEW STATE_TASKS ".new"

struct state {
	int folder;
	int fd;
	off_t size;
	struct state_header *header;
	bool is_ending;
};

/* ---- reading ---- */

static bool is_sound_attr(const struct task_attr *attr)
{
	return attr->policy <= POLICY_EXT && attr->nice >= -20 && attr->nice <= 19 &&
	       attr->rt_priority <= 99 && attr->reset_on_fork <= 1 && attr->util_min <= UTIL_FULL &&
	       attr->util_max <= UTIL_FULL && (!attr->io_priority || IO_CLASS(attr->io_priority) != IO_CLASS_NONE);
}

bool state_record_is_sound(const struct task *task)
{
	return task->tid > 0 && task->tgid > 0 && is_sound_attr(&task->had) && is_sound_attr(&task->known) &&
	       is_sound_attr(&task->prev) && task->state <= TASK_UNDONE;
}

static int check_header(const struct state_header *header, size_t size, const char *boot_id)
{
	if (memcmp(header->magic, STATE_MAGIC, sizeof(header->magic)) != 0)
		return -EBADMSG;
	if (header->version != STATE_VERSION)
		return -EPROTONOSUPPORT;
	if (size < STATE_HEADER_BYTES || header->record_bytes != sizeof(struct task) ||
	    header->chunk_records != TASKS_CHUNK || (size - STATE_HEADER_BYTES) % TASKS_CHUNK_BYTES != 0)
		return -EBADMSG;
	return memcmp(header->boot_id, boot_id, BOOT_ID_SIZE - 1) == 0 ? 0 : -ESTALE;
}

static bool is_sound_given(const struct given *given)
{
	return given->lowest_nice >= -20 && given->lowest_nice <= GIVEN_NICE_NONE && given->raised_nice >= -20 &&
	       given->raised_nice <= 19 && given->highest_rank <= 100;
}

static int adopt_records(struct task *records, size_t count, struct state_legacy *ret)
{
	ret->records = records;
	for (size_t i = 0; i < count; i++) {
		if (!records[i].tid)
			continue;
		if (!state_record_is_sound(&records[i]))
			return -EBADMSG;
		ret->n_changed += attr_difference(&records[i].known, &records[i].had) != 0;
		records[ret->n_records++] = records[i];
	}
	return 0;
}

int state_parse(void *bytes, size_t size, const char *boot_id, struct state_legacy *ret)
{
	const struct state_header *header = bytes;
	int r;

	*ret = (struct state_legacy){ 0 };
	if (size < STATE_PAGE)
		return -EBADMSG;
	r = check_header(header, size, boot_id);
	if (r == -ESTALE)
		return 0;
	if (r == 0)
		r = is_sound_given(&header->given) ? 0 : -EBADMSG;
	if (r == 0)
		r = adopt_records((struct task *)((char *)bytes + STATE_HEADER_BYTES),
				  (size - STATE_HEADER_BYTES) / sizeof(struct task), ret);
	ret->given = &header->given;
	ret->start = header->start;
	return r;
}

/* The latest time with these low 32 bits: ticks of 10 ms wrap around after 497 days. */
static uint64_t widen(uint32_t ticks)
{
	const uint64_t now = clock_ticks();

	return now - (uint32_t)(now - ticks);
}

static int read_state_file(int fd, size_t size, struct state_legacy *ret)
{
	/*
	 * Read the file instead of mapping it: a page that cannot be read back from swap would raise SIGBUS. Use shared
	 * memory, which does not count for RLIMIT_DATA: a million records would exceed that.
	 */
	void *bytes = mmap(NULL, size ? size : 1, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	char boot_id[BOOT_ID_SIZE];
	ssize_t n;
	int r;

	if (bytes == MAP_FAILED)
		return -errno;
	n = read_full(fd, bytes, size);
	r = n < 0 ? (int)n : host_boot_id(boot_id);
	if (r == 0)
		r = state_parse(bytes, n, boot_id, ret);
	ret->bytes = bytes;
	ret->size = size;
	return r;
}

static int read_state(int folder, const char *name, struct state_legacy *ret)
{
	_cleanup_close_ int fd = -1;
	size_t size = 0;
	int r;

	fd = state_file_open(folder, name, &size);
	if (fd < 0)
		return fd == -ENOENT ? 0 : fd;
	if (size > STATE_FILE_MAX)
		return -EBADMSG;
	r = read_state_file(fd, size, ret);
	if (r < 0)
		state_legacy_clear(ret);
	ret->start = widen((uint32_t)ret->start);
	return r;
}

int state_read(int folder, struct state_legacy *ret)
{
	int r;

	*ret = (struct state_legacy){ 0 };
	r = folder < 0 ? folder : read_state(folder, STATE_TASKS, ret);
	if (r < 0 || ret->n_records)
		return r;
	/* A missing file of a stop is no error: nothing is known then, as at the first start since boot. */
	state_legacy_clear(ret);
	read_state(folder, STATE_STOPPED, ret);
	ret->stopped = ret->n_records > 0;
	return 0;
}

void state_legacy_clear(struct state_legacy *legacy)
{
	if (legacy->bytes)
		munmap(legacy->bytes, legacy->size ? legacy->size : 1);
	*legacy = (struct state_legacy){ 0 };
}

/* ---- writing ---- */

/* posix_fallocate fails with EINTR if anything stops us for a while, such as the cgroup freezer. */
static bool allocate(int fd, off_t offset, size_t bytes)
{
	do {
		errno = posix_fallocate(fd, offset, (off_t)bytes);
	} while (errno == EINTR);
	return errno == 0;
}

/* Returns the offset within its page. Arm and POWER may have pages of 16 or 64 KiB, so a part can begin in one. */
static size_t offset_in_page(uintmax_t offset)
{
	return offset % (uintmax_t)sysconf(_SC_PAGESIZE);
}

/*
 * Extends and maps the file. Allocates now, because a later shortage would raise SIGBUS. Returns NULL on failure: see
 * errno.
 */
static void *map_more(struct state *state, size_t bytes)
{
	const size_t before = offset_in_page((uintmax_t)state->size);
	char *memory;

	if (!allocate(state->fd, state->size, bytes))
		return NULL;
	memory = mmap(NULL, before + bytes, PROT_READ | PROT_WRITE, MAP_SHARED, state->fd,
		      state->size - (off_t)before);
	if (memory == MAP_FAILED)
		return NULL;
	state->size += (off_t)bytes;
	return memory + before;
}

static void unmap(void *part, size_t bytes)
{
	const size_t before = offset_in_page((uintptr_t)part);

	munmap((char *)part - before, before + bytes);
}

static int write_header(struct state *state, uint64_t start)
{
	state->header = map_more(state, STATE_HEADER_BYTES);
	if (!state->header)
		return -errno;
	memcpy(state->header->magic, STATE_MAGIC, sizeof(state->header->magic));
	state->header->version = STATE_VERSION;
	state->header->record_bytes = sizeof(struct task);
	state->header->chunk_records = TASKS_CHUNK;
	state->header->start = (uint32_t)start;
	return host_boot_id(state->header->boot_id);
}

int state_new(int folder, uint64_t start, struct state **ret)
{
	/* A killed run may have left one. */
	int r = state_file_remove(folder, STATE_TASKS_NEW);
	struct state *state;

	if (r < 0)
		return r;
	state = calloc(1, sizeof(*state));
	if (!state)
		return -ENOMEM;
	state->folder = folder;
	state->fd = openat(folder, STATE_TASKS_NEW, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	r = state->fd < 0 ? -errno : write_header(state, start);
	if (r < 0)
		state_free(state);
	else
		*ret = state;
	return r;
}

/* Returns memory for TASKS_CHUNK records. */
static struct task *grow_file(void *context)
{
	struct state *state = context;
	void *chunk = map_more(state, TASKS_CHUNK_BYTES);

	if (!chunk && state->is_ending)
		chunk = mmap(NULL, TASKS_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
	return chunk == MAP_FAILED ? NULL : chunk;
}

static void release(void *context, struct task *chunk)
{
	(void)context;
	unmap(chunk, TASKS_CHUNK_BYTES);
}

struct tasks_memory state_memory(struct state *state)
{
	return (struct tasks_memory){ grow_file, release, state, &state->header->given };
}

int state_publish(struct state *state)
{
	return renameat(state->folder, STATE_TASKS_NEW, state->folder, STATE_TASKS) < 0 ? -errno : 0;
}

void state_ending(struct state *state)
{
	state->is_ending = true;
}

void state_free(struct state *state)
{
	if (!state)
		return;
	/* Remove a file that was never published. */
	unlinkat(state->folder, STATE_TASKS_NEW, 0);
	if (state->header)
		unmap(state->header, STATE_HEADER_BYTES);
	cleanup_close(&state->fd);
	free(state);
}

void state_stopped(int folder)
{
	renameat(folder, STATE_TASKS, folder, STATE_STOPPED);
}

void state_remove(int folder, bool all)
{
	unlinkat(folder, STATE_TASKS_NEW, 0);
	unlinkat(folder, STATE_TASKS, 0);
	if (all)
		unlinkat(folder, STATE_STOPPED, 0);
}
