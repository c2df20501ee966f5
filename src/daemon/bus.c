/* SPDX-License-Identifier: GPL-2.0-only */
/* Serves the control interface on the private socket, one D-Bus peer per connection, and connects clients to it. */

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "bus.h"
#include "daemon_private.h"

/*
 * Maximum number of clients at a time. Further ones are refused, and none is disconnected to make room, because a
 * client is short-lived or overrides end with it. The bridge needs one or two.
 */
#define ROOT_PEERS_MAX	 64
#define BRIDGE_PEERS_MAX 4
#define PEERS_MAX	 (ROOT_PEERS_MAX + BRIDGE_PEERS_MAX)

/*
 * Maximum number of messages queued for a client, beyond those in its socket, whose buffer sd-bus enlarges to 8 MB. The
 * bridge asks at most 16 questions at a time, and one more for each user at a seat (accounts.h).
 */
#define REPLIES_MAX 24

/*
 * Time to look up the bridge's user, at the start only. On a busy machine our helper takes more than some milliseconds,
 * and without an answer the bridge does not work until the next start.
 */
#define BRIDGE_USER_MS 2000

/*
 * Maximum number of attempts per second to accept a client. The listening socket stays readable while we have no free
 * descriptor.
 */
#define ACCEPTS_MAX 500

#ifndef SO_PASSRIGHTS
#define SO_PASSRIGHTS 83
#endif

struct bus_server {
	struct daemon *daemon;
	const char *path;
	int fd;
	uid_t bridge; /* the user we accept besides root; (uid_t)-1 if none */
	sd_event_source *source;
	struct peer {
		struct bus_server *server;
		sd_bus *bus;
	} peers[PEERS_MAX]; /* the last ones are for the bridge */
};

static void drop_peer(struct peer *peer)
{
	const struct holder holder = { peer->bus, NULL };

	held_drop(peer->server->daemon, &holder);
	use_drop(peer->server->daemon, &holder);
	sd_bus_detach_event(peer->bus);
	sd_bus_close_unref(take_ptr(peer->bus));
}

static int on_disconnected(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	drop_peer(userdata);
	return 0;
}

/*
 * Disconnects a client that does not read its answers, because sd-bus would queue hundreds of thousands of them in our
 * memory.
 */
static bool drop_if_stuck(struct peer *peer)
{
	uint64_t waiting = 0;

	if (sd_bus_get_n_queued_write(peer->bus, &waiting) < 0 || waiting < REPLIES_MAX)
		return false;
	problem_report(&peer->server->daemon->bus_problem,
		       "disconnected a client on " BUS_SOCKET " because it does not read its answers");
	drop_peer(peer);
	return true;
}

static int on_message(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)message;
	(void)error;
	return drop_if_stuck(userdata);
}

static int tell_peers(sd_event_source *source, void *userdata)
{
	struct bus_server *server = userdata;

	(void)source;
	for (size_t i = 0; i < PEERS_MAX; i++) {
		struct peer *peer = &server->peers[i];

		if (peer->bus && !drop_if_stuck(peer))
			sd_bus_emit_signal(peer->bus, BUS_PATH, BUS_INTERFACE, "Changed", NULL);
	}
	return 0;
}

/* Returns a free entry, or NULL if root, or the bridge, already has as many clients as it may. */
static struct peer *find_slot(struct bus_server *server, bool is_root)
{
	struct peer *peer = &server->peers[is_root ? 0 : ROOT_PEERS_MAX];
	const struct peer *end = peer + (is_root ? ROOT_PEERS_MAX : BRIDGE_PEERS_MAX);

	while (peer < end && peer->bus)
		peer++;
	return peer < end ? peer : NULL;
}

static int open_peer(struct bus_server *server, int fd, bool is_root)
{
	_cleanup_(sd_bus_unrefp) sd_bus *bus = NULL;
	struct peer *peer = find_slot(server, is_root);
	sd_id128_t id;
	int r = peer ? sd_bus_new(&bus) : -EUSERS;

	if (r >= 0)
		r = sd_bus_set_fd(bus, fd, fd);
	if (r < 0) {
		close(fd);
		return r;
	}
	/*
	 * From here on the bus owns the descriptor. It must not flush at exit, which would wait forever for a client
	 * that never authenticates.
	 */
	r = sd_bus_set_close_on_exit(bus, 0);
	if (r >= 0)
		r = sd_bus_negotiate_fds(bus, 0);
	if (r >= 0)
		r = sd_id128_randomize(&id);
	if (r >= 0)
		r = sd_bus_set_server(bus, 1, id);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r >= 0)
		r = sd_bus_match_signal(bus, NULL, NULL, "/org/freedesktop/DBus/Local", "org.freedesktop.DBus.Local",
					"Disconnected", on_disconnected, peer);
	if (r >= 0)
		r = sd_bus_add_filter(bus, NULL, on_message, peer);
	if (r >= 0)
		r = sd_bus_add_object_vtable(bus, NULL, BUS_PATH, BUS_INTERFACE, bus_manager_methods, server->daemon);
	if (r >= 0)
		r = sd_bus_add_object_vtable(bus, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, bus_overrides_methods,
					     server->daemon);
	if (r >= 0)
		r = sd_bus_attach_event(bus, server->daemon->event, SD_EVENT_PRIORITY_NORMAL);
	if (r >= 0)
		*peer = (struct peer){ server, take_ptr(bus) };
	return r;
}

/* Accepts a client if it runs as our own user, which is root, or as the bridge's. Returns 0 or -errno. */
static int accept_client(struct bus_server *server)
{
	_cleanup_close_ int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
	struct ucred peer;
	socklen_t size = sizeof(peer);

	if (fd < 0)
		return errno == EAGAIN || errno == ECONNABORTED ? 0 : -errno;
	if (getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &peer, &size) < 0)
		return -errno;
	if (peer.uid != geteuid() && peer.uid != server->bridge)
		return -EACCES;
	return open_peer(server, take_fd(fd), peer.uid == geteuid());
}

static int on_connection(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct bus_server *server = userdata;
	int r = accept_client(server);

	(void)source;
	(void)fd;
	(void)revents;
	if (r < 0)
		problem_report(&server->daemon->bus_problem, "cannot serve a client on " BUS_SOCKET ": %s",
			       strerror(-r));
	return 0;
}

/*
 * Lets the bridge's group connect. That needs root's privileges, or that the unit puts us into that group. Otherwise,
 * or if there is no such user, only root can connect.
 */
static void admit_bridge(struct bus_server *server)
{
	uid_t uid;
	gid_t gid;
	int r = user_lookup(&server->daemon->lookup, BUS_BRIDGE_USER, BRIDGE_USER_MS, &uid, &gid);

	if (r == 0 && (chown(server->path, (uid_t)-1, gid) < 0 || chmod(server->path, 0660) < 0))
		r = -errno;
	if (r == 0)
		server->bridge = uid;
	/* A machine without this user has no bridge. The user may remain after a bridge was removed. */
	else if (r != -ENOENT)
		log_notice("the user " BUS_BRIDGE_USER " cannot use " BUS_SOCKET ", so the bridge does not work: %s",
			   strerror(-r));
}

/*
 * Listens on the socket, to which only root may connect at first. Nobody can hand us a file descriptor, because closing
 * one may wait for the process that serves its file system. Before Linux 6.16, which has SO_PASSRIGHTS, a bridge that
 * was taken over by an attacker could do so.
 */
static int listen_on(const char *path)
{
	static const int no = 0;
	_cleanup_close_ int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
	struct sockaddr_un address = { .sun_family = AF_UNIX };
	mode_t mask;
	int r;

	if (fd < 0)
		return -errno;
	strncpy(address.sun_path, path, sizeof(address.sun_path) - 1);
	setsockopt(fd, SOL_SOCKET, SO_PASSRIGHTS, &no, sizeof(no));
	if (unlink(path) < 0 && errno != ENOENT)
		return -errno;
	mask = umask(0177);
	r = bind(fd, (const struct sockaddr *)&address, sizeof(address)) < 0 ? -errno : 0;
	umask(mask);
	if (r == 0 && listen(fd, SOMAXCONN) < 0)
		r = -errno;
	return r < 0 ? r : take_fd(fd);
}

int bus_server_new(struct daemon *daemon, const char *path, struct bus_server **ret)
{
	struct bus_server *server = calloc(1, sizeof(*server));
	int r;

	if (!server)
		return -ENOMEM;
	server->daemon = daemon;
	server->path = path;
	server->bridge = (uid_t)-1;
	server->fd = r = listen_on(path);
	if (r >= 0)
		admit_bridge(server);
	if (r >= 0)
		r = sd_event_add_io(daemon->event, &server->source, server->fd, EPOLLIN,
				    on_connection, server);
	if (r >= 0)
		r = sd_event_source_set_ratelimit(server->source, 1000000, ACCEPTS_MAX);
	if (r >= 0)
		r = sd_event_add_defer(daemon->event, &daemon->changed, tell_peers, server);
	if (r >= 0)
		r = sd_event_source_set_enabled(daemon->changed, SD_EVENT_OFF);
	if (r < 0) {
		bus_server_free(server);
		return r;
	}
	*ret = server;
	return 0;
}

int bus_connect(sd_bus **ret)
{
	_cleanup_(sd_bus_unrefp) sd_bus *bus = NULL;
	int r = sd_bus_new(&bus);

	if (r >= 0)
		r = sd_bus_negotiate_fds(bus, 0);
	if (r >= 0)
		r = sd_bus_set_address(bus, "unix:path=" BUS_SOCKET);
	if (r >= 0)
		r = sd_bus_start(bus);
	if (r >= 0)
		*ret = take_ptr(bus);
	return r;
}

void bus_server_free(struct bus_server *server)
{
	if (!server)
		return;
	/* Does not flush: see open_peer. */
	for (size_t i = 0; i < PEERS_MAX; i++)
		sd_bus_close_unref(server->peers[i].bus);
	sd_event_source_disable_unref(server->source);
	server->daemon->changed = sd_event_source_disable_unref(server->daemon->changed);
	if (server->fd >= 0) {
		close(server->fd);
		unlink(server->path);
	}
	free(server);
}
