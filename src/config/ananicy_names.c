/* SPDX-License-Identifier: GPL-2.0-only */
/* Names of programs in ananicy's rules: compared byte by byte with a program's name, whatever they consist of. */
#include "ananicy_names.h"

#include <stdio.h>
#include <string.h>

#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>

/*
 * Without an ending as in `endings`. Half are interpreters, which run anything; half are what people call a program when
 * they do not think of others.
 */
static const char *const doubtful[] = {
	"app",	    "application", "bash",     "bootstrap", "bootstrapper", "build",	"bun",	    "client",	 "daemon",
	"dash",	    "demo",	   "deno",     "dotnet",    "editor",	    "electron", "engine",   "explorer",	 "fish",
	"game",	    "game32",	   "game64",   "game_64",   "game_x64",	    "gameclient", "gamelauncher", "helper", "index",
	"java",	    "javaw",	   "javaws",   "ksh",	    "launch",	    "launcher", "launcher64", "linux",	 "loader",
	"love",	    "lua",	   "main",     "manager",   "mono",	    "myproject", "node",    "nodejs",	 "nu",
	"nw",	    "patch",	   "patcher",  "perl",	    "php",	    "play",	"player",   "program",	 "python",
	"python2",  "python3",	   "r",	       "rpg_rt",    "ruby",	    "run",	"rungame",  "runner",	 "sandbox",
	"server",   "setup",	   "sh",       "start",	    "startgame",    "startup",	"tcsh",	    "test",	 "ue4game",
	"untitled", "update",	   "updater",  "vm",	    "win",	    "windows",	"windowsplayer", "wine", "wine64",
	"zsh",
};

static const char *const endings[] = { ".exe", ".sh", ".bin", ".x86", ".x86_64", ".appimage", ".run" };

bool ananicy_name_is_doubtful(const char *name)
{
	size_t len = strlen(name);

	for (size_t i = 0; i < array_size(endings); i++) {
		const size_t end = strlen(endings[i]);

		if (len > end && strcasecmp(name + len - end, endings[i]) == 0) {
			len -= end;
			break;
		}
	}
	for (size_t i = 0; i < array_size(doubtful); i++) {
		if (strlen(doubtful[i]) == len && strncasecmp(name, doubtful[i], len) == 0)
			return true;
	}
	return false;
}

const char *ananicy_name_fault(const char *name)
{
	size_t len = strlen(name);

	if (len > ANANICY_NAME_MAX)
		return "longer than any program's name";
	/* Names are compared with what follows the last of these. */
	if (strpbrk(name, "/\\"))
		return "a name has no slash or backslash";
	for (size_t n; len; name += n, len -= n) {
		n = text_utf8_length(name, len);
		if (!n)
			return "not UTF-8";
	}
	return NULL;
}

/* A character in brackets stands for itself. So does a space at the end, but whoever reads the pattern would miss it. */
void ananicy_pattern(const char *name, char *buf)
{
	bool quote = strcmp(name, SETTINGS_KEY) == 0 || strcmp(name, SCHEMA_KEY) == 0 ||
		     strncmp(name, QOS_PREFIX, strlen(QOS_PREFIX)) == 0 || *name == ' ';

	for (; *name; name++, quote = *name == ' ' && !name[1])
		buf += sprintf(buf, quote || strchr("*?[", *name) ? "[%c]" : "%c", *name);
	*buf = '\0';
}
