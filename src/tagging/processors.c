/* SPDX-License-Identifier: GPL-2.0-only */
/* What comes from tracepoints is subscribed to processor by processor: one that comes online has to be added. */
#include "tagger_private.h"

#include <string.h>
#include <sys/epoll.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/log.h>

/* What happened before we subscribed again has to be found. */
static int on_processors(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct tagger *tagger = userdata;

	(void)source;
	(void)revents;
	uevent_drain(fd);
	moves_renew(tagger);
	changes_renew(tagger);
	request_scan(tagger);
	return 0;
}

void processors_update(struct tagger *tagger)
{
	const bool is_needed = tagger->moves.how == MOVES_HEARD || tagger->changes.how == CHANGES_HEARD;
	int fd, r;

	if (!is_needed)
		tagger->processors = sd_event_source_disable_unref(tagger->processors);
	if (!is_needed || tagger->processors)
		return;
	fd = uevent_open();
	r = fd < 0 ? fd : sd_event_add_io(tagger->event, &tagger->processors, fd, EPOLLIN, on_processors, tagger);
	if (r >= 0) {
		sd_event_source_set_io_fd_own(tagger->processors, true);
		return;
	}
	if (fd >= 0)
		close(fd);
	log_warning("moves between cgroups, and changes of tasks, are not heard on processors that come online: %s",
		    strerror(-r));
}
