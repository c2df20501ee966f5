/* SPDX-License-Identifier: GPL-2.0-only */
/* A connection to a compositor's socket, which sends messages one after another. */
#pragma once

#include "focus.h"

/* More than any compositor has to say at once. */
#define STREAM_MAX (16 << 20)

struct stream;

/*
 * Takes one message from the beginning of what has come; data[len] is a NUL. Returns its length, 0 if it is not complete
 * yet, or -errno for rubbish. It may send, but not close the stream.
 */
typedef ssize_t stream_take(void *context, const char *data, size_t len);

/* Connects. When the stream ends or brings rubbish, focus->lost is called. 0 or -errno. */
int stream_open(struct focus *focus, const char *path, stream_take *take, void *context, struct stream **ret);
void stream_close(struct stream *stream);

/* 0 or -errno. */
int stream_send(struct stream *stream, const void *data, size_t len);

/* The process at the other end, or 0. */
pid_t stream_peer(const struct stream *stream);

/* Asks, and waits a second for all of the answer, which the caller frees; NULL if there is none. */
char *stream_ask(const char *path, const char *question);

/*
 * The path of the compositor's socket: the one that the variable (or NULL) names, if somebody listens there, else the newest
 * of this user's that matches `pattern` in the runtime folder. A service keeps the environment of its start, while a
 * compositor may have been started anew. 0 or -ENOENT.
 */
int stream_find(const char *variable, const char *pattern, char *buf, size_t size);
