/* SPDX-License-Identifier: GPL-2.0-only */
/* Writes the daemon's log to stderr or the syslog, and never waits for its readers once the daemon is ready. */
#include "daemon_private.h"

#include <inttypes.h>
#include <limits.h>
#include <poll.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <schedqos/util/log.h>

#define SYSLOG_SOCKET "/dev/log"

/* Enough for any line, which has at most 4 KiB, and its prefix. */
#define RECORD_BYTES 8192

static struct {
	int socket; /* to the syslog, or -1 */
	bool on_stderr, stays_on_stderr;
	bool is_journal; /* stderr is connected to the journal */
	bool may_block;	 /* writing to stderr may block */
	uint64_t lost;
} sink = { .socket = -1, .may_block = true };

/*
 * Sends a line to the syslog, which adds the time. Does not use syslog(3), which blocks while the queue is full,
 * forever if the reader is stopped. Addresses the socket by its path each time, so that a restarted reader is found.
 */
static bool to_syslog(int level, const char *line)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = SYSLOG_SOCKET };
	char record[RECORD_BYTES];
	const int length =
		snprintf(record, sizeof(record), "<%d>schedqos[%d]: %s", LOG_DAEMON | level, getpid(), line);

	return sendto(sink.socket, record, (size_t)length, MSG_NOSIGNAL, (const struct sockaddr *)&address,
		      sizeof(address)) >= 0;
}

/*
 * Returns false for a stopped terminal (Ctrl-S) or a full pipe. A descriptor that is ready takes at least PIPE_BUF
 * bytes.
 */
static bool stderr_is_ready(void)
{
	struct pollfd pollfd = { .fd = STDERR_FILENO, .events = POLLOUT };

	/* poll fails if RLIMIT_NOFILE is 0: then try to write. */
	return poll(&pollfd, 1, 0) < 0 || (pollfd.revents & POLLOUT);
}

/*
 * Writes a line to stderr. The journal reads the level from the line's start, and treats the text after a line feed as
 * another line.
 */
static bool to_stderr(int level, bool plain, const char *line)
{
	char text[PIPE_BUF - 32];

	if (!sink.may_block && !stderr_is_ready())
		return false;
	snprintf(text, sizeof(text), "%s", line);
	clearerr(stderr);
	if (sink.is_journal)
		fprintf(stderr, "<%d>%.*s\n", level, (int)strcspn(text, "\n"), text);
	else
		log_to_stderr(level, plain, text);
	return !ferror(stderr);
}

static void write_line(int level, bool plain, const char *line)
{
	bool taken = true;

	if (sink.on_stderr)
		taken = to_stderr(level, plain, line);
	if (sink.socket >= 0)
		taken = to_syslog(level, line) && taken;
	if (!taken)
		sink.lost++;
}

/* If a service's stderr is connected to the journal, systemd sets JOURNAL_STREAM to its device and inode. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uint64_t device, inode;
	struct stat stat;

	return stream && sscanf(stream, "%" SCNu64 ":%" SCNu64, &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &stat) == 0 && stat.st_dev == device &&
	       stat.st_ino == inode;
}

static bool open_syslog(void)
{
	if (access(SYSLOG_SOCKET, W_OK) < 0)
		return false;
	sink.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	return sink.socket >= 0;
}

bool log_sink_open(bool background)
{
	struct stat stat;

	if (!background) {
		sink.is_journal = stderr_is_journal();
		sink.stays_on_stderr = true;
	} else if (!open_syslog()) {
		sink.stays_on_stderr = fstat(STDERR_FILENO, &stat) == 0 && S_ISREG(stat.st_mode);
	}
	sink.on_stderr = true;
	log_set_sink(write_line);
	return sink.socket >= 0 || sink.stays_on_stderr;
}

bool log_sink_ready(void)
{
	sink.may_block = false;
	sink.on_stderr = sink.stays_on_stderr;
	return sink.on_stderr;
}

uint64_t log_sink_lost(void)
{
	return sink.lost;
}
