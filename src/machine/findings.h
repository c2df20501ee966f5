/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <schedqos/machine/doctor.h>

/* Adds one, with copies of the texts. Sets findings->no_memory on failure. */
void findings_add(struct findings *findings, const char *name, enum finding_state state,
		  const char *consequence, const char *remedy, const char *format, ...)
	__attribute__((format(printf, 6, 7)));

#define add_ok(findings, name, ...) findings_add(findings, name, FINDING_OK, NULL, NULL, __VA_ARGS__)
