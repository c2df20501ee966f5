/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Edits the administrator's file: a copy beside it, which is checked, shown against what was there, put in the file's
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
#include "verb.h"

/* What a file that does not exist yet begins with. */
static const char beginning[] = "// The administrator's rules for schedqos: see schedqos.json(5).\n"
			  "{\n"
			  "\t// \"blender\": { \"qos\": \"QOS_UTILITY\" }\n"
			  "}\n";

struct edit {
	sd_bus *bus;		   /* NULL: no daemon runs, or it cannot be asked */
	struct config_paths paths; /* of the whole, with the file to be edited */
	char *path, *copy;	   /* of that file, with symlinks followed, and of the copy */
	struct stat file, begun;   /* the file (st_nlink 0: there is none) and the copy, before the editor ran */
	struct config *before;	   /* as the files had it; NULL with errors */
};

static bool is_as_before(const char *path, const struct stat *before)
{
	struct stat now;

	if (lstat(path, &now) < 0)
		return !before->st_nlink;
	return before->st_nlink && now.st_ino == before->st_ino && now.st_size == before->st_size &&
	       memcmp(&now.st_mtim, &before->st_mtim, sizeof(now.st_mtim)) == 0;
}

/* Others could put something in the place of what is written, or removed, by its name. */
static bool is_shared(const char *folder)
{
	struct stat stat_buf;

	return stat(folder, &stat_buf) < 0 || (stat_buf.st_uid != 0 && stat_buf.st_uid != geteuid()) || (stat_buf.st_mode & 022);
}

/* 0 or -errno; -EXDEV: others write to its folder. */
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
	if (!folder || asprintf(&edit->copy, "%s/.edit.%s", dirname(folder), path_base(edit->path)) < 0)
		return -ENOMEM;
	return is_shared(folder) ? -EXDEV : 0;
}

/* 0 or -errno; -EEXIST: there is a copy. */
static int make_copy(struct edit *edit)
{
	_cleanup_close_ int from = open(edit->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), to = -1;
	_cleanup_free_ char *text = NULL;
	size_t size = 0;
	int r = 0;

	if (from < 0 ? errno != ENOENT : fstat(from, &edit->file) < 0)
		return -errno;
	if (from >= 0 && (!S_ISREG(edit->file.st_mode) || edit->file.st_size > CONFIG_SIZE_MAX))
		return S_ISREG(edit->file.st_mode) ? -EFBIG : -EINVAL;
	if (from >= 0)
		r = read_text(from, (size_t)edit->file.st_size, &text, &size);
	if (r == 0)
		to = open(edit->copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (r < 0 || to < 0)
		return r < 0 ? r : -errno;
	r = text ? write_full(to, text, size) : write_full(to, beginning, strlen(beginning));
	return r == 0 && fstat(to, &edit->begun) < 0 ? -errno : r;
}

/* 0, or -errno after logging. */
static int begin(struct edit *edit, const char *name)
{
	int r = find_file(edit, name);

	if (r == 0)
		r = make_copy(edit);
	if (r == -EEXIST)
		log_error("%s: somebody else edits it; or an edit was killed, then remove %s", name, edit->copy);
	else if (r == -EXDEV)
		log_error("%s: others can exchange files in its folder: edit a copy elsewhere", name);
	else if (r < 0)
		log_error("%s: %s%s", name, strerror(-r), r == -EACCES ? ": must be root" : "");
	return r;
}

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

/* Reads the whole with the copy in the file's place, and prints errors and warnings. NULL with errors. */
static struct config *check_copy(const struct edit *edit)
{
	_cleanup_free_ char *copy = text_escape(edit->copy, strlen(edit->copy));
	struct config_paths paths = edit->paths;
	struct config_errors errors = { 0 };
	struct config *config = NULL;

	paths.file = edit->copy;
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
	const bool exists = edit->file.st_nlink;
	_cleanup_close_ int fd = open(edit->copy, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (!is_as_before(edit->path, &edit->file))
		return -ESTALE;
	if (fd < 0 || (exists && fchown(fd, edit->file.st_uid, edit->file.st_gid) < 0) ||
	    fchmod(fd, exists ? edit->file.st_mode & 07777 : 0644) < 0 || fsync(fd) < 0 || rename(edit->copy, edit->path) < 0)
		return -errno;
	return 0;
}

/* Returns an exit status. */
static int put_in_force(const struct edit *edit)
{
	const int r = install(edit);

	if (r < 0) {
		log_error("%s: %s: the text is kept in %s", edit->path,
			  r == -ESTALE ? "somebody else has changed it" : strerror(-r), edit->copy);
		return EXIT_FAILURE;
	}
	if (edit->bus)
		return reload_daemon(edit->bus);
	log_notice("no daemon runs: it takes effect at the next start");
	return 0;
}

/* Checks what the editor has left, and asks what to do with it: 'y' installs, 'e' edits again, else it is dropped. */
static char review(const struct edit *edit, int *ret_status)
{
	struct config *config = check_copy(edit);

	*ret_status = config ? EXIT_FAILURE : EXIT_CONFIG;
	if (!config)
		return ask("Edit it again? [Y/n]", 'y') == 'y' ? 'e' : 'n';
	if (edit->before)
		show_diff(stdout, edit->before, config);
	config_free(config);
	return ask("Install it? [y/N/e(dit again)]", 'n');
}

/* Until the user is content or gives up. Returns an exit status. */
static int edit_it(const struct edit *edit)
{
	char answer = 'e';
	int status = 0;

	while (answer == 'e') {
		status = run_editor(edit->copy);
		if (status == 0 && is_as_before(edit->copy, &edit->begun)) {
			log_info("%s: unchanged", edit->path);
			break;
		}
		answer = status == 0 ? review(edit, &status) : 'n';
		if (answer == 'y')
			return put_in_force(edit);
		if (answer != 'e')
			log_notice("nothing is changed");
	}
	unlink(edit->copy);
	return status;
}

static void ignore(int number)
{
	(void)number;
}

int cmd_edit(const struct command *command)
{
	/* At a question Ctrl-C is no answer; while the editor runs it is the editor's. */
	const struct sigaction action = { .sa_handler = ignore };
	_cleanup_(own_paths_clear) struct own_paths daemons = { 0 };
	struct edit edit = { .paths = command->paths };
	struct config_errors errors = { 0 };
	int status = EXIT_FAILURE;

	if (client_try(&edit.bus) == 0 && daemon_paths(edit.bus, &daemons) < 0)
		edit.bus = sd_bus_flush_close_unref(edit.bus);
	own_paths_fill(&daemons, &edit.paths);
	if (begin(&edit, config_own_file(&edit.paths)) == 0) {
		sigaction(SIGINT, &action, NULL);
		config_load(&edit.paths, CONFIG_USERS_PEOPLE_MS, &edit.before, &errors);
		config_errors_clear(&errors);
		status = edit_it(&edit);
	}
	config_free(edit.before);
	free(edit.path);
	free(edit.copy);
	sd_bus_flush_close_unref(edit.bus);
	return status;
}
