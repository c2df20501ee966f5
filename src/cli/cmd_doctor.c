/* SPDX-License-Identifier: GPL-2.0-only */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <schedqos/daemon/config_load.h>
#include <schedqos/daemon/instance.h>
#include <schedqos/machine/doctor.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "configuration.h"
#include "verb.h"

static bool is_bad(const struct findings *findings)
{
	for (size_t i = 0; i < findings->count; i++) {
		if (findings->items[i].state == FINDING_BAD)
			return true;
	}
	return false;
}

static void print_finding(const struct finding *finding)
{
	printf("%-5s %-13s %s\n", finding_state_name(finding->state), finding->name, finding->what);
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

static int show_findings(const struct findings *findings, bool as_json)
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

/* Takes facts from the daemon's status. The texts still belong to status. */
static void take_status(const cJSON *status, struct doctor_input *ret)
{
	const cJSON *problems = member(status, "problems"), *item;
	const cJSON *refusals = member(status, "knob_refusals");

	ret->daemon = (pid_t)member_count(status, "pid");
	ret->is_deaf = member_is(status, "cgroup_moves", "polled") || member_is(status, "attribute_changes", "polled");
	ret->problems = calloc((size_t)cJSON_GetArraySize(problems) + (size_t)cJSON_GetArraySize(refusals) + 1,
			       sizeof(*ret->problems));
	if (!ret->problems)
		return;
	cJSON_ArrayForEach (item, problems)
		ret->problems[ret->n_problems++] = item->string;
	cJSON_ArrayForEach (item, refusals)
		ret->problems[ret->n_problems++] = item->valuestring;
}

/* Returns the number of items that differ from those the daemon has in force; 0 also if that is unknown. */
static size_t count_differences(const struct config *config)
{
	_cleanup_(config_freep) struct config *before = NULL;
	struct config_diff diff = { 0 };

	if (daemon_config(&before) == 0)
		config_diff(before, config, NULL, NULL, &diff);
	return diff.others + diff.added + diff.removed + diff.changed;
}

/* Returns whether a file may not be read, of which other errors may be the consequence. */
static bool is_unreadable(const struct config_errors *errors)
{
	for (size_t i = 0; i < errors->count; i++) {
		if (!errors->items[i].warning && strstr(errors->items[i].text, strerror(EACCES)))
			return true;
	}
	return false;
}

/* Loads the configuration that the command line names, or that of the running daemon. */
static void load(const struct config_paths *paths, struct config **ret, struct doctor_input *input)
{
	struct user_lookup lookup = USER_LOOKUP_INIT;
	struct config_errors errors = { 0 };

	if (config_load(paths, &lookup, CONFIG_USERS_PEOPLE_MS, ret, &errors) == 0)
		input->config = *ret;
	else
		input->is_unreadable = is_unreadable(&errors);
	input->n_errors = errors.n_errors;
	if (input->is_daemons && input->config && !client_is_bridged())
		input->n_differences = count_differences(input->config);
	config_errors_clear(&errors);
}

int cmd_doctor(const struct command *command)
{
	_cleanup_(config_freep) struct config *config = NULL;
	_cleanup_(cJSON_Deletep) cJSON *status = NULL;
	struct config_paths paths = command->paths, theirs = paths;
	struct doctor_input input = { .is_daemons = !paths.file && !paths.folder };
	struct findings findings = { 0 };
	int result = EXIT_FAILURE;

	if (client_try() == 0 && daemon_paths(input.is_daemons ? &paths : &theirs, &status) == 0) {
		take_status(status, &input);
	} else {
		input.is_daemons = false;
		input.daemon = instance_owner();
	}
	load(&paths, &config, &input);
	if (doctor(&input, &findings) < 0)
		log_error("out of memory");
	else
		result = show_findings(&findings, option_given(command, OPTION_JSON));
	findings_clear(&findings);
	free(input.problems);
	return result;
}
