/* SPDX-License-Identifier: GPL-2.0-only */
/* Computes the weights of tasks and classes, and finds the cpu weight of a unit. */
#include <schedqos/policy/config.h>

#include <stdlib.h>
#include <string.h>

#include <schedqos/policy/cpu_share.h>
#include <schedqos/policy/rules.h>

/* Weights of the nice values: each step is worth about 10% of a CPU (sched_prio_to_weight in sched/core.c). */
static const unsigned nice_weights[] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, /* -20 */
	9548,  7620,  6100,  4904,  3906,  3121,  2501,	 1991,	1586,  1277,  /* -10 */
	1024,  820,   655,   526,   423,   335,	  272,	 215,	172,   137,   /* 0 */
	110,   87,    70,    56,    45,	   36,	  29,	 23,	18,    15,    /* 10 */
};

#define USUAL_WEIGHT 1024 /* weight of nice 0 */

/* Returns the weight of a fair task. SCHED_IDLE has 3, whatever the nice value (WEIGHT_IDLEPRIO in sched.h). */
static unsigned fair_weight(const struct task_attr *task)
{
	return task->policy == POLICY_IDLE ? 3 : nice_weights[task->nice + 20];
}

static double weight_of(const struct cpu_rival *rival)
{
	return rival->group_weight ? rival->group_weight : fair_weight(&rival->task);
}

double cpu_share(const struct cpu_rival *a, const struct cpu_rival *b)
{
	const int rank_a = attr_rank(a->task.policy, a->task.rt_priority);
	const int rank_b = attr_rank(b->task.policy, b->task.rt_priority);

	if (a->task.policy == POLICY_DEADLINE || b->task.policy == POLICY_DEADLINE)
		return -1;
	if (rank_a != rank_b)
		return rank_a > rank_b;
	if (rank_a)
		return a->task.policy == POLICY_RR && b->task.policy == POLICY_RR ? .5 : -1;
	return weight_of(a) / (weight_of(a) + weight_of(b));
}

/* ---- units ---- */

unsigned weight_of_class(const struct qos_class *class)
{
	const struct task_attr task = qos_attr_alone(&class->attr);
	const unsigned weight = (fair_weight(&task) * 100 + USUAL_WEIGHT / 2) / USUAL_WEIGHT;

	/* No weight makes a cgroup real-time, so give it the most. */
	if (!task_policy_is_fair(task.policy))
		return CPU_WEIGHT_MAX;
	return weight < CPU_WEIGHT_MIN ? CPU_WEIGHT_MIN : weight;
}

static int compare(const void *va, const void *vb)
{
	const struct weight *a = va, *b = vb;

	return pattern_compare(a->pattern, &a->source, b->pattern, &b->source);
}

void weights_finish(const struct config *config, const struct weight_list *list)
{
	for (size_t i = 0; i < list->count; i++) {
		struct weight *weight = &list->items[i];

		if (weight->qos)
			weight->number =
				weight_of_class(qos_class_find(config->classes, config->n_classes, weight->qos));
	}
	if (list->count)
		qsort(list->items, list->count, sizeof(*list->items), compare);
}

unsigned weights_find(const struct weight_list *list, const char *unit, bool seat_is_used)
{
	for (size_t i = 0; i < list->count; i++) {
		const struct weight *weight = &list->items[i];

		if ((seat_is_used || !weight->at_seat) && pattern_match(weight->pattern, unit))
			return weight->number;
	}
	return 0;
}
