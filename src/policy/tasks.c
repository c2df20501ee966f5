/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The table of tasks for the plan. Records live in chunks, so they do not move and growing copies nothing. A hash table
 * by tid chains them by number, from 1. The kernel hands out tids in sequence, so their low bits are a good hash.
 */
#include <schedqos/policy/tasks.h>

#include <stdlib.h>

/* Number of hash chains: a lookup among 100,000 tasks takes about six steps. */
#define HEADS 16384

/* The kernel allows at most PID_MAX_LIMIT tasks. */
#define CHUNKS_MAX (4194304 / TASKS_CHUNK)

/*
 * Ticks by which a recorded start may be earlier than that in /proc. A fork event is later, by the rest of
 * copy_process, but both times are truncated to ticks, and the offset between the two clocks is measured with an error.
 */
#define START_EARLY_TICKS 1

struct tasks {
	struct tasks_memory memory; /* no functions: records are on the heap */
	struct task *chunks[CHUNKS_MAX];
	uint32_t n_chunks;
	uint32_t heads[HEADS]; /* number of the first record of each chain; 0: none */
	uint32_t free;	       /* number of the first free record, of a chain; 0: none */
	size_t count;
};

/* Returns the record of this number, or NULL for 0. */
static struct task *record(const struct tasks *tasks, uint32_t number)
{
	return !number ? NULL : &tasks->chunks[(number - 1) / TASKS_CHUNK][(number - 1) % TASKS_CHUNK];
}

static uint32_t *head(struct tasks *tasks, pid_t tid)
{
	return &tasks->heads[(uint32_t)tid % HEADS];
}

struct tasks *tasks_new(const struct tasks_memory *memory)
{
	struct tasks *tasks = calloc(1, sizeof(*tasks));

	if (tasks && memory)
		tasks->memory = *memory;
	return tasks;
}

void tasks_free(struct tasks *tasks)
{
	if (!tasks)
		return;
	for (uint32_t i = 0; i < tasks->n_chunks; i++) {
		if (tasks->memory.release)
			tasks->memory.release(tasks->memory.context, tasks->chunks[i]);
		else
			free(tasks->chunks[i]);
	}
	free(tasks);
}

size_t tasks_count(const struct tasks *tasks)
{
	return tasks->count;
}

size_t tasks_memory(const struct tasks *tasks)
{
	return sizeof(*tasks) + tasks->n_chunks * TASKS_CHUNK_BYTES;
}

static uint32_t find_number(const struct tasks *tasks, pid_t tid)
{
	uint32_t number = tasks->heads[(uint32_t)tid % HEADS];

	while (number && record(tasks, number)->tid != tid)
		number = record(tasks, number)->next;
	return number;
}

struct task *tasks_find(const struct tasks *tasks, pid_t tid)
{
	return record(tasks, find_number(tasks, tid));
}

struct task *tasks_leader(const struct tasks *tasks, pid_t tgid)
{
	struct task *leader = tasks_find(tasks, tgid);

	return leader && leader->tgid == tgid ? leader : NULL;
}

bool task_is_same_start(uint32_t recorded, uint32_t from_proc)
{
	return (int32_t)(recorded - from_proc) >= -START_EARLY_TICKS;
}

static bool grow(struct tasks *tasks)
{
	const struct tasks_memory *memory = &tasks->memory;
	struct task *chunk;

	if (tasks->n_chunks == CHUNKS_MAX)
		return false;
	chunk = memory->grow ? memory->grow(memory->context) : calloc(TASKS_CHUNK, sizeof(*chunk));
	if (!chunk)
		return false;
	tasks->chunks[tasks->n_chunks] = chunk;
	for (uint32_t i = TASKS_CHUNK; i-- > 0;) {
		chunk[i].next = tasks->free;
		tasks->free = tasks->n_chunks * TASKS_CHUNK + i + 1;
	}
	tasks->n_chunks++;
	return true;
}

/* Takes a free record and chains it under its future tid. Returns its number, or 0 if out of memory. */
static uint32_t take_free(struct tasks *tasks, pid_t tid)
{
	struct task *task;
	uint32_t number;

	if (!tasks->free && !grow(tasks))
		return 0;
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
	struct task *leader = record(tasks, first);

	if (!leader || leader->tgid != task->tgid)
		return;
	task->last_thread = first;
	task->next_thread = leader->next_thread;
	if (task->next_thread)
		record(tasks, task->next_thread)->last_thread = number;
	leader->next_thread = number;
}

static void unlink_thread(struct tasks *tasks, const struct task *task)
{
	if (task->last_thread)
		record(tasks, task->last_thread)->next_thread = task->next_thread;
	if (task->next_thread)
		record(tasks, task->next_thread)->last_thread = task->last_thread;
}

struct task *tasks_put(struct tasks *tasks, const struct task *from)
{
	struct task template = *from, *task;
	uint32_t number;

	tasks_remove(tasks, tasks_find(tasks, from->tid));
	number = take_free(tasks, from->tid);
	if (!number)
		return NULL;
	task = record(tasks, number);
	template.tid = 0;
	template.next = task->next;
	template.next_thread = template.last_thread = 0;
	*task = template;
	if (from->tid != from->tgid)
		link_thread(tasks, task, number);
	task_publish();
	task->tid = from->tid;
	tasks->count++;
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

	if (!task)
		return;
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
	return record(tasks, task->next_thread);
}

struct task *tasks_next(const struct tasks *tasks, uint32_t *cursor)
{
	while (*cursor < tasks->n_chunks * TASKS_CHUNK) {
		struct task *task = record(tasks, ++*cursor);

		if (task->tid)
			return task;
	}
	return NULL;
}

/* ---- for output ---- */

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
	static const enum reason others[] = {
		[TASK_LEFT_ALONE] = REASON_CHOSEN, [TASK_NOT_FAIR] = REASON_NOT_FAIR, [TASK_REFUSED] = REASON_REFUSED,
		[TASK_NOT_KEPT] = REASON_NOT_KEPT, [TASK_UNDONE] = REASON_UNDONE,
	};

	if (task->state == TASK_TAGGED && task->theirs)
		return REASON_CHANGED;
	if (task->state == TASK_TAGGED || (task->state == TASK_LEFT_ALONE && task->own.by == REASON_NO_RULE))
		return (enum reason)task->own.by;
	return others[task->state];
}
