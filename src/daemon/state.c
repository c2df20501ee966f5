/* SPDX-License-Identifier: GPL-2.0-only */
#include "state.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>

#include "state_format.h"

#define STATE_FILE RUNDIR "/schedqos/state"
#define STATE_FILE_NEW STATE_FILE ".new"

struct state {
	int fd;
	off_t size;
	struct state_header *header;
	bool is_whole;
};

/* The latest time that these 32 bits can mean: ticks of 10 ms come round after 497 days. */
static uint64_t widen(uint32_t ticks)
{
	const uint64_t now = clock_ticks();

	return now - (uint32_t)(now - ticks);
}

int state_read(struct state_legacy *ret)
{
	_cleanup_close_ int fd = open(STATE_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	char boot_id[BOOT_ID_SIZE];
	struct stat stat;
	void *bytes;
	int r;

	*ret = (struct state_legacy){ 0 };
	if (fd < 0)
		return errno == ENOENT ? 0 : errno == ELOOP ? -EBADMSG : -errno;
	if (fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || (stat.st_mode & 0077) ||
	    stat.st_size < (off_t)STATE_HEADER_BYTES || stat.st_size > STATE_FILE_MAX)
		return -EBADMSG;
	r = machine_boot_id(boot_id);
	if (r < 0)
		return r;
	/* A copy of it: what is checked is what is used. */
	bytes = mmap(NULL, stat.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	r = state_parse(bytes, stat.st_size, boot_id, ret);
	munmap(bytes, stat.st_size);
	if (r < 0)
		state_legacy_clear(ret);
	else
		ret->start = widen((uint32_t)ret->start);
	return r;
}

void state_legacy_clear(struct state_legacy *legacy)
{
	free(legacy->records);
	free(legacy->tags);
	*legacy = (struct state_legacy){ 0 };
}

/* Maps so much more of the file, whose room in memory is taken now: a later shortage would be a SIGBUS. */
static void *map_more(struct state *state, size_t bytes)
{
	void *memory;

	if (posix_fallocate(state->fd, state->size, bytes) != 0)
		return NULL;
	memory = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, state->fd, state->size);
	if (memory == MAP_FAILED)
		return NULL;
	state->size += (off_t)bytes;
	return memory;
}

int state_new(uint64_t start, struct state **ret)
{
	struct state *state = calloc(1, sizeof(*state));
	int r = -ENOSPC;

	if (!state)
		return -ENOMEM;
	*state = (struct state){ .fd = -1, .is_whole = true };
	if (unlink(STATE_FILE_NEW) < 0 && errno != ENOENT)
		goto fail_errno;
	state->fd = open(STATE_FILE_NEW, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (state->fd < 0)
		goto fail_errno;
	state->header = map_more(state, STATE_HEADER_BYTES);
	if (!state->header)
		goto fail;
	memcpy(state->header->magic, STATE_MAGIC, sizeof(state->header->magic));
	state->header->version = STATE_VERSION;
	state->header->record_bytes = sizeof(struct task);
	state->header->chunk_records = TASKS_CHUNK;
	state->header->start = (uint32_t)start;
	r = machine_boot_id(state->header->boot_id);
	if (r < 0)
		goto fail;
	*ret = state;
	return 0;
fail_errno:
	r = -errno;
fail:
	unlink(STATE_FILE_NEW);
	state_free(state);
	return r;
}

static struct task *grow(void *context)
{
	struct state *state = context;
	struct task *chunk = map_more(state, TASKS_CHUNK_BYTES);

	if (chunk)
		return chunk;
	state->is_whole = false;
	chunk = mmap(NULL, TASKS_CHUNK_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS,
		     -1, 0);
	return chunk == MAP_FAILED ? NULL : chunk;
}

static void release(void *context, struct task *chunk)
{
	(void)context;
	munmap(chunk, TASKS_CHUNK_BYTES);
}

struct tasks_memory state_memory(struct state *state)
{
	return (struct tasks_memory){ grow, release, state };
}

bool state_is_whole(const struct state *state)
{
	return state->is_whole;
}

static bool holds(const struct state_tags *tags, const struct qos_attr *attr)
{
	for (uint32_t i = 0; i < tags->count; i++) {
		if (memcmp(&tags->tags[i], attr, sizeof(*attr)) == 0)
			return true;
	}
	return false;
}

void state_note_tags(struct state *state, const struct given *given)
{
	struct state_header *header = state->header;
	struct state_tags *last = state_newer_tags(header);
	struct state_tags *next = last == &header->tags[0] ? &header->tags[1] : &header->tags[0];

	next->sum = 0;
	task_publish();
	*next = last ? *last : (struct state_tags){ 0 };
	for (size_t i = 0; i < given->count && next->count < STATE_TAGS_MAX; i++) {
		if (!holds(next, &given->attrs[i]))
			next->tags[next->count++] = given->attrs[i];
	}
	next->sequence++;
	task_publish();
	next->sum = state_tags_sum(next);
}

int state_publish(void)
{
	return rename(STATE_FILE_NEW, STATE_FILE) < 0 ? -errno : 0;
}

void state_free(struct state *state)
{
	if (!state)
		return;
	if (state->header)
		munmap(state->header, STATE_HEADER_BYTES);
	if (state->fd >= 0)
		close(state->fd);
	free(state);
}

void state_remove(void)
{
	unlink(STATE_FILE);
}
