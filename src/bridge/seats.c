/* SPDX-License-Identifier: GPL-2.0-only */
#include "seats.h"

#include <string.h>

#include <systemd/sd-login.h>

#include <schedqos/util/cleanup.h>

static bool is_at_seat(const char *session)
{
	_cleanup_free_ char *seat = NULL, *class = NULL, *state = NULL;

	return sd_session_get_seat(session, &seat) >= 0 && sd_session_get_class(session, &class) >= 0 &&
	       sd_session_get_state(session, &state) >= 0 && strncmp(class, "user", strlen("user")) == 0 &&
	       strcmp(state, "closing") != 0;
}

bool seat_is_used(void)
{
	bool is_used = false;
	char **sessions = NULL;
	int n = sd_get_sessions(&sessions);

	for (int i = 0; i < n; i++) {
		is_used |= is_at_seat(sessions[i]);
		free(sessions[i]);
	}
	free(sessions);
	return is_used;
}
