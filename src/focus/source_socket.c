/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * sway, niri and Hyprland, by sockets of theirs: a connection brings what happens, and whenever that may matter they are
 * asked for all there is. What niri has scrolled out of sight counts as visible.
 */
#include <errno.h>
#include <glob.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>

#include "json.h"
#include "source.h"

/* More than any compositor has to say at once. */
#define MESSAGE_MAX (16 << 20)
#define SWAY_MAGIC  "i3-ipc"

enum sway_type { SWAY_SUBSCRIBE = 2, SWAY_GET_TREE = 4 };

/* Before each of sway's messages; those of the others are lines. */
struct sway_header {
	char magic[6];
	uint32_t length, type;
} __attribute__((packed));
_Static_assert(sizeof(struct sway_header) == 14, "as sway has it");

struct message {
	const char *text;
	enum sway_type type;
};

struct kind {
	const char *variable; /* the path of the socket may be there */
	const char *pattern;  /* or one like this in the runtime folder */
	/* Another for questions, whose answers end with the connection, has the first of these in place of the second. */
	const char *questions_name, *events_name;
	bool has_headers;
	struct message subscribe, questions[SOCKET_QUESTIONS];
	/* Beginnings of messages that do not matter, such as titles, which change all the time. */
	const char *idle[8];
	int (*read)(struct shown *shown, cJSON *const answers[SOCKET_QUESTIONS]);
};

struct compositor {
	const struct focus_source *source;
	const struct kind *kind;
	struct focus *focus;
	int fd;
	char questions[128]; /* the path */
	sd_event_source *events, *asking;
	char *data;
	size_t len, size;
};

/* ---- what they answer ---- */

static const cJSON *get(const cJSON *object, const char *name)
{
	return cJSON_GetObjectItemCaseSensitive(object, name);
}

static void put_node(struct shown *shown, const cJSON *node)
{
	static const char *const lists[] = { "nodes", "floating_nodes" };

	shown_put_window(shown, json_pid(node, "pid"), json_is(node, "focused"), json_is(node, "visible"));
	for (size_t i = 0; i < array_size(lists); i++) {
		const cJSON *child;

		cJSON_ArrayForEach(child, get(node, lists[i]))
			put_node(shown, child);
	}
}

static int read_sway(struct shown *shown, cJSON *const answers[])
{
	if (!cJSON_IsObject(answers[0]))
		return -EBADMSG;
	put_node(shown, answers[0]);
	return 0;
}

/* One that is not in the list may be anywhere. */
static bool niri_is_shown(const cJSON *workspaces, uint64_t id)
{
	const cJSON *workspace;

	cJSON_ArrayForEach(workspace, workspaces) {
		if (json_id(workspace, "id") == id)
			return json_is(workspace, "is_active");
	}
	return true;
}

static int read_niri(struct shown *shown, cJSON *const answers[])
{
	const cJSON *windows = get(get(answers[0], "Ok"), "Windows"), *workspaces = get(get(answers[1], "Ok"), "Workspaces");
	const cJSON *window;

	if (!cJSON_IsArray(windows) || !cJSON_IsArray(workspaces))
		return -EBADMSG;
	cJSON_ArrayForEach(window, windows)
		shown_put_window(shown, json_pid(window, "pid"), json_is(window, "is_focused"),
				 niri_is_shown(workspaces, json_id(window, "workspace_id")));
	return 0;
}

/* Of one that is special ("scratchpad") the id is below 0; 0 is none. */
static double workspace_id(const cJSON *object, const char *name)
{
	const cJSON *id = get(get(object, name), "id");

	return cJSON_IsNumber(id) ? id->valuedouble : 0;
}

static bool hyprland_is_shown(const cJSON *monitors, double workspace)
{
	const cJSON *monitor;

	cJSON_ArrayForEach(monitor, monitors) {
		if (workspace_id(monitor, "activeWorkspace") == workspace || workspace_id(monitor, "specialWorkspace") == workspace)
			return true;
	}
	return false;
}

static int read_hyprland(struct shown *shown, cJSON *const answers[])
{
	const char *focused = json_text(answers[2], "address");
	const cJSON *client;

	if (!cJSON_IsArray(answers[0]) || !cJSON_IsArray(answers[1]))
		return -EBADMSG;
	cJSON_ArrayForEach(client, answers[0]) {
		const char *address = json_text(client, "address");
		const bool is_there = json_is(client, "mapped") && !json_is(client, "hidden");

		shown_put_window(shown, json_pid(client, "pid"), *address && strcmp(address, focused) == 0,
				 is_there && (json_is(client, "pinned") ||
					      hyprland_is_shown(answers[1], workspace_id(client, "workspace"))));
	}
	return 0;
}

int socket_read(const struct focus_source *source, struct shown *shown, const char *const texts[SOCKET_QUESTIONS])
{
	const struct kind *kind = source->kind;
	cJSON *answers[SOCKET_QUESTIONS] = { 0 };
	int r;

	for (size_t i = 0; i < array_size(answers); i++)
		answers[i] = texts[i] ? cJSON_Parse(texts[i]) : NULL;
	shown_no_windows(shown);
	r = kind->read(shown, answers);
	for (size_t i = 0; i < array_size(answers); i++)
		cJSON_Delete(answers[i]);
	return r;
}

/* ---- sockets ---- */

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

/*
 * A service keeps the environment of its start, while a compositor may have been started anew; and one that has crashed
 * leaves a socket that nobody listens at. A descriptor, or -ENOENT.
 */
static int connect_to_kind(const struct kind *kind, char *path, size_t size)
{
	const char *named = kind->variable ? getenv(kind->variable) : NULL, *runtime = getenv("XDG_RUNTIME_DIR");
	glob_t found = { 0 };
	int fd = -ENOENT;

	if (named && (size_t)snprintf(path, size, "%s", named) < size)
		fd = connect_to(path);
	if (fd >= 0 || !runtime || (size_t)snprintf(path, size, "%s/%s", runtime, kind->pattern) >= size)
		return fd;
	if (glob(path, 0, NULL, &found) == 0) {
		for (size_t i = 0; i < found.gl_pathc && fd < 0; i++) {
			if ((size_t)snprintf(path, size, "%s", found.gl_pathv[i]) < size)
				fd = connect_to(path);
		}
		globfree(&found);
	}
	return fd < 0 ? -ENOENT : fd;
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

static int send_message(const struct kind *kind, int fd, const struct message *message)
{
	const struct sway_header header = { SWAY_MAGIC, (uint32_t)strlen(message->text), message->type };
	const int r = kind->has_headers ? send_all(fd, &header, sizeof(header)) : 0;

	return r < 0 ? r : send_all(fd, message->text, strlen(message->text));
}

/* The length of the first message in what has come; 0 if it is not complete yet; or -errno for rubbish. */
static ssize_t message_length(const struct kind *kind, const char *data, size_t len)
{
	struct sway_header header;
	const char *end;

	if (!kind->has_headers) {
		end = memchr(data, '\n', len);
		return end ? end - data + 1 : 0;
	}
	if (len < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	if (memcmp(header.magic, SWAY_MAGIC, sizeof(header.magic)) != 0 || header.length > MESSAGE_MAX)
		return -EBADMSG;
	return len - sizeof(header) < header.length ? 0 : (ssize_t)(sizeof(header) + header.length);
}

/* Receives more, and keeps a NUL behind it. As recv, with -errno. */
static ssize_t receive(int fd, int flags, char **data, size_t *size, size_t *len)
{
	ssize_t n;

	if (*size - *len < 4096) {
		char *bigger = *len < MESSAGE_MAX ? realloc(*data, *size * 2 + 16384) : NULL;

		if (!bigger)
			return -ENOMEM;
		*data = bigger;
		*size = *size * 2 + 16384;
	}
	n = recv(fd, *data + *len, *size - *len - 1, flags);
	*len += n > 0 ? (size_t)n : 0;
	(*data)[*len] = '\0';
	return n < 0 ? -errno : n;
}

/* ---- questions ---- */

/* Waits a second for all of the answer, which the caller frees; NULL if there is none. */
static char *ask(const struct compositor *compositor, const struct message *question)
{
	const struct kind *kind = compositor->kind;
	_cleanup_close_ int fd = connect_to(compositor->questions);
	_cleanup_free_ char *answer = NULL;
	const size_t before = kind->has_headers ? sizeof(struct sway_header) : 0;
	size_t size = 0, len = 0;
	ssize_t n, length = 0;

	if (fd < 0 || send_message(kind, fd, question) < 0)
		return NULL;
	do {
		n = receive(fd, 0, &answer, &size, &len);
		if (n >= 0)
			length = kind->questions_name ? !n : message_length(kind, answer, len);
	} while (n > 0 && length == 0);
	if (length <= 0)
		return NULL;
	memmove(answer, answer + before, len - before + 1);
	return take_ptr(answer);
}

/* What happens together is followed by one question. */
static int on_asking(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct compositor *compositor = userdata;
	const struct kind *kind = compositor->kind;
	struct focus *focus = compositor->focus;
	char *answers[SOCKET_QUESTIONS] = { 0 };
	bool is_answered = true;

	(void)source;
	(void)usec;
	for (size_t i = 0; i < array_size(answers) && kind->questions[i].text && is_answered; i++) {
		answers[i] = ask(compositor, &kind->questions[i]);
		is_answered = answers[i];
	}
	if (!is_answered)
		focus->lost(focus, compositor->source, "it does not answer");
	else if (socket_read(compositor->source, &focus->shown, (const char *const *)answers) < 0)
		focus->lost(focus, compositor->source, "it sends what is not understood");
	else
		focus_changed(focus);
	for (size_t i = 0; i < array_size(answers); i++)
		free(answers[i]);
	return 0;
}

/* ---- events ---- */

static bool matters(const struct kind *kind, const char *text)
{
	for (size_t i = 0; i < array_size(kind->idle) && kind->idle[i]; i++) {
		if (strncmp(text, kind->idle[i], strlen(kind->idle[i])) == 0)
			return false;
	}
	return true;
}

/* Takes all messages that are complete. 0 or -errno. */
static int take_messages(struct compositor *compositor)
{
	const struct kind *kind = compositor->kind;
	const size_t before = kind->has_headers ? sizeof(struct sway_header) : 0;
	size_t done = 0;
	ssize_t n;

	while ((n = message_length(kind, compositor->data + done, compositor->len - done)) > 0) {
		if (matters(kind, compositor->data + done + before))
			focus_call_in(compositor->focus, &compositor->asking, 0, on_asking, compositor);
		done += (size_t)n;
	}
	memmove(compositor->data, compositor->data + done, compositor->len - done + 1);
	compositor->len -= done;
	return (int)n;
}

static int on_event(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct compositor *compositor = userdata;
	ssize_t r = receive(fd, MSG_DONTWAIT, &compositor->data, &compositor->size, &compositor->len);

	(void)revents;
	if (r == -EAGAIN || r == -EINTR)
		return 0;
	r = r == 0 ? -ECONNRESET : r > 0 ? take_messages(compositor) : r;
	if (r < 0) {
		sd_event_source_set_enabled(source, SD_EVENT_OFF);
		compositor->focus->lost(compositor->focus, compositor->source,
					r == -ECONNRESET ? "it has ended" : "it sends what is not understood");
	}
	return 0;
}

/* ---- life ---- */

static void close_compositor(void *held)
{
	struct compositor *compositor = held;

	sd_event_source_disable_unref(compositor->asking);
	sd_event_source_disable_unref(compositor->events);
	if (compositor->fd >= 0)
		close(compositor->fd);
	free(compositor->data);
	free(compositor);
}

static int start(struct compositor *compositor)
{
	struct focus *focus = compositor->focus;
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);
	const struct message *subscribe = &compositor->kind->subscribe;
	int r = subscribe->text ? send_message(compositor->kind, compositor->fd, subscribe) : 0;

	if (getsockopt(compositor->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
		focus->shown.compositor = peer.pid;
	if (r >= 0)
		r = sd_event_add_io(focus->event, &compositor->events, compositor->fd, EPOLLIN, on_event, compositor);
	return r < 0 ? r : focus_call_in(focus, &compositor->asking, 0, on_asking, compositor);
}

static int open_compositor(const struct focus_source *source, struct focus *focus, void **ret, char *why, size_t size)
{
	const struct kind *kind = source->kind;
	struct compositor *compositor = calloc(1, sizeof(*compositor));
	int r;

	if (!compositor)
		return -ENOMEM;
	*compositor = (struct compositor){ .source = source, .kind = kind, .focus = focus };
	compositor->fd = r = connect_to_kind(kind, compositor->questions, sizeof(compositor->questions));
	if (r >= 0 && kind->questions_name)
		strcpy(compositor->questions + strlen(compositor->questions) - strlen(kind->events_name), kind->questions_name);
	if (r >= 0)
		r = start(compositor);
	if (r < 0) {
		snprintf(why, size, "nobody listens at %s%s%s$XDG_RUNTIME_DIR/%s%s", kind->variable ? "$" : "",
			 kind->variable ? kind->variable : "", kind->variable ? " or " : "", kind->pattern,
			 getenv("XDG_RUNTIME_DIR") ? "" : ", which is not set");
		close_compositor(compositor);
		return r;
	}
	*ret = compositor;
	return 0;
}

static const struct kind sway = {
	.variable = "SWAYSOCK",
	.pattern = "sway-ipc.*.sock",
	.has_headers = true,
	.subscribe = { "[\"window\",\"workspace\"]", SWAY_SUBSCRIBE },
	.questions = { { "", SWAY_GET_TREE } },
	.idle = { "{ \"change\": \"title\"", "{ \"change\": \"mark\"", "{ \"change\": \"urgent\"" },
	.read = read_sway,
};

static const struct kind niri = {
	.variable = "NIRI_SOCKET",
	.pattern = "niri.*.sock",
	.subscribe = { .text = "\"EventStream\"\n" },
	.questions = { { .text = "\"Windows\"\n" }, { .text = "\"Workspaces\"\n" } },
	.idle = { "{\"Keyboard", "{\"Overview", "{\"Config", "{\"WindowLayouts", "{\"WindowUrgency", "{\"WindowFocusTimestamp" },
	.read = read_niri,
};

static const struct kind hyprland = {
	.pattern = "hypr/*/.socket2.sock",
	.questions_name = ".socket.sock",
	.events_name = ".socket2.sock",
	.questions = { { .text = "j/clients" }, { .text = "j/monitors" }, { .text = "j/activewindow" } },
	.idle = { "windowtitle", "activewindow>>", "activelayout>>", "openlayer>>", "closelayer>>", "submap>>" },
	.read = read_hyprland,
};

const struct focus_source source_sway = { .name = "sway", .open = open_compositor, .close = close_compositor, .kind = &sway };
const struct focus_source source_niri = { .name = "niri", .open = open_compositor, .close = close_compositor, .kind = &niri };
const struct focus_source source_hyprland = { .name = "Hyprland", .open = open_compositor, .close = close_compositor, .kind = &hyprland };
