/* SPDX-License-Identifier: GPL-2.0-only */
/* What is wrong with a text that cJSON refused, in the words of the person who wrote it. */
#include "json_text.h"

#include <stdarg.h>
#include <stdio.h>

#define EXCERPT_MAX 40

enum want {
	WANT_VALUE,
	WANT_KEY,
	WANT_COLON,
	WANT_NEXT, /* a comma or the closing bracket; at the top, the end */
};

struct state {
	const char *text;
	enum want want;
	bool may_close;		     /* just after an opening bracket: empty is fine */
	size_t open[JSON_DEPTH_MAX]; /* the brackets around */
	unsigned depth;
};

__attribute__((format(printf, 3, 4))) static void explain(struct json_problem *problem,
							  size_t offset, const char *format, ...)
{
	va_list args;

	problem->offset = offset;
	va_start(args, format);
	vsnprintf(problem->message, JSON_MESSAGE_MAX, format, args);
	va_end(args);
}

static char bracket(const struct state *state)
{
	return state->depth ? state->text[state->open[state->depth - 1]] : '\0';
}

static bool closes(const struct state *state, const struct json_token *token)
{
	char close = state->text[token->start];

	return token->kind == JSON_CLOSE && bracket(state) == (close == '}' ? '{' : '[');
}

static bool take_close(struct state *state)
{
	state->depth--;
	state->want = WANT_NEXT;
	return true;
}

static bool take_value(struct state *state, const struct json_token *token)
{
	if (state->may_close && closes(state, token))
		return take_close(state);
	if (token->kind == JSON_OPEN) {
		state->open[state->depth++] = token->start;
		state->want = bracket(state) == '{' ? WANT_KEY : WANT_VALUE;
		state->may_close = true;
		return true;
	}
	state->want = WANT_NEXT;
	return token->kind == JSON_STRING || token->kind == JSON_WORD;
}

static bool take_key(struct state *state, const struct json_token *token)
{
	if (state->may_close && closes(state, token))
		return take_close(state);
	state->want = WANT_COLON;
	return token->kind == JSON_STRING;
}

static bool take_colon(struct state *state, const struct json_token *token)
{
	state->want = WANT_VALUE;
	state->may_close = false;
	return token->kind == JSON_COLON;
}

static bool take_next(struct state *state, const struct json_token *token)
{
	if (closes(state, token))
		return take_close(state);
	state->want = bracket(state) == '{' ? WANT_KEY : WANT_VALUE;
	state->may_close = false;
	return token->kind == JSON_COMMA && state->depth;
}

/* Goes one token further. False: it cannot stand here, and state is of no more use. */
static bool take(struct state *state, const struct json_token *token)
{
	switch (state->want) {
	case WANT_VALUE:
		return take_value(state, token);
	case WANT_KEY:
		return take_key(state, token);
	case WANT_COLON:
		return take_colon(state, token);
	case WANT_NEXT:
		return take_next(state, token);
	}
	return false;
}

static void explain_end(const struct state *state, size_t end, struct json_problem *problem)
{
	struct json_position open;

	if (!state->depth) {
		explain(problem, 0, "empty: write {} for no rules");
		return;
	}
	open = json_count_position(state->text, state->open[state->depth - 1]);
	explain(problem, end, "the text ends, but the \"%c\" opened at %u:%u is not closed",
		bracket(state), open.line, open.column);
}

static void explain_close(const struct state *state, const struct json_token *token,
			  struct json_problem *problem)
{
	struct json_position open;
	char close = state->text[token->start];

	if (!state->depth) {
		explain(problem, token->start, "\"%c\" closes nothing", close);
		return;
	}
	open = json_count_position(state->text, state->open[state->depth - 1]);
	explain(problem, token->start, "\"%c\" does not close the \"%c\" opened at %u:%u", close,
		bracket(state), open.line, open.column);
}

/* In place of what stands at the token one of `wanted` belongs. */
static void explain_wanted(const struct state *state, const struct json_token *token,
			   const char *wanted, struct json_problem *problem)
{
	int len = token->end - token->start;

	if (len > EXCERPT_MAX)
		explain(problem, token->start, "%s expected", wanted);
	else
		explain(problem, token->start, "%s expected, not %.*s", wanted, len,
			state->text + token->start);
}

static void explain_next(const struct state *state, const struct json_token *token,
			 struct json_problem *problem)
{
	if (token->kind == JSON_CLOSE)
		explain_close(state, token, problem);
	else if (!state->depth)
		explain(problem, token->start, "more text after the end of the JSON");
	else if (token->kind == JSON_COLON)
		explain_wanted(state, token,
			       bracket(state) == '{' ? "\",\" or \"}\"" : "\",\" or \"]\"",
			       problem);
	else
		explain(problem, token->start, "a comma is missing before this");
}

static void explain_token(const struct state *state, const struct json_token *token,
			  const struct json_token *before, struct json_problem *problem)
{
	if (before->kind == JSON_COMMA && closes(state, token)) {
		explain(problem, before->start, "trailing comma: nothing follows before the \"%c\"",
			state->text[token->start]);
		return;
	}
	switch (state->want) {
	case WANT_VALUE:
		explain_wanted(state, token, "a value", problem);
		break;
	case WANT_KEY:
		if (token->kind == JSON_WORD)
			explain_wanted(state, token, "keys must be in double quotes: a key",
				       problem);
		else
			explain_wanted(state, token, "a key", problem);
		break;
	case WANT_COLON:
		explain_wanted(state, token, "\":\" and the key's value", problem);
		break;
	case WANT_NEXT:
		explain_next(state, token, problem);
		break;
	}
}

bool json_explain(const char *text, size_t size, bool whole, struct json_problem *problem)
{
	struct state state = { .text = text };
	struct json_token token = { .kind = JSON_END };

	for (;;) {
		struct json_token before = token;
		struct state here = state;

		token = json_token(text, size, token.end);
		if (token.kind == JSON_END)
			break;
		if (!take(&state, &token)) {
			explain_token(&here, &token, &before, problem);
			return true;
		}
	}
	if (!whole || (state.want == WANT_NEXT && !state.depth))
		return false;
	explain_end(&state, size, problem);
	return true;
}
