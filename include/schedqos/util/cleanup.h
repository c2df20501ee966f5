/* SPDX-License-Identifier: GPL-2.0-only */
/* Cleanup attributes: locals that release what they hold when they go out of scope. */
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

/*
 * Defines releasep for _cleanup_(releasep). `release` must accept NULL. libsystemd names its own cleanups the same way.
 */
#define DEFINE_CLEANUP(type, release)             \
	static inline void release##p(type **p)   \
	{                                         \
		release(*p);                      \
	}

/* Moves the value out of a variable with a cleanup attribute, so that nothing is left to clean up. */
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
 * Returns the array with room for at least one more than `count` items; capacity doubles at each power of two. Returns
 * NULL if there is no memory; the array is then unchanged.
 */
static inline void *array_room(void *array, size_t count, size_t item_size)
{
	return count & (count - 1) ? array : reallocarray(array, count ? count * 2 : 1, item_size);
}
