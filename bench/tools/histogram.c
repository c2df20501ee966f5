/* SPDX-License-Identifier: GPL-2.0-only */
#include "histogram.h"

#include <inttypes.h>

static unsigned bin_of(uint64_t ns)
{
	unsigned shift;

	if (ns < HISTOGRAM_STEPS)
		return (unsigned)ns;
	if (ns >> HISTOGRAM_BITS)
		return HISTOGRAM_BINS - 1;
	shift = 63 - (unsigned)__builtin_clzll(ns) - HISTOGRAM_STEP_BITS;
	return shift * HISTOGRAM_STEPS + (unsigned)(ns >> shift);
}

/* The greatest value that a bin holds. */
static uint64_t upper_edge(unsigned bin)
{
	unsigned shift = bin / HISTOGRAM_STEPS;

	if (shift)
		shift--;
	return ((uint64_t)(bin - shift * HISTOGRAM_STEPS + 1) << shift) - 1;
}

void histogram_add(struct histogram *histogram, uint64_t ns)
{
	if (!histogram->count || ns < histogram->min)
		histogram->min = ns;
	if (ns > histogram->max)
		histogram->max = ns;
	histogram->sum += ns;
	histogram->count++;
	histogram->bins[bin_of(ns)]++;
}

uint64_t histogram_percentile(const struct histogram *histogram, unsigned hundredths)
{
	uint64_t rank = (histogram->count * hundredths + 9999) / 10000, seen = 0;

	for (unsigned bin = 0; bin < HISTOGRAM_BINS - 1; bin++) {
		seen += histogram->bins[bin];
		if (seen && seen >= rank)
			return upper_edge(bin) < histogram->max ? upper_edge(bin) : histogram->max;
	}
	return histogram->max;
}

static double us(uint64_t ns)
{
	return (double)ns / 1000;
}

static void print_bins(const struct histogram *histogram, FILE *file)
{
	const char *separator = "";

	fprintf(file, "\"bins\": [");
	for (unsigned bin = 0; bin < HISTOGRAM_BINS; bin++) {
		if (!histogram->bins[bin])
			continue;
		fprintf(file, "%s[%.3f, %" PRIu64 "]", separator, us(upper_edge(bin)),
			histogram->bins[bin]);
		separator = ", ";
	}
	fprintf(file, "]");
}

void histogram_print(const struct histogram *histogram, FILE *file)
{
	static const unsigned percents[] = { 5000, 9000, 9900, 9990, 9999 };
	uint64_t count = histogram->count ? histogram->count : 1;

	fprintf(file, "{\"samples\": %" PRIu64 ", \"min\": %.3f, \"mean\": %.3f, \"max\": %.3f, ",
		histogram->count, us(histogram->min), us(histogram->sum / count),
		us(histogram->max));
	for (unsigned i = 0; i < sizeof(percents) / sizeof(percents[0]); i++)
		fprintf(file, "\"p%g\": %.3f, ", percents[i] / 100.0,
			us(histogram_percentile(histogram, percents[i])));
	print_bins(histogram, file);
	fprintf(file, "}");
}
