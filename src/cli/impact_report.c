/* SPDX-License-Identifier: GPL-2.0-only */
#include "impact_report.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include <schedqos/measure/stats.h>
#include <schedqos/util/cleanup.h>
#include <schedqos/util/json_writer.h>

#include "text_table.h"

/* Less use of the CPUs, or pressure, than this: nobody waits enough for a scheduler to matter. */
#define IDLE_BUSY     0.25
#define IDLE_PRESSURE 2

static const struct figure {
	const char *name, *key;
} figures[IMPACT_FIGURES] = {
	[IMPACT_P50] = { "probe late p50 (us)", "probe_p50_us" },
	[IMPACT_P99] = { "probe late p99 (us)", "probe_p99_us" },
	[IMPACT_MAX] = { "probe late max (us)", "probe_max_us" },
	[IMPACT_DELAY] = { "delay per wait (us)", "delay_per_wait_us" },
	[IMPACT_SHARE] = { "CPU (% of one)", "cpu_percent" },
}, machine_figures[IMPACT_MACHINE] = {
	[IMPACT_PRESSURE] = { "CPU pressure (%)", "cpu_pressure_percent" },
	[IMPACT_SWITCHES] = { "context switches (/s)", "switches_per_second" },
};

size_t impact_count(size_t n_classes)
{
	return n_classes * IMPACT_FIGURES + IMPACT_MACHINE;
}

size_t impact_at(const struct impact_report *report, size_t round, size_t class, unsigned figure)
{
	return round * impact_count(report->n_classes) + class * IMPACT_FIGURES + figure;
}

/* Of the rounds that have both. Returns their number, or -1 without memory. */
static int compare(const struct impact_report *report, size_t class, unsigned figure,
		   struct stats_difference *ret)
{
	_cleanup_free_ double *off = calloc(report->n_rounds + 1, sizeof(*off));
	_cleanup_free_ double *on = calloc(report->n_rounds + 1, sizeof(*on));
	int n = 0;

	if (!off || !on)
		return -1;
	for (size_t round = 0; round < report->n_rounds; round++) {
		const size_t at = impact_at(report, round, class, figure);

		off[n] = report->values[IMPACT_OFF][at];
		on[n] = report->values[IMPACT_ON][at];
		n += !isnan(off[n]) && !isnan(on[n]);
	}
	if (n && stats_compare(off, on, (size_t)n, report->seed, ret) < 0)
		return -1;
	return n;
}

static const char *verdict(const struct stats_difference *difference)
{
	if (!difference->has_interval)
		return "too few rounds";
	if (!difference->is_shown)
		return "no difference shown";
	return difference->high < 0 ? "lower with tagging" : "higher with tagging";
}

/* ---- text ---- */

static int add_row(const struct impact_report *report, struct text_table *table, size_t class,
		   unsigned figure)
{
	const bool is_class = class < report->n_classes;
	struct stats_difference difference;
	char interval[64] = "-";
	const int n = compare(report, class, figure, &difference);

	/* Nothing of the class has run, say. */
	if (n <= 0)
		return n;
	if (difference.has_interval)
		snprintf(interval, sizeof(interval), "%+.1f .. %+.1f", difference.low,
			 difference.high);
	text_table_add(table, "%s", is_class ? report->classes[class] : "machine");
	text_table_add(table, "%s", is_class ? figures[figure].name : machine_figures[figure].name);
	text_table_add(table, "%.1f", difference.before);
	text_table_add(table, "%.1f", difference.after);
	text_table_add(table, "%+.1f", difference.after - difference.before);
	text_table_add(table, "%s", interval);
	text_table_add(table, "%s", verdict(&difference));
	return n;
}

static int add_rows(const struct impact_report *report, struct text_table *table)
{
	int rows = 0, r = 0;

	for (size_t class = 0; class <= report->n_classes; class ++) {
		const unsigned count = class < report->n_classes ? (unsigned)IMPACT_FIGURES
								 : (unsigned)IMPACT_MACHINE;

		for (unsigned figure = 0; figure < count; figure++) {
			r = add_row(report, table, class, figure);
			if (r < 0)
				return r;
			rows += r > 0;
		}
	}
	return rows;
}

/* Of the machine without tagging; 100 where the kernel does not tell. */
static double pressure_of(const struct impact_report *report)
{
	struct stats_difference difference;

	return compare(report, report->n_classes, IMPACT_PRESSURE, &difference) > 0
		       ? difference.before
		       : 100;
}

static void explain(const struct impact_report *report, int rows, struct text_buf *out)
{
	text_buf_printf(out,
			"\n%zu rounds of %.0f s with tagging off and on, in random order. Medians; "
			"the interval is that of "
			"the difference, 95 %%.\n",
			report->n_rounds, (double)report->round_ns / 1e9);
	if (report->n_rounds < STATS_LEAST_PAIRS)
		text_buf_printf(out, "An interval takes %d rounds at least: --rounds.\n",
				STATS_LEAST_PAIRS);
	else
		text_buf_printf(out,
				"Of these %d comparisons one in twenty shows a difference by chance.\n",
				rows);
	if (report->busy < IDLE_BUSY || pressure_of(report) < IDLE_PRESSURE)
		text_buf_printf(out,
				"The machine was nearly idle (%.0f %% of its CPUs): where nobody "
				"waits, tagging changes "
				"nothing, and this cannot show what it does under load.\n",
				report->busy * 100);
	text_buf_printf(out, "What ran may have been something else in each round: a program that "
			     "began or ended meanwhile "
			     "makes a difference, too.\n");
}

char *impact_text(const struct impact_report *report, size_t width)
{
	struct text_table table = {
		.columns = { { "CLASS", false, true },
			     { "FIGURE", false, false },
			     { "OFF", true, false },
			     { "ON", true, false },
			     { "DIFFERENCE", true, false },
			     { "INTERVAL", true, false },
			     { "", false, false } },
		.n_columns = 7,
	};
	struct text_buf out = { 0 };
	const int rows = add_rows(report, &table);

	text_table_print(&table, width, &out);
	text_table_clear(&table);
	explain(report, rows, &out);
	out.failed |= rows < 0;
	return text_buf_take(&out);
}

/* ---- JSON ---- */

/* JSON has no fractions here: thousandths. */
static void put_thousandths(struct json_writer *json, const char *key, double value)
{
	json_put_number(json, key, (int64_t)llround(value * 1000));
}

static void put_figure(const struct impact_report *report, struct json_writer *json, size_t class,
		       unsigned figure)
{
	const bool is_class = class < report->n_classes;
	struct stats_difference difference;
	const int n = compare(report, class, figure, &difference);

	json->text.failed |= n < 0;
	if (n <= 0)
		return;
	json_begin(json, NULL, '{');
	json_put_text(json, "class", is_class ? report->classes[class] : NULL);
	json_put_text(json, "figure", is_class ? figures[figure].key : machine_figures[figure].key);
	json_put_count(json, "rounds", (uint64_t)n);
	put_thousandths(json, "off_thousandths", difference.before);
	put_thousandths(json, "on_thousandths", difference.after);
	if (difference.has_interval) {
		put_thousandths(json, "low_thousandths", difference.low);
		put_thousandths(json, "high_thousandths", difference.high);
		json_put_bool(json, "difference_shown", difference.is_shown);
	}
	json_end(json, '}');
}

char *impact_json(const struct impact_report *report)
{
	struct json_writer json = { 0 };

	json_begin(&json, NULL, '{');
	json_put_count(&json, "rounds", report->n_rounds);
	json_put_count(&json, "round_ns", report->round_ns);
	json_put_count(&json, "seed", report->seed);
	put_thousandths(&json, "busy_thousandths", report->busy);
	json_begin(&json, "figures", '[');
	for (size_t class = 0; class <= report->n_classes; class ++) {
		const unsigned count = class < report->n_classes ? (unsigned)IMPACT_FIGURES
								 : (unsigned)IMPACT_MACHINE;

		for (unsigned figure = 0; figure < count; figure++)
			put_figure(report, &json, class, figure);
	}
	json_end(&json, ']');
	json_end(&json, '}');
	return json_take(&json);
}
