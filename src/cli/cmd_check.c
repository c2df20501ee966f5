/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/daemon.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/log.h>

#include "print_errors.h"
#include "verb.h"

static int print_config(const struct config *config)
{
	_cleanup_free_ char *text = config_print(config);

	return text && printf("%s\n", text) >= 0 && fflush(stdout) == 0 ? 0 : EXIT_FAILURE;
}

int cmd_check(const struct command *command)
{
	struct config_errors errors = { 0 };
	struct config *config = NULL;
	int status, r;

	if (command->n_operands && (command->paths.file || command->paths.folder))
		return usage_error(
			command->verb,
			"files to check and --config or --configs-path exclude each other");
	if (command->n_operands)
		r = config_load_named((const char *const *)command->operands, command->n_operands,
				      CONFIG_USERS_PEOPLE_MS, &config, &errors);
	else
		r = config_load(&command->paths, CONFIG_USERS_PEOPLE_MS, &config, &errors);
	if (r == 0) {
		r = config_check_grants(config, &errors);
		if (r == 0)
			r = config_check_groups(config, &errors);
		if (r < 0)
			config_free(config);
	}
	print_errors(&errors);
	if (r < 0) {
		status = EXIT_CONFIG;
		log_error("%zu error%s", errors.n_errors, errors.n_errors == 1 ? "" : "s");
	} else {
		status = option_given(command, OPTION_PRINT) ? print_config(config) : 0;
		if (!option_given(command, OPTION_PRINT))
			log_info("%zu rules, %zu classes: no errors", rules_count(config->rules),
				 config->n_classes);
		config_free(config);
	}
	config_errors_clear(&errors);
	return status;
}
