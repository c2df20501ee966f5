/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

#include <schedqos/machine/doctor.h>

/* The knobs of debugfs that not every kernel has. config: NULL when it has errors. */
void doctor_judge_debugfs(const struct doctor_facts *facts, const struct config *config, struct findings *findings);
