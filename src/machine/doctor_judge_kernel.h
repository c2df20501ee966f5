/* SPDX-License-Identifier: GPL-2.0-only */
/* The part of doctor_judge() that is about the kernel. */
#pragma once

#include <schedqos/machine/doctor.h>

#include "findings.h"

/* config: NULL if it has errors. */
void doctor_judge_kernel(const struct doctor_facts *facts, const struct config *config, struct findings *findings);
