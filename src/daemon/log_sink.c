/* SPDX-License-Identifier: GPL-2.0-only */
#include "log_sink.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#define SD_JOURNAL_SUPPRESS_LOCATION
#include <systemd/sd-journal.h>

#include <schedqos/util/log.h>

#ifndef LOGDIR
#define LOGDIR "/var/log"
#endif
#define LOG_FILE LOGDIR "/schedqosd.log"
#define JOURNAL_SOCKET "/run/systemd/journal/socket"

#define FIELDS_MAX 16
#define FIELD_BYTES 512

static struct {
	int file; /* descriptor, or -1 */
	bool journal;
	bool terminal;
} sink = { .file = -1 };

static void to_journal(int level, const char *line, const struct log_field *fields)
{
	static const char identifier[] = "SYSLOG_IDENTIFIER=schedqos";
	char message[4096 + 16], priority[16], values[FIELDS_MAX][FIELD_BYTES];
	struct iovec iovecs[FIELDS_MAX + 3];
	int n = 0;

	snprintf(message, sizeof(message), "MESSAGE=%s", line);
	snprintf(priority, sizeof(priority), "PRIORITY=%d", level);
	iovecs[n++] = (struct iovec){ message, strlen(message) };
	iovecs[n++] = (struct iovec){ priority, strlen(priority) };
	iovecs[n++] = (struct iovec){ (void *)identifier, sizeof(identifier) - 1 };
	for (int i = 0; fields && fields[i].name && i < FIELDS_MAX; i++) {
		snprintf(values[i], FIELD_BYTES, "SCHEDQOS_%s=%s", fields[i].name, fields[i].value);
		iovecs[n++] = (struct iovec){ values[i], strlen(values[i]) };
	}
	/* Without its socket the line is lost, as it would be for every other service. */
	sd_journal_sendv(iovecs, n);
}

static void to_file(int level, const char *line)
{
	char stamp[32];
	time_t now = time(NULL);
	struct tm local;

	localtime_r(&now, &local);
	strftime(stamp, sizeof(stamp), "%Y-%m-%d %H:%M:%S", &local);
	dprintf(sink.file, "%s %s: %s\n", stamp, log_level_name(level), line);
}

static void write_line(int level, bool plain, const char *line, const struct log_field *fields)
{
	if (sink.terminal)
		log_to_stderr(level, plain, line, fields);
	if (sink.journal)
		to_journal(level, line, fields);
	else if (sink.file >= 0)
		to_file(level, line);
}

/* systemd tells in JOURNAL_STREAM the device and inode that a service's stderr has, if it is the journal's. */
static bool stderr_is_journal(void)
{
	const char *stream = getenv("JOURNAL_STREAM");
	uint64_t device, inode;
	struct stat stat;

	return stream && sscanf(stream, "%" SCNu64 ":%" SCNu64, &device, &inode) == 2 &&
	       fstat(STDERR_FILENO, &stat) == 0 && stat.st_dev == device &&
	       stat.st_ino == inode;
}

void log_sink_foreground(void)
{
	if (!stderr_is_journal())
		return;
	sink.journal = true;
	log_set_sink(write_line);
}

int log_sink_background(void)
{
	if (access(JOURNAL_SOCKET, W_OK) == 0) {
		sink.journal = true;
	} else {
		if (rename(LOG_FILE, LOG_FILE ".1") < 0 && errno != ENOENT)
			return -errno;
		sink.file = open(LOG_FILE,
				 O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_CLOEXEC, 0640);
		if (sink.file < 0)
			return -errno;
	}
	sink.terminal = true;
	log_set_sink(write_line);
	return 0;
}

void log_sink_leave_terminal(void)
{
	sink.terminal = false;
}
