/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * What an ordinary user may ask the daemon for: a class for a process of his that is no more than he could choose for it
 * himself. A request and its answer are a datagram each, at the daemon's netlink port, whose number is in a file.
 */
#pragma once

#include <stdint.h>

#include <schedqos/util/state_folder.h>

#define USER_PORT_NAME "user"
#define USER_PORT_FILE STATE_FOLDER "/" USER_PORT_NAME

/* To be raised when one of the two changes. */
#define USER_VERSION 1

enum user_verb {
	USER_SET = 1,
	USER_RESET,
};

struct user_request {
	uint32_t version;
	uint32_t verb;	  /* enum user_verb */
	uint32_t inherit; /* for set: with its descendants, if not 0 */
	int32_t pid;	  /* 0: the sender's process */
	uint64_t start;	  /* when that process started, in ticks since boot */
	char qos[104];	  /* for set: the class */
};
_Static_assert(sizeof(struct user_request) == 128, "clients of the same version send it");

enum user_result {
	USER_DONE,
	USER_LIMITED,	/* it is in force, but the process is in a lower class: text says in which */
	USER_NOT_NOW,	/* it is in force, but the process is in none: text says why */
	USER_REFUSED,	/* likewise */
	USER_NO_CLASS,	/* likewise */
	USER_ASK_AGAIN, /* too many ask at once */
};

struct user_answer {
	uint32_t version;
	uint32_t result; /* enum user_result */
	char text[504];	 /* for people, safe for a terminal */
};
_Static_assert(sizeof(struct user_answer) == 512, "clients of the same version receive it");

/*
 * Sends the request, version and start filled in, and waits for the answer; asks again where it is told to. 0 or -errno:
 * -ENOENT or -ECONNREFUSED if no daemon runs, -ETIMEDOUT if it does not answer for half a minute, -EPERM if what
 * answers is not root's as seen from our user namespace, -ESRCH if there is no such process.
 */
int user_request_send(struct user_request *request, struct user_answer *ret);
