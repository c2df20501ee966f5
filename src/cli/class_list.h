/* SPDX-License-Identifier: GPL-2.0-only */
/* The classes, as the daemon has them. */
#pragma once

#include <stddef.h>
#include <stdint.h>

#include <systemd/sd-bus.h>

/* What a task carries in it for which nobody chose anything. */
struct listed_class {
	const char *name;
	uint32_t policy, priority; /* the kernel's numbers */
	int32_t nice;
	uint32_t slice_ns;
	uint32_t util_min, util_max;
};

/* Starts as all zeroes. The strings are those of the reply. */
struct class_list {
	sd_bus_message *reply;
	struct listed_class *classes; /* the highest first */
	size_t count;
};

/* Asks the daemon. 0, or -errno after logging. */
int class_list_read(sd_bus *bus, struct class_list *ret);
void class_list_clear(struct class_list *list);
