/* SPDX-License-Identifier: GPL-2.0-only */
/* Answers the requests of ordinary users: see user_request.h. */
#pragma once

struct daemon;
struct user_server;

/* Opens the port and writes its number to the file. 0 or -errno. */
int user_server_new(struct daemon *daemon, struct user_server **ret);

/* Refuses those who still wait, and removes the file. */
void user_server_free(struct user_server *server);
