/* SPDX-License-Identifier: GPL-2.0-only */
/* What `schedqos weights`, which asks the service manager, has to say of units. It counts until its connection ends. */
#include "bus.h"

#include <errno.h>
#include <stdlib.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>

#include "daemon_private.h"

/* Allocates the array; its texts are the message's. */
static int read_units(sd_bus_message *message, struct unit_class **ret, size_t *ret_n)
{
	struct unit_class *units = NULL;
	size_t n = 0;
	int r = sd_bus_message_enter_container(message, 'a', "(sss)");

	while (r >= 0) {
		struct unit_class *all = reallocarray(units, n + 1, sizeof(*all));

		r = all ? 0 : -ENOMEM;
		units = all ? all : units;
		if (r == 0)
			r = sd_bus_message_read(message, "(sss)", &units[n].cgroup, &units[n].qos, &units[n].place);
		if (r <= 0)
			break;
		n++;
	}
	*ret = units;
	*ret_n = n;
	return r;
}

/* Of each its class's weight; or 0, and what is wrong with that class. */
static int append_answers(sd_bus_message *reply, const struct config *config, const struct unit_class *units, size_t n)
{
	int r = sd_bus_message_open_container(reply, 'a', "(qs)");

	for (size_t i = 0; i < n && r >= 0; i++) {
		const struct qos_class *class = qos_class_find(config->classes, config->n_classes, units[i].qos);
		_cleanup_free_ char *words = class ? NULL : class_words_unknown(config, units[i].qos);

		r = sd_bus_message_append(reply, "(qs)", class ? weight_of_class(class) : 0,
					  class ? "" : words ? words : "no such class");
	}
	return r < 0 ? r : sd_bus_message_close_container(reply);
}

int bus_set_unit_classes(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	_cleanup_(sd_bus_message_unrefp) sd_bus_message *reply = NULL;
	_cleanup_free_ struct unit_class *units = NULL;
	struct daemon *daemon = userdata;
	size_t n = 0;
	int r = read_units(message, &units, &n);

	(void)error;
	if (r >= 0)
		r = tagger_set_units(daemon->tagger, units, n);
	if (r >= 0) {
		daemon->weights.teller = sd_bus_message_get_bus(message);
		daemon->weights.n_classes = n;
		r = sd_bus_message_new_method_return(message, &reply);
	}
	if (r >= 0)
		r = append_answers(reply, daemon->config, units, n);
	if (r >= 0)
		r = sd_bus_message_send(reply);
	return r < 0 ? r : 1;
}

int bus_set_weight_count(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct daemon *daemon = userdata;
	int r = sd_bus_message_read(message, "u", &daemon->weights.count);

	(void)error;
	if (r < 0)
		return r;
	daemon->weights.teller = sd_bus_message_get_bus(message);
	return sd_bus_reply_method_return(message, NULL);
}

void bus_units_drop(struct daemon *daemon, const sd_bus *bus)
{
	if (daemon->weights.teller != bus)
		return;
	daemon->weights = (struct weights_told){ 0 };
	tagger_set_units(daemon->tagger, NULL, 0);
}
