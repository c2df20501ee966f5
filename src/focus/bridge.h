/* SPDX-License-Identifier: GPL-2.0-only */
/* org.schedqos1 on the system bus, which is told what is shown. */
#pragma once

#include "focus.h"

struct bridge;

/* Tells nothing before bridge_tell. The bridge comes and goes; whenever it comes, it is told all again. 0 or -errno. */
int bridge_open(struct focus *focus, struct bridge **ret);
void bridge_close(struct bridge *bridge);

/* pidfd: of the app's process. */
void bridge_tell(struct bridge *bridge, int pidfd, const struct shown_app *app);

/* For people: whether it is there and what it says. Asks by saying of ourselves that we are visible, as we are. */
void bridge_describe(char *buf, size_t size);
