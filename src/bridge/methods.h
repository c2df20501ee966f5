/* SPDX-License-Identifier: GPL-2.0-only */
/* What the bridge offers on the system bus. 0 or -errno. */
#pragma once

#include "bridge_private.h"

/* org.schedqos1 */
int methods_offer(struct bridge *bridge);

/* com.system76.Scheduler */
int system76_offer(struct bridge *bridge);
