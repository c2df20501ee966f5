/* SPDX-License-Identifier: GPL-2.0-only */
#include "log_sink.h"

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

#define JOURNAL_SOCKET "/run/systemd/journal/socket"
#define SYSLOG_SOCKET  "/dev/log"

/* A line has at most 4 KiB. */
#define RECORD_BYTES 8192

/* Holds the lines of a storm at debug level until journald gets to read them. */
#define SEND_BUFFER (1024 * 1024)

static struct {
	int socket; /* to the journal or the syslog, or -1 */
	bool is_journal;
	bool on_stderr, stays_on_stderr;
	bool may_block; /* on stderr */
	uint64_t lost;
} sink = { .socket = -1, .may_block = true };

/*
 * Not sd_journal_sendv or syslog(3), which block while the queue is full, for ever if its reader is stopped. The socket
 * is addressed by its path each time, so that a restarted reader is found.
 */
static bool send_record(const char *path, const char *record, int length)
{
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	const size_t size = length < RECORD_BYTES ? (size_t)length : RECORD_BYTES - 1;

	snprintf(address.sun_path, sizeof(address.sun_path), "%s", path);
	return sendto(sink.socket, record, size, MSG_NOSIGNAL, (const struct sockaddr *)&address, sizeof(address)) >= 0;
}

/* A field for each line, so that a message is one line. */
static bool to_journal(int level, const char *line)
{
	char record[RECORD_BYTES];

	return send_record(JOURNAL_SOCKET, record,
			   snprintf(record, sizeof(record), "MESSAGE=%.*s\nPRIORITY=%d\nSYSLOG_IDENTIFIER=schedqos\n",
				    (int)strcspn(line, "\n"), line, level));
}

/* The reader adds the time. */
static bool to_syslog(int level, const char *line)
{
	char record[RECORD_BYTES];

	return send_record(SYSLOG_SOCKET, record,
			   snprintf(record, sizeof(record), "<%d>schedqos[%d]: %s", LOG_DAEMON | level, getpid(), line));
}

/* False for a stopped terminal (Ctrl-S) or a full pipe. A descriptor that is ready takes at least PIPE_BUF bytes. */
static bool stderr_is_ready(void)
{
	struct pollfd pollfd = { .fd = STDERR_FILENO, .events = POLLOUT };

	/* poll fails if RLIMIT_NOFILE is 0: then try to write. */
	return poll(&pollfd, 1, 0) < 0 || (pollfd.revents & POLLOUT);
}

static bool to_stderr(int level, bool plain, const char *line)
{
	char text[PIPE_BUF - 32];

	if (!sink.may_block && !stderr_is_ready())
		return false;
	snprintf(text, sizeof(text), "%s", line);
	clearerr(stderr);
	log_to_stderr(level, plain, text);
	return !ferror(stderr);
}

static void write_line(int level, bool plain, const char *line)
{
	bool taken = true;

	if (sink.on_stderr)
		taken = to_stderr(level, plain, line);
	if (sink.socket >= 0)
		taken = (sink.is_journal ? to_journal(level, line) : to_syslog(level, line)) && taken;
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

static bool open_socket(const char *path)
{
	int size = SEND_BUFFER;

	if (access(path, W_OK) < 0)
		return false;
	sink.socket = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sink.socket < 0)
		return false;
	/* SO_SNDBUF is limited by net.core.wmem_max. */
	if (setsockopt(sink.socket, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(sink.socket, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return true;
}

void log_sink_foreground(void)
{
	sink.is_journal = stderr_is_journal() && open_socket(JOURNAL_SOCKET);
	sink.on_stderr = sink.stays_on_stderr = !sink.is_journal;
	log_set_sink(write_line);
}

bool log_sink_background(void)
{
	struct stat stat;

	sink.is_journal = open_socket(JOURNAL_SOCKET);
	if (!sink.is_journal && !open_socket(SYSLOG_SOCKET))
		sink.stays_on_stderr = fstat(STDERR_FILENO, &stat) == 0 && S_ISREG(stat.st_mode);
	sink.on_stderr = true;
	log_set_sink(write_line);
	return sink.socket >= 0 || sink.stays_on_stderr;
}

void log_sink_ready(void)
{
	sink.may_block = false;
	sink.on_stderr = sink.stays_on_stderr;
}

bool log_sink_is_stderr(void)
{
	return sink.on_stderr;
}

uint64_t log_sink_lost(void)
{
	return sink.lost;
}
