/* SPDX-License-Identifier: GPL-2.0-only */
#include "stream.h"

#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

struct stream {
	struct focus *focus;
	stream_take *take;
	void *context;
	int fd;
	sd_event_source *source;
	char *data;
	size_t len, size;
};

/* A descriptor, or -errno. */
static int connect_to(const char *path)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct timeval timeout = { .tv_sec = 1 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	/* A compositor that hangs does not take us with it. */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return take_fd(fd);
}

/* Room for more, and a NUL. 0 or -errno. */
static int make_room(char **data, size_t *size, size_t len)
{
	char *bigger;

	if (*size - len > 4096)
		return 0;
	if (len >= STREAM_MAX)
		return -EMSGSIZE;
	bigger = realloc(*data, *size * 2 + 16384);
	if (!bigger)
		return -ENOMEM;
	*data = bigger;
	*size = *size * 2 + 16384;
	return 0;
}

/* Takes all messages that are complete. 0 or -errno. */
static int take_all(struct stream *stream)
{
	size_t done = 0;
	ssize_t n = 1;

	while (n > 0 && done < stream->len) {
		n = stream->take(stream->context, stream->data + done, stream->len - done);
		if (n > 0)
			done += (size_t)n;
	}
	memmove(stream->data, stream->data + done, stream->len - done + 1);
	stream->len -= done;
	return n < 0 ? (int)n : 0;
}

static int on_data(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct stream *stream = userdata;
	int r = make_room(&stream->data, &stream->size, stream->len);
	ssize_t n;

	(void)revents;
	if (r >= 0) {
		n = recv(fd, stream->data + stream->len, stream->size - stream->len - 1, MSG_DONTWAIT);
		if (n < 0 && (errno == EAGAIN || errno == EINTR))
			return 0;
		r = n > 0 ? 0 : n < 0 ? -errno : -ECONNRESET;
	}
	if (r >= 0) {
		stream->len += (size_t)n;
		stream->data[stream->len] = '\0';
		r = take_all(stream);
	}
	if (r < 0) {
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		stream->focus->lost(stream->focus, r == -ECONNRESET ? "it has ended" : r == -EBADMSG ? "it sends what is not "
												       "understood" :
												       strerror(-r));
	}
	return 0;
}

int stream_open(struct focus *focus, const char *path, stream_take *take, void *context, struct stream **ret)
{
	struct stream *stream;
	int r, fd = connect_to(path);

	if (fd < 0)
		return fd;
	stream = calloc(1, sizeof(*stream));
	if (!stream) {
		close(fd);
		return -ENOMEM;
	}
	*stream = (struct stream){ .focus = focus, .take = take, .context = context, .fd = fd };
	r = sd_event_add_io(focus->event, &stream->source, fd, EPOLLIN, on_data, stream);
	if (r < 0) {
		stream_close(stream);
		return r;
	}
	*ret = stream;
	return 0;
}

void stream_close(struct stream *stream)
{
	if (!stream)
		return;
	sd_event_source_disable_unref(stream->source);
	close(stream->fd);
	free(stream->data);
	free(stream);
}

static int send_all(int fd, const void *data, size_t len)
{
	while (len > 0) {
		const ssize_t n = send(fd, data, len, MSG_NOSIGNAL);

		if (n < 0 && errno != EINTR)
			return -errno;
		data = (const char *)data + (n < 0 ? 0 : n);
		len -= n < 0 ? 0 : (size_t)n;
	}
	return 0;
}

int stream_send(struct stream *stream, const void *data, size_t len)
{
	return send_all(stream->fd, data, len);
}

pid_t stream_peer(const struct stream *stream)
{
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	return getsockopt(stream->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0 ? 0 : peer.pid;
}

char *stream_ask(const char *path, const char *question)
{
	_cleanup_close_ int fd = connect_to(path);
	_cleanup_free_ char *answer = NULL;
	size_t size = 0, len = 0;
	ssize_t n = 1;

	if (fd < 0 || send_all(fd, question, strlen(question)) < 0)
		return NULL;
	while (n > 0) {
		if (make_room(&answer, &size, len) < 0)
			return NULL;
		n = recv(fd, answer + len, size - len - 1, 0);
		if (n > 0)
			len += (size_t)n;
	}
	if (n < 0)
		return NULL;
	answer[len] = '\0';
	return take_ptr(answer);
}

/* A crash leaves a socket behind that nobody listens at. */
static bool is_alive(const char *path, struct timespec *ret)
{
	_cleanup_close_ int fd = -1;
	struct stat st;

	if (stat(path, &st) < 0 || !S_ISSOCK(st.st_mode) || st.st_uid != getuid())
		return false;
	*ret = st.st_mtim;
	fd = connect_to(path);
	return fd >= 0;
}

static bool is_newer(struct timespec a, struct timespec b)
{
	return a.tv_sec != b.tv_sec ? a.tv_sec > b.tv_sec : a.tv_nsec >= b.tv_nsec;
}

int stream_find(const char *variable, const char *pattern, char *buf, size_t size)
{
	const char *named = variable ? getenv(variable) : NULL, *runtime = getenv("XDG_RUNTIME_DIR");
	struct timespec time, newest = { 0 };
	glob_t found = { 0 };
	char path[256];
	int r = -ENOENT;

	if (named && is_alive(named, &time) && (size_t)snprintf(buf, size, "%s", named) < size)
		return 0;
	if (!runtime || (size_t)snprintf(path, sizeof(path), "%s/%s", runtime, pattern) >= sizeof(path))
		return r;
	if (glob(path, GLOB_NOSORT, NULL, &found) != 0)
		return r;
	for (size_t i = 0; i < found.gl_pathc; i++) {
		const char *one = found.gl_pathv[i];

		if (strlen(one) < size && is_alive(one, &time) && is_newer(time, newest)) {
			snprintf(buf, size, "%s", one);
			newest = time;
			r = 0;
		}
	}
	globfree(&found);
	return r;
}
