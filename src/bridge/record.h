/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The record of weights that were set, in /run/schedqos. It is written before one is set and after one is put back, so
 * that whoever reads it after a kill at any moment knows all: what it has and is not there was never set.
 */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct weight_record {
	int folder;
	struct kept_weight {
		char *unit;
		uint64_t before, set; /* UINT64_MAX: none */
		bool is_transient;    /* goes with its unit; not in the file */
	} *items;
	size_t count;
};

/*
 * Locks and reads it. 0 or -errno: -EBUSY while another process has it. One that cannot be of use is set aside, which is
 * logged. path: of the folder; NULL: /run/schedqos.
 */
int weight_record_open(const char *path, struct weight_record **ret);
void weight_record_close(struct weight_record *record);

/* NULL: none. */
struct kept_weight *weight_record_find(const struct weight_record *record, const char *unit);

/* 0 or -errno, and nothing has changed. */
int weight_record_add(struct weight_record *record, const char *unit, uint64_t before, uint64_t set);

/* An item that cannot be taken out of the file does no harm: its unit no longer carries what was set. */
int weight_record_remove(struct weight_record *record, struct kept_weight *kept);
