/* SPDX-License-Identifier: GPL-2.0-only */
/* The section of ours in the files of systemd's units, which systemd itself ignores. */
#pragma once

#include <stdbool.h>

#define UNIT_QOS_BYTES 64

/* [X-SchedQoS] Class=QOS_UTILITY */
struct unit_said {
	bool is_said; /* the file has it; empty: what earlier files say is void */
	unsigned line;
	char qos[UNIT_QOS_BYTES]; /* safe to print, cut; whether there is such a class is not known here */
};

/* Skips comments and what continues a line, as systemd knows them; the last one counts. Changes the text. */
void unit_file_parse(char *text, struct unit_said *ret);

/* Reads a file that may block for ever. What is no regular file says nothing. 0 or -errno: -EFBIG for more than 1 MiB. */
int unit_file_read(const char *path, struct unit_said *ret);
