/* SPDX-License-Identifier: GPL-2.0-only */

#include "test.h"

#include "../../src/focus/shown.h"

#define MS 1000ULL
#define S  1000000ULL

enum { TERMINAL = 100, BROWSER = 200, FOREIGN = 300 };

/* The reports in order, and the processes that play sound. */
static struct {
	char told[256];
	pid_t heard;
	unsigned met, parted;
} seen;

static void meet(void *context, struct shown_app *app)
{
	(void)context;
	seen.met++;
	app->pidfd = app->pid == FOREIGN ? -1 : app->pid;
}

static void part(void *context, struct shown_app *app)
{
	(void)context;
	(void)app;
	seen.parted++;
}

static bool is_heard(void *context, pid_t pid)
{
	(void)context;
	return pid == seen.heard;
}

static void tell(void *context, const struct shown_app *app)
{
	const size_t len = strlen(seen.told);

	(void)context;
	snprintf(seen.told + len, sizeof(seen.told) - len, "%d %s, ", (int)app->pid, shown_level_name(app->told));
}

static const struct shown_ops ops = { .meet = meet, .part = part, .is_heard = is_heard, .tell = tell };

static int begin(void **state)
{
	static struct shown shown;

	shown = (struct shown){ .ops = &ops };
	memset(&seen, 0, sizeof(seen));
	*state = &shown;
	return 0;
}

static int end(void **state)
{
	shown_clear(*state);
	return seen.met - seen.parted;
}

static void expect_told(const char *text)
{
	assert_string_equal(seen.told, text);
	*seen.told = '\0';
}

/* Puts all windows: one of each app. */
static void windows(struct shown *shown, const char *terminal, const char *browser)
{
	const struct {
		pid_t pid;
		const char *word;
	} all[] = { { TERMINAL, terminal }, { BROWSER, browser } };

	shown_no_windows(shown);
	for (size_t i = 0; i < 2; i++) {
		if (*all[i].word)
			shown_put_window(shown, all[i].pid, *all[i].word == 'f', *all[i].word == 'v');
	}
}

#define TEST_SHOWN_TEST(name) TEST_OF(name, struct shown *shown, begin, end)

TEST_SHOWN_TEST(test_a_higher_level_is_reported_at_once)
{
	windows(shown, "focused", "");
	assert_true(shown_settle(shown, 0) == SHOWN_NEVER_US);
	expect_told("100 focused, ");
	assert_true(shown_settle(shown, 100 * S) == SHOWN_NEVER_US);
	expect_told("");
}

TEST_SHOWN_TEST(test_a_lower_level_is_reported_after_a_moment)
{
	windows(shown, "focused", "visible");
	shown_settle(shown, 0);
	expect_told("100 focused, ");
	windows(shown, "visible", "focused");
	assert_true(shown_settle(shown, 1 * S) == 1 * S + SHOWN_LOWER_US);
	expect_told("200 focused, ");
	assert_true(shown_settle(shown, 1 * S + SHOWN_LOWER_US - 1) == 1 * S + SHOWN_LOWER_US);
	expect_told("");
	assert_true(shown_settle(shown, 1 * S + SHOWN_LOWER_US) == SHOWN_NEVER_US);
	expect_told("100 visible, ");
}

TEST_SHOWN_TEST(test_a_focus_that_soon_returns_is_not_reported)
{
	windows(shown, "focused", "");
	shown_settle(shown, 0);
	windows(shown, "visible", "");
	shown_settle(shown, 1 * S);
	windows(shown, "focused", "");
	assert_true(shown_settle(shown, 1 * S + 100 * MS) == SHOWN_NEVER_US);
	expect_told("100 focused, ");
	/* The delay begins again. */
	windows(shown, "visible", "");
	assert_true(shown_settle(shown, 2 * S) == 2 * S + SHOWN_LOWER_US);
}

TEST_SHOWN_TEST(test_an_app_is_hidden_after_ten_seconds)
{
	windows(shown, "focused", "");
	shown_settle(shown, 0);
	windows(shown, "visible", "");
	shown_settle(shown, 1 * S);
	windows(shown, "hidden", "");
	/* The delay counts from the last change. */
	assert_true(shown_settle(shown, 1 * S + 100 * MS) == 1 * S + 100 * MS + SHOWN_LOWER_US);
	assert_true(shown_settle(shown, 1 * S + 100 * MS + SHOWN_LOWER_US) == 1 * S + 100 * MS + SHOWN_HIDE_US);
	expect_told("100 focused, 100 visible, ");
	assert_true(shown_settle(shown, 1 * S + 100 * MS + SHOWN_HIDE_US) == SHOWN_NEVER_US);
	expect_told("100 hidden, ");
	windows(shown, "visible", "");
	assert_true(shown_settle(shown, 20 * S) == SHOWN_NEVER_US);
	expect_told("100 visible, ");
}

TEST_SHOWN_TEST(test_an_app_that_plays_sound_is_not_hidden)
{
	seen.heard = BROWSER;
	windows(shown, "", "hidden");
	assert_true(shown_settle(shown, 0) == SHOWN_NEVER_US);
	seen.heard = 0;
	assert_true(shown_settle(shown, 60 * S) == 60 * S + SHOWN_HIDE_US);
	shown_settle(shown, 60 * S + SHOWN_HIDE_US);
	expect_told("200 hidden, ");
	seen.heard = BROWSER;
	shown_settle(shown, 80 * S);
	expect_told("200 visible, ");
}

TEST_SHOWN_TEST(test_the_most_visible_window_of_an_app_counts)
{
	shown_put_window(shown, BROWSER, false, false);
	shown_put_window(shown, BROWSER, true, true);
	shown_put_window(shown, BROWSER, false, true);
	shown_settle(shown, 0);
	expect_told("200 focused, ");
	assert_int_equal(seen.met, 1);
}

TEST_SHOWN_TEST(test_a_game_is_played_whatever_its_windows_show)
{
	shown_put_game(shown, BROWSER);
	shown_put_game(shown, BROWSER);
	shown_settle(shown, 0);
	expect_told("200 played, ");
	windows(shown, "", "focused");
	shown_settle(shown, 1 * S);
	expect_told("");
	shown_no_games(shown);
	shown_settle(shown, 2 * S);
	shown_settle(shown, 2 * S + SHOWN_LOWER_US);
	expect_told("200 focused, ");
}

TEST_SHOWN_TEST(test_a_list_of_windows_replaces_the_previous_one)
{
	shown_put_game(shown, BROWSER);
	windows(shown, "focused", "");
	shown_settle(shown, 0);
	windows(shown, "", "");
	shown_settle(shown, 1 * S);
	shown_settle(shown, 2 * S);
	expect_told("100 focused, 200 played, 100 visible, ");
	/* Its last window is gone, and its report was taken back. */
	assert_int_equal(seen.parted, 1);
}

TEST_SHOWN_TEST(test_nothing_is_reported_about_a_process_that_has_ended)
{
	windows(shown, "focused", "");
	shown_put_game(shown, TERMINAL);
	shown_settle(shown, 0);
	shown_ended(shown, TERMINAL);
	assert_true(shown_settle(shown, 1 * S) == SHOWN_NEVER_US);
	expect_told("100 played, ");
	assert_int_equal(seen.parted, 1);
}

TEST_SHOWN_TEST(test_nothing_is_reported_about_processes_of_others)
{
	shown->compositor = TERMINAL;
	windows(shown, "focused", "");
	shown_put_window(shown, FOREIGN, true, true);
	shown_put_window(shown, 0, true, true);
	shown_put_window(shown, 1, true, true);
	shown_settle(shown, 0);
	shown_repeat(shown);
	expect_told("");
	assert_int_equal(seen.met, 1);
}

TEST_SHOWN_TEST(test_all_reports_are_repeated)
{
	windows(shown, "focused", "visible");
	shown_settle(shown, 0);
	expect_told("100 focused, ");
	shown_repeat(shown);
	expect_told("100 focused, ");
	/* Visible apps are reported again, too, because a hidden app may have started them. */
	windows(shown, "visible", "visible");
	shown_settle(shown, 1);
	shown_settle(shown, 1 + SHOWN_LOWER_US);
	expect_told("100 visible, ");
	shown_repeat(shown);
	expect_told("100 visible, ");
}

TEST_SHOWN_TEST(test_the_number_of_processes_is_limited)
{
	for (size_t i = 0; i < SHOWN_MAX + 10; i++)
		shown_put_window(shown, TERMINAL + (pid_t)i, false, true);
	assert_int_equal(shown->n_apps, SHOWN_MAX);
}
