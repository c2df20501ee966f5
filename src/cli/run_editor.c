/* SPDX-License-Identifier: GPL-2.0-only */
#include "run_editor.h"

#include <ctype.h>
#include <errno.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

/* The shell's exit status where there is no such program. */
#define NOT_FOUND 127

/* As git does: the shell takes the variable apart, and the file comes after what it says. NULL
 * without memory. */
static char *make_script(void)
{
	const char *editor = getenv("VISUAL");
	char *script;

	if (!editor || !*editor)
		editor = getenv("EDITOR");
	if (!editor || !*editor)
		return strdup("if command -v editor > /dev/null; then exec editor \"$@\"; else "
			      "exec vi \"$@\"; fi");
	return asprintf(&script, "%s \"$@\"", editor) < 0 ? NULL : script;
}

/* With the signals of the keyboard at their default, since we ignore them meanwhile. 0 or -errno.
 */
static int start(char **argv, const sigset_t *keyboard, pid_t *ret)
{
	posix_spawnattr_t attributes;
	int r = posix_spawnattr_init(&attributes);

	if (r != 0)
		return -r;
	posix_spawnattr_setsigdefault(&attributes, keyboard);
	posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
	r = posix_spawn(ret, "/bin/sh", NULL, &attributes, argv, environ);
	posix_spawnattr_destroy(&attributes);
	return -r;
}

static int await(pid_t pid)
{
	int status;

	while (waitpid(pid, &status, 0) < 0) {
		if (errno != EINTR)
			return -1;
	}
	if (WIFSIGNALED(status))
		log_error("the editor was killed by signal %d", WTERMSIG(status));
	else if (WEXITSTATUS(status) == NOT_FOUND)
		log_error("the editor was not found: name one in EDITOR");
	else if (WEXITSTATUS(status))
		log_error("the editor ended with status %d", WEXITSTATUS(status));
	return WIFSIGNALED(status) ? -1 : WEXITSTATUS(status) != 0;
}

int run_editor(const char *path)
{
	_cleanup_free_ char *script = make_script();
	char sh[] = "sh", option[] = "-c";
	char *argv[] = { sh, option, script, sh, (char *)path, NULL };
	const struct sigaction ignore = { .sa_handler = SIG_IGN };
	struct sigaction interrupt, quit;
	sigset_t keyboard;
	pid_t pid = -1;
	int r;

	if (!script) {
		log_error("out of memory");
		return -1;
	}
	sigemptyset(&keyboard);
	sigaddset(&keyboard, SIGINT);
	sigaddset(&keyboard, SIGQUIT);
	sigaction(SIGINT, &ignore, &interrupt);
	sigaction(SIGQUIT, &ignore, &quit);
	r = start(argv, &keyboard, &pid);
	if (r < 0)
		log_error("starting an editor: %s", strerror(-r));
	r = r < 0 ? -1 : await(pid);
	sigaction(SIGINT, &interrupt, NULL);
	sigaction(SIGQUIT, &quit, NULL);
	return r;
}

char ask(const char *question, char otherwise)
{
	_cleanup_free_ char *line = NULL;
	size_t size = 0;
	ssize_t n;

	fflush(stdout);
	fprintf(stderr, "%s ", question);
	n = getline(&line, &size, stdin);
	if (n <= 0) {
		fprintf(stderr, "\n");
		return 0;
	}
	return *line == '\n' ? otherwise : (char)tolower((unsigned char)*line);
}
