/* SPDX-License-Identifier: GPL-2.0-only */
#include "override_user.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <schedqos/daemon/user_request.h>
#include <schedqos/util/log.h>

#include "client.h"
#include "verb.h"

/* Says what there is to say of the answer. Returns the exit status. */
static int judge(const struct user_answer *answer)
{
	switch ((enum user_result)answer->result) {
	case USER_DONE:
		return 0;
	case USER_LIMITED:
		log_warning("%s", answer->text);
		return 0;
	case USER_NO_CLASS:
		log_error("%s", answer->text);
		return EXIT_USAGE;
	case USER_NOT_NOW:
	case USER_REFUSED:
	case USER_ASK_AGAIN:
		break;
	}
	log_error("%s", answer->text);
	return EXIT_FAILURE;
}

static int ask(struct user_request *request, bool *ret_given)
{
	struct user_answer answer = { 0 };
	const int r = user_request_send(request, &answer);
	const char *fault = client_fault(r);

	*ret_given = r == 0 && answer.result <= USER_NOT_NOW;
	if (r == 0)
		return judge(&answer);
	if (r == -ESRCH)
		log_error("no process %d", (int)request->pid);
	else
		log_error("%s", fault ? fault : strerror(-r));
	return EXIT_FAILURE;
}

int override_user_set(pid_t pid, const char *qos, bool inherit, bool *ret_given)
{
	struct user_request request = { .verb = USER_SET, .pid = pid, .inherit = inherit };

	/* None is so long; so the daemon knows none that begins like this. */
	strncpy(request.qos, qos, sizeof(request.qos) - 1);
	return ask(&request, ret_given);
}

int override_user_reset(pid_t pid)
{
	struct user_request request = { .verb = USER_RESET, .pid = pid };
	bool is_given;

	return ask(&request, &is_given);
}
