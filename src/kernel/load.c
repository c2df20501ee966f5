/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/load.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

/* /proc/stat has a line for each CPU before what we look for, and one of all interrupts. */
#define STAT_MAX (4 << 20)

static int read_file(int proc, const char *name, char **ret)
{
	_cleanup_close_ int fd = openat(proc, name, O_RDONLY | O_CLOEXEC);
	size_t size;

	return fd < 0 ? -errno : read_text(fd, STAT_MAX, ret, &size);
}

int load_parse_pressure(const char *text, uint64_t *ret_us)
{
	const char *total = strstr(text, "some ");

	if (total)
		total = strstr(total, " total=");
	return total && sscanf(total, " total=%" SCNu64, ret_us) == 1 ? 0 : -EBADMSG;
}

int load_parse_switches(const char *text, uint64_t *ret)
{
	const char *line = strstr(text, "\nctxt ");

	return line && sscanf(line, "\nctxt %" SCNu64, ret) == 1 ? 0 : -EBADMSG;
}

int load_cpu_pressure(int proc, uint64_t *ret_us)
{
	_cleanup_free_ char *text = NULL;
	int r = read_file(proc, "pressure/cpu", &text);

	return r < 0 || !text ? r : load_parse_pressure(text, ret_us);
}

int load_switches(int proc, uint64_t *ret)
{
	_cleanup_free_ char *text = NULL;
	int r = read_file(proc, "stat", &text);

	return r < 0 || !text ? r : load_parse_switches(text, ret);
}
