/* SPDX-License-Identifier: GPL-2.0-only */
#include "user_class.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <schedqos/daemon/user_request.h>
#include <schedqos/kernel/procfs.h>
#include <schedqos/tagging/watch.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/text.h>
#include <schedqos/util/text_buf.h>

#include "class_words.h"
#include "daemon_private.h"

__attribute__((format(printf, 3, 4))) static void
conclude(struct user_answer *ret, enum user_result result, const char *format, ...)
{
	va_list arguments;

	ret->result = result;
	va_start(arguments, format);
	vsnprintf(ret->text, sizeof(ret->text), format, arguments);
	va_end(arguments);
}

/*
 * Whether the process is his. The kernel asks for the real or effective uid (check_same_owner in
 * kernel/sched/syscalls.c). We ask for all three and for no capabilities, so that what has more
 * rights than he is none of his. Its start, which the override is bound to, is read first: so these
 * are the rights of the process that gets it.
 */
static int find_target(const struct daemon *daemon, uid_t uid, const struct user_request *request,
		       struct held_target *ret)
{
	struct procfs_owner owner;
	struct procfs_stat stat;
	int r;

	if (request->pid <= 0)
		return -ESRCH;
	watch_enter(request->pid);
	r = procfs_stat(daemon->proc, request->pid, &stat);
	if (r == 0 && stat.start != request->start)
		r = -ESRCH;
	if (r == 0)
		r = procfs_owner(daemon->proc, request->pid, &owner);
	watch_leave();
	if (r != 0)
		return r;
	*ret = (struct held_target){ .pid = request->pid, .start = stat.start };
	if (owner.uid != uid || owner.euid != uid || owner.saved_uid != uid || owner.permitted)
		return -EPERM;
	return 0;
}

static void refuse(const struct daemon *daemon, const struct user_request *request, int error,
		   struct user_answer *ret)
{
	_cleanup_free_ char *words = NULL;
	const int pid = request->pid;

	if (error == -ENOENT) {
		words = class_words_unknown(daemon->config, request->qos);
		conclude(ret, USER_NO_CLASS, "%s", words ? words : "no such class");
	} else if (error == -ESRCH) {
		conclude(ret, USER_REFUSED,
			 "no process %d, or it is one that is never touched (a kernel thread, "
			 "schedqos)",
			 pid);
	} else if (error == -EPERM) {
		conclude(ret, USER_REFUSED,
			 "process %d is not yours alone: it has another user or capabilities", pid);
	} else if (error == -EDQUOT) {
		conclude(ret, USER_REFUSED, "ordinary users have set too many classes at once");
	} else {
		conclude(ret, USER_REFUSED, "%s", strerror(-error));
	}
}

static void put_name(struct text_buf *text, const char *before, const char *name)
{
	char safe[128];

	text_buf_printf(text, "%s%s", before,
			text_escape_to(safe, sizeof(safe), name, strlen(name)));
}

/* What it would raise, and what there is that would not. */
static void refuse_to_raise(const struct daemon *daemon, const struct user_request *request,
			    uint8_t raised, struct user_answer *ret)
{
	const struct config *config = daemon->config;
	struct text_buf text = { 0 };
	_cleanup_free_ char *words = NULL;
	uint8_t ignored;
	size_t n = 0;

	put_name(&text, "", request->qos);
	text_buf_printf(&text, " would give process %d %s, which only root may do",
			(int)request->pid,
			raised & TASK_ATTR_POLICY ? "a higher policy"
			: raised & TASK_ATTR_NICE ? "a higher priority (lower nice value)"
						  : "a higher I/O priority");
	for (size_t i = 0; i < config->n_classes; i++) {
		if (tagger_objection(daemon->tagger, request->pid, &config->classes[i], &ignored) ==
		    OBJECTION_NONE)
			put_name(&text, n++ ? ", " : "; you may use ", config->classes[i].name);
	}
	words = text_buf_take(&text);
	conclude(ret, USER_REFUSED, "%s%s", words ? words : "not allowed",
		 n ? "" : "; no class is low enough for you");
}

/* Returns whether there is none. */
static bool meets_no_objection(const struct daemon *daemon, const struct user_request *request,
			       const struct qos_class *class, struct user_answer *ret)
{
	const int pid = request->pid;
	uint8_t raised = 0;

	switch (tagger_objection(daemon->tagger, pid, class, &raised)) {
	case OBJECTION_NONE:
		return true;
	case OBJECTION_UNKNOWN:
		refuse(daemon, request, -ESRCH, ret);
		break;
	case OBJECTION_NOT_YET:
		conclude(ret, USER_ASK_AGAIN, "%s", "");
		break;
	case OBJECTION_NOT_FAIR:
		conclude(ret, USER_REFUSED,
			 "process %d is real-time, deadline or sched_ext: such are left alone",
			 pid);
		break;
	case OBJECTION_ROOT:
		conclude(ret, USER_REFUSED, "root has set a class for process %d", pid);
		break;
	case OBJECTION_ENFORCED:
		conclude(ret, USER_REFUSED, "the rule for process %d enforces its class", pid);
		break;
	case OBJECTION_RAISES:
		refuse_to_raise(daemon, request, raised, ret);
		break;
	}
	return false;
}

/* It is in force: but a limit, or who changes the process at the same time, may stand against it.
 */
static void tell_result(const struct daemon *daemon, const struct user_request *request,
			struct user_answer *ret)
{
	struct tagger_task task = { .tag = TAG_NONE };
	size_t n_tags;
	const struct tag *tags = rules_tags(daemon->config->rules, &n_tags);
	const char *class = "";
	char safe[128];

	tagger_find_task(daemon->tagger, request->pid, &task);
	if (task.tag < n_tags)
		class = daemon->config->classes[tags[task.tag].qos_class].name;
	text_escape_to(safe, sizeof(safe), *class ? class : request->qos,
		       strlen(*class ? class : request->qos));
	if (strcmp(class, request->qos) == 0)
		conclude(ret, USER_DONE, "%s", "");
	else if (*class)
		conclude(ret, USER_LIMITED, "process %d: limited to %s", (int)request->pid, safe);
	else
		conclude(ret, USER_NOT_NOW, "process %d: not in %s for now: %s", (int)request->pid,
			 safe, reason_name(task.reason));
}

static void set(struct daemon *daemon, uid_t uid, const struct user_request *request,
		struct user_answer *ret)
{
	const struct qos_class *class =
		qos_class_find(daemon->config->classes, daemon->config->n_classes, request->qos);
	struct held_target target = { 0 };
	int r = class ? find_target(daemon, uid, request, &target) : -ENOENT;

	if (r < 0) {
		refuse(daemon, request, r, ret);
		return;
	}
	if (!meets_no_objection(daemon, request, class, ret))
		return;
	r = held_put_for_user(daemon, uid, request->inherit, &target, request->qos);
	if (r < 0)
		refuse(daemon, request, r, ret);
	else
		tell_result(daemon, request, ret);
}

/* Also where the process is his no more: what he has done he may undo. */
static void reset(struct daemon *daemon, uid_t uid, const struct user_request *request,
		  struct user_answer *ret)
{
	struct held_target target = { 0 };
	int r = find_target(daemon, uid, request, &target);

	if (r < 0 && r != -EPERM)
		refuse(daemon, request, r, ret);
	else if (!held_end_for_user(daemon, uid, &target))
		conclude(ret, USER_REFUSED, "you have set no class for process %d",
			 (int)request->pid);
	else
		conclude(ret, USER_DONE, "%s", "");
}

void user_class_request(struct daemon *daemon, uid_t uid, const struct user_request *request,
			struct user_answer *ret)
{
	if (uid == 0)
		conclude(ret, USER_REFUSED, "root is served by the control interface");
	else if (tagger_is_careful(daemon->tagger))
		conclude(ret, USER_REFUSED, "somebody's process has hung the daemon: for an hour only root is served");
	else if (request->verb == USER_SET)
		set(daemon, uid, request, ret);
	else if (request->verb == USER_RESET)
		reset(daemon, uid, request, ret);
	else
		conclude(ret, USER_REFUSED, "no such request");
}
