/* SPDX-License-Identifier: GPL-2.0-only */
#include "program_names.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/util/cleanup.h>
#include <schedqos/util/file.h>

static int compare(const void *a, const void *b)
{
	return strcasecmp(*(char *const *)a, *(char *const *)b);
}

static int add(struct program_names *names, size_t *size, const char *name)
{
	if (names->count == *size) {
		const size_t more = *size ? *size * 2 : 1024;
		char **items = reallocarray(names->items, more, sizeof(*items));

		if (!items)
			return -ENOMEM;
		names->items = items;
		*size = more;
	}
	names->items[names->count] = strdup(name);
	if (!names->items[names->count])
		return -ENOMEM;
	names->count++;
	return 0;
}

static int add_folder(struct program_names *names, size_t *size, const char *path)
{
	_cleanup_closedir_ DIR *folder = NULL;
	const struct dirent *item;
	int r = 0;

	if (*path != '/' || open_list(AT_FDCWD, path, &folder) < 0)
		return 0;
	while (r == 0 && (item = readdir(folder))) {
		if (item->d_name[0] != '.')
			r = add(names, size, item->d_name);
	}
	return r;
}

int program_names_read(const char *folders, struct program_names *ret)
{
	_cleanup_free_ char *copy = strdup(folders);
	char *rest = copy, *path;
	size_t size = 0;
	int r = copy ? 0 : -ENOMEM;

	while (r == 0 && (path = strsep(&rest, ":")))
		r = add_folder(ret, &size, path);
	if (ret->count)
		qsort(ret->items, ret->count, sizeof(*ret->items), compare);
	return r;
}

void program_names_clear(struct program_names *names)
{
	for (size_t i = 0; i < names->count; i++)
		free(names->items[i]);
	free(names->items);
	*names = (struct program_names){ 0 };
}

const char *program_names_find(const struct program_names *names, const char *name)
{
	char **found = names->count ? bsearch(&name, names->items, names->count, sizeof(*names->items), compare) : NULL;
	const char *first;

	if (!found)
		return NULL;
	while (found > names->items && strcasecmp(found[-1], name) == 0)
		found--;
	first = *found;
	for (; found < names->items + names->count && strcasecmp(*found, name) == 0; found++) {
		if (strcmp(*found, name) == 0)
			return *found;
	}
	return first;
}
