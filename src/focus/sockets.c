/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Follows sway, niri and Hyprland through their sockets. One connection delivers events; whenever one may matter, we
 * ask for all windows. Windows that niri has scrolled out of sight count as visible.
 */
#include "focus.h"

#include <errno.h>
#include <glob.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <sys/un.h>

/* More than any compositor sends in one answer. */
#define ANSWER_MAX (4 << 20)
#define SWAY_MAGIC "i3-ipc"

enum sway_type { SWAY_SUBSCRIBE = 2, SWAY_GET_TREE = 4 };

/* The header of each of sway's messages; messages of the others are lines. */
struct sway_header {
	char magic[6];
	uint32_t length, type;
} __attribute__((packed));
_Static_assert(sizeof(struct sway_header) == 14, "as sway has it");

struct message {
	const char *text;
	enum sway_type type;
};

struct protocol {
	const char *variable; /* environment variable with the path of the socket, or NULL */
	const char *pattern;  /* pattern of that path in the runtime folder */
	/* If questions have a socket of their own: the end of its path, and of the path that it replaces. */
	const char *questions_name, *events_name;
	const char *separator; /* separates messages */
	/* bytes before the text of each message, separator included; 0 if none */
	size_t header;
	struct message subscribe, questions[SOCKET_QUESTIONS];
	/* Beginnings of messages that do not matter, such as changes of titles, which are frequent. */
	const char *idle[8];
	int (*read)(struct shown *shown, const cJSON *const answers[SOCKET_QUESTIONS]);
};

struct compositor {
	struct focus_source source;
	char questions[128]; /* path of the socket for questions */
	bool was_asked;
};

/* ---- answers ---- */

static bool json_is(const cJSON *object, const char *name)
{
	return cJSON_IsTrue(json_get(object, name));
}

static pid_t pid_member(const cJSON *window)
{
	return json_pid(json_get(window, "pid"));
}

/* Returns whether the member is the same number or text; both must exist. */
static bool has_same(const cJSON *object, const char *name, const cJSON *value)
{
	return cJSON_Compare(json_get(object, name), value, true);
}

static int read_sway(struct shown *shown, const cJSON *const answers[])
{
	static const char *const lists[] = { "nodes", "floating_nodes" };
	const cJSON *node = answers[0], *child;

	if (!cJSON_IsObject(node))
		return -EBADMSG;
	shown_put_window(shown, pid_member(node), json_is(node, "focused"), json_is(node, "visible"));
	for (size_t i = 0; i < array_size(lists); i++) {
		cJSON_ArrayForEach (child, json_get(node, lists[i]))
			read_sway(shown, &child);
	}
	return 0;
}

/* Returns whether the window's workspace is shown; true if the workspace is not in the list. */
static bool niri_is_shown(const cJSON *window, const cJSON *workspaces)
{
	const cJSON *workspace;

	cJSON_ArrayForEach (workspace, workspaces) {
		if (has_same(workspace, "id", json_get(window, "workspace_id")))
			return json_is(workspace, "is_active");
	}
	return true;
}

static int read_niri(struct shown *shown, const cJSON *const answers[])
{
	const cJSON *windows = json_get(json_get(answers[0], "Ok"), "Windows"), *window;
	const cJSON *workspaces = json_get(json_get(answers[1], "Ok"), "Workspaces");

	if (!cJSON_IsArray(windows) || !cJSON_IsArray(workspaces))
		return -EBADMSG;
	cJSON_ArrayForEach (window, windows)
		shown_put_window(shown, pid_member(window), json_is(window, "is_focused"),
				 niri_is_shown(window, workspaces));
	return 0;
}

static bool hyprland_is_shown(const cJSON *client, const cJSON *monitors)
{
	const cJSON *workspace = json_get(json_get(client, "workspace"), "id"), *monitor;

	if (!json_is(client, "mapped") || json_is(client, "hidden"))
		return false;
	cJSON_ArrayForEach (monitor, monitors) {
		/* The second is the scratchpad. */
		if (has_same(json_get(monitor, "activeWorkspace"), "id", workspace) ||
		    has_same(json_get(monitor, "specialWorkspace"), "id", workspace))
			return true;
	}
	return json_is(client, "pinned");
}

static int read_hyprland(struct shown *shown, const cJSON *const answers[])
{
	const cJSON *clients = answers[0], *monitors = answers[1], *client;

	if (!cJSON_IsArray(clients) || !cJSON_IsArray(monitors))
		return -EBADMSG;
	cJSON_ArrayForEach (client, clients)
		shown_put_window(shown, pid_member(client),
				 has_same(client, "address", json_get(answers[2], "address")),
				 hyprland_is_shown(client, monitors));
	return 0;
}

int socket_read(const struct source_type *type, struct shown *shown, const cJSON *const answers[SOCKET_QUESTIONS])
{
	const struct protocol *kind = type->kind;

	shown_no_windows(shown);
	return kind->read(shown, answers);
}

/* ---- sockets ---- */

/* Connects to a socket. Returns a descriptor, or -errno. */
static int connect_to_path(const char *path)
{
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0);
	const struct timeval timeout = { .tv_sec = 1 };
	struct sockaddr_un address = { .sun_family = AF_UNIX };

	if (fd < 0)
		return -errno;
	if (strlen(path) >= sizeof(address.sun_path))
		return -ENAMETOOLONG;
	memcpy(address.sun_path, path, strlen(path));
	/* A compositor that hangs must not block us. */
	setsockopt(fd, SOL_SOCKET, SO_RCVTIMEO, &timeout, sizeof(timeout));
	setsockopt(fd, SOL_SOCKET, SO_SNDTIMEO, &timeout, sizeof(timeout));
	if (connect(fd, (struct sockaddr *)&address, sizeof(address)) < 0)
		return -errno;
	return take_fd(fd);
}

/* Sends a short message. Returns whether all of it could be sent. */
static bool send_message(const struct protocol *kind, int fd, const struct message *message)
{
	struct sway_header header = { SWAY_MAGIC, (uint32_t)strlen(message->text), message->type };
	const struct iovec parts[] = { { &header, kind->header }, { (char *)message->text, header.length } };
	const struct msghdr whole = { .msg_iov = (struct iovec *)parts, .msg_iovlen = array_size(parts) };

	return sendmsg(fd, &whole, MSG_NOSIGNAL) == (ssize_t)(kind->header + header.length);
}

/*
 * Asks and waits up to a second for each part of the answer, which is complete once it is valid JSON. Returns NULL if
 * there is none.
 */
static cJSON *ask_compositor(const struct compositor *compositor, const struct message *question)
{
	const struct protocol *kind = compositor->source.type->kind;
	_cleanup_close_ int fd = connect_to_path(compositor->questions);
	_cleanup_free_ char *text = malloc(ANSWER_MAX);
	cJSON *answer = NULL;
	size_t len = 0;
	ssize_t n;

	if (fd < 0 || !text || !send_message(kind, fd, question))
		return NULL;
	do {
		n = recv(fd, text + len, ANSWER_MAX - 1 - len, 0);
		len += n > 0 ? (size_t)n : 0;
		text[len] = '\0';
		if (len > kind->header)
			answer = cJSON_Parse(text + kind->header);
	} while (n > 0 && !answer);
	return answer;
}

static const char *ask_all(struct compositor *compositor)
{
	const struct protocol *kind = compositor->source.type->kind;
	cJSON *answers[SOCKET_QUESTIONS] = { 0 };
	bool is_answered = true;
	int r = 0;

	for (size_t i = 0; i < array_size(answers) && kind->questions[i].text && is_answered; i++) {
		answers[i] = ask_compositor(compositor, &kind->questions[i]);
		is_answered = answers[i];
	}
	if (is_answered)
		r = socket_read(compositor->source.type, &compositor->source.focus->shown,
				(const cJSON *const *)answers);
	for (size_t i = 0; i < array_size(answers); i++)
		cJSON_Delete(answers[i]);
	return !is_answered ? "it does not answer" : r < 0 ? "its messages are not understood" : NULL;
}

/* ---- events ---- */

/* Returns whether the message may matter. The rest of a message that began in an earlier buffer counts. */
static bool matters(const struct protocol *kind, const char *message)
{
	for (size_t i = 0; i < array_size(kind->idle) && kind->idle[i]; i++) {
		if (strncmp(message, kind->idle[i], strlen(kind->idle[i])) == 0)
			return false;
	}
	return true;
}

static bool any_matters(const struct protocol *kind, const char *text, size_t len)
{
	size_t at = 0;

	while (at < len) {
		const char *end = memmem(text + at, len - at, kind->separator, strlen(kind->separator));
		const size_t n = end ? (size_t)(end - text) - at : len - at;

		if (n > 0 && matters(kind, text + at))
			return true;
		at += n + (kind->header ? kind->header : 1);
	}
	return false;
}

/* Reads events. Asks only once for events that arrive together. */
static const char *socket_take(void *held)
{
	struct compositor *compositor = held;
	char events[16384];
	const ssize_t n = recv(compositor->source.fd, events, sizeof(events) - 1, MSG_DONTWAIT);

	if (n == 0 || (n < 0 && errno != EAGAIN && errno != EINTR))
		return "it has ended";
	events[n < 0 ? 0 : n] = '\0';
	if (compositor->was_asked && (n < 0 || !any_matters(compositor->source.type->kind, events, (size_t)n)))
		return NULL;
	compositor->was_asked = true;
	return ask_all(compositor);
}

/* ---- life ---- */

/*
 * Connects to a compositor, and stores the path of its socket. Tries the environment first, but a service keeps the
 * environment of its start, while the compositor may have been started again; then tries all matching sockets, of which
 * some may be left by crashes. Returns a descriptor, or -errno.
 */
static int connect_to_kind(const struct protocol *kind, char *path, size_t size)
{
	const char *named = kind->variable ? getenv(kind->variable) : NULL, *runtime = getenv("XDG_RUNTIME_DIR");
	glob_t found = { 0 };
	int fd = -ENOENT;

	if (named && (size_t)snprintf(path, size, "%s", named) < size)
		fd = connect_to_path(path);
	if (fd >= 0 || !runtime || (size_t)snprintf(path, size, "%s/%s", runtime, kind->pattern) >= size)
		return fd;
	glob(path, 0, NULL, &found);
	for (size_t i = 0; i < found.gl_pathc && fd < 0; i++) {
		if ((size_t)snprintf(path, size, "%s", found.gl_pathv[i]) < size)
			fd = connect_to_path(path);
	}
	globfree(&found);
	return fd;
}

static const char *socket_open(void *held)
{
	struct compositor *compositor = held;
	struct focus_source *source = &compositor->source;
	const struct protocol *kind = source->type->kind;
	char *path = compositor->questions;
	struct ucred peer = { 0 };
	socklen_t size = sizeof(peer);

	source->fd = connect_to_kind(kind, path, sizeof(compositor->questions));
	if (source->fd < 0 || (kind->subscribe.text && !send_message(kind, source->fd, &kind->subscribe))) {
		snprintf(source->why, sizeof(source->why), "nobody listens at %s%s%s$XDG_RUNTIME_DIR/%s%s",
			 kind->variable ? "$" : "", kind->variable ? kind->variable : "", kind->variable ? " or " : "",
			 kind->pattern, getenv("XDG_RUNTIME_DIR") ? "" : ", which is not set");
		return source->why;
	}
	if (kind->questions_name)
		strcpy(path + strlen(path) - strlen(kind->events_name), kind->questions_name);
	if (getsockopt(source->fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) == 0)
		source->focus->shown.compositor = peer.pid;
	return NULL;
}

static const struct protocol sway = {
	.variable = "SWAYSOCK",
	.pattern = "sway-ipc.*.sock",
	.separator = SWAY_MAGIC,
	.header = sizeof(struct sway_header),
	.subscribe = { "[\"window\",\"workspace\"]", SWAY_SUBSCRIBE },
	.questions = { { "", SWAY_GET_TREE } },
	.idle = { "{ \"change\": \"title\"", "{ \"change\": \"mark\"", "{ \"change\": \"urgent\"" },
	.read = read_sway,
};

static const struct protocol niri = {
	.variable = "NIRI_SOCKET",
	.pattern = "niri.*.sock",
	.separator = "\n",
	.subscribe = { .text = "\"EventStream\"\n" },
	.questions = { { .text = "\"Windows\"\n" }, { .text = "\"Workspaces\"\n" } },
	/* Everything is sent again after the reply to the subscription. */
	.idle = { "{\"Ok", "{\"Keyboard", "{\"Overview", "{\"Config", "{\"WindowLayouts", "{\"WindowUrgency",
		  "{\"WindowFocusTimestamp" },
	.read = read_niri,
};

static const struct protocol hyprland = {
	.pattern = "hypr/*/.socket2.sock",
	.questions_name = ".socket.sock",
	.events_name = ".socket2.sock",
	.separator = "\n",
	.questions = { { .text = "j/clients" }, { .text = "j/monitors" }, { .text = "j/activewindow" } },
	.idle = { "windowtitle", "activewindow>>", "activelayout>>", "openlayer>>", "closelayer>>", "submap>>" },
	.read = read_hyprland,
};

#define SOCKET_TYPE(title, kind_of_it)                                                                       \
	{                                                                                                    \
		.name = (title), .subject = WINDOWS, .size = sizeof(struct compositor), .open = socket_open, \
		.take = socket_take, .kind = &(kind_of_it)                                                   \
	}

const struct source_type sway_type = SOCKET_TYPE("sway", sway);
const struct source_type niri_type = SOCKET_TYPE("niri", niri);
const struct source_type hyprland_type = SOCKET_TYPE("Hyprland", hyprland);
