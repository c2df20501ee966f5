/* SPDX-License-Identifier: GPL-2.0-only */
#include "knob_records.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

void knob_record_clear(struct knob_record *record)
{
	free(record->path);
	free(record->word);
	free(record->cause);
	free(record->before);
	free(record->set);
	*record = (struct knob_record){ 0 };
}

void knob_records_clear(struct knob_records *records)
{
	for (size_t i = 0; i < records->count; i++)
		knob_record_clear(&records->items[i]);
	free(records->items);
	free(records->profile);
	*records = (struct knob_records){ 0 };
}

bool copy_text(const char *text, char **ret)
{
	free(*ret);
	*ret = text ? strdup(text) : NULL;
	return !text || *ret;
}

int knob_records_add(struct knob_records *records, const struct knob_record *record)
{
	struct knob_record copy = { .tree = record->tree, .writing = record->writing };
	struct knob_record *items =
		reallocarray(records->items, records->count + 1, sizeof(*items));

	if (items)
		records->items = items;
	if (!items || !copy_text(record->path, &copy.path) ||
	    !copy_text(record->word, &copy.word) || !copy_text(record->cause, &copy.cause) ||
	    !copy_text(record->before, &copy.before) || !copy_text(record->set, &copy.set)) {
		knob_record_clear(&copy);
		return -ENOMEM;
	}
	items[records->count++] = copy;
	return 0;
}
