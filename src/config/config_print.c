/* SPDX-License-Identifier: GPL-2.0-only */
/* The merged configuration as one rules file. */
#include <schedqos/config/config_text.h>

#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <syslog.h>

#include <schedqos/util/text.h>
#include <schedqos/util/text_buf.h>

struct printer {
	struct text_buf text;
	unsigned depth;
	bool has_items; /* the innermost open bracket has some */
};

static uint32_t decode_utf8(const char *s, size_t n)
{
	static const unsigned char lead_mask[] = { 0, 0x7f, 0x1f, 0x0f, 0x07 };
	uint32_t c = (unsigned char)s[0] & lead_mask[n];

	for (size_t i = 1; i < n; i++)
		c = c << 6 | (s[i] & 0x3f);
	return c;
}

/* As \u: one for most characters, a surrogate pair for those above 16 bits. */
static void put_escape(struct printer *printer, uint32_t c)
{
	if (c > 0xffff) {
		put_escape(printer, 0xd800 + ((c - 0x10000) >> 10));
		c = 0xdc00 + ((c - 0x10000) & 0x3ff);
	}
	text_buf_printf(&printer->text, "\\u%04x", c);
}

/* What text_escape leaves as it is can be shown to people, and is what JSON takes as it is, quotes
 * aside. */
static void put_string(struct printer *printer, const char *s)
{
	size_t left = strlen(s), n;
	char shown[8];

	text_buf_put(&printer->text, "\"", 1);
	for (; left; s += n, left -= n) {
		n = text_utf8_length(s, left);
		if (*s == '"' || *s == '\\')
			text_buf_printf(&printer->text, "\\%c", *s);
		else if (strncmp(text_escape_to(shown, sizeof(shown), s, n), s, n) == 0)
			text_buf_put(&printer->text, s, n);
		else
			put_escape(printer, decode_utf8(s, n));
	}
	text_buf_put(&printer->text, "\"", 1);
}

/* Begins an item of the innermost bracket; key is NULL in a list. */
static void put_key(struct printer *printer, const char *key)
{
	if (printer->depth) {
		text_buf_printf(&printer->text, "%s\n", printer->has_items ? "," : "");
		for (unsigned i = 0; i < printer->depth; i++)
			text_buf_put(&printer->text, "\t", 1);
	}
	if (key) {
		put_string(printer, key);
		text_buf_put(&printer->text, ": ", 2);
	}
	printer->has_items = true;
}

static void put_open(struct printer *printer, const char *key, char bracket)
{
	put_key(printer, key);
	text_buf_put(&printer->text, &bracket, 1);
	printer->depth++;
	printer->has_items = false;
}

static void put_close(struct printer *printer, char bracket)
{
	printer->depth--;
	if (printer->has_items) {
		text_buf_put(&printer->text, "\n", 1);
		for (unsigned i = 0; i < printer->depth; i++)
			text_buf_put(&printer->text, "\t", 1);
	}
	text_buf_put(&printer->text, &bracket, 1);
	printer->has_items = true;
}

static void put_text(struct printer *printer, const char *key, const char *value)
{
	if (!value)
		return;
	put_key(printer, key);
	put_string(printer, value);
}

static void put_number(struct printer *printer, const char *key, int64_t value)
{
	put_key(printer, key);
	text_buf_printf(&printer->text, "%" PRId64, value);
}

static void put_word(struct printer *printer, const char *key, const char *word)
{
	put_key(printer, key);
	text_buf_put(&printer->text, word, strlen(word));
}

static const char *default_name(enum default_mode mode)
{
	switch (mode) {
	case DEFAULT_PRISTINE:
		return "pristine";
	case DEFAULT_ALL:
		return "all";
	case DEFAULT_NONE:
		return "none";
	}
	return NULL;
}

/* Without `mapping`: the classes follow in full, so no preset has to be there for them. */
static void put_settings(struct printer *printer, const struct settings *settings)
{
	static const char *const levels[] = { "error", "warning", "notice", "info", "debug" };

	put_open(printer, "schedqos", '{');
	if (settings->sched_profile)
		put_text(printer, "sched_profile", settings->sched_profile);
	else
		put_word(printer, "sched_profile", "null");
	put_text(printer, "default", default_name(settings->default_mode));
	put_text(printer, "autogroup", settings->autogroup_off ? "off" : "keep");
	if (settings->has_log_level)
		put_text(printer, "log", levels[settings->log_level - LOG_ERR]);
	put_close(printer, '}');
}

static void put_class(struct printer *printer, const struct qos_class *class)
{
	const struct qos_attr *attr = &class->attr;
	const struct {
		uint8_t bit;
		const char *key;
		int64_t value;
	} numbers[] = {
		{ QOS_HAS_NICE, "sched_nice", attr->nice },
		{ QOS_HAS_PRIORITY, "sched_priority", attr->priority },
		{ QOS_HAS_RUNTIME, "sched_runtime", attr->runtime },
		{ QOS_HAS_DEADLINE, "sched_deadline", attr->deadline },
		{ QOS_HAS_PERIOD, "sched_period", attr->period },
		{ QOS_HAS_UTIL_MIN, "sched_util_min", attr->util_min },
		{ QOS_HAS_UTIL_MAX, "sched_util_max", attr->util_max },
	};
	uint8_t below = 0;

	/* What the built-in class of the name would put in where ours has nothing must be taken
	 * out. */
	for (size_t i = 0; i < QOS_BUILTIN_COUNT; i++) {
		if (strcmp(qos_builtin[i].name, class->name) == 0)
			below = qos_attr_merge(&qos_builtin[i].attr, attr).has & ~attr->has;
	}
	put_open(printer, class->name, '{');
	put_text(printer, "sched_policy", task_policy_name(attr->policy));
	for (size_t i = 0; i < sizeof(numbers) / sizeof(numbers[0]); i++) {
		if (attr->has & numbers[i].bit)
			put_number(printer, numbers[i].key, numbers[i].value);
		else if (below & numbers[i].bit)
			put_word(printer, numbers[i].key, "null");
	}
	put_close(printer, '}');
}

static const char *userns_name(enum rule_userns userns)
{
	switch (userns) {
	case USERNS_UNSAID:
		return NULL;
	case USERNS_INITIAL:
		return "initial";
	case USERNS_ANY:
		return "any";
	}
	return NULL;
}

static void put_match(struct printer *printer, const struct rule_match *match)
{
	char uid[16];

	put_open(printer, "match", '{');
	put_text(printer, "exe", match->exe);
	if (match->n_argv) {
		put_open(printer, "argv", '[');
		for (size_t i = 0; i < match->n_argv; i++)
			put_text(printer, NULL, match->argv[i]);
		put_close(printer, ']');
	}
	put_text(printer, "cgroup", match->cgroup);
	if (match->user)
		snprintf(uid, sizeof(uid), "%u", match->user->uid);
	if (match->user && strcmp(match->user->name, uid) == 0)
		put_word(printer, "user", uid);
	else
		put_text(printer, "user", match->user ? match->user->name : NULL);
	put_text(printer, "parent", match->parent);
	put_text(printer, "user_namespace", userns_name(match->user_namespace));
	put_close(printer, '}');
}

static void put_rule(struct printer *printer, const char *key, const struct rule *rule)
{
	put_open(printer, key, '{');
	put_text(printer, "qos", rule->qos);
	if (rule->n_threads) {
		put_open(printer, "thread_qos", '{');
		for (size_t i = 0; i < rule->n_threads; i++)
			put_text(printer, rule->threads[i].pattern, rule->threads[i].qos);
		put_close(printer, '}');
	}
	if (rule->period_ns)
		put_number(printer, "period", rule->period_ns);
	put_text(printer, "version", rule->version);
	if (rule->inherit)
		put_word(printer, "inherit", "true");
	if (rule->enforce)
		put_word(printer, "enforce", "true");
	if (rule->yield != YIELD_UNSAID)
		put_word(printer, "yield", rule->yield == YIELD_YES ? "true" : "false");
	if (rule->match)
		put_match(printer, rule->match);
	put_close(printer, '}');
}

static void put_rules(struct printer *printer, const struct rule *list)
{
	if (!list->next) {
		put_rule(printer, list->pattern, list);
		return;
	}
	put_open(printer, list->pattern, '[');
	for (const struct rule *rule = list; rule; rule = rule->next)
		put_rule(printer, NULL, rule);
	put_close(printer, ']');
}

/*
 * The last file's rules first: of equally good globs the later file's wins, and within the one file
 * that this becomes, the earlier line's.
 */
static void put_all_rules(struct printer *printer, const struct rules *rules)
{
	size_t end = rules_count(rules);

	while (end > 0) {
		size_t start = end - 1;
		unsigned file = rules_nth(rules, start)->source.file;

		while (start > 0 && rules_nth(rules, start - 1)->source.file == file)
			start--;
		for (size_t i = start; i < end; i++)
			put_rules(printer, rules_nth(rules, i));
		end = start;
	}
}

char *config_print(const struct config *config)
{
	struct printer printer = { 0 };

	put_open(&printer, NULL, '{');
	put_settings(&printer, &config->settings);
	for (size_t i = 0; i < config->n_classes; i++)
		put_class(&printer, &config->classes[i]);
	put_all_rules(&printer, config->rules);
	put_close(&printer, '}');
	text_buf_put(&printer.text, "\n", 1);
	return text_buf_take(&printer.text);
}
