/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Records live in chunks, so that they do not move and growing copies nothing; a hash by tid chains them by
 * number. Tids are handed out in sequence, so their low bits are as good a hash as any.
 */
#include <schedqos/policy/tasks.h>

#include <stdlib.h>
#include <string.h>

#define CHUNK_BITS 10
#define CHUNK_SIZE (1U << CHUNK_BITS)
_Static_assert(CHUNK_SIZE == TASKS_CHUNK, "a record's number is its chunk and its place there");
#define NIL UINT32_MAX
#define HEADS_MIN 1024

struct tasks {
	struct tasks_memory memory;
	struct task **chunks;
	uint32_t n_chunks, chunks_size;
	uint32_t *heads; /* n_heads chains; a power of two */
	uint32_t n_heads;
	uint32_t free; /* chain of free records */
	size_t count;
	uint64_t failed;
};

const char *reason_name(enum reason reason)
{
	static const char *const names[REASON_COUNT] = {
		[REASON_NONE] = "undecided",
		[REASON_RULE] = "rule",
		[REASON_THREAD] = "thread-rule",
		[REASON_INHERITED] = "inherited-rule",
		[REASON_DEFAULT] = "default",
		[REASON_OVERRIDE] = "override",
		[REASON_UNIT] = "unit",
		[REASON_NO_RULE] = "no-rule",
		[REASON_CHOSEN] = "chosen-by-others",
		[REASON_CHANGED] = "changed-by-others",
		[REASON_NOT_FAIR] = "not-fair",
		[REASON_REFUSED] = "refused",
		[REASON_NOT_KEPT] = "not-kept",
		[REASON_UNDONE] = "undone",
	};

	return reason < REASON_COUNT ? names[reason] : "?";
}

enum reason task_reason(const struct task *task)
{
	static const enum reason assigned[] = {
		[ASSIGNED_NOT_YET] = REASON_NONE,	    [ASSIGNED_BY_RULE] = REASON_RULE,
		[ASSIGNED_BY_THREAD] = REASON_THREAD,	    [ASSIGNED_BY_INHERITED] = REASON_INHERITED,
		[ASSIGNED_BY_DEFAULT] = REASON_DEFAULT,	    [ASSIGNED_NO_CLASS] = REASON_NONE,
		[ASSIGNED_BY_OVERRIDE] = REASON_OVERRIDE,   [ASSIGNED_BY_UNIT] = REASON_UNIT,
	};

	switch ((enum task_state)task->state) {
	case TASK_UNDECIDED:
		break;
	case TASK_TAGGED:
		return task->theirs ? REASON_CHANGED : assigned[task->assigned_by];
	case TASK_LEFT_ALONE:
		return task->assigned_by == ASSIGNED_NO_CLASS ? REASON_NO_RULE : REASON_CHOSEN;
	case TASK_NOT_FAIR:
		return REASON_NOT_FAIR;
	case TASK_REFUSED:
		return REASON_REFUSED;
	case TASK_NOT_KEPT:
		return REASON_NOT_KEPT;
	case TASK_UNDONE:
		return REASON_UNDONE;
	}
	return REASON_NONE;
}

static struct task *record(const struct tasks *tasks, uint32_t number)
{
	return &tasks->chunks[number >> CHUNK_BITS][number & (CHUNK_SIZE - 1)];
}

static uint32_t *head(const struct tasks *tasks, pid_t tid)
{
	return &tasks->heads[(uint32_t)tid & (tasks->n_heads - 1)];
}

static uint32_t *heads_new(uint32_t n)
{
	uint32_t *heads = malloc(n * sizeof(*heads));

	if (heads)
		memset(heads, 0xff, n * sizeof(*heads));
	return heads;
}

static struct task *heap_grow(void *context)
{
	(void)context;
	return calloc(TASKS_CHUNK, sizeof(struct task));
}

static void heap_release(void *context, struct task *chunk)
{
	(void)context;
	free(chunk);
}

struct tasks *tasks_new(const struct tasks_memory *memory)
{
	static const struct tasks_memory heap = { heap_grow, heap_release, NULL };
	struct tasks *tasks = calloc(1, sizeof(*tasks));

	if (!tasks)
		return NULL;
	tasks->memory = memory ? *memory : heap;
	tasks->free = NIL;
	tasks->n_heads = HEADS_MIN;
	tasks->heads = heads_new(HEADS_MIN);
	if (!tasks->heads) {
		free(tasks);
		return NULL;
	}
	return tasks;
}

void tasks_free(struct tasks *tasks)
{
	if (!tasks)
		return;
	for (uint32_t i = 0; i < tasks->n_chunks; i++)
		tasks->memory.release(tasks->memory.context, tasks->chunks[i]);
	free(tasks->chunks);
	free(tasks->heads);
	free(tasks);
}

size_t tasks_count(const struct tasks *tasks)
{
	return tasks->count;
}

size_t tasks_memory(const struct tasks *tasks)
{
	return sizeof(*tasks) + tasks->n_chunks * CHUNK_SIZE * sizeof(struct task) +
	       tasks->chunks_size * sizeof(struct task *) + tasks->n_heads * sizeof(uint32_t);
}

uint64_t tasks_failed(const struct tasks *tasks)
{
	return tasks->failed;
}

static uint32_t find_number(const struct tasks *tasks, pid_t tid)
{
	uint32_t number = *head(tasks, tid);

	while (number != NIL && record(tasks, number)->tid != tid)
		number = record(tasks, number)->next;
	return number;
}

struct task *tasks_find(const struct tasks *tasks, pid_t tid)
{
	uint32_t number = find_number(tasks, tid);

	return number == NIL ? NULL : record(tasks, number);
}

static bool grow_chunks(struct tasks *tasks)
{
	struct task *chunk;

	if (tasks->n_chunks == tasks->chunks_size) {
		uint32_t size = tasks->chunks_size ? tasks->chunks_size * 2 : 16;
		struct task **chunks = reallocarray(tasks->chunks, size, sizeof(*chunks));

		if (!chunks)
			return false;
		tasks->chunks = chunks;
		tasks->chunks_size = size;
	}
	chunk = tasks->memory.grow(tasks->memory.context);
	if (!chunk)
		return false;
	tasks->chunks[tasks->n_chunks] = chunk;
	for (uint32_t i = CHUNK_SIZE; i-- > 0;) {
		chunk[i].next = tasks->free;
		tasks->free = tasks->n_chunks << CHUNK_BITS | i;
	}
	tasks->n_chunks++;
	return true;
}

/* Twice as many chains, to keep them short. Without memory they just get longer. */
static void grow_heads(struct tasks *tasks)
{
	uint32_t n_heads = tasks->n_heads * 2;
	uint32_t *heads = heads_new(n_heads);

	if (!heads)
		return;
	free(tasks->heads);
	tasks->heads = heads;
	tasks->n_heads = n_heads;
	for (uint32_t n = 0; n < tasks->n_chunks << CHUNK_BITS; n++) {
		struct task *task = record(tasks, n);

		if (!task->tid)
			continue;
		task->next = *head(tasks, task->tid);
		*head(tasks, task->tid) = n;
	}
}

/* Takes a free record and chains it under the tid that it will have. NIL without memory. */
static uint32_t take_free(struct tasks *tasks, pid_t tid)
{
	struct task *task;
	uint32_t number;

	if (tasks->free == NIL && !grow_chunks(tasks)) {
		tasks->failed++;
		return NIL;
	}
	number = tasks->free;
	task = record(tasks, number);
	tasks->free = task->next;
	task->next = *head(tasks, tid);
	*head(tasks, tid) = number;
	return number;
}

static void link_thread(struct tasks *tasks, struct task *task, uint32_t number)
{
	uint32_t first = find_number(tasks, task->tgid);
	struct task *leader;

	if (first == NIL || record(tasks, first)->tgid != task->tgid)
		return;
	leader = record(tasks, first);
	task->last_thread = first;
	task->next_thread = leader->next_thread;
	if (task->next_thread != NIL)
		record(tasks, task->next_thread)->last_thread = number;
	leader->next_thread = number;
}

static void unlink_thread(struct tasks *tasks, const struct task *task)
{
	if (task->last_thread != NIL)
		record(tasks, task->last_thread)->next_thread = task->next_thread;
	if (task->next_thread != NIL)
		record(tasks, task->next_thread)->last_thread = task->last_thread;
}

struct task *tasks_put(struct tasks *tasks, const struct task *from)
{
	struct task *task = tasks_find(tasks, from->tid), template = *from;
	uint32_t number;

	if (task)
		tasks_remove(tasks, task);
	number = take_free(tasks, from->tid);
	if (number == NIL)
		return NULL;
	task = record(tasks, number);
	template.tid = 0;
	template.next = task->next;
	template.next_thread = template.last_thread = NIL;
	*task = template;
	if (from->tid != from->tgid)
		link_thread(tasks, task, number);
	task_publish();
	task->tid = from->tid;
	if (++tasks->count > tasks->n_heads)
		grow_heads(tasks);
	return task;
}

static void free_record(struct tasks *tasks, struct task *task)
{
	uint32_t *link = head(tasks, task->tid), number;

	while (record(tasks, *link) != task)
		link = &record(tasks, *link)->next;
	number = *link;
	*link = task->next;
	task->tid = 0;
	task_publish();
	*task = (struct task){ .next = tasks->free };
	tasks->free = number;
	tasks->count--;
}

void tasks_remove(struct tasks *tasks, struct task *task)
{
	struct task *thread;

	if (task->tid != task->tgid)
		unlink_thread(tasks, task);
	while (task->tid == task->tgid && (thread = tasks_next_thread(tasks, task))) {
		unlink_thread(tasks, thread);
		free_record(tasks, thread);
	}
	free_record(tasks, task);
}

struct task *tasks_next_thread(const struct tasks *tasks, const struct task *task)
{
	return task->next_thread == NIL ? NULL : record(tasks, task->next_thread);
}

struct task *tasks_next(const struct tasks *tasks, uint32_t *cursor)
{
	while (*cursor < tasks->n_chunks << CHUNK_BITS) {
		struct task *task = record(tasks, (*cursor)++);

		if (task->tid)
			return task;
	}
	return NULL;
}
