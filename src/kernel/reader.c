/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/kernel/reader.h>

#include <errno.h>
#include <poll.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/uio.h>

#include <schedqos/kernel/procfs.h>

/* An answer is there within 50 us, unless a CPU has to be waited for. */
#define TAKE_WAIT_US 2000

/* ---- the helper's side ---- */

static void serve(int fd)
{
	static char buf[READER_BYTES];
	struct reader_question questions[READER_QUESTIONS_MAX];
	const int proc = procfs_open();
	ssize_t n;

	while (proc >= 0 && (n = recv(fd, questions, sizeof(questions), 0)) > 0) {
		for (size_t i = 0; i < (size_t)n / sizeof(*questions); i++) {
			const ssize_t size = procfs_argv(proc, questions[i].tid, buf, sizeof(buf));
			struct reader_answer answer = { questions[i].number, (int32_t)size };
			struct iovec parts[] = { { &answer, sizeof(answer) }, { buf, size > 0 ? (size_t)size : 0 } };

			if (writev(fd, parts, 2) < 0)
				return;
		}
	}
}

/* ---- the daemon's side ---- */

int reader_ask(struct reader *reader, const struct reader_question *questions, size_t count)
{
	const struct timeval timeout = { .tv_usec = TAKE_WAIT_US };
	const pid_t before = reader->helper.now.pid;
	int fd;

	reader->helper.serve = serve;
	reader->helper.has_spare = true;
	fd = helper_need(&reader->helper);
	if (fd < 0)
		return fd;
	if (reader->helper.now.pid != before)
		setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	/* Of one that has ended reader_take tells. */
	if (count && send(fd, questions, count * sizeof(*questions), MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == EAGAIN)
		return -EAGAIN;
	return 0;
}

int reader_take(struct reader *reader, bool wait, struct reader_answer *ret, char *buf, size_t size)
{
	struct iovec parts[] = { { ret, sizeof(*ret) }, { buf, size } };
	struct msghdr message = { .msg_iov = parts, .msg_iovlen = 2 };
	ssize_t n;

	do {
		n = recvmsg(reader->helper.now.fd, &message, wait ? 0 : MSG_DONTWAIT);
	} while (n < 0 && errno == EINTR);
	if (n < 0 && errno == EAGAIN)
		return 0;
	if (n < (ssize_t)sizeof(*ret))
		return -ENOTCONN;
	if (ret->size > (ssize_t)size)
		ret->size = (int32_t)size;
	return 1;
}

void reader_wait(const struct reader *reader, int timeout_ms)
{
	struct pollfd pollfd = { .fd = reader->helper.now.fd, .events = POLLIN };

	poll(&pollfd, 1, timeout_ms);
}

void reader_leave(struct reader *reader)
{
	helper_leave(&reader->helper);
}

void reader_close(struct reader *reader)
{
	helper_close(&reader->helper);
}

ssize_t reader_argv(struct reader *reader, pid_t tid, uint32_t patience_ms, char *buf, size_t size)
{
	const struct reader_question question = { .tid = tid };
	struct reader_answer answer;

	for (int attempt = 0; attempt < 2; attempt++) {
		int r = reader_ask(reader, &question, 1);

		if (r < 0)
			return -EAGAIN;
		reader_wait(reader, (int)patience_ms);
		r = reader_take(reader, false, &answer, buf, size);
		if (r > 0)
			return answer.size;
		reader_leave(reader);
		if (r == 0)
			break;
	}
	return -EAGAIN;
}
