/* SPDX-License-Identifier: GPL-2.0-only */
/* Looks at this machine for `schedqos doctor`; changes nothing. */
#pragma once

#include <schedqos/policy/doctor.h>

struct doctor_look;

/* The facts live as long as the look. NULL without memory. */
struct doctor_look *doctor_look(void);
const struct doctor_facts *doctor_look_facts(const struct doctor_look *look);
void doctor_look_free(struct doctor_look *look);
