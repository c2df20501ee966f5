/* SPDX-License-Identifier: GPL-2.0-only */
/* Edits the administrator's file: a copy, which is checked, shown against what is in force,
 * installed and reloaded. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/daemon/instance.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "check_warnings.h"
#include "client.h"
#include "daemon_config.h"
#include "edit_copy.h"
#include "install_file.h"
#include "print_errors.h"
#include "run_editor.h"
#include "show_diff.h"
#include "verb.h"

/* What a file that does not exist yet begins with. */
static const char example[] =
	"// The administrator's rules for schedqos: see schedqos.json(5). 'schedqos check' finds "
	"mistakes.\n"
	"{\n"
	"\t// A program by its name, and the class that it gets: QOS_USER_INTERACTIVE,\n"
	"\t// QOS_USER_INITIATED, QOS_UTILITY or QOS_BACKGROUND.\n"
	"\t// \"blender\": { \"qos\": \"QOS_UTILITY\" },\n"
	"\n"
	"\t// With everything that it starts, unless that has a rule of its own:\n"
	"\t// \"make\": { \"qos\": \"QOS_UTILITY\", \"inherit\": true },\n"
	"\n"
	"\t// Threads by their names, which may be globs:\n"
	"\t// \"firefox\": { \"qos\": \"QOS_USER_INTERACTIVE\", \"thread_qos\": { \"Backgro*\": "
	"\"QOS_UTILITY\" } },\n"
	"\n"
	"\t// No rule for a program that has one below /usr/share/schedqos:\n"
	"\t// \"steam\": null,\n"
	"\n"
	"\t\"schedqos\": {\n"
	"\t\t// \"mapping\": \"latency\"\n"
	"\t}\n"
	"}\n";

enum step {
	EDIT_AGAIN,
	CHECK_AGAIN,
	END,	  /* the copy is of no more use */
	END_KEEP, /* ... is kept for the next edit */
};

struct edit {
	sd_bus *bus;		   /* NULL: no daemon runs, or it cannot be asked */
	struct own_paths daemons;  /* its paths */
	struct config_paths paths; /* of the whole, with the file to be edited */
	struct edit_copy copy;
	struct config_items before; /* in force, or as the files have it */
	bool is_daemons;	    /* the daemon reads the file that is edited */
	int status;		    /* for the exit */
};

/* ---- what there is ---- */

/* Whether two paths lead to the same file, which need not exist. */
static bool is_same(const char *path, const char *target)
{
	_cleanup_free_ char *resolved = realpath(path, NULL);

	return strcmp(resolved ? resolved : path, target) == 0;
}

/* Without options the daemon's file. 0, or -1 after logging why not. */
static int open_edit(struct edit *edit, const struct command *command)
{
	edit->paths = command->paths;
	if (client_try(&edit->bus) == 0 && daemon_paths(edit->bus, &edit->daemons) < 0)
		edit->bus = sd_bus_flush_close_unref(edit->bus);
	if (!edit->paths.file)
		edit->paths.file = edit->daemons.file;
	if (!edit->paths.folder)
		edit->paths.folder = edit->daemons.folder;
	return edit_copy_open(&edit->copy, config_own_file(&edit->paths)) < 0 ? -1 : 0;
}

/* What is compared with. If it has errors, everything is new. */
static void load_before(struct edit *edit)
{
	const struct config_paths daemons = { .file = edit->daemons.file };
	struct config_errors errors = { 0 };
	struct config *config;

	edit->is_daemons = edit->bus && is_same(config_own_file(&daemons), edit->copy.target);
	if (edit->is_daemons && daemon_items(edit->bus, &edit->before) == 0)
		return;
	if (edit->copy.before &&
	    config_load(&edit->paths, CONFIG_USERS_PEOPLE_MS, &config, &errors) == 0) {
		config_items_of(config, &edit->before);
		config_free(config);
	}
	config_errors_clear(&errors);
}

/* The text to begin with. False: the user would rather not, or it cannot be written. */
static bool begin_copy(struct edit *edit)
{
	struct edit_copy *copy = &edit->copy;
	char answer = 'd';

	if (copy->is_left) {
		fprintf(stderr, "%s: left by an edit that did not end\n", copy->path);
		answer = ask("(c)ontinue with it, (d)iscard it or (q)uit?", 'q');
	}
	if (answer != 'c' && answer != 'd')
		return false;
	if (answer == 'c')
		return true;
	copy->is_left = false;
	if (copy->before)
		return edit_copy_write(copy, copy->before, copy->before_size) == 0;
	return edit_copy_write(copy, example, strlen(example)) == 0;
}

/* ---- one round ---- */

static bool is_unchanged(const struct edit_copy *copy, const char *text, size_t size)
{
	const char *before = copy->before ? copy->before : example;
	size_t before_size = copy->before ? copy->before_size : strlen(example);

	return size == before_size && memcmp(text, before, size) == 0;
}

/* People know the file by its own name. */
static void rename_in_errors(struct config_errors *errors, const struct edit_copy *copy)
{
	_cleanup_free_ char *from = text_escape(copy->path, strlen(copy->path));

	for (size_t i = 0; from && i < errors->count; i++) {
		struct config_error *error = &errors->items[i];
		char *target = strcmp(error->file, from) == 0
				       ? text_escape(copy->target, strlen(copy->target))
				       : NULL;

		if (target) {
			free(error->file);
			error->file = target;
		}
	}
}

/* Reads the whole configuration with the copy in the file's place, and prints errors and warnings.
 * NULL with errors. */
static struct config *check_copy(const struct edit *edit)
{
	const struct config_paths paths = { .file = edit->copy.path, .folder = edit->paths.folder };
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	if (config_load(&paths, CONFIG_USERS_PEOPLE_MS, &config, &errors) < 0)
		config = NULL;
	if (config)
		check_warnings(config, &errors);
	rename_in_errors(&errors, &edit->copy);
	print_errors(&errors);
	config_errors_clear(&errors);
	return config;
}

/* After the installation. */
static int put_in_force(const struct edit *edit)
{
	if (edit->is_daemons)
		return daemon_reload_by(edit->bus);
	if (edit->bus)
		log_notice("the daemon that runs reads another file: it is not reloaded");
	else if (instance_owner() > 0)
		log_notice(
			"the daemon that runs cannot be asked: 'schedqos reload' puts it in force");
	else
		log_notice("no daemon runs: it takes effect at the next start");
	return 0;
}

static enum step install(struct edit *edit, const char *text, size_t size)
{
	const struct edit_copy *copy = &edit->copy;
	_cleanup_free_ char *now = NULL;
	size_t now_size;
	int r;

	if (edit_copy_read(copy, &now, &now_size) < 0)
		return END_KEEP;
	if (now_size != size || memcmp(now, text, size) != 0) {
		log_notice("the copy was changed once more, so it is checked once more");
		return CHECK_AGAIN;
	}
	if (!edit_copy_is_current(copy)) {
		log_error("%s: somebody else has changed it meanwhile: nothing is installed",
			  copy->target);
		return END_KEEP;
	}
	r = install_file(copy->target, copy->new_path, text, size);
	if (r < 0) {
		log_error("%s: cannot be installed: %s", copy->target, strerror(-r));
		return END_KEEP;
	}
	edit->status = put_in_force(edit);
	return END;
}

/* Checks what the editor has left, and asks what to do with it. */
static enum step check(struct edit *edit)
{
	_cleanup_free_ char *text = NULL;
	struct config *config;
	size_t size;
	char answer;

	edit->status = EXIT_FAILURE;
	if (edit_copy_read(&edit->copy, &text, &size) < 0)
		return END_KEEP;
	if (is_unchanged(&edit->copy, text, size)) {
		log_info("%s: unchanged", edit->copy.target);
		edit->status = 0;
		return END;
	}
	config = check_copy(edit);
	if (!config) {
		edit->status = EXIT_CONFIG;
		answer = ask("Edit it again? [Y/n]", 'y');
		if (answer == 'y')
			return EDIT_AGAIN;
		log_notice("nothing is changed");
		return answer ? END : END_KEEP;
	}
	show_diff(stdout, &edit->before, config);
	config_free(config);
	answer = ask("Install it? [y/N/e(dit again)]", 'n');
	if (answer == 'e')
		return EDIT_AGAIN;
	if (answer == 'y')
		return install(edit, text, size);
	log_notice("nothing is changed");
	return answer ? END : END_KEEP;
}

/* Until the user is content or gives up. Returns whether to keep the copy. */
static bool edit_it(struct edit *edit)
{
	enum step step = EDIT_AGAIN;
	int r;

	while (step == EDIT_AGAIN || step == CHECK_AGAIN) {
		r = step == EDIT_AGAIN ? run_editor(edit->copy.path) : 0;
		if (r != 0) {
			log_notice("nothing is changed");
			edit->status = EXIT_FAILURE;
			return r < 0;
		}
		step = check(edit);
	}
	return step == END_KEEP;
}

int cmd_edit(const struct command *command)
{
	struct edit edit = { .status = EXIT_FAILURE };
	bool keep;

	if (open_edit(&edit, command) == 0) {
		load_before(&edit);
		keep = begin_copy(&edit) ? edit_it(&edit) : edit.copy.is_left;
		edit_copy_close(&edit.copy, keep);
	}
	config_items_clear(&edit.before);
	own_paths_clear(&edit.daemons);
	sd_bus_flush_close_unref(edit.bus);
	return edit.status;
}
