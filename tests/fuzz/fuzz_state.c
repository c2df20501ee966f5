/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Reads the records of a killed daemon: the file of tasks, overwritten with any bytes, and any text as the file of
 * knobs. A file must be refused, or be sound: a plan must be able to take it over, scan the tasks and put everything
 * back, and a file that is written again must read the same.
 */
#include <errno.h>
#include <string.h>

#include "../../src/machine/items.h"
#include "../../src/tagging/state.h"
#include "fuzz.h"

#include <schedqos/policy/plan.h>

#define BOOT_ID "01234567-89ab-cdef-0123-456789abcdef"
_Static_assert(sizeof(BOOT_ID) == BOOT_ID_SIZE, "as the kernel writes it");

#define FILE_BYTES (STATE_HEADER_BYTES + TASKS_CHUNK_BYTES)

enum {
	TORN = 1 << 2, /* the file is shorter */
	GONE = 1 << 3, /* the tasks carry other attributes by now */
	OTHER_SLICE = 1 << 4,
	STOPPED = 1 << 5, /* the daemon had put them back */
	KNOBS = 1 << 7, /* read the file of knobs instead */
};

static struct config *config;

static int fetch(struct facts *facts, enum fact fact)
{
	if (fact == FACT_EXE)
		facts->exe = "/bin/x";
	if (fact == FACT_ARGV)
		facts->argv = "";
	if (fact == FACT_CGROUP)
		facts->cgroup = "";
	facts->have |= fact;
	return 0;
}

static void make_file(struct input *input, uint8_t *file)
{
	static const struct state_header empty = {
		.magic = STATE_MAGIC,
		.version = STATE_VERSION,
		.record_bytes = sizeof(struct task),
		.chunk_records = TASKS_CHUNK,
		.start = 1000,
		.boot_id = BOOT_ID,
	};
	struct state_header *header = (struct state_header *)file;
	uint8_t n_records = take_byte(input);

	memset(file, 0, FILE_BYTES);
	*header = empty;
	given_init(&header->given);
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++)
		given_add(&header->given, &qos_builtin[i].attr);
	for (size_t i = 0; i < n_records; i++)
		((struct task *)(file + STATE_HEADER_BYTES))[i] = (struct task){
			.tid = 10 + (int32_t)i,
			.tgid = 10 + (int32_t)i / 2 * 2,
			.start = (uint32_t)i * 100,
			.had = task_attr_pristine,
			.prev = task_attr_pristine,
			.known = qos_attr_over(&qos_builtin[i % QOS_BUILTIN_COUNT].attr,
					       &task_attr_pristine,
					       &(struct attr_caps){ true, true, 3000000, true }),
			.state = TASK_TAGGED,
			.flags = i & 1 ? TASK_SETTING : 0,
		};
	while (input->left) {
		size_t at = take_number(input, 3) % FILE_BYTES;

		for (uint8_t n = take_byte(input); n > 0 && at < FILE_BYTES; n--, at++)
			file[at] = take_byte(input);
	}
}

/* Scans the task as the daemon left it, or changed since, and carries out the plan's action. */
static void scan_task(struct plan *plan, const struct task *left, uint8_t flags)
{
	struct facts facts = {
		.have = FACT_ATTR,
		.fetch = fetch,
		.tid = left->tid,
		.tgid = left->tgid,
		.attr = left->known,
	};
	const struct plan_found met = { .tid = left->tid, .tgid = left->tgid, .start = left->start };
	struct plan_action action;
	struct plan_mark mark;

	if (flags & GONE)
		facts.attr.nice = 7;
	if (flags & OTHER_SLICE)
		facts.attr.slice_ns = 4321000;
	plan_book_found(plan, &met, &facts);
	while (plan_next(plan, &mark)) {
		mark.is_booked = true;
		if (plan_decide(plan, &mark, &facts, &action) == PLAN_SET)
			plan_applied(plan, &action, 0, &action.want);
	}
}

static void take_over(const struct state_legacy *legacy, uint8_t flags)
{
	struct attr_caps caps = { true, true, 3000000, true };
	struct plan *plan = plan_new(&caps, 5, legacy->start, &one_chunk);

	check(plan);
	check(plan_adopt(plan, legacy->records, legacy->n_records, legacy->given, flags & STOPPED) ==
	      0);
	check(plan_set_config(plan, config) == 0);
	for (size_t i = 0; i < legacy->n_records; i++)
		check(state_record_is_sound(&legacy->records[i]));
	plan_scan_begin(plan);
	for (size_t i = 0; i < legacy->n_records; i++)
		scan_task(plan, &legacy->records[i], flags);
	check_plan(plan);
	plan_undo_begin(plan);
	for (size_t i = 0; i < legacy->n_records; i++)
		scan_task(plan, &legacy->records[i], flags);
	check_plan(plan);
	plan_free(plan);
}

static void read_tasks(struct input *input, uint8_t flags)
{
	/* Memory that is aligned like a mapping. */
	static union {
		struct state_header header;
		uint8_t bytes[FILE_BYTES];
	} whole;
	size_t size = FILE_BYTES;
	struct state_legacy legacy;
	uint8_t *file;
	int r;

	if (flags & TORN)
		size = take_number(input, 3) % FILE_BYTES;
	make_file(input, whole.bytes);
	/* Copies the file into memory that ends with it. */
	file = malloc(size ? size : 1);
	check(file);
	memcpy(file, whole.bytes, size);
	r = state_parse(file, size, BOOT_ID, &legacy);
	check(r == 0 || r == -EBADMSG || r == -EPROTONOSUPPORT);
	check(r < 0 || size == FILE_BYTES || size == STATE_HEADER_BYTES);
	if (r == 0)
		take_over(&legacy, flags);
	free(file);
}

static bool same(const char *a, const char *b)
{
	return a && b ? strcmp(a, b) == 0 : a == b;
}

static void check_same(const struct items *a, const struct items *b)
{
	check(a->count == b->count && same(a->profile, b->profile));
	for (size_t i = 0; i < a->count; i++) {
		const struct item *x = &a->items[i], *y = &b->items[i];

		check(x->tree == y->tree && x->is_recorded && y->is_recorded);
		check(same(x->path, y->path));
		check(same(x->before, y->before) && same(x->set, y->set));
	}
}

static void read_knobs(struct input *input)
{
	struct items items = { 0 }, again = { 0 };
	size_t size = input->left;
	char *text = malloc(size + 1);
	int r;

	check(text);
	memcpy(text, input->at, size);
	text[size] = '\0';
	r = items_parse(text, size, BOOT_ID, &items);
	check(r == 0 || r == -EBADMSG || r == -ESTALE || r == -EPROTONOSUPPORT);
	check(r < 0 || strlen(text) == size);
	if (r == 0) {
		char *written = items_text(&items, BOOT_ID);

		check(written && items_parse(written, strlen(written), BOOT_ID, &again) == 0);
		check_same(&items, &again);
		free(written);
	}
	items_clear(&items);
	items_clear(&again);
	free(text);
}

int LLVMFuzzerTestOneInput(const uint8_t *bytes, size_t size)
{
	static const struct config_file file = { .path = "rules.json", .text = "{}", .size = 2, .kind = CONFIG_RULES };
	struct input input = { bytes, size };
	uint8_t flags = take_byte(&input);
	struct config_errors errors = { 0 };

	if (!config)
		check(config_parse(&file, 1, NULL, NULL, &config, &errors) == 0);
	if (flags & KNOBS)
		read_knobs(&input);
	else
		read_tasks(&input, flags);
	return 0;
}
