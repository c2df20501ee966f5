/* SPDX-License-Identifier: GPL-2.0-only */
/* Talking to the person at the terminal. */
#pragma once

/*
 * Runs the user's editor ($VISUAL, $EDITOR, editor, vi; either variable may hold arguments) on the
 * file, and waits for its end. Ctrl-C is the editor's. Returns 0, 1 if it ended with an error of
 * its own, or -1 if it was killed or could not be started, after logging that.
 */
int run_editor(const char *path);

/*
 * Asks on stderr, and returns the first letter of the answer, in lower case; `otherwise` for an
 * empty line, 0 at the end of the input.
 */
char ask(const char *question, char otherwise);
