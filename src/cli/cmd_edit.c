/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Edits the administrator's file: a copy beside it, which is checked, shown against what is in force, put in the file's
 * place and reloaded. The copy is also what keeps a second edit away.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <libgen.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "configuration.h"
#include "show_diff.h"
#include "verb.h"

/* What a file that does not exist yet begins with. */
static const char beginning[] = "// The administrator's rules for schedqos: see schedqos.json(5).\n"
				"{\n"
				"\t// \"blender\": { \"qos\": \"QOS_UTILITY\" }\n"
				"}\n";

struct edit {
	sd_bus *bus;		   /* NULL: no daemon runs, or it cannot be asked */
	struct own_paths daemons;  /* its paths */
	struct config_paths paths; /* of the whole, with the file to be edited */
	char *path;		   /* of that file, with symlinks followed, */
	char *copy_path;
	const char *file, *copy; /* and their names in */
	int folder;
	bool exists; /* the file does */
	struct stat stat;
	char *text; /* what the copy begins with */
	size_t size;
	bool is_daemons;	   /* the daemon reads the file */
	struct config_items items; /* in force, or as the files have it */
};

/* ---- the copy ---- */

/* 0, or -errno: it is no file, or larger than what is read as a configuration. */
static int read_whole(const struct edit *edit, const char *name, struct stat *stat, char **ret, size_t *ret_size)
{
	_cleanup_close_ int fd =
		openat(edit->folder, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC);

	if (fd < 0 || fstat(fd, stat) < 0)
		return -errno;
	if (!S_ISREG(stat->st_mode))
		return S_ISDIR(stat->st_mode) ? -EISDIR : -EINVAL;
	return stat->st_size > 2 * CONFIG_SIZE_MAX ? -EFBIG : read_text(fd, (size_t)stat->st_size, ret, ret_size);
}

/* Whether a file is what the copy was at the beginning. */
static bool is_as_before(const struct edit *edit, const char *name)
{
	_cleanup_free_ char *text = NULL;
	struct stat stat;
	size_t size = 0;
	const int r = read_whole(edit, name, &stat, &text, &size);

	if (r < 0)
		return r == -ENOENT && name == edit->file && !edit->exists;
	return (edit->exists || name == edit->copy) && text && size == edit->size && memcmp(text, edit->text, size) == 0;
}

/* Others could put something in the place of what is written, or removed, by its name. */
static bool is_shared(int folder)
{
	struct stat stat;

	return fstat(folder, &stat) < 0 || (stat.st_uid != 0 && stat.st_uid != geteuid()) || (stat.st_mode & 022);
}

/* The names of the file and the copy, and their folder. 0 or -errno. */
static int find_file(struct edit *edit, const char *name)
{
	_cleanup_free_ char *folder = NULL;
	struct stat stat;

	edit->path = realpath(name, NULL);
	/* A symlink to what does not exist: nobody knows what is meant. */
	if (!edit->path && (errno != ENOENT || lstat(name, &stat) == 0))
		return -errno;
	if (!edit->path)
		edit->path = strdup(name);
	folder = edit->path ? strdup(edit->path) : NULL;
	if (!folder)
		return -ENOMEM;
	edit->file = basename(edit->path);
	if (asprintf(&edit->copy_path, "%s/.edit.%s", dirname(folder), edit->file) < 0)
		return -ENOMEM;
	edit->copy = basename(edit->copy_path);
	edit->folder = open(folder, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
	return edit->folder < 0 ? -errno : is_shared(edit->folder) ? -EXDEV : 0;
}

/* 0 or -errno; -EEXIST: there is one. */
static int make_copy(struct edit *edit)
{
	_cleanup_close_ int fd = -1;
	int r = read_whole(edit, edit->file, &edit->stat, &edit->text, &edit->size);

	edit->exists = r == 0;
	if (r == -ENOENT) {
		edit->text = strdup(beginning);
		edit->size = strlen(beginning);
		r = edit->text ? 0 : -ENOMEM;
	}
	if (r < 0)
		return r;
	fd = openat(edit->folder, edit->copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	return fd < 0 ? -errno : write_full(fd, edit->text, edit->size);
}

static int begin(struct edit *edit, const char *name)
{
	int r = find_file(edit, name);

	if (r == 0)
		r = make_copy(edit);
	if (r == -EEXIST)
		log_error("%s: somebody else edits it; or an edit was killed, then remove %s", name, edit->copy_path);
	else if (r == -EXDEV)
		log_error("%s: others can exchange files in its folder: edit a copy elsewhere", name);
	else if (r < 0)
		log_error("%s: %s%s", name, strerror(-r), r == -EACCES ? ": must be root" : "");
	return r;
}

/* ---- the editor, and the user ---- */

/* As git does: the shell takes the variable apart, and the file comes after what it says. Returns an exit status. */
static int run_editor(const char *path)
{
	int status = setenv("SCHEDQOS_EDITED", path, true);

	if (status == 0)
		status = system("eval \"${VISUAL:-${EDITOR:-$(command -v editor || echo vi)}} \\\"\\$SCHEDQOS_EDITED\\\"\"");
	if (status < 0)
		log_error("starting an editor: %s", strerror(errno));
	else if (WIFEXITED(status) && WEXITSTATUS(status) == 127)
		log_error("the editor was not found: name one in EDITOR");
	else if (status)
		log_error("the editor ended with status %d", WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status));
	return status ? EXIT_FAILURE : 0;
}

/* The first letter of the answer, or 0: there is none. */
static char ask(const char *question, char otherwise)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;

	fflush(stdout);
	fprintf(stderr, "%s ", question);
	if (getline(&line, &size, stdin) > 0)
		return *line == '\n' ? otherwise : (char)tolower((unsigned char)*line);
	fprintf(stderr, "\n");
	return 0;
}

static void ignore(int number)
{
	(void)number;
}

/* ---- what is compared, checked and installed ---- */

/* What is compared with. If it has errors, everything is new. */
static void load_before(struct edit *edit)
{
	const struct config_paths own = { .file = edit->daemons.file };
	_cleanup_free_ char *daemons = realpath(config_own_file(&own), NULL);
	struct config_errors errors = { 0 };
	struct config *config;

	edit->is_daemons = edit->bus && strcmp(daemons ? daemons : config_own_file(&own), edit->path) == 0;
	if (edit->is_daemons && daemon_items(edit->bus, &edit->items) == 0)
		return;
	if (edit->exists && config_load(&edit->paths, CONFIG_USERS_PEOPLE_MS, &config, &errors) == 0) {
		config_items_of(config, &edit->items);
		config_free(config);
	}
	config_errors_clear(&errors);
}

/* Reads the whole with the copy in the file's place, and prints errors and warnings. NULL with errors. */
static struct config *check_copy(const struct edit *edit)
{
	const struct config_paths paths = { .file = edit->copy_path, .folder = edit->paths.folder,
					    .mapping = edit->paths.mapping };
	_cleanup_free_ char *copy = text_escape(edit->copy_path, strlen(edit->copy_path));
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	if (config_load(&paths, CONFIG_USERS_PEOPLE_MS, &config, &errors) == 0)
		config_lint(config, &errors);
	/* People know the file by its own name. */
	for (size_t i = 0; copy && i < errors.count; i++) {
		if (strcmp(errors.items[i].file, copy) != 0)
			continue;
		free(errors.items[i].file);
		errors.items[i].file = text_escape(edit->path, strlen(edit->path));
	}
	print_errors(&errors);
	config_errors_clear(&errors);
	return config;
}

/* The copy takes the file's place, with its owner and mode. 0 or -errno, with the file as it was. */
static int install(const struct edit *edit)
{
	_cleanup_close_ int fd = openat(edit->folder, edit->copy, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (fd < 0 || (edit->exists && fchown(fd, edit->stat.st_uid, edit->stat.st_gid) < 0) ||
	    fchmod(fd, edit->exists ? edit->stat.st_mode & 07777 : 0644) < 0 || fsync(fd) < 0 ||
	    renameat(edit->folder, edit->copy, edit->folder, edit->file) < 0)
		return -errno;
	fsync(edit->folder);
	return 0;
}

/* Returns an exit status. */
static int put_in_force(const struct edit *edit)
{
	const int r = is_as_before(edit, edit->file) ? install(edit) : -ESTALE;

	if (r < 0) {
		log_error("%s: %s: the text is kept in %s", edit->path,
			  r == -ESTALE ? "somebody else has changed it" : strerror(-r), edit->copy_path);
		return EXIT_FAILURE;
	}
	if (edit->is_daemons)
		return reload_daemon(edit->bus);
	log_notice("%s", edit->bus ? "the daemon that runs reads another file: it is not reloaded"
				   : "no daemon runs: it takes effect at the next start");
	return 0;
}

/* ---- the edit ---- */

/* Checks what the editor has left, and asks what to do with it: 'y' installs, 'e' edits again, else it is dropped. */
static char review(const struct edit *edit, int *ret_status)
{
	struct config *config = check_copy(edit);

	*ret_status = config ? EXIT_FAILURE : EXIT_CONFIG;
	if (!config)
		return ask("Edit it again? [Y/n]", 'y') == 'y' ? 'e' : 'n';
	show_diff(stdout, &edit->items, config);
	config_free(config);
	return ask("Install it? [y/N/e(dit again)]", 'n');
}

/* Until the user is content or gives up. Returns an exit status. */
static int edit_it(const struct edit *edit)
{
	char answer = 'e';
	int status = 0;

	while (answer == 'e') {
		status = run_editor(edit->copy_path);
		if (status == 0 && is_as_before(edit, edit->copy)) {
			log_info("%s: unchanged", edit->path);
			break;
		}
		answer = status == 0 ? review(edit, &status) : 'n';
		if (answer == 'y')
			return put_in_force(edit);
		if (answer != 'e')
			log_notice("nothing is changed");
	}
	unlinkat(edit->folder, edit->copy, 0);
	return status;
}

int cmd_edit(const struct command *command)
{
	/* At a question Ctrl-C is no answer; while the editor runs it is the editor's. */
	const struct sigaction action = { .sa_handler = ignore };
	struct edit edit = { .paths = command->paths, .folder = -1 };
	int status = EXIT_FAILURE;

	if (client_try(&edit.bus) == 0 && daemon_paths(edit.bus, &edit.daemons) < 0)
		edit.bus = sd_bus_flush_close_unref(edit.bus);
	if (!edit.paths.file)
		edit.paths.file = edit.daemons.file;
	if (!edit.paths.folder)
		edit.paths.folder = edit.daemons.folder;
	edit.paths.mapping = edit.daemons.mapping;
	if (begin(&edit, config_own_file(&edit.paths)) == 0) {
		sigaction(SIGINT, &action, NULL);
		load_before(&edit);
		status = edit_it(&edit);
	}
	if (edit.folder >= 0)
		close(edit.folder);
	free(edit.path);
	free(edit.copy_path);
	free(edit.text);
	config_items_clear(&edit.items);
	own_paths_clear(&edit.daemons);
	sd_bus_flush_close_unref(edit.bus);
	return status;
}
