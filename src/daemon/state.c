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

#define STATE_FILE RUNDIR "/schedqos/state"
#define STATE_FILE_NEW STATE_FILE ".new"

#define MAGIC "schedqos"
#define VERSION_NUMBER 1
#define BOOT_ID_BYTES 37

/* More tags than this, and only these are recognised after a crash; the announcement's mapping makes five. */
#define TAGS_MAX 480

/* Far more tasks than a machine can have. */
#define FILE_MAX ((off_t)1 << 30)

/* Two, of which the one with the higher sequence and a good sum counts: the other may be half written. */
struct state_tags {
	uint64_t sum;
	uint64_t sequence;
	uint32_t count;
	uint32_t unused;
	struct qos_attr tags[TAGS_MAX];
};

struct state_header {
	char magic[8];
	uint32_t version;
	uint32_t record_bytes;
	uint32_t chunk_records;
	uint32_t start;
	char boot_id[BOOT_ID_BYTES + 3];
	struct state_tags tags[2];
};

#define PAGE ((size_t)4096)
#define HEADER_BYTES ((sizeof(struct state_header) + PAGE - 1) / PAGE * PAGE)
_Static_assert(TASKS_CHUNK_BYTES % 4096 == 0, "chunks are mapped");

struct state {
	int fd;
	off_t size;
	struct state_header *header;
	bool is_whole;
};

static int read_boot_id(char id[BOOT_ID_BYTES])
{
	_cleanup_close_ int fd = open("/proc/sys/kernel/random/boot_id", O_RDONLY | O_CLOEXEC);

	if (fd < 0)
		return -errno;
	return read(fd, id, BOOT_ID_BYTES - 1) == BOOT_ID_BYTES - 1 ? 0 : -EIO;
}

/* FNV-1a over words: this is against writes that were cut short, not against somebody's will. */
static uint64_t sum_of(const struct state_tags *tags)
{
	const unsigned char *bytes = (const unsigned char *)tags;
	uint64_t sum = 0xcbf29ce484222325ULL;

	for (size_t i = sizeof(tags->sum); i < sizeof(*tags); i++)
		sum = (sum ^ bytes[i]) * 0x100000001b3ULL;
	return sum;
}

static bool is_whole(const struct state_tags *tags)
{
	return tags->count <= TAGS_MAX && tags->sum == sum_of(tags);
}

/* The one that counts, or NULL when neither is whole. */
static struct state_tags *newer(struct state_header *header)
{
	struct state_tags *a = &header->tags[0], *b = &header->tags[1];

	if (!is_whole(a) || !is_whole(b))
		return is_whole(a) ? a : is_whole(b) ? b : NULL;
	return a->sequence > b->sequence ? a : b;
}

static bool is_sound_attr(const struct task_attr *attr)
{
	return attr->policy <= POLICY_EXT && attr->nice >= -20 && attr->nice <= 19 &&
	       attr->rt_priority <= 99 && attr->reset_on_fork <= 1 && attr->util_min <= UTIL_FULL &&
	       attr->util_max <= UTIL_FULL;
}

static bool is_sound(const struct task *task)
{
	return task->tid > 0 && task->tgid > 0 && is_sound_attr(&task->had) &&
	       is_sound_attr(&task->known) && task_policy_is_fair(task->had.policy);
}

static int check_header(struct state_header *header, off_t size, const char *boot_id)
{
	if (memcmp(header->magic, MAGIC, sizeof(header->magic)) != 0 ||
	    header->version != VERSION_NUMBER || header->record_bytes != sizeof(struct task) ||
	    header->chunk_records != TASKS_CHUNK || !newer(header))
		return -EBADMSG;
	if ((size - HEADER_BYTES) % TASKS_CHUNK_BYTES != 0)
		return -EBADMSG;
	return memcmp(header->boot_id, boot_id, BOOT_ID_BYTES - 1) == 0 ? 0 : -ESTALE;
}

static int copy_tags(const struct state_tags *from, struct state_legacy *ret)
{
	ret->tags = calloc(from->count + 1, sizeof(*ret->tags));
	if (!ret->tags)
		return -ENOMEM;
	memcpy(ret->tags, from->tags, from->count * sizeof(*ret->tags));
	ret->n_tags = from->count;
	return 0;
}

static int copy_records(const struct task *records, size_t count, struct state_legacy *ret)
{
	ret->records = calloc(count + 1, sizeof(*ret->records));
	if (!ret->records)
		return -ENOMEM;
	for (size_t i = 0; i < count; i++) {
		if (!records[i].tid || !(records[i].flags & TASK_OWNED))
			continue;
		if (!is_sound(&records[i]))
			return -EBADMSG;
		ret->records[ret->n_records++] = records[i];
	}
	return 0;
}

static int parse(char *bytes, off_t size, struct state_legacy *ret)
{
	struct state_header *header = (struct state_header *)bytes;
	char boot_id[BOOT_ID_BYTES];
	int r = read_boot_id(boot_id);

	if (r == 0)
		r = check_header(header, size, boot_id);
	if (r == -ESTALE)
		return 0;
	if (r == 0)
		r = copy_tags(newer(header), ret);
	if (r == 0)
		r = copy_records((const struct task *)(bytes + HEADER_BYTES),
				 (size - HEADER_BYTES) / sizeof(struct task), ret);
	ret->start = header->start;
	return r;
}

int state_read(struct state_legacy *ret)
{
	_cleanup_close_ int fd = open(STATE_FILE, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
	struct stat stat;
	void *bytes;
	int r;

	*ret = (struct state_legacy){ 0 };
	if (fd < 0)
		return errno == ENOENT ? 0 : errno == ELOOP ? -EBADMSG : -errno;
	if (fstat(fd, &stat) < 0)
		return -errno;
	if (!S_ISREG(stat.st_mode) || stat.st_uid != geteuid() || (stat.st_mode & 0077) ||
	    stat.st_size < (off_t)HEADER_BYTES || stat.st_size > FILE_MAX)
		return -EBADMSG;
	/* A copy of it: what is checked is what is used. */
	bytes = mmap(NULL, stat.st_size, PROT_READ | PROT_WRITE, MAP_PRIVATE, fd, 0);
	if (bytes == MAP_FAILED)
		return -errno;
	r = parse(bytes, stat.st_size, ret);
	munmap(bytes, stat.st_size);
	if (r < 0)
		state_legacy_clear(ret);
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

int state_new(uint32_t start, struct state **ret)
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
	state->header = map_more(state, HEADER_BYTES);
	if (!state->header)
		goto fail;
	memcpy(state->header->magic, MAGIC, sizeof(state->header->magic));
	state->header->version = VERSION_NUMBER;
	state->header->record_bytes = sizeof(struct task);
	state->header->chunk_records = TASKS_CHUNK;
	state->header->start = start;
	r = read_boot_id(state->header->boot_id);
	if (r < 0)
		goto fail;
	*ret = state;
	return 0;
fail_errno:
	r = -errno;
fail:
	state_free(state, false);
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

void state_note_tags(struct state *state, const struct qos_attr *tags, size_t n_tags)
{
	struct state_header *header = state->header;
	struct state_tags *last = newer(header);
	struct state_tags *next = last == &header->tags[0] ? &header->tags[1] : &header->tags[0];

	next->sum = 0;
	task_publish();
	*next = last ? *last : (struct state_tags){ 0 };
	for (size_t i = 0; i < n_tags && next->count < TAGS_MAX; i++) {
		if (!holds(next, &tags[i]))
			next->tags[next->count++] = tags[i];
	}
	next->sequence++;
	task_publish();
	next->sum = sum_of(next);
}

int state_publish(struct state *state)
{
	(void)state;
	return rename(STATE_FILE_NEW, STATE_FILE) < 0 ? -errno : 0;
}

void state_free(struct state *state, bool remove)
{
	if (!state)
		return;
	if (state->header)
		munmap(state->header, HEADER_BYTES);
	if (state->fd >= 0)
		close(state->fd);
	free(state);
	if (remove)
		state_remove();
}

void state_remove(void)
{
	unlink(STATE_FILE);
}
