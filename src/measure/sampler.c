/* SPDX-License-Identifier: GPL-2.0-only */
#include <schedqos/measure/sampler.h>

#include <errno.h>
#include <stdlib.h>

#include <schedqos/util/cleanup.h>

/* Task usages, by tid once they are sorted. */
struct usages {
	struct task_usage *all;
	size_t count, size;
};

struct sampler {
	struct usage *source;
	struct usages
		last; /* as of the last look; of those that had ended then, the final figures */
	struct usages ended; /* since then */
	struct usages living;
	struct sample *samples;
	size_t size;
	uint64_t looked_at; /* CLOCK_MONOTONIC, ns; 0: not yet */
	uint64_t lost;
};

int sampler_open(struct sampler **ret)
{
	struct sampler *sampler = calloc(1, sizeof(*sampler));
	int r;

	if (!sampler)
		return -ENOMEM;
	r = usage_open(true, &sampler->source);
	if (r < 0) {
		free(sampler);
		return r;
	}
	*ret = sampler;
	return 0;
}

void sampler_free(struct sampler *sampler)
{
	if (!sampler)
		return;
	usage_free(sampler->source);
	free(sampler->last.all);
	free(sampler->ended.all);
	free(sampler->living.all);
	free(sampler->samples);
	free(sampler);
}

bool sampler_hears_exits(const struct sampler *sampler)
{
	return usage_hears_exits(sampler->source);
}

/* ---- arrays ---- */

static int reserve(struct usages *usages, size_t count)
{
	struct task_usage *all;

	if (count <= usages->size)
		return 0;
	count += count / 2;
	all = reallocarray(usages->all, count, sizeof(*all));
	if (!all)
		return -ENOMEM;
	usages->all = all;
	usages->size = count;
	return 0;
}

static int add(struct usages *usages, const struct task_usage *one)
{
	int r = reserve(usages, usages->count + 1);

	if (r == 0)
		usages->all[usages->count++] = *one;
	return r;
}

/* Of tasks with the same id the one that has used least comes first: it may have gone on. */
static int compare(const void *a, const void *b)
{
	const struct task_usage *first = a, *second = b;
	int order = (first->tid > second->tid) - (first->tid < second->tid);

	return order ? order : (first->run_ns > second->run_ns) - (first->run_ns < second->run_ns);
}

static void sort(struct usages *usages)
{
	if (usages->count)
		qsort(usages->all, usages->count, sizeof(*usages->all), compare);
}

static int compare_ids(const void *a, const void *b)
{
	return ((const struct task_usage *)a)->tid - ((const struct task_usage *)b)->tid;
}

static const struct task_usage *find(const struct usages *usages, pid_t tid)
{
	const struct task_usage key = { .tid = tid };

	return usages->count ? bsearch(&key, usages->all, usages->count, sizeof(key), compare_ids)
			     : NULL;
}

/* ---- looking ---- */

int sampler_drain(struct sampler *sampler)
{
	struct task_usage one;
	int r;

	while ((r = usage_next_exit(sampler->source, &one)) != 0) {
		if (r == -ENOBUFS)
			sampler->lost++;
		else if (r < 0)
			return r;
		else if (add(&sampler->ended, &one) < 0)
			return -ENOMEM;
	}
	return 0;
}

struct task_usage usage_between(const struct task_usage *before, const struct task_usage *now)
{
	struct task_usage used = *now;

	if (!before || now->run_ns < before->run_ns || now->delay_ns < before->delay_ns ||
	    now->waits < before->waits)
		return used;
	used.run_ns -= before->run_ns;
	used.delay_ns -= before->delay_ns;
	used.waits -= before->waits;
	used.voluntary -= before->voluntary;
	used.involuntary -= before->involuntary;
	return used;
}

static int read_living(struct sampler *sampler, const pid_t *living, size_t n)
{
	struct usages *usages = &sampler->living;
	size_t kept = 0;
	int r = reserve(usages, n);

	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++)
		usages->all[i].tid = living[i];
	r = usage_read(sampler->source, false, usages->all, n);
	if (r < 0)
		return r;
	for (size_t i = 0; i < n; i++) {
		if (usages->all[i].tid)
			usages->all[kept++] = usages->all[i];
	}
	usages->count = kept;
	sort(usages);
	return 0;
}

static struct sample sample_of(const struct sampler *sampler, const struct task_usage *now,
			       bool has_ended)
{
	struct sample sample = { .has_ended = has_ended };
	const struct task_usage *ended = has_ended ? NULL : find(&sampler->ended, now->tid);

	/* One that has ended and is not yet buried is heard of and seen. */
	sample.usage = usage_between(ended ? ended : find(&sampler->last, now->tid), now);
	if (!sampler->looked_at)
		sample.usage.run_ns = sample.usage.delay_ns = sample.usage.waits =
			sample.usage.voluntary = sample.usage.involuntary = 0;
	return sample;
}

/* Merges what has ended and what lives, both by tid. */
static int make_samples(struct sampler *sampler)
{
	const struct usages *ended = &sampler->ended, *living = &sampler->living;
	const size_t count = ended->count + living->count;
	size_t at = 0;

	if (count > sampler->size) {
		struct sample *samples =
			reallocarray(sampler->samples, count + count / 2, sizeof(*samples));

		if (!samples)
			return -ENOMEM;
		sampler->samples = samples;
		sampler->size = count + count / 2;
	}
	for (size_t i = 0, j = 0; i < ended->count || j < living->count;) {
		const bool has_ended =
			j == living->count ||
			(i < ended->count && ended->all[i].tid <= living->all[j].tid);

		sampler->samples[at++] =
			sample_of(sampler, has_ended ? &ended->all[i++] : &living->all[j++],
				  has_ended);
	}
	return 0;
}

/* Those that have ended are kept once more, for those that are not yet buried. */
static int remember(struct sampler *sampler)
{
	struct usages *last = &sampler->last;
	int r = reserve(last, sampler->living.count + sampler->ended.count);

	if (r < 0)
		return r;
	last->count = 0;
	for (size_t i = 0; i < sampler->living.count; i++)
		last->all[last->count++] = sampler->living.all[i];
	for (size_t i = 0; i < sampler->ended.count; i++) {
		if (!find(&sampler->living, sampler->ended.all[i].tid))
			last->all[last->count++] = sampler->ended.all[i];
	}
	sort(last);
	return 0;
}

int sampler_look(struct sampler *sampler, const pid_t *living, size_t n, uint64_t now,
		 struct sample_frame *ret)
{
	int r = read_living(sampler, living, n);

	if (r < 0)
		return r;
	sort(&sampler->ended);
	r = make_samples(sampler);
	if (r == 0)
		r = remember(sampler);
	if (r < 0)
		return r;
	*ret = (struct sample_frame){
		.all = sampler->samples,
		.count = sampler->ended.count + sampler->living.count,
		.ns = sampler->looked_at ? now - sampler->looked_at : 0,
		.exits = sampler->ended.count,
		.lost = sampler->lost,
	};
	sampler->looked_at = now;
	sampler->ended.count = 0;
	sampler->lost = 0;
	return 0;
}
