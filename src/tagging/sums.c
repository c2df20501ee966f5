/* SPDX-License-Identifier: GPL-2.0-only */
/* Adds up what tasks use: see sums.h. */
#include "sums.h"

#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>

/* Maximum number of rows: users choose the names of programs, and could make any number of rows. */
#define ROWS_MAX  1024
#define SLOTS_ROWS (2 * ROWS_MAX) /* a power of two */

/*
 * Error of a computed time of birth, because /proc counts in ticks. Computed from the record of an ended task, the
 * birth seems later.
 */
#define SLACK_US 50000

/*
 * Estimate of the CPU time that a task uses after its last record, which the kernel writes when the task begins to end.
 * Most of this time goes into freeing memory. It is part of the time that the machine used and no task reported: see
 * settle_missing().
 */
#define ENDING_NS	 30000ULL
#define ENDING_NS_PER_KB 40ULL

/*
 * Maximum that such a task may get, as a multiple of the estimate: a slow machine takes longer, but anything beyond
 * this was used by others.
 */
#define ENDING_TIMES_MAX 8

/* Use during a round may be counted early or late by about this, because a round looks at one task after the other. */
#define BLUR_NS 20000000LL

/* Maximum number of tasks that may end between two rounds. */
#define ENDED_MAX 32768

/* A task as it was last seen. */
struct seen {
	pid_t tid; /* 0: free */
	bool has_ended, is_name_only;
	uint64_t birth_us, cpu_ns, run_ns, delay_ns, waits, longest_ns;
	char program[16];
};

/* Tasks by tid, with open addressing; nothing is removed. */
struct seen_table {
	struct seen *slots;
	size_t size, count; /* size: 0 or a power of two, at least twice the count */
};

struct row {
	struct use_row use; /* must be first: pointers to it are cast */
	struct sums_key key;
	bool has_key;	    /* the key is one of the configuration in force */
	size_t class;	    /* index in classes */
	uint64_t ending_ns; /* estimate for tasks that have ended since the last round */
};

struct sums {
	struct seen_table last, next; /* tasks seen in the last round or since; in this round */
	struct row *rows[ROWS_MAX];
	size_t n_rows, n_earlier; /* of these, rows of an earlier configuration that have no key */
	uint16_t slots[SLOTS_ROWS]; /* rows that have a key, counted from 1; 0: free */
	struct use_class *classes;
	size_t n_classes;
	uint64_t begin_us;
	uint64_t busy_ns;    /* at the end of the last round */
	int64_t counted_ns;  /* CPU time of tasks since then */
	int64_t missing_ns;  /* used by the machine, but by no task */
	size_t n_ended;	     /* since then */
	bool has_loss;	     /* since then */
	bool has_round;	     /* a round has ended */
};

/* ---- tasks as seen last ---- */

static struct seen *slot_of(const struct seen_table *table, pid_t tid)
{
	/* Neighbouring ids are neighbours in the table, because the kernel assigns them in order. */
	size_t i = (size_t)tid & (table->size - 1);

	while (table->slots[i].tid && table->slots[i].tid != tid)
		i = (i + 1) & (table->size - 1);
	return &table->slots[i];
}

static struct seen *find_seen(const struct seen_table *table, pid_t tid)
{
	struct seen *seen = table->size ? slot_of(table, tid) : NULL;

	return seen && seen->tid ? seen : NULL;
}

static bool grow_seen(struct seen_table *table)
{
	struct seen_table larger = { .size = table->size ? 2 * table->size : 1024, .count = table->count };

	larger.slots = calloc(larger.size, sizeof(*larger.slots));
	if (!larger.slots)
		return false;
	for (size_t i = 0; i < table->size; i++) {
		if (table->slots[i].tid)
			*slot_of(&larger, table->slots[i].tid) = table->slots[i];
	}
	free(table->slots);
	*table = larger;
	return true;
}

/*
 * Remembers a task. If out of memory, it is not remembered: then a young one counts as new, and an older one not at
 * all.
 */
static void put_seen(struct seen_table *table, const struct seen *seen)
{
	struct seen *slot;

	if (2 * (table->count + 1) > table->size && !grow_seen(table))
		return;
	slot = slot_of(table, seen->tid);
	table->count += !slot->tid;
	*slot = *seen;
}

static void clear_seen(struct seen_table *table)
{
	free(table->slots);
	*table = (struct seen_table){ 0 };
}

const char *sums_program(const struct sums *sums, pid_t tgid)
{
	const struct seen *leader = find_seen(&sums->next, tgid);

	if (!leader)
		leader = find_seen(&sums->last, tgid);
	return leader ? leader->program : NULL;
}

void sums_name_program(struct sums *sums, pid_t tgid, const char *program, uint64_t now_us)
{
	struct seen leader = { .tid = tgid, .birth_us = now_us, .is_name_only = true };

	memcpy(leader.program, program, strnlen(program, sizeof(leader.program) - 1));
	put_seen(&sums->last, &leader);
}

/* ---- rows ---- */

static size_t class_index(struct sums *sums, const char *name)
{
	struct use_class *classes;
	char *copy;

	for (size_t i = 0; i < sums->n_classes; i++) {
		if (strcmp(sums->classes[i].name, name) == 0)
			return i;
	}
	classes = array_room(sums->classes, sums->n_classes, sizeof(*classes));
	if (classes)
		sums->classes = classes;
	copy = classes ? strdup(name) : NULL;
	if (!copy)
		return SIZE_MAX;
	classes[sums->n_classes] = (struct use_class){ .name = copy };
	return sums->n_classes++;
}

static void free_row(struct row *row)
{
	free((char *)row->use.class);
	free((char *)row->use.rule);
	free(row);
}

static bool copy_name(const char *from, const char **ret)
{
	*ret = from ? strdup(from) : NULL;
	return *ret || !from;
}

static struct row *new_use_row(struct sums *sums, const struct sums_key *key, const char *class, const char *rule)
{
	struct row *row = calloc(1, sizeof(*row));

	if (!row)
		return NULL;
	row->use.of = key->of;
	row->use.visibility = key->visibility;
	memcpy(row->use.program, key->program, sizeof(row->use.program));
	row->class = class_index(sums, class ? class : USE_NO_CLASS);
	if (row->class == SIZE_MAX || !copy_name(class, &row->use.class) || !copy_name(rule, &row->use.rule)) {
		free_row(row);
		return NULL;
	}
	sums->rows[sums->n_rows++] = row;
	return row;
}

static uint16_t *row_slot(struct sums *sums, const struct sums_key *key)
{
	const unsigned char *bytes = (const unsigned char *)key;
	uint64_t hash = 0xcbf29ce484222325ULL;

	for (size_t i = 0; i < sizeof(*key); i++)
		hash = (hash ^ bytes[i]) * 0x100000001b3ULL;
	for (hash ^= hash >> 32;; hash++) {
		uint16_t *slot = &sums->slots[hash & (SLOTS_ROWS - 1)];

		if (!*slot || memcmp(&sums->rows[*slot - 1]->key, key, sizeof(*key)) == 0)
			return slot;
	}
}

/* The first rows always exist: for tasks that get no row of their own, and for lost records. */
enum { ROW_OTHERS, ROW_LOST, FIRST_ROWS };

static bool is_same_name(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

/* Returns the number of a row of the same names from an earlier configuration, counted from 1; 0 if there is none. */
static size_t find_earlier_row(const struct sums *sums, const struct sums_key *key, const char *class, const char *rule)
{
	for (size_t i = FIRST_ROWS; sums->n_earlier && i < sums->n_rows; i++) {
		const struct row *row = sums->rows[i];

		if (!row->has_key && row->use.of == key->of && row->use.visibility == key->visibility &&
		    memcmp(row->use.program, key->program, sizeof(key->program)) == 0 &&
		    is_same_name(row->use.class, class) && is_same_name(row->use.rule, rule))
			return i + 1;
	}
	return 0;
}

struct use_row *sums_row_for(struct sums *sums, const struct sums_key *key, const char *class, const char *rule)
{
	uint16_t *slot = row_slot(sums, key);
	struct row *row;
	size_t number = *slot;

	if (number)
		return &sums->rows[number - 1]->use;
	number = find_earlier_row(sums, key, class, rule);
	if (number)
		sums->n_earlier--;
	else if (sums->n_rows < ROWS_MAX && new_use_row(sums, key, class, rule))
		number = sums->n_rows;
	if (!number)
		return &sums->rows[ROW_OTHERS]->use;
	row = sums->rows[number - 1];
	row->key = *key;
	row->has_key = true;
	*slot = (uint16_t)number;
	return &row->use;
}

void sums_forget_keys(struct sums *sums)
{
	memset(sums->slots, 0, sizeof(sums->slots));
	for (size_t i = 0; i < sums->n_rows; i++)
		sums->rows[i]->has_key = false;
	sums->n_earlier = sums->n_rows - FIRST_ROWS;
}

static bool make_first_rows(struct sums *sums)
{
	static const struct sums_key others = { .tag = TAG_NONE, .of = USE_OF_OTHERS },
				     lost = { .tag = TAG_NONE, .of = USE_OF_LOST };

	return new_use_row(sums, &others, NULL, NULL) && new_use_row(sums, &lost, NULL, NULL);
}

struct sums *sums_new(void)
{
	struct sums *sums = calloc(1, sizeof(*sums));

	if (sums && !make_first_rows(sums)) {
		sums_free(sums);
		return NULL;
	}
	return sums;
}

void sums_free(struct sums *sums)
{
	if (!sums)
		return;
	for (size_t i = 0; i < sums->n_rows; i++)
		free_row(sums->rows[i]);
	for (size_t i = 0; i < sums->n_classes; i++)
		free((char *)sums->classes[i].name);
	free(sums->classes);
	clear_seen(&sums->last);
	clear_seen(&sums->next);
	free(sums);
}

void sums_begin(struct sums *sums, uint64_t now_us)
{
	while (sums->n_rows > FIRST_ROWS)
		free_row(sums->rows[--sums->n_rows]);
	for (size_t i = 0; i < FIRST_ROWS; i++) {
		struct use_row *use = &sums->rows[i]->use;

		*use = (struct use_row){ .of = use->of };
	}
	sums_forget_keys(sums);
	clear_seen(&sums->last);
	clear_seen(&sums->next);
	sums->begin_us = now_us;
	sums->has_round = sums->has_loss = false;
	sums->n_ended = 0;
}

const struct use_row *sums_row_at(const struct sums *sums, size_t i)
{
	return i < sums->n_rows ? &sums->rows[i]->use : NULL;
}

const struct use_class *sums_class_at(const struct sums *sums, size_t i)
{
	return i < sums->n_classes ? &sums->classes[i] : NULL;
}

void sums_forget_longest(struct sums *sums, unsigned reader)
{
	for (size_t i = 0; i < sums->n_rows; i++)
		sums->rows[i]->use.longest_us[reader] = 0;
}

/* ---- adding ---- */

static void add_cpu(struct sums *sums, struct row *row, uint64_t ns)
{
	row->use.cpu_ns += ns;
	sums->classes[row->class].cpu_ns += ns;
}

static uint64_t grown(uint64_t now, uint64_t before)
{
	return now > before ? now - before : 0;
}

static void note_longest(struct use_row *row, uint64_t ns)
{
	const uint64_t us = ns / 1000;

	for (unsigned i = 0; i < USE_READERS; i++) {
		if (us > row->longest_us[i])
			row->longest_us[i] = us < UINT32_MAX ? (uint32_t)us : UINT32_MAX;
	}
}

/*
 * Returns whether the task is the one last seen under this id. Without a loss, a record of an end belongs to the task
 * last seen, because that one's own record would have come before. After a loss it may belong to a later task, if it
 * shows less use. A living task may be a later one, if it was born later.
 */
static bool is_same_task(const struct sums *sums, const struct seen *seen, const struct task_use *use,
			 uint64_t birth_us, bool ends)
{
	if (ends)
		return !seen->has_ended &&
		       (!sums->has_loss || (use->run_ns >= seen->run_ns && use->waits >= seen->waits));
	return birth_us <= seen->birth_us + SLACK_US;
}

static void add_growth(struct sums *sums, struct row *row, const struct task_use *use, const struct seen *before)
{
	const uint64_t cpu_ns = grown(use->cpu_ns, before->cpu_ns);
	const uint64_t delay_ns = grown(use->delay_ns, before->delay_ns);

	add_cpu(sums, row, cpu_ns);
	sums->counted_ns += (int64_t)cpu_ns;
	sums->classes[row->class].delay_ns += delay_ns;
	row->use.delay_ns += delay_ns;
	row->use.run_ns += grown(use->run_ns, before->run_ns);
	row->use.waits += grown(use->waits, before->waits);
	if (use->has_longest && use->longest_ns > before->longest_ns)
		note_longest(&row->use, use->longest_ns);
}

/* Adds the growth of the task's use, and remembers it in the table. Returns whether the task had ended before. */
static bool count_task(struct sums *sums, struct row *row, const struct task_use *use, uint64_t now_us, bool ends,
		       struct seen_table *table)
{
	const uint64_t birth_us = use->age_us < now_us ? now_us - use->age_us : 0;
	const struct seen *last = find_seen(&sums->last, use->tid);
	const bool is_known = last && !last->is_name_only && is_same_task(sums, last, use, birth_us, ends);
	struct seen seen = {
		.tid = use->tid,
		.has_ended = ends || (is_known && last->has_ended),
		.birth_us = is_known ? last->birth_us : birth_us,
		.cpu_ns = use->cpu_ns,
		.run_ns = use->run_ns,
		.delay_ns = use->delay_ns,
		.waits = use->waits,
		.longest_ns = use->longest_ns,
	};

	memcpy(seen.program, use->comm, sizeof(seen.program));
	if (is_known)
		add_growth(sums, row, use, last);
	else if (birth_us + SLACK_US >= sums->begin_us)
		add_growth(sums, row, use, &(struct seen){ 0 });
	/* Otherwise we see an old task for the first time: it used all that before we began. */
	put_seen(table, &seen);
	return seen.has_ended && !ends;
}

void sums_begin_round(struct sums *sums)
{
	for (size_t i = 0; i < sums->n_rows; i++)
		sums->rows[i]->use.living = 0;
}

void sums_add_living(struct sums *sums, struct use_row *use_row, const struct task_use *use, uint64_t now_us)
{
	struct row *row = (struct row *)use_row;

	/* Do not count a zombie as living: its end was counted. */
	if (count_task(sums, row, use, now_us, false, &sums->next))
		return;
	row->use.living++;
	row->use.example = use->tid;
}

void sums_add_ended(struct sums *sums, struct use_row *use_row, const struct task_use *use, uint64_t now_us)
{
	struct row *row = (struct row *)use_row;

	count_task(sums, row, use, now_us, true, &sums->last);
	row->use.ended++;
	row->ending_ns += ENDING_NS + (use->ends_process ? use->rss_kb * ENDING_NS_PER_KB : 0);
	sums->n_ended++;
}

void sums_note_loss(struct sums *sums)
{
	sums->has_loss = true;
}

bool sums_is_crowded(const struct sums *sums)
{
	return sums->n_ended > ENDED_MAX;
}

/* ---- what the machine used and no task did ---- */

static int64_t within(int64_t value, int64_t least, int64_t most)
{
	return value < least ? least : value > most ? most : value;
}

static void share_out(struct sums *sums, int64_t ns, double all)
{
	for (size_t i = 0; i < sums->n_rows; i++) {
		struct row *row = sums->rows[i];
		const uint64_t part = (uint64_t)((double)ns * (double)row->ending_ns / all);

		add_cpu(sums, row, part);
		row->use.ending_ns += part;
	}
}

/*
 * Accounts for the CPU time that no task reported. A task's last record is written before the kernel takes its memory
 * apart (taskstats_exit comes before exit_mm), so the missing time was used by tasks that were ending. Rows get it in
 * proportion to an estimate of that work: a fixed time for each task that ended, and more if its process had much
 * memory. If records were lost, a row of its own gets it.
 */
static void settle_missing(struct sums *sums, uint64_t busy_ns)
{
	uint64_t all = 0;
	int64_t share = 0;

	sums->missing_ns += (int64_t)(busy_ns - sums->busy_ns) - sums->counted_ns;
	for (size_t i = 0; i < sums->n_rows; i++)
		all += sums->rows[i]->ending_ns;
	if (sums->missing_ns > 0 && sums->has_loss) {
		share = sums->missing_ns;
		add_cpu(sums, sums->rows[ROW_LOST], (uint64_t)share);
	} else if (sums->missing_ns > 0 && all) {
		share = within(sums->missing_ns, 0, (int64_t)(ENDING_TIMES_MAX * all));
		share_out(sums, share, (double)all);
	}
	sums->missing_ns = within(sums->missing_ns - share, -BLUR_NS, BLUR_NS);
}

void sums_end_round(struct sums *sums, uint64_t busy_ns)
{
	if (sums->has_round)
		settle_missing(sums, busy_ns);
	else
		sums->missing_ns = 0;
	for (size_t i = 0; i < sums->n_rows; i++)
		sums->rows[i]->ending_ns = 0;
	sums->has_round = true;
	sums->has_loss = false;
	sums->busy_ns = busy_ns;
	sums->counted_ns = 0;
	sums->n_ended = 0;
	clear_seen(&sums->last);
	sums->last = sums->next;
	sums->next = (struct seen_table){ 0 };
}
