/* SPDX-License-Identifier: GPL-2.0-only */
/* What an ordinary user may do with the class of a process. */
#pragma once

#include <sys/types.h>

struct daemon;
struct user_answer;
struct user_request;

/* Does what the user asks for, or says why not. request: checked for its version only; pid may be anything. */
void user_class_request(struct daemon *daemon, uid_t uid, const struct user_request *request, struct user_answer *ret);
