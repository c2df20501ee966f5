/* SPDX-License-Identifier: GPL-2.0-only */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/instance.h>
#include <schedqos/machine/doctor.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "daemon_config.h"
#include "verb.h"

static bool is_bad(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].state == FINDING_BAD)
			return true;
	}
	return false;
}

static const char *color_of(enum finding_state state)
{
	switch (state) {
	case FINDING_OK:
		return "\033[32m";
	case FINDING_NOTE:
		return "\033[33m";
	case FINDING_BAD:
		return "\033[31m";
	}
	return "";
}

static void print_finding(const struct finding *finding)
{
	const char *word = finding_state_name(finding->state);

	if (isatty(STDOUT_FILENO))
		printf("%s%-5s\033[0m", color_of(finding->state), word);
	else
		printf("%-5s", word);
	printf(" %-13s %s\n", finding->name, finding->what);
	if (finding->consequence)
		printf("%20s%s\n", "", finding->consequence);
	if (finding->remedy)
		printf("%20s-> %s\n", "", finding->remedy);
}

static int print_json(const struct findings *findings)
{
	struct json_writer json = { 0 };
	_cleanup_free_ char *text = NULL;

	json_begin(&json, NULL, '{');
	json_put_bool(&json, "ok", !is_bad(findings));
	json_begin(&json, "findings", '[');
	for (size_t i = 0; i < findings->count; i++) {
		const struct finding *finding = &findings->items[i];

		json_begin(&json, NULL, '{');
		json_put_text(&json, "name", finding->name);
		json_put_text(&json, "state", finding_state_name(finding->state));
		json_put_text(&json, "what", finding->what);
		json_put_text(&json, "consequence", finding->consequence ? finding->consequence : "");
		json_put_text(&json, "remedy", finding->remedy ? finding->remedy : "");
		json_end(&json, '}');
	}
	json_end(&json, ']');
	json_end(&json, '}');
	text = json_take(&json);
	return text && fputs(text, stdout) >= 0 ? 0 : -1;
}

static int show(const struct findings *findings, bool as_json)
{
	if (as_json) {
		if (print_json(findings) < 0)
			return EXIT_FAILURE;
	} else {
		for (size_t i = 0; i < findings->count; i++)
			print_finding(&findings->items[i]);
	}
	return is_bad(findings) ? EXIT_FAILURE : 0;
}

/* How many items differ from what the daemon has in force; 0 also where that cannot be told. */
static size_t count_differences(sd_bus *bus, const struct config *config)
{
	struct config_items before = { 0 }, after = { 0 };
	struct config_diff diff = { 0 };

	if (daemon_items(bus, &before) == 0 && config_items_of(config, &after) == 0)
		diff = config_diff(&before, &after, NULL, NULL);
	config_items_clear(&before);
	config_items_clear(&after);
	return diff.others + diff.rules[CONFIG_ADDED] + diff.rules[CONFIG_REMOVED] + diff.rules[CONFIG_CHANGED];
}

/* The configuration that the command line names, or that of the daemon that runs, if it can be asked. */
static void load(const struct command *command, struct doctor_config *ret)
{
	struct config_paths paths = command->paths;
	struct config_errors errors = { 0 };
	struct own_paths own = { 0 };
	sd_bus *bus = NULL;

	ret->is_daemons = !paths.file && !paths.folder && client_try(&bus) == 0 && daemon_paths(bus, &own) == 0;
	if (ret->is_daemons)
		paths = (struct config_paths){ .file = own.file, .folder = own.folder };
	if (config_load(&paths, CONFIG_USERS_PEOPLE_MS, &ret->config, &errors) < 0)
		ret->config = NULL;
	ret->n_errors = errors.n_errors;
	if (ret->is_daemons && ret->config)
		ret->n_differences = count_differences(bus, ret->config);
	config_errors_clear(&errors);
	own_paths_clear(&own);
	sd_bus_flush_close_unref(bus);
}

int cmd_doctor(const struct command *command)
{
	struct doctor_config config = { 0 };
	struct findings findings = { 0 };
	struct doctor_look *look;
	int status, r;

	load(command, &config);
	look = doctor_look(instance_owner());
	r = look ? doctor_judge(doctor_look_facts(look), &config, &findings) : -1;
	if (r < 0)
		log_error("out of memory");
	status = r < 0 ? EXIT_FAILURE : show(&findings, option_given(command, OPTION_JSON));
	findings_clear(&findings);
	doctor_look_free(look);
	config_free(config.config);
	return status;
}
