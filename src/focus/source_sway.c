/* SPDX-License-Identifier: GPL-2.0-only */
/* sway, by its IPC: each event that matters has us ask for the whole tree, which has pid, visible and focused. */
#include "source_sway.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cjson/cJSON.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

#include "json.h"
#include "source.h"
#include "stream.h"

#define SWAY_MAGIC "i3-ipc"

enum sway_message {
	SWAY_SUBSCRIBE = 2,
	SWAY_GET_TREE = 4,
	SWAY_EVENT = 0x80000000,
};

struct sway_header {
	char magic[6];
	uint32_t length, type;
} __attribute__((packed));
_Static_assert(sizeof(struct sway_header) == 14, "as sway has it");

struct sway {
	struct focus *focus;
	struct stream *stream;
	bool has_asked, ask_again;
};

static void put_node(struct shown *shown, const cJSON *node, pid_t except)
{
	static const char *const lists[] = { "nodes", "floating_nodes" };
	const pid_t pid = json_pid(node, "pid");

	if (pid && pid != except)
		shown_put(shown, json_id(node, "id"), pid, json_is(node, "focused"), json_is(node, "visible"));
	for (size_t i = 0; i < array_size(lists); i++) {
		const cJSON *child;

		cJSON_ArrayForEach(child, cJSON_GetObjectItemCaseSensitive(node, lists[i]))
			put_node(shown, child, except);
	}
}

int sway_read_tree(struct shown *shown, const char *text, size_t len, pid_t except)
{
	_cleanup_json_ cJSON *tree = cJSON_ParseWithLength(text, len);

	if (!cJSON_IsObject(tree))
		return -EBADMSG;
	shown_begin(shown);
	put_node(shown, tree, except);
	shown_end(shown);
	return 0;
}

static int send_message(struct sway *sway, enum sway_message type, const char *text)
{
	struct sway_header header = { SWAY_MAGIC, (uint32_t)strlen(text), type };
	const int r = stream_send(sway->stream, &header, sizeof(header));

	return r < 0 ? r : stream_send(sway->stream, text, strlen(text));
}

/* One question at a time: what happens meanwhile is in the answer, or asks again after it. */
static int ask(struct sway *sway)
{
	sway->ask_again = sway->has_asked;
	if (sway->has_asked)
		return 0;
	sway->has_asked = true;
	return send_message(sway, SWAY_GET_TREE, "");
}

/* Titles change all the time. */
static bool is_of_interest(const char *text, size_t len)
{
	static const char *const others[] = { "title", "mark", "urgent" };
	_cleanup_json_ cJSON *event = cJSON_ParseWithLength(text, len);
	const char *change = json_text(event, "change");

	for (size_t i = 0; i < array_size(others); i++) {
		if (strcmp(change, others[i]) == 0)
			return false;
	}
	return true;
}

static int take(struct sway *sway, uint32_t type, const char *text, size_t len)
{
	int r;

	if (type & SWAY_EVENT)
		return is_of_interest(text, len) ? ask(sway) : 0;
	if (type != SWAY_GET_TREE)
		return 0;
	sway->has_asked = false;
	r = sway_read_tree(&sway->focus->shown, text, len, stream_peer(sway->stream));
	if (r < 0)
		return r;
	focus_changed(sway->focus);
	return sway->ask_again ? ask(sway) : 0;
}

static ssize_t take_message(void *context, const char *data, size_t len)
{
	struct sway_header header;
	int r;

	if (len < sizeof(header))
		return 0;
	memcpy(&header, data, sizeof(header));
	if (memcmp(header.magic, SWAY_MAGIC, sizeof(header.magic)) != 0)
		return -EBADMSG;
	if (header.length > STREAM_MAX - sizeof(header))
		return -EMSGSIZE;
	if (len - sizeof(header) < header.length)
		return 0;
	r = take(context, header.type, data + sizeof(header), header.length);
	return r < 0 ? r : (ssize_t)(sizeof(header) + header.length);
}

static void sway_close(void *source)
{
	struct sway *sway = source;

	stream_close(sway->stream);
	free(sway);
}

static int sway_open(struct focus *focus, void **ret, char *why, size_t size)
{
	struct sway *sway;
	char path[128];
	int r = stream_find("SWAYSOCK", "sway-ipc.*.sock", path, sizeof(path));

	if (r < 0) {
		snprintf(why, size, "nobody listens at $SWAYSOCK or $XDG_RUNTIME_DIR/sway-ipc.*.sock");
		return r;
	}
	sway = calloc(1, sizeof(*sway));
	if (!sway)
		return -ENOMEM;
	sway->focus = focus;
	r = stream_open(focus, path, take_message, sway, &sway->stream);
	if (r >= 0)
		r = send_message(sway, SWAY_SUBSCRIBE, "[\"window\",\"workspace\"]");
	if (r >= 0)
		r = ask(sway);
	if (r < 0) {
		snprintf(why, size, "its socket: %s", strerror(-r));
		sway_close(sway);
		return r;
	}
	*ret = sway;
	return 0;
}

const struct source source_sway = { .name = "sway", .open = sway_open, .close = sway_close };
