/* SPDX-License-Identifier: GPL-2.0-only */
/* Follows sound: PipeWire's streams, and the processes that play them. */
#include "focus.h"

#include <errno.h>
#include <glob.h>
#include <string.h>

#include <pipewire/impl.h>
#include <pipewire/pipewire.h>
#include <spa/utils/dict.h>

#include <schedqos/util/text.h>

/* Maximum number of generations between a browser's audio process and the process with the windows. */
#define ANCESTORS 16

/* A client of PipeWire, which knows its process; or a node that plays, or may play. */
struct object {
	struct spa_list link;
	struct sound *sound;
	uint32_t id;
	pid_t pid; /* 0 if unknown */
	bool is_running;
	struct pw_proxy *proxy; /* only for a node; else NULL */
	struct spa_hook listener;
};

struct sound {
	struct focus_source source;
	struct pw_loop *loop;
	struct pw_context *context;
	struct pw_core *core;
	struct pw_registry *globals;
	struct spa_hook core_listener, registry_listener;
	struct spa_list objects;
	bool has_ended;
};

/* ---- players ---- */

/* Returns whether the process is the player, one of its living ancestors, or in the same unit of an app. */
static bool plays_for(pid_t player, pid_t pid)
{
	pid_t at = player;

	for (size_t i = 0; i < ANCESTORS && at > 1; i++) {
		if (at == pid)
			return true;
		at = process_parent(at);
	}
	return process_shares_unit(pid, player);
}

/* Returns whether there is a sound card: without PipeWire, any app might use it. */
static bool has_card(void)
{
	glob_t cards = { 0 };
	const int r = glob("/dev/snd/pcm*p", GLOB_NOSORT, NULL, &cards);

	globfree(&cards);
	return r != GLOB_NOMATCH;
}

bool sound_is_heard(const void *held, pid_t pid)
{
	const struct sound *sound = held;
	const struct object *node = NULL;

	if (!sound)
		return has_card();
	spa_list_for_each(node, &sound->objects, link) {
		if (node->is_running && (!node->pid || plays_for(node->pid, pid)))
			return true;
	}
	return false;
}

static void set_running(struct object *node, bool is_running)
{
	struct focus *focus = node->sound->source.focus;
	const char *text = !is_running ? "stopped playing"
			   : node->pid ? "plays sound"
				       : "plays sound, but it is unknown which app: no app is reported hidden";
	char name[64];

	if (node->is_running == is_running)
		return;
	node->is_running = is_running;
	focus->shown.has_changed = true;
	if (focus->prints)
		focus_say(focus, node->pid, process_name(node->pid, name, sizeof(name)), text);
}

/* ---- PipeWire's objects ---- */

static uint64_t number_of(const struct spa_dict *dict, const char *key, uint64_t max)
{
	const char *text = dict ? spa_dict_lookup(dict, key) : NULL;
	uint64_t number;

	return text && parse_u64(text, strlen(text), max, &number) == 0 ? number : 0;
}

/*
 * Returns the process of a stream. For a client of pipewire-pulse, which is another process, this is the id that the
 * client states. Other clients are not asked, because they may state an id of another namespace.
 */
static pid_t find_process(const struct sound *sound, const struct spa_dict *props)
{
	const char *api = spa_dict_lookup(props, PW_KEY_CLIENT_API);
	const uint64_t id = number_of(props, PW_KEY_CLIENT_ID, UINT32_MAX);
	const struct object *client = NULL;
	pid_t pid = (pid_t)number_of(props, PW_KEY_APP_PROCESS_ID, INT32_MAX);

	spa_list_for_each(client, &sound->objects, link) {
		if (!client->proxy && client->id == id && (!api || strcmp(api, "pipewire-pulse") != 0))
			pid = client->pid;
	}
	return process_is_app(pid) ? pid : 0;
}

static void on_node(void *userdata, const struct pw_node_info *info)
{
	struct object *node = userdata;

	if ((info->change_mask & PW_NODE_CHANGE_MASK_PROPS) && info->props)
		node->pid = find_process(node->sound, info->props);
	set_running(node, info->state == PW_NODE_STATE_RUNNING);
}

static const struct pw_node_events node_events = { .version = PW_VERSION_NODE_EVENTS, .info = on_node };

static void remove_object(struct object *object)
{
	set_running(object, false);
	spa_list_remove(&object->link);
	if (object->proxy) {
		spa_hook_remove(&object->listener);
		pw_proxy_destroy(object->proxy);
	}
	free(object);
}

static bool is_player(const char *type, const struct spa_dict *props)
{
	const char *class = props ? spa_dict_lookup(props, PW_KEY_MEDIA_CLASS) : NULL;

	return strcmp(type, PW_TYPE_INTERFACE_Node) == 0 && class && strcmp(class, "Stream/Output/Audio") == 0;
}

static void on_global(void *userdata, uint32_t id, uint32_t permissions, const char *type, uint32_t version,
		      const struct spa_dict *props)
{
	const bool is_node = is_player(type, props);
	struct sound *sound = userdata;
	struct object *object;

	(void)permissions;
	(void)version;
	if (!is_node && strcmp(type, PW_TYPE_INTERFACE_Client) != 0)
		return;
	object = calloc(1, sizeof(*object));
	if (!object)
		return;
	*object = (struct object){ .sound = sound, .id = id };
	spa_list_append(&sound->objects, &object->link);
	if (is_node)
		object->proxy = pw_registry_bind(sound->globals, id, PW_TYPE_INTERFACE_Node, PW_VERSION_NODE, 0);
	else
		object->pid = (pid_t)number_of(props, PW_KEY_SEC_PID, INT32_MAX);
	if (object->proxy)
		pw_proxy_add_object_listener(object->proxy, &object->listener, &node_events, object);
}

/* Removes an object; all if id is PW_ID_ANY. */
static void on_global_remove(void *userdata, uint32_t id)
{
	struct sound *sound = userdata;
	struct object *object = NULL, *next;

	spa_list_for_each_safe(object, next, &sound->objects, link) {
		if (id == PW_ID_ANY || object->id == id)
			remove_object(object);
	}
}

static const struct pw_registry_events registry_events = {
	.version = PW_VERSION_REGISTRY_EVENTS,
	.global = on_global,
	.global_remove = on_global_remove,
};

/* ---- the connection ---- */

static void on_error(void *userdata, uint32_t id, int seq, int r, const char *message)
{
	struct sound *sound = userdata;

	(void)seq;
	(void)message;
	if (id == PW_ID_CORE && r == -EPIPE)
		sound->has_ended = true;
}

static const struct pw_core_events core_events = { .version = PW_VERSION_CORE_EVENTS, .error = on_error };

static const char *sound_take(void *held)
{
	struct sound *sound = held;

	pw_loop_iterate(sound->loop, 0);
	return sound->has_ended ? "it has ended" : NULL;
}

/*
 * Connects to PipeWire without a configuration: we need none of what it provides, such as threads with real-time
 * priorities. A machine that lacks the library's modules has no PipeWire.
 */
static const char *sound_open(void *held)
{
	struct sound *sound = held;

	pw_init(NULL, NULL);
	/* The library warns about things that are as they should be. */
	pw_log_set_level(SPA_LOG_LEVEL_ERROR);
	spa_list_init(&sound->objects);
	sound->loop = pw_loop_new(NULL);
	if (!sound->loop)
		return "no memory";
	pw_loop_enter(sound->loop);
	sound->context = pw_context_new(sound->loop, pw_properties_new(PW_KEY_CONFIG_NAME, "null", NULL), 0);
	if (sound->context && pw_context_load_module(sound->context, "libpipewire-module-protocol-native", NULL, NULL))
		sound->core = pw_context_connect(sound->context, NULL, 0);
	if (!sound->core)
		return has_card() ? "it does not run: it is unknown which apps play sound, so no app is reported hidden"
				  : "it does not run, and there is no sound card either";
	pw_core_add_listener(sound->core, &sound->core_listener, &core_events, sound);
	sound->globals = pw_core_get_registry(sound->core, PW_VERSION_REGISTRY, 0);
	pw_registry_add_listener(sound->globals, &sound->registry_listener, &registry_events, sound);
	sound->source.fd = pw_loop_get_fd(sound->loop);
	return NULL;
}

static void sound_close(void *held)
{
	struct sound *sound = held;

	if (sound->core) {
		on_global_remove(sound, PW_ID_ANY);
		spa_hook_remove(&sound->registry_listener);
		pw_proxy_destroy((struct pw_proxy *)sound->globals);
		spa_hook_remove(&sound->core_listener);
		pw_core_disconnect(sound->core);
	}
	if (sound->context)
		pw_context_destroy(sound->context);
	if (sound->loop) {
		pw_loop_leave(sound->loop);
		pw_loop_destroy(sound->loop);
	}
	pw_deinit();
}

const struct source_type pipewire_type = { .name = "PipeWire",
					   .subject = SOUND,
					   .size = sizeof(struct sound),
					   .open = sound_open,
					   .take = sound_take,
					   .close = sound_close };
