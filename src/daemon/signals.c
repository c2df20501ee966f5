/* SPDX-License-Identifier: GPL-2.0-only */
/* Handles the signals that stop and reload the daemon. */
#include <fcntl.h>
#include <signal.h>

#include <schedqos/util/cleanup.h>

#include "daemon_private.h"

/* Whether SIGHUP means that the terminal on which we were started is gone. */
static bool has_lost_terminal(const struct daemon *daemon)
{
	_cleanup_close_ int fd = -1;

	if (!daemon->on_terminal)
		return false;
	fd = open("/dev/tty", O_RDWR | O_NOCTTY | O_CLOEXEC);
	return fd < 0;
}

static int on_hangup(sd_event_source *source, const struct signalfd_siginfo *info, void *userdata)
{
	_cleanup_free_ char *text = NULL, *summary = NULL;
	struct daemon *daemon = userdata;

	(void)source;
	(void)info;
	if (has_lost_terminal(daemon))
		return sd_event_exit(daemon->event, 0);
	daemon_reload(daemon, NULL, &text, &summary);
	return 0;
}

int signals_init(struct daemon *daemon)
{
	int r = sd_event_add_signal(daemon->event, NULL, SIGTERM | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);

	if (r >= 0)
		r = sd_event_add_signal(daemon->event, NULL, SIGINT | SD_EVENT_SIGNAL_PROCMASK, NULL, NULL);
	if (r >= 0)
		r = sd_event_add_signal(daemon->event, NULL, SIGHUP | SD_EVENT_SIGNAL_PROCMASK, on_hangup, daemon);
	signal(SIGPIPE, SIG_IGN);
	/* With a file size limit (ulimit -f) writing the state file fails with EFBIG, rather than killing us. */
	signal(SIGXFSZ, SIG_IGN);
	return r;
}
