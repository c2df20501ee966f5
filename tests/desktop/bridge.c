/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * A stand-in for the bridge: owns org.schedqos1 on the bus that DBUS_SYSTEM_BUS_ADDRESS names, and prints "PID LEVEL"
 * for each SetShown. With an argument it refuses every call with that error; an argument that contains "Mutter" is
 * instead a name to own in place of org.schedqos1.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <systemd/sd-bus.h>
#include <systemd/sd-event.h>

#define NAME "org.schedqos1"

static const char *refusal;

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
	printf("%u %s\n", pid, level);
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
	const char *name = argc > 1 && strstr(argv[1], "Mutter") ? argv[1] : NAME;
	int r;

	refusal = argc > 1 && name != argv[1] ? argv[1] : NULL;
	setvbuf(stdout, NULL, _IOLBF, 0);
	r = sd_event_new(&event);
	if (r >= 0)
		r = sd_event_set_signal_exit(event, 1);
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
