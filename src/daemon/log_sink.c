/* SPDX-License-Identifier: GPL-2.0-only */
#include "log_sink.h"

#include <endian.h>
#include <errno.h>
#include <fcntl.h>
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
#include <time.h>
#include <unistd.h>

#include <schedqos/util/log.h>

#ifndef LOGDIR
#define LOGDIR "/var/log"
#endif
#define LOG_FILE LOGDIR "/schedqosd.log"
/* At debug level a storm of events writes megabytes a second. The previous file may be as large. */
#define FILE_MAX_BYTES (8 * 1024 * 1024)
#define JOURNAL_SOCKET "/run/systemd/journal/socket"

/* A line has at most 4 KiB, and few fields; the rest would be cut off. */
#define RECORD_BYTES 8192

/* Holds the lines of a storm at debug level until journald gets to read them. */
#define SEND_BUFFER (1024 * 1024)

static struct {
	int file, journal; /* descriptors, or -1 */
	bool terminal;
	bool may_block; /* on stderr */
	uint64_t lost;
} sink = { .file = -1, .journal = -1, .may_block = true };

/* One datagram to the journal. */
struct record {
	size_t used;
	char bytes[RECORD_BYTES];
};

/* Name, newline, length, value, newline: the journal's encoding for values of any bytes. */
static void add_field(struct record *record, const char *prefix, const char *name,
		      const char *value)
{
	size_t len = strlen(value), room = sizeof(record->bytes) - record->used;
	uint64_t encoded = htole64(len);
	int n = snprintf(record->bytes + record->used, room, "%s%s\n", prefix, name);

	if (n < 0 || (size_t)n + sizeof(encoded) + len + 1 > room)
		return;
	record->used += n;
	memcpy(record->bytes + record->used, &encoded, sizeof(encoded));
	record->used += sizeof(encoded);
	memcpy(record->bytes + record->used, value, len);
	record->used += len;
	record->bytes[record->used++] = '\n';
}

/*
 * Not sd_journal_sendv, which blocks while the journal's queue is full, for ever if journald is stopped. The socket is
 * addressed by its path each time, so that a restarted journald is found.
 */
static bool to_journal(int level, const char *line, const struct log_field *fields)
{
	const struct sockaddr_un address = { .sun_family = AF_UNIX, .sun_path = JOURNAL_SOCKET };
	struct record record = { 0 };
	char priority[16];

	snprintf(priority, sizeof(priority), "%d", level);
	add_field(&record, "", "MESSAGE", line);
	add_field(&record, "", "PRIORITY", priority);
	add_field(&record, "", "SYSLOG_IDENTIFIER", "schedqos");
	for (; fields && fields->name; fields++)
		add_field(&record, "SCHEDQOS_", fields->name, fields->value);
	return sendto(sink.journal, record.bytes, record.used, MSG_NOSIGNAL,
		      (const struct sockaddr *)&address, sizeof(address)) >= 0;
}

/* False for a stopped terminal (Ctrl-S) or a full pipe. A descriptor that is ready takes at least PIPE_BUF bytes. */
static bool stderr_is_ready(void)
{
	struct pollfd pollfd = { .fd = STDERR_FILENO, .events = POLLOUT };

	/* poll fails if RLIMIT_NOFILE is 0: then try to write. */
	return poll(&pollfd, 1, 0) < 0 || (pollfd.revents & POLLOUT);
}

static bool to_stderr(int level, bool plain, const char *line, const struct log_field *fields)
{
	char text[PIPE_BUF - 32];

	if (!sink.may_block && !stderr_is_ready())
		return false;
	snprintf(text, sizeof(text), "%s", line);
	clearerr(stderr);
	log_to_stderr(level, plain, text, fields);
	return !ferror(stderr);
}

/* Renames the present file to .1 and creates another; O_EXCL refuses whatever somebody has put there meanwhile. */
static int rotate_file(void)
{
	int fd;

	if (rename(LOG_FILE, LOG_FILE ".1") < 0 && errno != ENOENT)
		return -errno;
	fd = open(LOG_FILE, O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, 0640);
	if (fd < 0)
		return -errno;
	if (sink.file >= 0)
		close(sink.file);
	sink.file = fd;
	return 0;
}

static bool file_is_full(void)
{
	struct stat stat;

	return fstat(sink.file, &stat) == 0 && stat.st_size >= FILE_MAX_BYTES;
}

static bool to_file(int level, const char *line)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm local;

	/* Lines are lost until a new file can be created. */
	if (file_is_full() && rotate_file() < 0)
		return false;
	localtime_r(&now, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	return dprintf(sink.file, "%s %s: %s\n", stamp, log_level_name(level), line) >= 0;
}

static void write_line(int level, bool plain, const char *line, const struct log_field *fields)
{
	bool taken = true;

	if (sink.terminal)
		taken = to_stderr(level, plain, line, fields);
	if (sink.journal >= 0)
		taken = to_journal(level, line, fields) && taken;
	else if (sink.file >= 0)
		taken = to_file(level, line) && taken;
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

static int open_journal(void)
{
	int size = SEND_BUFFER;

	sink.journal = socket(AF_UNIX, SOCK_DGRAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0);
	if (sink.journal < 0)
		return -errno;
	/* SO_SNDBUF is limited by net.core.wmem_max. */
	if (setsockopt(sink.journal, SOL_SOCKET, SO_SNDBUFFORCE, &size, sizeof(size)) < 0)
		setsockopt(sink.journal, SOL_SOCKET, SO_SNDBUF, &size, sizeof(size));
	return 0;
}

void log_sink_foreground(void)
{
	sink.terminal = !stderr_is_journal() || open_journal() < 0;
	log_set_sink(write_line);
}

int log_sink_background(void)
{
	int r = access(JOURNAL_SOCKET, W_OK) == 0 ? open_journal() : rotate_file();

	if (r < 0)
		return r;
	sink.terminal = true;
	log_set_sink(write_line);
	return 0;
}

void log_sink_ready(void)
{
	sink.may_block = false;
	if (sink.journal >= 0 || sink.file >= 0)
		sink.terminal = false;
}

int log_sink_fd(void)
{
	return sink.journal >= 0 ? sink.journal : sink.file;
}

uint64_t log_sink_lost(void)
{
	return sink.lost;
}
