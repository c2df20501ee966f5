/* SPDX-License-Identifier: GPL-2.0-only */
#include "sound.h"

#include <errno.h>
#include <glob.h>
#include <stdlib.h>
#include <string.h>
#include <sys/inotify.h>

#include <pipewire/impl.h>
#include <pipewire/pipewire.h>
#include <spa/utils/dict.h>

#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "process.h"

/* How far up the audio process of a browser may be from the process with the windows. */
#define ANCESTORS 16
/* PipeWire's socket is there a little before it answers. After the last try only a new one has us look. */
#define RETRY_FIRST_US 250000
#define RETRIES	       8

/* A connection to PipeWire, whose process it knows. */
struct client {
	struct spa_list link;
	uint32_t id;
	pid_t pid;
};

/* A node that plays, or may. */
struct playing {
	struct spa_list link;
	struct sound *sound;
	uint32_t id, client;
	struct pw_proxy *proxy;
	struct spa_hook listener;
	bool is_running;
	pid_t said;	       /* of a client of pipewire-pulse: what that says; else -1 */
	pid_t pids[ANCESTORS]; /* while it runs: the process and its ancestors, up to a 0 */
	char unit[256];
};

struct sound {
	struct focus *focus;
	struct pw_loop *loop;
	struct pw_context *context;
	struct pw_core *core; /* NULL: not connected */
	struct pw_registry *globals;
	struct spa_hook core_listener, registry_listener;
	struct spa_list clients, nodes;
	sd_event_source *io, *retrying, *sockets;
	unsigned tries;
	bool is_lost;
};

/* ---- who plays ---- */

static pid_t client_pid(const struct sound *sound, uint32_t id)
{
	const struct client *client;

	spa_list_for_each(client, &sound->clients, link) {
		if (client->id == id)
			return client->pid;
	}
	return 0;
}

/* Its parents of now: a later one may have been put in the place of one that ended. */
static void find_process(struct playing *node)
{
	pid_t pid = node->said >= 0 ? node->said : client_pid(node->sound, node->client);

	memset(node->pids, 0, sizeof(node->pids));
	*node->unit = '\0';
	/* What a client says of itself may be a number of another namespace. */
	if (pid <= 1 || !process_is_app(pid))
		return;
	process_unit(pid, node->unit, sizeof(node->unit));
	for (size_t i = 0; i < ANCESTORS && pid > 1; i++) {
		node->pids[i] = pid;
		pid = process_parent(pid);
	}
}

/* Without PipeWire, something else may play where there is a card. */
static bool is_known(const struct sound *sound)
{
	glob_t cards = { 0 };
	int r;

	if (sound->core)
		return true;
	r = glob("/dev/snd/pcm*p", GLOB_NOSORT, NULL, &cards);
	globfree(&cards);
	return r == GLOB_NOMATCH;
}

bool sound_is_heard(const struct sound *sound, pid_t pid)
{
	const struct playing *node;
	char unit[sizeof(node->unit)];

	if (!is_known(sound))
		return true;
	spa_list_for_each(node, &sound->nodes, link) {
		if (!node->is_running)
			continue;
		if (!node->pids[0])
			return true;
		for (size_t i = 0; i < ANCESTORS && node->pids[i]; i++) {
			if (node->pids[i] == pid)
				return true;
		}
		if (!*node->unit)
			continue;
		process_unit(pid, unit, sizeof(unit));
		if (strcmp(unit, node->unit) == 0)
			return true;
	}
	return false;
}

size_t sound_list(const struct sound *sound, pid_t *pids, size_t max)
{
	const struct playing *node;
	size_t n = 0;

	spa_list_for_each(node, &sound->nodes, link) {
		if (node->is_running && n < max)
			pids[n] = node->pids[0];
		n += node->is_running;
	}
	return n;
}

const char *sound_describe(const struct sound *sound)
{
	if (sound->core)
		return "PipeWire";
	return is_known(sound) ? "no PipeWire and no sound card: nothing can be heard" :
				 "no PipeWire: nobody knows what can be heard, so nothing is told hidden";
}

/* ---- PipeWire's objects ---- */

static uint64_t number_of(const struct spa_dict *dict, const char *key, uint64_t max)
{
	const char *text = dict ? spa_dict_lookup(dict, key) : NULL;
	uint64_t number;

	return text && parse_u64(text, strlen(text), max, &number) == 0 ? number : 0;
}

static void on_node(void *userdata, const struct pw_node_info *info)
{
	struct playing *node = userdata;
	const bool was_running = node->is_running;
	const char *api;

	if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) && info->props) {
		api = spa_dict_lookup(info->props, PW_KEY_CLIENT_API);
		node->client = (uint32_t)number_of(info->props, PW_KEY_CLIENT_ID, UINT32_MAX);
		node->said = api && strcmp(api, "pipewire-pulse") == 0 ?
				     (pid_t)number_of(info->props, PW_KEY_APP_PROCESS_ID, INT32_MAX) :
				     -1;
	}
	node->is_running = info->state == PW_NODE_STATE_RUNNING;
	if (node->is_running && (!was_running || (info->change_mask & PW_NODE_CHANGE_MASK_PROPS)))
		find_process(node);
	if (node->is_running != was_running)
		focus_changed(node->sound->focus);
}

static const struct pw_node_events node_events = { .version = PW_VERSION_NODE_EVENTS, .info = on_node };

static void remove_node(struct playing *node)
{
	spa_list_remove(&node->link);
	spa_hook_remove(&node->listener);
	pw_proxy_destroy(node->proxy);
	free(node);
}

static void remove_client(struct client *client)
{
	spa_list_remove(&client->link);
	free(client);
}

static void add_client(struct sound *sound, uint32_t id, const struct spa_dict *props)
{
	struct client *client = calloc(1, sizeof(*client));

	if (!client)
		return;
	client->id = id;
	client->pid = (pid_t)number_of(props, PW_KEY_SEC_PID, INT32_MAX);
	spa_list_append(&sound->clients, &client->link);
}

static void add_node(struct sound *sound, uint32_t id)
{
	struct playing *node = calloc(1, sizeof(*node));

	if (!node)
		return;
	node->proxy = pw_registry_bind(sound->globals, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
	if (!node->proxy) {
		free(node);
		return;
	}
	node->sound = sound;
	node->id = id;
	node->said = -1;
	spa_list_append(&sound->nodes, &node->link);
	pw_proxy_add_object_listener(node->proxy, &node->listener, &node_events, node);
}

static void on_global(void *userdata, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
		      const struct spa_dict *props)
{
	const char *class = props ? spa_dict_lookup(props, PW_KEY_MEDIA_CLASS) : NULL;

	(void)permissions;
	(void)version;
	if (strcmp(type, PW_TYPE_INTERFACE_Client) == 0)
		add_client(userdata, id, props);
	else if (strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && class && strcmp(class, "Stream/Output/Audio") == 0)
		add_node(userdata, id);
}

static void on_global_remove(void *userdata, uint32_t id)
{
	struct sound *sound = userdata;
	struct client *client, *next_client;
	struct playing *node, *next;

	spa_list_for_each_safe(client, next_client, &sound->clients, link) {
		if (client->id == id)
			remove_client(client);
	}
	spa_list_for_each_safe(node, next, &sound->nodes, link) {
		if (node->id == id) {
			remove_node(node);
			focus_changed(sound->focus);
		}
	}
}

static const struct pw_registry_events registry_events = {
	.version = PW_VERSION_REGISTRY_EVENTS,
	.global = on_global,
	.global_remove = on_global_remove,
};

/* ---- the connection ---- */

static int look(sd_event_source *source, uint64_t usec, void *userdata);

static void look_soon(struct sound *sound)
{
	sound->tries = 0;
	focus_call_in(sound->focus, &sound->retrying, RETRY_FIRST_US, look, sound);
}

/* Not within a call of the connection's own. */
static void on_error(void *userdata, uint32_t id, int seq, int r, const char *message)
{
	struct sound *sound = userdata;

	(void)seq;
	(void)message;
	if (id != PW_ID_CORE || r != -EPIPE || sound->is_lost)
		return;
	log_debug("PipeWire has ended");
	sound->is_lost = true;
	look_soon(sound);
}

static const struct pw_core_events core_events = { .version = PW_VERSION_CORE_EVENTS, .error = on_error };

static void disconnect_from(struct sound *sound)
{
	struct client *client, *next_client;
	struct playing *node, *next;

	if (!sound->core)
		return;
	spa_list_for_each_safe(client, next_client, &sound->clients, link)
		remove_client(client);
	spa_list_for_each_safe(node, next, &sound->nodes, link)
		remove_node(node);
	spa_hook_remove(&sound->registry_listener);
	pw_proxy_destroy((struct pw_proxy *)sound->globals);
	spa_hook_remove(&sound->core_listener);
	pw_core_disconnect(sound->core);
	sound->core = NULL;
	sound->is_lost = false;
	focus_changed(sound->focus);
}

static bool connect_to(struct sound *sound)
{
	sound->core = sound->context ? pw_context_connect(sound->context, NULL, 0) : NULL;
	if (!sound->core)
		return false;
	pw_core_add_listener(sound->core, &sound->core_listener, &core_events, sound);
	sound->globals = pw_core_get_registry(sound->core, PW_VERSION_REGISTRY, 0);
	pw_registry_add_listener(sound->globals, &sound->registry_listener, &registry_events, sound);
	focus_changed(sound->focus);
	return true;
}

static int look(sd_event_source *source, uint64_t usec, void *userdata)
{
	struct sound *sound = userdata;

	(void)source;
	(void)usec;
	disconnect_from(sound);
	if (!connect_to(sound) && sound->context && sound->tries < RETRIES)
		focus_call_in(sound->focus, &sound->retrying, (uint64_t)RETRY_FIRST_US << sound->tries++, look, sound);
	return 0;
}

static int on_socket(sd_event_source *source, const struct inotify_event *event, void *userdata)
{
	struct sound *sound = userdata;

	(void)source;
	if (event->len && strcmp(event->name, "pipewire-0") == 0 && !sound->core)
		look_soon(sound);
	return 0;
}

static int on_io(sd_event_source *source, int fd, uint32_t revents, void *userdata)
{
	struct sound *sound = userdata;

	(void)source;
	(void)fd;
	(void)revents;
	pw_loop_iterate(sound->loop, 0);
	return 0;
}

/* ---- life ---- */

/*
 * Nothing of a configuration is needed, such as threads with real-time priorities. Where the library is without its modules,
 * there is no PipeWire.
 */
static void make_context(struct sound *sound)
{
	sound->context = pw_context_new(sound->loop, pw_properties_new(PW_KEY_CONFIG_NAME, "null", NULL), 0);
	if (sound->context && !pw_context_load_module(sound->context, "libpipewire-module-protocol-native", NULL, NULL)) {
		pw_context_destroy(sound->context);
		sound->context = NULL;
	}
}

int sound_open(struct focus *focus, struct sound **ret)
{
	const char *folder = getenv("XDG_RUNTIME_DIR");
	struct sound *sound = calloc(1, sizeof(*sound));
	int r;

	if (!sound)
		return -ENOMEM;
	pw_init(NULL, NULL);
	/* It warns of what is as it should be. */
	pw_log_set_level(SPA_LOG_LEVEL_ERROR);
	sound->focus = focus;
	spa_list_init(&sound->clients);
	spa_list_init(&sound->nodes);
	sound->loop = pw_loop_new(NULL);
	r = sound->loop ? 0 : -ENOMEM;
	if (r >= 0) {
		make_context(sound);
		pw_loop_enter(sound->loop);
		r = sd_event_add_io(focus->event, &sound->io, pw_loop_get_fd(sound->loop), EPOLLIN, on_io, sound);
	}
	if (r >= 0 && folder && sound->context)
		sd_event_add_inotify(focus->event, &sound->sockets, folder, IN_CREATE | IN_MOVED_TO | IN_ONLYDIR, on_socket, sound);
	if (r < 0) {
		sound_close(sound);
		return r;
	}
	look(NULL, 0, sound);
	*ret = sound;
	return 0;
}

void sound_close(struct sound *sound)
{
	if (!sound)
		return;
	disconnect_from(sound);
	sd_event_source_disable_unref(sound->sockets);
	sd_event_source_disable_unref(sound->retrying);
	if (sound->context)
		pw_context_destroy(sound->context);
	sd_event_source_disable_unref(sound->io);
	if (sound->loop) {
		pw_loop_leave(sound->loop);
		pw_loop_destroy(sound->loop);
	}
	free(sound);
	pw_deinit();
}
