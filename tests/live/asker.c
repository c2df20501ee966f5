/* SPDX-License-Identifier: GPL-2.0-only */
/*
 *   asker SOCKET
 *   asker system NAME PATH
 *
 * A client of the control interface, or of a service on the system bus. Each line of its standard input is a call:
 * INTERFACE METHOD TYPES ARGUMENT... It prints the answer on one line: "ok" and the values, or "error", the name of the
 * error and its text. For the type h, the argument is the path of a file, of which it sends a descriptor; for a(sss),
 * the rest of the line is the strings. "-" stands for an empty string, and "huge" for one of a million bytes. Other
 * lines:
 *
 *   wait SIGNAL              waits for a signal
 *   many N INTERFACE METHOD  sends N calls at once; prints an answer for each
 *
 * It ends with its connection, or at the end of its input.
 */
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <systemd/sd-bus.h>

#define TIMEOUT_US 60000000ULL

static const char *destination, *path = "/org/schedqos1";
static char last_signal[128];

static int on_signal(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	(void)userdata, (void)error;
	if (sd_bus_message_is_signal(message, NULL, NULL) > 0)
		snprintf(last_signal, sizeof(last_signal), "%s", sd_bus_message_get_member(message));
	return 0;
}

static int append_opened(sd_bus_message *call, const char *file)
{
	int fd = open(file, O_RDONLY | O_CLOEXEC);
	int r = fd < 0 ? -errno : sd_bus_message_append_basic(call, 'h', &fd);

	if (fd >= 0)
		close(fd);
	return r;
}

/* Returns a text of a million bytes, each of which takes four when it is escaped. */
static const char *huge(void)
{
	static char text[1000001];

	memset(text, 1, sizeof(text) - 1);
	return text;
}

static int append(sd_bus_message *call, char type, const char *word)
{
	const uint32_t number = (uint32_t)strtoul(word, NULL, 10);
	const int truth = strcmp(word, "true") == 0;

	switch (type) {
	case 's':
		if (strcmp(word, "huge") == 0)
			word = huge();
		return sd_bus_message_append_basic(call, 's', strcmp(word, "-") ? word : "");
	case 'u':
		return sd_bus_message_append_basic(call, 'u', &number);
	case 'y':
		return sd_bus_message_append_basic(call, 'y', &(const uint8_t){ (uint8_t)number });
	case 'b':
		return sd_bus_message_append_basic(call, 'b', &truth);
	case 'h':
		return append_opened(call, word);
	}
	return -EINVAL;
}

/* On one line. */
static void print_text(const char *text)
{
	putchar('\t');
	for (; *text; text++)
		putchar(*text == '\n' ? ' ' : *text);
}

/* Prints the strings and numbers up to the first array or the like. */
static void print_answer(sd_bus_message *reply)
{
	const char *contents;
	const char *text;
	uint64_t number;
	char type;

	printf("ok");
	while (sd_bus_message_peek_type(reply, &type, &contents) > 0) {
		if ((type == 's' || type == 'o') && sd_bus_message_read_basic(reply, type, &text) > 0)
			print_text(text);
		else if (type == 't' && sd_bus_message_read_basic(reply, 't', &number) > 0)
			printf("\t%" PRIu64, number);
		else if (type == 'v' && sd_bus_message_enter_container(reply, 'v', contents) > 0)
			continue;
		else
			break;
	}
	printf("\n");
}

/* Appends the rest of the line as an array of triples. */
static int append_triples(sd_bus_message *call)
{
	int r = sd_bus_message_open_container(call, 'a', "(sss)");
	const char *word;

	while (r >= 0 && (word = strtok(NULL, " "))) {
		r = sd_bus_message_open_container(call, 'r', "sss");
		for (int i = 0; i < 3 && r >= 0; i++, word = i < 3 ? strtok(NULL, " ") : NULL)
			r = word ? append(call, 's', word) : -EINVAL;
		if (r >= 0)
			r = sd_bus_message_close_container(call);
	}
	return r < 0 ? r : sd_bus_message_close_container(call);
}

static void print_error(const char *name, const char *text)
{
	printf("error");
	print_text(name ? name : "");
	print_text(text);
	putchar('\n');
}

static int on_answer(sd_bus_message *reply, void *userdata, sd_bus_error *unused)
{
	const sd_bus_error *error = sd_bus_message_get_error(reply);

	(void)unused;
	if (error)
		print_error(error->name, error->message);
	else
		print_answer(reply);
	fflush(stdout);
	--*(int *)userdata;
	return 0;
}

static int many(sd_bus *bus, char *line)
{
	int left = atoi(strtok(line, " ")), r = 0;
	const char *interface = strtok(NULL, " "), *method = strtok(NULL, " ");

	for (int sent = 0, count = left; sent < count && r >= 0; sent++)
		r = sd_bus_call_method_async(bus, NULL, destination, path, interface, method, on_answer, &left, NULL);
	while (left && r >= 0) {
		r = sd_bus_process(bus, NULL);
		if (r == 0)
			r = sd_bus_wait(bus, TIMEOUT_US);
	}
	return r;
}

static int call(sd_bus *bus, char *line)
{
	sd_bus_error error = SD_BUS_ERROR_NULL;
	sd_bus_message *message = NULL, *reply = NULL;
	const char *interface = strtok(line, " "), *method = strtok(NULL, " "), *types = strtok(NULL, " "), *word;
	int r = interface && method
			? sd_bus_message_new_method_call(bus, &message, destination, path, interface, method)
			: -EINVAL;

	for (; r >= 0 && types && *types && *types != 'a'; types++) {
		word = strtok(NULL, " ");
		r = word ? append(message, *types, word) : -EINVAL;
	}
	if (r >= 0 && types && *types == 'a')
		r = append_triples(message);
	if (r >= 0)
		r = sd_bus_call(bus, message, TIMEOUT_US, &error, &reply);
	if (r >= 0) {
		print_answer(reply);
	} else {
		print_error(error.name, error.message ? error.message : strerror(-r));
	}
	sd_bus_error_free(&error);
	sd_bus_message_unref(message);
	sd_bus_message_unref(reply);
	return r == -ECONNRESET || r == -ENOTCONN ? r : 0;
}

static int wait_for(sd_bus *bus, const char *name)
{
	int r = 0;

	while (strcmp(last_signal, name) != 0 && r >= 0) {
		r = sd_bus_process(bus, NULL);
		if (r == 0 && sd_bus_wait(bus, TIMEOUT_US) == 0)
			r = -ETIMEDOUT;
	}
	*last_signal = '\0';
	printf("%s\n", r < 0 ? strerror(-r) : "ok");
	return r;
}

int main(int argc, char **argv)
{
	char address[512], line[32768];
	sd_bus *bus = NULL;
	sd_id128_t id;
	int r = -EINVAL;

	if (argc == 4) {
		destination = argv[2];
		path = argv[3];
		r = sd_bus_open_system(&bus);
		if (r >= 0)
			r = sd_bus_match_signal(bus, NULL, destination, path, NULL, NULL, NULL, NULL);
	} else if (argc == 2) {
		snprintf(address, sizeof(address), "unix:path=%s", argv[1]);
		r = sd_bus_new(&bus);
		if (r >= 0)
			r = sd_bus_set_address(bus, address);
		if (r >= 0)
			r = sd_bus_negotiate_fds(bus, 1);
		if (r >= 0)
			r = sd_bus_start(bus);
	}
	if (r >= 0)
		r = sd_bus_add_filter(bus, NULL, on_signal, NULL);
	/* Wait until the connection is complete: the bus knows its id then. */
	if (r >= 0)
		r = sd_bus_get_bus_id(bus, &id);
	printf("%s\n", r < 0 ? strerror(-r) : "ready");
	fflush(stdout);
	while (r >= 0 && fgets(line, sizeof(line), stdin)) {
		line[strcspn(line, "\n")] = '\0';
		if (strncmp(line, "wait ", 5) == 0)
			r = wait_for(bus, line + 5);
		else if (strncmp(line, "many ", 5) == 0)
			r = many(bus, line + 5);
		else
			r = call(bus, line);
		fflush(stdout);
	}
	sd_bus_unref(bus);
	return r < 0;
}
