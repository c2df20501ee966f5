/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Edits the administrator's file: the user edits a copy in the same folder; once it is checked and its changes are
 * accepted, it replaces the file and the daemon reloads. The copy also prevents a second edit at the same time.
 */
#include <ctype.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/sendfile.h>
#include <sys/stat.h>
#include <unistd.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "client.h"
#include "configuration.h"
#include "verb.h"

/* Text of a file that does not exist yet. */
static const char beginning[] = "// The administrator's rules for schedqos: see schedqos.json(5).\n{\n}\n";

struct edit {
	struct config_paths paths; /* of the whole configuration, with the file to edit */
	char *path, *copy;	   /* of that file, after following symlinks, and of the copy */
	/* the file (st_nlink 0: it does not exist) and the copy, before the editor ran */
	struct stat file, begun;
};

static bool is_as_before(const char *path, const struct stat *before)
{
	struct stat now;

	if (lstat(path, &now) < 0)
		return !before->st_nlink;
	return before->st_nlink && now.st_ino == before->st_ino &&
	       !memcmp(&now.st_mtim, &before->st_mtim, sizeof(now.st_mtim));
}

/* Finds the file and its copy's name. Returns 0 or -errno: -EXDEV if other users can replace files in its folder. */
static int find_file(struct edit *edit, const char *name)
{
	_cleanup_free_ char *folder = NULL;
	const char *base;
	struct stat stat_buf;

	edit->path = realpath(name, NULL);
	if (!edit->path)
		edit->path = strdup(name);
	base = edit->path ? path_base(edit->path) : NULL;
	folder = base ? strndup(edit->path, (size_t)(base - edit->path)) : NULL;
	if (!folder || asprintf(&edit->copy, "%s.edit.%s", folder, base) < 0)
		return -ENOMEM;
	if (stat(*folder ? folder : ".", &stat_buf) < 0)
		return -errno;
	return (stat_buf.st_uid != 0 && stat_buf.st_uid != geteuid()) || (stat_buf.st_mode & 022) ? -EXDEV : 0;
}

/* Fills the new file `to` from the file edited, or if `from` is negative with a beginning. Returns 0 or -errno. */
static int fill_copy(struct edit *edit, int to, int from)
{
	ssize_t n;

	if (from < 0)
		n = write_full(to, beginning, strlen(beginning));
	else
		n = sendfile(to, from, NULL, (size_t)edit->file.st_size);
	if (n < 0)
		return from < 0 ? (int)n : -errno;
	if (from >= 0 && n != edit->file.st_size)
		return -EIO;
	return fstat(to, &edit->begun) < 0 ? -errno : 0;
}

/* Creates the copy. Returns 0 or -errno: -EEXIST if there is one already. */
static int make_copy(struct edit *edit)
{
	int r;
	/* Refuse a dangling symlink: we cannot know which file is meant. */
	_cleanup_close_ int from = open(edit->path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC), to = -1;

	if (from < 0 ? errno != ENOENT : fstat(from, &edit->file) < 0)
		return -errno;
	if (from >= 0 && (!S_ISREG(edit->file.st_mode) || edit->file.st_size > CONFIG_SIZE_MAX))
		return S_ISREG(edit->file.st_mode) ? -EFBIG : -EINVAL;
	to = open(edit->copy, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600);
	if (to < 0)
		return -errno;
	r = fill_copy(edit, to, from);
	/* The check refuses files by their owner and mode, too. */
	if (r == 0 && from >= 0 &&
	    (fchown(to, edit->file.st_uid, edit->file.st_gid) < 0 ||
	     fchmod(to, (edit->file.st_mode & 07777) | 0600) < 0))
		r = -errno;
	if (r < 0)
		unlink(edit->copy);
	return r;
}

/* Finds the file and copies it. Returns 0; or -errno after logging the reason. */
static int begin_edit(struct edit *edit, const char *name)
{
	int r = find_file(edit, name);

	if (r == 0)
		r = make_copy(edit);
	if (r == -EEXIST)
		log_error("%s: somebody else is editing it; or if an edit was killed, remove %s", name, edit->copy);
	else if (r == -EXDEV)
		log_error("%s: other users can replace files in its folder: edit a copy elsewhere", name);
	else if (r < 0)
		log_error("%s: %s%s", name, strerror(-r),
			  geteuid() != 0 && (r == -EACCES || r == -EPERM) ? ": run this as root" : "");
	return r;
}

/*
 * Runs the editor as git does: the shell splits the variable into words and appends the file. Returns an exit status.
 */
static int run_editor(const char *path)
{
	if (setenv("SCHEDQOS_EDITED", path, true) == 0 &&
	    system("eval \"${VISUAL:-${EDITOR:-$(command -v editor || echo vi)}} \\\"\\$SCHEDQOS_EDITED\\\"\"") == 0)
		return 0;
	log_error("the editor failed: set EDITOR to choose another");
	return EXIT_FAILURE;
}

/* Asks the user. Returns the answer's first letter, or 0 if there is none. */
static char ask_user(const char *question, char otherwise)
{
	char line[256];

	fflush(stdout);
	fprintf(stderr, "%s ", question);
	if (fgets(line, sizeof(line), stdin))
		return *line == '\n' ? otherwise : (char)tolower((unsigned char)*line);
	fprintf(stderr, "\n");
	return 0;
}

/*
 * Checks the configuration with the copy in it and asks how to go on. Returns 'y' to install, 'e' to edit again, or
 * something else to end.
 */
static char review(const struct edit *edit, int *ret_status)
{
	_cleanup_(config_freep) struct config *before = NULL, *config = NULL;
	struct config_paths paths = edit->paths;
	struct user_lookup lookup = USER_LOOKUP_INIT;
	struct config_errors errors = { 0 };

	paths.file = edit->copy;
	*ret_status = read_config(&paths, true, &config);
	if (*ret_status)
		return ask_user("Edit it again? [Y/n]", 'y') == 'y' ? 'e' : 'n';
	*ret_status = EXIT_FAILURE;
	if (config_load(&edit->paths, &lookup, CONFIG_USERS_PEOPLE_MS, &before, &errors) == 0)
		show_diff(before, config);
	config_errors_clear(&errors);
	return ask_user("Install it? [y/N/e(dit again)]", 'n');
}

/* Returns whether the copy has the text of the file, as after an editor that wrote it without a change. */
static bool is_same_text(const struct edit *edit)
{
	_cleanup_free_ char *text = NULL, *edited = NULL;
	size_t size, edited_size;

	return read_text_file(edit->path, CONFIG_SIZE_MAX, &text, &size) == 0 &&
	       read_text_file(edit->copy, CONFIG_SIZE_MAX, &edited, &edited_size) == 0 && size == edited_size &&
	       memcmp(text, edited, size) == 0;
}

static bool is_unchanged(const struct edit *edit)
{
	return is_as_before(edit->copy, &edit->begun) || is_same_text(edit);
}

/* Ends an edit that is not installed. A changed text replaces the one that an earlier edit has kept. */
static void end_edit(const struct edit *edit)
{
	_cleanup_free_ char *kept = NULL;

	if (is_unchanged(edit) || access(edit->copy, F_OK) < 0) {
		log_info("%s: unchanged", edit->path);
		unlink(edit->copy);
	} else if (asprintf(&kept, "%s.kept", edit->copy) < 0 || rename(edit->copy, kept) < 0) {
		log_error("%s: unchanged; your text stays in %s: remove it before the next edit", edit->path, edit->copy);
	} else {
		log_notice("%s: unchanged; your text is kept in %s", edit->path, kept);
	}
}

/* Has the daemon read the new file. It may have been started or restarted while the editor ran. */
static int put_in_force(const struct edit *edit)
{
	int r, status;

	if (geteuid() != 0) {
		log_notice("%s: installed; a daemon reads only files of root's", edit->path);
		return 0;
	}
	client_close();
	r = client_try();
	if (r == -ENOENT || r == -ECONNREFUSED) {
		log_notice("no daemon runs: it takes effect at the next start");
		return 0;
	}
	status = reload_daemon();
	if (status)
		log_error("%s: installed, but not in force", edit->path);
	return status;
}

/* Replaces the file by the copy, keeping owner and mode, and reloads the daemon. Returns an exit status. */
static int install(const struct edit *edit)
{
	const bool exists = edit->file.st_nlink, is_stale = !is_as_before(edit->path, &edit->file);
	_cleanup_close_ int fd = open(edit->copy, O_RDONLY | O_NOFOLLOW | O_CLOEXEC);

	if (is_stale || fd < 0 || (exists && fchown(fd, edit->file.st_uid, edit->file.st_gid) < 0) ||
	    fchmod(fd, exists ? edit->file.st_mode & 07777 : 0644) < 0 || fsync(fd) < 0 ||
	    rename(edit->copy, edit->path) < 0) {
		log_error("%s: cannot be replaced: %s", edit->path,
			  is_stale ? "somebody else has changed it" : strerror(errno));
		end_edit(edit);
		return EXIT_FAILURE;
	}
	return put_in_force(edit);
}

/* Edits and reviews the copy until it is installed or kept. Returns an exit status. */
static int edit_it(const struct edit *edit)
{
	char answer = 'e';
	int status = 0;

	while (answer == 'e') {
		status = run_editor(edit->copy);
		answer = status == 0 && !is_unchanged(edit) ? review(edit, &status) : 'n';
		if (answer == 'y')
			return install(edit);
	}
	end_edit(edit);
	return status;
}

static void ignore(int number)
{
	(void)number;
}

int cmd_edit(const struct command *command)
{
	/* Ctrl-C ends a question without an answer. While the editor runs, it is for that. */
	const struct sigaction action = { .sa_handler = ignore };
	_cleanup_(cJSON_Deletep) cJSON *daemons = NULL;
	struct edit edit = { .paths = command->paths };
	int status = EXIT_FAILURE;

	/* Edit the daemon's file, if one runs and can be asked. */
	if (client_try() == 0)
		daemon_paths(&edit.paths, &daemons);
	if (begin_edit(&edit, config_own_file(&edit.paths)) == 0) {
		sigaction(SIGINT, &action, NULL);
		status = edit_it(&edit);
	}
	free(edit.path);
	free(edit.copy);
	return status;
}
