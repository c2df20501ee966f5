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

int cmd_doctor(const struct command *command)
{
	struct config_errors errors = { 0 };
	struct findings findings = { 0 };
	struct config *config = NULL;
	struct doctor_look *look;
	int status, r;

	if (config_load(&command->paths, CONFIG_USERS_PEOPLE_MS, &config, &errors) < 0)
		config = NULL;
	look = doctor_look(instance_owner());
	r = look ? doctor_judge(doctor_look_facts(look), config, errors.n_errors, &findings) : -1;
	if (r < 0)
		log_error("out of memory");
	status = r < 0 ? EXIT_FAILURE : show(&findings, option_given(command, OPTION_JSON));
	findings_clear(&findings);
	doctor_look_free(look);
	config_errors_clear(&errors);
	config_free(config);
	return status;
}
