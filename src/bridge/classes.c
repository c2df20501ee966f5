/* SPDX-License-Identifier: GPL-2.0-only */
#include "classes.h"

#include <errno.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "manager.h"
#include "unit_file.h"

/* A file system that does not answer for so long is taken to be one that never will. */
#define READ_MS 5000

/* ---- a file ---- */

struct answer {
	int error;
	struct unit_said said;
};

/* In the helper. */
static void serve(int fd)
{
	char path[4096];
	ssize_t n;

	while ((n = recv(fd, path, sizeof(path) - 1, 0)) > 0) {
		struct answer answer = { 0 };

		path[n] = '\0';
		answer.error = unit_file_read(path, &answer.said);
		if (send(fd, &answer, sizeof(answer), MSG_NOSIGNAL) < 0)
			return;
	}
}

static int ask(struct helper *helper, const char *path, struct unit_said *ret)
{
	struct answer answer;
	struct pollfd wait = { .events = POLLIN };
	int r;

	helper->serve = serve;
	wait.fd = helper_need(helper);
	if (wait.fd < 0)
		return wait.fd;
	if (send(wait.fd, path, strlen(path), MSG_NOSIGNAL) >= 0) {
		do
			r = poll(&wait, 1, READ_MS);
		while (r < 0 && errno == EINTR);
		if (r > 0 && recv(wait.fd, &answer, sizeof(answer), 0) == (ssize_t)sizeof(answer)) {
			*ret = answer.said;
			return answer.error;
		}
	}
	helper_leave(helper);
	return -ETIMEDOUT;
}

/* ---- a unit ---- */

static void free_item(struct named_class *item)
{
	free(item->unit);
	free(item->cgroup);
	free(item->place);
	free(item->qos);
}

void classes_clear(struct classes *classes)
{
	for (size_t i = 0; i < classes->count; i++)
		free_item(&classes->items[i]);
	free(classes->items);
	helper_close(&classes->helper);
	*classes = (struct classes){ 0 };
}

const struct named_class *classes_find(const struct classes *classes, const char *unit)
{
	for (size_t i = 0; i < classes->count; i++) {
		if (strcmp(classes->items[i].unit, unit) == 0)
			return &classes->items[i];
	}
	return NULL;
}

struct search {
	struct classes *classes;
	struct unit_said said;
	char *place;
	bool failed;
};

/* The last file that says it counts. */
static void look_into(void *context, const char *path)
{
	struct search *search = context;
	_cleanup_free_ char *safe = text_escape(path, strlen(path));
	struct unit_said said;
	int r = ask(&search->classes->helper, path, &said);

	if (r < 0 && r != -ENOENT)
		log_warning("%s: cannot be read, and what it says in [X-SchedQoS] does not count: %s", safe ? safe : "a unit's file",
			    strerror(-r));
	if (r < 0 || !said.is_said)
		return;
	search->said = said;
	free(take_ptr(search->place));
	if (!safe || asprintf(&search->place, "%s:%u", safe, said.line) < 0)
		search->place = NULL;
	search->failed = !search->place;
}

/* 1, or 0 if there was none. */
static int forget(struct classes *classes, const char *unit)
{
	const struct named_class *found = classes_find(classes, unit);
	struct named_class *item = found ? &classes->items[found - classes->items] : NULL;

	if (!item)
		return 0;
	free_item(item);
	*item = classes->items[--classes->count];
	return 1;
}

static int note(struct classes *classes, const char *unit, const char *cgroup, struct search *search)
{
	const struct named_class *found = classes_find(classes, unit);
	struct named_class *items, *item;

	if (found && strcmp(found->cgroup, cgroup) == 0 && strcmp(found->qos, search->said.qos) == 0 &&
	    strcmp(found->place, search->place) == 0)
		return 0;
	forget(classes, unit);
	items = reallocarray(classes->items, classes->count + 1, sizeof(*items));
	if (!items)
		return -ENOMEM;
	classes->items = items;
	item = &items[classes->count];
	*item = (struct named_class){ strdup(unit), strdup(cgroup), take_ptr(search->place), strdup(search->said.qos), 0, false };
	if (!item->unit || !item->cgroup || !item->qos) {
		free_item(item);
		return -ENOMEM;
	}
	classes->count++;
	return 1;
}

int classes_look(struct classes *classes, sd_bus *manager, const char *unit)
{
	struct search search = { .classes = classes };
	char cgroup[CGROUP_PATH_MAX];
	int r = unit_each_file(manager, unit, look_into, &search);

	if (r >= 0 && search.said.qos[0])
		r = unit_cgroup(manager, unit, cgroup);
	if (r == -ENOENT || (r >= 0 && (search.failed || !search.said.qos[0])))
		r = forget(classes, unit);
	else if (r >= 0)
		r = note(classes, unit, cgroup, &search);
	free(search.place);
	return r;
}

/* ---- the daemon ---- */

int classes_append(sd_bus_message *message, const struct classes *classes)
{
	int r = sd_bus_message_open_container(message, 'a', "(sss)");

	for (size_t i = 0; i < classes->count && r >= 0; i++)
		r = sd_bus_message_append(message, "(sss)", classes->items[i].cgroup, classes->items[i].qos,
					  classes->items[i].place);
	return r < 0 ? r : sd_bus_message_close_container(message);
}

/* Once, until its file says something else. */
static void complain(struct named_class *item, const char *words)
{
	if (!item->weight && !item->is_wrong)
		log_warning("%s: Class=: %s", item->place, words);
	item->is_wrong = !item->weight;
}

static int read_answers(sd_bus_message *reply, struct classes *classes)
{
	int r = sd_bus_message_enter_container(reply, 'a', "(qs)");

	for (size_t i = 0; i < classes->count && r >= 0; i++) {
		uint16_t weight = 0;
		const char *words = "";

		r = sd_bus_message_read(reply, "(qs)", &weight, &words);
		classes->items[i].weight = weight;
		if (r > 0)
			complain(&classes->items[i], words);
	}
	return r;
}

void classes_resolve(struct classes *classes, const struct config *config)
{
	for (size_t i = 0; i < classes->count; i++) {
		const struct qos_class *class = qos_class_find(config->classes, config->n_classes, classes->items[i].qos);

		classes->items[i].weight = class ? weight_of_class(class) : 0;
		complain(&classes->items[i], "no such class");
	}
}

int classes_tell(struct classes *classes, sd_bus *daemon)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *message = NULL, *reply = NULL;
	int r = sd_bus_message_new_method_call(daemon, &message, NULL, BUS_PATH, BUS_OVERRIDES_INTERFACE, "SetUnitClasses");

	if (r >= 0)
		r = sd_bus_message_append(message, "us", 0, "");
	if (r >= 0)
		r = classes_append(message, classes);
	if (r >= 0)
		r = sd_bus_call(daemon, message, 0, NULL, &reply);
	return r < 0 ? r : read_answers(reply, classes);
}
