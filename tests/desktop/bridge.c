/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stand-in for the bridge: owns org.schedqos1 on the bus that DBUS_SYSTEM_BUS_ADDRESS names, and prints "PID LEVEL"
 * for each SetShown. With an argument it refuses every call with that error; an argument that contains "Mutter" is
 * instead a name to own in place of org.schedqos1. With "slow" it answers calls after a while, and like the bridge
 * refuses those beyond 16 unanswered ones. With "busy" it refuses the first five calls, as the bridge does while a user
 * has used up a share of it.
 */
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define NAME "org.schedqos1"

#define WAITING_MAX 16

static const char *refusal;
static sd_event_source *answering; /* NULL if each call is answered at once */
static sd_bus_message *waiting[WAITING_MAX];
static unsigned n_waiting;
static unsigned n_to_refuse;

static int answer_all(sd_event_source *source, uint64_t usec, void *userdata)
{
	(void)source;
	(void)usec;
	(void)userdata;
	while (n_waiting) {
		sd_bus_message *message = waiting[--n_waiting];

		sd_bus_reply_method_return(message, "");
		sd_bus_message_unref(message);
	}
	return 0;
}

static int set_shown(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	const char *level;
	uint32_t pid;
	int r = sd_bus_message_read(message, "us", &pid, &level);

	(void)userdata;
	if (r < 0)
		return r;
	if (refusal)
		return sd_bus_error_set(error, refusal, "not \033[31mtoday");
	if (n_to_refuse) {
		n_to_refuse--;
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED, "too many calls");
	}
	if (answering && n_waiting == WAITING_MAX) {
		printf("refused %u\n", pid);
		return sd_bus_error_set(error, SD_BUS_ERROR_LIMITS_EXCEEDED, "too many calls");
	}
	printf("%u %s\n", pid, level);
	if (answering) {
		waiting[n_waiting++] = sd_bus_message_ref(message);
		sd_event_source_set_enabled(answering, SD_EVENT_ONESHOT);
		r = sd_event_source_set_time_relative(answering, 20000);
		return r < 0 ? r : 1;
	}
	return sd_bus_reply_method_return(message, "");
}

static const sd_bus_vtable vtable[] = {
	SD_BUS_VTABLE_START(0),
	SD_BUS_METHOD("SetShown", "us", "", set_shown, SD_BUS_VTABLE_UNPRIVILEGED),
	SD_BUS_VTABLE_END,
};

int main(int argc, char **argv)
{
	sd_event *event = NULL;
	sd_bus *bus = NULL;
	const bool is_slow = argc > 1 && strcmp(argv[1], "slow") == 0;
	const char *name = argc > 1 && strstr(argv[1], "Mutter") ? argv[1] : NAME;
	int r;

	n_to_refuse = argc > 1 && strcmp(argv[1], "busy") == 0 ? 5 : 0;
	refusal = argc > 1 && name != argv[1] && !is_slow && !n_to_refuse ? argv[1] : NULL;
	setvbuf(stdout, NULL, _IOLBF, 0);
	r = sd_event_new(&event);
	if (r >= 0)
		r = sd_event_set_signal_exit(event, 1);
	if (r >= 0 && is_slow)
		r = sd_event_add_time_relative(event, &answering, CLOCK_MONOTONIC, 0, 1, answer_all, NULL);
	if (r >= 0)
		r = sd_bus_open_system(&bus);
	if (r >= 0)
		r = sd_bus_add_object_vtable(bus, NULL, "/org/schedqos1", NAME, vtable, NULL);
	if (r >= 0)
		r = sd_bus_request_name(bus, name, 0);
	if (r >= 0)
		r = sd_bus_attach_event(bus, event, 0);
	if (r >= 0) {
		puts("ready");
		r = sd_event_loop(event);
	}
	if (r < 0)
		fprintf(stderr, "bridge: %s\n", strerror(-r));
	sd_bus_flush_close_unref(bus);
	sd_event_unref(event);
	return r < 0 ? EXIT_FAILURE : EXIT_SUCCESS;
}
