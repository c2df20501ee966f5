/* SPDX-License-Identifier: GPL-2.0-only */
#include "knob_plan.h"

#include <errno.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#define SPACES " \t\n"

struct word {
	const char *text;
	size_t len;
};

/* Takes the next word off *text; an empty one at the end. */
static struct word next_word(const char **text)
{
	struct word word = { .text = *text + strspn(*text, SPACES) };

	word.len = strcspn(word.text, SPACES);
	*text = word.text + word.len;
	return word;
}

static bool parse_number(struct word word, int64_t *ret)
{
	char *end;

	if (word.len == 0)
		return false;
	errno = 0;
	*ret = strtoll(word.text, &end, 0);
	return errno == 0 && end == word.text + word.len;
}

static bool is_one_of(struct word word, const char *const *words)
{
	for (; *words; words++) {
		if (strlen(*words) == word.len && strncasecmp(word.text, *words, word.len) == 0)
			return true;
	}
	return false;
}

/* A boolean as kstrtobool parses it, and debugfs shows it as Y or N. 1, 0, or -1 for something else. */
static int parse_bool(struct word word)
{
	static const char *const yes[] = { "1", "y", "yes", "on", "true", NULL };
	static const char *const no[] = { "0", "n", "no", "off", "false", NULL };

	if (is_one_of(word, yes))
		return 1;
	return is_one_of(word, no) ? 0 : -1;
}

static bool same_word(struct word a, struct word b)
{
	int64_t number_a, number_b;
	int bool_a = parse_bool(a);

	if (a.len == b.len && memcmp(a.text, b.text, a.len) == 0)
		return true;
	if (parse_number(a, &number_a) && parse_number(b, &number_b))
		return number_a == number_b;
	return bool_a >= 0 && bool_a == parse_bool(b);
}

bool knob_same(const char *a, const char *b)
{
	struct word word_a, word_b;

	if (!a || !b)
		return a == b;
	do {
		word_a = next_word(&a);
		word_b = next_word(&b);
		if (!same_word(word_a, word_b))
			return false;
	} while (word_a.len);
	return true;
}

bool knob_base_slice_is_computed(const char *present, const char *computed)
{
	int64_t a, b;

	if (!present || !computed || !parse_number(next_word(&present), &a) || !parse_number(next_word(&computed), &b) ||
	    a <= 0 || a > UINT32_MAX || b <= 0 || b > UINT32_MAX)
		return false;
	for (int64_t i = 1; i <= 4; i++) {
		for (int64_t j = 1; j <= 4; j++) {
			if (a * i == b * j)
				return true;
		}
	}
	return false;
}

bool knob_is_ours(const struct knob_record *record, const char *present)
{
	/* During a write it is not known what the kernel will make of our value. */
	return record->writing || knob_same(present, record->set);
}

enum knob_step knob_decide(const struct knob_record *record, const char *present,
			   const char *wanted)
{
	bool ours = record && knob_is_ours(record, present);

	if (!wanted) {
		if (!record)
			return KNOB_LEAVE;
		/* Even if it holds the right value now: putting another knob back may still change it. */
		return ours ? KNOB_PUT_BACK : KNOB_FORGET;
	}
	if (knob_same(present, wanted)) {
		/* A value set by others is not ours to put back, even if we want the same. */
		return record && (!ours || knob_same(present, record->before)) ? KNOB_FORGET
									       : KNOB_LEAVE;
	}
	if (!ours)
		return KNOB_TAKE;
	return knob_same(wanted, record->before) ? KNOB_PUT_BACK : KNOB_CHANGE;
}

enum knob_step knob_decide_caused(const struct knob_record *record, const char *present,
				  enum knob_step cause)
{
	bool ours = record && knob_is_ours(record, present);

	switch (cause) {
	case KNOB_LEAVE:
		return KNOB_LEAVE;
	case KNOB_TAKE:
	case KNOB_CHANGE:
		return ours ? KNOB_CHANGE : KNOB_TAKE;
	case KNOB_PUT_BACK:
		return ours ? KNOB_PUT_BACK : KNOB_FORGET;
	case KNOB_FORGET:
		return KNOB_FORGET;
	}
	return KNOB_LEAVE;
}
