/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Answers what tasks use, for `schedqos top`. A client that has asked once is a reader until its connection ends, and
 * the tagger counts while there is a reader. Sums only grow: a reader subtracts two answers.
 */
#include "bus.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/bus_names.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>

#include "daemon_private.h"

/* ---- readers ---- */

static bool is_reader(const struct use_reader *reader, const struct holder *who)
{
	return reader->bus == who->bus && strcmp(reader->name ? reader->name : "", who->name ? who->name : "") == 0;
}

static void end_reader(struct daemon *daemon, unsigned number)
{
	struct use_reader *reader = &daemon->readers[number];

	free(reader->name);
	*reader = (struct use_reader){ 0 };
	tagger_set_use_reader(daemon->tagger, number, false);
}

void use_drop(struct daemon *daemon, const struct holder *whom)
{
	for (unsigned i = 0; i < USE_READERS; i++) {
		if (daemon->readers[i].bus == whom->bus && (!whom->name || is_reader(&daemon->readers[i], whom)))
			end_reader(daemon, i);
	}
}

/* Most readers of one user, and of all users but root. */
#define READERS_OF_USER	 4
#define READERS_OF_USERS 12

/* Returns whether a user may have one more reader. */
static bool may_read(const struct daemon *daemon, uid_t uid)
{
	size_t own = 0, of_users = 0;

	for (unsigned i = 0; i < USE_READERS; i++) {
		own += daemon->readers[i].bus && daemon->readers[i].uid == uid;
		of_users += daemon->readers[i].bus && daemon->readers[i].uid;
	}
	return !uid || (own < READERS_OF_USER && of_users < READERS_OF_USERS);
}

/* Returns the caller's number, a new one at its first call; or -errno: -EUSERS if there are too many readers. */
static int reader_of(struct daemon *daemon, uid_t uid, const struct holder *who)
{
	int free_number = -EUSERS, r;

	for (unsigned i = 0; i < USE_READERS; i++) {
		struct use_reader *reader = &daemon->readers[i];

		if (reader->bus && is_reader(reader, who))
			return (int)i;
		if (!reader->bus && free_number < 0)
			free_number = (int)i;
	}
	if (free_number < 0 || !may_read(daemon, uid))
		return -EUSERS;
	daemon->readers[free_number] = (struct use_reader){ who->bus, *who->name ? strdup(who->name) : NULL, uid };
	r = *who->name && !daemon->readers[free_number].name ? -ENOMEM : 0;
	if (r == 0)
		r = tagger_set_use_reader(daemon->tagger, (unsigned)free_number, true);
	if (r == 0)
		return free_number;
	end_reader(daemon, (unsigned)free_number);
	return r;
}

/* ---- the answer ---- */

static void put_row(struct json_writer *json, const struct use_row *row, unsigned reader, bool is_for_user)
{
	static const char *const kinds[] = {
		[USE_OF_RULE] = "rule",	    [USE_OF_PROGRAM] = "program", [USE_OF_KERNEL] = "kernel",
		[USE_OF_OTHERS] = "others", [USE_OF_LOST] = "lost",
	};
	static const char *const visibility[] = {
		[SHOWN_VISIBLE] = "visible", [SHOWN_HIDDEN] = "hidden", [SHOWN_FOCUSED] = "focused"
	};

	json_begin_in_line(json, NULL, '{');
	json_put_text(json, "kind", kinds[row->of]);
	json_put_text(json, "class", row->class);
	if (row->rule)
		json_put_escaped(json, "rule", is_for_user && row->rule_is_private ? PRIVATE_PATTERN : row->rule);
	if (row->of == USE_OF_PROGRAM)
		json_put_escaped(json, "program", row->program);
	json_put_text(json, "visibility", visibility[row->visibility]);
	json_put_count(json, "example", (uint64_t)row->example);
	json_put_count(json, "tasks", row->living);
	json_put_count(json, "ended", row->ended);
	json_put_count(json, "cpu_usec", row->cpu_ns / 1000);
	json_put_count(json, "ending_usec", row->ending_ns / 1000);
	json_put_count(json, "run_usec", row->run_ns / 1000);
	json_put_count(json, "delay_usec", row->delay_ns / 1000);
	json_put_count(json, "waits", row->waits);
	json_put_count(json, "longest_usec", row->longest_us[reader]);
	json_end(json, '}');
}

/*
 * Returns whether kernel.task_delayacct is set. It makes the kernel also count waits for I/O and memory, which we do
 * not show.
 */
static bool has_task_delayacct(int proc)
{
	_cleanup_close_ int fd = openat(proc, "sys/kernel/task_delayacct", O_RDONLY | O_CLOEXEC);
	char on = '0';

	return fd >= 0 && read(fd, &on, 1) == 1 && on == '1';
}

static char *make_answer(const struct daemon *daemon, unsigned reader, bool is_for_user)
{
	const struct use_state state = tagger_use_state(daemon->tagger);
	const struct config *config = daemon->config;
	struct json_writer json = { 0 };
	const struct use_row *row;

	json_begin(&json, NULL, '{');
	json_put_bool(&json, "taskstats", state.taskstats == 0);
	json_put_text(&json, "taskstats_error",
		      state.taskstats == -ENOENT ? "no CONFIG_TASKSTATS" :
		      state.taskstats		 ? strerror(-state.taskstats) :
						   "");
	json_put_bool(&json, "delays", state.has_delays);
	json_put_bool(&json, "longest", state.has_longest);
	json_put_bool(&json, "task_delayacct", has_task_delayacct(daemon->proc));
	json_put_count(&json, "ended", state.ended);
	json_put_count(&json, "lost", state.lost);
	json_put_count(&json, "at_usec", state.at_ns / 1000);
	json_put_count(&json, "busy_usec", state.busy_ns / 1000);
	json_begin(&json, "classes", '[');
	for (size_t i = 0; i < config->n_classes; i++)
		json_put_text(&json, NULL, config->classes[i].name);
	json_end(&json, ']');
	json_begin(&json, "rows", '[');
	for (size_t i = 0; (row = tagger_use_row(daemon->tagger, i)); i++)
		put_row(&json, row, reader, is_for_user);
	json_end(&json, ']');
	json_end(&json, '}');
	return json_take(&json);
}

int bus_list_use(sd_bus_message *message, void *userdata, sd_bus_error *error)
{
	struct daemon *daemon = userdata;
	struct holder who = { .bus = sd_bus_message_get_bus(message) };
	_cleanup_free_ char *json = NULL;
	struct ucred caller;
	uint32_t uid;
	int r = sd_bus_message_read(message, "us", &uid, &who.name);

	if (r < 0)
		return r;
	r = bus_check_user(message, uid, &caller);
	if (r == 0)
		r = strlen(who.name) > NAME_MAX ? -ENAMETOOLONG : reader_of(daemon, uid, &who);
	if (r == -EPERM)
		return sd_bus_error_set(error, BUS_ERROR_NOT_YOURS, "only root may ask as root");
	if (r == -EUSERS)
		return sd_bus_error_set(error, BUS_ERROR_FAILED,
					"too many programs, yours or all, already read what tasks use: end one of them");
	if (r < 0)
		return sd_bus_error_setf(error, BUS_ERROR_FAILED, "%s", strerror(-r));
	tagger_look_at_use(daemon->tagger);
	json = make_answer(daemon, (unsigned)r, uid != 0);
	tagger_forget_longest(daemon->tagger, (unsigned)r);
	return json ? sd_bus_reply_method_return(message, "s", json) : -ENOMEM;
}
