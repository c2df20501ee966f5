/* SPDX-License-Identifier: GPL-2.0-only */
/* Every task as the daemon has it. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <systemd/sd-bus.h>

struct listed_task {
	pid_t tid, tgid;
	uint32_t rule;	    /* 0: none */
	uint32_t slice_ns;  /* what it carries; 0: the base slice */
	uint16_t qos_class; /* index into the classes, BUS_NO_CLASS: none */
	int16_t nice;
	uint8_t reason; /* index into the reasons */
	uint8_t policy; /* the kernel's number */
	uint8_t flags;	/* enum bus_task_flag */
};

struct listed_rule {
	uint32_t id;
	const char *pattern; /* escaped */
};

/* Starts as all zeroes. The strings are those of the reply. */
struct task_list {
	sd_bus_message *reply;
	struct listed_task *tasks;
	size_t n_tasks;
	const char **classes; /* the highest first */
	size_t n_classes;
	const char **reasons;
	size_t n_reasons;
	struct listed_rule *rules; /* by id */
	size_t n_rules;
};

/* Asks the daemon. with_ended: also for those that have ended, as far as they are known. 0, or
 * -errno after logging. */
int task_list_read(sd_bus *bus, bool with_ended, struct task_list *ret);
void task_list_clear(struct task_list *list);

/* The class's name, NULL without one. */
const char *task_list_class(const struct task_list *list, const struct listed_task *task);
const char *task_list_reason(const struct task_list *list, const struct listed_task *task);

/* The pattern of its rule, NULL without one. */
const char *task_list_app(const struct task_list *list, const struct listed_task *task);
