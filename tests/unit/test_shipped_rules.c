/* SPDX-License-Identifier: GPL-2.0-only */
/* Specifies what all rules in configs/ have in common. Runs in the top folder. */
#include "shipped.h"

/* Programs that a build may open do not inherit its class, with or without a user at a seat. */
TEST(terminals_and_editors_end_inheritance)
{
	static const char *const names[] = { "xterm", "kitty", "tmux", "vim", "nvim", "emacs", "code", "cursor", "kak", "gnome-terminal",
					     "xdg-open", "less", "screen", "sshd", "tabby", "warp", "zeditor", "zen" };
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	for (size_t i = 0; i < 2 * COUNT(names); i++) {
		struct process process = { .exe = names[i / 2], .elsewhere = i % 2 };
		int error;
		const struct rule *rule = process_match(config, &process, &error);

		if (!rule || rule->inherit != INHERIT_NO)
			fail_msg("%s%s", names[i / 2], i % 2 ? ", elsewhere" : "");
	}
	config_free(config);
}

#define WORD_MAX 256
#define ARGV_MAX 2048

/* Returns a text that the pattern matches: "x" for a star or a question mark, the first character of brackets. */
static const char *made_up(const char *pattern, char word[WORD_MAX])
{
	char *to = word;

	if (!pattern_is_glob(pattern))
		return pattern;
	for (; *pattern; pattern++) {
		assert_true(to < word + WORD_MAX - 1);
		if (*pattern == '[') {
			*to++ = pattern[1];
			pattern = strchr(pattern, ']');
			assert_non_null(pattern);
		} else if (*pattern == '\\') {
			*to++ = *++pattern;
		} else {
			*to++ = (char)(strchr("*?", *pattern) ? 'x' : *pattern);
		}
	}
	*to = '\0';
	return word;
}

static void add_argument(struct process *process, char argv[ARGV_MAX], const char *argument)
{
	const size_t size = strlen(argument) + 1;

	assert_true(process->argv_size + size <= ARGV_MAX);
	memcpy(argv + process->argv_size, argument, size);
	process->argv_size += size;
}

/* Returns whether a program of the rule's name, in a made-up folder and meeting all conditions, takes the rule. */
static bool takes_own(const struct config *config, const struct rule *rule, const char *parent_pattern, bool elsewhere)
{
	const struct rule_match *match = rule->match;
	char name[WORD_MAX], path[2 * WORD_MAX], place[WORD_MAX], parent_name[WORD_MAX], word[WORD_MAX], argv[ARGV_MAX];
	struct process parent = { .exe = made_up(parent_pattern, parent_name) };
	struct process process = { .comm = "made-up", .argv = argv, .elsewhere = elsewhere, .parent = &parent };
	int error;

	made_up(rule->pattern, name);
	snprintf(path, sizeof(path), "%s", strchr(rule->pattern, '/') ? made_up(rule->pattern, name) : "");
	if (!*path)
		snprintf(path, sizeof(path), "%s/%s", match && match->exe ? made_up(match->exe, place) : "/opt/made up/bin",
			 made_up(rule->pattern, name));
	process.exe = path;
	add_argument(&process, argv, path);
	add_argument(&process, argv, "--made-up=1");
	for (size_t i = 0; match && i < match->n_argv; i++)
		add_argument(&process, argv, made_up(match->argv[i], word));
	add_argument(&process, argv, "another");
	parent.argv = parent.exe;
	parent.argv_size = strlen(parent.exe) + 1;
	return process_match(config, &process, &error) == rule && !error;
}

/* Some rules are for users at a seat, and the next one of the list for others. */
static void assert_takes_own(const struct config *config, const struct rule *rule, const char *parent)
{
	if (!takes_own(config, rule, parent, false) && !takes_own(config, rule, parent, true))
		fail_msg("%s, line %u of %s: no program of that name takes it, parent %s", rule->pattern, rule->source.line,
			 config->files[rule->source.file], parent);
}

TEST(every_rule_matches_a_program_of_its_name)
{
	struct config *config = shipped(RULES_FILES, RULES_FILES, NULL);

	for (size_t i = 0; i < config->rules->n_lists; i++) {
		for (const struct rule *rule = config->rules->lists[i]; rule; rule = rule->next) {
			const size_t n = rule->match ? rule->match->n_parents : 0;

			for (size_t k = 0; k < n; k++)
				assert_takes_own(config, rule, rule->match->parents[k]);
			if (!n)
				assert_takes_own(config, rule, "init");
		}
	}
	config_free(config);
}
