/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Processes that cannot be inspected without blocking.
 *
 *   stuck serve FOLDER [COUNT NAME]  mounts a file system there whose one file, "file", is never read to
 *                                    the end, and says "ready"; with COUNT, runs so many of the following
 *   NAME hang FILE [ARGUMENT ...]    sleeps in mmap(), holding the lock of its own memory
 *
 * On SIGUSR1 the server answers, and all of them go on, and just are there. When it ends, the kernel does away with its
 * file system, so that they go on as well. Nothing but the kernel's headers is needed: see linux/fuse.h.
 */
#include <errno.h>
#include <fcntl.h>
#include <linux/fuse.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <unistd.h>

#define FILE_NODE  2
#define FILE_BYTES 65536
#define READS_MAX  64
#define HOUR_S	   3600

/* Opened with this flag the file is not cached, so that a mmap has to empty the cache of the others. */
#define UNCACHED O_NONBLOCK

static int device;
static bool is_ready;
static volatile sig_atomic_t answers;

/* Reads that wait for their answer. */
static struct {
	uint64_t unique;
	uint32_t size;
} reads[READS_MAX];
static int n_reads;

static _Noreturn void die(const char *what)
{
	fprintf(stderr, "stuck: %s: %s\n", what, strerror(errno));
	_exit(1);
}

static void reply(uint64_t unique, int error, const void *body, size_t size)
{
	struct fuse_out_header header = {
		.len = (uint32_t)(sizeof(header) + size),
		.error = error,
		.unique = unique,
	};
	struct iovec parts[] = { { &header, sizeof(header) }, { (void *)body, size } };

	if (writev(device, parts, 2) < 0 && errno != ENOENT)
		die("answering");
}

static struct fuse_attr attributes(uint64_t node)
{
	if (node != FILE_NODE)
		return (struct fuse_attr){ .ino = node, .mode = S_IFDIR | 0755, .nlink = 2 };
	return (struct fuse_attr){ .ino = node, .mode = S_IFREG | 0644, .nlink = 1, .size = FILE_BYTES };
}

static void answer_read(uint64_t unique, uint32_t size)
{
	static char zeroes[FILE_BYTES * 2];

	reply(unique, 0, zeroes, size);
}

static void hear_read(uint64_t unique, const struct fuse_read_in *read)
{
	const uint32_t size = read->size;

	if (answers || n_reads == READS_MAX) {
		answer_read(unique, size);
		return;
	}
	reads[n_reads].unique = unique;
	reads[n_reads++].size = size;
	is_ready = true;
}

static void handle(const struct fuse_in_header *in, const void *body)
{
	const struct fuse_init_in *init = body;
	const struct fuse_init_out version = {
		.major = FUSE_KERNEL_VERSION,
		.minor = init->minor < FUSE_KERNEL_MINOR_VERSION ? init->minor : FUSE_KERNEL_MINOR_VERSION,
		.max_readahead = init->max_readahead,
		.max_write = FILE_BYTES,
		.flags = FUSE_ASYNC_READ | FUSE_ASYNC_DIO,
		.max_background = READS_MAX,
		.congestion_threshold = READS_MAX,
	};
	const struct fuse_entry_out entry = {
		.nodeid = FILE_NODE, .entry_valid = HOUR_S, .attr_valid = HOUR_S, .attr = attributes(FILE_NODE)
	};
	const struct fuse_attr_out attr = { .attr_valid = HOUR_S, .attr = attributes(in->nodeid) };
	struct fuse_open_out open = { .open_flags = FOPEN_KEEP_CACHE };

	switch (in->opcode) {
	case FUSE_INIT:
		reply(in->unique, 0, &version, sizeof(version));
		break;
	case FUSE_LOOKUP:
		reply(in->unique, 0, &entry, sizeof(entry));
		break;
	case FUSE_GETATTR:
		reply(in->unique, 0, &attr, sizeof(attr));
		break;
	case FUSE_OPEN:
		if (((const struct fuse_open_in *)body)->flags & UNCACHED)
			open.open_flags |= FOPEN_DIRECT_IO;
		reply(in->unique, 0, &open, sizeof(open));
		break;
	case FUSE_READ:
		hear_read(in->unique, body);
		break;
	case FUSE_FORGET:
	case FUSE_BATCH_FORGET:
	case FUSE_INTERRUPT:
		break;
	case FUSE_RELEASE:
	case FUSE_FLUSH:
		reply(in->unique, 0, NULL, 0);
		break;
	default:
		reply(in->unique, -ENOSYS, NULL, 0);
		break;
	}
}

static void on_answer(int signal)
{
	(void)signal;
	answers = true;
}

static void mount_at(const char *folder)
{
	char options[128];

	device = open("/dev/fuse", O_RDWR | O_CLOEXEC);
	if (device < 0)
		die("/dev/fuse");
	snprintf(options, sizeof(options), "fd=%d,rootmode=40000,user_id=0,group_id=0,allow_other", device);
	if (mount("stuck", folder, "fuse", MS_NOSUID | MS_NODEV, options) < 0)
		die("mount");
}

/* A child that keeps the first page locked, since it is being read for it. */
static void read_first_page(const char *file)
{
	char byte;
	int fd;

	if (fork() != 0)
		return;
	close(device);
	prctl(PR_SET_PDEATHSIG, SIGKILL);
	fd = open(file, O_RDONLY);
	if (fd < 0 || pread(fd, &byte, 1, 0) != 1)
		_exit(1);
	pause();
	_exit(0);
}

static void run_programs(int count, char *name, char *file)
{
	static char verb[] = "hang";
	char *argv[] = { name, verb, file, NULL };

	for (int i = 0; i < count; i++) {
		if (fork() != 0)
			continue;
		prctl(PR_SET_PDEATHSIG, SIGKILL);
		execv("/proc/self/exe", argv);
		_exit(1);
	}
}

static int serve(int argc, char **argv)
{
	static char request[FILE_BYTES * 2];
	struct sigaction action = { .sa_handler = on_answer };
	char file[4096];
	bool told = false;

	snprintf(file, sizeof(file), "%s/file", argv[0]);
	sigaction(SIGUSR1, &action, NULL);
	mount_at(argv[0]);
	read_first_page(file);
	for (;;) {
		ssize_t n = read(device, request, sizeof(request));

		if (n < 0 && errno == ENODEV)
			return 0;
		if (n > 0)
			handle((void *)request, request + sizeof(struct fuse_in_header));
		while (answers && n_reads) {
			n_reads--;
			answer_read(reads[n_reads].unique, reads[n_reads].size);
		}
		if (is_ready && !told) {
			told = true;
			if (argc > 2)
				run_programs(atoi(argv[1]), argv[2], file);
			puts("ready");
			fflush(stdout);
		}
	}
}

static int hang(const char *file)
{
	int fd = open(file, O_RDONLY | UNCACHED);

	if (fd < 0)
		die(file);
	mmap(NULL, 4096, PROT_READ, MAP_PRIVATE, fd, 0);
	for (;;)
		pause();
}

int main(int argc, char **argv)
{
	if (argc >= 3 && strcmp(argv[1], "serve") == 0)
		return serve(argc - 2, argv + 2);
	if (argc >= 3 && strcmp(argv[1], "hang") == 0)
		return hang(argv[2]);
	fprintf(stderr, "usage: stuck serve FOLDER [COUNT NAME]\n");
	return 2;
}
