/* SPDX-License-Identifier: GPL-2.0-only */
#include "fuzz.h"

#include <schedqos/policy/plan.h>

#include <schedqos/util/text.h>

#include "../../src/tagging/state.h"

uint8_t *take_bytes(struct input *input, size_t max, size_t *ret_size)
{
	size_t size = max < input->left ? max : input->left;
	uint8_t *bytes = malloc(size ? size : 1);

	check(bytes);
	if (size)
		memcpy(bytes, input->at, size);
	input->at += size;
	input->left -= size;
	*ret_size = size;
	return bytes;
}

char *take_text(struct input *input, size_t max)
{
	size_t size = strnlen((const char *)input->at, max < input->left ? max : input->left);
	char *text = malloc(size + 1);

	check(text);
	if (size)
		memcpy(text, input->at, size);
	text[size] = '\0';
	input->at += size;
	input->left -= size;
	if (input->left)
		take_byte(input);
	return text;
}

void check_utf8(const char *text)
{
	for (size_t len = strlen(text), n; len; text += n, len -= n) {
		n = text_utf8_length(text, len);
		check(n > 0);
	}
}

void check_printable(const char *text)
{
	check_utf8(text);
	for (; *text; text++)
		check((unsigned char)*text >= 0x20 && *text != 0x7f);
}

/*
 * If the daemon crashed now, the next start would have to accept the record of any task that carries a class's
 * attributes.
 */
void check_known(const struct plan *plan, pid_t tid)
{
	const struct task *task = tasks_find(plan_tasks(plan), tid);

	if (!task)
		return;
	check(task->tid == tid && tid > 0);
	check(task->tag == TAG_NONE || task->tag < plan_config(plan)->rules->n_tags);
	check(task_reason(task) < REASON_COUNT);
	check(!task->rule || rules_by_id(plan_config(plan)->rules, task->rule));
	check(!task->inherit || rules_by_id(plan_config(plan)->rules, task->inherit));
	check(state_record_is_sound(task));
}

void check_plan(const struct plan *plan)
{
	const struct task *task;
	uint32_t cursor = 0;
	size_t count = 0;

	while ((task = tasks_next(plan_tasks(plan), &cursor))) {
		check(tasks_find(plan_tasks(plan), task->tid) == task);
		check_known(plan, task->tid);
		count++;
	}
	check(count == tasks_count(plan_tasks(plan)));
}

static struct task *grow(void *context)
{
	static struct task chunk[TASKS_CHUNK];

	(void)context;
	return memset(chunk, 0, sizeof(chunk));
}

static void release(void *context, struct task *chunk)
{
	(void)context;
	(void)chunk;
}

const struct tasks_memory one_chunk = { .grow = grow, .release = release };
