/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Anybody can send as much as he likes. So of each user one request waits at a time, the users take turns, and after each
 * turn the daemon rests nine times as long as it has run: all requests together cost a tenth of a processor at most.
 */
#include "user_server.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/daemon/user_request.h>
#include <schedqos/kernel/netlink_port.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/clock.h>
#include <schedqos/util/file.h>

#include "daemon_private.h"
#include "user_class.h"

/* Users who wait; more are told to ask again. */
#define WAITING_MAX 16

/* Datagrams read in one turn; it takes 0.2 ms if all are refused. */
#define READ_MAX 64

/* The rest after a turn, in us. It ends while clients still wait, even if the turn had a storm of forks to handle. */
#define REST_MIN_US 1000
#define REST_MAX_US 10000000
#define REST_SHARE 9

struct waiting {
	struct user_request request;
	struct netlink_sender from;
};

struct user_server {
	struct daemon *daemon;
	int fd;
	sd_event_source *source;
	sd_event_source *rest; /* on while source is off */
	struct waiting waiting[WAITING_MAX]; /* the first one is next */
	size_t n_waiting;
};

static void answer(const struct user_server *server, const struct netlink_sender *to, const struct user_answer *answer)
{
	/* Whoever does not receive it has himself to blame. */
	netlink_port_send(server->fd, to->port, answer, sizeof(*answer));
}

static void send_word(const struct user_server *server, const struct netlink_sender *to, enum user_result result,
		      const char *text)
{
	struct user_answer word = { .version = USER_VERSION, .result = result };

	snprintf(word.text, sizeof(word.text), "%s", text);
	answer(server, to, &word);
}

static bool waits(const struct user_server *server, uid_t uid)
{
	for (size_t i = 0; i < server->n_waiting; i++) {
		if (server->waiting[i].from.uid == uid)
			return true;
	}
	return false;
}

/* What is no request is dropped: an answer would cost more than it cost him. */
static void note(struct user_server *server, const struct waiting *waiting, ssize_t size)
{
	if (size != sizeof(waiting->request))
		return;
	if (waiting->request.version != USER_VERSION)
		send_word(server, &waiting->from, USER_REFUSED, "the daemon is of another version");
	else if (server->n_waiting == WAITING_MAX || waits(server, waiting->from.uid))
		send_word(server, &waiting->from, USER_ASK_AGAIN, "");
	else
		server->waiting[server->n_waiting++] = *waiting;
}

static void receive(struct user_server *server)
{
	struct waiting waiting = { 0 };

	for (int i = 0; i < READ_MAX; i++) {
		const ssize_t n = netlink_port_receive(server->fd, &waiting.request, sizeof(waiting.request),
						       &waiting.from);

		if (n < 0)
			break;
		note(server, &waiting, n);
	}
}

static void serve_next(struct user_server *server)
{
	struct waiting waiting = server->waiting[0];
	struct user_answer result = { .version = USER_VERSION };

	memmove(server->waiting, server->waiting + 1, --server->n_waiting * sizeof(waiting));
	waiting.request.qos[sizeof(waiting.request.qos) - 1] = '\0';
	if (!waiting.request.pid)
		waiting.request.pid = waiting.from.pid;
	user_class_request(server->daemon, waiting.from.uid, &waiting.request, &result);
	answer(server, &waiting.from, &result);
}

static int rest(struct user_server *server, uint64_t began_ns)
{
	uint64_t us = (clock_ns(CLOCK_THREAD_CPUTIME_ID) - began_ns) / 1000 * REST_SHARE;
	int r;

	if (us < REST_MIN_US)
		us = REST_MIN_US;
	if (us > REST_MAX_US)
		us = REST_MAX_US;
	r = sd_event_source_set_enabled(server->source, SD_EVENT_OFF);
	if (r >= 0)
		r = sd_event_source_set_time_relative(server->rest, us);
	return r < 0 ? r : sd_event_source_set_enabled(server->rest, SD_EVENT_ONESHOT);
}

static int take_turn(struct user_server *server)
{
	const uint64_t began_ns = clock_ns(CLOCK_THREAD_CPUTIME_ID);

	receive(server);
	if (server->n_waiting)
		serve_next(server);
	return rest(server, began_ns);
}

static int on_datagram(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	(void)source;
	(void)fd;
	(void)revents;
	return take_turn(userdata);
}

static int on_rest_over(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct user_server *server = userdata;

	(void)source;
	(void)usec;
	return server->n_waiting ? take_turn(server) : sd_event_source_set_enabled(server->source, SD_EVENT_ON);
}

/* Everybody may read it, and sees it whole. */
static int publish(uint32_t port)
{
	_cleanup_close_ int folder = state_folder_open(), fd = -1;
	char text[16];
	int r;

	if (folder < 0)
		return folder;
	fd = openat(folder, USER_PORT_NAME ".new", O_WRONLY | O_CREAT | O_TRUNC | O_NOFOLLOW | O_CLOEXEC, 0644);
	if (fd < 0 || fchmod(fd, 0644) < 0)
		return -errno;
	r = write_full(fd, text, (size_t)snprintf(text, sizeof(text), "%u", (unsigned)port));
	if (r == 0 && renameat(folder, USER_PORT_NAME ".new", folder, USER_PORT_NAME) < 0)
		r = -errno;
	return r;
}

static int add_sources(struct user_server *server)
{
	sd_event *event = server->daemon->event;
	int r = sd_event_add_io(event, &server->source, server->fd, EPOLLIN, on_datagram, server);

	/* After all that is not for ordinary users. */
	if (r >= 0)
		r = sd_event_source_set_priority(server->source, SD_EVENT_PRIORITY_NORMAL + 1);
	if (r >= 0)
		r = sd_event_add_time(event, &server->rest, CLOCK_MONOTONIC, 0, REST_MIN_US / 2, on_rest_over, server);
	if (r >= 0)
		r = sd_event_source_set_priority(server->rest, SD_EVENT_PRIORITY_NORMAL + 1);
	return r < 0 ? r : sd_event_source_set_enabled(server->rest, SD_EVENT_OFF);
}

int user_server_new(struct daemon *daemon, struct user_server **ret)
{
	struct user_server *server = calloc(1, sizeof(*server));
	uint32_t port = 0;
	int r;

	if (!server)
		return -ENOMEM;
	server->daemon = daemon;
	server->fd = r = netlink_port_open(0, &port);
	if (r >= 0)
		r = add_sources(server);
	if (r >= 0)
		r = publish(port);
	if (r < 0) {
		user_server_free(server);
		return r;
	}
	*ret = server;
	return 0;
}

void user_server_free(struct user_server *server)
{
	if (!server)
		return;
	sd_event_source_disable_unref(server->rest);
	sd_event_source_disable_unref(server->source);
	if (server->fd >= 0) {
		unlink(USER_PORT_FILE);
		receive(server);
		for (size_t i = 0; i < server->n_waiting; i++)
			send_word(server, &server->waiting[i].from, USER_REFUSED, "not running");
		close(server->fd);
	}
	free(server);
}
