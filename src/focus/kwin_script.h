/* SPDX-License-Identifier: GPL-2.0-only */
#pragma once

/* A script for KWin, which calls the name on the session's bus that its constant `schedqos` has. */
extern const char *const kwin_script;
