/* SPDX-License-Identifier: GPL-2.0-only */
/* Locals that clean up after themselves when they go out of scope. */
#pragma once

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define _cleanup_(f) __attribute__((cleanup(f)))

static inline void cleanup_free(void *p)
{
	free(*(void **)p);
}

static inline void cleanup_close(int *fd)
{
	if (*fd >= 0)
		close(*fd);
}

static inline void cleanup_closedir(DIR **folder)
{
	if (*folder)
		closedir(*folder);
}

#define _cleanup_free_ _cleanup_(cleanup_free)
#define _cleanup_close_ _cleanup_(cleanup_close)
#define _cleanup_closedir_ _cleanup_(cleanup_closedir)

/* For a pointer that `release` takes, NULL included: _cleanup_(releasep), named as libsystemd names its own. */
#define DEFINE_CLEANUP(type, release)             \
	static inline void release##p(type **p)   \
	{                                         \
		release(*p);                      \
	}

/* Takes the value out of a variable that cleans up, leaving nothing to clean. */
#define take_ptr(p)                                                                                \
	({                                                                                         \
		__typeof__(p) taken_ = (p);                                                        \
		(p) = NULL;                                                                        \
		taken_;                                                                            \
	})

#define take_fd(fd)                                                                                \
	({                                                                                         \
		int taken_ = (fd);                                                                 \
		(fd) = -1;                                                                         \
		taken_;                                                                            \
	})

#define array_size(a) (sizeof(a) / sizeof((a)[0]))

/*
 * The array with room for one more item than count: where that is a power of two, for twice as many. NULL without
 * memory; then it stays as it was.
 */
static inline void *array_room(void *array, size_t count, size_t item_size)
{
	return count & (count - 1) ? array : reallocarray(array, count ? count * 2 : 1, item_size);
}
