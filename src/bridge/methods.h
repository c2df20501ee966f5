/* SPDX-License-Identifier: GPL-2.0-only */
/* What the bridge offers on the system bus: org.schedqos1, or com.system76.Scheduler. */
#pragma once

#include "bridge_private.h"

/* 0 or -errno. */
int methods_offer(struct bridge *bridge);
