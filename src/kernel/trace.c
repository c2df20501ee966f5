/* SPDX-License-Identifier: GPL-2.0-only */
/* Receives tracepoint hits on all CPUs through perf's ring buffers, in chronological order. */
#include <schedqos/kernel/events.h>

#include <errno.h>
#include <fcntl.h>
#include <linux/perf_event.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <schedqos/kernel/host.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#define FORMAT_MAX 4096

/* ---- tracefs: the numbers of tracepoints, and the offsets of fields in their records ---- */

/*
 * Returns a descriptor of tracefs where it is mounted (the lookup may cause an automatic mount), else of a mount for
 * ourselves alone, or -errno as host_mount_detached. Under lockdown for confidentiality tracefs is empty.
 */
static int tracefs_open(void)
{
	_cleanup_close_ int events = open("/sys/kernel/tracing/events", O_PATH | O_DIRECTORY | O_CLOEXEC);
	int fd;

	if (events < 0)
		return host_mount_detached("tracefs");
	fd = openat(events, "..", O_PATH | O_DIRECTORY | O_CLOEXEC);
	return fd < 0 ? -errno : fd;
}

static int read_tracefs(int tracefs, const char *name, const char *file, char *buf, size_t size)
{
	char path[256];

	snprintf(path, sizeof(path), "events/%s/%s", name, file);
	return host_read_at(tracefs, path, buf, size);
}

/* Parses lines like " field:int common_pid; offset:4; size:4; signed:1;". */
int tracefs_parse_offset(const char *format, const char *name, size_t *ret)
{
	const size_t length = strlen(name);
	unsigned offset;
	int n = 0;

	for (const char *line = format; line; line = strchr(line, '\n')) {
		const char *end;

		line += *line == '\n';
		end = strchr(line, ';');
		if (strncmp(line, "\tfield:", 7) != 0 || !end || (size_t)(end - line) <= length ||
		    strncmp(end - length, name, length) != 0 || end[-1 - (ptrdiff_t)length] != ' ')
			continue;
		if (sscanf(end, "; offset:%u; size:4; signed:1;%n", &offset, &n) != 1 || n == 0 || offset > UINT16_MAX)
			return -EBADMSG;
		*ret = offset;
		return 0;
	}
	return -EBADMSG;
}

/*
 * Looks up the number of a tracepoint ("cgroup/cgroup_attach_task": its folder below events/) and, unless field is
 * NULL, the offset of that field. Returns 0 or -errno: -ENOENT if this kernel has no such tracepoint, -EBADMSG if the
 * tracepoint has no such field.
 */
static int tracefs_look_up(int tracefs, const char *name, const char *field, uint32_t *ret_id, size_t *ret_offset)
{
	char text[FORMAT_MAX];
	uint64_t id;
	int r = read_tracefs(tracefs, name, "id", text, sizeof(text));

	if (r < 0)
		return r;
	if (parse_u64(text, strlen(text), UINT32_MAX, &id) < 0)
		return -EBADMSG;
	*ret_id = (uint32_t)id;
	if (!field)
		return 0;
	r = read_tracefs(tracefs, name, "format", text, sizeof(text));
	return r < 0 ? r : tracefs_parse_offset(text, field, ret_offset);
}

/* ---- opening ---- */

/*
 * Size of one CPU's ring, enough for a thousand events: a power of two of pages. The kernel uses one page more for its
 * header.
 */
#define RING_BYTES (128 * 1024)

/* Longer records are cut: the rest is a path, which we do not need. */
#define RECORD_MAX 1024

#define POINTS_MAX 5

/* The events of one CPU. */
struct ring {
	/* one for each tracepoint; the first owns the memory, and the others write into it, too */
	int fds[POINTS_MAX];
	struct perf_event_mmap_page *memory;
	struct trace_event head; /* fetched from the ring, but not returned yet */
	bool has_head;
	bool was_discarded; /* ignore a loss in the next record: it happened before the discard */
};

struct trace {
	int epoll;
	uint32_t ids[POINTS_MAX]; /* of the tracepoints */
	size_t n_points;
	bool has_value;
	size_t value_at; /* in a record */
	struct ring *rings;
	size_t n_rings;
};

static void close_ring(struct ring *ring, size_t n_fds)
{
	if (ring->memory)
		munmap(ring->memory, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES);
	for (size_t i = 0; i < n_fds; i++)
		cleanup_close(&ring->fds[i]);
	*ring = (struct ring){ 0 };
}

static int open_event(uint32_t id, int cpu)
{
	struct perf_event_attr attr = {
		.type = PERF_TYPE_TRACEPOINT,
		.size = sizeof(attr),
		.config = id,
		.sample_period = 1,
		.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_RAW,
		.wakeup_events = 1,
		.use_clockid = 1,
		.clockid = CLOCK_MONOTONIC,
		.disabled = 1,
	};
	int fd = (int)syscall(SYS_perf_event_open, &attr, -1, cpu, -1, PERF_FLAG_FD_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/*
 * Enables one tracepoint on one CPU. The first gets the ring's memory and the others write into it, so that all hits
 * come in chronological order.
 */
static int start_event(struct ring *ring, size_t i, const char *filter)
{
	const int fd = ring->fds[i];

	if (i == 0) {
		void *memory = mmap(NULL, (size_t)sysconf(_SC_PAGESIZE) + RING_BYTES, PROT_READ | PROT_WRITE,
				    MAP_SHARED, fd, 0);

		if (memory == MAP_FAILED)
			return -errno;
		ring->memory = memory;
	} else if (ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, ring->fds[0]) < 0) {
		return -errno;
	}
	if (filter && ioctl(fd, PERF_EVENT_IOC_SET_FILTER, filter) < 0)
		return -errno;
	return ioctl(fd, PERF_EVENT_IOC_ENABLE, 0) < 0 ? -errno : 0;
}

/* Opens all tracepoints on one CPU. Returns 0 or -errno: -ENODEV if the CPU is offline. */
static int open_ring(const struct trace *trace, struct ring *ring, int cpu, const char *filter)
{
	struct epoll_event event = { .events = EPOLLIN };
	size_t n = 0;
	int r = 0;

	*ring = (struct ring){ 0 };
	while (n < trace->n_points && r == 0) {
		r = open_event(trace->ids[n], cpu);
		if (r < 0)
			break;
		ring->fds[n] = r;
		r = start_event(ring, n++, filter);
	}
	if (r == 0 && epoll_ctl(trace->epoll, EPOLL_CTL_ADD, ring->fds[0], &event) < 0)
		r = -errno;
	if (r < 0)
		close_ring(ring, n);
	return r;
}

static int open_rings(struct trace *trace, const char *filter)
{
	const long cpus = sysconf(_SC_NPROCESSORS_CONF);
	int r;

	trace->rings = calloc(cpus > 0 ? (size_t)cpus : 1, sizeof(*trace->rings));
	if (!trace->rings)
		return -ENOMEM;
	for (int cpu = 0; cpu < cpus; cpu++) {
		r = open_ring(trace, &trace->rings[trace->n_rings], cpu, filter);
		if (r == 0)
			trace->n_rings++;
		else if (r != -ENODEV)
			return r;
	}
	return 0;
}

/*
 * Subscribes to the tracepoints on all CPUs that are online now. `field` names an integer field to report with each
 * hit, `filter` an expression of fields common to all, which the kernel tests before it reports a hit
 * (Documentation/trace/events.rst). NULL for none.
 */
static int trace_open(const char *const *points, size_t n_points, const char *field, const char *filter,
		      struct trace **ret)
{
	_cleanup_close_ int tracefs = tracefs_open();
	struct trace *trace;
	int r = 0;

	if (tracefs < 0)
		return tracefs;
	trace = calloc(1, sizeof(*trace));
	if (!trace)
		return -ENOMEM;
	trace->n_points = n_points;
	trace->has_value = field;
	trace->epoll = epoll_create1(EPOLL_CLOEXEC);
	if (trace->epoll < 0)
		r = -errno;
	for (size_t i = 0; r == 0 && i < n_points; i++)
		r = tracefs_look_up(tracefs, points[i], field, &trace->ids[i], &trace->value_at);
	if (r == 0)
		r = open_rings(trace, filter);
	if (r < 0) {
		trace_close(trace);
		return r;
	}
	*ret = trace;
	return 0;
}

void trace_close(struct trace *trace)
{
	if (!trace)
		return;
	for (size_t i = 0; i < trace->n_rings; i++)
		close_ring(&trace->rings[i], trace->n_points);
	cleanup_close(&trace->epoll);
	free(trace->rings);
	free(trace);
}

int trace_fd(const struct trace *trace)
{
	return trace->epoll;
}

/* ---- reading ---- */

/* Copies bytes out of the ring, which may wrap. */
static void copy_out(const struct ring *ring, uint64_t at, void *to, size_t size)
{
	const char *data = (const char *)ring->memory + ring->memory->data_offset;
	const size_t offset = at % RING_BYTES;
	const size_t first = size < RING_BYTES - offset ? size : RING_BYTES - offset;

	memcpy(to, data + offset, first);
	memcpy((char *)to + first, data, size - first);
}

/* The fields before the raw record, in the order of perf_event_open(2). */
struct sample {
	uint32_t pid, tid;
	uint64_t ns;
	uint32_t size; /* of the record */
} __attribute__((packed));

static bool parse_sample(const struct trace *trace, const char *bytes, size_t size, struct trace_event *ret)
{
	struct sample sample;
	int32_t value = 0;

	if (size < sizeof(sample))
		return false;
	memcpy(&sample, bytes, sizeof(sample));
	size -= sizeof(sample);
	if (sample.size < size)
		size = sample.size;
	if (trace->has_value && trace->value_at + sizeof(value) <= size)
		memcpy(&value, bytes + sizeof(sample) + trace->value_at, sizeof(value));
	*ret = (struct trace_event){ .tid = (pid_t)sample.tid, .ns = sample.ns, .value = value };
	return true;
}

/* Takes the next event of one ring. Returns 1, 0 if the ring is empty, or -ENOBUFS. */
static int ring_next(const struct trace *trace, struct ring *ring, struct trace_event *ret)
{
	struct perf_event_mmap_page *page = ring->memory;
	char record[RECORD_MAX];
	int r = 0;

	while (r == 0) {
		/*
		 * The kernel writes the head after the data before it, and reuses the space once we have moved the
		 * tail.
		 */
		const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE), tail = page->data_tail;
		struct perf_event_header header;
		size_t size;

		if (head == tail)
			return 0;
		copy_out(ring, tail, &header, sizeof(header));
		size = header.size - sizeof(header);
		if (size > sizeof(record))
			size = sizeof(record);
		copy_out(ring, tail + sizeof(header), record, size);
		__atomic_store_n(&page->data_tail, tail + header.size, __ATOMIC_RELEASE);
		/* The kernel reports a loss ahead of the next record for which it finds room. */
		if (header.type == PERF_RECORD_LOST && !ring->was_discarded)
			r = -ENOBUFS;
		else if (header.type == PERF_RECORD_SAMPLE && parse_sample(trace, record, size, ret))
			r = 1;
		ring->was_discarded = false;
	}
	return r;
}

/*
 * Fetches the first event of each ring. If A causes B, A is written earlier, but perhaps to a ring that we had already
 * found empty. Therefore this repeats until no ring yields anything new.
 */
static int fetch_heads(const struct trace *trace)
{
	bool found = true;

	while (found) {
		found = false;
		for (size_t i = 0; i < trace->n_rings; i++) {
			struct ring *ring = &trace->rings[i];
			int r = ring->has_head ? 0 : ring_next(trace, ring, &ring->head);

			if (r < 0)
				return r;
			ring->has_head |= r > 0;
			found |= r > 0;
		}
	}
	return 0;
}

int trace_next(struct trace *trace, struct trace_event *ret)
{
	struct ring *earliest = NULL;
	int r = fetch_heads(trace);

	if (r < 0)
		return r;
	for (size_t i = 0; i < trace->n_rings; i++) {
		struct ring *ring = &trace->rings[i];

		if (ring->has_head && (!earliest || ring->head.ns < earliest->head.ns))
			earliest = ring;
	}
	if (!earliest)
		return 0;
	*ret = earliest->head;
	earliest->has_head = false;
	return 1;
}

void trace_discard(struct trace *trace)
{
	for (size_t i = 0; i < trace->n_rings; i++) {
		struct perf_event_mmap_page *page = trace->rings[i].memory;

		trace->rings[i].has_head = false;
		trace->rings[i].was_discarded = true;
		__atomic_store_n(&page->data_tail, __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE),
				 __ATOMIC_RELEASE);
	}
}

/* ---- what went wrong ---- */

/*
 * Returns whether perf_event_paranoid is above 2. The kernels of Debian and Ubuntu have such values, at which
 * CAP_PERFMON does not suffice.
 */
static bool is_paranoid(void)
{
	char text[16];

	return host_read("/proc/sys/kernel/perf_event_paranoid", text, sizeof(text)) == 0 && atoi(text) > 2;
}

const char *trace_fault(int error)
{
	if (error == ENOENT)
		return "this kernel has no such tracepoint, or is locked down";
	if (error == ENODEV)
		return "this kernel has no tracefs";
	if (error == EACCES && is_paranoid())
		return "kernel.perf_event_paranoid is above 2, so this kernel requires CAP_SYS_ADMIN";
	if (error == EACCES || error == EPERM)
		return "tracefs is not mounted at /sys/kernel/tracing, or CAP_PERFMON is missing";
	return strerror(error);
}

/* ---- the tracepoints that are of use ---- */

int sched_calls_open(pid_t except, struct trace **ret)
{
	static const char *const points[POINTS_MAX] = {
		"syscalls/sys_exit_sched_setattr", "syscalls/sys_exit_sched_setscheduler",
		"syscalls/sys_exit_sched_setparam", "syscalls/sys_exit_setpriority", "syscalls/sys_exit_ioprio_set",
	};
	char filter[32];

	snprintf(filter, sizeof(filter), "common_pid != %d", (int)except);
	return trace_open(points, POINTS_MAX, NULL, filter, ret);
}

int cgroup_moves_open(struct trace **ret)
{
	static const char *const moved = "cgroup/cgroup_attach_task";

	return trace_open(&moved, 1, "pid", NULL, ret);
}
