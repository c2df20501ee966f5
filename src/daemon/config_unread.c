/* SPDX-License-Identifier: GPL-2.0-only */
/* What lies in the configuration's folders and is not read: most often a slip of the pen in its
 * name. */
#include <dirent.h>
#include <errno.h>
#include <fnmatch.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include <schedqos/config/suggest.h>
#include <schedqos/daemon/config_load.h>
#include <schedqos/util/cleanup.h>

static const char *const folders[] = { "app_configs", "mappings" };
static const char *const files[] = { "qos_mappings.json", "sched_profiles.json" };

/* Backups, what package managers and people put aside, and what is there for people or editors. */
static const char *const meant_so[] = { ".*",		"*~",	      "*.bak",	  "*.orig",
					"*.old",	"*.disabled", "*.dpkg-*", "*.rpm*",
					"*.pacnew",	"*.ucf-*",    "README*",  "LICENSE*",
					"*.schema.json", "*.sample" };

static bool is_meant_so(const char *name)
{
	for (size_t i = 0; i < array_size(meant_so); i++) {
		if (fnmatch(meant_so[i], name, 0) == 0)
			return true;
	}
	return false;
}

static bool is_folder(const char *path)
{
	struct stat stat_buf;

	return stat(path, &stat_buf) == 0 && S_ISDIR(stat_buf.st_mode);
}

/* What is wrong with an item of a layer's folder. NULL: nothing, or no memory. The caller frees it.
 */
static char *layer_fault(const char *name, bool folder)
{
	const char *const *known = folder ? folders : files;
	struct suggestion near = { .word = name };
	char *fault;

	for (size_t i = 0; i < 2; i++) {
		if (strcmp(name, known[i]) == 0)
			return NULL;
		suggest_offer(&near, known[i]);
	}
	if (near.best && asprintf(&fault, "is never read (did you mean \"%s\"?)", near.best) >= 0)
		return fault;
	if (!near.best &&
	    asprintf(&fault, "is never read: there may be app_configs/NAME.json with rules, "
			     "mappings/NAME.json, qos_mappings.json and sched_profiles.json") >= 0)
		return fault;
	return NULL;
}

/* The same for an item of app_configs or mappings. */
static char *inner_fault(const char *name, bool folder)
{
	size_t len = strlen(name);

	if (folder)
		return strdup("is never read: folders in this one are passed over");
	if (len > strlen(".json") && strcmp(name + len - strlen(".json"), ".json") == 0)
		return NULL;
	return strdup("is never read: its name does not end with .json");
}

static int by_bytes(const struct dirent **a, const struct dirent **b)
{
	return strcmp((*a)->d_name, (*b)->d_name);
}

static int is_candidate(const struct dirent *item)
{
	return !is_meant_so(item->d_name);
}

static int warn(struct config_errors *errors, const char *folder, const char *name, bool is_layer)
{
	static const struct source whole = { 0 };
	_cleanup_free_ char *path = NULL, *fault = NULL;

	if (asprintf(&path, "%s/%s", folder, name) < 0) {
		path = NULL;
		return -ENOMEM;
	}
	fault = is_layer ? layer_fault(name, is_folder(path)) : inner_fault(name, is_folder(path));
	return fault ? config_warning_add(errors, path, &whole, "", fault) : 0;
}

/* A folder that cannot be read is config_load's to complain of. */
static int look_into(struct config_errors *errors, const char *folder, bool is_layer)
{
	struct dirent **items;
	int n = scandir(folder, &items, is_candidate, by_bytes), r = 0;

	for (int i = 0; i < n; i++) {
		if (r == 0)
			r = warn(errors, folder, items[i]->d_name, is_layer);
		free(items[i]);
	}
	if (n >= 0)
		free(items);
	return r;
}

int config_unread(const char *layer, struct config_errors *errors)
{
	int r = look_into(errors, layer, true);

	for (size_t i = 0; i < array_size(folders) && r == 0; i++) {
		_cleanup_free_ char *folder = NULL;

		if (asprintf(&folder, "%s/%s", layer, folders[i]) < 0) {
			folder = NULL;
			return -ENOMEM;
		}
		r = look_into(errors, folder, false);
	}
	return r;
}
