/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/policy/cpu_share.h>

#include <schedqos/policy/qos_class.h>

/* Each nice value is worth a tenth more or less of a CPU than the next. */
static const unsigned weights[] = {
	88761, 71755, 56483, 46273, 36291, 29154, 23254, 18705, 14949, 11916, /* -20 */
	9548,  7620,  6100,  4904,  3906,  3121,  2501,	 1991,	1586,  1277,  /* -10 */
	1024,  820,   655,   526,   423,   335,	  272,	 215,	172,   137,   /* 0 */
	110,   87,    70,    56,    45,	   36,	  29,	 23,	18,    15,    /* 10 */
};

unsigned nice_weight(int nice)
{
	return weights[nice < -20 ? 0 : nice > 19 ? 39 : nice + 20];
}

unsigned fair_weight(uint32_t policy, int nice)
{
	return policy == POLICY_IDLE ? 3 : nice_weight(nice);
}

static double weight_of(const struct cpu_rival *rival)
{
	return rival->group_weight ? rival->group_weight : fair_weight(rival->policy, rival->nice);
}

double cpu_share(const struct cpu_rival *a, const struct cpu_rival *b)
{
	const int rank_a = attr_rank(a->policy, a->priority), rank_b = attr_rank(b->policy, b->priority);

	if (a->policy == POLICY_DEADLINE || b->policy == POLICY_DEADLINE)
		return -1;
	if (rank_a != rank_b)
		return rank_a > rank_b;
	if (rank_a)
		return a->policy == POLICY_RR && b->policy == POLICY_RR ? .5 : -1;
	return weight_of(a) / (weight_of(a) + weight_of(b));
}
