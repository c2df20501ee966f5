/* SPDX-License-Identifier: GPL-2.0-only */
/* What the files of this machine's units say in [X-SchedQoS], whether or not they are loaded. */
#include <glob.h>
#include <string.h>

#include <schedqos/bridge/unit_file.h>
#include <schedqos/config/config_text.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>
#include <schedqos/util/text.h>

#include "configuration.h"

/* Whether it names a class. */
static bool check_file(const struct config *config, const char *path)
{
	_cleanup_free_ char *safe = NULL, *words = NULL;
	struct unit_said said;

	if (unit_file_read(path, &said) < 0 || !said.qos[0])
		return false;
	if (qos_class_find(config->classes, config->n_classes, said.qos))
		return true;
	safe = text_escape(path, strlen(path));
	words = class_words_unknown(config, said.qos);
	if (safe && words)
		log_write(LOG_WARNING | LOG_PLAIN, "%s:%u: warning: Class=: %s", safe, said.line, words);
	return true;
}

void check_units(const struct config *config)
{
	static const char everywhere[] = "{/etc,/run,/usr/local/lib,/usr/lib}/systemd/system/{*.service,*.slice,*.scope,*.d/*.conf}";
	size_t n = 0;
	glob_t found;

	if (glob(everywhere, GLOB_BRACE | GLOB_NOSORT, NULL, &found) != 0)
		return;
	for (size_t i = 0; i < found.gl_pathc; i++)
		n += check_file(config, found.gl_pathv[i]);
	globfree(&found);
	if (n)
		log_info("%zu file%s of units name%s a class", n, n == 1 ? "" : "s", n == 1 ? "s" : "");
}
